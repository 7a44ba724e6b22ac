//! Each tool, when all is well.

use ai_assist_identity::Sha256;
use ai_assist_mcp::{Options, Pin};
use serde_json::{Value, json};

use super::{bench, listed, opened};

#[test]
fn a_session_is_made_and_gone_on_with() {
    let bench = bench();
    let mut client = bench.client();
    let made = client.value("session_open", json!({ "system_prompt": "Be brief." }));
    assert_eq!(made["action"], "created");
    assert_eq!(made["counts"], json!({ "index": 0, "pool": 0, "active": 0, "pinned": 0, "turns": 0 }));
    let name = made["session"].clone();
    let again = client.value("session_open", json!({}));
    assert_eq!((&again["action"], &again["session"]), (&json!("resumed"), &name));
    // A name that there is not yet is made, and then is the last.
    let named = client.value("session_open", json!({ "session": "fix-login" }));
    assert_eq!((&named["action"], &named["session"]), (&json!("created"), &json!("fix-login")));
    assert_eq!(client.value("session_open", json!({}))["session"], "fix-login");
    let new = client.value("session_open", json!({ "new": true }));
    assert_eq!(new["action"], "created");
    let sessions = client.value("session_list", json!({ "set": "sessions" }));
    let names: Vec<&Value> = sessions["items"].as_array().unwrap().iter().map(|item| &item["session"]).collect();
    assert_eq!(names, [&new["session"], &json!("fix-login"), &name]);
    assert_eq!(sessions["found"], 3);
    // The prompt is kept, and can be changed.
    let prompt = |client: &mut crate::support::Client| {
        client.value("session_show", json!({ "object": "system_prompt", "session": name }))["text"].clone()
    };
    assert_eq!(prompt(&mut client), "Be brief.");
    client.value("session_open", json!({ "session": name, "system_prompt": "Be thorough." }));
    assert_eq!(prompt(&mut client), "Be thorough.");
}

#[test]
fn opening_says_what_happened_to_files() {
    let bench = bench();
    let mut client = opened(&bench);
    bench.write("src/lib.rs", "pub fn pick_pear() {}\n");
    std::fs::remove_file(bench.project().join("docs/orchard.md")).unwrap();
    let answer = client.value("session_open", json!({}));
    assert_eq!(
        answer["files"],
        json!([
            { "path": "docs/orchard.md", "now": "deleted" },
            { "path": "notes.txt", "now": "upgraded" },
            { "path": "src/lib.rs", "now": "changed" },
        ])
    );
    let counts =
        ["unchanged", "changed", "deleted", "upgraded", "unreachable"].map(|key| answer[key].as_u64().unwrap());
    assert_eq!(counts, [0, 1, 1, 1, 0]);
    let again = client.value("session_open", json!({}));
    assert_eq!((&again["files"], &again["unchanged"]), (&json!([]), &json!(3)));
}

#[test]
fn files_are_read_and_listed() {
    let bench = bench();
    let mut client = opened(&bench);
    assert_eq!(
        listed(&mut client, "pool"),
        ["file src/lib.rs (rust, 34 chars)", "file docs/orchard.md (markdown, 35 chars)", "file notes.txt [unread]"]
    );
    assert_eq!(listed(&mut client, "active").len(), 2);
    assert_eq!(listed(&mut client, "pinned"), Vec::<String>::new());
    let again = client.value("session_read", json!({ "paths": ["src/lib.rs", "notes.txt"] }));
    let actions: Vec<&Value> = again["files"].as_array().unwrap().iter().map(|file| &file["action"]).collect();
    assert_eq!(actions, ["unchanged", "updated"]);
    assert_eq!(again["counts"]["active"], 3);
    // What was asked for is in the answer, whatever had to be stored of it.
    let texts: Vec<String> =
        again["files"].as_array().unwrap().iter().map(|file| file["text"].as_str().unwrap().to_owned()).collect();
    let on_disk = ["src/lib.rs", "notes.txt"].map(|path| std::fs::read_to_string(bench.project().join(path)).unwrap());
    assert_eq!(texts, on_disk);
    let shown = client.text("session_read", json!({ "paths": ["notes.txt"] }));
    assert!(shown.contains(on_disk[1].trim_end()), "{shown}");
    let met = client.value("session_read", json!({ "paths": ["src/lib.rs"], "discover_only": true }));
    assert_eq!(met["files"][0].get("text"), None, "{met}");
    // An absolute path of the project is the same file.
    let absolute = bench.project().join("src/lib.rs");
    let file = client.value("session_read", json!({ "paths": [absolute] }))["files"][0].clone();
    assert_eq!((&file["path"], &file["id"]), (&json!("src/lib.rs"), &again["files"][0]["id"]));
    // Made up, in the form of a real one.
    let key = format!("AKIA{}", "Z7QX2MVBN4KJH6TR");
    bench.write("deploy.py", &format!("KEY = \"{key}\"\n"));
    assert_eq!(client.value("session_read", json!({ "paths": ["deploy.py"] }))["files"][0]["redacted"], 1);
    let shown = client.value("session_show", json!({ "object": "deploy.py" }));
    assert!(shown["text"].as_str().unwrap().starts_with("KEY = ") && !shown.to_string().contains(&key), "{shown}");
}

