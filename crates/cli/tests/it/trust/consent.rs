//! What a cloned project's files name outside of it counts only once its user has said so.

use serde_json::json;

use crate::mcp_server::Server;
use crate::support::Sandbox;

/// A cloned project whose files reach out of it, and what lies there.
fn cloned() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.root().join("private")).unwrap();
    std::fs::write(sandbox.root().join("private/diary.md"), "# Diary\n\nThe quince jam failed again.\n").unwrap();
    sandbox.write("docs/a.md", "# Jam\n\nQuinces are boiled.\n");
    let outside = r#"{"collections": {
        "docs": {"type": "file", "path": "docs"},
        "diary": {"type": "file", "path": "../private"}
    }}"#;
    sandbox.write("context.json", outside);
    let workspace = r#"{"schemaVersion": 1, "name": "w", "cacheRoot": "../outside",
        "repos": [{"root": "."}, {"root": "../private", "alias": "diary-repo"}]}"#;
    sandbox.write(".ai-assist-workspace.jsonc", workspace);
    sandbox
}

#[test]
fn a_cloned_repositorys_files_do_not_decide_what_is_read_and_written_outside() {
    let sandbox = cloned();
    let synced = sandbox.run(&["sync"]);
    assert_eq!(synced.code(), 1, "{}", synced.stderr());
    assert!(synced.stderr().contains("config allow"), "{}", synced.stderr());
    let built = sandbox.run(&["workspace", "build"]);
    assert!(built.code() < 2, "{}", built.stderr());
    sandbox.run(&["workspace", "manifest"]);
    sandbox.run(&["workspace", "search", "quince"]);
    assert!(!sandbox.root().join("outside").exists(), "nothing is written there");
    for args in [&["search", "quince jam"][..], &["search", "--regex", "quince"], &["workspace", "search", "quince"]] {
        let found = sandbox.run(args);
        assert!(!found.stdout().contains("failed again"), "{args:?}: {}", found.stdout());
    }
    assert!(sandbox.run(&["search", "quinces"]).stdout().contains("boiled"), "the rest works");
    let allowed = sandbox.json(&["config", "allow", "--all"]);
    assert_eq!(allowed["refused"], json!([]), "{allowed}");
    sandbox.run(&["sync"]).assert_code(0);
    assert!(sandbox.run(&["search", "quince jam"]).stdout().contains("failed again"));
    sandbox.run(&["workspace", "manifest"]);
    assert!(sandbox.root().join("outside").exists(), "it may be written there now");
    let private = sandbox.root().join("private").display().to_string();
    sandbox.run(&["config", "allow", "--remove", &private]).assert_code(0);
    assert!(!sandbox.run(&["search", "quince jam"]).stdout().contains("failed again"));
}

#[test]
fn a_repositorys_cache_outside_of_it_needs_consent() {
    let sandbox = Sandbox::new();
    sandbox.write("src/jam.rs", "/// Boils quinces.\npub fn boil_quinces() {}\n");
    let elsewhere = sandbox.root().join("elsewhere");
    sandbox.write(".ai-assist.json", json!({ "cache": { "root": elsewhere } }).to_string());
    let built = sandbox.run(&["index", "build"]);
    assert_eq!(built.code(), 2, "{}", built.stderr());
    assert!(built.stderr().contains("config allow") && !elsewhere.exists(), "{}", built.stderr());
    let allowed = sandbox.json(&["config", "allow", "--all"]);
    assert_eq!(allowed["refused"], json!([]), "{allowed}");
    sandbox.run(&["index", "build"]).assert_code(0);
    assert!(elsewhere.is_dir(), "it may be written there now");
    assert!(sandbox.run(&["search", "boil_quinces"]).stdout().contains("src/jam.rs"));
    sandbox.run(&["config", "allow", "--remove", elsewhere.to_str().unwrap()]).assert_code(0);
    assert_eq!(sandbox.run(&["index", "build"]).code(), 2);
}

#[test]
fn what_one_repository_says_wrong_about_itself_does_not_stop_the_others() {
    let sandbox = Sandbox::new();
    sandbox.write("a/src/jam.rs", "pub fn boil_quinces() {}\n");
    sandbox.write("b/src/tea.rs", "pub fn steep_leaves() {}\n");
    let workspace = r#"{"schemaVersion": 1, "name": "w", "repos": [{"root": "a"}, {"root": "b"}]}"#;
    sandbox.write(".ai-assist-workspace.jsonc", workspace);
    sandbox.run(&["workspace", "build"]).assert_code(0);
    sandbox.write("b/.ai-assist.json", r#"{"cache": {"root": "/etc"}}"#);
    for args in
        [&["search", "boil_quinces"][..], &["search", "--regex", "boil_q"], &["search", "--symbol", "boil_quinces"]]
    {
        let found = sandbox.run(args);
        assert!(found.stdout().contains("jam.rs"), "{args:?}: {} {}", found.stdout(), found.stderr());
    }
}

#[test]
fn an_agent_can_not_sync_what_lies_outside() {
    let sandbox = cloned();
    let mut server = Server::start(&sandbox, &["--project", sandbox.project().to_str().unwrap()]);
    let synced = server.call("collection_sync", json!({}));
    assert!(synced.to_string().contains("outside of the project"), "{synced}");
    let found = server.call("search", json!({ "query": "quince jam" }));
    assert!(!found.to_string().contains("failed again"), "{found}");
}

#[test]
fn what_the_user_adds_is_allowed() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.root().join("beside")).unwrap();
    std::fs::write(sandbox.root().join("beside/a.md"), "# Jam\n\nQuinces are boiled.\n").unwrap();
    sandbox.run(&["collections", "init"]).assert_code(0);
    sandbox.run(&["collections", "add", "beside", "../beside"]).assert_code(0);
    sandbox.sync();
    assert!(sandbox.run(&["search", "quinces"]).stdout().contains("boiled"));
}
