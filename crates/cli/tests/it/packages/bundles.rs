//! Packages as one file, over HTTP and from this machine.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::archives::{Packing, bomb, bundle, crowd, glob_manifest, hostile};
use super::desk::{Desk, hash, hashed, manifest, page};
use super::site::Site;

#[test]
fn every_kind_is_unpacked_and_indexed() {
    let (a, b) = (page("alder"), page("birch"));
    let files = [("a.md", a.as_str()), ("deep/b.md", b.as_str()), ("notes.txt", "This shared text is not wanted.")];
    for (name, packing) in [("g.tar.gz", Packing::Gzip), ("g.tgz", Packing::Gzip), ("g.tar.zst", Packing::Zstd)] {
        for manifest in [
            glob_manifest(&["**/*.md"]),
            manifest(&[hashed("a.md", &a), json!("deep/b.md")]),
            // What lies elsewhere is no part of a bundle, and where it came from counts for nothing.
            json!({ "name": "guide", "version": "1", "baseUrl": "https://example.invalid/", "sources": { "files": [
                "a.md", "deep/b.md", { "url": "https://example.invalid/c.md" } ] } })
            .to_string(),
        ] {
            let bytes = bundle(packing, &manifest, &files);
            let site = Site::http();
            site.put(&format!("/{name}"), &bytes);
            let remote = Desk::at(&site, &format!("/{name}"));
            let local = Desk::new(&format!("file://./{name}"));
            local.sandbox.write(name, &bytes);
            for desk in [remote, local] {
                let report = desk.sync();
                assert_eq!(report.counts(), [2, 2, 0, 0]);
                assert_eq!(report.warnings().contains("ignored"), manifest.contains("c.md"), "{}", report.warnings());
                let found: Vec<(String, String)> = desk.documents().into_iter().collect();
                assert_eq!(found, [("a.md".to_owned(), hash(&a)), ("deep/b.md".to_owned(), hash(&b))]);
                assert_eq!(desk.leftovers(), Vec::<PathBuf>::new());
                assert!(desk.sync().is_up_to_date());
            }
            assert_eq!(site.asked(), [format!("200 /{name}"), format!("304 /{name}")]);
        }
    }
}

#[test]
fn only_other_bytes_are_a_change() {
    let site = Site::http();
    let first = bundle(Packing::Gzip, &glob_manifest(&["*.md"]), &[("a.md", &page("alder")), ("b.md", &page("birch"))]);
    site.put_tagged("/g.tgz", "\"1\"", &first);
    let desk = Desk::at(&site, "/g.tgz");
    desk.sync();
    site.asked();
    // The same bytes by another name are downloaded once more, and then no more.
    site.put_tagged("/g.tgz", "\"2\"", &first);
    assert!(desk.sync().is_up_to_date());
    assert_eq!(site.asked(), ["200 /g.tgz"]);
    assert!(desk.sync().is_up_to_date());
    assert_eq!(site.asked(), ["304 /g.tgz"]);
    // Other bytes with one file changed, one gone, one new.
    let files = [("a.md", page("almond")), ("c.md", page("cedar"))];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    site.put("/g.tgz", bundle(Packing::Gzip, &glob_manifest(&["*.md"]), &files));
    let report = desk.sync();
    assert_eq!(report.changes(), ["update a.md", "remove b.md", "add c.md"]);
    assert_eq!(desk.found("birch"), [""; 0]);
    // The same files in another packing are not indexed again.
    site.put("/g.tgz", bundle(Packing::Gzip, &glob_manifest(&["**/*.md"]), &files));
    let report = desk.sync();
    assert_eq!((report.counts(), report.is_up_to_date()), ([2, 0, 0, 0], false));
}

