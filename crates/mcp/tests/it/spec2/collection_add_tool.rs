//! Requirement: collection_add Tool.

use serde_json::json;

use super::{collection, refused, shelf};
use crate::support::Bench;

/// Scenario: Create collection with minimal args.
#[test]
fn create_collection_with_minimal_args() {
    let bench = shelf();
    let value = bench.client().value("collection_add", json!({ "name": "new" }));
    assert_eq!(value, json!({ "name": "new", "categories": [] }));
    assert_eq!(collection(&bench, "new"), json!({ "categories": [] }));
}

/// The first collection of a project makes its configuration.
#[test]
fn create_collection_in_a_project_without_configuration() {
    let bench = Bench::new();
    bench.client().value("collection_add", json!({ "name": "first" }));
    assert_eq!(bench.config()["collections"], json!({ "first": { "categories": [] } }));
}

/// Scenario: Create collection with categories.
#[test]
fn create_collection_with_categories() {
    let bench = shelf();
    let arguments = json!({ "name": "new", "description": "Both", "categories": ["notes", "guide", "notes"] });
    let value = bench.client().value("collection_add", arguments);
    assert_eq!(value, json!({ "name": "new", "description": "Both", "categories": ["notes", "guide"] }));
    let written = json!({ "description": "Both", "categories": ["notes", "guide"] });
    assert_eq!(collection(&bench, "new"), written, "in their order, each once");
}

/// What was added can be indexed, listed and read at once.
#[test]
fn a_created_collection_works() {
    let bench = shelf();
    let mut client = bench.client();
    client.value("collection_add", json!({ "name": "new", "categories": ["guide", "api"] }));
    client.value("collection_sync", json!({ "collections": ["new"] }));
    let listed = client.value("collection_list", json!({}));
    let new = listed["collections"].as_array().unwrap().iter().find(|entry| entry["name"] == "new").unwrap();
    assert_eq!((&new["status"], &new["documents"]), (&json!("synced"), &json!(2)), "{listed}");
    let read = client.value("get_document", json!({ "document": "new/start.md" }));
    assert!(read.to_string().contains("# Start"), "{read}");
}

/// Scenario: Collection already exists.
#[test]
fn collection_already_exists() {
    let bench = shelf();
    let mut client = bench.client();
    for name in ["docs", "src"] {
        let failure = refused(&bench, &mut client, "collection_add", json!({ "name": name }), "already_exists");
        assert!(failure["error"].as_str().unwrap().contains(name), "{failure}");
        assert!(failure["instruction"].as_str().unwrap().contains("collection_update"), "{failure}");
    }
}

/// A category and a collection may have the same name.
#[test]
fn the_name_of_a_category_is_free() {
    let bench = shelf();
    bench.client().value("collection_add", json!({ "name": "guide", "categories": ["guide"] }));
    assert_eq!(collection(&bench, "guide"), json!({ "categories": ["guide"] }));
}

/// Scenario: Invalid name.
#[test]
fn invalid_name() {
    let bench = shelf();
    let mut client = bench.client();
    for name in ["", "a b", "-a", "a_", "é", "a/b", "../x", "a\u{0}"] {
        refused(&bench, &mut client, "collection_add", json!({ "name": name }), "invalid_name");
    }
}

/// Scenario: Category doesn't exist.
#[test]
fn category_doesn_t_exist() {
    let bench = shelf();
    let arguments = json!({ "name": "new", "categories": ["guide", "none"] });
    let failure = refused(&bench, &mut bench.client(), "collection_add", arguments, "category_not_found");
    assert!(failure["error"].as_str().unwrap().contains("`none`"), "{failure}");
    assert!(failure["instruction"].as_str().unwrap().contains("category_add"), "{failure}");
}
