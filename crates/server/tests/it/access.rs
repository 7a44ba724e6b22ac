//! Who is turned away.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use ai_assist_client::{Client, Error};
use ai_assist_server::http::Limits;
use serde_json::{Value, json};

use crate::support::{Bench, Served, TOKEN, body_of};

const ROUTE: &str = "/api/v1/search?query=oak";

#[test]
fn names_pages_and_tokens_are_checked_everywhere() {
    let bench = Bench::new();
    let served = bench.serve();
    let port = served.address.port();
    for target in [ROUTE, "/api/v1/openapi.json", "/api/v1/changes", "/api/v1/nothing", "/mcp", "/", "/open"] {
        for (header, expected) in [
            (("Authorization", ""), 401),
            (("Authorization", "Bearer wrong"), 401),
            (("Authorization", "Basic YTpi"), 401),
            (("Authorization", &*format!("Bearer {}", &TOKEN[1..])), 401),
            (("Cookie", &*format!("ai-assist-{port}=made-up")), 0),
            (("Host", "evil.example"), 403),
            (("Host", &*format!("127.0.0.1.nip.io:{port}")), 403),
            (("Host", ""), 0),
            (("Origin", "https://evil.example"), 403),
            (("Origin", "null"), 403),
            (("Origin", &*format!("http://localhost:{}", port.wrapping_add(1))), 403),
            (("Origin", &*format!("https://127.0.0.1:{port}")), 403),
        ] {
            let mut headers = vec![header];
            if header.0 == "Cookie" {
                headers.push(("Authorization", ""));
            }
            let (status, answer) = served.ask("GET", target, &headers, "");
            let refused = if expected == 0 { (400..=403).contains(&status) } else { status == expected };
            assert!(refused, "{target} with {header:?}: {status}\n{answer}");
            assert!(!answer.contains(TOKEN), "{answer}");
        }
    }
    let own = format!("http://127.0.0.1:{port}");
    assert_eq!(served.ask("GET", "/api/v1/projects", &[("Origin", &own)], "").0, 200);
    assert_eq!(served.ask("GET", "/api/v1/projects", &[("Host", &format!("box.lan:{port}"))], "").0, 200);
    // A page of another port can't change anything either.
    let foreign = [("Origin", "http://localhost:5173"), ("Content-Type", "application/json")];
    assert_eq!(served.ask("POST", "/api/v1/collections/sync", &foreign, "{}").0, 403);
    assert_eq!(served.ask("DELETE", "/api/v1/collections/docs", &foreign, "").0, 403);
}

#[test]
fn a_link_lets_one_browser_in_once() {
    let bench = Bench::new();
    let served = bench.serve();
    let link: Value = served.user().post("/service/link", &json!({})).unwrap();
    let path = link["url"].as_str().unwrap().split_once(&served.address.to_string()).unwrap().1.to_owned();
    let nobody = [("Authorization", "")];
    let (status, answer) = served.ask("GET", &path, &nobody, "");
    assert_eq!(status, 303, "{answer}");
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    let (status, _) = served.ask("GET", &path, &nobody, "");
    assert_eq!(status, 403, "a link is followed once");
    let with = |more: &[(&'static str, &'static str)], method: &str, target: &str| {
        let mut headers = vec![("Authorization", ""), ("Cookie", pair)];
        headers.extend(more);
        served.ask(method, target, &headers, "").0
    };
    assert_eq!(with(&[], "GET", "/api/v1/projects"), 200);
    assert_eq!(with(&[("Sec-Fetch-Site", "same-origin")], "GET", "/api/v1/projects"), 200);
    assert_eq!(
        with(&[("Sec-Fetch-Site", "same-site")], "GET", "/api/v1/projects"),
        401,
        "another port of this machine"
    );
    assert_eq!(with(&[("Origin", "http://localhost:5173")], "POST", "/api/v1/collections/sync"), 403);
    assert_eq!(served.ask("GET", "/open/made-up", &nobody, "").0, 403);
    // Who comes over the network can't make links, or end the service.
    for path in ["/service/link", "/service/stop"] {
        let refused = served.client().post::<Value>(path, &json!({}));
        assert!(matches!(refused, Err(Error::Problem(problem)) if problem.status == 403), "{path}");
    }
}

#[test]
fn nothing_outside_of_the_project_is_read() {
    let bench = Bench::new();
    std::fs::write(bench.root().join("secret.txt"), "the secret of the outside").unwrap();
    std::os::unix::fs::symlink(bench.root().join("secret.txt"), bench.project().join("docs/link.md")).unwrap();
    let served = bench.serve().indexed();
    let outside = bench.root().join("secret.txt");
    let absolute = outside.to_str().unwrap();
    let places =
        ["../secret.txt", "docs/../../secret.txt", "docs/link.md", absolute, "docs/%2e%2e/../secret.txt", "..", "/"];
    for place in places {
        for (path, argument) in [
            ("/document", "document"),
            ("/outline", "document"),
            ("/related", "document"),
            ("/content", "expression"),
            ("/explain", "path"),
            ("/documents", "path"),
            ("/search", "folders"),
            ("/grep", "folders"),
            ("/symbols", "folders"),
            ("/map", "folder"),
            ("/map", "repository"),
            ("/map", "focus"),
            ("/search", "within"),
            ("/search", "project"),
            ("/status", "project"),
            ("/place", "place"),
        ] {
            let mut arguments = json!({ argument: place });
            match path {
                "/search" => arguments["query"] = "secret outside".into(),
                "/grep" => arguments["pattern"] = "secret of".into(),
                "/symbols" => arguments["name"] = "secret".into(),
                _ => {}
            }
            let answer = match served.client().get::<Value>(path, &arguments) {
                Ok(answer) => answer.to_string(),
                Err(Error::Problem(problem)) => serde_json::to_string(&problem).unwrap(),
                Err(error) => panic!("{path} {arguments}: {error:?}"),
            };
            assert!(!answer.contains("secret of the outside"), "{path} {arguments}: {answer}");
        }
        let escaped: String = place.replace('%', "%25").replace('/', "%2F");
        for route in ["collections", "repositories", "receipts", "sessions"] {
            for rest in ["", "/objects", "/render"] {
                let (status, answer) = served.ask("GET", &format!("/api/v1/{route}/{escaped}{rest}"), &[], "");
                assert!(status >= 400 && !answer.contains("secret of the outside"), "{route} {place}: {answer}");
            }
        }
        let (status, _) = served.ask("DELETE", &format!("/api/v1/collections/{escaped}"), &[], "");
        assert!(status >= 400);
    }
    let everything = served.client().get::<Value>("/search", &json!({ "query": "oak", "all": true }));
    assert!(matches!(everything, Err(Error::Problem(problem)) if problem.error_type == "refused"));
    let packed: Value =
        served.client().post("/packs", &json!({ "type": "full", "include": ["../**", "**"] })).unwrap_or_default();
    assert!(!packed.to_string().contains("secret of the outside"));
}

