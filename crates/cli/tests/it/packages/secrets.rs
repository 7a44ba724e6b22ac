//! Credentials: that they arrive where they should, and nowhere else.

use axum::http::HeaderMap;
use serde_json::json;

use super::archives::{Packing, bundle, glob_manifest};
use super::desk::{Desk, manifest, page};
use super::site::{Site, reply};
use crate::support::{Run, bytes_below, contains};

const TOKEN: &str = "t0ken-of-the-house-83c1";
const PASSWORD: &str = "pa55word-of-the-house-97b2";

/// `basic me:PASSWORD`, as it travels.
const BASIC: &str = "Basic bWU6cGE1NXdvcmQtb2YtdGhlLWhvdXNlLTk3YjI=";

/// Shows a file to who has the right key, and `401` to all others.
fn guarded(site: &Site, path: &str, key: &'static str, bytes: impl Into<Vec<u8>>) {
    let bytes: Vec<u8> = bytes.into();
    site.make(path, move |headers: &HeaderMap| match headers.get("authorization") {
        Some(given) if given == key => reply(200, &[("etag", "\"1\"")], bytes.clone()),
        _ => reply(401, &[("www-authenticate", "Basic")], "who are you?"),
    });
}

/// Fails if a secret is in what was printed, or in any file of the sandbox but those that the user wrote it into.
fn assert_unseen(desk: &Desk, runs: &[&Run], written: &[&str]) {
    let base64 = BASIC.trim_start_matches("Basic ");
    for secret in [TOKEN, PASSWORD, base64].map(str::as_bytes) {
        for run in runs {
            assert!(
                !contains(&run.0.stdout, secret) && !contains(&run.0.stderr, secret),
                "{}{}",
                run.stdout(),
                run.stderr()
            );
        }
        let files = bytes_below(&desk.sandbox.root());
        assert!(files.iter().any(|(path, _)| path.ends_with("assist.db")), "the database is among them");
        for (path, bytes) in files {
            let is_theirs = written.iter().any(|name| path.ends_with(name));
            assert!(is_theirs || !contains(&bytes, secret), "{}", path.display());
        }
    }
}

#[test]
fn credentials_reach_the_server_from_every_place_and_are_seen_nowhere_else() {
    let bearer: &str = "Bearer t0ken-of-the-house-83c1";
    for place in ["environment", "configuration", "variable", "netrc", "home"] {
        let key = if matches!(place, "netrc" | "home") { BASIC } else { bearer };
        let site = Site::https();
        guarded(&site, "/manifest.json", key, manifest(&[json!("a.md"), json!("b.md")]));
        guarded(&site, "/a.md", key, page("alder"));
        // The wrong key for this one, so that a message is written while the key is at hand.
        guarded(&site, "/b.md", "Bearer another", page("birch"));
        let mut desk = Desk::at(&site, "/manifest.json");
        let host = site.address().to_string();
        let netrc = format!("machine 127.0.0.1 login me password {PASSWORD}\n");
        let root = desk.sandbox.root();
        match place {
            "environment" => desk = desk.with("AI_ASSIST_CREDENTIALS", format!("{host}=bearer:{TOKEN}")),
            "configuration" | "variable" => {
                std::fs::create_dir_all(desk.sandbox.config()).unwrap();
                let value =
                    if place == "variable" { json!({ "env": "MY_TOKEN" }) } else { json!(format!("bearer:{TOKEN}")) };
                let text = json!({ "credentials": { &host: value } }).to_string();
                std::fs::write(desk.sandbox.config().join("config.json"), text).unwrap();
                desk = desk.with("MY_TOKEN", TOKEN);
            }
            "netrc" => {
                std::fs::write(root.join("my-netrc"), netrc).unwrap();
                desk = desk.with("NETRC", root.join("my-netrc"));
            }
            _ => {
                std::fs::create_dir_all(root.join("home")).unwrap();
                std::fs::write(root.join("home/.netrc"), netrc).unwrap();
            }
        }
        let first = desk.run(&["collections", "sync"]);
        assert_eq!(first.code(), 1, "{place}: {}", first.stderr());
        assert_eq!(site.asked(), ["200 /a.md", "200 /manifest.json", "401 /b.md"], "{place}");
        let second = desk.run(&["collections", "sync", "--json", "--force"]);
        let listed = desk.run(&["collections", "list", "--json"]);
        let settings = desk.run(&["config", "show", "--json"]);
        guarded(&site, "/manifest.json", "Bearer nobody", "");
        let refused = desk.run(&["collections", "sync", "--json"]);
        refused.assert_code(2);
        assert!(refused.stderr().contains("were sent and not accepted"), "{}", refused.stderr());
        assert_unseen(&desk, &[&first, &second, &listed, &settings, &refused], &["config.json", "my-netrc", ".netrc"]);
    }
}

