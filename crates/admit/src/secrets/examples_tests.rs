//! Every rule takes the values of its examples and leaves the rest.
//!
//! Examples stand in `rules/test_examples.rs`. The value is in `«»`; `{w36}` in it stands for 36 characters of a class, made up here
//! from the rule's id, so that no value that a scanner could find, and none that was ever valid, stands in a file.

use std::collections::HashSet;

use super::rules::RULES;
use super::rules::test_examples::EXAMPLES;
use super::{find, redact};

/// The classes: `w` letters and digits, `l` small ones, `u` large ones, `a` letters only, `x` hexadecimal, `X` the same in
/// large letters, `d` digits, `b` base64, `y` base64 for URLs, `v` base32, `k` bech32, `e` the
/// same in small letters.
fn class(name: char) -> Option<&'static str> {
    Some(match name {
        'w' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        'l' => "abcdefghijklmnopqrstuvwxyz0123456789",
        'u' => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        'a' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        'x' => "0123456789abcdef",
        'X' => "0123456789ABCDEF",
        'd' => "0123456789",
        'b' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        'y' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
        'v' => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        'e' => "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
        'k' => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        _ => return None,
    })
}

/// Writes an example out: `{w36}` is filled, all else stays.
fn fill(text: &str, id: &str) -> String {
    let mut state = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (head, tail) = rest.split_at(open);
        out.push_str(head);
        let slot = tail[1..].split_once('}').and_then(|(slot, after)| {
            let name = slot.chars().next()?;
            Some((class(name)?, slot[1..].parse::<usize>().ok()?, after))
        });
        let Some((class, count, after)) = slot else {
            out.push('{');
            rest = &tail[1..];
            continue;
        };
        for _ in 0..count {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let at = (state >> 33) as usize % class.len();
            out.push(char::from(class.as_bytes()[at]));
        }
        rest = after;
    }
    out + rest
}

/// The text of an example, its value, and the text as it should be after.
fn written(rule: &str, example: &str) -> (String, String, String) {
    let text = fill(example, rule);
    let (head, tail) = text.split_once('«').expect("a value in «»");
    let (value, tail) = tail.split_once('»').expect("a value in «»");
    let breaks = "\n".repeat(value.matches('\n').count());
    (format!("{head}{value}{tail}"), value.to_owned(), format!("{head}[redacted:{rule}]{breaks}{tail}"))
}

#[test]
fn every_rule_has_examples_and_its_own_id() {
    let mut ids = HashSet::new();
    for rule in RULES.iter() {
        let examples: Vec<_> = EXAMPLES.iter().filter(|(id, ..)| *id == rule.id).collect();
        let [(_, takes, leaves)] = examples[..] else { panic!("{} has {} lines of examples", rule.id, examples.len()) };
        assert!(!takes.is_empty() && !leaves.is_empty(), "{} has no example", rule.id);
        assert!(ids.insert(rule.id), "{} is there twice", rule.id);
        let plain = rule.id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        assert!(plain && rule.id.len() <= 40, "{} is no id", rule.id);
    }
    assert!(ids.len() >= 150, "{} rules", ids.len());
    assert_eq!(ids.len(), EXAMPLES.len());
}

#[test]
fn rules_take_their_value_and_nothing_else() {
    let mut wrong = Vec::new();
    for (rule, takes, _) in EXAMPLES {
        for example in *takes {
            let (text, _, expected) = written(rule, example);
            let redacted = redact(text.clone());
            if redacted.text != expected {
                wrong.push(format!("{rule}: {text}\n    became {}", redacted.text));
            } else {
                assert_eq!(redacted.redactions.len(), 1, "{rule}");
                assert_eq!((redacted.redactions[0].rule, redacted.redactions[0].count), (*rule, 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rules_leave_stand_ins_alone() {
    let mut wrong = Vec::new();
    for (rule, _, leaves) in EXAMPLES {
        for example in *leaves {
            let text = fill(example, rule);
            let redacted = redact(text.clone());
            if redacted.text != text {
                wrong.push(format!("{rule}: {text}\n    became {}", redacted.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A text that went through once has nothing left to take, and the marker is no value itself.
#[test]
fn redacting_twice_changes_nothing() {
    let examples: Vec<_> =
        EXAMPLES.iter().flat_map(|(rule, takes, _)| takes.iter().map(move |e| written(rule, e))).collect();
    let all: String = examples.iter().map(|(text, _, _)| format!("{text}\n\n")).collect();
    let once = redact(all.clone());
    assert_eq!(once.text.lines().count(), all.lines().count());
    for (_, value, _) in &examples {
        assert!(!once.text.contains(value), "{value} leaked");
        assert!(!format!("{once:?}").contains(value));
    }
    let twice = redact(once.text.clone());
    assert_eq!(twice.text, once.text);
    assert!(twice.redactions.is_empty());
}

/// The tables speak of values in patterns only: scanned by their own rules they are clean.
#[test]
fn the_tables_are_clean_under_their_own_scan() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/secrets/rules");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        let found: Vec<_> = find(&text).iter().map(|found| (found.rule, line(found.span.start))).collect();
        assert!(found.is_empty(), "{}: {found:?}", path.display());
    }
}
