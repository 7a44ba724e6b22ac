//! Nothing outside the project or the collection can be named, whatever the spelling.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::{Bench, Client};

/// What must never come back.
const OUTSIDE: &str = "marmalade-outside";

/// A project beside a file that is nobody's business, with links that lead there.
fn bench() -> Bench {
    let bench = Bench::new();
    let above = bench.project().parent().unwrap().to_owned();
    std::fs::write(above.join("outside.md"), format!("# {OUTSIDE}\n\n{OUTSIDE} text\n")).unwrap();
    std::fs::create_dir(above.join("folder")).unwrap();
    std::fs::write(above.join("folder/in.md"), format!("# {OUTSIDE}\n")).unwrap();
    bench.write("docs/a.md", "# Inside\n\nInside text about oaks.\n");
    bench.write("src/lib.rs", "pub fn inside() {}\n");
    bench.write(".env", &format!("KEY={OUTSIDE}\n"));
    symlink("../../outside.md", bench.project().join("docs/link.md")).unwrap();
    symlink("../../folder", bench.project().join("docs/linked")).unwrap();
    symlink(above.join("outside.md"), bench.project().join("absolute.md")).unwrap();
    bench.write("context.json", r#"{"collections": {"docs": {"type": "file", "path": "docs"}}}"#);
    let mut client = bench.client();
    client.value("collection_sync", json!({}));
    client.value("index_build", json!({}));
    bench
}

/// Spellings of what is outside.
fn hostile(bench: &Bench) -> Vec<String> {
    let above = bench.project().parent().unwrap().display().to_string();
    let project = bench.project().display().to_string();
    let mut names: Vec<String> = [
        "../outside.md",
        "docs/../../outside.md",
        "./../outside.md",
        "docs/link.md",
        "docs/linked/in.md",
        "linked/in.md",
        "link.md",
        "absolute.md",
        "%2e%2e/outside.md",
        "%2e%2e%2foutside.md",
        "..%2foutside.md",
        "..%5coutside.md",
        "..\\outside.md",
        "docs/%2e%2e/%2e%2e/outside.md",
        "docs/a.md\u{0}../../outside.md",
        "docs\u{0}/../../outside.md",
        "../outside.md\u{0}.md",
        "//outside.md",
        "~/outside.md",
        "file://../outside.md",
        ".env",
        "./.env",
        "docs/../.env",
        "assist://collection/docs/../../outside.md",
        "assist://collection/docs/%2e%2e/%2e%2e/outside.md",
        "assist://collection/docs/%2E%2E%2F%2E%2E%2Foutside.md",
        "assist://collection/docs/link.md",
        "assist://collection/docs/linked/in.md",
        "assist://collection/docs/a.md%00/../../../outside.md",
        "assist://collection/../outside.md",
        "assist://collection/%2e%2e/outside.md",
        "..",
        "/",
        ".",
        "…/outside.md",
        "．．/outside.md",
    ]
    .map(str::to_owned)
    .to_vec();
    names.push(format!("{above}/outside.md"));
    names.push(format!("file://{above}/outside.md"));
    names.push(format!("{project}/../outside.md"));
    names.push(format!("assist://collection/docs/{above}/outside.md"));
    names
}

/// No answer has anything from outside in it.
fn is_sealed(client: &mut Client, tool: &str, arguments: &Value) {
    let answer = client.call(tool, arguments.clone());
    assert!(!answer.to_string().contains(OUTSIDE), "{tool} {arguments}: {answer}");
}

#[test]
fn documents_outside_are_not_read() {
    let bench = bench();
    let mut client = bench.client();
    for name in hostile(&bench) {
        for tool in ["get_document", "outline", "find_related"] {
            let answer = client.call(tool, json!({ "document": name }));
            assert!(!answer.to_string().contains(OUTSIDE), "{tool} {name}: {answer}");
            assert_eq!(answer["success"], false, "{tool} {name}: {answer}");
        }
        let named = client.call("get_document", json!({ "document": name, "repo": "project" }));
        assert_eq!(named["success"], false, "{name}: {named}");
        let read = client.request("resources/read", json!({ "uri": name }));
        assert!(read["error"].is_object() && !read.to_string().contains(OUTSIDE), "{name}: {read}");
        let explained = client.call("explain_path", json!({ "path": name }));
        assert!(!explained.to_string().contains(OUTSIDE), "{name}: {explained}");
        // What is not there at all is judged by its name.
        let value = &explained["value"];
        let shut = explained["success"] == false || value["included"] == false || value["exists"] == false;
        assert!(shut, "{name}: {explained}");
    }
    assert_eq!(client.value("get_document", json!({ "document": "docs/a.md" }))["repo"], "project");
}

#[test]
fn globs_and_expressions_stay_inside() {
    let bench = bench();
    let mut client = bench.client();
    let mut patterns = hostile(&bench);
    patterns.extend(["**", "**/*", "../**", "/**", "{..,docs}/**", "[.][.]/outside.md", "**/../**"].map(str::to_owned));
    for pattern in &patterns {
        is_sealed(&mut client, "list_documents", &json!({ "pattern": pattern }));
        is_sealed(&mut client, "get_content", &json!({ "expression": format!("docs/{pattern}") }));
        is_sealed(&mut client, "get_content", &json!({ "expression": pattern }));
        is_sealed(&mut client, "search", &json!({ "query": "marmalade text", "path": [pattern] }));
        is_sealed(&mut client, "symbol", &json!({ "name": "inside", "path": [pattern] }));
        is_sealed(&mut client, "repo_map", &json!({ "path": [pattern], "focus": [pattern] }));
        is_sealed(&mut client, "context_pack", &json!({ "include": [pattern] }));
    }
    for tool in ["list_documents", "collection_sync"] {
        is_sealed(&mut client, tool, &json!({}));
    }
    is_sealed(&mut client, "context_pack", &json!({ "type": "full" }));
    is_sealed(&mut client, "search", &json!({ "query": OUTSIDE }));
}

#[test]
fn names_of_collections_and_repositories_are_no_paths() {
    let bench = bench();
    let mut client = bench.client();
    for name in hostile(&bench) {
        for (tool, arguments) in [
            ("collection_sync", json!({ "collections": [name] })),
            ("search", json!({ "query": "text", "collections": [name] })),
            ("search", json!({ "query": "text", "repos": [name] })),
            ("list_documents", json!({ "collection": name })),
            ("get_document", json!({ "document": "outside.md", "repo": name })),
            ("symbol", json!({ "name": "x", "repo": name })),
            ("repo_map", json!({ "repo": name })),
            ("index_build", json!({ "repo": name })),
        ] {
            let answer = client.call(tool, arguments.clone());
            assert_eq!(answer["success"], false, "{tool} {arguments}: {answer}");
            assert!(!answer.to_string().contains(OUTSIDE), "{tool} {arguments}: {answer}");
        }
    }
}

#[test]
fn sessions_reach_nothing_outside() {
    let bench = bench();
    let mut client = bench.client();
    client.value("session_open", json!({ "session": "s" }));
    client.value("session_read", json!({ "paths": ["docs/a.md"] }));
    for name in hostile(&bench) {
        for (tool, arguments) in [
            ("session_read", json!({ "paths": [name] })),
            ("session_read", json!({ "paths": ["docs/a.md", name] })),
            ("session_show", json!({ "object": name })),
            ("session_hold", json!({ "pin": [name] })),
            ("session_list", json!({ "session": name })),
            ("session_render", json!({ "session": name })),
        ] {
            let answer = client.call(tool, arguments.clone());
            assert_eq!(answer["success"], false, "{tool} {arguments}: {answer}");
            assert!(!answer.to_string().contains(OUTSIDE), "{tool} {arguments}: {answer}");
        }
    }
    for name in hostile(&bench) {
        // A name that only looks like a way out is one of a file that is not there; it may be noted, and still not be read.
        is_sealed(&mut client, "session_read", &json!({ "paths": [name], "discover_only": true }));
        let toolcall = json!({ "tool": "ls", "output": "", "files": [name] });
        is_sealed(&mut client, "session_record", &json!({ "toolcall": toolcall }));
        is_sealed(&mut client, "session_hold", &json!({ "activate": [name] }));
        is_sealed(&mut client, "session_show", &json!({ "object": name }));
    }
    is_sealed(&mut client, "session_open", &json!({}));
    is_sealed(&mut client, "session_render", &json!({ "max_tokens": 24000 }));
    is_sealed(&mut client, "session_search", &json!({ "query": "marmalade text inside" }));
    // Nothing that was noted leads out.
    let mut arguments = json!({ "set": "index" });
    loop {
        let page = client.value("session_list", arguments);
        for item in page["items"].as_array().unwrap() {
            let object = item["object"].as_str().unwrap();
            // `.` is the project's folder itself.
            let folder = format!("file {} [unread]", bench.project().display());
            let inside = !object.starts_with("file /") && !object.starts_with("file ../");
            assert!(inside || object == folder, "{item}");
        }
        match page.get("more") {
            Some(more) => arguments = more["arguments"].clone(),
            None => break,
        }
    }
}

/// Plain ways out are told as such.
#[test]
fn what_lies_outside_is_refused_in_a_session() {
    let bench = bench();
    let mut client = bench.client();
    client.value("session_open", json!({}));
    let above = bench.project().parent().unwrap().join("outside.md").display().to_string();
    for path in
        ["../outside.md", "docs/link.md", "docs/linked/in.md", "absolute.md", above.as_str(), "/etc/hostname", ".env"]
    {
        let (kind, answer) = client.failure("session_read", json!({ "paths": [path] }));
        assert_eq!(kind, "refused", "{path}: {answer}");
        if path != ".env" {
            for (tool, arguments) in [
                ("session_read", json!({ "paths": [path], "discover_only": true })),
                ("session_record", json!({ "toolcall": { "tool": "ls", "output": "", "files": [path] } })),
            ] {
                assert_eq!(client.failure(tool, arguments).0, "refused", "{tool} {path}");
            }
        }
    }
    // What is outside is told in the same way whether or not it is there.
    let (_, there) = client.failure("session_read", json!({ "paths": ["../outside.md"] }));
    let (_, not) = client.failure("session_read", json!({ "paths": ["../nobody.md"] }));
    assert_eq!(there.to_string().replace("outside.md", "nobody.md"), not.to_string());
    assert_eq!(client.value("session_list", json!({ "set": "index" }))["found"], 0);
}

/// A file that becomes a link out of the project between two openings.
#[test]
fn a_session_does_not_follow_a_file_that_became_a_link() {
    let bench = bench();
    let mut client = bench.client();
    client.value("session_open", json!({ "session": "s" }));
    client.value("session_read", json!({ "paths": ["docs/a.md"] }));
    client.value("session_read", json!({ "paths": ["docs/later.md"], "discover_only": true }));
    std::fs::remove_file(bench.project().join("docs/a.md")).unwrap();
    symlink("../../outside.md", bench.project().join("docs/a.md")).unwrap();
    symlink("../../outside.md", bench.project().join("docs/later.md")).unwrap();
    let opened = client.call("session_open", json!({ "session": "s" }));
    assert!(opened["value"].to_string().contains("unreachable"), "{opened}");
    for tool in ["session_read", "session_hold"] {
        for path in ["docs/a.md", "docs/later.md"] {
            let list = if tool == "session_read" { "paths" } else { "activate" };
            is_sealed(&mut client, tool, &json!({ list: [path] }));
        }
    }
    for object in ["docs/a.md", "docs/later.md"] {
        is_sealed(&mut client, "session_show", &json!({ "object": object }));
    }
    is_sealed(&mut client, "session_render", &json!({}));
    is_sealed(&mut client, "session_search", &json!({ "query": "marmalade" }));
}

/// 16.15: who reads a file, and by which tool, makes no difference to whether it may be read.
#[test]
fn every_tool_reads_the_same_files() {
    let bench = Bench::new();
    let project = bench.project();
    bench.write(".gitignore", "kept.log\n").write("a.md", "# An oak\n");
    for path in ["build/tool.md", "out/tool.md", "kept.log", "build/new.md", "target/new.md", "ignored/new.md"] {
        bench.write(path, "# An oak\n");
    }
    let git = |args: &[&str]| {
        let run = std::process::Command::new("git").arg("-C").arg(&project).args(args).output().unwrap();
        assert!(run.status.success(), "{run:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "-f", "a.md", "build/tool.md", "out/tool.md", "kept.log"]);
    let mut client = bench.client();
    client.value("session_open", json!({ "session": "s" }));
    for (path, is_read) in [
        ("a.md", true),
        ("build/tool.md", true),
        ("out/tool.md", true),
        ("kept.log", true),
        ("build/new.md", false),
        (".git/config", false),
    ] {
        let document = client.call("get_document", json!({ "document": path }));
        let session = client.call("session_read", json!({ "paths": [path] }));
        for (tool, answer) in [("get_document", document), ("session_read", session)] {
            let has_it = match tool {
                "get_document" => answer["value"].to_string().contains("oak"),
                _ => answer["value"]["files"][0]["action"] == "created",
            };
            assert_eq!(has_it, is_read, "{tool} {path}: {answer}");
        }
        if is_read {
            let shown = client.call("session_show", json!({ "object": path }));
            assert!(shown["value"].to_string().contains("oak"), "{path}: {shown}");
        }
    }
}

/// What an index leaves out is not given to an agent in any other way, even if a person has put it into a session.
#[test]
fn what_an_index_leaves_out_is_not_read() {
    let bench = Bench::new();
    let hidden = [".git/config", ".git/hooks/x", "notes/mine.md", "private.md", "node_modules/x/index.js"];
    for path in hidden {
        bench.write(path, &format!("[http]\n# {OUTSIDE}\n"));
    }
    bench
        .write(".git/HEAD", "ref: refs/heads/main\n")
        .write(".gitignore", "notes/\n")
        .write(".aiignore", "private.md\n");
    bench.write("a.md", "# A\n\nAn oak.\n");
    symlink(".git", bench.project().join("linked")).unwrap();
    let mut client = bench.client();
    client.value("session_open", json!({ "session": "s" }));
    for path in hidden.iter().copied().chain(["linked/config"]) {
        for tool in ["get_document", "outline", "find_related"] {
            let answer = client.call(tool, json!({ "document": path }));
            assert_eq!(answer["success"], false, "{tool} {path}: {answer}");
            assert!(!answer.to_string().contains(OUTSIDE), "{tool} {path}: {answer}");
        }
        let explained = client.call("explain_path", json!({ "path": path }));
        assert_eq!(explained["value"]["included"], false, "{path}: {explained}");
        let read = client.call("session_read", json!({ "paths": [path] }));
        assert_eq!(read["success"], false, "session_read {path}: {read}");
        is_sealed(&mut client, "session_show", &json!({ "object": path }));
    }
    // Read while nothing said that it is private, and left out from then on.
    bench.write("later.md", &format!("# {OUTSIDE}\n"));
    client.value("session_read", json!({ "paths": ["later.md", "a.md"] }));
    bench.write(".aiignore", "private.md\nlater.md\n");
    for (tool, arguments) in [
        ("session_show", json!({ "object": "later.md" })),
        ("session_render", json!({})),
        ("search", json!({ "query": OUTSIDE, "scope": "sessions" })),
    ] {
        is_sealed(&mut client, tool, &arguments);
    }
    assert!(client.call("session_render", json!({})).to_string().contains("An oak."));
}
