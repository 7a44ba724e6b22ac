//! The program as the suite meets it. What it answers to everything else is for the suite to say (`scripts/conformance`).
#![allow(clippy::unwrap_used, reason = "clippy does not see that these functions are a test's")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start() -> (Server, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_ai-assist-conformance"))
            .args([folder.path(), &folder.path().join("state")])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.trim().strip_prefix("Serving MCP at http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
        (Server { process, address }, folder)
    }

    /// The answer to a request of revision 2026-07-28, as it comes.
    fn ask(&self, method: &str) -> String {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        );
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n\
             Content-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn fixtures_stand_beside_what_is_real() {
    let (server, _folder) = Server::start();
    for (method, ours, fixture) in [
        ("tools/list", "\"search\"", "\"test_simple_text\""),
        ("prompts/list", "\"orient\"", "\"test_simple_prompt\""),
        ("resources/templates/list", "assist://collection/", "test://template/{id}/data"),
    ] {
        let answer = server.ask(method);
        assert!(answer.contains(ours) && answer.contains(fixture), "{method}: {answer}");
    }
}
