//! Who may change something, and what every answer says to the browser.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use ai_assist_page::Change;

use crate::support::{DEMO, Site, TestHost};

#[test]
fn only_pages_of_the_same_origin_change_something() {
    let site = Site::new(DEMO);
    let port = site.address.port();
    let other = format!("Origin: http://127.0.0.1:{}\r\n", port.wrapping_add(1));
    let localhost = format!("Origin: http://localhost:{port}\r\n");
    let foreign = ["", "Origin: null\r\n", "Origin: https://evil.example\r\n", &other, &localhost];
    let routes = [
        "/p/demo/sync", "/p/demo/outdated", "/p/demo/repair", "/p/demo/pack/download", "/p/demo/jobs/1/stop", "/theme",
    ];
    for route in routes {
        for origin in foreign {
            let reply = site.post_from(route, "", origin);
            assert_eq!(reply.status, 403, "{route} from {origin:?}");
            assert!(reply.header("content-security-policy").is_some());
        }
        assert_eq!(site.get(route).status, 405, "{route} by a link");
    }
    assert_eq!(site.post("/theme", "theme=dark&back=/p/demo").status, 303);
    // None of it has started anything.
    assert!(!site.get("/p/demo/status").body.contains("<h2>Jobs</h2>"));
}

#[test]
fn a_server_that_only_reads_changes_nothing_but_colours() {
    let site = Site::of(DEMO, TestHost::new(true));
    for route in ["/p/demo/sync", "/p/demo/outdated", "/p/demo/repair", "/p/demo/pack/download", "/p/demo/jobs/1/stop"]
    {
        let reply = site.post(route, "");
        assert_eq!(reply.status, 403, "{route}");
        reply.says("--read-only");
    }
    assert_eq!(site.post("/theme", "theme=dark&back=/p/demo").status, 303);
    assert!(!site.get("/p/demo/status").body.contains("<h2>Jobs</h2>"));
}

#[test]
fn what_the_server_says_of_itself_is_text() {
    let status = Site::new(DEMO).get("/p/demo/status");
    status.says("is looked at every few seconds &#60;b&#62;").says("&#60;script&#62;of a name");
}

#[test]
fn colours_are_kept_in_a_cookie_and_lead_back() {
    let site = Site::new(DEMO);
    let reply = site.post("/theme", "theme=dark&back=%2Fp%2Fdemo%3Fq%3Da");
    assert_eq!(reply.header("location"), Some("/p/demo?q=a"));
    let cookie = reply.header("set-cookie").unwrap();
    assert!(
        cookie.starts_with("ai-assist-theme=dark; ")
            && cookie.contains("HttpOnly")
            && cookie.contains("SameSite=Strict")
    );
    let request = format!(
        "GET /p/demo HTTP/1.1\r\nHost: {}\r\nCookie: a=b; ai-assist-theme=dark\r\nConnection: close\r\n\r\n",
        site.address
    );
    site.send(&request).says("data-theme=\"dark\"");
    assert_eq!(site.post("/theme", "theme=dark&back=//evil.example/").header("location"), Some("/"));
}

#[test]
fn own_files_have_strong_tags_and_are_small() {
    let site = Site::new(DEMO);
    let mut packed = 0;
    for name in ["page.css", "page.js", "icon.svg"] {
        let file = site.get(&format!("/assets/{name}"));
        let tag = file.header("etag").unwrap();
        assert!(tag.starts_with('"') && tag.len() == 34, "{tag}");
        let again = site.send(&format!(
            "GET /assets/{name} HTTP/1.1\r\nHost: {}\r\nIf-None-Match: \"x\", {tag}\r\nConnection: close\r\n\r\n",
            site.address
        ));
        assert_eq!((again.status, again.body.as_str(), again.header("etag")), (304, "", Some(tag)));
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(file.body.as_bytes()).unwrap();
        packed += gzip.finish().unwrap().len();
    }
    assert!(packed < 150_000, "{packed} bytes");
    assert_eq!(site.get("/assets/other.js").status, 404);
}

#[test]
fn open_pages_hear_of_changes_in_their_project() {
    let site = Site::new(DEMO);
    let mut stream = TcpStream::connect(site.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    write!(stream, "GET /events?project=demo HTTP/1.1\r\nHost: {}\r\n\r\n", site.address).unwrap();
    let mut heard = String::new();
    let mut part = [0; 1024];
    while !heard.contains("\r\n\r\n") {
        let read = stream.read(&mut part).unwrap();
        heard.push_str(&String::from_utf8_lossy(&part[..read]));
    }
    site.changes.send(Change::Project("/elsewhere".into())).unwrap();
    site.changes.send(Change::Job(7)).unwrap();
    site.changes.send(Change::Project(site.folder.clone())).unwrap();
    while !heard.contains("event: reload") {
        let read = stream.read(&mut part).unwrap();
        assert!(read > 0, "{heard}");
        heard.push_str(&String::from_utf8_lossy(&part[..read]));
    }
    assert!(heard.contains("text/event-stream") && heard.contains("event: job\ndata: {\"job\":7}"), "{heard}");
    assert_eq!(heard.matches("event: reload").count(), 1, "{heard}");
}
