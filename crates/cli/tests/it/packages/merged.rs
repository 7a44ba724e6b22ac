//! A `context.lock` in which a merge has left both sides.

use serde_json::json;

use super::desk::{Desk, hashed, manifest, page};
use super::repository::Repository;
use super::site::Site;

fn publish(site: &Site, version: &str, word: &str) {
    let text = page(word);
    site.put(&format!("/{version}/a.md"), &text);
    let manifest = manifest(&[hashed("a.md", &text)]).replace("1.0.0", version);
    site.put(&format!("/{version}/manifest.json"), manifest);
}

fn configuration(site: &Site, version: &str) -> String {
    let collections = json!({
        "docs": { "type": "pkg", "url": site.url(&format!("/{version}/manifest.json")) },
        "same": { "type": "pkg", "url": site.url("/1.0.0/manifest.json") },
    });
    json!({ "collections": collections }).to_string()
}

/// Merges, with git, two branches of a project of which one has gone to 1.2.0 and the other to 1.10.0. The configuration is settled by
/// hand; the lock is as git leaves it.
fn merged(site: &Site, desk: &Desk, style: &str, settled: &str) -> String {
    for (version, word) in [("1.0.0", "alder"), ("1.2.0", "birch"), ("1.10.0", "cedar")] {
        publish(site, version, word);
    }
    let repository = Repository::new();
    repository.git(&["config", "merge.conflictStyle", style]);
    for (branch, version) in [("main", "1.0.0"), ("ours", "1.2.0"), ("theirs", "1.10.0")] {
        if branch != "main" {
            repository.git(&["checkout", "--quiet", "-b", branch, "main"]);
        }
        desk.sandbox.write("context.json", configuration(site, version));
        desk.sync();
        repository.write("context.lock", desk.lock_text());
        repository.commit(version);
    }
    repository.git(&["checkout", "--quiet", "ours"]);
    let merge = std::process::Command::new("git")
        .current_dir(repository.path())
        .args(["-c", "user.name=x", "-c", "user.email=x@example.com", "merge", "theirs"])
        .output()
        .unwrap();
    assert_eq!(merge.status.code(), Some(1), "{merge:?}");
    let text = std::fs::read_to_string(repository.path().join("context.lock")).unwrap();
    assert!(text.contains("<<<<<<< ") && text.contains(">>>>>>> "), "{text}");
    assert_eq!(text.contains("|||||||"), style != "merge", "{text}");
    desk.sandbox.write("context.json", configuration(site, settled));
    desk.sandbox.write("context.lock", &text);
    site.asked();
    text
}

#[test]
fn a_sync_takes_the_side_that_the_configuration_admits() {
    for style in ["merge", "diff3"] {
        for (settled, side, word) in
            [("1.2.0", "ours", "birch"), ("1.10.0", "theirs", "cedar"), ("1.0.0", "neither", "alder")]
        {
            let (site, desk) = (Site::http(), Desk::new("x"));
            let text = merged(&site, &desk, style, settled);
            // Whoever needs a whole lock says what is wrong with it, and leaves it alone.
            for args in [&["collections", "verify"][..], &["collections", "outdated"], &["collections", "list"]] {
                let run = desk.run(args);
                run.assert_code(2);
                assert!(run.stderr().contains("conflicts of a merge; its sides differ in: docs"), "{}", run.stderr());
                assert!(run.stderr().contains("`ai-assist collections sync`"), "{}", run.stderr());
            }
            for held in ["--frozen", "--locked"] {
                assert!(desk.refused(&[held]).contains("its sides differ in: docs"), "{held}");
            }
            let plan = desk.run(&["collections", "sync", "--dry-run", "--json"]);
            assert_eq!(plan.json()["merged"][0]["took"], side);
            assert_eq!(desk.lock_text(), text, "nothing is written by any of these");

            let run = desk.run(&["collections", "sync", "--json"]);
            run.assert_code(0);
            let expected = json!([{ "name": "docs", "took": side, "ours": "1.2.0", "theirs": "1.10.0" }]);
            assert_eq!(run.json()["merged"], expected, "{style}");
            assert_eq!(desk.lock()["collections"]["docs"]["version"], settled);
            assert_eq!(desk.lock()["collections"]["same"]["version"], "1.0.0");
            assert_eq!(desk.found(word), ["a.md"]);
            desk.run(&["collections", "verify"]).assert_code(0);
            desk.sync_with(&["--frozen"], 0);
            // A clean lock is no longer settled.
            assert_eq!(desk.run(&["collections", "sync", "--json"]).json()["merged"], json!([]));
        }
    }
}

#[test]
fn it_is_said_in_words_and_a_broken_conflict_is_named() {
    let (site, desk) = (Site::http(), Desk::new("x"));
    let text = merged(&site, &desk, "merge", "1.10.0");
    let run = desk.run(&["collections", "sync"]);
    run.assert_code(0);
    let said = run.stderr();
    assert!(said.contains("docs: theirs, 1.10.0, not ours, 1.2.0"), "{said}");
    let cut = text.replace(">>>>>>> ", "> ");
    desk.sandbox.write("context.lock", &cut);
    let said = desk.refused(&[]);
    assert!(said.contains("conflict") && said.contains("context.lock"), "{said}");
    assert_eq!(desk.lock_text(), cut);
}
