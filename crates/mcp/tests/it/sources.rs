//! What agents add: only where the user lets them, and never what lies outside.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::Bench;

/// A project with documents, and a user who has said this of agents.
fn bench(consent: Option<&str>) -> Bench {
    let bench = Bench::new();
    bench.write("docs/a.md", "# Oaks\n\nAbout oaks.\n");
    bench.write("docs/b.rst", "Elms\n====\n\nAbout elms.\n");
    bench.write("src/lib.rs", "pub fn inside() {}\n");
    bench.write("pictures/a.png", "no picture");
    if let Some(consent) = consent {
        user_setting(&bench, json!({ "mcp": { "sources": consent } }));
    }
    bench
}

fn user_setting(bench: &Bench, settings: Value) {
    let folder = bench.project().parent().unwrap().join("config");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.json"), settings.to_string()).unwrap();
}

#[test]
fn without_consent_the_user_is_asked_to_do_it() {
    let bench = bench(None);
    // A project can't speak for the user.
    bench.write("context.json", r#"{"settings": {"mcp": {"sources": "allow"}}, "collections": {}}"#);
    let mut client = bench.client();
    for source in ["./docs", "github:vitejs/vite", "https://example.org/x'; rm -rf ~", "npm:react", "/etc"] {
        let (kind, answer) = client.failure("source_add", json!({ "source": source }));
        assert_eq!(kind, "refused", "{answer}");
        let way = answer["instruction"].as_str().unwrap();
        assert!(way.contains("ai-assist add '") && way.contains("config set mcp.sources allow"), "{way}");
        assert!(!way.contains("x'; rm"), "a quote does not end the argument: {way}");
    }
    assert_eq!(bench.config()["collections"], json!({}));
}

#[test]
fn a_user_who_refuses_is_not_asked() {
    let bench = bench(Some("refuse"));
    let mut client = bench.client();
    let (kind, answer) = client.failure("source_add", json!({ "source": "./docs" }));
    assert_eq!(kind, "refused");
    assert!(!answer["instruction"].as_str().unwrap().contains("ai-assist add"), "{answer}");
}

#[test]
fn what_is_allowed_is_added_and_can_be_searched() {
    let bench = bench(Some("allow"));
    let mut client = bench.client();
    let answer = client.call("source_add", json!({ "source": "./docs" }));
    assert_eq!(answer["value"]["name"], "docs", "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("collection_sync"), "{answer}");
    assert_eq!(bench.config()["collections"]["docs"]["glob"], "**/{documents}");
    client.value("collection_sync", json!({ "collections": ["docs"] }));
    let found = client.value("search", json!({ "query": "elms", "scope": "collections" }));
    assert!(found.to_string().contains("docs/b.rst"), "{found}");
    let again = client.value("source_add", json!({ "source": "docs" }));
    assert_eq!(again["already"], true);
    let git = client.value("source_add", json!({ "source": "github:vitejs/vite@v5/docs", "name": "vite" }));
    assert_eq!(git["source"], "git+https://github.com/vitejs/vite?glob=docs/**/{documents}#v5");
    let code = client.call("source_add", json!({ "source": "src" }));
    assert!(code["message"].as_str().unwrap().contains("index_build"), "{code}");
    let code = client.value("source_add", json!({ "source": "src", "glob": "**/*.rs", "name": "code" }));
    assert_eq!(code["source"], "./src (**/*.rs)");
}

#[test]
fn what_reaches_out_is_refused_whatever_is_allowed() {
    let bench = bench(Some("allow"));
    let above = bench.project().parent().unwrap().to_owned();
    std::fs::create_dir(above.join("private")).unwrap();
    std::fs::write(above.join("private/diary.md"), "# Diary\n").unwrap();
    std::fs::write(above.join("private/x.tar.gz"), "").unwrap();
    symlink(above.join("private"), bench.project().join("linked")).unwrap();
    bench.write(".gitignore", "secret-docs/\n");
    bench.write("secret-docs/a.md", "# Ignored\n");
    bench.write(".git/info.md", "# Git\n");
    bench.write("registry/index.json", &registry("file:///etc/passwd"));
    bench.write(
        "context.json",
        &json!({ "settings": { "registry": { "urls": ["file://./registry"] } }, "collections": {} }).to_string(),
    );
    let mut client = bench.client();
    let absolute = above.join("private").display().to_string();
    let file = format!("file://{absolute}/x.tar.gz");
    for source in [
        "../private",
        "../nowhere",
        "docs/../../private",
        &absolute,
        "linked",
        "/",
        "/etc/passwd",
        ".git",
        "secret-docs",
        "secret-docs/a.md",
        &file,
        "file://../private/x.tar.gz",
        "git+file:///srv/repository",
        "git@github.com:a/b.git",
        "ssh://git@internal/a/b",
        "http://example.org/manifest.json",
        "https://localhost/manifest.json",
        "https://127.0.0.1:8443/manifest.json",
        "https://169.254.169.254/latest/meta-data/manifest.json",
        "https://[::1]/manifest.json",
        "https://0x7f.1/manifest.json",
        "git+https://10.0.0.8/a/b",
        "guide@1.0.0",
    ] {
        let (kind, answer) = client.failure("source_add", json!({ "source": source }));
        assert_eq!(kind, "refused", "{source}: {answer}");
        assert!(!answer.to_string().contains("Diary"), "{answer}");
    }
    assert_eq!(bench.config()["collections"], json!({}));
}

/// A registry whose package is somewhere.
fn registry(url: &str) -> String {
    let version = json!({ "url": url, "hash": format!("sha256:{}", "0".repeat(64)) });
    let described = json!({ "description": "How\ntrains are run", "versions": { "1.0.0": version } });
    json!({ "schemaVersion": 1, "packages": { "guide": described } }).to_string()
}

#[test]
fn what_is_no_source_says_how_sources_are_spelled() {
    let bench = bench(Some("allow"));
    let mut client = bench.client();
    for (source, part) in [
        ("gihub:a/b", "did you mean `github:a/b`?"),
        ("github:a", "github:OWNER/NAME"),
        ("./nowhere", "nowhere"),
        ("a\u{0}b", "control characters"),
    ] {
        let (kind, answer) = client.failure("source_add", json!({ "source": source }));
        assert_eq!((kind.as_str(), answer["field"].as_str()), ("validation_error", Some("source")), "{answer}");
        assert!(answer["error"].as_str().unwrap().contains(part), "{answer}");
    }
    let (kind, answer) = client.failure("source_add", json!({ "source": "pictures" }));
    assert_eq!(kind, "not_found");
    assert!(answer["error"].as_str().unwrap().contains("1 png"), "{answer}");
    let (_, answer) = client.failure("source_add", json!({ "source": "npm:react" }));
    assert!(answer["instruction"].as_str().unwrap().contains("github:OWNER/NAME"), "{answer}");
    let (kind, _) = client.failure("source_add", json!({ "source": "x".repeat(3000) }));
    assert_eq!(kind, "validation_error");
    let (kind, _) = client.failure("source_add", json!({ "source": "docs", "name": "no name!" }));
    assert_eq!(kind, "invalid_name");
}

#[test]
fn packages_are_looked_for_within_a_budget() {
    let bench = bench(None);
    let mut client = bench.client();
    let (kind, answer) = client.failure("registry_search", json!({ "query": "trains" }));
    assert_eq!(kind, "not_found");
    assert!(answer["instruction"].as_str().unwrap().contains("registry.urls"), "{answer}");
    bench.write("registry/index.json", &registry("guide.tar.gz"));
    let settings = json!({ "settings": { "registry": { "urls": ["file://./registry"] } }, "collections": {} });
    bench.write("context.json", &settings.to_string());
    let found = client.value("registry_search", json!({ "query": "trains" }));
    assert_eq!(found["packages"][0]["name"], "guide");
    assert_eq!(found["packages"][0]["description"], "How trains are run");
    assert_eq!(client.value("registry_search", json!({ "query": "aeroplanes" }))["packages"], json!([]));
    let many: serde_json::Map<String, Value> = (0..2000)
        .map(|number| {
            let version = json!({ "url": "x.tar.gz", "hash": format!("sha256:{}", "0".repeat(64)) });
            let package = json!({ "description": "long words ".repeat(200), "versions": { "1.0.0": version } });
            (format!("package-{number}"), package)
        })
        .collect();
    bench.write("registry/index.json", &json!({ "schemaVersion": 1, "packages": many }).to_string());
    let found = client.value("registry_search", json!({ "query": "words", "max_tokens": 1000 }));
    let listed = found["packages"].as_array().unwrap().len();
    assert!(listed > 0 && listed + found["not_listed"].as_u64().unwrap() as usize == 2000, "{listed}");
}

#[test]
fn documents_of_dependencies_are_suggested() {
    let bench = bench(Some("allow"));
    bench.write("context.json", r#"{"collections": {}}"#);
    bench.write(
        "package-lock.json",
        r#"{"name": "app", "lockfileVersion": 3, "packages": {
            "": {"dependencies": {"express": "^4.0.0", "bare": "^1.0.0"}},
            "node_modules/express": {"version": "4.18.2"},
            "node_modules/bare": {"version": "1.0.0"}
        }}"#,
    );
    bench.write("node_modules/express/package.json", r#"{"name": "express", "version": "4.18.2"}"#);
    bench.write("node_modules/express/README.md", "# Express\n\nA route has parameters.\n");
    let mut client = bench.client();
    let found = client.value("suggest", json!({}));
    assert_eq!(found["suggestions"][0]["dependency"], "npm:express@4.18.2", "{found}");
    assert_eq!(found["suggestions"][0]["source"], "npm:express");
    assert_eq!(found["without"], 1);
    assert_eq!(client.value("suggest", json!({ "names": ["bare"] }))["suggestions"], json!([]));
    client.value("source_add", json!({ "source": "npm:express" }));
    client.value("collection_sync", json!({ "collections": ["express"] }));
    let hits = client.value("search", json!({ "query": "route with parameters", "scope": "collections" }));
    assert!(hits.to_string().contains("npm/express@4.18.2/README.md"), "{hits}");
    assert_eq!(client.value("suggest", json!({}))["suggestions"][0]["action"], "keep");
}
