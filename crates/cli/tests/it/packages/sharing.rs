//! One package for several projects, and plans that are what then happens.

use serde_json::json;

use super::archives::{Packing, bundle, glob_manifest};
use super::desk::{Desk, Report, hashed, manifest, page};
use super::repository::Repository;
use super::site::Site;
use crate::support::bytes_below;

#[test]
fn a_second_project_has_nothing_to_do() {
    let site = Site::https();
    let (a, b) = (page("alder"), page("birch"));
    site.put("/a.md", &a);
    site.put("/b.md", &b);
    site.put("/manifest.json", manifest(&[hashed("a.md", &a), hashed("b.md", &b)]));
    let desk = Desk::at(&site, "/manifest.json");
    desk.sync();
    site.asked();
    let second = desk.sandbox.root().join("second");
    std::fs::create_dir(&second).unwrap();
    // The same URL, written in another way.
    let url = site.url("/./x/../manifest.json").replace("https", "HTTPS");
    let text = json!({ "collections": { "handbook": { "type": "pkg", "url": url } } });
    std::fs::write(second.join("context.json"), text.to_string()).unwrap();
    let folder = second.to_str().unwrap();
    let run = desk.run(&["-C", folder, "collections", "sync"]);
    run.assert_code(0);
    assert!(run.stdout().contains("2 documents (up to date)"), "{}", run.stdout());
    assert_eq!(site.asked(), ["304 /manifest.json"]);
    let listed = desk.run(&["-C", folder, "ref", "ls", "--json"]).json()["collections"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    assert_eq!((&listed[0]["documents"], &listed[0]["names"]), (&json!(2), &json!(["handbook"])));
    let hits = desk.run(&["-C", folder, "ref", "search", "alder", "--json", "--collection", "handbook"]).json();
    assert_eq!(hits["hits"][0]["document"], "a.md");
    // Both are locked to the same, each under its own name.
    let lock: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(second.join("context.lock")).unwrap()).unwrap();
    assert_eq!(lock["collections"]["handbook"], desk.lock()["collections"]["docs"]);
}

/// Everything in the data folder, without the files that only say who is at work.
fn data(desk: &Desk) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let files = bytes_below(&desk.sandbox.data());
    let is_kept = |path: &std::path::Path| !path.components().any(|part| part.as_os_str() == "locks");
    files.into_iter().filter(|(path, _)| is_kept(path)).collect()
}

fn lock_bytes(desk: &Desk) -> Option<Vec<u8>> {
    std::fs::read(desk.sandbox.project().join("context.lock")).ok()
}

/// Makes a plan and a sync, which must agree; the plan must have written nothing.
fn foreseen(desk: &Desk) -> Report {
    // Opens the database, so that there is one to compare.
    desk.store();
    let before = (data(desk), lock_bytes(desk));
    let plan = desk.sync_with(&["--dry-run"], 0);
    assert!(before == (data(desk), lock_bytes(desk)), "a plan has written something");
    assert_eq!(desk.leftovers().len(), 0);
    let done = desk.sync();
    assert_eq!((plan.0["dryRun"].as_bool(), done.0["dryRun"].as_bool()), (Some(true), Some(false)));
    assert_eq!((plan.changes(), plan.counts()), (done.changes(), done.counts()));
    for key in ["package", "skipped", "upToDate", "warnings"] {
        assert_eq!(plan.0[key], done.0[key], "{key}");
    }
    done
}

#[test]
fn a_plan_of_a_manifest_is_what_happens() {
    let site = Site::http();
    let (a, b) = (page("alder"), page("birch"));
    for (path, text) in [("/a.md", &a), ("/b.md", &b), ("/c.md", &page("cedar"))] {
        site.put(path, text);
    }
    site.put("/manifest.json", manifest(&[hashed("a.md", &a), json!("b.md"), json!("c.md")]));
    let desk = Desk::at(&site, "/manifest.json");
    assert_eq!(foreseen(&desk).counts(), [3, 3, 0, 0]);
    site.asked();
    assert_eq!(foreseen(&desk).counts(), [3, 0, 0, 0]);
    // A file whose hash is known is not fetched for a plan.
    let a2 = page("almond");
    site.put("/a.md", &a2);
    site.put("/b.md", page("blackthorn"));
    site.put("/d.md", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    site.put("/manifest.json", manifest(&[hashed("a.md", &a2), json!("b.md"), json!("d.md")]));
    site.asked();
    let plan = desk.sync_with(&["--dry-run"], 0);
    assert_eq!(site.asked(), ["200 /b.md", "200 /d.md", "200 /manifest.json"]);
    assert_eq!(plan.skipped(), 1);
    let done = foreseen(&desk);
    assert_eq!(done.changes(), ["update a.md", "update b.md", "remove c.md"]);
}

#[test]
fn a_plan_of_anything_else_is_what_happens() {
    let site = Site::http();
    let files = [("a.md", page("alder")), ("b.md", page("birch"))];
    site.put("/g.tgz", bundle(Packing::Gzip, &glob_manifest(&["*.md"]), &files));
    let repository = Repository::new();
    for (path, text) in &files {
        repository.write(path, text);
    }
    repository.commit("one");
    let desks = [Desk::at(&site, "/g.tgz"), Desk::new(&repository.url("")), Desk::new("file://./manifest.json")];
    for (path, text) in &files {
        desks[2].sandbox.write(path, text);
    }
    desks[2].sandbox.write("manifest.json", glob_manifest(&["*.md"]));
    for desk in &desks {
        assert_eq!(foreseen(desk).counts(), [2, 2, 0, 0]);
        assert_eq!(foreseen(desk).counts(), [2, 0, 0, 0]);
    }
    let files = [("a.md", page("almond")), ("c.md", page("cedar"))];
    site.put("/g.tgz", bundle(Packing::Gzip, &glob_manifest(&["*.md"]), &files));
    for folder in [repository.path(), desks[2].sandbox.project()] {
        std::fs::remove_file(folder.join("b.md")).unwrap();
        for (path, text) in &files {
            std::fs::write(folder.join(path), text).unwrap();
        }
    }
    repository.commit("two");
    for desk in &desks {
        assert_eq!(foreseen(desk).changes(), ["update a.md", "remove b.md", "add c.md"]);
    }
}

#[test]
fn dropping_a_package_makes_the_next_sync_whole() {
    let site = Site::http();
    let a = page("alder");
    site.put("/a.md", &a);
    site.put("/b.md", page("birch"));
    site.put("/manifest.json", manifest(&[hashed("a.md", &a), json!("b.md")]));
    let desk = Desk::at(&site, "/manifest.json");
    desk.sync();
    desk.run(&["ref", "drop", "docs"]).assert_code(0);
    assert_eq!(desk.status().0, "not-synced");
    site.asked();
    assert_eq!(desk.sync().counts(), [2, 2, 0, 0]);
    assert_eq!(site.asked(), ["200 /a.md", "200 /b.md", "200 /manifest.json"]);
}
