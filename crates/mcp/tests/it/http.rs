//! Over HTTP: who may ask, and many at once.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use ai_assist_mcp::{Options, Pin, Server};
use ai_assist_server::access::{Access, Token};
use ai_assist_server::http::{Bound, Error, Limits};
use ai_assist_server::serve_mcp;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::support::Bench;

const TOKEN: &str = "a-token-of-enough-letters";

/// A server that runs until it is dropped.
struct Served {
    address: SocketAddr,
    stop: CancellationToken,
    _runtime: Runtime,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn serve(bench: &Bench, access: Access) -> Served {
    serve_within(bench, access, Limits::default())
}

fn serve_within(bench: &Bench, access: Access, limits: Limits) -> Served {
    let options = Options { pin: Some(Pin(bench.project())), ..Options::default() };
    let server = Server::new(bench.machine(), options);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut bound = runtime.block_on(Bound::new("127.0.0.1:0".parse().unwrap(), access)).unwrap();
    bound.limits = limits;
    let (address, stop) = (bound.address(), CancellationToken::new());
    let serving = serve_mcp(bound, move || server.for_client(), stop.clone());
    runtime.spawn(serving);
    Served { address, stop, _runtime: runtime }
}

fn body(method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
}

/// Sends a request with these headers beside those that it needs, and gives the status and everything that came.
fn post(address: SocketAddr, host: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    // A server that has made up its mind may hang up before it has read everything.
    let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let text = String::from_utf8_lossy(&answer).into_owned();
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, text)
}

const LIST: [(&str, &str); 2] = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/list")];

#[test]
fn only_those_who_mean_this_server_are_answered() {
    let bench = Bench::new();
    let served = serve(&bench, Access { hosts: vec!["box.lan".to_owned()], ..Access::default() });
    let port = served.address.port();
    let list = body("tools/list", json!({}));
    let ask = |host: &str, origin: Option<&str>| {
        let mut headers = LIST.to_vec();
        headers.extend(origin.map(|origin| ("Origin", origin)));
        post(served.address, host, &headers, &list)
    };
    for host in
        [format!("127.0.0.1:{port}"), format!("localhost:{port}"), "[::1]".to_owned(), format!("box.lan:{port}")]
    {
        let (status, text) = ask(&host, None);
        assert_eq!(status, 200, "{host}: {text}");
        assert!(text.contains("\"outline\""), "{host}");
    }
    for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "192.0.2.7", ""] {
        assert_eq!(ask(host, None).0, 403, "{host}");
    }
    let ours = format!("127.0.0.1:{port}");
    assert_eq!(ask(&ours, Some("http://localhost:5173")).0, 200);
    for origin in ["https://evil.example", "http://evil.example", "null", "http://localhost.evil.example"] {
        assert_eq!(ask(&ours, Some(origin)).0, 403, "{origin}");
    }
}

#[test]
fn a_token_is_needed_where_one_is_set() {
    let bench = Bench::new();
    let served = serve(&bench, Access { token: Token::new(TOKEN), ..Access::default() });
    let host = served.address.to_string();
    let list = body("tools/list", json!({}));
    let ask = |value: Option<&str>| {
        let mut headers = LIST.to_vec();
        headers.extend(value.map(|value| ("Authorization", value)));
        post(served.address, &host, &headers, &list)
    };
    let (status, text) = ask(None);
    assert_eq!(status, 401);
    assert!(text.to_lowercase().contains("www-authenticate: bearer") && !text.contains(TOKEN), "{text}");
    for wrong in ["Bearer wrong", "Basic abc", &format!("Bearer {TOKEN}x"), &format!("Bearer {}", &TOKEN[1..])] {
        assert_eq!(ask(Some(wrong)).0, 401, "{wrong}");
    }
    assert_eq!(ask(Some(&format!("Bearer {TOKEN}"))).0, 200);
}

#[test]
fn an_address_for_others_needs_a_token() {
    let runtime = Runtime::new().unwrap();
    let open: SocketAddr = "0.0.0.0:0".parse().unwrap();
    let without = runtime.block_on(Bound::new(open, Access::default()));
    assert!(matches!(without, Err(Error::NoToken(_))), "{without:?}");
    let with = Access { token: Token::new(TOKEN), ..Access::default() };
    assert!(runtime.block_on(Bound::new(open, with)).is_ok());
}

#[test]
fn what_is_no_request_is_turned_away() {
    let bench = Bench::new();
    let served = serve(&bench, Access::default());
    let host = served.address.to_string();
    let large = "x".repeat(5 << 20);
    for (headers, body) in [
        (vec![], "garbage"),
        (vec![], "{}"),
        (vec![], "[]"),
        (vec![("MCP-Protocol-Version", "2026-07-28")], "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"),
        (vec![("MCP-Protocol-Version", "1999-01-01")], "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"),
        (LIST.to_vec(), large.as_str()),
    ] {
        let (status, text) = post(served.address, &host, &headers, body);
        let shown: String = body.chars().take(60).collect();
        // A request that is too large may be cut off before its answer is read.
        assert!((400..500).contains(&status) || (status == 0 && body.len() > 1 << 20), "{shown}: {status} {text}");
    }
    // The header says one thing and the body another.
    let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "search")];
    assert_eq!(post(served.address, &host, &headers, &body("tools/list", json!({}))).0, 400);
    let (status, _) = post(served.address, &host, &LIST, &body("tools/list", json!({})));
    assert_eq!(status, 200);
}

