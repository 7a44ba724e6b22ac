//! Requirement: Change vs Update Semantics.

use serde_json::json;

use super::{category, collection, refused, shelf};

/// Scenario: Change replaces categories.
#[test]
fn change_replaces_categories() {
    let bench = shelf();
    bench.client().value("collection_change", json!({ "name": "docs", "categories": ["notes"] }));
    assert_eq!(collection(&bench, "docs")["categories"], json!(["notes"]));
    bench.client().value("category_change", json!({ "name": "api", "patterns": ["*.rst"] }));
    assert_eq!(category(&bench, "api")["patterns"], json!(["*.rst"]));
}

/// Scenario: Update adds categories.
#[test]
fn update_adds_categories() {
    let bench = shelf();
    bench.client().value("collection_update", json!({ "name": "docs", "add_categories": ["notes"] }));
    assert_eq!(collection(&bench, "docs")["categories"], json!(["guide", "api", "notes"]));
    bench.client().value("category_update", json!({ "name": "api", "add_patterns": ["*.rst"] }));
    assert_eq!(category(&bench, "api")["patterns"], json!(["*.txt", "*.md", "*.rst"]));
}

/// Scenario: Update removes categories.
#[test]
fn update_removes_categories() {
    let bench = shelf();
    bench.client().value("collection_update", json!({ "name": "docs", "remove_categories": ["guide"] }));
    assert_eq!(collection(&bench, "docs")["categories"], json!(["api"]));
    bench.client().value("category_update", json!({ "name": "api", "remove_patterns": ["*.txt"] }));
    assert_eq!(category(&bench, "api")["patterns"], json!(["*.md"]));
}

/// The SHALL "Cannot rename (use change for that)", and what each of the two does not take.
#[test]
fn each_takes_only_its_own_arguments() {
    let bench = shelf();
    let mut client = bench.client();
    for (tool, argument, value) in [
        ("collection_update", "new_name", json!("other")),
        ("collection_update", "categories", json!(["notes"])),
        ("collection_update", "description", json!("Other")),
        ("collection_change", "add_categories", json!(["notes"])),
        ("collection_change", "remove_categories", json!(["guide"])),
        ("category_update", "new_name", json!("other")),
        ("category_update", "patterns", json!(["*"])),
        ("category_change", "add_patterns", json!(["*"])),
    ] {
        let name = if tool.starts_with("collection") { "docs" } else { "guide" };
        let arguments = json!({ "name": name, argument: value });
        let failure = refused(&bench, &mut client, tool, arguments, "validation_error");
        assert_eq!(failure["field"], argument, "{tool}: {failure}");
    }
}
