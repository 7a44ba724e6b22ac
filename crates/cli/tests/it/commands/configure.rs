//! `collections init`, `add` and `remove`, and what is wrong with a configuration.

use super::{DOCS, shows};
use crate::support::Sandbox;

fn configuration(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.project().join("context.json")).unwrap()
}

#[test]
fn init_makes_a_configuration_once() {
    let sandbox = Sandbox::new();
    shows!(sandbox, ["collections", "init"], @"
    exit: 0
    --- stdout
    Created [BOX]/project/context.json
    --- stderr
    Next: ai-assist collections add docs ./docs
    ");
    insta::assert_snapshot!(configuration(&sandbox), @r#"
    {
      "$schema": "./.ai-assist/context.schema.json",
      "collections": {}
    }
    "#);
    sandbox.write("context.json", "{ \"collections\": {} } // mine\n");
    shows!(sandbox, ["collections", "init"], @"
    exit: 2
    --- stderr
    error: [BOX]/project/context.json is there already
    hint: `--force` replaces it
    ");
    assert_eq!(configuration(&sandbox), "{ \"collections\": {} } // mine\n");
    sandbox.run(&["collections", "init", "--force"]).assert_code(0);
    assert!(!configuration(&sandbox).contains("mine"));
}

#[test]
fn add_spells_out_what_it_infers() {
    let sandbox = Sandbox::new();
    for (path, text) in DOCS {
        sandbox.write(format!("docs/{path}"), text);
    }
    sandbox.run(&["collections", "init"]).assert_code(0);
    shows!(sandbox, ["collections", "add", "explicit", "--type", "file", "--path", "./docs", "--glob", "ops/*.md"], @"
    exit: 0
    --- stdout
    Added explicit (file): ./docs (ops/*.md)
      1 file: 1 md
    --- stderr
      left out: 1 other file (1 md)
    Next: ai-assist collections sync explicit
    ");
    shows!(sandbox, ["collections", "add", "folder", "docs"], @"
    exit: 0
    --- stdout
    Added folder (file): ./docs (**/{documents})
      2 files: 2 md
    --- stderr
    Next: ai-assist collections sync folder
    ");
    shows!(sandbox, ["collections", "add", "file", "docs/leases.md"], @"
    exit: 0
    --- stdout
    Added file (file): ./docs (leases.md)
    --- stderr
    Next: ai-assist collections sync file
    ");
    shows!(sandbox, ["collections", "add", "react", "https://react.dev/context/v18/manifest.json"], @"
    exit: 0
    --- stdout
    Added react (pkg): https://react.dev/context/v18/manifest.json
    --- stderr
    Next: ai-assist collections sync react
    ");
    shows!(sandbox, ["collections", "add", "standards", "--type", "pkg", "--url", "file://../standards/manifest.json"], @"
    exit: 0
    --- stdout
    Added standards (pkg): file://../standards/manifest.json
    --- stderr
    Next: ai-assist collections sync standards
    ");
    insta::assert_snapshot!(configuration(&sandbox), @r#"
    {
      "$schema": "./.ai-assist/context.schema.json",
      "collections": {
        "explicit": {
          "type": "file",
          "path": "./docs",
          "glob": "ops/*.md"
        },
        "folder": {
          "type": "file",
          "path": "./docs",
          "glob": "**/{documents}"
        },
        "file": {
          "type": "file",
          "path": "./docs",
          "glob": "leases.md"
        },
        "react": {
          "type": "pkg",
          "url": "https://react.dev/context/v18/manifest.json"
        },
        "standards": {
          "type": "pkg",
          "url": "file://../standards/manifest.json"
        }
      }
    }
    "#);
    sandbox.run(&["collections", "sync", "explicit", "folder", "file"]).assert_code(0);
    let documents = |name: &str| sandbox.hits(&["lease backups", "--collection", name]).len();
    assert_eq!([documents("explicit"), documents("folder"), documents("file")], [1, 2, 1]);
}

#[test]
fn a_single_file_with_glob_characters_is_one_file() {
    let sandbox = Sandbox::new();
    sandbox.write("notes [a*].md", "# Odd\n\nThe walrus.\n");
    sandbox.write("notes a.md", "# Even\n\nThe walrus again.\n");
    sandbox.run(&["collections", "init"]).assert_code(0);
    sandbox.run(&["collections", "add", "odd", "notes [a*].md"]).assert_code(0);
    sandbox.sync();
    assert_eq!(sandbox.hits(&["walrus"]), ["odd/notes [a*].md:1-3"]);
}

#[test]
fn add_refuses_what_can_not_be() {
    let sandbox = Sandbox::with_docs(DOCS);
    let before = configuration(&sandbox);
    shows!(sandbox, ["collections", "add", "docs", "./docs"], @"
    exit: 2
    --- stderr
    error: the collection `docs` is in the configuration already
    hint: choose another name, or `ai-assist collections remove docs` first
    ");
    shows!(sandbox, ["collections", "add", "my docs", "./docs"], @"
    exit: 2
    --- stderr
    error: `my docs` can't be the name of a collection: only letters, digits, `-` and `_` are allowed
    ");
    shows!(sandbox, ["collections", "add", "-docs", "./docs"], @"
    exit: 2
    --- stderr
    error: unexpected argument '-d' found

      tip: to pass '-d' as a value, use '-- -d'

    Usage: ai-assist collections add [OPTIONS] <NAME> [SOURCE]

    For more information, try '--help'.
    ");
    for name in ["_docs", "docs_", "docs-", "a.b", "a/b", "é", "", "1234567890123456789012345678901"] {
        let run = sandbox.run(&["collections", "add", "--", name, "./docs"]);
        assert!(run.stderr().contains("can't be the name of a collection"), "{name}: {}", run.stderr());
        run.assert_code(2);
    }
    shows!(sandbox, ["collections", "add", "new"], @"
    exit: 2
    --- stderr
    error: a folder, a file or a URL is needed, such as `ai-assist collections add docs ./docs`
    ");
    shows!(sandbox, ["collections", "add", "new", "--type", "pkg"], @"
    exit: 2
    --- stderr
    error: a collection of type pkg needs a --url
    ");
    shows!(sandbox, ["collections", "add", "new", "./docs", "--glob", "../*.md"], @"
    exit: 2
    --- stderr
    error: the glob `../*.md` has a `..` in it; globs can't leave the collection's folder
    ");
    shows!(sandbox, ["collections", "add", "new", "./docs", "--glob", "{a"], @r"
    exit: 2
    --- stderr
    error: the glob `{a` is not valid: a `{` is not closed; write `\{` for the character itself
    ");
    shows!(sandbox, ["collections", "add", "new", "./docs", "--glob", ""], @"
    exit: 2
    --- stderr
    error: a glob is empty; `**/*` selects every file
    ");
    shows!(sandbox, ["collections", "add", "new", "http://"], @"
    exit: 2
    --- stderr
    error: `http://` is not a URL: empty host
    ");
    assert_eq!(configuration(&sandbox), before);
}

#[test]
fn a_folder_that_is_not_there_yet_is_a_warning() {
    let sandbox = Sandbox::with_docs(DOCS);
    shows!(sandbox, ["collections", "add", "later", "./later"], @"
    exit: 0
    --- stdout
    Added later (file): ./later (**/{documents})
    --- stderr
    warning: [BOX]/project/later is not a folder yet
    Next: ai-assist collections sync later
    ");
}

#[test]
fn remove_keeps_what_is_indexed_unless_told() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    sandbox.run(&["collections", "add", "ops", "docs/ops"]).assert_code(0);
    sandbox.sync();
    shows!(sandbox, ["collections", "remove", "ops"], @"
    exit: 0
    --- stdout
    Removed ops from [BOX]/project/context.json
    ");
    assert_eq!(sandbox.json(&["ref", "ls", "--all"])["collections"].as_array().unwrap().len(), 2);
    shows!(sandbox, ["collections", "remove", "docs", "--drop"], @"
    exit: 0
    --- stdout
    Removed docs from [BOX]/project/context.json and dropped what was indexed of it
    ");
    assert_eq!(sandbox.json(&["ref", "ls", "--all"])["collections"].as_array().unwrap().len(), 1);
    shows!(sandbox, ["collections", "remove", "docs"], @"
    exit: 2
    --- stderr
    error: there is no collection `docs`
    hint: `ai-assist collections list` shows the names
    ");
    sandbox.assert_healthy();
}

#[test]
fn broken_json_is_shown_with_its_place() {
    let sandbox = Sandbox::with_docs(DOCS);
    sandbox.write(
        "context.json",
        "{\n  \"collections\": {\n    \"docs\": { \"type\": \"file\" \"path\": \"docs\" }\n  }\n}\n",
    );
    shows!(sandbox, ["collections", "list"], @"
    exit: 2
    --- stderr
    error: [BOX]/project/context.json:3:29: Expected comma
    ");
    sandbox.write("context.json", "{\n  \"collections\": {\n    \"docs\": { \"type\": \"git\" }\n  }\n}\n");
    shows!(sandbox, ["collections", "sync"], @"
    exit: 2
    --- stderr
    error: [BOX]/project/context.json:3:23: `git` is not a type of collection; the types are `file`, `pkg`, `site` and `dep`
    ");
    sandbox.write(
        "context.json",
        "{ \"collections\": { \"docs\": { \"type\": \"file\", \"path\": \"docs\", \"glob\": \"\" } } }\n",
    );
    shows!(sandbox, ["collections", "sync"], @"
    exit: 2
    --- stderr
    error: [BOX]/project/context.json:1:70: a glob is empty; `**/*` selects every file
    ");
}

#[test]
fn keys_that_nobody_reads_are_warned_of() {
    let sandbox = Sandbox::with_docs(DOCS);
    sandbox.write(
        "context.json",
        "{\n  \"collectons\": {},\n  \"collections\": {\n    \"my docs\": { \"type\": \"file\", \"path\": \"docs\", \"globs\": 1 }\n  }\n}\n",
    );
    shows!(sandbox, ["collections", "sync"], @"
    exit: 0
    --- stdout
      ✓ 2 documents (2 added, 0 updated, 0 removed)
    --- stderr
    warning: [BOX]/project/context.json:2:3: the key `collectons` is not known and is ignored; did you mean `collections`?
    warning: [BOX]/project/context.json:4:5: the name `my docs` is unusual: only letters, digits, `-` and `_` are allowed
    warning: [BOX]/project/context.json:4:50: the key `globs` is not known and is ignored; did you mean `glob`?
    Syncing my docs (file)...
      + adding: leases.md
      + adding: ops/backups.md
    ");
}

#[test]
fn outside_a_project_the_way_in_is_shown() {
    let sandbox = Sandbox::new();
    for args in [
        &["collections", "list"][..],
        &["collections", "sync"],
        &["collections", "add", "a", "."],
        &["collections", "remove", "a"],
    ] {
        let run = sandbox.run(args);
        assert!(
            run.stderr().contains("hint: make one with `ai-assist collections init`"),
            "{args:?}: {}",
            run.stderr()
        );
        run.assert_code(2);
    }
    shows!(sandbox, ["collections", "list"], @"
    exit: 2
    --- stderr
    error: there is no context.json in [BOX]/project or any folder above it
    hint: make one with `ai-assist collections init`
    ");
    shows!(sandbox, ["ref", "ls"], @"
    exit: 1
    --- stderr
    Nothing is indexed here yet. Start with: ai-assist sync
    ");
    let search = sandbox.run(&["ref", "search", "anything"]);
    search.assert_code(1);
    assert!(!search.stderr().contains("filters"), "there were none: {}", search.stderr());
}

#[test]
fn a_project_is_found_from_below_and_named_from_afar() {
    let sandbox = Sandbox::with_docs(DOCS);
    std::fs::create_dir(sandbox.root().join("elsewhere")).unwrap();
    let below =
        sandbox.command().args(["collections", "sync"]).current_dir(sandbox.project().join("docs/ops")).output();
    shows!(run sandbox, crate::support::Run(below.unwrap()), @"
    exit: 0
    --- stdout
      ✓ 2 documents (2 added, 0 updated, 0 removed)
    --- stderr
    Syncing docs (file)...
      + adding: leases.md
      + adding: ops/backups.md
    ");
    let elsewhere = |args: &[&str]| {
        let output = sandbox.command().args(args).current_dir(sandbox.root().join("elsewhere")).output();
        crate::support::Run(output.unwrap())
    };
    elsewhere(&["collections", "list"]).assert_code(2);
    elsewhere(&["-C", "../project", "collections", "list"]).assert_code(0);
    assert!(
        elsewhere(&["ref", "search", "lease", "-C", "../project/docs"])
            .assert_code(0)
            .stdout()
            .contains("docs/leases.md")
    );
    shows!(run sandbox, elsewhere(&["-C", "nowhere", "collections", "list"]), @"
    exit: 2
    --- stderr
    error: [BOX]/elsewhere/nowhere is not a folder
    ");
    // A source is relative to the folder that the user is in, and written relative to the project.
    elsewhere(&["-C", "../project/docs", "collections", "add", "ops", "ops"]).assert_code(0);
    assert!(configuration(&sandbox).contains("\"path\": \"./docs/ops\""), "{}", configuration(&sandbox));
}

#[test]
fn global_collections_are_there_in_every_project_and_the_project_s_name_wins() {
    let sandbox = Sandbox::with_docs(DOCS);
    let shared = sandbox.root().join("shared");
    std::fs::create_dir(&shared).unwrap();
    std::fs::write(shared.join("tone.md"), "# Tone\n\nWrite plainly, as to a colleague.\n").unwrap();
    let shared = shared.to_str().unwrap();
    shows!(sandbox, ["collections", "add", "tone", shared, "--global"], @"
    exit: 0
    --- stdout
    Added tone (file): [BOX]/shared (**/{documents})
      1 file: 1 md
    --- stderr
    Next: ai-assist collections sync tone
    ");
    sandbox.run(&["collections", "add", "docs", shared, "-g"]).assert_code(0);
    sandbox.sync();
    let own = sandbox.run(&["collections", "list"]);
    assert!(!own.stdout().contains("tone") && own.stderr() == "1 collection of your own: --all\n", "{}", own.stderr());
    shows!(sandbox, ["collections", "list", "--all"], @"
    exit: 0
    --- stdout
    ├──
    │ Name │ Type │ Source │ Status │
    ├──
    │ docs │ file │ ./docs (**/{documents}) │ ✓ synced │
    │ tone │ file │ [BOX]/shared (**/{documents}) │ ✓ synced │
    ├──
    ");
    assert_eq!(sandbox.hits(&["colleague", "-c", "docs", "--mode", "lexical"]), [""; 0]);
    assert_eq!(sandbox.hits(&["colleague", "--mode", "lexical"]), ["tone/tone.md:1-3"]);
    shows!(sandbox, ["collections", "remove", "tone", "-g"], @"
    exit: 0
    --- stdout
    Removed tone from [BOX]/config/context.json
    ");
    shows!(sandbox, ["collections", "remove", "tone", "-g"], @"
    exit: 2
    --- stderr
    error: there is no collection `tone`
    hint: `ai-assist collections list` shows the names
    ");
}

/// One source that means nothing is a matter of that source: everything else works, and it can be removed.
#[test]
fn a_broken_collection_disables_nothing_else() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "# A\n\nThe walrus.\n");
    sandbox.write(
        "context.json",
        r#"{"collections": {
            "docs": {"type": "file", "path": "docs"},
            "typo": {"type": "pkg", "url": "htps://example.com/manifest.json"}
        }}"#,
    );
    let synced = sandbox.run(&["collections", "sync"]);
    synced.assert_code(1);
    assert!(synced.stderr().contains("the source of `typo` can't be used"), "{}", synced.stderr());
    assert_eq!(sandbox.hits(&["walrus"]).len(), 1);
    sandbox.run(&["search", "walrus"]).assert_code(0);
    let listed = sandbox.json(&["collections", "list"]);
    let states: Vec<(&str, &str)> = listed["collections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["name"].as_str().unwrap(), it["status"].as_str().unwrap()))
        .collect();
    assert_eq!(states, [("docs", "synced"), ("typo", "error")]);
    for args in [&["status"][..], &["ls"], &["doctor"]] {
        assert!(sandbox.run(args).code() <= 1, "{args:?}: {}", sandbox.run(args).stderr());
    }
    sandbox.run(&["collections", "remove", "typo"]).assert_code(0);
    sandbox.run(&["collections", "sync"]).assert_code(0);
}
