//! `collections vendor`: the locked bytes in a folder, and a sync that needs nothing else.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::archives::{Packing, bundle};
use super::desk::{Desk, hash, hashed, manifest, page};
use super::repository::Repository;
use super::site::Site;
use crate::support::bytes_below;

/// A project with a manifest, a bundle and a repository, synced and vendored; then nothing is there any more.
fn vendored() -> (Desk, Site) {
    let mut site = Site::http();
    let repository = Repository::new();
    site.put("/m/a.md", page("alder"));
    site.put("/m/b.md", page("birch"));
    site.put("/m/manifest.json", manifest(&[hashed("a.md", page("alder")), json!("b.md")]));
    // The same text again: its bytes are kept once.
    let files = [("x/a.md", page("alder")), ("c.md", page("cedar"))];
    site.put("/b.tar.gz", bundle(Packing::Gzip, &manifest(&[json!("x/a.md"), json!("c.md")]), &files));
    repository.write("d.md", page("dogwood"));
    repository.commit("first");
    let desk = Desk::new("x");
    desk.declare(&[
        ("bundle", &site.url("/b.tar.gz")),
        ("git", &repository.url("")),
        ("web", &site.url("/m/manifest.json")),
    ]);
    desk.sync();
    let run = desk.run(&["collections", "vendor", "--json"]);
    run.assert_code(0);
    let value = run.json();
    assert_eq!((&value["whole"], value["packages"].as_array().unwrap().len()), (&json!(true), 3), "{value}");
    site.close();
    (desk, site)
}

/// A project elsewhere with what version control would bring there, and nothing indexed.
fn clone(desk: &Desk) -> Desk {
    let fresh = Desk::new("x");
    let project = desk.sandbox.project();
    for (file, bytes) in bytes_below(&project) {
        fresh.sandbox.write(file.strip_prefix(&project).unwrap(), bytes);
    }
    if std::fs::read_to_string(project.join("context.json")).unwrap().contains("file://") {
        fresh.run(&["config", "allow", "--all"]).assert_code(0);
    }
    fresh
}

fn blobs(desk: &Desk) -> Vec<PathBuf> {
    let folder = desk.sandbox.project().join("context-vendor/sha256");
    bytes_below(&folder).into_iter().map(|(file, _)| file).collect()
}

fn blob(desk: &Desk, word: &str) -> PathBuf {
    let hex = hash(page(word)).replace("sha256:", "");
    desk.sandbox.project().join("context-vendor/sha256").join(&hex[..2]).join(&hex[2..])
}

#[test]
fn a_sync_that_is_held_to_its_lock_needs_nothing_else() {
    let (desk, _site) = vendored();
    assert_eq!(blobs(&desk).len(), 4, "each text once");
    desk.run(&["collections", "vendor", "--check"]).assert_code(0);
    let fresh = clone(&desk);
    let run = fresh.run(&["--offline", "collections", "sync", "--frozen", "--json"]);
    run.assert_code(0);
    let report = run.json();
    let added: Vec<&Value> = report["collections"].as_array().unwrap().iter().map(|it| &it["added"]).collect();
    assert_eq!(added, [&json!(2), &json!(1), &json!(2)]);
    assert_eq!(fresh.documents(), desk.documents());
    fresh.run(&["collections", "verify"]).assert_code(0);
    assert_eq!(fresh.lock_text(), desk.lock_text());
    assert_eq!(fresh.status().0, "synced");
    fresh.sandbox.assert_healthy();
    // Nothing of it is a file of the project.
    let packed = fresh.run(&["snapshot", "--json"]).stdout();
    let packed: Value = serde_json::from_str(&packed).unwrap();
    assert!(!packed["files"].to_string().contains("context-vendor"), "{packed}");
    // Elsewhere, it has to be named.
    let moved = clone(&desk);
    let project = moved.sandbox.project();
    std::fs::rename(project.join("context-vendor"), project.join("kept")).unwrap();
    moved.run(&["--offline", "collections", "sync", "--frozen"]).assert_code(1);
    moved.run(&["--offline", "collections", "sync", "--frozen", "--vendor", "kept"]).assert_code(0);
    assert_eq!(moved.documents(), desk.documents());
}

