//! What `add` takes: how sources are spelled, what is found in a folder, and what is refused with the right spelling.

use serde_json::{Value, json};

use crate::support::Sandbox;

fn configuration(sandbox: &Sandbox) -> Value {
    let text = std::fs::read_to_string(sandbox.project().join("context.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn spellings_of_repositories_become_git_packages() {
    let sandbox = Sandbox::new();
    for (source, name, url) in [
        ("github:vitejs/vite", "vite", "git+https://github.com/vitejs/vite"),
        (
            "github:vitejs/vite@v5.0.0/docs",
            "vite-2",
            "git+https://github.com/vitejs/vite?glob=docs/**/{documents}#v5.0.0",
        ),
        (
            "https://github.com/pallets/flask/tree/main/docs",
            "flask",
            "git+https://github.com/pallets/flask?glob=docs/**/{documents}#main",
        ),
        ("https://gitlab.com/g/sub/tool", "tool", "git+https://gitlab.com/g/sub/tool"),
        ("https://bitbucket.org/a/b", "b", "git+https://bitbucket.org/a/b"),
        ("git+https://example.org/x/y?glob=*.md#main", "y", "git+https://example.org/x/y?glob=*.md#main"),
    ] {
        let added = sandbox.json(&["add", source, "--no-sync"]);
        assert_eq!((added["name"].as_str(), added["kind"].as_str()), (Some(name), Some("git repository")), "{source}");
        assert_eq!(configuration(&sandbox)["collections"][name]["url"], url, "{source}");
    }
    let added = sandbox.json(&["collections", "add", "named", "github:a/b@v1"]);
    assert_eq!(added["collection"]["url"], "git+https://github.com/a/b#v1");
}

#[test]
fn a_word_that_is_no_scheme_is_never_a_folder() {
    let sandbox = Sandbox::new();
    sandbox.run(&["collections", "init"]).assert_code(0);
    for (source, expected) in [
        ("htps://example.org/docs", "did you mean `https://example.org/docs`?"),
        ("gihub:vitejs/vite", "did you mean `github:vitejs/vite`?"),
        ("gh:vitejs/vite", "did you mean `github:vitejs/vite`?"),
        ("s3://bucket/key", "github:OWNER/NAME"),
        ("nonsense:thing", "npm:NAME"),
        ("github:vite", "github:OWNER/NAME"),
        ("github:../../etc/passwd", "github:OWNER/NAME"),
        ("github:a/b@--upload-pack=x", "github:OWNER/NAME"),
        ("npm:../../../etc", "npm:react"),
        ("npm:left-pad", "no lock file of this project has `npm:left-pad`"),
        ("crate:serde", "no lock file of this project has `crate:serde`"),
    ] {
        for args in [&["add", source][..], &["collections", "add", "x", source]] {
            let run = sandbox.run(args);
            assert!(run.assert_code(2).stderr().contains(expected), "{args:?}: {}", run.stderr());
        }
    }
    assert_eq!(configuration(&sandbox)["collections"], json!({}), "nothing was declared");
    // A folder that is really called so is named as a path.
    sandbox.write("github:a/b/x.md", "# X\n");
    let added = sandbox.json(&["add", "./github:a/b", "--name", "odd", "--no-sync"]);
    assert_eq!(added["kind"], "documents");
    sandbox.write("notes:today/x.md", "# X\n");
    assert_eq!(sandbox.json(&["add", "notes:today", "--no-sync"])["kind"], "documents");
}

#[test]
fn whatever_fails_leaves_no_configuration_behind() {
    let sandbox = Sandbox::new();
    for source in ["npm:left-pad", "gihub:a/b", "react@^18", "./nothing"] {
        sandbox.run(&["add", source]).assert_code(2);
        assert!(!sandbox.project().join("context.json").exists(), "{source}");
    }
    // What only fetching finds out.
    sandbox.write("broken.zip", "PK no archive");
    for source in ["git+file:///no/such/repository", "./broken.zip"] {
        let run = sandbox.run(&["add", source]);
        assert!(run.code() > 0 && run.stderr().contains("was not added"), "{source}: {}", run.stderr());
        assert!(!sandbox.project().join("context.json").exists(), "{source}");
    }
    sandbox.run(&["collections", "init"]).assert_code(0);
    assert!(sandbox.run(&["add", "./broken.zip"]).code() > 0);
    assert_eq!(configuration(&sandbox)["collections"], json!({}));
}

#[test]
fn documents_of_every_format_are_found_and_counted() {
    let sandbox = Sandbox::new();
    for (path, text) in [
        ("docs/a.md", "# A\n\nApples.\n"),
        ("docs/b.rst", "B\n=\n\nBananas.\n"),
        ("docs/c.mdx", "# C\n\nCherries.\n"),
        ("docs/d.adoc", "= D\n\nDates.\n"),
        ("docs/e.org", "* E\n\nElderberries.\n"),
        ("docs/README", "Figs.\n"),
        ("docs/deep/F.TXT", "Grapes.\n"),
        ("docs/logo.svg", "<svg/>"),
        ("docs/.env", "KEY=1"),
        ("docs/.gitignore", "drafts/\n"),
        ("docs/drafts/x.md", "# Draft\n"),
    ] {
        sandbox.write(path, text);
    }
    let run = sandbox.run(&["add", "docs", "--no-sync"]);
    let said = run.assert_code(0).stdout() + &run.stderr();
    assert!(said.contains("Added docs (documents): ./docs (**/{documents})"), "{said}");
    assert!(said.contains("7 files: 2 txt, 1 adoc, 1 md, 1 mdx, 1 org, 1 rst"), "{said}");
    for part in ["1 other file (1 svg)", "1 ignored", "1 named like a store of credentials"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let again = sandbox.json(&["add", "docs"]);
    assert_eq!(again["found"]["files"], 7);
    assert_eq!(again["found"]["formats"]["txt"], 2);
    assert_eq!(again["collections"][0]["documents"], 7, "{again}");
    assert!(sandbox.run(&["ref", "search", "elderberries"]).stdout().contains("docs/e.org"));
    // What comes later is taken in as well, whatever its format.
    sandbox.write("docs/later.ipynb", r#"{"cells": []}"#);
    sandbox.write("docs/later.tex", "\\section{Hazelnuts}\nText.\n");
    let synced = sandbox.json(&["collections", "sync"]);
    assert!(synced["collections"][0]["added"].as_u64().unwrap() >= 1, "{synced}");
}

#[test]
fn nothing_found_is_told_with_what_is_there_instead() {
    let sandbox = Sandbox::new();
    sandbox.write("pictures/a.png", b"\x89PNG");
    sandbox.write("pictures/b.svg", "<svg/>");
    std::fs::create_dir(sandbox.project().join("empty")).unwrap();
    let run = sandbox.run(&["add", "pictures"]);
    assert!(run.assert_code(1).stderr().contains("pictures holds no document: 2 other files (1 png, 1 svg)"));
    assert!(run.stderr().contains("--glob"), "{}", run.stderr());
    sandbox.write("bare/index", "The index page.\n");
    let run = sandbox.run(&["add", "bare"]);
    assert!(run.assert_code(1).stderr().contains("ai-assist add bare --glob '**/*'"), "{}", run.stderr());
    let run = sandbox.run(&["add", "empty"]);
    assert!(run.assert_code(1).stderr().contains("empty holds no document: no files"), "{}", run.stderr());
    assert!(!sandbox.project().join("context.json").exists(), "nothing was declared");
    let run = sandbox.run(&["add", "pictures", "--json"]);
    assert_eq!(run.assert_code(1).json()["added"], false);
    // The command that only edits declares it all the same, and says so.
    sandbox.run(&["collections", "init"]).assert_code(0);
    sandbox.write("src/main.rs", "fn main() {}\n");
    let run = sandbox.run(&["collections", "add", "code", "./src"]);
    assert!(run.assert_code(1).stderr().contains("code takes no file; the folder holds 1 other file (1 rs)"));
    assert!(run.stderr().contains("--glob '**/*.rs'"), "{}", run.stderr());
}

#[test]
fn a_pattern_makes_documents_of_a_folder_of_code() {
    let sandbox = Sandbox::new();
    sandbox.write("src/main.rs", "/// Starts.\nfn main() {}\n");
    let added = sandbox.json(&["add", "src", "--glob", "**/*.rs", "--no-sync"]);
    assert_eq!((added["kind"].as_str(), added["found"]["formats"]["rs"].as_u64()), (Some("documents"), Some(1)));
}

#[test]
fn a_configuration_without_a_glob_means_documents_of_every_format() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "# A\n");
    sandbox.write("docs/b.rst", "B\n=\n");
    sandbox.write("rst/b.rst", "B\n=\n");
    sandbox.write("context.json", r#"{"collections": {"docs": {"type": "file", "path": "docs"}}}"#);
    assert_eq!(sandbox.run(&["collections", "sync"]).assert_code(0).stdout().matches("2 documents ").count(), 1);
    let listed = sandbox.json(&["collections", "list"]);
    let id = listed["collections"][0]["id"].as_str().unwrap().to_owned();
    let with = |glob: &str| {
        sandbox.write(
            "context.json",
            format!(r#"{{"collections": {{"docs": {{"type": "file", "path": "docs", "glob": "{glob}"}}}}}}"#),
        );
        sandbox.json(&["collections", "list"])["collections"][0]["id"].as_str().unwrap().to_owned()
    };
    assert_eq!(with("**/{documents}"), id, "the same collection");
    // What it meant before is a collection of its own, under the id that it had.
    assert_ne!(with("**/*.md"), id);
    assert_eq!(sandbox.run(&["collections", "sync"]).assert_code(0).stdout().matches("1 document ").count(), 1);
    // Where that takes nothing, it says what there is.
    sandbox.write("context.json", r#"{"collections": {"docs": {"type": "file", "path": "rst", "glob": "**/*.md"}}}"#);
    let run = sandbox.run(&["collections", "sync"]);
    assert!(run.assert_code(1).stderr().contains("docs has no documents; its folder holds 1 other file (1 rst)"));
    assert!(run.stderr().contains("**/{documents}"), "{}", run.stderr());
}

#[test]
fn paths_stay_relative_as_they_were_typed() {
    let sandbox = Sandbox::new();
    sandbox.write("../shared/a.md", "# A\n");
    sandbox.write("deep/inner/project/docs/a.md", "# A\n");
    sandbox.write("far/a.md", "# A\n");
    sandbox.run(&["add", "../shared", "--no-sync"]).assert_code(0);
    assert_eq!(configuration(&sandbox)["collections"]["shared"]["path"], "../shared");
    let inner = "deep/inner/project";
    sandbox.run(&["-C", inner, "collections", "init"]).assert_code(0);
    sandbox.run(&["-C", inner, "add", "../../../far", "--no-sync"]).assert_code(0);
    sandbox.run(&["-C", inner, "collections", "add", "far2", "../../../far"]).assert_code(0);
    let text = std::fs::read_to_string(sandbox.project().join(inner).join("context.json")).unwrap();
    let written: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(written["collections"]["far"]["path"], "../../../far");
    assert_eq!(written["collections"]["far2"]["path"], "../../../far");
    sandbox.run(&["-C", inner, "collections", "sync"]).assert_code(0);
}

#[test]
fn a_bundle_or_manifest_named_as_a_file_is_a_package() {
    let sandbox = Sandbox::new();
    sandbox.write("pkg/guide.json", r#"{"name": "guide", "version": "1.0.0", "sources": {"glob": ["**/*.md"]}}"#);
    sandbox.write("pkg/a.md", "# A\n\nApples.\n");
    let packed =
        sandbox.json(&["collections", "pack", "--manifest", "pkg/guide.json", "--output", "guide-1.0.0.tar.gz"]);
    assert!(packed["path"].as_str().unwrap().ends_with("guide-1.0.0.tar.gz"), "{packed}");
    for (source, name) in [("pkg/guide.json", "guide"), ("guide-1.0.0.tar.gz", "guide-2")] {
        let added = sandbox.json(&["add", source]);
        assert_eq!(added["kind"], "package", "{added}");
        assert_eq!(added["collections"][0]["documents"], 1, "{added}");
        assert_eq!(configuration(&sandbox)["collections"][name]["url"], format!("file://./{source}"));
    }
    let added = sandbox.json(&["collections", "add", "third", "./guide-1.0.0.tar.gz"]);
    assert_eq!(added["collection"]["type"], "pkg");
    // A name that a URL would cut off.
    std::fs::copy(sandbox.project().join("guide-1.0.0.tar.gz"), sandbox.project().join("50% #1?.tar.gz")).unwrap();
    let added = sandbox.json(&["add", "50% #1?.tar.gz", "--name", "odd"]);
    assert_eq!(added["collections"][0]["documents"], 1, "{added}");
}

const CARGO_LOCK: &str = r#"version = 4

[[package]]
name = "app"
version = "0.1.0"
dependencies = ["trains", "bare"]

[[package]]
name = "bare"
version = "0.1.0"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "trains"
version = "0.3.1"
source = "registry+https://github.com/rust-lang/crates.io-index"
"#;

#[test]
fn a_dependency_means_its_documents_at_the_locked_version() {
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.lock", CARGO_LOCK);
    for version in ["0.3.1", "0.4.0"] {
        let folder =
            sandbox.root().join("home/.cargo/registry/src/index.crates.io-1").join(format!("trains-{version}"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("README.md"), format!("# Trains {version}\n\nAbout wheels.\n")).unwrap();
    }
    let added = sandbox.json(&["add", "crate:trains"]);
    assert_eq!((added["kind"].as_str(), added["name"].as_str()), (Some("dependency"), Some("trains")), "{added}");
    assert!(sandbox.run(&["ref", "get", "trains/cargo/trains@0.3.1/README.md"]).stdout().contains("Trains 0.3.1"));
    for (source, expected) in [
        ("cargo:trains@0.4", "`crate:trains` is locked at 0.3.1, not at 0.4"),
        ("crate:bare", "is locked, but no document of it is on this machine"),
        ("crate:trians", "did you mean `crate:trains`?"),
        ("npm:trains", "no lock file of this project has `npm:trains`"),
    ] {
        let run = sandbox.run(&["add", source]);
        assert!(run.assert_code(2).stderr().contains(expected), "{source}: {}", run.stderr());
    }
}

/// Publishes a package `guide` whose only document says whose it is.
fn publish(sandbox: &Sandbox, registry: &str, name: &str, version: &str) {
    let manifest = json!({ "name": name, "version": version, "sources": { "glob": ["**/*.md"] } });
    sandbox.write("../made/manifest.json", manifest.to_string());
    sandbox.write("../made/a.md", format!("# Guide\n\nThis is of {registry}.\n"));
    let to = sandbox.root().join(registry).display().to_string();
    let manifest = sandbox.root().join("made/manifest.json").display().to_string();
    sandbox.run(&["collections", "publish", &to, "--manifest", &manifest]).assert_code(0);
}

#[test]
fn registries_of_a_project_come_behind_the_users_own() {
    let sandbox = Sandbox::new();
    publish(&sandbox, "mine", "guide", "1.0.0");
    // Whoever wants to be taken for it publishes a higher version.
    publish(&sandbox, "theirs", "guide", "9.0.0");
    publish(&sandbox, "theirs", "extra", "1.0.0");
    let url = |name: &str| format!("file://{}", sandbox.root().join(name).display());
    sandbox.write(
        "context.json",
        json!({ "settings": { "registry": { "urls": [url("theirs")] } }, "collections": {} }).to_string(),
    );
    sandbox.run(&["config", "set", "registry.urls", &url("mine")]).assert_code(0);
    let both = sandbox.json(&["config", "get", "registry.urls"]);
    assert_eq!(both["value"], format!("{} {}", url("mine"), url("theirs")), "{both}");
    assert!(both["origin"].as_str().unwrap().contains(" and project ("), "{both}");
    let run = sandbox.run(&["add", "guide", "--no-sync"]);
    run.assert_code(0);
    assert!(run.stderr().contains("Found guide 1.0.0 in the registry "), "{}", run.stderr());
    assert!(run.stderr().contains("theirs") && run.stderr().contains("does not count"), "{}", run.stderr());
    assert!(configuration(&sandbox)["collections"]["guide"]["url"].as_str().unwrap().contains("mine"));
    let run = sandbox.run(&["collections", "add", "extra@^1"]);
    assert!(run.assert_code(0).stderr().contains("in the project's registry"), "{}", run.stderr());
    let hits = sandbox.json(&["collections", "search-registry", "guide"]);
    let hidden: Vec<bool> =
        hits["packages"].as_array().unwrap().iter().map(|hit| hit["hidden"].as_bool().unwrap_or_default()).collect();
    assert_eq!(hidden, [false, true], "{hits}");
    // Nothing of the project's takes the place of what could not be asked.
    std::fs::remove_dir_all(sandbox.root().join("mine")).unwrap();
    let run = sandbox.run(&["add", "guide@^9", "--no-sync"]);
    assert_eq!(run.code(), 2, "{}", run.stderr());
    let run = sandbox.run(&["collections", "suggest"]);
    assert!(run.stderr().contains("was not asked, because one of your own can't be read"), "{}", run.stderr());
}
