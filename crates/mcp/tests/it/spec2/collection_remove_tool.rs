//! Requirement: collection_remove Tool.

use serde_json::json;

use super::{category, collection, refused, shelf};
use crate::support::Bench;

/// Scenario: Remove existing collection.
#[test]
fn remove_existing_collection() {
    let bench = shelf();
    let value = bench.client().value("collection_remove", json!({ "name": "docs" }));
    assert_eq!(value, json!({ "removed": "docs" }));
    let names: Vec<String> = bench.config()["collections"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["src"]);
    assert_eq!(category(&bench, "guide")["dir"], "docs/guide", "its categories stay");
    assert!(bench.project().join("docs/guide/start.md").exists(), "its files stay");
}

/// One with a source goes the same way.
#[test]
fn remove_a_collection_with_a_source() {
    let bench = shelf();
    bench.client().value("collection_remove", json!({ "name": "src" }));
    assert!(collection(&bench, "src").is_null());
}

/// Scenario: Collection not found.
#[test]
fn collection_not_found() {
    let bench = shelf();
    let mut client = bench.client();
    let failure = refused(&bench, &mut client, "collection_remove", json!({ "name": "dosc" }), "not_found");
    assert!(failure["instruction"].as_str().unwrap().contains("Did you mean `docs`?"), "{failure}");
    // A category is no collection, and what is gone is not there.
    refused(&bench, &mut client, "collection_remove", json!({ "name": "guide" }), "not_found");
    client.value("collection_remove", json!({ "name": "docs" }));
    refused(&bench, &mut client, "collection_remove", json!({ "name": "docs" }), "not_found");
}

/// Where there is no configuration there is nothing to remove, and none is made.
#[test]
fn collection_not_found_without_configuration() {
    let bench = Bench::new();
    let (kind, _) = bench.client().failure("collection_remove", json!({ "name": "docs" }));
    assert_eq!(kind, "not_found");
    assert!(!bench.project().join("context.json").exists());
}