#[test]
fn turns_and_calls_are_recorded() {
    let bench = bench();
    let mut client = opened(&bench);
    let first = client.value("session_record", json!({ "turn": { "role": "user", "text": "Pick an apple." } }));
    assert_eq!((&first["turn"], first.get("id")), (&json!(1), None));
    let call = json!({
        "tool": "bash",
        "args": { "command": "ls docs", "db_password": "x7Kp!2mQz94LwR" },
        "output": "orchard.md\npassword = \"x7Kp!2mQz94LwR\"\n",
        "ok": false,
        "files": ["docs/orchard.md", "docs/more.md"],
    });
    let recorded = client.value("session_record", json!({ "toolcall": call }));
    assert_eq!((&recorded["counts"]["index"], &recorded["counts"]["active"]), (&json!(5), &json!(3)));
    let shown = client.value("session_show", json!({ "object": recorded["id"] }));
    assert!(shown["object"].as_str().unwrap().starts_with("toolcall bash fail: command = \"ls docs\""), "{shown}");
    assert!(shown["text"].as_str().unwrap().starts_with("orchard.md\n"), "{shown}");
    assert!(!shown.to_string().contains("x7Kp"), "{shown}");
    assert!(listed(&mut client, "pool").contains(&"file docs/more.md [unread]".to_owned()));
    let second = client.value("session_record", json!({ "turn": { "role": "assistant", "text": "Done." } }));
    assert_eq!(second["turn"], 2);
    let chat = client.value("session_show", json!({ "object": "chat" }));
    assert_eq!(chat["text"], "user: Pick an apple.\n\nassistant: Done.");
}

/// The server knows what it has answered.
#[test]
fn answers_of_this_server_are_recorded_without_being_repeated() {
    let bench = bench();
    let mut client = opened(&bench);
    let read = client.text("read", json!({ "place": "notes.txt" }));
    for tool in ["read", "mcp__ai-assist__read"] {
        let call = json!({ "tool": tool, "args": { "place": "notes.txt" } });
        let recorded = client.value("session_record", json!({ "toolcall": call }));
        let shown = client.value("session_show", json!({ "object": recorded["id"] }));
        assert_eq!(shown["text"].as_str().unwrap().trim_end(), read.trim_end(), "{shown}");
    }
    for tool in ["bash", "session_record", "collection_sync", "tools"] {
        let (kind, failure) = client.failure("session_record", json!({ "toolcall": { "tool": tool } }));
        assert_eq!(
            (kind.as_str(), &failure["field"]),
            ("validation_error", &json!("toolcall.output")),
            "{tool}: {failure}"
        );
    }
    let wrong = json!({ "toolcall": { "tool": "read", "args": { "place": "none.txt" } } });
    assert_eq!(client.failure("session_record", wrong).0, "not_found");
}

#[test]
fn a_request_that_is_sent_twice_is_done_once() {
    let bench = bench();
    let mut client = opened(&bench);
    let turn = json!({ "turn": { "role": "user", "text": "Once." }, "request": "1" });
    let call = json!({ "toolcall": { "tool": "t", "output": "once" }, "request": "2" });
    let (first, id) = (client.value("session_record", turn.clone()), client.value("session_record", call.clone()));
    for _ in 0..3 {
        assert_eq!(client.value("session_record", turn.clone())["turn"], first["turn"]);
        assert_eq!(client.value("session_record", call.clone())["id"], id["id"]);
    }
    // Another client, after a restart.
    assert_eq!(bench.client().value("session_record", call.clone())["id"], id["id"]);
    assert_eq!(client.value("session_record", call)["counts"], id["counts"]);
    let other = json!({ "turn": { "role": "user", "text": "Other." }, "request": "1" });
    let (kind, answer) = client.failure("session_record", other.clone());
    assert_eq!((kind.as_str(), &answer["field"]), ("validation_error", &json!("request")), "{answer}");
    // Another session has requests of its own.
    client.value("session_open", json!({ "session": "other" }));
    assert_eq!(client.value("session_record", other)["turn"], 1);
}