#[test]
fn a_file_that_a_bundle_lacks_or_has_otherwise_is_a_problem() {
    let site = Site::http();
    let (a, b) = (page("alder"), page("birch"));
    site.put(
        "/g.tgz",
        bundle(Packing::Gzip, &manifest(&[hashed("a.md", &a), json!("b.md")]), &[("a.md", &a), ("b.md", &b)]),
    );
    let desk = Desk::at(&site, "/g.tgz");
    desk.sync();
    let text = manifest(&[hashed("a.md", page("almond")), json!("b.md"), json!("c.md")]);
    site.put("/g.tgz", bundle(Packing::Gzip, &text, &[("a.md", "tampered"), ("c.md", &page("cedar"))]));
    let report = desk.sync_with(&[], 1);
    let problems = report.problems();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(
        problems
            .iter()
            .any(|p| p.starts_with("a.md") && p.contains(&hash("tampered")) && p.contains(&hash(page("almond"))))
    );
    assert!(problems.iter().any(|p| p.starts_with("b.md")), "{problems:?}");
    assert_eq!(report.changes(), ["add c.md"]);
    let expected =
        [("a.md".to_owned(), hash(&a)), ("b.md".to_owned(), hash(&b)), ("c.md".to_owned(), hash(page("cedar")))];
    assert_eq!(desk.documents().into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(desk.status().0, "stale");
    // A bundle that was not taken in whole is asked for again.
    site.asked();
    desk.sync_with(&[], 1);
    assert_eq!(site.asked(), ["200 /g.tgz"]);
}

/// Every file below a folder that is none of the program's own.
fn strangers(root: &Path) -> Vec<PathBuf> {
    let all = crate::support::bytes_below(root).into_iter().map(|(path, _)| path);
    all.filter(|path| !path.starts_with(root.join("data")) && !path.starts_with(root.join("cache"))).collect()
}

#[test]
fn hostile_bundles_are_refused_whole() {
    let site = Site::http();
    let outside = tempfile::tempdir().unwrap();
    site.put("/g.tgz", bundle(Packing::Gzip, &glob_manifest(&["*.md"]), &[("old.md", &page("old"))]));
    let remote = Desk::at(&site, "/g.tgz").with("AI_ASSIST_NETWORK_ATTEMPTS", "1");
    remote.sync();
    let local = Desk::new("file://./g.tgz");
    local.sandbox.write("g.tgz", bundle(Packing::Gzip, &glob_manifest(&["*.md"]), &[("old.md", &page("old"))]));
    local.sync();
    let befores = [&remote, &local].map(|desk| (desk.store(), strangers(&desk.sandbox.root())));
    for (name, bytes, part) in hostile(outside.path().to_str().unwrap()) {
        site.put("/g.tgz", &bytes);
        local.sandbox.write("g.tgz", &bytes);
        for (desk, (store, files)) in [&remote, &local].into_iter().zip(&befores) {
            let said = desk.refused(&[]);
            assert!(said.contains("g.tgz") && said.contains(part), "{name}: {said}");
            assert_eq!(desk.found("shared"), ["old.md"], "{name}");
            assert_eq!(desk.store(), *store, "{name}");
            assert_eq!(strangers(&desk.sandbox.root()), *files, "{name}");
            assert_eq!(desk.leftovers(), Vec::<PathBuf>::new(), "{name}");
        }
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0, "{name}");
    }
    remote.sandbox.assert_healthy();
}

#[test]
fn what_a_bundle_unpacks_to_is_bounded() {
    let site = Site::http();
    let good = bundle(Packing::Gzip, &glob_manifest(&["*.md"]), &[("old.md", &page("old"))]);
    site.put("/g.tgz", good);
    let desk = Desk::at(&site, "/g.tgz")
        .with("AI_ASSIST_NETWORK_MAX_TOTAL_BYTES", "1000000")
        .with("AI_ASSIST_NETWORK_MAX_PACKAGE_FILES", "50");
    desk.sync();
    for (bytes, limit) in [(bomb(30_000_000), "1000000"), (crowd(60), "50")] {
        site.put("/g.tgz", &bytes);
        let said = desk.refused(&[]);
        assert!(said.contains(limit), "{said}");
        assert_eq!(desk.found("shared"), ["old.md"]);
        assert_eq!(desk.leftovers(), Vec::<PathBuf>::new());
    }
    // More bytes than may be downloaded at all.
    let mut numbers = crate::support::Numbers(7);
    let noise: Vec<u8> = (0..1_200_000).map(|_| u8::try_from(numbers.below(256)).unwrap()).collect();
    site.put("/g.tgz", noise);
    let said = desk.refused(&[]);
    assert!(said.contains("1000000"), "{said}");
    assert_eq!(desk.found("shared"), ["old.md"]);
}
