//! Servers that mean harm, or are broken.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use futures_util::stream;
use serde_json::json;

use super::desk::{Desk, hash, hashed, manifest, page};
use super::site::{Site, reply};

/// Says to every connection what it is told to, byte for byte.
fn raw(serve: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serve = std::sync::Arc::new(serve);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let serve = serve.clone();
            std::thread::spawn(move || {
                let mut stream = stream.unwrap();
                let (mut head, mut byte) = (Vec::new(), [0]);
                while !head.ends_with(b"\r\n\r\n") && matches!(stream.read(&mut byte), Ok(1)) {
                    head.push(byte[0]);
                }
                serve(&String::from_utf8_lossy(&head), &mut stream);
            });
        }
    });
    address
}

fn impatient(desk: Desk) -> Desk {
    desk.with("AI_ASSIST_NETWORK_ATTEMPTS", "1")
        .with("AI_ASSIST_NETWORK_IDLE_TIMEOUT", "1")
        .with("AI_ASSIST_NETWORK_REQUEST_TIMEOUT", "2")
}

#[test]
fn redirects_end_somewhere() {
    let site = Site::http();
    site.redirect("/loop.json", "/loop.json");
    let desk = Desk::at(&site, "/loop.json").with("AI_ASSIST_NETWORK_MAX_REDIRECTS", "3");
    let said = desk.refused(&[]);
    assert!(said.contains("redirected more than 3 times"), "{said}");
    assert_eq!(site.asked().len(), 4);
    // One that leads to a manifest is followed, and files lie beside the URL that the user gave.
    site.redirect("/latest/manifest.json", "/v2/manifest.json");
    site.put("/v2/manifest.json", manifest(&[json!("a.md")]));
    site.put("/latest/a.md", page("alder"));
    assert_eq!(Desk::at(&site, "/latest/manifest.json").sync().counts(), [1, 1, 0, 0]);
}

#[test]
fn redirects_do_not_lead_to_files_or_to_weaker_places() {
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), manifest(&[])).unwrap();
    let (site, plain) = (Site::https(), Site::http());
    plain.put("/manifest.json", manifest(&[]));
    plain.put("/a.md", page("alder"));
    let file = format!("file://{}", secret.path().display());
    for (to, part) in
        [(file.clone(), "file"), (plain.url("/manifest.json"), "plain HTTP"), ("gopher://x/".to_owned(), "gopher")]
    {
        site.redirect("/manifest.json", &to);
        let said = Desk::at(&site, "/manifest.json").refused(&[]);
        assert!(said.contains("redirect that is not followed") && said.contains(part), "{said}");
    }
    // Nor for a single file, which is then the only one that is missing.
    site.put("/b.md", page("birch"));
    site.put("/c.md", page("cedar"));
    site.put("/manifest.json", manifest(&[json!("a.md"), json!("b.md"), json!("c.md")]));
    site.redirect("/a.md", &plain.url("/a.md"));
    site.redirect("/c.md", &file);
    let desk = Desk::at(&site, "/manifest.json");
    let report = desk.sync_with(&[], 1);
    assert_eq!((report.counts(), report.problems().len()), ([1, 1, 0, 0], 2));
    assert_eq!(plain.connections(), 0);
}

#[test]
fn a_server_that_stalls_is_left() {
    let body = manifest(&[]);
    let length = body.len();
    // Nothing at all, a head and no more, a byte now and then.
    for kind in ["silent", "head", "drip"] {
        let body = body.clone();
        let address = raw(move |_, stream| {
            if kind != "silent" {
                let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n");
            }
            for byte in body.bytes().filter(|_| kind == "drip") {
                if stream.write_all(&[byte]).is_err() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(100));
            }
            let mut rest = [0; 64];
            while matches!(stream.read(&mut rest), Ok(1..)) {}
        });
        let desk = impatient(Desk::new(&format!("http://{address}/manifest.json")))
            .with("AI_ASSIST_NETWORK_CONNECT_TIMEOUT", "1");
        let start = Instant::now();
        let said = desk.refused(&[]);
        assert!(said.contains("took too long"), "{kind}: {said}");
        // The dripping one would go on for far longer.
        assert!(start.elapsed() < Duration::from_secs(30), "{kind}: {:?}", start.elapsed());
    }
}

