//! Requirement: Category Reference Validation. The rule is the same for every tool that takes names of categories.

use serde_json::{Value, json};

use super::{refused, shelf};
use crate::support::Bench;

/// The calls that name categories.
fn calls(categories: &[&str]) -> [(&'static str, Value); 3] {
    [
        ("collection_add", json!({ "name": "new", "categories": categories })),
        ("collection_change", json!({ "name": "docs", "categories": categories })),
        ("collection_update", json!({ "name": "src", "add_categories": categories })),
    ]
}

/// Scenario: All categories exist.
#[test]
fn all_categories_exist() {
    let bench = shelf();
    let mut client = bench.client();
    for (tool, arguments) in calls(&["api", "guide", "notes"]) {
        let value = client.value(tool, arguments);
        assert_eq!(value["categories"], json!(["api", "guide", "notes"]), "{tool}");
    }
}

/// Scenario: Category doesn't exist.
#[test]
fn category_doesn_t_exist() {
    let bench = shelf();
    let mut client = bench.client();
    for name in ["none", "Guide", "guide ", "docs", "", "../guide", "a\u{0}"] {
        for (tool, arguments) in calls(&["guide", name]) {
            refused(&bench, &mut client, tool, arguments, "category_not_found");
        }
    }
}

/// Scenario: Multiple missing categories.
#[test]
fn multiple_missing_categories() {
    let bench = shelf();
    let mut client = bench.client();
    for (tool, arguments) in calls(&["one", "guide", "two", "one", "three"]) {
        let failure = refused(&bench, &mut client, tool, arguments, "category_not_found");
        assert_eq!(
            failure["error"], "these categories are not in the configuration: `one`, `two`, `three`",
            "all of them, each once, and only them"
        );
        assert!(failure["instruction"].as_str().unwrap().contains("category_list"), "{failure}");
    }
}

/// Where there are none at all, the way out is to make some.
#[test]
fn no_categories_at_all() {
    let bench = Bench::new();
    let (kind, failure) = bench.client().failure("collection_add", json!({ "name": "new", "categories": ["guide"] }));
    assert_eq!(kind, "category_not_found");
    assert!(failure["instruction"].as_str().unwrap().contains("category_add"), "{failure}");
    assert!(!bench.project().join("context.json").exists());
}

/// What is made and removed counts at once.
#[test]
fn what_exists_is_what_the_file_says_now() {
    let bench = shelf();
    let mut client = bench.client();
    client.value("category_add", json!({ "name": "fresh" }));
    client.value("collection_update", json!({ "name": "docs", "add_categories": ["fresh"] }));
    client.value("category_remove", json!({ "name": "fresh" }));
    let arguments = json!({ "name": "docs", "add_categories": ["fresh"] });
    refused(&bench, &mut client, "collection_update", arguments, "category_not_found");
}
