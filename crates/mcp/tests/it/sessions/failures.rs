//! Every way to fail, told with a way on.

use serde_json::{Value, json};

use super::{bench, listed, opened};
use crate::support::Client;

/// Fails in this way and points to this: a tool by how a call of it begins.
fn fails(client: &mut Client, tool: &str, arguments: Value, kind: &str, way: &str) -> Value {
    let way = way.strip_suffix('`').unwrap_or(way);
    let (found, answer) = client.failure(tool, arguments.clone());
    assert_eq!(found, kind, "{tool} {arguments}: {answer}");
    assert!(answer["instruction"].as_str().unwrap().contains(way), "{tool} {arguments}: {answer}");
    answer
}

#[test]
fn without_a_session_each_tool_says_how_to_get_one() {
    let bench = bench();
    let mut client = bench.client();
    for (tool, arguments) in [
        ("session_list", json!({})),
        ("session_read", json!({ "paths": ["notes.txt"] })),
        ("session_record", json!({ "turn": { "role": "user", "text": "Hello." } })),
        ("session_hold", json!({})),
        ("session_show", json!({ "object": "chat" })),
        ("session_search", json!({ "query": "x" })),
        ("session_render", json!({})),
    ] {
        fails(&mut client, tool, arguments.clone(), "not_found", "`session_open`");
        let mut named = arguments;
        named["session"] = json!("nobody");
        let answer = fails(&mut client, tool, named, "not_found", "`session_open`");
        assert!(answer["error"].as_str().unwrap().contains("`nobody`"), "{answer}");
    }
    assert_eq!(client.value("session_list", json!({ "set": "sessions" }))["found"], 0);
}

#[test]
fn names_of_sessions_have_rules() {
    let bench = bench();
    let mut client = opened(&bench);
    fails(&mut client, "session_open", json!({ "session": "s", "new": true }), "already_exists", "without `new`");
    for name in ["../x", "a/b", ".hidden", "-x", "a b", "ä", "x\u{0}"] {
        fails(&mut client, "session_open", json!({ "session": name }), "invalid_name", "another name");
        fails(&mut client, "session_list", json!({ "session": name }), "not_found", "`session_open`");
    }
    fails(&mut client, "session_open", json!({ "session": "x".repeat(65) }), "validation_error", "64");
    fails(&mut client, "session_open", json!({ "raw": true }), "validation_error", "session, system_prompt, new");
}

#[test]
fn files_that_cannot_be_read_leave_everything_as_it_was() {
    let bench = bench();
    let mut client = opened(&bench);
    let before = client.value("session_list", json!({}))["counts"].clone();
    bench.write("id_rsa", "x\n").write("more.txt", "More.\n");
    for (path, kind, way) in [
        ("none.txt", "read_error", "nothing was changed"),
        ("src", "read_error", "Put the path right"),
        ("id_rsa", "refused", "`explain_path`"),
        ("../x", "refused", "below the project"),
        ("a\u{0}b", "refused", "below the project"),
    ] {
        fails(&mut client, "session_read", json!({ "paths": ["more.txt", path] }), kind, way);
    }
    assert_eq!(client.value("session_list", json!({}))["counts"], before);
    let many: Vec<String> = (0..201).map(|n| format!("{n}.txt")).collect();
    for (tool, arguments) in [
        ("session_read", json!({ "paths": many })),
        ("session_read", json!({ "paths": [] })),
        ("session_read", json!({ "paths": [""] })),
        ("session_read", json!({ "paths": ["x".repeat(4097)] })),
        ("session_hold", json!({ "pin": many })),
        ("session_hold", json!({ "forget": [""] })),
        ("session_record", json!({ "turn": { "role": "user", "text": "x".repeat(1_000_001) } })),
        ("session_record", json!({ "turn": { "role": "system", "text": "x" } })),
        ("session_record", json!({ "turn": { "role": "user", "text": "x", "at": 1 } })),
        ("session_record", json!({ "turn": { "role": "user" } })),
        ("session_record", json!({ "toolcall": { "tool": "t", "output": "x", "files": many } })),
        ("session_record", json!({ "toolcall": { "tool": "t", "output": "x", "args": [] } })),
        ("session_record", json!({ "toolcall": { "tool": "t", "output": "x", "args": { "a": "x".repeat(200_001) } } })),
        ("session_record", json!({ "turn": { "role": "user", "text": "x" }, "request": "x".repeat(201) })),
        ("session_record", json!({})),
        (
            "session_record",
            json!({ "turn": { "role": "user", "text": "x" }, "toolcall": { "tool": "t", "output": "" } }),
        ),
        ("session_search", json!({ "query": "x".repeat(2001) })),
        ("session_search", json!({ "query": "x", "since": "yesterday" })),
        ("session_search", json!({ "query": "x", "until": "2026-13-01T00:00:00Z" })),
        ("session_search", json!({ "query": "x", "kind": ["session"] })),
        ("session_search", json!({ "query": "path:[" })),
        ("session_show", json!({ "object": "chat", "as_of": "now" })),
        ("session_show", json!({ "object": "chat", "view": "diff", "as_of": "2026-11-16T08:30:00Z" })),
        ("session_show", json!({ "object": "chat", "version": 1, "valid_at": "2026-11-16T08:30:00Z" })),
        ("session_show", json!({ "object": "chat", "from": 1 })),
        ("session_open", json!({ "system_prompt": "x".repeat(200_001) })),
    ] {
        let (kind, answer) = client.failure(tool, arguments);
        assert_eq!(kind, "validation_error", "{tool}: {answer}");
        assert!(answer["field"].is_string() && answer["expected"].is_string(), "{tool}: {answer}");
    }
    assert_eq!(client.value("session_list", json!({}))["counts"], before);
}

