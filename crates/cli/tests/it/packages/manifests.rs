//! The rules of manifests, from the server to the message.

use serde_json::{Value, json};

use super::desk::{Desk, hash, hashed, manifest, page};
use super::site::Site;

#[test]
fn paths_and_urls_are_found_where_they_are_said_to_be() {
    let (site, other) = (Site::https(), Site::https());
    // What one of them trusts must vouch for both, so the second is reached over the first's authority only if it is told.
    let both = tempfile::NamedTempFile::new().unwrap();
    let pems = [&site, &other].map(|site| std::fs::read_to_string(site.authority().unwrap()).unwrap());
    std::fs::write(both.path(), pems.concat()).unwrap();
    let words = ["alder", "birch", "cedar", "damson", "elder", "fir"];
    for (path, word) in [
        ("/base/plain.md", words[0]),
        ("/base/with%20space.md", words[1]),
        ("/base/c%23/what%3F.md", words[2]),
        ("/base/%C3%BCber/%E6%97%A5%E6%9C%AC.md", words[3]),
        ("/base/100%25.md", words[4]),
    ] {
        site.put(path, page(word));
    }
    other.put("/x/y.md?raw=1", page(words[5]));
    let text = json!({
        "name": "guide", "version": "1", "baseUrl": site.url("/base"),
        "sources": { "files": [
            "plain.md",
            { "path": "with space.md" },
            { "path": "c#/what?.md", "hash": hash(page(words[2])) },
            "über/日本.md",
            "100%.md",
            { "url": other.url("/x/y.md?raw=1"), "hash": hash(page(words[5])) },
        ] },
        "metadata": { "anything": [1, 2] }
    });
    site.put("/elsewhere/manifest.json", text.to_string());
    let desk = Desk::new(&site.url("/elsewhere/manifest.json")).with("AI_ASSIST_CA_FILE", both.path());
    let report = desk.sync();
    assert_eq!(report.counts(), [6, 6, 0, 0]);
    assert_eq!(report.warnings(), "[]");
    let found: Vec<String> = words.iter().flat_map(|word| desk.found(word)).collect();
    let expected = ["plain.md", "with space.md", "c#/what?.md", "über/日本.md", "100%.md", "127.0.0.1/x/y.md"];
    assert_eq!(found, expected);
    // What search prints can be read.
    for document in expected {
        let run = desk.run(&["ref", "get", &format!("docs/{document}")]);
        run.assert_code(0);
        assert!(run.stdout().contains("This shared text"), "{}", run.stdout());
    }
}

#[test]
fn without_a_base_files_lie_beside_the_manifest() {
    let site = Site::http();
    site.put("/a/b/docs/x.md", page("alder"));
    site.put("/a/b/manifest.json?page=1", manifest(&[json!("docs/x.md")]));
    let desk = Desk::at(&site, "/a/b/manifest.json?page=1");
    assert_eq!(desk.sync().counts(), [1, 1, 0, 0]);
    assert_eq!(site.asked(), ["200 /a/b/docs/x.md", "200 /a/b/manifest.json?page=1"]);
}

