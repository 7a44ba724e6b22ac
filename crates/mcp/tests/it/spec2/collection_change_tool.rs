//! Requirement: collection_change Tool.

use serde_json::json;

use super::{collection, refused, shelf, text};

/// Scenario: Rename collection.
#[test]
fn rename_collection() {
    let bench = shelf();
    let value = bench.client().value("collection_change", json!({ "name": "docs", "new_name": "texts" }));
    assert_eq!(value, json!({ "name": "texts", "description": "All documents", "categories": ["guide", "api"] }));
    assert!(collection(&bench, "docs").is_null());
    assert_eq!(collection(&bench, "texts")["categories"], json!(["guide", "api"]));
    let after = text(&bench);
    assert!(after.find("\"texts\"").unwrap() < after.find("\"src\"").unwrap(), "in its place: {after}");
}

/// Its own name is no conflict.
#[test]
fn rename_collection_to_its_own_name() {
    let bench = shelf();
    let before = text(&bench);
    bench.client().value("collection_change", json!({ "name": "docs", "new_name": "docs" }));
    assert_eq!(text(&bench), before);
}

/// Scenario: Replace categories.
#[test]
fn replace_categories() {
    let bench = shelf();
    let mut client = bench.client();
    let value = client.value("collection_change", json!({ "name": "docs", "categories": ["notes", "guide"] }));
    assert_eq!(value["categories"], json!(["notes", "guide"]));
    assert_eq!(collection(&bench, "docs"), json!({ "description": "All documents", "categories": ["notes", "guide"] }));
    let value = client.value("collection_change", json!({ "name": "docs", "categories": [] }));
    assert_eq!(value["categories"], json!([]));
    assert_eq!(collection(&bench, "docs")["categories"], json!([]));
}

/// A source stays whatever becomes of the categories.
#[test]
fn replace_categories_beside_a_source() {
    let bench = shelf();
    let arguments = json!({ "name": "src", "new_name": "code", "categories": ["guide"], "description": "Code" });
    let value = bench.client().value("collection_change", arguments);
    assert!(value["source"].as_str().unwrap().contains("src"), "{value}");
    let expected = json!({
        "type": "file", "path": "src", "glob": "**/*.md", "categories": ["guide"], "description": "Code",
    });
    assert_eq!(collection(&bench, "code"), expected);
}

/// Scenario: Clear description.
#[test]
fn clear_description() {
    let bench = shelf();
    let mut client = bench.client();
    client.value("collection_change", json!({ "name": "docs", "description": "Other" }));
    assert_eq!(collection(&bench, "docs")["description"], "Other");
    let value = client.value("collection_change", json!({ "name": "docs", "description": "" }));
    assert!(value.get("description").is_none(), "{value}");
    assert_eq!(collection(&bench, "docs"), json!({ "categories": ["guide", "api"] }));
    // There is nothing left to clear, and that is no fault.
    client.value("collection_change", json!({ "name": "docs", "description": "" }));
}

/// Scenario: New name conflicts.
#[test]
fn new_name_conflicts() {
    let bench = shelf();
    let arguments = json!({ "name": "docs", "new_name": "src", "description": "Other" });
    let failure = refused(&bench, &mut bench.client(), "collection_change", arguments, "name_conflict");
    assert!(failure["error"].as_str().unwrap().contains("`src`"), "{failure}");
}

/// The new name follows the rule of names.
#[test]
fn new_name_is_invalid() {
    let bench = shelf();
    for name in ["", "a b", "-a"] {
        let arguments = json!({ "name": "docs", "new_name": name });
        refused(&bench, &mut bench.client(), "collection_change", arguments, "invalid_name");
    }
}

/// Scenario: Category doesn't exist.
#[test]
fn category_doesn_t_exist() {
    let bench = shelf();
    let arguments = json!({ "name": "docs", "new_name": "texts", "categories": ["guide", "none"] });
    refused(&bench, &mut bench.client(), "collection_change", arguments, "category_not_found");
}

/// The SHALL "Validate collection exists".
#[test]
fn collection_not_found() {
    let bench = shelf();
    let arguments = json!({ "name": "none", "new_name": "x", "categories": ["none"] });
    refused(&bench, &mut bench.client(), "collection_change", arguments, "not_found");
}
