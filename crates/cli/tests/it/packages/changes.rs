//! What a sync does about what has changed, counted at the server.

use serde_json::json;

use super::desk::{Desk, hash, hashed, manifest, page};
use super::site::Site;

fn sites() -> [Site; 2] {
    [Site::http(), Site::https()]
}

#[test]
fn hashes_settle_what_is_fetched() {
    for site in sites() {
        let (a, b) = (page("alder"), page("birch"));
        site.put("/g/a.md", &a);
        site.put("/g/b.md", &b);
        site.put("/g/manifest.json", manifest(&[hashed("a.md", &a), hashed("b.md", &b)]));
        let desk = Desk::at(&site, "/g/manifest.json");

        let first = desk.sync();
        assert_eq!(first.counts(), [2, 2, 0, 0]);
        assert_eq!(first.0["package"]["name"], "guide");
        assert_eq!(first.0["package"]["version"], "1.0.0");
        assert_eq!(site.asked(), ["200 /g/a.md", "200 /g/b.md", "200 /g/manifest.json"]);
        assert_eq!(desk.found("alder"), ["a.md"]);

        // Nothing new: one conditional request and no file.
        let again = desk.sync();
        assert!(again.is_up_to_date());
        assert_eq!(again.counts(), [2, 0, 0, 0]);
        assert_eq!(site.asked(), ["304 /g/manifest.json"]);

        // Other bytes, the same hashes: no file.
        let text = manifest(&[hashed("a.md", &a), hashed("b.md", &b)]).replace("1.0.0", "1.0.1");
        site.put("/g/manifest.json", text);
        let reworded = desk.sync();
        assert_eq!(reworded.counts(), [2, 0, 0, 0]);
        assert_eq!(reworded.0["package"]["version"], "1.0.1");
        assert_eq!(site.asked(), ["200 /g/manifest.json"]);

        // One hash differs: that file, and no other.
        let c = page("cedar");
        site.put("/g/b.md", &c);
        site.put("/g/manifest.json", manifest(&[hashed("a.md", &a), hashed("b.md", &c)]));
        let changed = desk.sync();
        assert_eq!(changed.counts(), [2, 0, 1, 0]);
        assert_eq!(changed.changes(), ["update b.md"]);
        assert_eq!(site.asked(), ["200 /g/b.md", "200 /g/manifest.json"]);
        assert_eq!(desk.documents().into_values().collect::<Vec<_>>(), [hash(&a), hash(&c)]);
        assert_eq!(desk.found("birch"), [""; 0]);

        // Gone from the manifest: gone from the index, though the file is there still.
        site.put("/g/manifest.json", manifest(&[hashed("b.md", &c)]));
        let fewer = desk.sync();
        assert_eq!(fewer.counts(), [1, 0, 0, 1]);
        assert_eq!(site.asked(), ["200 /g/manifest.json"]);
        assert_eq!(desk.found("alder"), [""; 0]);
        assert_eq!(desk.found("cedar"), ["b.md"]);

        // By force: everything anew, and nothing is conditional.
        let forced = desk.sync_with(&["--force"], 0);
        assert_eq!(forced.counts(), [1, 0, 1, 0]);
        assert_eq!(site.asked(), ["200 /g/b.md", "200 /g/manifest.json"]);
        desk.sandbox.assert_healthy();
    }
}

#[test]
fn files_without_hashes_are_asked_for_and_compared() {
    for site in sites() {
        let (a, b) = (page("alder"), page("birch"));
        site.put("/a.md", &a);
        site.put_bare("/b.md", &b);
        site.put("/manifest.json", manifest(&[json!("a.md"), json!({ "path": "b.md" })]));
        let desk = Desk::at(&site, "/manifest.json");
        assert_eq!(desk.sync().counts(), [2, 2, 0, 0]);
        assert_eq!(site.asked(), ["200 /a.md", "200 /b.md", "200 /manifest.json"]);

        // A file with an `ETag` costs a question, one without costs its bytes; neither is indexed again.
        for _ in 0..2 {
            let again = desk.sync();
            assert_eq!((again.counts(), again.is_up_to_date()), ([2, 0, 0, 0], false));
            assert_eq!(site.asked(), ["200 /b.md", "304 /a.md", "304 /manifest.json"]);
        }

        let (c, d) = (page("cedar"), page("damson"));
        site.put("/a.md", &c);
        site.put_bare("/b.md", &d);
        assert_eq!(desk.sync().changes(), ["update a.md", "update b.md"]);
        assert_eq!(site.asked(), ["200 /a.md", "200 /b.md", "304 /manifest.json"]);
        assert_eq!(desk.documents().into_values().collect::<Vec<_>>(), [hash(&c), hash(&d)]);

        // The same bytes under another `ETag` are no change, and the new `ETag` counts from then on.
        site.put_tagged("/a.md", "\"other\"", &c);
        assert_eq!(desk.sync().counts(), [2, 0, 0, 0]);
        assert_eq!(site.asked(), ["200 /a.md", "200 /b.md", "304 /manifest.json"]);
        assert_eq!(desk.sync().counts(), [2, 0, 0, 0]);
        assert_eq!(site.asked(), ["200 /b.md", "304 /a.md", "304 /manifest.json"]);
    }
}