#[test]
fn a_socket_is_for_its_user() {
    let bench = Bench::new();
    let served = bench.serve();
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&served.socket), 0o600);
    assert!(served.user().service().is_ok());
}

#[test]
fn a_service_that_only_reads_changes_nothing() {
    let bench = Bench::new();
    bench.serve().indexed().stop();
    let served = bench.serve_with(true, Limits::default()).unwrap();
    let before = std::fs::read_to_string(bench.project().join("context.json")).unwrap();
    for (path, body) in [
        ("/collections/sync", json!({})),
        ("/collections", json!({ "name": "x", "categories": [] })),
        ("/packs", json!({})),
        ("/doctor/repair", json!({})),
    ] {
        let refused = served.client().post::<Value>(path, &body);
        assert!(matches!(refused, Err(Error::Problem(problem)) if problem.error_type == "read_only"), "{path}");
    }
    assert!(served.client().delete::<Value>("/collections/docs").is_err());
    assert_eq!(std::fs::read_to_string(bench.project().join("context.json")).unwrap(), before);
    assert!(served.client().get::<Value>("/search", &json!({ "query": "oak" })).is_ok());
}

#[test]
fn too_much_is_turned_away() {
    let bench = Bench::new();
    let second = Duration::from_secs(1);
    let limits = Limits { connections: 12, head: second, body: second, body_bytes: 10_000, ..Limits::default() };
    let served = bench.serve_with(false, limits).unwrap();
    let (status, _) =
        served.ask("POST", "/api/v1/collections", &[], &format!("{{\"name\": \"{}\"}}", "x".repeat(20_000)));
    assert!(status == 413 || status == 0, "{status}");
    let host = served.address;
    let slow = format!(
        "POST /api/v1/collections HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 100\r\n\r\n{{"
    );
    // The word about it may be lost when the connection is ended at the same moment.
    let (status, _) = served.raw(&slow);
    assert!(status == 408 || status == 0, "{status}");
    // Half of a request, many times: those that are too many are told so, and the others end.
    let mut open = Vec::new();
    for _ in 0..20 {
        let mut stream = std::net::TcpStream::connect(served.address).unwrap();
        let _ = std::io::Write::write_all(&mut stream, b"GET /api/v1/se");
        open.push(stream);
    }
    let mut told = 0;
    for stream in &mut open {
        stream.set_read_timeout(Some(Duration::from_secs(15))).unwrap();
        let mut answer = String::new();
        let ended = std::io::Read::read_to_string(stream, &mut answer);
        assert!(ended.is_ok() || !answer.is_empty(), "a connection is held");
        told += usize::from(answer.starts_with("HTTP/1.1 503"));
    }
    assert!(told >= 8, "{told} were turned away");
    assert_eq!(served.ask("GET", "/api/v1/projects", &[], "").0, 200);
}

/// Listeners of changes count as connections, and let others through once they are gone.
#[test]
fn streams_end_with_their_clients() {
    let bench = Bench::new();
    let limits = Limits { connections: 4, ..Limits::default() };
    let served: Served = bench.serve_with(false, limits).unwrap();
    for _ in 0..12 {
        let client = Client::at_address(served.address, TOKEN);
        let start = std::time::Instant::now();
        loop {
            let heard = client.changes(&mut |event| event.kind != "ready");
            match heard {
                Ok(()) => break,
                Err(Error::Status(503, _)) => {
                    assert!(start.elapsed() < Duration::from_secs(20), "connections are held");
                }
                Err(error) => panic!("{error:?}"),
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    let (status, answer) = served.ask("GET", "/api/v1/projects", &[], "");
    assert!(status == 200 || status == 503, "{answer}");
    let _ = body_of(&answer);
}

/// How long the first request may take to come in says nothing about how long its answer may take.
#[test]
fn a_connection_outlives_the_patience_for_its_first_request() {
    let bench = Bench::new();
    let head = Duration::from_millis(300);
    let served: Served = bench.serve_with(false, Limits { head, ..Limits::default() }).unwrap();
    let served = served.indexed();
    let client = served.client();
    let start = std::time::Instant::now();
    let mut changed = None;
    client
        .changes(&mut |event| {
            if event.kind == "ready" {
                std::thread::sleep(3 * head);
                bench.write("docs/elm.md", "# Elm\n\nThe elm is late.\n");
            } else {
                changed = Some(start.elapsed());
            }
            changed.is_none()
        })
        .unwrap();
    assert!(changed.is_some_and(|after| after > 3 * head), "{changed:?}");
}
