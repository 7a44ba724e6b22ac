//! Texts and patterns made to hurt. Times are far above what is needed and far below what a square would take.

use std::time::{Duration, Instant};

use ai_assist_trigram::{Effort, Error, Limits, Pattern, PatternOptions};

use crate::{candidate_keys, index_of};

const LONG: usize = 8 << 20;

fn pattern(source: &str) -> Pattern {
    Pattern::new(source, PatternOptions::default()).unwrap()
}

#[test]
fn texts_of_one_letter_and_of_one_line() {
    let texts = ["a".repeat(LONG), "ab c".repeat(LONG / 4), "\n".repeat(LONG / 8), String::new(), "é".repeat(1000)];
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), &texts);
    assert_eq!(candidate_keys(&index, &pattern("aaaa")), [0]);
    assert_eq!(candidate_keys(&index, &pattern("b ca")), [1]);
    assert_eq!(candidate_keys(&index, &pattern("ÉÉ")), [4]);
    let start = Instant::now();
    for source in ["a", "", ".*.*.*x|a", "[^x]*x|[a-z]", "a{50}$", "(a|b){1000}x", r"\w+\s\w+$"] {
        let found = pattern(source).matching_lines(&texts[0], Limits { lines: 10, matches_per_line: 5 });
        assert!(found.len() <= 1 && found.iter().all(|line| line.matches.len() <= 5), "{source}");
    }
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
}

#[test]
fn every_line_of_many_matches_in_time() {
    let text = "x\n".repeat(LONG / 32);
    let start = Instant::now();
    for source in ["", "^", "x", "x$", ".*x|x", r"^\s*x"] {
        assert_eq!(pattern(source).matching_lines(&text, Limits::default()).len(), LONG / 32, "{source}");
    }
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
}

#[test]
fn a_text_with_as_many_grams_as_can_be() {
    // Every pair of the characters below U+0800 that follow each other in steps: hundreds of thousands of grams.
    let text: String = (0..1200u32)
        .flat_map(|a| (1..400u32).map(move |step| (a, (a * 7 + step * 3) % 1900)))
        .flat_map(|(a, b)| [char::from_u32(a + 32), char::from_u32(b + 32)])
        .flatten()
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), &[text.as_str(), "nothing"]);
    assert_eq!(candidate_keys(&index, &pattern("nothing")), [1]);
    assert!(index.bytes() < 8 * text.len() as u64, "{} for {}", index.bytes(), text.len());
}

#[test]
fn patterns_of_many_classes_are_refused_in_time() {
    let start = Instant::now();
    for source in [r"\w".repeat(8000), r"\pL".repeat(5000), "(?i)".to_owned() + &r"\w".repeat(2000)] {
        let error = Pattern::new(&source, PatternOptions::default()).unwrap_err();
        assert!(matches!(error, Error::PatternTooLarge { .. }), "{error:?}");
    }
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
}

/// A text of many blocks gives what it gives as a whole.
#[test]
fn blocks_change_nothing() {
    let text = "one two\r\n\n three\nfour five six\n\n\nseven\n".repeat(3000);
    for (source, multiline) in
        [("", false), ("^$", false), (r"\w+$", false), ("e", false), (r"\s+", true), (r"n\n\n", true)]
    {
        let options = PatternOptions { multiline, ..PatternOptions::default() };
        let pattern = Pattern::new(source, options).unwrap();
        let (found, is_whole) = pattern.matching_lines_within(&text, Limits::default(), &Effort::while_true(&|| true));
        assert!(is_whole, "{source}");
        assert_eq!(found, pattern.matching_lines(&text, Limits::default()), "{source}");
    }
}
