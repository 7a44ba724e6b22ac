//! Requirement: collection_update Tool.

use serde_json::json;

use super::{collection, refused, shelf, text};

/// Scenario: Add categories.
#[test]
fn add_categories() {
    let bench = shelf();
    let arguments = json!({ "name": "docs", "add_categories": ["notes", "guide", "notes"] });
    let value = bench.client().value("collection_update", arguments);
    assert_eq!(value["categories"], json!(["guide", "api", "notes"]), "after the others, each once");
    let written = json!({ "description": "All documents", "categories": ["guide", "api", "notes"] });
    assert_eq!(collection(&bench, "docs"), written);
}

/// Scenario: Remove categories.
#[test]
fn remove_categories() {
    let bench = shelf();
    let mut client = bench.client();
    let value = client.value("collection_update", json!({ "name": "docs", "remove_categories": ["guide"] }));
    assert_eq!(value["categories"], json!(["api"]));
    assert_eq!(collection(&bench, "docs")["categories"], json!(["api"]));
    client.value("collection_update", json!({ "name": "docs", "remove_categories": ["api"] }));
    assert_eq!(collection(&bench, "docs")["categories"], json!([]), "a collection may be empty");
}

/// Scenario: Add and remove categories. Removed first and then added, one that is in both lists is there, and last.
#[test]
fn add_and_remove_categories() {
    let bench = shelf();
    let arguments = json!({ "name": "docs", "add_categories": ["notes", "guide"], "remove_categories": ["guide"] });
    let value = bench.client().value("collection_update", arguments);
    assert_eq!(value["categories"], json!(["api", "notes", "guide"]));
    assert_eq!(collection(&bench, "docs")["categories"], json!(["api", "notes", "guide"]));
}

/// Scenario: Category not found for removal.
#[test]
fn category_not_found_for_removal() {
    let bench = shelf();
    let before = text(&bench);
    let arguments = json!({ "name": "docs", "remove_categories": ["none", "notes", "a b", ""] });
    let value = bench.client().value("collection_update", arguments);
    assert_eq!(value["categories"], json!(["guide", "api"]));
    assert_eq!(text(&bench), before);
}

/// Scenario: Added category doesn't exist. Then nothing is removed either.
#[test]
fn added_category_doesn_t_exist() {
    let bench = shelf();
    let arguments = json!({ "name": "docs", "add_categories": ["none"], "remove_categories": ["guide"] });
    refused(&bench, &mut bench.client(), "collection_update", arguments, "category_not_found");
}

/// The SHALL "Validate collection exists".
#[test]
fn collection_not_found() {
    let bench = shelf();
    let arguments = json!({ "name": "none", "add_categories": ["guide"] });
    refused(&bench, &mut bench.client(), "collection_update", arguments, "not_found");
}

/// A collection that has a source keeps it, and may have no categories left.
#[test]
fn a_source_stays() {
    let bench = shelf();
    bench.client().value("collection_update", json!({ "name": "src", "remove_categories": ["api"] }));
    let src = collection(&bench, "src");
    assert_eq!((&src["type"], &src["path"]), (&json!("file"), &json!("src")), "{src}");
}
