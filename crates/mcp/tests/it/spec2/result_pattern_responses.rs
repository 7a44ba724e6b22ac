//! Requirement: Result Pattern Responses. That both forms of an answer say the same is checked in every call of the test client.

use serde_json::{Value, json};

use super::{calls, edits, shelf};

/// The keys of an answer.
fn keys(answer: &Value) -> Vec<&str> {
    answer.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Scenario: Success response.
#[test]
fn success_response() {
    for (tool, arguments) in calls() {
        let bench = shelf();
        let answer = bench.client().call(tool, arguments);
        assert_eq!(answer["success"], true, "{tool}: {answer}");
        assert!(answer["value"].is_object(), "{tool}: {answer}");
        let known = ["success", "value", "message"];
        assert!(keys(&answer).iter().all(|key| known.contains(key)), "{tool}: {answer}");
        assert!(answer.get("message").is_none_or(|message| !message.as_str().unwrap().is_empty()), "{tool}: {answer}");
    }
}

/// The value of an edit is what the configuration says afterwards, or what is gone.
#[test]
fn success_response_confirms() {
    for (tool, arguments) in edits() {
        let bench = shelf();
        let value = bench.client().value(tool, arguments.clone());
        let name = arguments["name"].as_str().unwrap();
        if tool.ends_with("_remove") {
            assert_eq!(value["removed"], name, "{tool}");
            continue;
        }
        let kind = if tool.starts_with("collection") { "collections" } else { "categories" };
        let written = &bench.config()[kind][name];
        assert_eq!(value["name"], name, "{tool}");
        for (key, said) in written.as_object().unwrap() {
            assert_eq!(&value[key], said, "{tool}: {key}");
        }
    }
}

/// Scenario: Validation failure.
#[test]
fn validation_failure() {
    let bench = shelf();
    let mut client = bench.client();
    let long = "x".repeat(501);
    for (tool, arguments, expected) in [
        ("collection_add", json!({ "name": "a b" }), "invalid_name"),
        ("collection_add", json!({ "name": "docs" }), "already_exists"),
        ("collection_add", json!({ "name": "new", "description": long }), "description_too_long"),
        ("collection_add", json!({ "name": "new", "description": "it's" }), "invalid_characters"),
        ("collection_add", json!({ "name": "new", "categories": ["none"] }), "category_not_found"),
        ("collection_add", json!({ "name": 3 }), "validation_error"),
        ("collection_change", json!({ "name": "docs", "new_name": "src" }), "name_conflict"),
        ("category_add", json!({ "name": "new", "dir": ".." }), "validation_error"),
    ] {
        let (kind, failure) = client.failure(tool, arguments);
        assert_eq!(kind, expected, "{tool}: {failure}");
        let known = ["success", "error", "error_type", "instruction", "field", "expected"];
        assert!(keys(&failure).iter().all(|key| known.contains(key)), "{tool}: {failure}");
        let instruction = failure["instruction"].as_str().unwrap();
        assert!(instruction.ends_with('.') && instruction.len() > 20, "{tool}: {failure}");
        assert_eq!(failure.get("field").is_some(), expected == "validation_error", "{tool}: {failure}");
    }
}

/// Scenario: Not found error.
#[test]
fn not_found_error() {
    let bench = shelf();
    let mut client = bench.client();
    for tool in ["remove", "change", "update"] {
        for kind in ["collection", "category"] {
            let (found, failure) = client.failure(&format!("{kind}_{tool}"), json!({ "name": "nothing-like-it" }));
            assert_eq!(found, "not_found", "{failure}");
            assert_eq!(failure["error"], format!("there is no {kind} `nothing-like-it`"));
            assert!(failure["instruction"].as_str().unwrap().contains(&format!("{kind}_list")), "{failure}");
        }
    }
}