#[test]
fn sixty_four_clients_are_answered_at_once() {
    let bench = Bench::new();
    for number in 0..64 {
        bench.write(&format!("docs/{number}.md"), &format!("# Tree {number}\n\nThe tree called oak{number} grows.\n"));
    }
    bench.write("context.json", r#"{"collections": {"docs": {"type": "file", "path": "docs"}}}"#);
    bench.client().value("collection_sync", json!({}));
    let served = serve(&bench, Access::default());
    let host = served.address.to_string();
    let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "search")];
    std::thread::scope(|scope| {
        for number in 0..64 {
            let (host, headers) = (&host, &headers);
            let address = served.address;
            scope.spawn(move || {
                let arguments = json!({ "query": format!("oak{number}"), "scope": "collections", "limit": 1 });
                let asked = body("tools/call", json!({ "name": "search", "arguments": arguments }));
                let (status, text) = post(address, host, headers, &asked);
                assert_eq!(status, 200, "{text}");
                // Every client gets the answer to its own question.
                assert!(text.contains(&format!("assist://collection/docs/{number}.md")), "{number}: {text}");
            });
        }
    });
}

/// Everything that comes within some seconds, and whether the server has hung up by then.
fn rest_of(stream: &mut TcpStream, patience: Duration) -> (String, bool) {
    stream.set_read_timeout(Some(patience)).unwrap();
    let mut answer = Vec::new();
    let ended = stream.read_to_end(&mut answer);
    (String::from_utf8_lossy(&answer).into_owned(), ended.is_ok() || !answer.is_empty())
}

#[test]
fn half_a_request_holds_nothing() {
    let bench = Bench::new();
    let second = Duration::from_secs(1);
    let limits = Limits { connections: 40, head: second, body: second, ..Limits::default() };
    let served = serve_within(&bench, Access::default(), limits);
    let host = served.address.to_string();
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n");
    let whole = format!("{head}Accept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n");
    let beginnings = ["", "P", "PRI * HTTP/2", "POST /mcp HT", &head, &whole, &format!("{whole}{{\"json")];
    let mut open: Vec<(usize, TcpStream)> = Vec::new();
    for round in 0..6 {
        for (number, beginning) in beginnings.iter().enumerate() {
            let mut stream = TcpStream::connect(served.address).unwrap();
            // The server may have turned this one away already.
            let _ = stream.write_all(beginning.as_bytes());
            open.push((round * 100 + number, stream));
        }
    }
    let mut turned_away = 0;
    for (number, stream) in &mut open {
        let (said, ended) = rest_of(stream, Duration::from_secs(15));
        assert!(ended, "connection {number} is still open; it was told: {said}");
        turned_away += usize::from(said.starts_with("HTTP/1.1 503"));
        if *number % 100 >= 5 && !said.is_empty() && !said.starts_with("HTTP/1.1 503") {
            assert!(said.starts_with("HTTP/1.1 408"), "connection {number}: {said}");
        }
    }
    assert!(turned_away >= 2, "only {turned_away} of 42 were turned away");
    let (status, text) = post(served.address, &host, &LIST, &body("tools/list", json!({})));
    assert_eq!(status, 200, "{text}");
}

/// What a client of the older protocol says first.
fn initialize() -> String {
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "old", "version": "1" } });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }).to_string()
}

#[test]
fn sessions_are_limited_and_end_by_themselves() {
    let bench = Bench::new();
    let limits = Limits { sessions: 8, idle: Duration::from_secs(2), ..Limits::default() };
    let served = serve_within(&bench, Access::default(), limits);
    let host = served.address.to_string();
    let open = || post(served.address, &host, &[], &initialize());
    for number in 0..8 {
        let (status, text) = open();
        assert_eq!(status, 200, "{number}: {text}");
    }
    let (status, text) = open();
    assert!(status == 503 && text.to_lowercase().contains("retry-after:"), "{text}");
    // Those of the newer protocol need no session.
    assert_eq!(post(served.address, &host, &LIST, &body("tools/list", json!({}))).0, 200);
    let start = std::time::Instant::now();
    while open().0 != 200 {
        assert!(start.elapsed() < Duration::from_secs(30), "no session has ended");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// The resident memory of this process, in kilobytes.
fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// 16.3: more than the sessions that there may be, each of which is turned away or takes the place of one that is idle.
#[test]
fn clients_that_never_say_goodbye_fill_no_memory() {
    let bench = Bench::new();
    let served = serve(&bench, Access::default());
    let host = served.address.to_string();
    let open = || post(served.address, &host, &[], &initialize()).0;
    (0..100).for_each(|_| _ = open());
    let before = memory();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1500).for_each(|_| _ = open()));
        }
    });
    let more = memory().saturating_sub(before);
    assert!(more < 64 << 10, "{more} kB more after 6,000 clients");
}

#[test]
fn a_server_for_some_projects_is_for_no_other() {
    let (bench, other) = (Bench::new(), Bench::new());
    for bench in [&bench, &other] {
        bench.write("docs/a.md", "# A tree\n\nAn oak.\n");
    }
    let second = bench.project().parent().unwrap().join("second");
    std::fs::create_dir_all(&second).unwrap();
    let only = vec![bench.project().canonicalize().unwrap(), second.canonicalize().unwrap()];
    let mut client = bench.client_with(Options { only, ..Options::default() });
    let list = |project: &std::path::Path| json!({ "project": project });
    let told = client.call("list_documents", list(&other.project()));
    assert!(told.to_string().contains("not for that project"), "{told}");
    assert!(told.to_string().contains(second.to_str().unwrap()), "it names those that it is for: {told}");
    let through = bench.project().join("link");
    std::os::unix::fs::symlink(other.project(), &through).unwrap();
    let told = client.call("list_documents", list(&through));
    assert!(told.to_string().contains("not for that project"), "{told}");
    let told = client.call("list_documents", list(&bench.project()));
    assert!(!told.to_string().contains("not for that project"), "{told}");
}
