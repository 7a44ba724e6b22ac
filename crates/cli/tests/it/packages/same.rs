//! The same files by five roads are the same documents.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::archives::{Packing, bundle};
use super::desk::{Desk, hash, manifest};
use super::repository::Repository;
use super::site::Site;
use crate::support::{Numbers, markdown};

const NAMES: [&str; 6] = ["folder", "globs", "served", "packed", "zstd", "repository"];

fn tree() -> BTreeMap<String, Vec<u8>> {
    let mut numbers = Numbers(11);
    let mut tree = BTreeMap::new();
    for number in 0..8 {
        let path = format!("guide/part-{}/chapter {number}.md", number % 3);
        tree.insert(path, markdown(&mut numbers, &format!("Chapter {number}")).into_bytes());
    }
    let wide: Vec<u8> = "\u{feff}# Größe\n\nThe replica compacts cold partitions.\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    tree.insert("über.md".to_owned(), wide);
    tree.insert("windows.md".to_owned(), b"# Lines\r\n\r\nThe planner delays slow queries.\r\n".to_vec());
    let key = ["AKIA", "Q3EGRBCDXAMPLE7Q"].concat();
    tree.insert(
        "keys.md".to_owned(),
        format!("# Keys\n\nThe gateway signs with `aws_access_key_id = {key}`.\n").into_bytes(),
    );
    tree.insert(
        "src/ledger.rs".to_owned(),
        b"/// Merges pending invoices.\npub fn merge_invoices() -> usize {\n    42\n}\n".to_vec(),
    );
    tree
}

/// A project with the tree as every kind of collection there is.
fn project(site: &Site) -> (Desk, Repository) {
    let tree = tree();
    let desk = Desk::new("x").trusting(site);
    let repository = Repository::new();
    let globs = json!({ "name": "tree", "version": "1", "sources": { "glob": ["**/*.md", "src/*.rs"] } }).to_string();
    for (path, bytes) in &tree {
        desk.sandbox.write(format!("folder/{path}"), bytes);
        desk.sandbox.write(format!("globs/{path}"), bytes);
        repository.write(path, bytes);
        let escaped = path.replace(' ', "%20").replace('ü', "%C3%BC");
        site.put(&format!("/tree/{escaped}"), bytes);
    }
    desk.sandbox.write("globs/manifest.json", &globs);
    repository.commit("all of it");
    let files: Vec<Value> = tree.iter().map(|(path, bytes)| json!({ "path": path, "hash": hash(bytes) })).collect();
    site.put("/tree/manifest.json", manifest(&files));
    for (name, packing) in [("/tree.tar.gz", Packing::Gzip), ("/tree.tar.zst", Packing::Zstd)] {
        site.put(
            name,
            bundle(
                packing,
                &globs,
                &tree.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect::<Vec<_>>(),
            ),
        );
    }
    let pkg = |url: String| json!({ "type": "pkg", "url": url });
    let collections = json!({
        "folder": { "type": "file", "path": "./folder", "glob": "**/*.{md,rs}" },
        "globs": pkg("file://./globs/manifest.json".to_owned()),
        "served": pkg(site.url("/tree/manifest.json")),
        "packed": pkg(site.url("/tree.tar.gz")),
        "zstd": pkg(site.url("/tree.tar.zst")),
        "repository": pkg(repository.url("?glob=**/*.md&glob=src/*.rs")),
    });
    desk.sandbox.write("context.json", json!({ "collections": collections }).to_string());
    desk.allow();
    (desk, repository)
}

#[test]
fn five_roads_lead_to_the_same_answers() {
    let site = Site::https();
    let (desk, _repository) = project(&site);
    let run = desk.run(&["collections", "sync", "--json"]);
    run.assert_code(0);
    let reports = run.json()["collections"].clone();
    for (number, name) in NAMES.iter().enumerate() {
        assert_eq!(reports[number]["name"], *name);
        assert_eq!(reports[number]["documents"], tree().len(), "{name}: {}", reports[number]);
        assert_eq!(reports[number]["changes"], reports[0]["changes"], "{name}");
        assert_eq!(reports[number]["redacted"], reports[0]["redacted"], "{name}");
        assert_eq!(reports[number]["redacted"], 1);
    }
    let lock = desk.lock();
    for name in &NAMES[2..] {
        assert_eq!(lock["collections"][name]["files"], lock["collections"]["globs"]["files"], "{name}");
    }
    assert_eq!(lock["collections"].get("folder"), None);
    for query in [
        &["stale leases"][..],
        &["the planner delays slow queries"],
        &["cold partitions", "--mode", "dense", "-n", "30"],
        &["merge invoices", "--mode", "lexical"],
        &["\"audit records\"", "--fusion", "ranks", "-n", "30", "--explain"],
        &["path:guide/part-1 handshake", "-n", "40"],
        &["aws_access_key_id"],
        &["lang:rust merge"],
    ] {
        let answers = NAMES.map(|name| {
            let hits = desk.search(&[query, &["--collection", name]].concat());
            assert!(!hits.is_empty(), "{query:?} in {name}");
            hits.into_iter().map(bare).collect::<Vec<Value>>()
        });
        for (name, answer) in NAMES.iter().zip(&answers) {
            assert_eq!(*answer, answers[0], "{query:?} in {name}");
        }
    }
}

/// A hit without what says which collection it is from.
fn bare(mut hit: Value) -> Value {
    let fields = hit.as_object_mut().unwrap();
    for key in ["collection", "collectionId", "version", "commit", "file", "freshness"] {
        fields.remove(key);
    }
    hit
}
