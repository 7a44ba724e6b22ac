//! `config show`: every value with the place it came from.

use super::{DOCS, shows};
use crate::support::{Run, Sandbox};

#[test]
fn the_nearest_layer_wins() {
    let sandbox = Sandbox::with_docs(DOCS);
    let origin = |run: &Run, key: &str| {
        let shown = run.json();
        let setting =
            shown["settings"].as_array().unwrap().iter().find(|setting| setting["key"] == key).unwrap().clone();
        (
            setting["value"].as_str().unwrap().to_owned(),
            setting["origin"].as_str().unwrap().split(' ').next().unwrap().to_owned(),
        )
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
        command.args(["ref", "search", "lease backups", "--json"]).env("AI_ASSIST_SEARCH_LIMIT", limit);
        Run(command.output().unwrap()).json()["hits"].as_array().unwrap().len()
    };
    assert_eq!([hits("1"), hits("2")], [1, 2]);
    let mut command = sandbox.command();
    command.args(["collections", "sync", "--force", "--json"]).env("AI_ASSIST_SYNC_MAX_FILE_BYTES", "60");
    let report = Run(command.output().unwrap());
    assert_eq!(report.json()["collections"][0]["removed"], 1, "{}", report.stdout());
    let mut command = sandbox.command();
    command.args(["collections", "sync"]).env("AI_ASSIST_SYNC_MAX_FILES", "1");
    shows!(run sandbox, Run(command.output().unwrap()), @"
    exit: 2
    --- stderr
    Syncing docs (file)...
    error: [BOX]/project/docs holds more than 1 matching files; narrow the globs or raise the limit
    hint: the limit is the setting `sync.maxFiles`
    ");
}

#[test]
fn the_table() {
    let sandbox = Sandbox::with_docs(DOCS);
    std::fs::create_dir_all(sandbox.config()).unwrap();
    std::fs::write(sandbox.config().join("config.json"), "{ \"search\": { \"limit\": 4, \"denseWeight\": 0.5 } }")
        .unwrap();
    sandbox.write("context.json", "{ \"settings\": { \"search\": { \"limit\": 3 }, \"sync.maxFiles\": 50 } }");
    shows!(sandbox, ["config", "show", "--cache-root", "/elsewhere"], @"
    exit: 0
    --- stdout
    ├──
    │ Setting │ Value │ From │
    ├──
    │ project.configFile │ context.json │ default │
    │ data.dir │ [BOX]/data │ environment (AI_ASSIST_DATA_DIR) │
    │ cache.root │ /elsewhere │ flag │
    │ search.limit │ 3 │ project ([BOX]/project/context.json) │
    │ search.denseWeight │ 0.5 │ user ([BOX]/config/config.json) │
    │ search.language │ en │ default │
    │ serve.syncRemote │ true │ default │
    │ serve.syncHours │ 24 │ default │
    │ sync.maxFileBytes │ 16777216 │ default │
    │ sync.maxFiles │ 50 │ project ([BOX]/project/context.json) │
    │ pack.providerLimits │ {} │ default │
    │ registry.urls │  │ default │
    │ mcp.sources │ ask │ default │
    │ site.maxPages │ 10000 │ default │
    │ site.maxDepth │ 24 │ default │
    │ site.requestsPerSecond │ 8 │ default │
    │ site.parallel │ 4 │ default │
    │ network.offline │ false │ default │
    │ network.allowHttp │ false │ default │
    │ network.caFile │  │ default │
    │ network.parallel │ 16 │ default │
    │ network.parallelPerHost │ 8 │ default │
    │ network.attempts │ 4 │ default │
    │ network.maxRedirects │ 10 │ default │
    │ network.maxManifestBytes │ 33554432 │ default │
    │ network.maxPackageFiles │ 100000 │ default │
    │ network.maxTotalBytes │ 4294967296 │ default │
    │ network.connectTimeout │ 10 │ default │
    │ network.idleTimeout │ 30 │ default │
    │ network.requestTimeout │ 300 │ default │
    │ network.totalTimeout │ 3600 │ default │
    ├──
    --- stderr
    Project: [BOX]/project/context.json
    ");
}

#[test]
fn what_a_setting_can_not_be() {
    let sandbox = Sandbox::with_docs(DOCS);
    let with =
        |name: &str, value: &str| Run(sandbox.command().args(["config", "show"]).env(name, value).output().unwrap());
    shows!(run sandbox, with("AI_ASSIST_SEARCH_LIMIT", "many"), @"
    exit: 2
    --- stderr
    error: environment (AI_ASSIST_SEARCH_LIMIT) sets `search.limit` to `many`, but it takes a whole number of at least 1
    ");
    shows!(run sandbox, with("AI_ASSIST_DATA_DIR", "relative"), @"
    exit: 2
    --- stderr
    error: environment (AI_ASSIST_DATA_DIR) sets `data.dir` to `relative`, but it takes a folder's absolute path
    ");
    shows!(run sandbox, with("AI_ASSIST_PROJECT_CONFIG_FILE", "a/b.json"), @"
    exit: 2
    --- stderr
    error: environment (AI_ASSIST_PROJECT_CONFIG_FILE) sets `project.configFile` to `a/b.json`, but it takes a file name without folders
    ");
    sandbox.write("context.json", "{\n  \"settings\": { \"search\": { \"limit\": 0 } }\n}\n");
    shows!(sandbox, ["config", "show"], @"
    exit: 2
    --- stderr
    error: [BOX]/project/context.json:2:38: `search.limit` takes a whole number of at least 1
    ");
    sandbox.write("context.json", "{\n  \"settings\": { \"data\": { \"dir\": \"/tmp/evil\" }, \"serch\": 1 }\n}\n");
    let run = sandbox.run(&["config", "show"]);
    insta::assert_snapshot!(super::settled(&sandbox, &run.stderr()), @"
    warning: [BOX]/project/context.json:2:27: a project can't make the setting `data.dir`, and it is ignored
    warning: [BOX]/project/context.json:2:49: the setting `serch` is not known and is ignored; did you mean `search.limit`?
    Project: [BOX]/project/context.json
    ");
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
