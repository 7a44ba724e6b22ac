//! `context.lock`: written, compared, held to.

use serde_json::{Value, json};

use super::archives::{Packing, bundle, glob_manifest};
use super::desk::{Desk, hash, hashed, manifest, page};
use super::site::Site;

/// A site with a package of one file with a hash and one without, and a project that has synced it.
fn synced() -> (Site, Desk) {
    let site = Site::http();
    publish(&site, "alder", "birch");
    let desk = Desk::at(&site, "/manifest.json");
    desk.sync();
    site.asked();
    (site, desk)
}

fn publish(site: &Site, hashed_word: &str, bare_word: &str) {
    let a = page(hashed_word);
    site.put("/a.md", &a);
    site.put("/b.md", page(bare_word));
    site.put("/manifest.json", manifest(&[hashed("a.md", &a), json!("b.md")]));
}

/// A project elsewhere with the same configuration and lock, and nothing indexed.
fn elsewhere(desk: &Desk) -> Desk {
    let fresh = Desk::new("x");
    for name in ["context.json", "context.lock"] {
        fresh.sandbox.write(name, std::fs::read(desk.sandbox.project().join(name)).unwrap());
    }
    fresh
}

/// All that a sync that is refused must leave alone.
fn state(desk: &Desk) -> Value {
    json!([desk.store(), desk.documents(), desk.lock_text(), desk.status()])
}

#[test]
fn a_sync_writes_what_it_has_and_only_if_it_is_new() {
    let (site, desk) = synced();
    let text = manifest(&[hashed("a.md", page("alder")), json!("b.md")]);
    let expected = json!({ "version": 1, "collections": { "docs": {
        "url": site.url("/manifest.json"), "package": "guide", "version": "1.0.0", "manifestHash": hash(&text),
        "files": {
            "a.md": { "hash": hash(page("alder")), "size": page("alder").len() },
            "b.md": { "hash": hash(page("birch")), "size": page("birch").len() },
        },
    } } });
    assert_eq!(desk.lock(), expected);
    let (before, file) = (desk.lock_text(), desk.sandbox.project().join("context.lock"));
    // A file that is not written keeps its time.
    let time = std::fs::metadata(&file).unwrap().modified().unwrap();
    desk.sync();
    desk.sync_with(&["--dry-run"], 0);
    desk.sync_with(&["--locked"], 0);
    desk.sync_with(&["--frozen"], 0);
    assert_eq!(desk.lock_text(), before);
    assert_eq!(std::fs::metadata(&file).unwrap().modified().unwrap(), time);
    // What changes is one line.
    site.put("/b.md", page("blackthorn"));
    desk.sync();
    let after = desk.lock_text();
    let changed = before.lines().zip(after.lines()).filter(|(old, new)| old != new).count();
    assert_eq!((changed, before.lines().count()), (1, after.lines().count()));
    assert_eq!(desk.lock()["collections"]["docs"]["files"]["b.md"]["hash"], hash(page("blackthorn")));
    // A collection that is declared no more is locked no more.
    desk.sandbox.write("context.json", json!({ "collections": {} }).to_string());
    desk.run(&["collections", "sync"]).assert_code(0);
    assert_eq!(desk.lock()["collections"], json!({}));
}

