//! Requirement: Session Integration.

use ai_assist_mcp::{Options, Pin, Server};
use serde_json::json;

use super::{SHELF, calls, collection, edits, shelf, text};
use crate::support::Client;

/// All tools, and no project.
fn unpinned() -> Options {
    Options { pin: None, tools: "all".parse().unwrap(), read_only: false, ..Options::default() }
}

/// Scenario: Active session. The project that the server is pinned to.
#[test]
fn active_session() {
    for (tool, arguments) in edits() {
        let (ours, other) = (shelf(), shelf());
        ours.client().value(tool, arguments);
        assert_ne!(text(&ours), SHELF, "{tool}");
        assert_eq!(text(&other), SHELF, "{tool}");
    }
}

/// Scenario: Active session. The project that the call names.
#[test]
fn active_session_by_argument() {
    for (tool, mut arguments) in edits() {
        let (ours, other) = (shelf(), shelf());
        arguments["project"] = json!(ours.project());
        other.client_with(unpinned()).value(tool, arguments);
        assert_ne!(text(&ours), SHELF, "{tool}");
        assert_eq!(text(&other), SHELF, "{tool}");
    }
}

/// Scenario: Active session. The project that is the client's root.
#[test]
fn active_session_by_root() {
    let bench = shelf();
    let mut client = Client::raw(Server::new(bench.machine(), unpinned()));
    client.handshake(json!({ "roots": {} }));
    client.roots = json!({ "roots": [{ "uri": format!("file://{}", bench.project().display()) }] });
    client.value("collection_add", json!({ "name": "new" }));
    assert_eq!(collection(&bench, "new"), json!({ "categories": [] }));
}

/// Scenario: Active session. From a folder below, the configuration above is the project's.
#[test]
fn active_session_in_a_folder_below() {
    let bench = shelf();
    let mut client = bench.client_with(Options { pin: Some(Pin(bench.project().join("docs/guide"))), ..unpinned() });
    client.value("category_add", json!({ "name": "more", "dir": "docs" }));
    client.value("collection_add", json!({ "name": "new", "categories": ["guide", "more"] }));
    assert_eq!(collection(&bench, "new"), json!({ "categories": ["guide", "more"] }));
    assert!(!bench.project().join("docs/guide/context.json").exists());
}

/// What a person changes in the file meanwhile holds at once.
#[test]
fn the_configuration_is_never_an_old_one() {
    let bench = shelf();
    let mut client = bench.client();
    client.value("collection_list", json!({}));
    bench.write("context.json", r#"{"collections": {"by-hand": {"categories": []}}}"#);
    let listed = client.value("collection_list", json!({}));
    assert_eq!(listed["collections"][0]["name"], "by-hand", "{listed}");
    client.value("collection_add", json!({ "name": "new" }));
    assert_eq!(bench.config()["collections"].as_object().unwrap().len(), 2);
}

/// Scenario: No active session.
#[test]
fn no_active_session() {
    let bench = shelf();
    let mut client = bench.client_with(unpinned());
    for (tool, arguments) in calls() {
        let (kind, failure) = client.failure(tool, arguments);
        assert_eq!(kind, "no_session", "{tool}: {failure}");
        assert!(failure["instruction"].as_str().unwrap().contains("`project`"), "{failure}");
    }
    assert_eq!(text(&bench), SHELF);
    let here = std::env::current_dir().unwrap();
    assert!(!here.join("context.json").exists(), "nothing is guessed from the server's own folder");
}
