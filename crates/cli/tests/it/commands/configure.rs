//! `collections init`, `add` and `remove`, and what is wrong with a configuration.

use super::{DOCS, shows};
use crate::support::Sandbox;

fn configuration(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.project().join("context.json")).unwrap()
}

#[test]
fn init_makes_a_configuration_once() {
    let sandbox = Sandbox::new();
    shows!(sandbox, ["collections", "init"], @"");
    insta::assert_snapshot!(configuration(&sandbox), @"");
    sandbox.write("context.json", "{ \"collections\": {} } // mine\n");
    shows!(sandbox, ["collections", "init"], @"");
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
    shows!(sandbox, ["collections", "add", "explicit", "--type", "file", "--path", "./docs", "--glob", "ops/*.md"], @"");
    shows!(sandbox, ["collections", "add", "folder", "docs"], @"");
    shows!(sandbox, ["collections", "add", "file", "docs/leases.md"], @"");
    shows!(sandbox, ["collections", "add", "react", "https://react.dev/context/v18/manifest.json"], @"");
    shows!(sandbox, ["collections", "add", "standards", "--type", "pkg", "--url", "file://../standards/manifest.json"], @"");
    insta::assert_snapshot!(configuration(&sandbox), @"");
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
    shows!(sandbox, ["collections", "add", "docs", "./docs"], @"");
    shows!(sandbox, ["collections", "add", "my docs", "./docs"], @"");
    shows!(sandbox, ["collections", "add", "-docs", "./docs"], @"");
    for name in ["_docs", "docs_", "docs-", "a.b", "a/b", "é", "", "1234567890123456789012345678901"] {
        let run = sandbox.run(&["collections", "add", "--", name, "./docs"]);
        assert!(run.stderr().contains("can't be a collection's name"), "{name}: {}", run.stderr());
        run.assert_code(2);
    }
    shows!(sandbox, ["collections", "add", "new"], @"");
    shows!(sandbox, ["collections", "add", "new", "--type", "pkg"], @"");
    shows!(sandbox, ["collections", "add", "new", "./docs", "--glob", "../*.md"], @"");
    shows!(sandbox, ["collections", "add", "new", "./docs", "--glob", "{a"], @"");
    shows!(sandbox, ["collections", "add", "new", "./docs", "--glob", ""], @"");
    shows!(sandbox, ["collections", "add", "new", "http://"], @"");
    assert_eq!(configuration(&sandbox), before);
}

#[test]
fn a_folder_that_is_not_there_yet_is_a_warning() {
    let sandbox = Sandbox::with_docs(DOCS);
    shows!(sandbox, ["collections", "add", "later", "./later"], @"");
}

#[test]
fn remove_keeps_what_is_indexed_unless_told() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    sandbox.run(&["collections", "add", "ops", "docs/ops"]).assert_code(0);
    sandbox.sync();
    shows!(sandbox, ["collections", "remove", "ops"], @"");
    assert_eq!(sandbox.json(&["ref", "ls"])["collections"].as_array().unwrap().len(), 2);
    shows!(sandbox, ["collections", "remove", "docs", "--drop"], @"");
    assert_eq!(sandbox.json(&["ref", "ls"])["collections"].as_array().unwrap().len(), 1);
    shows!(sandbox, ["collections", "remove", "docs"], @"");
    sandbox.assert_healthy();
}

#[test]
fn broken_json_is_shown_with_its_place() {
    let sandbox = Sandbox::with_docs(DOCS);
    sandbox.write("context.json", "{\n  \"collections\": {\n    \"docs\": { \"type\": \"file\" \"path\": \"docs\" }\n  }\n}\n");
    shows!(sandbox, ["collections", "list"], @"");
    sandbox.write("context.json", "{\n  \"collections\": {\n    \"docs\": { \"type\": \"git\" }\n  }\n}\n");
    shows!(sandbox, ["collections", "sync"], @"");
    sandbox.write("context.json", "{ \"collections\": { \"docs\": { \"type\": \"file\", \"path\": \"docs\", \"glob\": \"\" } } }\n");
    shows!(sandbox, ["collections", "sync"], @"");
}

#[test]
fn keys_that_nobody_reads_are_warned_of() {
    let sandbox = Sandbox::with_docs(DOCS);
    sandbox.write(
        "context.json",
        "{\n  \"collectons\": {},\n  \"collections\": {\n    \"my docs\": { \"type\": \"file\", \"path\": \"docs\", \"globs\": 1 }\n  }\n}\n",
    );
    shows!(sandbox, ["collections", "sync"], @"");
}

#[test]
fn outside_a_project_the_way_in_is_shown() {
    let sandbox = Sandbox::new();
    for args in [&["collections", "list"][..], &["collections", "sync"], &["collections", "add", "a", "."], &["collections", "remove", "a"]] {
        let run = sandbox.run(args);
        assert!(run.stderr().contains("hint: make one with `ai-assist collections init`"), "{args:?}: {}", run.stderr());
        run.assert_code(2);
    }
    shows!(sandbox, ["collections", "list"], @"");
    shows!(sandbox, ["ref", "ls"], @"");
    shows!(sandbox, ["ref", "search", "anything"], @"");
}

#[test]
fn a_project_is_found_from_below_and_named_from_afar() {
    let sandbox = Sandbox::with_docs(DOCS);
    std::fs::create_dir(sandbox.root().join("elsewhere")).unwrap();
    let below = sandbox.command().args(["collections", "sync"]).current_dir(sandbox.project().join("docs/ops")).output();
    shows!(run sandbox, crate::support::Run(below.unwrap()), @"");
    let elsewhere = |args: &[&str]| {
        let output = sandbox.command().args(args).current_dir(sandbox.root().join("elsewhere")).output();
        crate::support::Run(output.unwrap())
    };
    elsewhere(&["collections", "list"]).assert_code(2);
    elsewhere(&["-C", "../project", "collections", "list"]).assert_code(0);
    assert!(elsewhere(&["ref", "search", "lease", "-C", "../project/docs"]).assert_code(0).stdout().contains("docs/leases.md"));
    shows!(run sandbox, elsewhere(&["-C", "nowhere", "collections", "list"]), @"");
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
    shows!(sandbox, ["collections", "add", "tone", shared, "--global"], @"");
    sandbox.run(&["collections", "add", "docs", shared, "-g"]).assert_code(0);
    sandbox.sync();
    shows!(sandbox, ["collections", "list"], @"");
    assert_eq!(sandbox.hits(&["colleague", "-c", "docs", "--mode", "lexical"]), [""; 0]);
    assert_eq!(sandbox.hits(&["colleague", "--mode", "lexical"]), ["tone/tone.md:1-3"]);
    shows!(sandbox, ["collections", "remove", "tone", "-g"], @"");
    shows!(sandbox, ["collections", "remove", "tone", "-g"], @"");
}