#[test]
fn an_agent_runs_its_working_set() {
    let bench = bench();
    let mut client = opened(&bench);
    let answer = client.value(
        "session_hold",
        json!({ "deactivate": ["docs/orchard.md"], "activate": ["notes.txt"], "pin": ["src/lib.rs"] }),
    );
    assert_eq!(answer["changed"], json!({ "unpin": 0, "deactivate": 1, "forget": 0, "activate": 1, "pin": 1 }));
    assert_eq!(listed(&mut client, "active"), ["file src/lib.rs (rust, 34 chars)", "file notes.txt (text, 14 chars)"]);
    assert_eq!(listed(&mut client, "pinned"), ["file src/lib.rs (rust, 34 chars)"]);
    // The same again changes nothing.
    let again = client.value("session_hold", json!({ "pin": ["lib.rs"] }));
    assert_eq!((&again["changed"]["pin"], &again["counts"]), (&json!(0), &answer["counts"]));
    // What is pinned can be let go of in one call, by its id too.
    let item = client.value("session_list", json!({ "set": "pinned" }))["items"][0].clone();
    assert_eq!((&item["active"], &item["pinned"]), (&json!(true), &json!(true)));
    let answer = client.value("session_hold", json!({ "unpin": [item["id"]], "forget": [item["id"]] }));
    assert_eq!((&answer["changed"]["unpin"], &answer["changed"]["forget"]), (&json!(1), &json!(1)));
    assert_eq!((listed(&mut client, "pool").len(), listed(&mut client, "index").len()), (2, 3));
    // Nothing to do is fine.
    assert_eq!(client.value("session_hold", json!({}))["counts"], answer["counts"]);
}

#[test]
fn versions_are_shown_at_any_time() {
    let bench = bench();
    let mut client = opened(&bench);
    let first = client.value("session_show", json!({ "object": "src/lib.rs" }));
    assert_eq!(first["text"], "/// Picks.\npub fn pick_apple() {}\n");
    assert_eq!((&first["active"], &first["pinned"], &first["total"]), (&json!(true), &json!(false), &json!(34)));
    std::thread::sleep(std::time::Duration::from_millis(2));
    bench.write("src/lib.rs", "/// Picks.\npub fn pick_pear() {}\n");
    client.value("session_read", json!({ "paths": ["src/lib.rs"] }));
    std::fs::remove_file(bench.project().join("src/lib.rs")).unwrap();
    client.value("session_open", json!({}));

    let history = client.value("session_show", json!({ "object": "lib.rs", "view": "history" }));
    let versions: Vec<u64> =
        history["history"].as_array().unwrap().iter().map(|event| event["version"].as_u64().unwrap()).collect();
    assert_eq!((versions.len(), &history["total"]), (3, &json!(3)));
    assert_eq!(history["history"][0]["bytes"], 34);
    assert_eq!(history["history"][2].get("bytes"), None, "{history}");

    let gone = client.call("session_show", json!({ "object": "lib.rs" }));
    assert!(gone["message"].as_str().unwrap().contains("is gone"), "{gone}");
    let old = client.value("session_show", json!({ "object": "lib.rs", "version": versions[0] }));
    assert_eq!(old["text"], first["text"]);
    for clock in ["as_of", "valid_at"] {
        let then = client.value("session_show", json!({ "object": "lib.rs", clock: first["version"]["known"] }));
        assert_eq!((&then["text"], &then["version"]), (&first["text"], &first["version"]), "{clock}");
    }
    let unread = client.call("session_show", json!({ "object": "notes.txt", "valid_at": "2001-01-01T00:00:00Z" }));
    assert_eq!(unread["error_type"], "not_found", "{unread}");

    let diff = json!({ "object": "lib.rs", "view": "diff", "from": versions[0], "version": versions[1] });
    let diff = client.value("session_show", diff);
    assert!(diff["text"].as_str().unwrap().contains("-pub fn pick_apple() {}\n+pub fn pick_pear() {}\n"), "{diff}");
    assert_eq!((&diff["change"]["added"], &diff["change"]["removed"]), (&json!(1), &json!(1)));
    assert_eq!(diff["change"]["fields"], json!(["char_count: 34 → 33"]));
    // The last change is the default.
    let last = client.value("session_show", json!({ "object": "lib.rs", "view": "diff" }));
    assert_eq!((&last["change"]["from"], &last["change"]["to"]), (&json!(versions[1]), &json!(versions[2])));
    for (object, said) in [("session", "no content of its own"), ("notes.txt", "")] {
        let answer = client.call("session_show", json!({ "object": object }));
        assert!(answer["message"].as_str().unwrap_or_default().contains(said), "{answer}");
    }
}