#[test]
fn what_is_not_as_locked_is_refused() {
    type Change = fn(&Desk);
    let changes: [(&str, Change, &str); 5] = [
        ("other bytes", |desk| std::fs::write(blob(desk, "cedar"), page("coward")).unwrap(), "has other bytes"),
        ("more bytes", |desk| std::fs::write(blob(desk, "cedar"), page("cedar") + "x").unwrap(), "has other bytes"),
        (
            "a link to the right bytes",
            |desk| {
                let (blob, elsewhere) = (blob(desk, "cedar"), desk.sandbox.root().join("elsewhere"));
                std::fs::rename(&blob, &elsewhere).unwrap();
                std::os::unix::fs::symlink(&elsewhere, &blob).unwrap();
            },
            "is not a regular file",
        ),
        (
            "a folder that is a link",
            |desk| {
                let folder = blob(desk, "cedar").parent().unwrap().to_owned();
                let elsewhere = desk.sandbox.root().join("elsewhere");
                std::fs::rename(&folder, &elsewhere).unwrap();
                std::os::unix::fs::symlink(&elsewhere, &folder).unwrap();
            },
            "is not a folder",
        ),
        (
            "another format",
            |desk| desk.sandbox.write("context-vendor/index.json", r#"{"version": 9, "packages": {}}"#),
            "the format 9",
        ),
    ];
    let (desk, _site) = vendored();
    for (what, change, part) in changes {
        let fresh = clone(&desk);
        change(&fresh);
        let run = fresh.run(&["--offline", "collections", "sync", "bundle", "--frozen"]);
        run.assert_code(2);
        assert!(run.stderr().contains(part), "{what}: {}", run.stderr());
        assert_eq!(fresh.documents().len(), 0, "{what}");
        let check = fresh.run(&["collections", "vendor", "--check"]);
        assert!(check.code() > 0, "{what}");
    }
}

#[test]
fn what_is_missing_is_said_and_fetched_again_and_what_is_not_locked_goes() {
    let site = Site::http();
    site.put("/a.md", page("alder"));
    site.put("/b.md", page("birch"));
    site.put("/manifest.json", manifest(&[hashed("a.md", page("alder")), json!("b.md")]));
    let desk = Desk::at(&site, "/manifest.json");
    let run = desk.run(&["collections", "vendor"]);
    run.assert_code(2);
    assert!(run.stderr().contains("has no entry for `docs`"), "{}", run.stderr());
    desk.sync();
    desk.run(&["collections", "vendor", "--check"]).assert_code(2);
    desk.run(&["collections", "vendor"]).assert_code(0);
    site.asked();
    desk.run(&["collections", "vendor"]).assert_code(0);
    assert_eq!(site.asked(), [""; 0], "what is there is not fetched again");
    std::fs::remove_file(blob(&desk, "birch")).unwrap();
    let run = desk.run(&["collections", "vendor", "--check"]);
    run.assert_code(1);
    assert!(run.stdout().contains("1 of 2 files missing\n  b.md is not there"), "{}", run.stdout());
    // A sync that finds it incomplete asks upstream.
    let fresh = clone(&desk);
    let report = fresh.sync_with(&["--frozen"], 0);
    assert!(report.warnings().contains("lacks 1 of 2 files"), "{}", report.warnings());
    site.asked();
    desk.run(&["collections", "vendor"]).assert_code(0);
    assert_eq!(site.asked(), ["200 /b.md", "200 /manifest.json"], "only what is missing");

    // What is locked next takes the place of what was.
    site.put("/b.md", page("blackthorn"));
    desk.sync();
    assert_eq!(desk.run(&["collections", "vendor", "--check"]).code(), 1);
    desk.run(&["collections", "vendor"]).assert_code(0);
    assert_eq!(blobs(&desk).len(), 2);
    assert!(blob(&desk, "blackthorn").is_file() && !blob(&desk, "birch").exists());

    // Upstream has moved on: what was locked can't be had, and nothing else is put in its place.
    std::fs::remove_dir_all(desk.sandbox.project().join("context-vendor")).unwrap();
    site.put("/b.md", page("beech"));
    let run = desk.run(&["collections", "vendor"]);
    run.assert_code(1);
    assert!(run.stdout().contains("b.md has changed since it was locked"), "{}", run.stdout());
    assert_eq!(blobs(&desk).len(), 1);
    // A folder of something else is not touched.
    desk.sandbox.write("mine/notes.txt", "mine");
    let run = desk.run(&["collections", "vendor", "--output", "mine"]);
    run.assert_code(2);
    assert!(run.stderr().contains("no vendor folder"), "{}", run.stderr());
    assert_eq!(bytes_below(&desk.sandbox.project().join("mine")).len(), 1);
}

#[test]
fn files_with_secrets_are_kept_only_if_somebody_says_so() {
    let site = Site::http();
    let key = ["AKIA", "QYLPMN5HHHFPZAM2"].concat();
    let text = format!("# Keys\n\nThis shared text has {key} in it.\n");
    site.put("/a.md", &text);
    site.put("/manifest.json", manifest(&[hashed("a.md", &text)]));
    let desk = Desk::at(&site, "/manifest.json");
    assert_eq!(desk.sync().0["redacted"], 1);
    let run = desk.run(&["collections", "vendor"]);
    run.assert_code(1);
    assert!(run.stdout().contains("a.md has secret values"), "{}", run.stdout());
    let has_key = || {
        let kept = bytes_below(&desk.sandbox.project());
        kept.iter().any(|(_, bytes)| crate::support::contains(bytes, key.as_bytes()))
    };
    assert!(!has_key());
    desk.run(&["collections", "vendor", "--with-secrets"]).assert_code(0);
    assert!(has_key());
    let fresh = clone(&desk);
    let report = fresh.run(&["--offline", "collections", "sync", "--frozen", "--json"]);
    report.assert_code(0);
    assert_eq!(report.json()["collections"][0]["redacted"], 1, "indexed without it, as ever");
}
