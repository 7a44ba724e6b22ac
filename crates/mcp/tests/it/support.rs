//! A project, a server on it, and a client that speaks JSON-RPC by hand.

use std::path::PathBuf;
use std::sync::Arc;

use ai_assist_app::{Environment, Machine};
use ai_assist_collections::Roots;
use ai_assist_mcp::{Options, Pin, Server, stdio};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// The revision that common clients open with.
pub(crate) const REVISION: &str = "2025-11-25";

/// A folder with a project in it.
pub(crate) struct Bench {
    folder: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let bench = Bench { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(bench.project()).unwrap();
        bench
    }

    /// The project's folder.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, path: &str, text: &str) -> &Self {
        let file = self.project().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        self
    }

    /// The configuration as it is now.
    pub(crate) fn config(&self) -> Value {
        let text = std::fs::read_to_string(self.project().join("context.json")).unwrap_or_else(|_| "{}".to_owned());
        serde_json::from_str(&text).unwrap()
    }

    pub(crate) fn roots(&self) -> Roots {
        Environment::within(self.folder.path()).roots
    }

    pub(crate) fn machine(&self) -> Arc<Machine> {
        Machine::new(Environment::within(self.folder.path()))
    }

    /// A server that is pinned to the project and has all tools.
    pub(crate) fn client(&self) -> Client {
        self.client_with(Options {
            pin: Some(Pin(self.project())),
            tools: "all".parse().unwrap(),
            read_only: false,
            ..Options::default()
        })
    }

    /// The same for a client that is known to show its model the text alone.
    pub(crate) fn agent(&self) -> Client {
        let options = Options { pin: Some(Pin(self.project())), tools: "all".parse().unwrap(), ..Options::default() };
        Client::named(Server::new(self.machine(), options), "claude-code")
    }

    pub(crate) fn client_with(&self, options: Options) -> Client {
        Client::new(Server::new(self.machine(), options))
    }
}

/// A client.
pub(crate) struct Client {
    runtime: Runtime,
    from: BufReader<ReadHalf<DuplexStream>>,
    to: WriteHalf<DuplexStream>,
    next: u64,
    /// Notifications that came while an answer was awaited.
    pub(crate) told: Vec<Value>,
    /// What is answered to `roots/list`.
    pub(crate) roots: Value,
}

impl Client {
    /// Connects and does the handshake.
    pub(crate) fn new(server: Server) -> Self {
        let mut client = Client::raw(server);
        client.handshake(json!({}));
        client
    }

    /// Connects and says nothing.
    pub(crate) fn raw(server: Server) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let streams = tokio::io::split(theirs);
        runtime.spawn(stdio::serve_streams(server, streams, CancellationToken::new()));
        let (from, to) = tokio::io::split(ours);
        Client { runtime, from: BufReader::new(from), to, next: 0, told: Vec::new(), roots: json!({ "roots": [] }) }
    }

    /// Connects as a client of this name.
    pub(crate) fn named(server: Server, name: &str) -> Self {
        let mut client = Client::raw(server);
        client.handshake_as(name, json!({}));
        client
    }

    pub(crate) fn handshake(&mut self, capabilities: Value) -> Value {
        self.handshake_as("test", capabilities)
    }

    fn handshake_as(&mut self, name: &str, capabilities: Value) -> Value {
        let params = json!({
            "protocolVersion": REVISION,
            "capabilities": capabilities,
            "clientInfo": { "name": name, "version": "1" },
        });
        let answer = self.request("initialize", params);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub(crate) fn send_line(&mut self, line: &str) {
        let line = format!("{line}\n");
        self.runtime.block_on(async { self.to.write_all(line.as_bytes()).await }).unwrap();
    }

    /// The next message, or nothing if none comes in time.
    pub(crate) fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.from.read_line(&mut line);
        let patience = std::time::Duration::from_secs(60);
        match self.runtime.block_on(async { tokio::time::timeout(patience, read).await }) {
            Ok(Ok(0)) | Err(_) => None,
            Ok(Ok(_)) => Some(serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"))),
            Ok(Err(error)) => panic!("{error}"),
        }
    }

    /// Sends a request without waiting for its answer, and gives its id.
    pub(crate) fn start(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }));
        self.next
    }

    /// Waits for the answer to a request, and answers what the server asks meanwhile.
    pub(crate) fn finish(&mut self, id: u64) -> Value {
        loop {
            let message = self.receive().expect("an answer");
            if message.get("method").is_some() {
                if let Some(id) = message.get("id") {
                    assert_eq!(message["method"], "roots/list");
                    let answer = json!({ "jsonrpc": "2.0", "id": id, "result": self.roots.clone() });
                    self.send(&answer);
                } else {
                    self.told.push(message);
                }
                continue;
            }
            assert_eq!(message["id"], id, "{message}");
            return message;
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params);
        self.finish(id)
    }

    /// Calls a tool and gives its result for programs. The text for models must say the same in fewer words.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        let structured = result["structuredContent"].clone();
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{tool}: {answer}"));
        assert!(!text.trim().is_empty() && serde_json::from_str::<Value>(text).is_err(), "{tool}: {text}");
        assert_eq!(result["isError"], !structured["success"].as_bool().unwrap(), "{tool}: {structured}");
        structured
    }

    /// Calls a tool that must do well, and gives what a model sees of the answer.
    pub(crate) fn text(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_eq!(answer["result"]["isError"], false, "{tool}: {answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Calls a tool that must do well, and gives its value.
    pub(crate) fn value(&mut self, tool: &str, arguments: Value) -> Value {
        let mut answer = self.call(tool, arguments);
        assert_eq!(answer["success"], true, "{tool}: {answer}");
        answer["value"].take()
    }

    /// Calls a tool that must fail in a way that helps, and gives the kind of failure and the whole result.
    pub(crate) fn failure(&mut self, tool: &str, arguments: Value) -> (String, Value) {
        let answer = self.call(tool, arguments);
        assert_eq!(answer["success"], false, "{tool}: {answer}");
        for field in ["error", "instruction"] {
            assert!(!answer[field].as_str().unwrap().is_empty(), "{tool}: {answer}");
        }
        names_calls(answer["instruction"].as_str().unwrap());
        (answer["error_type"].as_str().unwrap().to_owned(), answer)
    }
}

/// A tool that a failure names is named by a call, with its arguments.
fn names_calls(instruction: &str) {
    for tool in ai_assist_mcp::documented().0 {
        let name = &*tool.tool.name;
        assert!(!instruction.contains(&format!("`{name}`")), "{name} is named without arguments: {instruction}");
        let bare = instruction
            .match_indices(name)
            .filter(|(at, _)| name.contains('_') && !instruction[..*at].ends_with(['`', '"', ',']));
        assert_eq!(bare.count(), 0, "{name} is named and not called: {instruction}");
    }
}
