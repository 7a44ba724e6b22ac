//! `collections publish`, `search-registry`, `add NAME@RANGE` and `upgrade`.

use super::guide;
use crate::support::Sandbox;

/// A sandbox with a registry that has some versions of `guide`, and a project that uses it.
fn registry(versions: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    for version in versions {
        guide(&sandbox, version);
        sandbox.write("pkg/start.md", format!("# Starting\n\nThis is how it is done in {version}.\n"));
        sandbox.run(&["collections", "publish", "registry", "--manifest", "pkg/manifest.json"]).assert_code(0);
    }
    sandbox.write("context.json", r#"{"settings": {"registry": {"urls": ["file://./registry"]}}, "collections": {}}"#);
    sandbox
}

fn configuration(sandbox: &Sandbox) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(sandbox.project().join("context.json")).unwrap()).unwrap()
}

#[test]
fn a_package_is_found_by_name_and_range() {
    let sandbox = registry(&["1.0.0", "1.4.0", "2.0.0"]);
    let found = sandbox.json(&["collections", "search-registry", "trains"]);
    assert_eq!(found["packages"][0]["name"], "guide");
    assert_eq!(found["packages"][0]["version"], "2.0.0");
    sandbox.run(&["collections", "search-registry", "aeroplanes"]).assert_code(1);
    sandbox.run(&["collections", "add", "guide@^1"]).assert_code(0);
    let spec = configuration(&sandbox)["collections"]["guide"].clone();
    assert!(spec["url"].as_str().unwrap().ends_with("/registry/guide/guide-1.4.0.tar.gz"), "{spec}");
    assert_eq!(spec["package"], "guide@^1");
    sandbox.sync();
    assert_eq!(sandbox.hits(&["how is it done", "--limit", "1"]), ["guide/start.md:1-3"]);
    let text = sandbox.run(&["ref", "get", "guide/start.md"]).stdout();
    assert!(text.contains("1.4.0"), "{text}");
    for (wanted, part) in
        [("guide@^3", "2.0.0, 1.4.0, 1.0.0"), ("giude@1", "did you mean `guide`?"), ("guide@^^", "^18")]
    {
        let run = sandbox.run(&["collections", "add", "other", wanted]);
        run.assert_code(2);
        assert!(run.stderr().contains(part), "{}", run.stderr());
    }
}

