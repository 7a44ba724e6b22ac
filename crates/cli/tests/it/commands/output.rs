//! Flags of every command: `--json`, `--quiet`, `--color`.

use super::{DOCS, shows};
use crate::support::{Run, Sandbox};

/// Every command with an answer, in an order in which each succeeds.
const COMMANDS: &[&[&str]] = &[
    &["collections", "init"],
    &["collections", "add", "docs", "./docs"],
    &["collections", "add", "spare", "./docs/ops"],
    &["collections", "list"],
    &["collections", "sync", "--dry-run"],
    &["collections", "sync"],
    &["collections", "sync", "--force", "docs"],
    &["collections", "list"],
    &["ref", "search", "lease"],
    &["ref", "search", "lease", "--explain", "--max-tokens", "50"],
    &["ref", "list-collections"],
    &["ref", "get", "docs/leases.md"],
    &["ref", "outline", "docs/leases.md"],
    &["ref", "update", "docs"],
    &["ref", "drop", "spare"],
    &["collections", "remove", "spare", "--drop"],
    &["config", "show"],
    &["doctor"],
    &["doctor", "--repair"],
    &["schema", "context"],
    &["schema", "manifest"],
];

fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    for (path, text) in DOCS {
        sandbox.write(format!("docs/{path}"), text);
    }
    sandbox
}

#[test]
fn json_is_one_value_on_stdout_and_nothing_else() {
    let sandbox = project();
    for command in COMMANDS {
        let run = sandbox.run(&[command, &["--json"][..]].concat());
        run.assert_code(0);
        assert!(run.json().is_object(), "{command:?}: {}", run.stdout());
        let deprecated = command.contains(&"update");
        assert!(run.stderr().is_empty() || deprecated, "{command:?}: {}", run.stderr());
    }
}

#[test]
fn json_of_the_first_minute_is_json() {
    let run = Sandbox::new().run(&["quickstart", "--json"]);
    run.assert_code(0);
    let stdout = run.stdout();
    let values: Result<Vec<serde_json::Value>, _> = serde_json::Deserializer::from_str(&stdout).into_iter().collect();
    assert_eq!(values.unwrap().len(), 5, "{stdout}");
}

#[test]
fn json_of_a_failure_is_json_too() {
    let sandbox = project();
    for command in [&["collections", "list"][..], &["collections", "sync"], &["ref", "get", "x"], &["ref", "drop", "x"]]
    {
        let run = sandbox.run(&[command, &["--json"]].concat());
        run.assert_code(2);
        assert_eq!(run.stdout(), "", "{command:?}");
        let error: serde_json::Value = serde_json::from_str(&run.stderr()).unwrap();
        assert!(error["error"]["message"].is_string(), "{error}");
    }
    shows!(sandbox, ["collections", "list", "--json"], @r#"
    exit: 2
    --- stderr
    {"error":{"message":"there is no context.json in [BOX]/project or any folder above it","hint":"make one with `ai-assist collections init`"}}
    "#);
}

#[test]
fn json_says_what_was_odd() {
    let sandbox = project();
    sandbox.write(
        "context.json",
        "{ \"collectons\": {}, \"collections\": { \"docs\": { \"type\": \"file\", \"path\": \"docs\" } } }",
    );
    let run = sandbox.run(&["collections", "sync", "--json"]);
    assert_eq!(run.assert_code(0).json()["collections"][0]["added"], 2);
    assert!(run.stderr().contains("collectons"), "{}", run.stderr());
}

#[test]
fn quiet_is_quiet_but_answers() {
    let sandbox = project();
    for command in COMMANDS {
        let run = sandbox.run(&[command, &["--quiet"][..]].concat());
        run.assert_code(0);
        assert_eq!(run.stderr(), "", "{command:?}");
        let asks = ["search", "list-collections", "get", "outline", "show", "list", "schema", "doctor"];
        let asks = asks.iter().any(|verb| command[..command.len().min(2)].contains(verb));
        assert_eq!(!run.stdout().is_empty(), asks, "{command:?}: {}", run.stdout());
    }
    let run = sandbox.run(&["-q", "ref", "get", "nothing"]);
    assert!(run.assert_code(2).stderr().starts_with("error: "), "{}", run.stderr());
}

#[test]
fn colours_only_where_they_are_wanted() {
    let sandbox = project();
    for command in &COMMANDS[..6] {
        sandbox.run(command).assert_code(0);
    }
    let search = |args: &[&str], environment: &[(&str, &str)]| {
        let mut command = sandbox.command();
        command.args(["ref", "search", "lease"]).args(args).envs(environment.iter().copied());
        Run(command.output().unwrap())
    };
    let colours = |run: &Run| run.assert_code(0).stdout().contains('\u{1b}');
    assert!(!colours(&search(&[], &[])), "a pipe is no terminal");
    assert!(colours(&search(&["--color", "always"], &[])));
    assert!(!colours(&search(&["--color", "never"], &[("CLICOLOR_FORCE", "1")])));
    assert!(!colours(&search(&[], &[("NO_COLOR", "1")])));
    assert!(!colours(&search(&["--json", "--color", "always"], &[])), "JSON has no colours");
    let error = sandbox.run(&["ref", "get", "nothing", "--color", "always"]);
    assert!(error.assert_code(2).stderr().starts_with("\u{1b}["), "{}", error.stderr());
}

#[test]
fn control_characters_in_documents_and_names_are_not_obeyed() {
    let sandbox = Sandbox::with_docs(&[("evil\u{1b}[2J.md", "# Walrus\n\nRed \u{1b}[31mwalrus\u{7}.\n")]);
    let sync = sandbox.sync();
    let search = sandbox.run(&["ref", "search", "walrus", "--mode", "lexical"]);
    search.assert_code(0);
    for stream in [sync.stdout(), sync.stderr(), search.stdout(), search.stderr()] {
        assert!(!stream.contains('\u{1b}') && !stream.contains('\u{7}'), "{stream:?}");
    }
    let marked = sandbox.run(&["ref", "search", "walrus", "--mode", "lexical", "--color", "always"]).stdout();
    assert!(!marked.contains("\u{1b}[31m") && !marked.contains("\u{1b}[2J") && !marked.contains('\u{7}'), "{marked:?}");
}
