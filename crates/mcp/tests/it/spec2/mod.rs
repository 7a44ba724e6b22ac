//! The specification of the collection tools: a file for each requirement, a test for each scenario, named after it. Where a
//! scenario has more sides than its title says, tests beside it are named after those.

use serde_json::{Value, json};

use crate::support::{Bench, Client};

mod categories;
mod category_folders;
mod category_reference_validation;
mod change_vs_update_semantics;
mod collection_add_tool;
mod collection_change_tool;
mod collection_name_validation;
mod collection_remove_tool;
mod collection_update_tool;
mod configuration_persistence;
mod description_validation;
mod result_pattern_responses;
mod session_integration;
mod tool_argument_schemas;

/// What [`shelf`] declares.
const SHELF: &str = r#"{
  "collections": {
    "docs": { "description": "All documents", "categories": ["guide", "api"] },
    "src": { "type": "file", "path": "src", "glob": "**/*.md", "categories": ["api"] }
  },
  "categories": {
    "guide": { "dir": "docs/guide", "patterns": ["**/*.md"] },
    "api": { "dir": "docs/api", "patterns": ["*.txt", "*.md"], "description": "Calls" },
    "notes": { "dir": "notes", "patterns": ["**/*.md"] }
  }
}
"#;

/// A project with three categories, a collection of two of them, and one that has a source and a category.
fn shelf() -> Bench {
    let bench = Bench::new();
    bench.write("docs/guide/start.md", "# Start\n");
    bench.write("docs/api/calls.txt", "The calls.\n");
    bench.write("notes/one.md", "# One\n");
    bench.write("src/code.md", "# Code\n");
    bench.write("context.json", SHELF);
    bench
}

/// A call of every tool that edits. Each of them does well on [`shelf`].
fn edits() -> Vec<(&'static str, Value)> {
    vec![
        ("collection_add", json!({ "name": "new", "categories": ["notes"] })),
        ("collection_remove", json!({ "name": "docs" })),
        ("collection_change", json!({ "name": "docs", "description": "Other" })),
        ("collection_update", json!({ "name": "docs", "add_categories": ["notes"] })),
        ("category_add", json!({ "name": "more" })),
        ("category_remove", json!({ "name": "notes" })),
        ("category_change", json!({ "name": "notes", "description": "Other" })),
        ("category_update", json!({ "name": "notes", "add_patterns": ["*.txt"] })),
    ]
}

/// The same, and the tools that list.
fn calls() -> Vec<(&'static str, Value)> {
    let lists = [("collection_list", json!({})), ("category_list", json!({}))];
    edits().into_iter().chain(lists).collect()
}

/// The text of the configuration.
fn text(bench: &Bench) -> String {
    std::fs::read_to_string(bench.project().join("context.json")).unwrap()
}

fn collection(bench: &Bench, name: &str) -> Value {
    bench.config()["collections"][name].clone()
}

fn category(bench: &Bench, name: &str) -> Value {
    bench.config()["categories"][name].clone()
}

/// Makes a call that must fail in the given way and leave the configuration as it is, and gives the failure.
#[track_caller]
fn refused(bench: &Bench, client: &mut Client, tool: &str, arguments: Value, kind: &str) -> Value {
    let before = text(bench);
    let (found, failure) = client.failure(tool, arguments.clone());
    assert_eq!(found, kind, "{tool} {arguments}: {failure}");
    assert_eq!(text(bench), before, "{tool} {arguments} wrote something");
    failure
}