#[test]
fn without_credentials_there_is_a_hint() {
    let site = Site::http();
    guarded(&site, "/manifest.json", "Bearer x", manifest(&[]));
    let said = Desk::at(&site, "/manifest.json").refused(&[]);
    assert!(
        said.contains("status 401") && said.contains(".netrc") && said.contains(&site.address().to_string()),
        "{said}"
    );
    assert_eq!(site.asked(), ["401 /manifest.json"]);
    // Those of another host, or another port, are not for this one.
    let desk = Desk::at(&site, "/manifest.json")
        .with("AI_ASSIST_CREDENTIALS", format!("127.0.0.1:1=bearer:{TOKEN} example.com=bearer:{TOKEN}"));
    let said = desk.refused(&[]);
    assert!(said.contains("no credentials were sent"), "{said}");
    assert!(site.hits().iter().all(|hit| !hit.headers.contains_key("authorization")));
}

#[test]
fn a_redirect_takes_no_credentials_along() {
    for (host, secure) in [("127.0.0.1", true), ("127.0.0.1", false), ("localhost", true)] {
        let (site, other) = if secure { (Site::https(), Site::https()) } else { (Site::http(), Site::http()) };
        let pems = tempfile::NamedTempFile::new().unwrap();
        let texts = [&site, &other]
            .map(|site| site.authority().map_or(String::new(), |file| std::fs::read_to_string(file).unwrap()));
        std::fs::write(pems.path(), texts.concat()).unwrap();
        let to = |path: &str| other.url(path).replace("127.0.0.1", host);
        let archive = bundle(Packing::Gzip, &glob_manifest(&["*.md"]), &[("z.md", &page("zelkova"))]);
        other.put("/manifest.json", manifest(&[json!("a.md")]));
        other.put("/a.md", page("alder"));
        other.put("/g.tgz", archive);
        for path in ["/manifest.json", "/a.md", "/g.tgz"] {
            site.redirect(path, &to(path));
        }
        let mut desk = Desk::new(&site.url("/manifest.json"))
            // For the host, whatever the port; the other is the same host, but another server.
            .with("AI_ASSIST_CREDENTIALS", format!("127.0.0.1=bearer:{TOKEN} localhost=bearer:{TOKEN}"));
        if secure {
            desk = desk.with("AI_ASSIST_CA_FILE", pems.path());
        }
        desk.declare(&[("docs", &site.url("/manifest.json")), ("packed", &site.url("/g.tgz"))]);
        let run = desk.run(&["collections", "sync"]);
        run.assert_code(0);
        assert_eq!(site.hits().len(), 3);
        for hit in site.hits() {
            assert_eq!(hit.headers["authorization"], format!("Bearer {TOKEN}"), "{}", hit.path);
        }
        assert_eq!(other.hits().len(), 3);
        for hit in other.hits() {
            assert!(!hit.headers.contains_key("authorization"), "{}", hit.path);
        }
        assert_unseen(&desk, &[&run], &[]);
    }
}

#[test]
fn a_password_in_a_url_is_refused_and_not_shown() {
    let site = Site::http();
    let url = site.url("/manifest.json").replace("127.0.0.1", &format!("me:{PASSWORD}@127.0.0.1"));
    let desk = Desk::new(&url);
    for (args, code) in [
        (&["collections", "sync"][..], 2),
        (&["collections", "sync", "--json"], 2),
        (&["collections", "list"], 0),
        (&["collections", "list", "--json"], 0),
        (&["status"], 1),
        (&["collections", "remove", "docs", "--json"], 0),
    ] {
        let run = desk.run(args);
        assert!(!run.stderr().contains(PASSWORD) && !run.stdout().contains(PASSWORD), "{args:?}: {}", run.stderr());
        run.assert_code(code);
    }
    let desk = Desk::at(&site, "/manifest.json");
    let run = desk.run(&["collections", "add", "other", &url]);
    run.assert_code(2);
    assert!(!run.stderr().contains(PASSWORD), "{}", run.stderr());
    assert_eq!(site.connections(), 0);
}
