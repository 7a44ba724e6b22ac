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