#[test]
fn a_file_that_stalls_keeps_no_other_from_coming() {
    let a = page("alder");
    let address = raw(move |head, stream| {
        let text = if head.starts_with("GET /manifest.json") {
            manifest(&[json!("a.md"), json!("slow.md"), json!("short.md"), json!("long.md")])
        } else {
            a.clone()
        };
        let length = match head.split(' ').nth(1).unwrap() {
            "/slow.md" | "/short.md" => text.len() + 10,
            "/long.md" => text.len() - 10,
            _ => text.len(),
        };
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{text}");
        let mut rest = [0; 64];
        while head.starts_with("GET /slow.md") && matches!(stream.read(&mut rest), Ok(1..)) {}
    });
    let desk = impatient(Desk::new(&format!("http://{address}/manifest.json")));
    let report = desk.sync_with(&[], 1);
    let problems = report.problems();
    let of = |name: &str| problems.iter().find(|problem| problem.starts_with(name));
    assert!(of("slow.md").unwrap().contains("took too long"), "{problems:?}");
    assert!(of("short.md").unwrap().contains("broke off"), "{problems:?}");
    assert_eq!(of("a.md"), None);
    // One that says more than it announced is cut where it said it would end: without a hash that is all there is to go by.
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert_eq!(report.counts(), [2, 2, 0, 0]);
}

#[test]
fn a_wrong_length_is_no_manifest() {
    for (length, part) in [(10_000, "broke off"), (20, ":1:")] {
        let address = raw(move |_, stream| {
            let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{}", manifest(&[]));
        });
        let said = impatient(Desk::new(&format!("http://{address}/manifest.json"))).refused(&[]);
        assert!(said.contains(part), "{said}");
    }
    for answer in ["\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: banana\r\n\r\n{}", "SSH-2.0-OpenSSH_9.6\r\n", ""] {
        let address = raw(move |_, stream| {
            let _ = stream.write_all(answer.as_bytes());
        });
        let said = impatient(Desk::new(&format!("http://{address}/manifest.json"))).refused(&[]);
        assert!(said.contains("can't be reached"), "{answer:?}: {said}");
    }
}

#[test]
fn a_file_with_another_hash_is_not_taken() {
    let site = Site::https();
    let (a, b, evil) = (page("alder"), page("birch"), page("evil"));
    site.put("/a.md", &a);
    site.put("/b.md", &b);
    site.put("/manifest.json", manifest(&[hashed("a.md", &a), hashed("b.md", &b)]));
    let desk = Desk::at(&site, "/manifest.json");
    desk.sync();
    let (a2, b2) = (page("almond"), page("blackthorn"));
    site.put("/a.md", &evil);
    site.put("/b.md", &b2);
    site.put("/manifest.json", manifest(&[hashed("a.md", &a2), hashed("b.md", &b2)]));
    let report = desk.sync_with(&[], 1);
    let expected = format!("a.md: has the hash {}; {} is expected", hash(&evil), hash(&a2));
    assert_eq!(report.problems(), [expected]);
    assert_eq!(report.changes(), ["update b.md"]);
    assert_eq!(desk.found("evil"), [""; 0]);
    assert_eq!(desk.found("alder"), ["a.md"]);
    let run = desk.run(&["collections", "sync"]);
    run.assert_code(1);
    assert!(run.stderr().contains(&hash(&evil)) && run.stderr().contains(&hash(&a2)), "{}", run.stderr());
    assert_eq!(desk.status().0, "stale");
    site.put("/a.md", &a2);
    assert_eq!(desk.sync().changes(), ["update a.md"]);
}

/// A body without end, with a note of how much of it was taken.
fn endless(announced: Option<&'static str>) -> impl Fn(&axum::http::HeaderMap) -> axum::response::Response {
    move |_| {
        let block = Bytes::from(vec![b' '; 1 << 20]);
        let body = Body::from_stream(stream::iter((0..1024).map(move |_| Ok::<_, std::io::Error>(block.clone()))));
        let headers: Vec<(&str, &str)> = announced.map(|length| ("content-length", length)).into_iter().collect();
        reply(200, &headers, body)
    }
}

#[test]
fn a_manifest_of_a_gigabyte_is_refused_at_the_limit() {
    let site = Site::http();
    site.make("/chunked.json", endless(None));
    site.make("/announced.json", endless(Some("1073741824")));
    for path in ["/chunked.json", "/announced.json"] {
        let desk = Desk::at(&site, path);
        let said = desk.refused(&[]);
        assert!(said.contains("33554432 bytes"), "{said}");
        assert_eq!(site.asked(), [format!("200 {path}")]);
    }
    if cfg!(target_os = "linux") {
        let peak = peak_kilobytes(&Desk::at(&site, "/chunked.json")).unwrap();
        assert!(peak < 300_000, "{peak} kB");
    }
}

