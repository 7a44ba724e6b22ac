//! Requirement: Collection Name Validation.

use serde_json::json;

use super::{collection, refused, shelf};

/// Scenario: Valid name.
#[test]
fn valid_name() {
    let bench = shelf();
    let mut client = bench.client();
    let longest = "x".repeat(30);
    for name in ["my-collection_123", "a", "7", "A-_b", longest.as_str()] {
        client.value("collection_add", json!({ "name": name }));
        assert_eq!(collection(&bench, name), json!({ "categories": [] }), "{name}");
    }
}

/// The message and the instruction that a name leads to.
#[track_caller]
fn said(name: &str) -> String {
    let bench = shelf();
    let mut client = bench.client();
    refused(&bench, &mut client, "collection_change", json!({ "name": "docs", "new_name": name }), "invalid_name");
    let failure = refused(&bench, &mut client, "collection_add", json!({ "name": name }), "invalid_name");
    let instruction = failure["instruction"].as_str().unwrap();
    assert!(instruction.contains("1 to 30 letters, digits, `-` and `_`"), "{failure}");
    failure["error"].as_str().unwrap().to_owned()
}

/// Scenario: Invalid characters.
#[test]
fn invalid_characters() {
    for name in
        ["my collection", "a.b", "a/b", "a\\b", "a:b", "ä", "名前", "a\tb", "a\nb", "a\u{0}b", "a\u{202e}b", "%41"]
    {
        let error = said(name);
        assert!(error.contains("only letters, digits, `-` and `_` are allowed"), "{name:?}: {error}");
    }
}

/// Scenario: Name too long.
#[test]
fn name_too_long() {
    for length in [31, 32, 1_000, 100_000] {
        let error = said(&"x".repeat(length));
        assert!(error.contains("it has more than 30 characters"), "{error}");
        assert!(error.len() < 400, "it is not repeated in full: {} bytes", error.len());
    }
}

/// The SHALL "Length between 1 and 30 characters".
#[test]
fn name_too_short() {
    assert!(said("").contains("it is empty"));
}

/// The SHALL "No leading or trailing hyphens or underscores".
#[test]
fn leading_or_trailing_hyphens_or_underscores() {
    for name in ["-a", "a-", "_a", "a_", "-", "_", "--", "-a_"] {
        let error = said(name);
        assert!(error.contains("it must start and end with a letter or a digit"), "{name}: {error}");
    }
}

/// A name that a person wrote against the rule can be worked with, and renamed.
#[test]
fn a_name_written_by_hand_can_be_changed() {
    let bench = shelf();
    bench.write("context.json", r#"{"collections": {"our docs": {"categories": []}}}"#);
    let mut client = bench.client();
    client.value("collection_change", json!({ "name": "our docs", "description": "Ours" }));
    client.value("collection_change", json!({ "name": "our docs", "new_name": "ours" }));
    assert_eq!(bench.config()["collections"], json!({ "ours": { "categories": [], "description": "Ours" } }));
}
