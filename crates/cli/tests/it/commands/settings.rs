//! `config show`: every value with the place it came from.

use super::{DOCS, shows};
use crate::support::{Run, Sandbox};

#[test]
fn the_nearest_layer_wins() {
    let sandbox = Sandbox::with_docs(DOCS);
    let origin = |run: &Run, key: &str| {
        let shown = run.json();
        let setting = shown["settings"].as_array().unwrap().iter().find(|setting| setting["key"] == key).unwrap().clone();
        (setting["value"].as_str().unwrap().to_owned(), setting["origin"].as_str().unwrap().split(' ').next().unwrap().to_owned())
    };
    let limit = |command: &mut std::process::Command| {
        origin(&Run(command.args(["config", "show", "--json"]).output().unwrap()), "search.limit")
    };
    let is = |value: &str, from: &str| (value.to_owned(), from.to_owned());
    assert_eq!(limit(&mut sandbox.command()), is("10", "default"));
    std::fs::create_dir_all(sandbox.config()).unwrap();
    std::fs::write(sandbox.config().join("config.json"), "{ \"search\": { \"limit\": 4 } }").unwrap();
    assert_eq!(limit(&mut sandbox.command()), is("4", "user"));
    sandbox.write("context.json", "{ \"collections\": {}, \"settings\": { \"search\": { \"limit\": 3 } } }");
    assert_eq!(limit(&mut sandbox.command()), is("3", "project"));
    assert_eq!(limit(sandbox.command().env("AI_ASSIST_SEARCH_LIMIT", "2")), is("2", "environment"));
    let data = |args: &[&str]| origin(&sandbox.run(&[&["config", "show", "--json"], args].concat()), "data.dir");
    assert_eq!(data(&[]).1, "environment");
    assert_eq!(data(&["--data-dir", "/elsewhere"]), is("/elsewhere", "flag"));
}

#[test]
fn a_setting_does_what_it_says() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    let hits = |limit: &str| {
        let mut command = sandbox.command();
        command.args(["ref", "search", "lease", "--json"]).env("AI_ASSIST_SEARCH_LIMIT", limit);
        Run(command.output().unwrap()).json()["hits"].as_array().unwrap().len()
    };
    assert_eq!([hits("1"), hits("2")], [1, 2]);
    let mut command = sandbox.command();
    command.args(["collections", "sync", "--force", "--json"]).env("AI_ASSIST_SYNC_MAX_FILE_BYTES", "60");
    let report = Run(command.output().unwrap());
    assert_eq!(report.json()["collections"][0]["removed"], 1, "{}", report.stdout());
    let mut command = sandbox.command();
    command.args(["collections", "sync"]).env("AI_ASSIST_SYNC_MAX_FILES", "1");
    shows!(run sandbox, Run(command.output().unwrap()), @"");
}

#[test]
fn the_table() {
    let sandbox = Sandbox::with_docs(DOCS);
    std::fs::create_dir_all(sandbox.config()).unwrap();
    std::fs::write(sandbox.config().join("config.json"), "{ \"search\": { \"limit\": 4, \"denseWeight\": 0.5 } }").unwrap();
    sandbox.write("context.json", "{ \"settings\": { \"search\": { \"limit\": 3 }, \"sync.maxFiles\": 50 } }");
    shows!(sandbox, ["config", "show", "--cache-root", "/elsewhere"], @"");
}

#[test]
fn what_a_setting_can_not_be() {
    let sandbox = Sandbox::with_docs(DOCS);
    let with = |name: &str, value: &str| {
        Run(sandbox.command().args(["config", "show"]).env(name, value).output().unwrap())
    };
    shows!(run sandbox, with("AI_ASSIST_SEARCH_LIMIT", "many"), @"");
    shows!(run sandbox, with("AI_ASSIST_DATA_DIR", "relative"), @"");
    shows!(run sandbox, with("AI_ASSIST_PROJECT_CONFIG_FILE", "a/b.json"), @"");
    sandbox.write("context.json", "{\n  \"settings\": { \"search\": { \"limit\": 0 } }\n}\n");
    shows!(sandbox, ["config", "show"], @"");
    sandbox.write("context.json", "{\n  \"settings\": { \"data\": { \"dir\": \"/tmp/evil\" }, \"serch\": 1 }\n}\n");
    let run = sandbox.run(&["config", "show"]);
    insta::assert_snapshot!(super::settled(&sandbox, &run.stderr()), @"");
    assert!(!run.stdout().contains("evil"));
}

#[test]
fn the_configuration_may_have_another_name() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "# A\n");
    let run = |args: &[&str]| {
        Run(sandbox.command().args(args).env("AI_ASSIST_PROJECT_CONFIG_FILE", "ctx.json").output().unwrap())
    };
    run(&["collections", "init"]).assert_code(0);
    run(&["collections", "add", "docs", "docs"]).assert_code(0);
    run(&["collections", "sync"]).assert_code(0);
    assert!(sandbox.project().join("ctx.json").is_file() && !sandbox.project().join("context.json").exists());
    sandbox.run(&["collections", "list"]).assert_code(2);
    sandbox.run(&["collections", "list", "--config-file", "ctx.json"]).assert_code(0);
}