#[test]
fn what_changed_upstream_is_refused_when_locked() {
    type Change = fn(&Site, &Desk);
    let changes: [(&str, Change, &str); 7] = [
        ("a file with a hash", |site, _| publish(site, "almond", "birch"), "manifest"),
        ("a file without a hash", |site, _| site.put("/b.md", page("blackthorn")), "`b.md` has changed"),
        (
            "the manifest",
            |site, _| {
                let text = manifest(&[hashed("a.md", page("alder")), json!("b.md")]);
                site.put("/manifest.json", text.replace("1.0.0", "1.0.1"));
            },
            "1.0.0 → 1.0.1",
        ),
        (
            "a file more",
            |site, _| {
                site.put("/c.md", page("cedar"));
                let a = hashed("a.md", page("alder"));
                site.put("/manifest.json", manifest(&[a, json!("b.md"), json!("c.md")]));
            },
            "manifest",
        ),
        ("a file less", |site, _| site.put("/manifest.json", manifest(&[json!("b.md")])), "manifest"),
        ("the URL", |site, desk| desk.declare(&[("docs", &site.url("/other.json"))]), "/other.json"),
        ("another package", |site, _| site.put("/manifest.json", "{}"), "`name`"),
    ];
    for (what, change, part) in changes {
        let (site, desk) = synced();
        let before = state(&desk);
        change(&site, &desk);
        let said = desk.refused(&["--locked"]);
        assert!(said.contains(part), "{what}: {said}");
        if what == "the URL" {
            assert_eq!(site.asked(), [""; 0], "{what}");
            desk.declare(&[("docs", &site.url("/manifest.json"))]);
        } else {
            assert!(what == "another package" || said.contains("without --locked"), "{what}: {said}");
        }
        assert_eq!(state(&desk), before, "{what}");
        // Nor is anything taken in where nothing is yet.
        if what != "the URL" {
            let fresh = elsewhere(&desk);
            fresh.refused(&["--locked"]);
            assert_eq!(fresh.lock_text(), desk.lock_text(), "{what}");
            for word in ["almond", "blackthorn", "cedar"] {
                assert_eq!(fresh.found(word), [""; 0], "{what}");
            }
        }
    }
}

