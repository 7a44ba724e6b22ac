//! `collections info` and `collections diff`: what a package is, and what has changed in it.

use serde_json::json;

use super::archives::{Packing, archive, bundle, glob_manifest};
use super::desk::{Desk, hash, hashed, manifest, page};
use super::repository::Repository;
use super::site::Site;

#[test]
fn packages_are_shown_and_nothing_is_kept() {
    let site = Site::http();
    let text = manifest(&[hashed("a.md", page("alder")), json!("b.md")]).replacen(
        '{',
        r#"{"description": "Trees", "metadata": {"license": "CC-BY-4.0"}, "#,
        1,
    );
    site.put("/m/manifest.json", &text);
    let files = [("a.md", page("alder")), ("x.bin", "\0\0\0".to_owned())];
    site.put("/b.tar.gz", bundle(Packing::Gzip, &glob_manifest(&["**/*"]), &files));
    let repository = Repository::new();
    repository.write("d.md", page("dogwood"));
    let commit = repository.commit("first");
    let desk = Desk::new("x");
    std::fs::remove_file(desk.sandbox.project().join("context.json")).unwrap();
    let info = |source: &str| {
        let run = desk.run(&["info", source, "--json"]);
        run.assert_code(0);
        run.json()["package"].clone()
    };
    let shown = info(&site.url("/m/manifest.json"));
    assert_eq!(site.asked(), ["200 /m/manifest.json"], "no file is fetched");
    for (key, value) in [
        ("kind", json!("manifest")),
        ("name", json!("guide")),
        ("version", json!("1.0.0")),
        ("description", json!("Trees")),
        ("license", json!("CC-BY-4.0")),
        ("hash", json!(hash(&text))),
        ("credentials", json!(false)),
        (
            "files",
            json!([
                { "path": "a.md", "size": null, "hash": hash(page("alder")) },
                { "path": "b.md", "size": null, "hash": null },
            ]),
        ),
    ] {
        assert_eq!(shown[key], value, "{key}");
    }
    let shown = info(&site.url("/b.tar.gz"));
    assert_eq!((&shown["kind"], &shown["bytes"]), (&json!("bundle"), &json!(page("alder").len())));
    assert_eq!(shown["files"].as_array().unwrap().len(), 1);
    assert_eq!(shown["skipped"][0]["path"], "x.bin");
    let shown = info(&repository.url(""));
    assert_eq!((&shown["kind"], &shown["commit"]), (&json!("git"), &json!(commit)));
    desk.sandbox.write("pkg/manifest.json", glob_manifest(&["**/*.md"]));
    desk.sandbox.write("pkg/a.md", page("alder"));
    for source in ["pkg/manifest.json", "./pkg"] {
        assert_eq!(info(source)["files"][0]["hash"], hash(page("alder")), "{source}");
    }
    assert_eq!(desk.leftovers().len(), 0);
    assert!(!desk.sandbox.project().join("context.json").exists());
    assert_eq!(desk.run(&["ref", "ls"]).code(), 1, "nothing is indexed");
    // What can't be had says why.
    site.fail("/m/manifest.json", 401);
    let run = desk.run(&["info", &site.url("/m/manifest.json")]);
    run.assert_code(2);
    assert!(run.stderr().contains("credentials"), "{}", run.stderr());
    let run = desk.run(&["info", "."]);
    run.assert_code(2);
}

#[test]
fn texts_are_compared_and_secrets_are_not_shown() {
    let site = Site::http();
    let key = ["AKIA", "QYLPMN5HHHFPZAM2"].concat();
    site.put("/a.md", page("alder"));
    site.put("/b.md", page("birch"));
    site.put("/manifest.json", manifest(&[json!("a.md"), json!("b.md")]));
    let desk = Desk::at(&site, "/manifest.json");
    desk.sync();
    let run = desk.run(&["collections", "diff", "--exit-code"]);
    run.assert_code(0);
    assert_eq!((run.stdout().as_str(), run.stderr().as_str()), ("", "No document of docs differs\n"));
    site.put("/b.md", page("birch") + &format!("The key is {key} today.\n"));
    site.put("/c.md", page("cedar"));
    site.put("/manifest.json", manifest(&[json!("b.md"), json!("c.md")]).replace("1.0.0", "1.1.0"));
    let store = desk.store();
    let run = desk.run(&["collections", "diff", "docs"]);
    run.assert_code(0);
    let text = run.stdout();
    for part in [
        "- a.md (+0 -3)\n@@ -1,3 +0,0 @@\n-# About alder\n",
        "~ b.md (+1 -0)\n@@",
        "\n+The key is [redacted:",
        "+ c.md (+3 -0)\n@@ -0,0 +1,3 @@\n+# About cedar\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains(&key), "{text}");
    desk.run(&["collections", "diff", "docs", "--exit-code"]).assert_code(1);
    let value = desk.run(&["collections", "diff", "--json"]).json()["collections"][0].clone();
    assert_eq!((&value["from"]["version"], &value["to"]["version"]), (&json!("1.0.0"), &json!("1.1.0")));
    assert_eq!(
        [&value["added"], &value["updated"], &value["removed"]],
        [&json!(["c.md"]), &json!(["b.md"]), &json!(["a.md"])]
    );
    assert!(!value.to_string().contains(&key));
    assert_eq!(value["files"][1]["oldHash"], hash(page("birch")));
    assert_eq!(desk.store(), store, "nothing is written");
    // A file that can't be had is a problem, and the rest is compared.
    site.fail("/c.md", 404);
    let run = desk.run(&["collections", "diff", "docs", "--stat"]);
    run.assert_code(1);
    assert_eq!(run.stdout(), "- a.md (+0 -3)\n~ b.md (+1 -0)\n");
    assert!(run.stderr().contains("c.md"), "{}", run.stderr());
    // Two packages anywhere.
    site.put("/old.tar.gz", archive(Packing::Gzip, &[("a.md", page("alder"))]));
    site.put("/new.tar.gz", archive(Packing::Gzip, &[("a.md", page("almond"))]));
    let run = desk.run(&["collections", "diff", &site.url("/old.tar.gz"), &site.url("/new.tar.gz"), "--stat"]);
    run.assert_code(0);
    assert_eq!(run.stdout(), "~ a.md (+2 -2)\n");
}

#[test]
fn folders_are_compared_too() {
    let desk = Desk::new("x");
    desk.sandbox.write("docs/a.md", "one\ntwo\nthree\n");
    desk.sandbox.write("context.json", r#"{"collections": {"docs": {"type": "file", "path": "docs"}}}"#);
    desk.sync();
    desk.sandbox.write("docs/a.md", "one\n2\nthree\n");
    let run = desk.run(&["collections", "diff", "docs"]);
    run.assert_code(0);
    assert_eq!(run.stdout(), "~ a.md (+1 -1)\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
}
