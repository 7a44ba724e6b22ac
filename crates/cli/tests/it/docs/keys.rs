//! The reference of JSON names every key that is printed, and no other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::{blocks, read, sample_project};
use crate::support::Sandbox;

/// Objects whose keys are data, such as the names of rules.
const COUNTS: [&str; 6] =
    ["exclusions_by_reason", "exclusions_by_each_reason", "redactions", "formats", "other", "leftOut"];

/// The keys of every object in a value.
fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                found.insert(key.clone());
                if !(value.is_object() && COUNTS.contains(&key.as_str())) {
                    keys(value, found);
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

/// What each section of `docs/reference/json.md` is about, with the keys that the program really prints there.
fn printed_keys() -> BTreeMap<&'static str, BTreeSet<String>> {
    let sandbox = sample_project();
    let mut printed: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
    let mut add = |section: &'static str, value: &Value| keys(value, printed.entry(section).or_default());
    add("`collections init`", &sandbox.json(&["collections", "init"]));
    add("`collections add`", &sandbox.json(&["collections", "add", "docs", "./docs", "--glob", "**/*"]));
    add("`collections add`", &sandbox.json(&["collections", "add", "web", "https://example.com/manifest.json"]));
    sandbox.json(&["collections", "remove", "web"]);
    print_category_keys(&sandbox, &mut add);
    sandbox.json(&["collections", "add", "gone", "./gone"]);
    sandbox.write("docs/picture.bin", [0u8, 1, 2, 0, 255]);
    // One of two collections fails, which makes an entry with an error.
    let sync = sandbox.run(&["collections", "sync", "--json"]);
    sync.assert_code(1);
    add("`collections sync`", &serde_json::from_str(&sync.stdout()).unwrap());
    add("`collections list`", &sandbox.json(&["collections", "list"]));
    add("`ref list-collections`", &sandbox.json(&["ref", "ls"]));
    add("`ref search`", &sandbox.json(&["ref", "search", "wait doubles", "--explain", "--max-tokens", "500"]));
    add("`ref search`", &sandbox.json(&["ref", "search", "wait doubles", "--explain", "--fusion", "ranks"]));
    // All searches print one form; this is the part of it that is about collections.
    add("`search`", &sandbox.json(&["ref", "search", "wait doubles", "--explain"]));
    add("`ref get`", &sandbox.json(&["ref", "get", "docs/retries.md"]));
    add("`ref outline`", &sandbox.json(&["ref", "outline", "docs/retries.md"]));
    add("`ref drop`", &sandbox.json(&["ref", "drop", "docs"]));
    add("`collections remove`", &sandbox.json(&["collections", "remove", "gone"]));
    add("`mcp --http`", &crate::mcp_server::said_over_http(&sandbox));
    add("`mcp config`", &sandbox.json(&["mcp", "config", "zed"]));
    add("`mcp config` without a client", &sandbox.json(&["mcp", "config"]));
    add("`config show`", &sandbox.json(&["config", "show"]));
    add("`doctor`", &sandbox.json(&["doctor"]));
    let failed = sandbox.run(&["ref", "get", "nothing.md", "--json"]);
    failed.assert_code(2);
    add("Errors", &serde_json::from_str(&failed.stderr()).unwrap());
    print_package_keys(&sandbox, &mut add);
    print_front_keys(&mut add);
    print_pack_keys(&mut add);
    print_repo_keys(&mut add);
    print_session_keys(&mut add);
    // These say that they print what another command prints, and more.
    for (section, base) in [
        ("`workspace build`", "`index build`"),
        ("`workspace status`", "`index status`"),
        ("`workspace search`", "`search`"),
    ] {
        let of_base = printed[base].clone();
        printed.entry(section).or_default().retain(|key| !of_base.contains(key));
    }
    printed
}