#[test]
fn what_changed_in_a_bundle_or_a_folder_is_refused_when_locked() {
    let site = Site::http();
    let first = [("a.md", page("alder")), ("b.md", page("birch"))];
    site.put("/g.tgz", bundle(Packing::Gzip, &glob_manifest(&["*.md"]), &first));
    let desk = Desk::at(&site, "/g.tgz");
    desk.sync();
    desk.sync_with(&["--locked"], 0);
    let before = state(&desk);
    site.put("/g.tgz", bundle(Packing::Gzip, &glob_manifest(&["*.md"]), &first[..1]));
    desk.refused(&["--locked"]);
    assert_eq!(state(&desk), before);

    let local = || {
        let desk = Desk::new("file://./docs/manifest.json");
        desk.sandbox.write("docs/manifest.json", glob_manifest(&["*.md"]));
        for (path, text) in &first {
            desk.sandbox.write(format!("docs/{path}"), text);
        }
        desk
    };
    for (what, part) in
        [("changed", "`a.md` has changed"), ("new", "`c.md` is not in the lock"), ("gone", "`b.md` is gone")]
    {
        let desk = local();
        desk.sync();
        let change = |desk: &Desk| match what {
            "changed" => desk.sandbox.write("docs/a.md", page("almond")),
            "new" => desk.sandbox.write("docs/c.md", page("cedar")),
            _ => std::fs::remove_file(desk.sandbox.project().join("docs/b.md")).unwrap(),
        };
        let fresh = local();
        fresh.sandbox.write("context.lock", desk.lock_text());
        change(&desk);
        change(&fresh);
        let (status, detail) = desk.status();
        assert_eq!(status, "stale", "{what}: {detail}");
        let before = state(&desk);
        let said = desk.refused(&["--locked"]);
        assert!(said.contains(part), "{what}: {said}");
        assert_eq!(state(&desk), before, "{what}");
        fresh.refused(&["--locked"]);
        assert_eq!(fresh.store()["collections"].as_array().unwrap().len(), usize::from(what == "changed"), "{what}");
        assert_eq!(fresh.found("almond"), [""; 0]);
        // A file that would be no document is no change.
        if what == "new" {
            std::fs::remove_file(desk.sandbox.project().join("docs/c.md")).unwrap();
            desk.sandbox.write("docs/picture.md", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
            desk.sync_with(&["--locked"], 0);
        }
    }
}

#[test]
fn frozen_asks_for_nothing_that_is_here() {
    let (site, desk) = synced();
    let connections = site.connections();
    publish(&site, "almond", "blackthorn");
    let report = desk.sync_with(&["--frozen"], 0);
    assert!(report.is_up_to_date());
    assert_eq!(report.counts(), [2, 0, 0, 0]);
    desk.sync_with(&["--frozen", "--offline"], 0);
    assert_eq!(site.connections(), connections);
}

#[test]
fn frozen_brings_exactly_what_is_locked_to_another_machine() {
    let (site, desk) = synced();
    let fresh = elsewhere(&desk);
    assert_eq!(fresh.sync_with(&["--frozen"], 0).counts(), [2, 2, 0, 0]);
    assert_eq!(site.asked(), ["200 /a.md", "200 /b.md", "200 /manifest.json"]);
    assert_eq!((fresh.documents(), fresh.lock_text()), (desk.documents(), desk.lock_text()));
    assert!(fresh.sync_with(&["--frozen"], 0).is_up_to_date());
    assert_eq!(site.asked(), [""; 0]);
    // Without the network there is nothing to be had.
    let said = elsewhere(&desk).refused(&["--frozen", "--offline"]);
    assert!(said.contains("network"), "{said}");
    // A file that is missing is named with the reason.
    site.fail("/b.md", 404);
    let said = elsewhere(&desk).refused(&["--frozen"]);
    assert!(said.contains("`b.md` is not indexed") && said.contains("status 404"), "{said}");
    // When upstream has moved on there is nothing to be had either.
    for (hashed_word, bare_word, part) in
        [("alder", "blackthorn", "`b.md` has changed"), ("almond", "birch", "manifest")]
    {
        publish(&site, hashed_word, bare_word);
        let late = elsewhere(&desk);
        let said = late.refused(&["--frozen"]);
        assert!(said.contains(part), "{said}");
        for word in ["almond", "blackthorn"] {
            assert_eq!(late.found(word), [""; 0]);
        }
        assert_eq!(late.lock_text(), desk.lock_text());
    }
}

#[test]
fn what_is_indexed_is_brought_back_to_the_lock() {
    let (site, desk) = synced();
    let lock = desk.lock_text();
    site.put("/b.md", page("blackthorn"));
    desk.sync();
    desk.sandbox.write("context.lock", &lock);
    assert_eq!(desk.status(), ("stale".to_owned(), "`b.md` differs from the lock".to_owned()));
    site.put("/b.md", page("birch"));
    assert_eq!(desk.sync_with(&["--frozen"], 0).changes(), ["update b.md"]);
    assert_eq!(desk.status().0, "synced");
}

#[test]
fn who_is_not_locked_is_told_how() {
    let site = Site::http();
    site.put("/manifest.json", manifest(&[]));
    let desk = Desk::at(&site, "/manifest.json");
    for flag in ["--locked", "--frozen"] {
        let said = desk.refused(&[flag]);
        assert!(said.contains("context.lock has no entry for `docs`") && said.contains("collections sync"), "{said}");
    }
    assert_eq!(site.connections(), 0);
    assert!(!desk.sandbox.project().join("context.lock").exists());
    // A collection of files has no place in a lock, and is synced as ever.
    desk.sandbox.write("docs/a.md", page("alder"));
    let spec = json!({ "type": "file", "path": "./docs", "glob": "**/*.md" });
    desk.sandbox.write("context.json", json!({ "collections": { "docs": spec } }).to_string());
    assert_eq!(desk.sync_with(&["--locked"], 0).counts(), [1, 1, 0, 0]);
    for (text, part) in [("{", "EOF"), ("{\"version\":9,\"collections\":{}}", "format 9")] {
        desk.sandbox.write("context.lock", text);
        let said = desk.refused(&[]);
        assert!(said.contains("context.lock") && said.contains(part), "{said}");
        assert_eq!(desk.lock_text(), text);
    }
}

#[test]
fn a_lock_stands_beside_its_configuration() {
    let (site, desk) = synced();
    // The user's own collections have a lock of their own.
    let folder = desk.sandbox.config();
    std::fs::create_dir_all(&folder).unwrap();
    let spec = json!({ "collections": { "mine": { "type": "pkg", "url": site.url("/manifest.json") } } }).to_string();
    std::fs::write(folder.join("context.json"), &spec).unwrap();
    desk.sync();
    let own: Value = serde_json::from_slice(&std::fs::read(folder.join("context.lock")).unwrap()).unwrap();
    assert_eq!(own["collections"]["mine"], desk.lock()["collections"]["docs"]);
    assert_eq!(desk.lock()["collections"].as_object().unwrap().len(), 1);
    desk.sync_with(&["--frozen"], 0);
    std::fs::remove_dir_all(folder).unwrap();
    // A project whose configuration has another name has a lock of that name.
    std::fs::remove_file(desk.sandbox.project().join("context.lock")).unwrap();
    desk.sandbox.write("assist.json", spec);
    desk.run(&["--config-file", "assist.json", "collections", "sync"]).assert_code(0);
    assert!(desk.sandbox.project().join("assist.lock").exists());
    assert!(!desk.sandbox.project().join("context.lock").exists());
}

#[test]
fn a_lock_may_be_hostile() {
    let (site, desk) = synced();
    let good = desk.lock_text();
    for (from, to) in [("a.md", "../a.md"), ("a.md", "/etc/passwd"), ("sha256:", "md5:"), ("\"size\": ", "\"size\": -")]
    {
        let bad = good.replace(from, to);
        assert_ne!(bad, good);
        desk.sandbox.write("context.lock", &bad);
        for args in [&[][..], &["--locked"], &["--frozen"]] {
            let said = desk.refused(args);
            assert!(said.contains("context.lock can't be read"), "{said}");
        }
        assert_eq!(desk.lock_text(), bad);
    }
    assert_eq!(site.asked(), [""; 0]);
}

#[test]
fn the_list_says_what_is_stale_and_why() {
    let desk = Desk::new("file://./docs/manifest.json");
    assert_eq!(desk.status().0, "error", "there is no manifest yet");
    desk.sandbox.write("docs/manifest.json", manifest(&[json!("a.md"), json!("b.md")]));
    assert_eq!(desk.status().0, "not-synced");
    desk.sandbox.write("docs/a.md", page("alder"));
    let report = desk.sync_with(&[], 1);
    assert_eq!(report.counts(), [1, 1, 0, 0]);
    let (status, detail) = desk.status();
    assert!(status == "stale" && detail.contains("last sync"), "{status} {detail}");
    desk.sandbox.write("docs/b.md", page("birch"));
    desk.sync();
    assert_eq!(desk.status(), ("synced".to_owned(), String::new()));
    desk.sandbox.write("docs/b.md", page("blackthorn"));
    assert_eq!(desk.status(), ("stale".to_owned(), "b.md has changed".to_owned()));
    desk.sync();
    desk.sandbox.write("docs/manifest.json", manifest(&[json!("a.md")]));
    assert_eq!(desk.status(), ("stale".to_owned(), "b.md is gone".to_owned()));
    desk.sync();
    std::fs::remove_file(desk.sandbox.project().join("docs/manifest.json")).unwrap();
    let (status, detail) = desk.status();
    assert!(status == "error" && detail.contains("manifest.json"), "{status} {detail}");
    // For people too.
    let run = desk.run(&["collections", "list"]);
    run.assert_code(0);
    assert!(run.stdout().contains("✗ error") && run.stderr().contains("manifest.json"), "{}", run.stderr());
    assert_eq!(desk.found("alder"), ["a.md"]);
}
