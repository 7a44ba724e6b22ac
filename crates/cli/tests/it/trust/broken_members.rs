//! One broken member is named, stays listed and can be removed; everything else works.

use crate::support::Sandbox;

/// A workspace of two repositories, of which one is taken away.
fn with_a_missing_repository() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["here", "gone"] {
        sandbox.write(format!("{name}/a.rs"), format!("/// Says where it is.\npub fn {name}_is_a_place() {{}}\n"));
    }
    sandbox.run(&["workspace", "init", "here", "gone"]).assert_code(0);
    sandbox.run(&["workspace", "build"]).assert_code(0);
    std::fs::rename(sandbox.project().join("gone"), sandbox.project().join("moved")).unwrap();
    sandbox
}

#[test]
fn a_repository_folder_that_is_gone_stops_nothing() {
    let sandbox = with_a_missing_repository();
    let listed = sandbox.run(&["workspace", "list"]);
    listed.assert_code(0);
    assert!(listed.stdout().contains("gone") && listed.stderr().contains("gone"), "{}", listed.stderr());
    let values = sandbox.json(&["workspace", "list"]);
    let problems = values["repos"].as_array().unwrap().iter().filter(|repo| !repo["problem"].is_null()).count();
    assert_eq!(problems, 1, "{values}");
    for args in [
        &["workspace", "search", "place", "--json"][..],
        &["search", "place", "--json"],
        &["search", "--symbol", "here_is_a_place", "--json"],
        &["search", "--regex", "here_is", "--json"],
    ] {
        let run = sandbox.run(args);
        assert!(run.code() < 2, "{args:?}: {}", run.stderr());
        assert!(run.stdout().contains("here_is_a_place"), "{args:?}: {}", run.stdout());
    }
    for args in [&["workspace", "status"][..], &["workspace", "build"], &["workspace", "manifest"]] {
        let run = sandbox.run(args);
        assert_eq!(run.code(), 1, "{args:?}: {}{}", run.stdout(), run.stderr());
        let said = run.stdout() + &run.stderr();
        assert!(said.contains("gone") && said.contains("can't be opened"), "{args:?}: {said}");
    }
    sandbox.run(&["sync"]);
    sandbox.run(&["workspace", "remove", "gone"]).assert_code(0);
    assert_eq!(sandbox.json(&["workspace", "list"])["repos"].as_array().unwrap().len(), 1);
    sandbox.run(&["workspace", "status"]).assert_code(0);
    let refused = sandbox.run(&["workspace", "add", "nowhere"]);
    refused.assert_code(2);
    assert!(refused.stderr().contains("nowhere"), "{}", refused.stderr());
}

#[test]
fn builds_that_a_manifest_in_a_workspaces_own_cache_names_are_kept() {
    let sandbox = Sandbox::new();
    sandbox.write("one/a.rs", "pub fn first() {}\n");
    let workspace =
        r#"{"schemaVersion": 1, "name": "w", "cacheRoot": ".own", "repos": [{"root": "one", "alias": "one"}]}"#;
    sandbox.write(".ai-assist-workspace.jsonc", workspace);
    sandbox.run(&["workspace", "build"]).assert_code(0);
    sandbox.run(&["workspace", "manifest"]).assert_code(0);
    // The manifest goes on naming this build, whatever becomes current.
    sandbox.write("one/a.rs", "pub fn second() {}\n");
    sandbox.run(&["workspace", "build"]).assert_code(0);
    let swept = sandbox.json(&["index", "gc", "--all"]);
    assert!(swept["repos"][0]["removed"].as_array().unwrap().is_empty(), "{swept}");
    assert_eq!(swept["repos"][0]["kept"].as_array().unwrap().len(), 2, "{swept}");
    std::fs::remove_dir_all(sandbox.project().join(".own")).unwrap();
    let swept = sandbox.json(&["index", "gc", "--all"]);
    assert_eq!(swept["repos"][0]["removed"].as_array().unwrap().len(), 1, "{swept}");
}

#[test]
fn a_missing_repository_is_removed_by_its_id_and_by_its_folder() {
    for by_id in [true, false] {
        let sandbox = with_a_missing_repository();
        let listed = sandbox.json(&["workspace", "list"]);
        let gone = listed["repos"].as_array().unwrap().iter().find(|repo| !repo["problem"].is_null()).unwrap();
        let name = if by_id { gone["repoId"].as_str().unwrap() } else { "./gone" };
        sandbox.run(&["workspace", "remove", name]).assert_code(0);
        assert_eq!(sandbox.json(&["workspace", "list"])["repos"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_category_that_is_none_is_no_collection_that_is_well() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "# Kettle\n\nIt boils.\n");
    let config = r#"{"collections": {"docs": {"type": "file", "path": "docs"}, "tea": {"categories": ["nope"]}}}"#;
    sandbox.write("context.json", config);
    sandbox.run(&["sync"]);
    let listed = sandbox.run(&["collections", "list"]);
    let line = |name: &str| listed.stdout().lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    assert!(line("docs").contains('✓') && line("tea").contains('✗'), "{}", listed.stdout());
    assert!(listed.stderr().contains("there is no category `nope`"), "{}", listed.stderr());
    sandbox.run(&["search", "kettle"]).assert_code(0);
}

#[test]
fn a_hit_says_the_version_of_its_package_and_a_lock_is_held_to_its_sizes() {
    let sandbox = Sandbox::new();
    sandbox.write("pkg/a.md", "# Kettle\n\nIt boils.\n");
    sandbox.write("pkg/manifest.json", r#"{"name": "tea", "version": "1.2.0", "sources": {"glob": ["**/*.md"]}}"#);
    sandbox.run(&["collections", "pack", "--manifest", "pkg/manifest.json", "--output", "tea.tar.gz"]).assert_code(0);
    sandbox.run(&["add", "tea.tar.gz"]).assert_code(0);
    assert_eq!(sandbox.json(&["search", "kettle"])["hits"][0]["version"], "1.2.0");
    sandbox.run(&["collections", "verify"]).assert_code(0);
    let lock = std::fs::read_to_string(sandbox.project().join("context.lock")).unwrap();
    let size = format!("\"size\": {}", "# Kettle\n\nIt boils.\n".len());
    assert!(lock.contains(&size), "{lock}");
    sandbox.write("context.lock", lock.replace(&size, "\"size\": 999"));
    let refused = sandbox.run(&["collections", "verify"]);
    refused.assert_code(1);
    assert!((refused.stdout() + &refused.stderr()).contains("a.md"), "{}", refused.stderr());
}