#[test]
fn last_modified_is_asked_by_too() {
    let site = Site::http();
    let when = "Wed, 21 Oct 2015 07:28:00 GMT";
    let dated = move |body: String| {
        move |headers: &axum::http::HeaderMap| {
            if headers.get("if-modified-since").is_some_and(|since| since == when) {
                return super::site::reply(304, &[], axum::body::Body::empty());
            }
            super::site::reply(200, &[("last-modified", when)], body.clone())
        }
    };
    site.make("/a.md", dated(page("alder")));
    site.make("/manifest.json", dated(manifest(&[json!("a.md")])));
    let desk = Desk::at(&site, "/manifest.json");
    desk.sync();
    assert_eq!(site.asked(), ["200 /a.md", "200 /manifest.json"]);
    assert_eq!(desk.sync().counts(), [1, 0, 0, 0]);
    assert_eq!(site.asked(), ["304 /a.md", "304 /manifest.json"]);
}

#[test]
fn a_tag_is_worth_something_only_at_the_url_it_came_from() {
    let site = Site::http();
    // Two releases whose server calls every file's first state the same.
    let release = |number: &str| {
        json!({ "name": "guide", "version": number, "baseUrl": site.url(&format!("/{number}/")),
                "sources": { "files": ["a.md", { "url": site.url(&format!("/any.md?release={number}")) }] } })
        .to_string()
    };
    for (number, word) in [("1", "alder"), ("2", "birch")] {
        site.put_tagged(&format!("/{number}/a.md"), "\"first\"", page(word));
        site.put_tagged(&format!("/any.md?release={number}"), "\"first\"", page(&format!("{word}tree")));
    }
    site.put("/manifest.json", release("1"));
    let desk = Desk::at(&site, "/manifest.json");
    desk.sync();
    site.put("/manifest.json", release("2"));
    assert_eq!(desk.sync().counts(), [2, 0, 2, 0]);
    assert_eq!(desk.found("birch"), ["a.md"]);
    assert_eq!(desk.found("birchtree"), ["127.0.0.1/any.md"]);
}

#[test]
fn a_tag_stands_only_for_what_is_indexed() {
    let site = Site::http();
    site.put("/a.md", page("alder"));
    site.put("/picture.md", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0");
    site.put("/manifest.json", manifest(&[json!("a.md"), json!("picture.md")]));
    let desk = Desk::at(&site, "/manifest.json");
    for _ in 0..3 {
        let report = desk.sync();
        assert_eq!((report.counts()[0], report.skipped()), (1, 1), "{report:?}");
    }
    assert_eq!(desk.documents().len(), 1);
}

#[test]
fn a_byte_order_mark_changes_nothing() {
    let site = Site::http();
    let a = page("alder");
    site.put("/a.md", &a);
    site.put("/manifest.json", format!("\u{feff}{}", manifest(&[hashed("a.md", &a)])));
    let desk = Desk::at(&site, "/manifest.json");
    desk.sync();
    let lock = desk.lock_text();
    site.asked();
    assert!(desk.sync().is_up_to_date());
    assert_eq!(site.asked(), ["304 /manifest.json"]);
    assert_eq!(desk.lock_text(), lock);
    desk.sync_with(&["--locked"], 0);
}

#[test]
fn a_new_tag_of_the_same_manifest_is_learnt() {
    let site = Site::http();
    let a = page("alder");
    let text = manifest(&[hashed("a.md", &a)]);
    site.put("/a.md", &a);
    site.put_tagged("/manifest.json", "\"1\"", &text);
    let desk = Desk::at(&site, "/manifest.json");
    desk.sync();
    site.put_tagged("/manifest.json", "\"2\"", &text);
    site.asked();
    assert!(desk.sync().is_up_to_date());
    assert_eq!(site.asked(), ["200 /manifest.json"]);
    assert!(desk.sync().is_up_to_date());
    assert_eq!(site.asked(), ["304 /manifest.json"]);
}

#[test]
fn an_authority_may_come_from_the_environment() {
    let site = Site::https();
    site.put("/a.md", page("alder"));
    site.put("/manifest.json", manifest(&[json!("a.md")]));
    let url = site.url("/manifest.json");
    let stranger = Desk::new(&url).with("AI_ASSIST_NETWORK_ATTEMPTS", "1");
    let said = stranger.refused(&[]);
    assert!(said.contains("no secure connection") && said.contains("SSL_CERT_FILE"), "{said}");
    assert_eq!(site.asked(), [""; 0]);
    let friend = Desk::new(&url).with("SSL_CERT_FILE", site.authority().unwrap());
    assert_eq!(friend.sync().counts(), [1, 1, 0, 0]);
}