#[test]
fn everything_seen_is_found() {
    let bench = bench();
    let mut client = opened(&bench);
    client.value("session_record", json!({ "turn": { "role": "user", "text": "We agreed on quinces." } }));
    let call = json!({ "tool": "bash", "output": "the ladder is in the shed" });
    client.value("session_record", json!({ "toolcall": call }));
    bench.write("docs/orchard.md", "# Orchard\n\nMedlars ripen late.\n");
    client.value("session_read", json!({ "paths": ["docs/orchard.md"] }));
    client.value("session_hold", json!({ "forget": ["docs/orchard.md"] }));
    for (query, kind, label, current) in [
        ("quinces", "chat", "chat, turn 1 (user)", true),
        ("shed ladder", "toolcall", "bash", true),
        ("medlars", "file", "docs/orchard.md", true),
        ("apples autumn", "file", "docs/orchard.md", false),
    ] {
        let found = client.value("session_search", json!({ "query": query, "kind": [kind] }));
        let hit = &found["hits"][0];
        assert_eq!((&hit["label"], &hit["current"]), (&json!(label), &json!(current)), "{query}: {found}");
        // What was found can be shown as it was found.
        let mut arguments = json!({ "object": hit["id"] });
        if kind != "chat" {
            arguments["version"] = hit["version"].clone();
        }
        let shown = client.value("session_show", arguments);
        assert!(shown["text"].as_str().unwrap().contains(hit["text"].as_str().unwrap().trim_end()), "{shown} {hit}");
    }
    let all = client.value("session_search", json!({ "query": "quinces" }));
    let then = all["hits"][0]["at"].clone();
    let before = client.value("session_search", json!({ "query": "quinces", "until": then }));
    let after = client.value("session_search", json!({ "query": "quinces", "since": then }));
    assert_eq!(
        before["searched"].as_u64().unwrap() + after["searched"].as_u64().unwrap(),
        all["searched"].as_u64().unwrap()
    );
    assert_eq!(after["hits"][0]["kind"], "chat");
    assert!(before["hits"].as_array().unwrap().iter().all(|hit| hit["kind"] != "chat"), "{before}");
    let nothing = client.call("session_search", json!({ "query": "x", "until": "2001-01-01T00:00:00Z" }));
    assert!(nothing["message"].as_str().unwrap().contains(r#"`search {"query":"x"}`"#), "{nothing}");
}

#[test]
fn the_prefix_stays_while_only_what_is_held_changes() {
    let bench = bench();
    let mut client = opened(&bench);
    client.value("session_open", json!({ "system_prompt": "You are a gardener." }));
    client.value("session_record", json!({ "turn": { "role": "user", "text": "Pick an apple." } }));
    let first = client.value("session_render", json!({}));
    let text = first["text"].as_str().unwrap();
    assert!(text.starts_with("You are a gardener.\n") && text.contains("Apples ripen in autumn."), "{text}");
    let bytes = usize::try_from(first["prefix"]["bytes"].as_u64().unwrap()).unwrap();
    assert_eq!(first["prefix"]["hash"], Sha256::of(&text.as_bytes()[..bytes]).to_string());
    assert!(text[bytes..].starts_with("# Held now"), "{}", &text[bytes..]);
    client.value("session_hold", json!({ "deactivate": ["docs/orchard.md"] }));
    let second = client.value("session_render", json!({}));
    assert_eq!(second["prefix"], first["prefix"]);
    assert!(!second["text"].as_str().unwrap().contains("Apples ripen"), "{second}");
    client.value("session_record", json!({ "turn": { "role": "assistant", "text": "Which?" } }));
    assert_ne!(client.value("session_render", json!({}))["prefix"], first["prefix"]);
    // The window: no call in full.
    client.value("session_record", json!({ "toolcall": { "tool": "t", "output": "long result" } }));
    assert!(client.value("session_render", json!({}))["text"].as_str().unwrap().contains("long result"));
    let narrow = client.value("session_render", json!({ "calls": 0 }));
    assert!(!narrow["text"].as_str().unwrap().contains("long result"), "{narrow}");
    assert_eq!(narrow["left_out"]["collapsed"], 1);
}

#[test]
fn a_server_that_only_reads_has_the_reading_ones() {
    let bench = bench();
    opened(&bench);
    let options = Options {
        pin: Some(Pin(bench.project())),
        tools: "session".parse().unwrap(),
        read_only: true,
        ..Options::default()
    };
    let mut client = bench.client_with(options);
    let listed = client.request("tools/list", json!({}));
    let names: Vec<&str> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["session_list", "session_show", "session_search", "session_render"]);
    client.value("session_render", json!({}));
    assert_eq!(client.failure("session_open", json!({})).0, "read_only");
}

#[test]
fn sessions_are_mentioned_where_they_are_offered() {
    let bench = bench();
    for (tools, mentioned) in [("session", true), ("all", true), ("default", false)] {
        let options = Options {
            pin: Some(Pin(bench.project())),
            tools: tools.parse().unwrap(),
            read_only: false,
            ..Options::default()
        };
        let mut client = crate::support::Client::raw(ai_assist_mcp::Server::new(bench.machine(), options));
        let answer = client.handshake(json!({}));
        let instructions = answer["result"]["instructions"].as_str().unwrap();
        assert_eq!(instructions.contains("`session_open`"), mentioned, "{tools}");
    }
    let mut client = bench.client();
    let policy = client.request("prompts/get", json!({ "name": "session_policy", "arguments": {} }));
    let text = policy["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.lines().count() <= 25, "{text}");
    let listed = client.request("tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        // The list explains itself.
        let is_told = name.starts_with("session_") && name != "session_list";
        assert_eq!(text.contains(&format!("`{name}`")), is_told, "{name}");
    }
}

/// Nobody watches while an agent works, so files are looked at when they are shown.
#[test]
fn what_is_shown_is_what_is_on_disk_now() {
    let bench = bench();
    let mut client = opened(&bench);
    bench.write("src/lib.rs", "pub fn pick_pear() {}\n");
    let shown = client.value("session_show", json!({ "object": "src/lib.rs" }));
    assert_eq!(shown["text"], "pub fn pick_pear() {}\n");
    bench.write("src/lib.rs", "pub fn pick_plum() {}\n");
    std::fs::remove_file(bench.project().join("docs/orchard.md")).unwrap();
    let text = client.value("session_render", json!({}))["text"].as_str().unwrap().to_owned();
    let held = text.split("# Held now").nth(1).unwrap();
    assert!(held.contains("pick_plum") && !held.contains("pick_pear") && held.contains("[deleted]"), "{text}");
    assert!(!held.contains("ladder") && text.contains("notes.txt [unread]"), "{text}");
    bench.write("src/lib.rs", "pub fn pick_fig() {}\n");
    let hits = client.value("session_search", json!({ "query": "pick_plum" }));
    assert_eq!(
        (&hits["hits"][0]["label"], &hits["hits"][0]["current"]),
        (&json!("src/lib.rs"), &json!(false)),
        "{hits}"
    );
    // Every version is kept, and can be asked for.
    let history = client.value("session_show", json!({ "object": "src/lib.rs", "view": "history" }));
    let first = &history["history"][0]["version"];
    let old = client.value("session_show", json!({ "object": "src/lib.rs", "version": first }));
    assert!(old["text"].as_str().unwrap().contains("pick_apple"), "{old}");
}

#[test]
fn a_write_can_name_the_version_it_expects() {
    let bench = bench();
    let mut client = opened(&bench);
    let turn = |text: &str, expect: &Value| json!({ "turn": { "role": "user", "text": text }, "expect": expect });
    let first = client.value("session_record", json!({ "turn": { "role": "user", "text": "One." } }));
    let known = first["version"].clone();
    let second = client.value("session_record", turn("Two.", &known));
    let held = client.value("session_hold", json!({ "pin": ["src/lib.rs"] }))["version"].clone();
    client
        .value("session_hold", json!({ "deactivate": ["docs/orchard.md"], "activate": ["notes.txt"], "expect": held }));
    let read = client.value("session_show", json!({ "object": "src/lib.rs" }))["version"]["version"].clone();
    bench.write("src/lib.rs", "pub fn pick_pear() {}\n");
    client.value("session_read", json!({ "paths": ["src/lib.rs"], "expect": read }));
    for (tool, arguments) in [
        ("session_record", turn("Three.", &known)),
        ("session_hold", json!({ "unpin": ["src/lib.rs"], "expect": held })),
        ("session_read", json!({ "paths": ["src/lib.rs"], "expect": read })),
        ("session_read", json!({ "paths": ["src/lib.rs"], "expect": 0 })),
        ("session_read", json!({ "paths": ["src/lib.rs", "notes.txt"], "expect": read })),
    ] {
        let (kind, answer) = client.failure(tool, arguments.clone());
        assert_eq!((kind.as_str(), &answer["field"]), ("validation_error", &json!("expect")), "{arguments}: {answer}");
    }
    assert_eq!(client.value("session_record", turn("Three.", &second["version"]))["turn"], 3);
}