/// The same for the commands about categories. Leaves nothing behind in the configuration.
fn print_category_keys(sandbox: &Sandbox, add: &mut dyn FnMut(&'static str, &Value)) {
    let guide = ["categories", "add", "guide", "docs/guide", "--description", "How to"];
    add("`categories add`", &sandbox.json(&guide));
    let all = ["collections", "add", "all", "--category", "guide", "--description", "All"];
    add("`collections add`", &sandbox.json(&all));
    add("`collections change`", &sandbox.json(&["collections", "change", "all", "--new-name", "every"]));
    add("`collections change`", &sandbox.json(&["collections", "update", "every", "--add", "guide"]));
    add("`categories add`", &sandbox.json(&["categories", "change", "guide", "--new-name", "howto"]));
    add("`categories add`", &sandbox.json(&["categories", "update", "howto", "--add", "*.txt"]));
    add("`categories list`", &sandbox.json(&["categories", "list"]));
    add("`categories remove`", &sandbox.json(&["categories", "remove", "howto"]));
    sandbox.json(&["collections", "remove", "every"]);
}

/// The same for the commands about repositories and workspaces.
fn print_repo_keys(add: &mut dyn FnMut(&'static str, &Value)) {
    let sandbox = sample_project();
    let json = |args: &[&str]| -> Value {
        let run = sandbox.run(&[args, &["--json"]].concat());
        assert!(run.code() < 2, "{args:?}: {}", run.stderr());
        run.json()
    };
    let problem = serde_json::json!({ "path": "", "message": "" });
    add("`index build`", &json(&["index", "build"]));
    // Of a file that can't be read; whoever runs the tests may be allowed to read any.
    add("`index build`", &serde_json::json!({ "problems": [problem] }));
    let current = json(&["index", "status"]);
    assert_eq!(current["freshness"]["state"], "current");
    add("`index status`", &current);
    sandbox.write("src/more.rs", "pub fn more() {}\n");
    add("`index status`", &json(&["index", "status"]));
    let pointer = Path::new(current["cache"].as_str().unwrap()).join("builds/current.json");
    let good = std::fs::read(&pointer).unwrap();
    std::fs::write(&pointer, "{").unwrap();
    add("`index status`", &json(&["index", "status"]));
    std::fs::write(&pointer, good).unwrap();
    json(&["index", "build"]);
    add("`index gc`", &json(&["index", "gc", "--dry-run"]));
    sandbox.write("../gone/a.rs", "fn a() {}\n");
    json(&["-C", "../gone", "workspace", "init", "."]);
    json(&["-C", "../gone", "workspace", "manifest"]);
    std::fs::remove_dir_all(sandbox.root().join("gone")).unwrap();
    add("`index gc`", &json(&["index", "gc", "--all"]));
    add("`search`", &json(&["search", "wait longer", "--mode", "code"]));
    add("`search --symbol`", &json(&["search", "--symbol", "delay"]));
    add("`search --regex`", &json(&["search", "--regex", "delay"]));
    add("`outline`", &json(&["outline", "src/backoff.rs"]));
    add("`map`", &json(&["map"]));
    add("`workspace list`", &json(&["workspace", "init", "."]));
    add("`workspace build`", &json(&["workspace", "build"]));
    sandbox.write("../bare/a.rs", "fn a() {}\n");
    json(&["workspace", "add", "../bare"]);
    add("`workspace manifest`", &json(&["workspace", "manifest"]));
    add("`workspace status`", &json(&["workspace", "status"]));
    add("`workspace search`", &json(&["workspace", "search", "wait", "--include-paths"]));
    sandbox.write("../bare/.ai-assist.json", "{ \"unknown\": 1 }");
    add("`workspace status`", &json(&["workspace", "status"]));
    add("`workspace build`", &json(&["workspace", "build"]));
}

/// The same for the commands about sessions.
fn print_session_keys(add: &mut dyn FnMut(&'static str, &Value)) {
    let sandbox = sample_project();
    let json = |args: &[&str]| sandbox.json(&[&["session"], args].concat());
    add("`session open`", &json(&["open", "s"]));
    add("`session read`", &json(&["read", "docs/retries.md"]));
    add("`session read`", &json(&["discover", "docs/cache.md"]));
    add("`session toolcall`", &json(&["toolcall", "ls", "--output", "retries.md"]));
    add("`session chat`", &json(&["chat", "user", "What is here?"]));
    add("`session activate`", &json(&["activate", "docs/cache.md"]));
    add("`session list`", &json(&["list"]));
    add("`session show`", &json(&["show"]));
    let mut shown = json(&["show", "docs/cache.md"]);
    assert!(shown["document"]["xt/id"].is_string());
    shown["document"] = Value::Null;
    // Said in a sentence, because its keys are the specification's.
    shown.as_object_mut().unwrap().remove("document");
    add("`session show`", &shown);
    add("`session search`", &json(&["search", "wait doubles"]));
    add("`session history`", &json(&["history", "docs/cache.md"]));
    sandbox.write("docs/cache.md", "# Cache\n\nThere is none.\n");
    add("`session resume`", &json(&["resume"]));
    add("`session diff`", &json(&["diff", "docs/cache.md"]));
    add("`session render`", &json(&["render"]));
    let watched = serde_json::json!({ "session": "s", "path": "", "action": "", "deleted": false });
    add("`session watch`", &watched);
    add("`session export`", &json(&["export", "--output", "../s.jsonl"]));
    add("`session gc`", &json(&["gc", "--session", "s"]));
    add("`session import`", &json(&["import", "../s.jsonl"]));
    let cwd = sandbox.project().canonicalize().unwrap();
    let line = |n: usize, role: &str, content: Value| {
        let at = format!("2026-11-17T10:00:0{n}Z");
        let message = serde_json::json!({ "role": role, "content": content });
        serde_json::json!({ "type": role, "uuid": n.to_string(), "timestamp": at, "cwd": cwd, "sessionId": "k", "message": message })
    };
    let call = |n: usize, tool: &str, input: Value, failed: bool| {
        let made = serde_json::json!([{ "type": "tool_use", "id": n.to_string(), "name": tool, "input": input }]);
        let result = serde_json::json!([{ "type": "tool_result", "tool_use_id": n.to_string(), "content": "made it", "is_error": failed }]);
        [line(n, "assistant", made), line(n + 1, "user", result)]
    };
    let path = cwd.join("docs/cache.md");
    let run = serde_json::json!({ "command": "make" });
    let lines = [
        call(0, "Bash", run.clone(), true),
        call(2, "Edit", serde_json::json!({ "file_path": path }), false),
        call(4, "Edit", serde_json::json!({ "file_path": cwd.join("docs/retries.md") }), false),
        call(6, "Bash", run, false),
    ];
    let text: String = lines.iter().flatten().map(|line| format!("{line}\n")).collect();
    sandbox.write("../home/.claude/projects/p/k.jsonl", text);
    let mut all = json(&["import", "--all"]);
    all["problems"] = serde_json::json!([]);
    add("`session import --all`", &all);
    add("`session search --all`", &json(&["search", "--all", "make", "--outcome", "failed"]));
    add("`session brief`", &json(&["brief"]));
    add("`session brief`", &json(&["brief", "--file", "docs/cache.md"]));
    add("`session hook`", &json(&["hook", "codex"]));
    add("`mcp rules`", &sandbox.json(&["mcp", "rules", "codex"]));
}

/// The same for the commands about everything; what they have from others is described there.
fn print_front_keys(add: &mut dyn FnMut(&'static str, &Value)) {
    let sandbox = sample_project();
    add("`add`", &sandbox.json(&["add", "./docs", "--no-sync"]));
    let mut synced = sandbox.json(&["sync"]);
    assert!(synced["collections"][0]["name"] == "docs" && synced["repos"][0]["repo"] == "project", "{synced}");
    (synced["collections"], synced["repos"]) = (Value::Null, Value::Null);
    add("`sync`", &synced);
    add("`ls`", &sandbox.json(&["ls"]));
    add("`ls NAME`", &sandbox.json(&["ls", "docs"]));
    add("`get`", &sandbox.json(&["get", "docs/cache.md:1-3"]));
    add("`status`", &sandbox.json(&["status", "--no-daemon"]));
    add("`gc`", &sandbox.json(&["gc"]));
    add("`config get`", &sandbox.json(&["config", "get", "search.limit"]));
    add("`config set`", &sandbox.json(&["config", "set", "search.limit", "5"]));
    add("`config set`", &sandbox.json(&["config", "unset", "search.limit"]));
    add("`config path`", &sandbox.json(&["config", "path"]));
    add("`config allow`", &sandbox.json(&["config", "allow"]));
    sandbox.json(&["session", "open", "s"]);
    add("`session close`", &sandbox.json(&["session", "close"]));
}

/// The same for the commands about packs; what is in a pack has a page of its own.
fn print_pack_keys(add: &mut dyn FnMut(&'static str, &Value)) {
    let sandbox = sample_project();
    let mut report = sandbox.json(&["pack", "--output", "../p.json", "--html", "../p.html"]);
    report["metadata"] = Value::Null;
    add("`pack`", &report);
    let mut unpacked = sandbox.json(&["unpack", "../p.json"]);
    (unpacked["metadata"], unpacked["manifest"]) = (Value::Null, Value::Null);
    add("`unpack`", &unpacked);
    add("`explain`", &sandbox.json(&["explain", "docs/guide/onboarding.md"]));
    add("`receipts list`", &sandbox.json(&["receipts", "list"]));
    let mut verified = sandbox.json(&["receipts", "verify", "../p.json"]);
    assert!(verified["pack"]["hash"].is_string() && verified["pack"]["receipt"]["number"].is_number());
    verified["pack"] = Value::Null;
    add("`receipts verify`", &verified);
}

/// The same for the commands about packages.
fn print_package_keys(sandbox: &Sandbox, add: &mut dyn FnMut(&'static str, &Value)) {
    // Some of these find something, which is code 1.
    let json = |args: &[&str]| -> Value {
        let run = sandbox.run(&[args, &["--json"]].concat());
        assert!(run.code() < 2, "{args:?}: {}", run.stderr());
        serde_json::from_str(&run.stdout()).unwrap()
    };
    let manifest = ["--manifest", "pkg/manifest.json"];
    let registry = r#"{"settings": {"registry": {"urls": ["file://./registry"]}}}"#;
    sandbox.write("context.json", registry);
    sandbox.write("pkg/a.md", "# A\n");
    add("`collections manifest init`", &json(&["collections", "manifest", "init", "--output", "pkg/manifest.json"]));
    sandbox.write("pkg/b.md", "# A\n");
    let written = std::fs::read_to_string(sandbox.project().join("pkg/manifest.json")).unwrap();
    sandbox.write("pkg/manifest.json", written.replacen('{', r#"{"dependency": "python:pkg", "#, 1));
    add("`collections pack --check`", &json(&[&["collections", "pack", "--check"][..], &manifest].concat()));
    add("`collections pack`", &json(&[&["collections", "pack"][..], &manifest].concat()));
    add("`collections publish`", &json(&[&["collections", "publish", "registry"][..], &manifest].concat()));
    add("`collections search-registry`", &json(&["collections", "search-registry", "pkg"]));
    add("`collections add`", &json(&["collections", "add", "pkg@^0.1"]));
    add("`collections add`", &json(&["collections", "add", "local", "file://./pkg/manifest.json"]));
    add("`collections sync`", &json(&["collections", "sync"]));
    add("`collections info`", &json(&["collections", "info", "pkg@^0.1"]));
    add("`collections vendor`", &json(&["collections", "vendor"]));
    let newer =
        r#"{"name": "pkg", "version": "0.1.1", "dependency": "python:pkg", "sources": {"files": ["a.md", "gone.md"]}}"#;
    sandbox.write("pkg/manifest.json", newer);
    add("`collections diff`", &json(&["collections", "diff", "local"]));
    sandbox.write("pkg/manifest.json", newer.replace(", \"gone.md\"", ""));
    sandbox.run(&[&["collections", "publish", "registry"][..], &manifest].concat()).assert_code(0);
    add("`collections outdated`", &json(&["collections", "outdated"]));
    add("`collections upgrade`", &json(&["collections", "upgrade"]));
    add("`collections publish --yank`", &json(&["collections", "publish", "registry", "--yank", "pkg@0.1.1"]));
    // With the lock of before, so that it is behind.
    std::fs::copy(sandbox.project().join("context.lock"), sandbox.project().join("kept")).unwrap();
    json(&["collections", "sync"]);
    std::fs::rename(sandbox.project().join("kept"), sandbox.project().join("context.lock")).unwrap();
    add("`collections verify`", &json(&["collections", "verify"]));
    sandbox.write("requirements.txt", "pkg==0.1.0\nother==1.0\n");
    add("`collections suggest`", &json(&["collections", "suggest"]));
}

/// The parts of a page under its second-level headings.
fn sections(text: &str) -> Vec<(String, String)> {
    let mut sections: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("## "), sections.last_mut()) {
            (Some(heading), _) => sections.push((heading.trim().to_owned(), String::new())),
            (None, Some((_, body))) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, None) => {}
        }
    }
    sections
}

#[test]
fn the_json_reference_names_every_key_and_no_other() {
    let page = blocks(&read("docs/reference/json.md")).1;
    let sections = sections(&page);
    let section = |heading: &str| {
        let found = sections.iter().find(|(found, _)| found == heading);
        found.map_or_else(|| panic!("docs/reference/json.md has no section {heading}"), |(_, body)| body.as_str())
    };
    let mut all = BTreeSet::new();
    for (heading, printed) in printed_keys() {
        let mut text = format!("{}{}", section(heading), section("Shapes"));
        // What several commands print is described once.
        if text.contains("(#search)") {
            text.push_str(section("`search`"));
            text.push_str(section("`ref search`"));
        }
        if heading == "`search`" {
            text.push_str(section("`ref search`"));
        }
        for key in &printed {
            assert!(text.contains(&format!("`{key}`")), "docs/reference/json.md, {heading}: `{key}` is not described");
        }
        for key in documented(section(heading)) {
            assert!(printed.contains(&key), "docs/reference/json.md, {heading}: `{key}` is described but not printed");
        }
        all.extend(printed);
    }
    for key in documented(section("Shapes")) {
        assert!(all.contains(&key), "docs/reference/json.md, Shapes: `{key}` is described but printed nowhere");
    }
}

/// What each section of `docs/reference/pack-format.md` is about, with the keys that are really there.
fn packed_keys() -> BTreeMap<&'static str, BTreeSet<String>> {
    let sandbox = sample_project();
    let utf16: Vec<u8> = "# Café\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    sandbox.write("docs/wide.md", [&[0xff, 0xfe], utf16.as_slice()].concat());
    sandbox.write("Cargo.toml", "[package]\nname = \"p\"\nversion = \"1.0.0\"\n[dependencies]\nserde = \"1\"\n");
    sandbox.write("src/main.rs", "#[derive(clap::Subcommand)]\nenum C { Run }\nfn main() { unsafe { go() } }\n");
    for n in 0..80 {
        sandbox.write(format!("src/f{n}.rs"), format!("pub fn f{n}() {{\n{}}}\n", "    go(1, 2, 3);\n".repeat(30)));
    }
    sandbox.write("src/long.rs", "/// Long.\npub fn long() {\n    let x = 1;\n}\n".repeat(2000));
    sandbox.write("tests/t.rs", "#[test]\nfn t() {}\n");
    sandbox.write("run.sh", "#!/bin/sh\necho run\n");
    std::fs::set_permissions(sandbox.project().join("run.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let (pipe, all) = (sandbox.project().join("pipe"), rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, all, 0).unwrap();
    let mut packed: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
    let mut add = |section: &'static str, value: &Value| keys(value, packed.entry(section).or_default());
    let file =
        |name: &str| -> Value { serde_json::from_slice(&std::fs::read(sandbox.root().join(name)).unwrap()).unwrap() };
    let receipt = ["--receipt", "../r.json", "--provider", "anthropic"];
    add("Full pack", &sandbox.json(&["pack"]));
    let parts = sandbox.json(&["pack", "--output", "../part.json", "--split", "3000"]);
    let first = Path::new(parts["outputs"][0]["path"].as_str().unwrap());
    add("Full pack", &file(first.file_name().unwrap().to_str().unwrap()));
    sandbox.json(&[&["pack", "--output", "../few.json", "--max-tokens", "3000"], &receipt[..]].concat());
    add("Full pack", &file("few.json"));
    add("Receipt", &file("r.json"));
    sandbox.json(&[&["pack", "--output", "../all.json"], &receipt[..]].concat());
    add("Receipt", &file("r.json"));
    let full = file("all.json");
    let allow = ["--allow", "docs/guide/onboarding.md#aws-access-key-id=made up for the documentation"];
    sandbox.json(&[&["pack", "--output", "../allow.json"], &receipt[..], &allow[..]].concat());
    add("Receipt", &file("r.json"));
    sandbox.json(&[&["pack", "--output", "../sum.json", "--type", "summary"], &receipt[..]].concat());
    add("Receipt", &file("r.json"));
    let mut summary = file("sum.json");
    for shared in ["manifest", "file_index", "metadata"] {
        let (mut of_full, mut of_summary) = (BTreeSet::new(), BTreeSet::new());
        keys(&full[shared], &mut of_full);
        keys(&summary[shared], &mut of_summary);
        assert!(of_summary.is_subset(&of_full), "{shared}: {of_summary:?} in {of_full:?}");
        summary.as_object_mut().unwrap().remove(shared);
    }
    add("Summary pack", &summary);
    let short = sandbox.json(&["pack", "--type", "summary", "--max-tokens", "2500"]);
    let folder = short["file_index"].as_array().unwrap().iter().find(|entry| entry["files"].is_number()).unwrap();
    add("Summary pack", &serde_json::json!({ "files": folder["files"] }));
    add("Snapshot", &sandbox.json(&["snapshot"]));
    packed
}

#[test]
fn the_page_on_packs_names_every_key_and_no_other() {
    let page = blocks(&read("docs/reference/pack-format.md")).1;
    let sections = sections(&page);
    for (heading, packed) in packed_keys() {
        let (_, section) = sections.iter().find(|(found, _)| found == heading).unwrap();
        let documented: BTreeSet<String> = documented(section).into_iter().collect();
        // Shown in words rather than in a row of its own.
        let told = |key: &&String| section.contains(&format!("`{key}`"));
        let missing: Vec<&String> = packed.iter().filter(|key| !told(key)).collect();
        assert!(missing.is_empty(), "{heading}: {missing:?} are not described");
        let too_many: Vec<&String> = documented.difference(&packed).collect();
        assert!(too_many.is_empty(), "{heading}: {too_many:?} are described but never there");
    }
}

/// The keys in the first column of a section's tables.
fn documented(section: &str) -> Vec<String> {
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split_once('`')).map(|(key, _)| key.to_owned()).collect()
}