/// A manifest of several lines whose files are given.
fn lines(files: &str) -> String {
    format!(
        "{{\n  \"name\": \"guide\",\n  \"version\": \"1\",\n  \"sources\": {{ \"files\": [\n    {files}\n  ] }}\n}}\n"
    )
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let site = Site::https();
    let http = Site::http();
    site.put("/a.md", page("alder"));
    site.put("/manifest.json", manifest(&[json!("a.md")]));
    let desk = Desk::at(&site, "/manifest.json");
    desk.sync();
    let (store, documents) = (desk.store(), desk.documents());
    site.asked();
    let with = |sources: Value| json!({ "name": "n", "version": "1", "sources": sources }).to_string();
    let many = format!("\"a.md\", {}", r#"{ "path": "b.md", "url": "https://example.com/b.md" }"#);
    for (text, place, part) in [
        (lines(&many), ":5:13: /sources/files/1", "both `path` and `url`"),
        (lines("{ \"hash\": \"sha256:00\" }"), ":5:", "/sources/files/0"),
        (lines("{}"), ":5:5: /sources/files/0", "neither `path` nor `url`"),
        (lines("7"), ":5:5: /sources/files/0", "a file is a path"),
        (lines("\"a.md\",\n    { \"path\": \"a.md\" }"), ":6:5: /sources/files/1", "`a.md` is listed twice"),
        (lines("{ \"path\": \"a.md\", \"hash\": \"md5:00\" }"), ":5:31: /sources/files/0/hash", "sha256"),
        (lines("{ \"path\": \"a.md\", \"hash\": \"sha256:xyz\" }"), "/sources/files/0/hash", ""),
        (lines("\"../a.md\""), ":5:5: /sources/files/0", ".."),
        (lines("\"/etc/passwd\""), ":5:5: /sources/files/0", ""),
        (lines("\"a/../../b.md\""), ":5:5: /sources/files/0", ".."),
        (lines("{ \"url\": \"b.md\" }"), ":5:14: /sources/files/0/url", "fully qualified"),
        (
            lines("{ \"url\": \"file:///etc/passwd\" }"),
            ":5:14: /sources/files/0/url",
            "only a manifest on this machine",
        ),
        (lines(&format!("{{ \"url\": \"{}\" }}", http.url("/a.md"))), ":5:14: /sources/files/0/url", "over https"),
        (lines("{ \"url\": \"ftp://example.com/a.md\" }"), ":5:14: /sources/files/0/url", "ftp"),
        (
            lines("{ \"url\": \"https://me:hunter2@example.com/a.md\" }"),
            "/sources/files/0/url",
            "user name or password",
        ),
        (with(json!({ "glob": ["**/*.md"] })), ":1:", "/sources/glob"),
        (with(json!({ "glob": ["**/*.md"], "files": [] })), "/sources", "both `glob` and `files`"),
        (with(json!({})), "/sources", "neither"),
        (with(json!([])), "/sources", "must be an object"),
        (json!({ "name": "n", "version": "1" }).to_string(), ":1:1", "no `sources`"),
        (json!({ "name": "n", "sources": { "files": [] } }).to_string(), ":1:1", "no `version`"),
        (json!({ "name": " ", "version": "1", "sources": { "files": [] } }).to_string(), "/name", "empty"),
        (
            json!({ "name": "n", "version": "1", "baseUrl": "file:///etc/", "sources": { "files": ["passwd"] } })
                .to_string(),
            "/baseUrl",
            "only a manifest on this machine",
        ),
        (
            json!({ "name": "n", "version": "1", "baseUrl": http.url("/"), "sources": { "files": ["a.md"] } })
                .to_string(),
            "/baseUrl",
            "over https",
        ),
    ] {
        site.put("/manifest.json", &text);
        let said = desk.refused(&[]);
        let whole_place = format!("/manifest.json{place}");
        let is_placed = if place.starts_with(':') { said.contains(&whole_place) } else { said.contains(place) };
        assert!(is_placed && said.contains(part), "{place} {part}\n{said}");
        assert!(!said.contains("hunter2"), "{said}");
        assert_eq!(site.asked(), ["200 /manifest.json"]);
        assert_eq!((desk.store(), desk.documents()), (store.clone(), documents.clone()), "{said}");
    }
    assert_eq!(http.connections(), 0);
}

#[test]
fn what_is_odd_is_a_warning() {
    let site = Site::http();
    site.put("/a.md", page("alder"));
    let text = json!({ "name": "n", "version": "1", "licence": "MIT",
                       "sources": { "files": [{ "path": "a.md", "sha": "1" }], "exclude": [] } });
    site.put("/manifest.json", text.to_string());
    let desk = Desk::at(&site, "/manifest.json");
    let report = desk.sync();
    assert_eq!(report.counts(), [1, 1, 0, 0]);
    let warnings = report.0["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    for key in ["licence", "sha", "exclude"] {
        let named = warnings.iter().filter(|warning| warning.as_str().unwrap().contains(&format!("`{key}`")));
        assert_eq!(named.count(), 1, "{warnings:?}");
    }
    let run = desk.run(&["collections", "sync", "--force"]);
    run.assert_code(0);
    assert!(run.stderr().contains("warning: ") && run.stderr().contains("licence"), "{}", run.stderr());
}

#[test]
fn a_manifest_may_be_empty_and_fill_later() {
    let site = Site::http();
    site.put("/manifest.json", manifest(&[]));
    let desk = Desk::at(&site, "/manifest.json");
    assert_eq!(desk.sync().counts(), [0, 0, 0, 0]);
    assert_eq!(desk.status().0, "synced");
    let a = page("alder");
    site.put("/a.md", &a);
    site.put("/manifest.json", manifest(&[hashed("a.md", &a)]));
    assert_eq!(desk.sync().counts(), [1, 1, 0, 0]);
    site.put("/manifest.json", manifest(&[]));
    assert_eq!(desk.sync().counts(), [0, 0, 0, 1]);
    assert_eq!(desk.found("alder"), [""; 0]);
}

#[test]
fn a_manifest_of_this_machine_may_name_its_files_and_servers() {
    let site = Site::http();
    site.put("/far/a.md", page("alder"));
    site.put("/b.md", page("birch"));
    let desk = Desk::new("file://./docs/manifest.json");
    let (root, project) = (desk.sandbox.root(), desk.sandbox.project());
    std::fs::write(root.join("c.md"), page("cedar")).unwrap();
    let elsewhere = format!("file://{}/c.md", root.display());
    let text = json!({ "name": "n", "version": "1", "baseUrl": site.url("/far"), "sources": { "files": [
        "a.md", { "url": site.url("/b.md") }, { "url": elsewhere } ] } });
    desk.sandbox.write("docs/manifest.json", text.to_string());
    assert_eq!(desk.sync().counts(), [3, 3, 0, 0]);
    assert_eq!(desk.found("cedar"), [root.join("c.md").to_str().unwrap().trim_start_matches('/')]);
    assert_eq!(site.asked(), ["200 /b.md", "200 /far/a.md"]);
    assert_eq!(desk.sync().counts(), [3, 0, 0, 0]);
    assert_eq!(site.asked(), ["304 /b.md", "304 /far/a.md"]);
    assert_eq!(desk.status().0, "synced");
    std::fs::write(root.join("c.md"), page("cypress")).unwrap();
    assert_eq!(desk.status().0, "stale");
    assert_eq!(desk.sync().counts(), [3, 0, 1, 0]);

    // A path that leaves the folder by a link does not.
    std::os::unix::fs::symlink(root.join("c.md"), project.join("docs/out.md")).unwrap();
    std::os::unix::fs::symlink(&root, project.join("docs/up")).unwrap();
    desk.sandbox.write("docs/in.md", page("ink"));
    desk.sandbox.write("docs/manifest.json", manifest(&[json!("out.md"), json!("up/c.md"), json!("in.md")]));
    let run = desk.run(&["collections", "sync", "--json"]);
    assert_ne!(run.code(), 2, "{}", run.stderr());
    assert_eq!(desk.found("cypress"), [""; 0], "{}", run.stdout());
    assert_eq!(desk.found("shared"), ["in.md"]);
    desk.sandbox.write("docs/manifest.json", super::archives::glob_manifest(&["**/*.md"]));
    desk.sync();
    assert_eq!(desk.found("cypress"), [""; 0]);
}

#[test]
fn a_url_must_say_what_it_is() {
    let site = Site::http();
    let said = Desk::at(&site, "/docs/").refused(&[]);
    assert!(said.contains("neither a manifest") && said.contains("git+https"), "{said}");
    assert_eq!(site.connections(), 0);
    // Plain HTTP is for this machine only.
    let said = Desk::new("http://203.0.113.7/manifest.json").refused(&[]);
    assert!(said.contains("plain HTTP"), "{said}");
}

#[test]
fn a_hash_in_the_configuration_is_held_to() {
    let site = Site::http();
    let a = page("alder");
    let text = manifest(&[hashed("a.md", &a)]);
    site.put("/a.md", &a);
    site.put("/manifest.json", &text);
    let desk = Desk::at(&site, "/manifest.json");
    let pin = |hash: &str| {
        let spec = json!({ "type": "pkg", "url": site.url("/manifest.json"), "hash": hash });
        desk.sandbox.write("context.json", json!({ "collections": { "docs": spec } }).to_string());
    };
    pin(&hash(&text));
    desk.sync();
    assert!(desk.sync().is_up_to_date());
    site.put("/manifest.json", text.replace("1.0.0", "6.6.6"));
    let said = desk.refused(&[]);
    assert!(said.contains(&hash(&text)) && said.contains(&hash(text.replace("1.0.0", "6.6.6"))), "{said}");
    assert_eq!(desk.found("alder"), ["a.md"]);
    pin("sha256:12");
    desk.refused(&[]);
}