#[test]
fn a_published_version_stays_as_it_is() {
    let sandbox = registry(&["1.0.0"]);
    let index = || std::fs::read(sandbox.project().join("registry/index.json")).unwrap();
    let before = index();
    let again = sandbox.json(&["collections", "publish", "registry", "--manifest", "pkg/manifest.json"]);
    assert_eq!(again["unchanged"], true);
    sandbox.write("pkg/start.md", "something else");
    let run = sandbox.run(&["collections", "publish", "registry", "--manifest", "pkg/manifest.json"]);
    run.assert_code(2);
    assert!(run.stderr().contains("already, with other content"), "{}", run.stderr());
    assert_eq!(index(), before);
    let left: Vec<_> = std::fs::read_dir(sandbox.project().join("registry"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?} was left behind");
}

#[test]
fn a_bundle_that_was_swapped_is_refused() {
    let sandbox = registry(&["1.0.0", "2.0.0"]);
    sandbox.run(&["collections", "add", "guide@1.0.0"]).assert_code(0);
    sandbox.sync();
    let folder = sandbox.project().join("registry/guide");
    std::fs::copy(folder.join("guide-2.0.0.tar.gz"), folder.join("guide-1.0.0.tar.gz")).unwrap();
    let run = sandbox.run(&["collections", "sync"]);
    run.assert_code(2);
    assert!(run.stderr().contains("is expected"), "{}", run.stderr());
    assert!(sandbox.run(&["ref", "get", "guide/start.md"]).stdout().contains("1.0.0"), "the old state stays");
}

#[test]
fn upgrades_stay_within_the_range_and_yanked_versions_are_not_chosen() {
    let sandbox = registry(&["1.0.0"]);
    sandbox.run(&["collections", "add", "guide@^1"]).assert_code(0);
    sandbox.sync();
    assert_eq!(sandbox.json(&["collections", "upgrade"])["upgraded"], serde_json::json!([]));
    for version in ["1.1.0", "1.2.0", "2.0.0"] {
        guide(&sandbox, version);
        sandbox.write("pkg/start.md", format!("# Starting\n\nThis is how it is done in {version}.\n"));
        sandbox.run(&["collections", "publish", "registry", "--manifest", "pkg/manifest.json"]).assert_code(0);
    }
    sandbox.run(&["collections", "publish", "registry", "--yank", "guide@1.2.0"]).assert_code(0);
    let outdated = sandbox.json(&["collections", "outdated"]);
    assert_eq!(outdated["collections"][0]["newer"], "1.1.0");
    assert_eq!(outdated["collections"][0]["outdated"], true);
    let versions = ["locked", "wanted", "latest"].map(|key| outdated["collections"][0][key].clone());
    assert_eq!(versions, ["1.0.0", "1.1.0", "2.0.0"], "{outdated}");
    sandbox.run(&["collections", "publish", "registry", "--yank", "guide@1.0.0"]).assert_code(0);
    let table = sandbox.run(&["collections", "outdated"]).stdout();
    let row = table.lines().find(|line| line.contains("guide")).unwrap();
    let cells: Vec<&str> = row.split('│').map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(cells[..4], ["guide", "1.0.0 (yanked)", "1.1.0", "2.0.0"], "{table}");
    sandbox.run(&["collections", "publish", "registry", "--unyank", "guide@1.0.0"]).assert_code(0);
    sandbox.run(&["collections", "upgrade", "--dry-run"]).assert_code(0);
    assert!(configuration(&sandbox)["collections"]["guide"]["url"].as_str().unwrap().contains("1.0.0"));
    sandbox.run(&["collections", "upgrade"]).assert_code(0);
    sandbox.sync();
    assert!(sandbox.run(&["ref", "get", "guide/start.md"]).stdout().contains("1.1.0"));
    sandbox.run(&["collections", "publish", "registry", "--unyank", "guide@1.2.0"]).assert_code(0);
    assert_eq!(sandbox.json(&["collections", "outdated"])["collections"][0]["newer"], "1.2.0");
    sandbox.run(&["collections", "publish", "registry", "--yank", "guide@9.9.9"]).assert_code(2);
}

/// 16.7: a package that is in no registry any more keeps no other from being upgraded.
#[test]
fn an_upgrade_does_the_others_where_one_is_missing() {
    let sandbox = registry(&["1.0.0"]);
    sandbox.run(&["collections", "add", "guide@^1"]).assert_code(0);
    let mut configured = configuration(&sandbox);
    let mut gone = configured["collections"]["guide"].clone();
    gone["package"] = "vanished@^1".into();
    configured["collections"]["a-vanished"] = gone;
    sandbox.write("context.json", configured.to_string());
    guide(&sandbox, "1.1.0");
    sandbox.run(&["collections", "publish", "registry", "--manifest", "pkg/manifest.json"]).assert_code(0);
    let run = sandbox.run(&["collections", "upgrade"]);
    assert!(run.code() > 0, "it says nothing of what is missing");
    assert!((run.stdout() + &run.stderr()).contains("vanished"), "{}{}", run.stdout(), run.stderr());
    let spec = configuration(&sandbox)["collections"]["guide"].clone();
    assert!(spec["url"].as_str().unwrap().contains("1.1.0"), "{spec}");
}

#[test]
fn a_package_is_shown_before_it_is_added_and_two_versions_are_compared() {
    let sandbox = registry(&["1.0.0", "1.1.0", "1.10.0"]);
    sandbox.run(&["collections", "publish", "registry", "--yank", "guide@1.10.0"]).assert_code(0);
    let shown = sandbox.json(&["collections", "info", "guide"]);
    assert_eq!(shown["registry"]["latest"], "1.1.0");
    let versions: Vec<&str> =
        shown["registry"]["versions"].as_array().unwrap().iter().map(|it| it["version"].as_str().unwrap()).collect();
    assert_eq!(versions, ["1.10.0", "1.1.0", "1.0.0"]);
    assert_eq!((&shown["package"]["version"], &shown["package"]["kind"]), (&"1.1.0".into(), &"bundle".into()));
    assert_eq!(shown["package"]["description"], "How trains are run");
    assert_eq!(shown["package"]["hash"], shown["registry"]["chosen"]["hash"]);
    let files = shown["package"]["files"].as_array().unwrap();
    assert_eq!(files.len(), 3);
    assert!(files.iter().all(|file| file["size"].as_u64().unwrap() > 20 && file["hash"].is_string()), "{shown}");
    assert!(!sandbox.data().exists() || sandbox.run(&["ref", "ls"]).code() == 1, "nothing is indexed");
    assert!(!sandbox.project().join("context.lock").exists());
    let text = sandbox.run(&["info", "guide@1.10.0"]);
    text.assert_code(0);
    assert!(text.stdout().starts_with("guide 1.10.0 (yanked)\nHow trains are run\n"), "{}", text.stdout());
    for (wanted, part) in [("guide@^7", "there are 1.1.0"), ("giude", "did you mean `guide`?")] {
        let run = sandbox.run(&["info", wanted]);
        run.assert_code(2);
        assert!(run.stderr().contains(part), "{}", run.stderr());
    }
    // What a registry says is shown though the bundle is gone.
    std::fs::remove_file(sandbox.project().join("registry/guide/guide-1.0.0.tar.gz")).unwrap();
    let gone = sandbox.run(&["info", "guide@1.0.0", "--json"]);
    gone.assert_code(1);
    assert_eq!(gone.json()["package"], serde_json::Value::Null);
    assert!(gone.json()["error"].is_string());

    let two = ["collections", "diff", "guide@1.1.0", "guide@1.10.0"];
    let diff = sandbox.run(&two);
    diff.assert_code(0);
    let text = diff.stdout();
    assert!(text.starts_with("~ start.md (+1 -1)\n@@"), "{text}");
    assert!(text.contains("\n-This is how it is done in 1.1.0.\n+This is how it is done in 1.10.0.\n"), "{text}");
    let run = sandbox.run(&[&two[..], &["--stat", "--exit-code"]].concat());
    run.assert_code(1);
    assert_eq!(run.stdout(), "~ start.md (+1 -1)\n");
    sandbox.run(&["collections", "diff", "guide@1.1.0", "guide@1.1.0", "--exit-code"]).assert_code(0);
    sandbox.run(&["collections", "diff", "guide@1.1.0"]).assert_code(2);
}

#[test]
fn without_a_registry_the_way_out_is_named() {
    let sandbox = Sandbox::new();
    sandbox.run(&["collections", "init"]).assert_code(0);
    let run = sandbox.run(&["collections", "add", "react@^18"]);
    run.assert_code(2);
    assert!(run.stderr().contains("AI_ASSIST_REGISTRY_URLS"), "{}", run.stderr());
    sandbox.write("broken/index.json", "{");
    let mut command = sandbox.command();
    command.env("AI_ASSIST_REGISTRY_URLS", format!("file://{}/broken", sandbox.project().display()));
    let output = command.args(["collections", "search-registry"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("broken"));
}
