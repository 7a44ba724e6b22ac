use std::time::{Duration, Instant};

use super::*;

fn token() -> String {
    concat!("ghp_", "x7Kq2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo").to_owned()
}

#[test]
fn clean_text_is_not_copied() {
    for text in ["", "nothing here", "a password is asked for, a token: none"] {
        let text = text.to_owned();
        let at = text.as_ptr();
        let redacted = redact(text);
        assert_eq!(redacted.text.as_ptr(), at);
        assert!(redacted.redactions.is_empty());
    }
}

#[test]
fn several_values_are_counted_by_rule() {
    let text = format!("a {0}\nb {0} c\n{1}\n", token(), concat!("AKIA", "Q3EGRVJ7XY2LPDT4"));
    let redacted = redact(text);
    assert_eq!(redacted.text, "a [redacted:github-token]\nb [redacted:github-token] c\n[redacted:aws-access-key-id]\n");
    let counts: Vec<_> = redacted.redactions.iter().map(|r| (r.rule, r.count)).collect();
    assert_eq!(counts, [("aws-access-key-id", 1), ("github-token", 2)]);
}

#[test]
fn the_specific_rule_names_a_value_two_rules_find() {
    let redacted = redact(format!("api_key = \"{}\"", token()));
    assert_eq!(redacted.text, "api_key = \"[redacted:github-token]\"");
}

#[test]
fn a_token_longer_than_its_window_leaves_no_tail() {
    let part = "q7Kx2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ".repeat(400);
    let text = format!("x {} y", ["eyJ", &part, ".", "eyJ", &part, ".", &part].concat());
    let redacted = redact(text);
    // Longer than any token that was ever issued: seen or not, nothing of it may be cut in two.
    let whole = redacted.text == "x [redacted:json-web-token] y";
    assert!(whole || redacted.redactions.is_empty());
    let text = format!("x {} y", ["eyJ", &part[..900], ".", "eyJ", &part[..900], ".", &part].concat());
    assert_eq!(redact(text).text, "x [redacted:json-web-token] y");
}

#[test]
fn a_key_in_a_string_literal_or_without_an_end_is_taken() {
    let body = "MIIEowIBAAKCAQEAq7Kx2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo5Bv7Nm2Kj8Hg";
    let begin = concat!("-----BEGIN ", "PRIVATE KEY-----");
    let end = concat!("-----END ", "PRIVATE KEY-----");
    let json = redact(format!("{{\"private\": \"{begin}\\n{body}\\n{body}\\n{end}\\n\"}}"));
    assert!(!json.text.contains(&body[..20]), "{}", json.text);
    assert!(json.text.ends_with(&format!("{end}\\n\"}}")));
    let cut = redact(format!("{begin}\r\n{body}\r\n{body}\r\n"));
    assert_eq!(cut.text, format!("{begin}\r\n[redacted:private-key]\r\n\r\n"));
    let two = redact(format!("{begin}\n{body}\n{end}\n{begin}\n{body}\n{end}\n"));
    assert_eq!(two.redactions, [Redaction { rule: "private-key", count: 2 }]);
}

/// Each of these made of one thing many times over: a scan that is not linear takes minutes on one of them.
#[test]
fn hostile_text_takes_linear_time() {
    let begin = concat!("-----BEGIN ", "PRIVATE KEY-----\n");
    for part in [
        "password",
        "password=\"",
        "eyJ",
        "eyJaaaaaaaaaa.",
        "://",
        "a://b:",
        "sk-",
        "SK",
        begin,
        "TOKEN=",
        ":AA",
        "xoxb-1",
    ] {
        let text = part.repeat(4_000_000 / part.len());
        let start = Instant::now();
        redact(text);
        assert!(start.elapsed() < Duration::from_secs(20), "{part:?} took {:?}", start.elapsed());
    }
}

proptest::proptest! {
    #[test]
    fn any_text_keeps_its_lines(text in "([a-zé\r\n ]{0,12}|password = \"|ghp_x7Kq2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo|://a:|@b|\"){0,20}") {
        let redacted = redact(text.clone());
        let breaks = |t: &str| t.chars().filter(|c| matches!(c, '\n' | '\r')).collect::<String>();
        proptest::prop_assert_eq!(breaks(&redacted.text), breaks(&text));
        proptest::prop_assert_eq!(redacted.redactions.is_empty(), redacted.text == text);
    }
}
