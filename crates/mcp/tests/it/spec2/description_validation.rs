//! Requirement: Description Validation. The rule is the same for every tool that takes a description.

use serde_json::{Value, json};

use super::{category, collection, refused, shelf};

/// The calls that give a description, to things that are there or are made.
fn calls(description: &str) -> [(&'static str, Value); 4] {
    [
        ("collection_add", json!({ "name": "new", "description": description })),
        ("collection_change", json!({ "name": "docs", "description": description })),
        ("category_add", json!({ "name": "more", "description": description })),
        ("category_change", json!({ "name": "api", "description": description })),
    ]
}

/// Scenario: Valid description.
#[test]
fn valid_description() {
    let longest = "é".repeat(500);
    for description in ["Plain", "名前 \u{1f333} — «ok» `code` \\ / <b> \u{2019}", longest.as_str()] {
        let bench = shelf();
        let mut client = bench.client();
        for (tool, arguments) in calls(description) {
            assert_eq!(client.value(tool, arguments)["description"], description, "{tool}");
        }
        assert_eq!(collection(&bench, "new")["description"], description);
        assert_eq!(category(&bench, "api")["description"], description);
    }
}

/// Scenario: Description too long. Characters count, not bytes.
#[test]
fn description_too_long() {
    let bench = shelf();
    let mut client = bench.client();
    for description in ["x".repeat(501), "é".repeat(501), "x".repeat(100_000)] {
        for (tool, arguments) in calls(&description) {
            let failure = refused(&bench, &mut client, tool, arguments, "description_too_long");
            let error = failure["error"].as_str().unwrap();
            assert!(error.contains(&description.chars().count().to_string()) && error.contains("500"), "{failure}");
        }
    }
}

/// Scenario: Contains quotes.
#[test]
fn contains_quotes() {
    let bench = shelf();
    let mut client = bench.client();
    for (description, shown) in [("it's", "`'`"), ("a \"word\"", "`\"`"), ("\"", "`\"`")] {
        for (tool, arguments) in calls(description) {
            let failure = refused(&bench, &mut client, tool, arguments, "invalid_characters");
            assert!(failure["error"].as_str().unwrap().contains(shown), "{failure}");
        }
    }
}

/// The SHALL "Valid Unicode characters": what controls a terminal or a line is none of a description.
#[test]
fn contains_control_characters() {
    let bench = shelf();
    let mut client = bench.client();
    for (description, shown) in
        [("a\nb", "U+000A"), ("a\u{0}", "U+0000"), ("\u{1b}[31m", "U+001B"), ("\u{85}", "U+0085")]
    {
        for (tool, arguments) in calls(description) {
            let failure = refused(&bench, &mut client, tool, arguments, "invalid_characters");
            assert!(failure["error"].as_str().unwrap().contains(shown), "{failure}");
        }
    }
}

/// Half of a surrogate pair is no character at all; such a message never gets as far as a tool, and nothing is written.
#[test]
fn contains_half_a_character() {
    let bench = shelf();
    let before = super::text(&bench);
    let mut client = bench.client();
    client.send_line(
        r#"{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"collection_add","arguments":{"name":"new","description":"\ud800"}}}"#,
    );
    let id = client.start("tools/call", json!({ "name": "collection_list", "arguments": {} }));
    let answer = loop {
        let message = client.receive().unwrap();
        if message["id"] == id {
            break message;
        }
        assert!(message["error"].is_object(), "{message}");
    };
    assert_eq!(answer["result"]["structuredContent"]["success"], true, "the server goes on: {answer}");
    assert_eq!(super::text(&bench), before);
}

/// Scenario: Empty description allowed.
#[test]
fn empty_description_allowed() {
    for arguments in [
        json!({ "name": "new", "description": "" }),
        json!({ "name": "new" }),
        json!({ "name": "new", "description": null }),
    ] {
        let bench = shelf();
        let mut client = bench.client();
        for tool in ["collection_add", "category_add"] {
            let value = client.value(tool, arguments.clone());
            assert!(value.get("description").is_none(), "{tool}: {value}");
        }
        assert_eq!(collection(&bench, "new"), json!({ "categories": [] }));
        assert!(category(&bench, "new").get("description").is_none());
    }
}
