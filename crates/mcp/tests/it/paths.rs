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