#[test]
fn the_working_set_keeps_its_rules() {
    let bench = bench();
    let mut client = opened(&bench);
    bench.write("src/other/lib.rs", "pub fn other() {}\n");
    client.value("session_read", json!({ "paths": ["src/other/lib.rs"] }));
    client.value("session_hold", json!({ "pin": ["docs/orchard.md"] }));
    let before = listed(&mut client, "active");
    fails(
        &mut client,
        "session_hold",
        json!({ "deactivate": ["src/lib.rs", "docs/orchard.md"] }),
        "refused",
        "`unpin`",
    );
    fails(&mut client, "session_hold", json!({ "forget": ["docs/orchard.md"] }), "refused", "`unpin`");
    let ambiguous = fails(&mut client, "session_hold", json!({ "pin": ["lib.rs"] }), "not_found", "more of its");
    assert!(ambiguous["error"].as_str().unwrap().contains("src/other/lib.rs"), "{ambiguous}");
    let unknown = json!({ "deactivate": ["src/lib.rs"], "pin": ["nobody.rs"] });
    let answer = fails(&mut client, "session_hold", unknown, "not_found", "`session_list`");
    assert_eq!(answer["field"], "pin");
    fails(&mut client, "session_hold", json!({ "pin": ["chat"] }), "not_found", "`session_read`");
    // No name was wrong, so nothing is half done; only a list that fails itself stops those after it.
    assert_eq!(listed(&mut client, "active"), before);
    std::fs::remove_file(bench.project().join("notes.txt")).unwrap();
    let half = json!({ "deactivate": ["src/lib.rs"], "activate": ["notes.txt"] });
    let answer = fails(&mut client, "session_hold", half, "read_error", "Done before this list: deactivate 1.");
    assert!(!answer["instruction"].as_str().unwrap().contains("othing was changed"), "{answer}");
    assert_eq!(listed(&mut client, "active").len(), before.len() - 1);
    // It stays unread.
    assert!(listed(&mut client, "pool").contains(&"file notes.txt [unread]".to_owned()));
    client.value("session_hold", json!({ "forget": ["notes.txt"] }));
    fails(&mut client, "session_hold", json!({ "activate": ["notes.txt"] }), "read_error", "Put the path right");
}

#[test]
fn versions_are_those_of_the_object() {
    let bench = bench();
    let mut client = opened(&bench);
    let first = client.value("session_show", json!({ "object": "src/lib.rs" }))["version"]["version"].clone();
    fails(&mut client, "session_show", json!({ "object": "nobody.rs" }), "not_found", "`session_list`");
    // Numbers count for the whole store, so that of another object must not do.
    for view in ["content", "diff"] {
        let other = json!({ "object": "docs/orchard.md", "version": first, "view": view });
        let answer = fails(&mut client, "session_show", other, "not_found", "`history`");
        assert!(!answer.to_string().contains("pick_apple"), "{answer}");
    }
    let other = json!({ "object": "docs/orchard.md", "from": first, "view": "diff" });
    fails(&mut client, "session_show", other, "not_found", "`history`");
    fails(&mut client, "session_show", json!({ "object": "src/lib.rs", "view": "diff" }), "not_found", "`content`");
    for number in [0, 1_u64 << 62, u64::MAX] {
        let odd = json!({ "object": "src/lib.rs", "version": number });
        fails(&mut client, "session_show", odd, "not_found", "`history`");
    }
}

#[test]
fn what_does_not_fit_is_told() {
    let bench = bench();
    let mut client = opened(&bench);
    let long: String = (0..2_000).map(|n| format!("Line {n} of a long text.\n")).collect();
    bench.write("long.txt", &long);
    client.value("session_read", json!({ "paths": ["long.txt"] }));
    // Held content gives way, what is pinned does not, and what is short fits again when what is long is gone.
    let rendered = client.value("session_render", json!({ "max_tokens": 1000 }));
    assert_eq!(rendered["left_out"]["files"], 1, "{rendered}");
    client.value("session_hold", json!({ "pin": ["long.txt"] }));
    let answer =
        fails(&mut client, "session_render", json!({ "max_tokens": 1000 }), "validation_error", "`session_hold`");
    assert_eq!(answer["field"], "max_tokens");
    client.value("session_hold", json!({ "unpin": ["long.txt"] }));
    client.value("session_render", json!({ "max_tokens": 1000 }));
    client.value("session_open", json!({ "system_prompt": "Be brief. ".repeat(2_000) }));
    fails(&mut client, "session_render", json!({ "max_tokens": 2000 }), "validation_error", "`max_tokens`");
    client.value("session_open", json!({ "system_prompt": "Be brief. ".repeat(8_000) }));
    let answer =
        fails(&mut client, "session_render", json!({ "max_tokens": 24000 }), "validation_error", "`session_hold`");
    assert!(answer["expected"].as_str().unwrap().contains("at most 24000"), "{answer}");
}
