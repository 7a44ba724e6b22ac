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