/// How much memory a sync that is refused had at its largest, in kilobytes.
fn peak_kilobytes(desk: &Desk) -> Option<u64> {
    let mut command = desk.command();
    let mut child = command.args(["collections", "sync"]).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let mut peak = None;
    // The last look before its end is near enough: what is held at once is what is looked for.
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).max(peak);
        std::thread::sleep(Duration::from_millis(1));
    }
    peak
}

#[test]
fn a_file_that_is_too_large_is_left_out() {
    let site = Site::http();
    let large = page("large").repeat(2000);
    site.put("/large.md", &large);
    site.put("/a.md", page("alder"));
    site.put("/manifest.json", manifest(&[json!("large.md"), json!("a.md")]));
    let desk = Desk::at(&site, "/manifest.json").with("AI_ASSIST_SYNC_MAX_FILE_BYTES", "100000");
    // As it would be in a folder or a bundle.
    let run = desk.run(&["collections", "sync"]);
    run.assert_code(0);
    assert!(run.stderr().contains("left out: large.md is larger than the limit (limit 100000)"), "{}", run.stderr());
    assert_eq!(desk.documents().into_keys().collect::<Vec<_>>(), ["a.md"]);
    // A manifest with more files than may be.
    let desk = Desk::at(&site, "/manifest.json").with("AI_ASSIST_NETWORK_MAX_PACKAGE_FILES", "1");
    let said = desk.refused(&[]);
    assert!(said.contains("/sources/files") && said.contains("at most 1"), "{said}");
}

#[test]
fn all_that_is_downloaded_is_bounded() {
    let site = Site::http();
    let text = page("alder").repeat(100);
    let files: Vec<_> = (0..20).map(|number| json!(format!("{number}.md"))).collect();
    (0..20).for_each(|number| site.put(&format!("/{number}.md"), &text));
    site.put("/manifest.json", manifest(&files));
    let limit = (text.len() * 5).to_string();
    let desk = Desk::at(&site, "/manifest.json").with("AI_ASSIST_NETWORK_MAX_TOTAL_BYTES", &limit);
    let run = desk.run(&["collections", "sync"]);
    assert!(matches!(run.code(), 1 | 2), "{}", run.stderr());
    assert!(run.stderr().contains(&format!("more than {limit} bytes")), "{}", run.stderr());
    assert!(desk.documents().len() <= 5);
    let start = Instant::now();
    let slow = raw(|_, stream| {
        let mut rest = [0; 64];
        while matches!(stream.read(&mut rest), Ok(1..)) {}
    });
    let desk = Desk::new(&format!("http://{slow}/manifest.json")).with("AI_ASSIST_NETWORK_TOTAL_TIMEOUT", "1");
    let said = desk.refused(&[]);
    assert!(said.contains("not complete within 1s"), "{said}");
    assert!(start.elapsed() < Duration::from_secs(25));
}

#[test]
fn offline_means_no_connection() {
    let site = Site::http();
    let a = page("alder");
    site.put("/a.md", &a);
    site.put("/manifest.json", manifest(&[hashed("a.md", &a)]));
    let desk = Desk::at(&site, "/manifest.json");
    desk.sync();
    let before = site.connections();
    let said = desk.refused(&["--offline"]);
    assert!(said.contains("network is not to be used") && said.contains("--offline"), "{said}");
    let quiet = Desk::at(&site, "/manifest.json").with("AI_ASSIST_OFFLINE", "true");
    quiet.refused(&[]);
    assert_eq!(desk.found("alder"), ["a.md"]);
    assert_eq!(desk.status().0, "synced");
    assert_eq!(site.connections(), before);
    // What is on this machine needs no network.
    let local = Desk::new("file://./manifest.json");
    local.sandbox.write("manifest.json", manifest(&[json!("a.md")]));
    local.sandbox.write("a.md", &a);
    assert_eq!(local.sync_with(&["--offline"], 0).counts(), [1, 1, 0, 0]);
}

#[test]
fn a_sync_that_waits_for_a_server_can_be_stopped() {
    let address = raw(|_, stream| {
        let mut rest = [0; 64];
        while matches!(stream.read(&mut rest), Ok(1..)) {}
    });
    let desk = Desk::new(&format!("http://{address}/g.tar.gz"));
    let mut command = desk.command();
    let mut child = command.args(["collections", "sync"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("Fetching") {
        assert!(std::io::BufRead::read_line(&mut stderr, &mut said).unwrap() > 0, "{said}");
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let start = Instant::now();
    stderr.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2), "{said}");
    assert!(said.contains("stopped before the end"), "{said}");
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(desk.leftovers().len(), 0);
}
