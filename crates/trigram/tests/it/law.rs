//! Random patterns over random texts.

use ai_assist_trigram::{Error, Limits, Pattern, PatternOptions};
use proptest::prelude::*;

use crate::{candidate_keys, index_of};

/// A pattern by its grammar. Few letters, so that patterns and texts meet; among them all that case folding does oddly.
fn patterns() -> impl Strategy<Value = String> {
    let letter = prop_oneof![
        8 => prop::sample::select(vec!["a", "b", "c", "s", "k", "A", "S", "K"]),
        2 => prop::sample::select(vec!["ſ", "\u{212A}", "é", "É", "ß", "ẞ", "ς", "Σ", "€", " ", "_"]),
    ];
    let literal = prop::collection::vec(letter, 1..6).prop_map(|letters| letters.concat());
    let class = prop::sample::select(vec![
        ".", r"\w", r"\s", r"\d", r"\W", "[ab]", "[^a]", "[a-c]", "[s-ſ]", "[kK]", "[aé€]", r"\pL", r"(?s:.)",
        "[[:upper:]]", r"[^\x00-\x7F]", r"\p{Greek}", r"[\u{100}-\u{2200}]", r"[b\n]", r"(?-u:\w)",
        r"[^\x00-\x{10FFFF}]",
    ]);
    let look = prop::sample::select(vec!["^", "$", r"\b", r"\B", r"\A", r"\z", r"\b{start}", r"\b{end-half}"]);
    let leaf = prop_oneof![
        6 => literal,
        3 => class.prop_map(str::to_owned),
        1 => look.prop_map(|look| format!("(?:{look})")),
        1 => Just("(?:)".to_owned()),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 2..5).prop_map(|parts| parts.concat()),
            3 => prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            1 => inner.clone().prop_map(|part| format!("(?i:{part})")),
            1 => inner.clone().prop_map(|part| format!("({part})")),
            3 => (inner, prop::sample::select(vec!["?", "*", "+", "{2}", "{1,3}", "{3,}", "{0}", "*?", "{0,2}", "{10}"]))
                .prop_map(|(part, count)| format!("(?:{part}){count}")),
        ]
    })
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let text = prop_oneof![
        4 => "[abcskASK]{0,12}",
        3 => "[abcskASKſ\u{212A}éÉßẞςΣ€ _\n]{0,40}",
        1 => "([abc]{0,6}\r?\n){0,5}",
    ];
    prop::collection::vec(text, 1..12)
}

/// What a plain scan gives: each line on its own, with another engine's interface. `(line, matches)` per line.
fn plain_scan(regex: &regex::Regex, text: &str) -> Vec<(usize, Vec<std::ops::Range<usize>>)> {
    let mut found = Vec::new();
    let mut start = 0;
    for (nth, line) in text.split_terminator('\n').enumerate() {
        let matches: Vec<_> = regex.find_iter(line).map(|m| start + m.start()..start + m.end()).collect();
        if !matches.is_empty() {
            found.push((nth + 1, matches));
        }
        start += line.len() + 1;
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn the_whole_way_equals_a_plain_scan(patterns in prop::collection::vec(patterns(), 32), texts in texts(), ignore_case: bool) {
        let folder = tempfile::tempdir().unwrap();
        let index = index_of(folder.path(), &texts);
        for source in patterns {
            let pattern = match Pattern::new(&source, PatternOptions { ignore_case, ..Default::default() }) {
                Err(Error::PatternTooLarge { .. }) => continue,
                other => other.unwrap(),
            };
            let candidates = candidate_keys(&index, &pattern);
            // Each line is a text of its own to this one, so a line end is nothing that it could match.
            let plain = regex::RegexBuilder::new(&source).case_insensitive(ignore_case).multi_line(true).build().unwrap();
            for (key, text) in texts.iter().enumerate() {
                let expected = plain_scan(&plain, text);
                let found = pattern.matching_lines(text, Limits { lines: usize::MAX, matches_per_line: usize::MAX });
                let found: Vec<_> = found.into_iter().map(|line| (line.line, line.matches)).collect();
                prop_assert_eq!(&found, &expected, "pattern {:?} text {:?}", &source, text);
                prop_assert_eq!(pattern.is_match(text), !expected.is_empty(), "pattern {:?} text {:?}", &source, text);
                let held = candidates.contains(&(key as u64));
                prop_assert!(held || expected.is_empty(), "pattern {:?} plan {} lost {:?}", &source, pattern.plan, text);
            }
        }
    }

    #[test]
    fn candidates_hold_every_match_across_lines(patterns in prop::collection::vec(patterns(), 32), texts in texts()) {
        let folder = tempfile::tempdir().unwrap();
        let index = index_of(folder.path(), &texts);
        for source in patterns.iter().map(|pattern| pattern.replace(' ', r"\n")) {
            let Ok(pattern) = Pattern::new(&source, PatternOptions { multiline: true, ..Default::default() }) else { continue };
            let candidates = candidate_keys(&index, &pattern);
            let plain = regex::RegexBuilder::new(&source).multi_line(true).build().unwrap();
            for (key, text) in texts.iter().enumerate() {
                let held = candidates.contains(&(key as u64));
                prop_assert!(held || !plain.is_match(text), "pattern {:?} plan {} lost {:?}", &source, pattern.plan, text);
            }
        }
    }
}

/// The filter filters: without this, an index that always says "all" would pass every test above.
#[test]
fn most_documents_are_ruled_out_for_ordinary_patterns() {
    let texts: Vec<String> =
        (0..500u32).map(|n| format!("fn item_{n:03}() {{ call_{:03}(); }}\n", n * 7 % 500)).collect();
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path(), &texts);
    for (source, most) in [
        ("item_123", 3),
        ("(?i)ITEM_123", 3),
        (r"fn\s+item_(123|321)\b", 6),
        ("call_07[0-9]", 30),
        ("nowhere", 0),
        ("item_12.*call_8", 30),
    ] {
        let pattern = Pattern::new(source, PatternOptions::default()).unwrap();
        let (held, matching) =
            (candidate_keys(&index, &pattern).len(), texts.iter().filter(|text| pattern.is_match(text)).count());
        assert!(held <= most && held >= matching, "{source}: {held} of {matching}");
    }
}
