//! Over HTTP: who may ask, and many at once.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use ai_assist_mcp::http::{Access, Bound, Error, Token};
use ai_assist_mcp::{Options, Pin, Server};
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
    let options = Options { pin: Some(Pin(bench.project())), ..Options::default() };
    let server = Server::new(bench.machine(), options);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let bound = runtime.block_on(Bound::new("127.0.0.1:0".parse().unwrap(), access)).unwrap();
    let (address, stop) = (bound.address(), CancellationToken::new());
    let serving = bound.serve(move || server.for_client(), stop.clone());
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
        assert!(text.contains("\"get_document\""), "{host}");
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
