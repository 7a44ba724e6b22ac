//! An agent's whole day, over the wire.

use serde_json::{Value, json};

use super::bench;
use crate::support::Client;

#[test]
fn a_day_with_a_session() {
    let bench = bench();
    let mut client = bench.client();

    // The morning: open, read, say what it is about.
    let opened = client.value("session_open", json!({ "session": "pears", "system_prompt": "You tend an orchard." }));
    assert_eq!(opened["action"], "created");
    let with = |mut arguments: Value| {
        arguments["session"] = json!("pears");
        arguments
    };
    let task = json!({ "turn": { "role": "user", "text": "Let it pick pears too." }, "request": "task" });
    client.value("session_record", with(task));
    client.value("session_read", with(json!({ "paths": ["src/lib.rs", "docs/orchard.md"] })));
    let listing =
        json!({ "tool": "ls", "args": { "path": "." }, "output": "docs\nnotes.txt\nsrc\n", "files": ["notes.txt"] });
    client.value("session_record", with(json!({ "toolcall": listing, "request": "ls-1" })));
    client.value("session_hold", with(json!({ "pin": ["src/lib.rs"], "deactivate": ["docs/orchard.md"] })));

    // Work: the file changes twice, each version is kept.
    for fruit in ["pear", "quince"] {
        bench.write("src/lib.rs", &format!("/// Picks.\npub fn pick_{fruit}() {{}}\n"));
        let read = client.value("session_read", with(json!({ "paths": ["src/lib.rs"] })));
        assert_eq!(read["files"][0]["action"], "updated");
    }
    let test = json!({ "tool": "cargo", "args": { "command": "test" }, "output": "test result: FAILED. 1 failed", "ok": false });
    let failed = client.value("session_record", with(json!({ "toolcall": test, "request": "test-1" })));

    // Did I not have this before?
    let found = client.value("session_search", with(json!({ "query": "pick_apple" })));
    let hit = &found["hits"][0];
    assert_eq!((&hit["label"], &hit["current"]), (&json!("src/lib.rs"), &json!(false)), "{found}");
    let old = client.value("session_show", with(json!({ "object": hit["id"], "version": hit["version"] })));
    assert!(old["text"].as_str().unwrap().contains("pick_apple"));
    let history = client.value("session_show", with(json!({ "object": "src/lib.rs", "view": "history" })));
    assert_eq!(history["total"], 3);
    let diff = client.value("session_show", with(json!({ "object": "src/lib.rs", "view": "diff" })));
    assert!(diff["text"].as_str().unwrap().contains("-pub fn pick_pear() {}\n+pub fn pick_quince() {}"), "{diff}");

    // Handing over.
    let rendered = client.value("session_render", with(json!({ "max_tokens": 3000 })));
    let text = rendered["text"].as_str().unwrap();
    for part in [
        "You tend an orchard.",
        "- file docs/orchard.md (markdown, 35 chars)",
        "- file notes.txt [unread]",
        "Let it pick pears too.",
        "cargo fail: test",
        "pick_quince",
        "test result: FAILED",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("Apples ripen"), "it was let go of: {text}");
    drop(client);

    // The next day, another server; the files have moved on.
    bench.write("docs/orchard.md", "# Orchard\n\nPears ripen early.\n");
    std::fs::remove_file(bench.project().join("notes.txt")).unwrap();
    let mut client: Client = bench.client();
    let opened = client.value("session_open", json!({}));
    assert_eq!((&opened["session"], &opened["action"]), (&json!("pears"), &json!("resumed")));
    assert_eq!(
        opened["files"],
        json!([{ "path": "docs/orchard.md", "now": "changed" }, { "path": "notes.txt", "now": "deleted" }])
    );
    assert_eq!(opened["counts"], json!({ "index": 5, "pool": 5, "active": 3, "pinned": 1, "turns": 1 }));
    // A request that got lost on the way is sent again, and nothing is there twice.
    let test = json!({ "tool": "cargo", "args": { "command": "test" }, "output": "test result: FAILED. 1 failed", "ok": false });
    let again = client.value("session_record", with(json!({ "toolcall": test, "request": "test-1" })));
    assert_eq!((&again["id"], &again["counts"]["index"]), (&failed["id"], &json!(5)));
    client.value("session_hold", with(json!({ "activate": ["docs/orchard.md"], "deactivate": [failed["id"]] })));
    let rendered = client.value("session_render", json!({}));
    let text = rendered["text"].as_str().unwrap();
    assert!(text.contains("Pears ripen early.") && text.contains("- file notes.txt [deleted]"), "{text}");
    assert!(!text.contains("test result: FAILED"), "{text}");
}
