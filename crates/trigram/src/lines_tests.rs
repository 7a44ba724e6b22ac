use super::*;
use crate::PatternOptions;

fn lines(pattern: &str, text: &str, options: PatternOptions) -> Vec<(usize, String, Vec<String>)> {
    let found = Pattern::new(pattern, options).unwrap().matching_lines(text, Limits::default());
    let show = |range: &Range<usize>| text[range.clone()].to_owned();
    found.iter().map(|line| (line.line, show(&line.bytes), line.matches.iter().map(show).collect())).collect()
}

fn numbers(pattern: &str, text: &str) -> Vec<usize> {
    lines(pattern, text, PatternOptions::default()).into_iter().map(|(line, ..)| line).collect()
}

#[test]
fn a_line_comes_with_its_number_its_bytes_and_all_its_matches() {
    let found = lines("o+", "foo boo\nbar\nzoom", PatternOptions::default());
    let own = |strings: &[&str]| strings.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(found, [(1, "foo boo".to_owned(), own(&["oo", "oo"])), (3, "zoom".to_owned(), own(&["oo"]))]);
}

#[test]
fn every_line_stands_alone() {
    let text = "foo\nfoo bar\n\nbaz\n";
    for (pattern, expected) in [
        ("", vec![1, 2, 3, 4]),
        ("^", vec![1, 2, 3, 4]),
        ("$", vec![1, 2, 3, 4]),
        ("^$", vec![3]),
        (r"\A\z", vec![3]),
        (r"\Afoo", vec![1, 2]),
        (r"\Abaz\z", vec![4]),
        (r"foo\z", vec![1]),
        (r"(?-m)^baz$", vec![4]),
        (r"foo\s", vec![2]),
        (r"(?s)foo.", vec![2]),
        (r"[^x]baz", vec![]),
        (r"[a\n]", vec![2, 4]),
        (r"\W", vec![2]),
        (r"\b", vec![1, 2, 4]),
        (r"\B", vec![1, 2, 3, 4]),
    ] {
        assert_eq!(numbers(pattern, text), expected, "{pattern}");
    }
}

#[test]
fn texts_without_a_final_line_end_and_empty_texts() {
    assert_eq!(numbers("", ""), [0usize; 0]);
    assert_eq!(numbers("^$", ""), [0usize; 0]);
    assert_eq!(numbers("", "\n"), [1]);
    assert_eq!(numbers("$", "a"), [1]);
    assert_eq!(numbers("", "a\nb"), [1, 2]);
    assert_eq!(numbers("", "a\n\n"), [1, 2]);
}

#[test]
fn crlf_counts_as_a_line_end_only_when_asked() {
    let crlf = PatternOptions { crlf: true, ..Default::default() };
    let text = "foo\r\nbar\r\n";
    assert!(lines("foo$", text, PatternOptions::default()).is_empty());
    assert_eq!(lines("foo$", text, crlf).len(), 1);
    assert_eq!(lines("o.$", text, crlf)[0].2, ["oo"]);
    assert_eq!(lines("^$", text, crlf).len(), 0);
    assert_eq!(lines("^$", "a\r\n\r\n", crlf).len(), 1);
}

#[test]
fn words_have_edges() {
    let word = PatternOptions { word: true, ..Default::default() };
    assert_eq!(lines("foo", "foobar\na foo b\nfoo\n_foo", word).iter().map(|l| l.0).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(lines("-2", "x -2 y\na-2\n-2x", word).iter().map(|l| l.0).collect::<Vec<_>>(), [1]);
}

#[test]
fn a_fixed_text_is_not_a_pattern() {
    let fixed = PatternOptions { fixed: true, ..Default::default() };
    assert_eq!(lines("a.b(", "axb(\na.b(", fixed).len(), 1);
}

#[test]
fn across_lines_a_match_brings_all_its_lines() {
    let multiline = PatternOptions { multiline: true, ..Default::default() };
    let text = "a\nb\nc b\nc\nd\n";
    let found = lines(r"b\nc", text, multiline);
    assert_eq!(found, [(2, "b\nc b\nc".to_owned(), vec!["b\nc".to_owned(), "b\nc".to_owned()])]);
    assert_eq!(lines(r"a\n", text, multiline)[0].1, "a");
    assert_eq!(lines(r"\Aa", text, multiline).len(), 1);
    assert_eq!(lines(r"\Ab", text, multiline).len(), 0);
    assert_eq!(lines("", "x\ny\n", multiline).len(), 2);
}

#[test]
fn limits_are_kept() {
    let pattern = Pattern::new("a", PatternOptions::default()).unwrap();
    let text = "aaaaaa\n".repeat(10);
    let found = pattern.matching_lines(&text, Limits { lines: 3, matches_per_line: 2 });
    assert_eq!(found.iter().map(|line| line.line).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(found.iter().all(|line| line.matches.len() == 2));
    assert!(pattern.matching_lines(&text, Limits { lines: 0, matches_per_line: 2 }).is_empty());
}

#[test]
fn matches_lie_on_the_edges_of_characters() {
    for (_, line, matches) in lines("", "aé€😀\n", PatternOptions::default()) {
        assert_eq!((line.as_str(), matches.len()), ("aé€😀", 5));
    }
}
