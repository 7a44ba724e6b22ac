//! `doctor`, `schema`, `completions`, `man`, `quickstart`.

use super::{DOCS, shows};
use crate::support::{Run, Sandbox};

#[test]
fn doctor_on_a_sound_machine() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    shows!(sandbox, ["doctor"], @"
    exit: 0
    --- stdout
    ✓ database: sound, 1 collection
    ✓ index of file:[ID]: sound, 2 documents, 2 chunks
    ✓ model ai-assist-static-256@1: sound, 256 dimensions
    ");
    shows!(sandbox, ["doctor", "--repair"], @"
    exit: 0
    --- stdout
    ✓ database: sound, 1 collection
    ✓ index of file:[ID]: sound, 2 documents, 2 chunks
    ✓ model ai-assist-static-256@1: sound, 256 dimensions
    ");
}

#[test]
fn doctor_before_anything_is_there() {
    let sandbox = Sandbox::new();
    shows!(sandbox, ["doctor"], @"
    exit: 0
    --- stdout
    ✓ database: sound, 0 collections
    ✓ model ai-assist-static-256@1: sound, 256 dimensions
    ");
}

#[test]
fn shells_ask_the_program() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.run(&["completions", shell]).assert_code(0).stdout();
        assert!(script.contains("COMPLETE") && script.len() < 8_000, "{shell}: {}", script.len());
        let mut same = sandbox.command();
        same.env("COMPLETE", shell);
        assert_eq!(String::from_utf8_lossy(&same.output().unwrap().stdout), script, "{shell}");
    }
    sandbox.run(&["completions", "tcsh"]).assert_code(2);
}

#[test]
fn names_are_completed() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    sandbox.run(&["categories", "add", "ops", "docs/ops"]).assert_code(0);
    sandbox.run(&["session", "open", "morning"]).assert_code(0);
    sandbox.run(&["workspace", "init", "docs"]).assert_code(0);
    let offered = |words: &[&str]| {
        let mut command = sandbox.command();
        command.env("COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", words.len().to_string());
        command.env("_CLAP_COMPLETE_COMP_TYPE", "9").env("_CLAP_IFS", "\n").args(["--", "ai-assist"]).args(words);
        let output = command.output().unwrap();
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    for (words, expected) in [
        (&["collections", "sy"][..], "sync"),
        (&["collections", "sync", ""], "docs"),
        (&["collections", "sync", "op"], "ops"),
        (&["categories", "rm", ""], "ops"),
        (&["session", "show", "--session", "m"], "morning"),
        (&["workspace", "rm", ""], "docs"),
        (&["config", "get", "search.l"], "search.limit"),
        (&["ref", "get", "--collection", "d"], "docs"),
    ] {
        assert!(offered(words).iter().any(|word| word == expected), "{words:?}: {:?}", offered(words));
    }
}

#[test]
fn manual_pages() {
    let sandbox = Sandbox::new();
    let page = sandbox.run(&["man"]);
    assert!(page.assert_code(0).stdout().contains(".SH NAME\nai\\-assist"), "{}", page.stdout());
    sandbox.run(&["man", "--dir", "pages"]).assert_code(0);
    let pages: Vec<String> = std::fs::read_dir(sandbox.project().join("pages"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for page in ["ai-assist.1", "ai-assist-collections-sync.1", "ai-assist-ref-search.1"] {
        assert!(pages.iter().any(|name| name == page), "{page}: {pages:?}");
    }
    assert!(!pages.iter().any(|name| name == "ai-assist-reference.1"), "the hidden command has a page");
}

#[test]
fn schemas_describe_what_init_and_add_write() {
    let sandbox = Sandbox::with_docs(DOCS);
    for name in ["context", "manifest"] {
        let schema = sandbox.run(&["schema", name]).assert_code(0).json();
        assert_eq!(schema["type"], "object", "{name}");
        assert!(schema["properties"].is_object(), "{name}");
    }
    let schema = sandbox.run(&["schema", "context"]).json();
    let written = std::fs::read_to_string(sandbox.project().join("context.json")).unwrap();
    let written: serde_json::Value = serde_json::from_str(&written).unwrap();
    for key in written.as_object().unwrap().keys() {
        assert!(schema["properties"].get(key).is_some(), "{key}");
    }
    let named = sandbox.project().join(written["$schema"].as_str().unwrap());
    let beside: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(named).unwrap()).unwrap();
    assert_eq!(schema, beside, "what an editor loads");
    shows!(sandbox, ["schema", "nothing"], @"
    exit: 2
    --- stderr
    error: invalid value 'nothing' for '<NAME>'
      [possible values: context, manifest, lock, registry, workspace, workspace-manifest, repo]

    For more information, try '--help'.
    ");
}

#[test]
fn the_first_minute() {
    let sandbox = Sandbox::new();
    // Without a service, which would keep something.
    let run = Run(sandbox.command().arg("quickstart").output().unwrap());
    run.assert_code(0);
    assert!(run.stdout().contains("manual/") && run.stderr().contains("$ ai-assist sync"), "{}", run.stdout());
    assert!(!sandbox.data().exists() && !sandbox.project().join("context.json").exists(), "it left something behind");
}

#[test]
fn the_version_and_no_command() {
    let sandbox = Sandbox::new();
    let version = sandbox.run(&["--version"]);
    assert_eq!(version.assert_code(0).stdout(), format!("ai-assist {}\n", env!("CARGO_PKG_VERSION")));
    let run = sandbox.run(&[]);
    assert!(run.assert_code(2).stderr().contains("Usage: ai-assist"), "{}", run.stderr());
    let run = sandbox.run(&["colections"]);
    assert!(run.assert_code(2).stderr().contains("collections"), "{}", run.stderr());
}
