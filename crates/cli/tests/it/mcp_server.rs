//! `ai-assist mcp` as clients start it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Sandbox;

/// A server at the other end of two pipes.
pub(crate) struct Server {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    pub(crate) fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        let mut command = sandbox.command();
        command.arg("mcp").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut server = Server { child, to, from, next: 0 };
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        server.request("initialize", &params);
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the server is gone");
            // Whatever comes on standard output is the protocol.
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not a message: {line}"));
            if message["id"] == id {
                return message;
            }
        }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut params = json!({ "name": tool });
        params["arguments"] = arguments;
        let answer = self.request("tools/call", &params);
        answer["result"]["structuredContent"].clone()
    }

    /// Hangs up and waits for the end: its code, and what was said on standard error.
    pub(crate) fn hang_up(mut self) -> (i32, String) {
        drop(self.to.take());
        let mut rest = String::new();
        self.from.read_to_string(&mut rest).unwrap();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code().unwrap(), said)
    }
}

#[test]
fn a_client_syncs_searches_and_hangs_up() {
    let sandbox = Sandbox::with_docs(&[("oaks.md", "# Oaks\n\nOaks grow slowly.\n")]);
    let project = sandbox.project();
    let mut server = Server::start(&sandbox, &["--project", project.to_str().unwrap()]);
    assert_eq!(server.call("search", json!({ "query": "oaks" }))["error_type"], "not_indexed");
    assert_eq!(server.call("collection_sync", json!({}))["value"]["collections"][0]["added"], 1);
    let found = server.call("search", json!({ "query": "how fast do oaks grow" }));
    assert_eq!(found["value"]["hits"][0]["document"], "assist://collection/docs/oaks.md", "{found}");
    // What a command does counts at once, and the other way round.
    sandbox.write("docs/elms.md", "# Elms\n\nElms grow fast.\n");
    sandbox.sync().assert_code(0);
    let found = server.call("search", json!({ "query": "elms" }));
    assert_eq!(found["value"]["hits"][0]["document"], "assist://collection/docs/elms.md", "{found}");
    assert_eq!(sandbox.hits(&["oaks grow"]).len(), 2);
    let (code, said) = server.hang_up();
    assert_eq!((code, said.as_str()), (0, ""));
}

#[test]
fn nothing_is_guessed_from_the_folder() {
    let sandbox = Sandbox::with_synced_docs(&[("oaks.md", "# Oaks\n")]);
    let mut server = Server::start(&sandbox, &[]);
    assert_eq!(server.call("list_documents", json!({}))["error_type"], "no_session");
    let named = server.call("list_documents", json!({ "project": sandbox.project() }));
    assert_eq!(named["value"]["found"], 1, "{named}");
    server.hang_up();
    // A relative path is meant from where the server is started.
    let mut pinned = Server::start(&sandbox, &["--project", "."]);
    assert_eq!(pinned.call("list_documents", json!({}))["value"]["found"], 1);
    pinned.hang_up();
    let mut command = sandbox.command();
    command.arg("mcp").env("AI_ASSIST_PROJECT", sandbox.root().join("nowhere"));
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nowhere"), "{output:?}");
}

#[test]
fn warnings_do_not_reach_standard_output() {
    let sandbox = Sandbox::new();
    sandbox.write("context.json", r#"{"colections": {}, "collections": {"odd name": {"type": "file", "path": "."}}}"#);
    let mut server = Server::start(&sandbox, &["--project", "."]);
    let listed = server.call("collection_list", json!({}));
    assert_eq!(listed["success"], true, "{listed}");
    assert!(listed["message"].as_str().unwrap().contains("did you mean `collections`?"), "{listed}");
    assert_eq!(server.hang_up().0, 0);
}

#[test]
fn an_interrupt_ends_it() {
    let sandbox = Sandbox::new();
    for args in [vec!["--project", "."], vec!["--http", "127.0.0.1:0", "--project", "."]] {
        let mut command = sandbox.command();
        command.arg("mcp").args(&args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(700));
        let pid = child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let asked = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(asked.elapsed() < Duration::from_secs(10), "{args:?}: it goes on");
            std::thread::sleep(Duration::from_millis(20));
        };
        assert_eq!(status.code(), Some(0), "{args:?}");
    }
}

/// A server over HTTP, what it said when it had its address, and its address.
fn over_http(sandbox: &Sandbox, args: &[&str], token: Option<&str>) -> (Child, Value, String) {
    let mut command = sandbox.command();
    command.args(["--json", "mcp"]).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(token) = token {
        command.env("AI_ASSIST_MCP_TOKEN", token);
    }
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"));
    let url = said["url"].as_str().unwrap();
    let address = url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
    (child, said, address)
}

fn end(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// What a server over HTTP says when it has its address.
pub(crate) fn said_over_http(sandbox: &Sandbox) -> Value {
    let (child, said, _) = over_http(sandbox, &["--http", "0"], None);
    end(child);
    said
}

fn status_of(address: &str, host: &str, token: Option<&str>) -> u16 {
    let mut stream = TcpStream::connect(address).unwrap();
    let token = token.map_or(String::new(), |token| format!("Authorization: Bearer {token}\r\n"));
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } })
    .to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n{token}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = [0; 64];
    let read = stream.read(&mut answer).unwrap();
    String::from_utf8_lossy(&answer[..read]).split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn over_http_it_keeps_to_those_who_may() {
    let sandbox = Sandbox::new();
    let token = "given-by-the-environment";
    let (child, said, address) = over_http(&sandbox, &["--http", "0", "--project", "."], Some(token));
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    assert_eq!((said["token"].as_str(), said["tokenFile"].as_str()), (None, None), "what was given is not repeated");
    assert_eq!((status_of(&address, &address, None), status_of(&address, &address, Some(token))), (401, 200));
    assert_eq!(status_of(&address, "evil.example", Some(token)), 403);
    end(child);
}

#[test]
fn over_http_there_is_always_a_token() {
    let sandbox = Sandbox::new();
    let (child, said, address) = over_http(&sandbox, &["--http", "127.0.0.1:0"], None);
    let token = said["token"].as_str().unwrap().to_owned();
    assert_eq!(token.len(), 64, "{said}");
    assert_eq!((status_of(&address, &address, None), status_of(&address, &address, Some(&token))), (401, 200));
    end(child);
    let file = Path::new(said["tokenFile"].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(file).unwrap().trim(), token);
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    // The settings of clients stay right when it is started again, also for other machines.
    let (child, said, address) = over_http(&sandbox, &["--http", "0.0.0.0:0", "--project", "."], None);
    assert_eq!(said["token"], token);
    let port = address.rsplit(':').next().unwrap();
    let address = format!("127.0.0.1:{port}");
    assert_eq!((status_of(&address, &address, None), status_of(&address, &address, Some(&token))), (401, 200));
    end(child);
    // A token that others could read is none.
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let (child, said, _) = over_http(&sandbox, &["--http", "0"], None);
    assert_ne!(said["token"], token);
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    end(child);
}

#[test]
fn a_token_that_is_none_is_refused() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["mcp", "--http", "127.0.0.1:0", "--token-file", "nowhere"]);
    run.assert_code(2);
    assert!(run.stderr().contains("nowhere"), "{}", run.stderr());
    let weak =
        sandbox.command().args(["mcp", "--http", "127.0.0.1:0"]).env("AI_ASSIST_MCP_TOKEN", "short").output().unwrap();
    assert_eq!(weak.status.code(), Some(2));
    assert!(!String::from_utf8_lossy(&weak.stderr).contains("`short`"));
}
