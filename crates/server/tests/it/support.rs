//! A project, a service for it, and requests by hand.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ai_assist_app::{Environment, Machine};
use ai_assist_client::Client;
use ai_assist_server::access::Token;
use ai_assist_server::http::Limits;
use ai_assist_server::{Listening, Log, RunError, Service};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

pub(crate) const TOKEN: &str = "a-token-of-enough-letters";

pub(crate) struct Bench {
    folder: TempDir,
}

impl Bench {
    /// A project with a collection `docs` and some code, nothing of it indexed.
    pub(crate) fn new() -> Self {
        let bench = Bench { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(bench.project().join(".git")).unwrap();
        bench.write("docs/oak.md", "# Oaks\n\nThe oak grows tall.\n\n## Acorns\n\nAn oak begins as an acorn.\n");
        bench.write("docs/ash.md", "# Ash\n\nThe ash is a tree as well.\n");
        bench.write("src/lib.rs", "/// Plants a tree.\npub fn plant(name: &str) -> usize {\n    name.len()\n}\n");
        bench.write("context.json", r#"{"collections": {"docs": {"type": "file", "path": "docs"}}}"#);
        bench
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.root().join("data")
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> &Self {
        let file = self.project().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        self
    }

    fn service(&self, read_only: bool) -> Arc<Service> {
        let machine = Machine::new(Environment::within(&self.root()));
        Service::new(machine, vec![self.project()], read_only, Log::silent())
    }

    pub(crate) fn serve(&self) -> Served {
        self.serve_with(false, Limits::default()).unwrap()
    }

    pub(crate) fn serve_with(&self, read_only: bool, limits: Limits) -> Result<Served, RunError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (service, socket) = (self.service(read_only), self.root().join("serve.sock"));
        let token = Token::new(TOKEN).unwrap();
        let listening = runtime.block_on(Listening::new(
            Arc::clone(&service),
            &self.data(),
            "127.0.0.1:0".parse().unwrap(),
            token,
            vec!["box.lan".to_owned()],
            Some(&socket),
        ))?;
        let listening = listening.with_limits(limits);
        let address = listening.address();
        let serving = runtime.spawn(listening.serve());
        Ok(Served { address, socket, service, serving: Some(serving), runtime })
    }
}

/// A service that runs until it is dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) socket: PathBuf,
    pub(crate) service: Arc<Service>,
    serving: Option<tokio::task::JoinHandle<()>>,
    runtime: Runtime,
}

impl Served {
    pub(crate) fn client(&self) -> Client {
        Client::at_address(self.address, TOKEN)
    }

    pub(crate) fn user(&self) -> Client {
        Client::at_socket(self.socket.clone())
    }

    /// Syncs and builds everything.
    pub(crate) fn indexed(self) -> Self {
        let client = self.client();
        client.post::<Value>("/collections/sync", &serde_json::json!({})).unwrap();
        client.post::<Value>("/repositories/project/build", &serde_json::json!({})).unwrap();
        self
    }

    pub(crate) fn stop(mut self) {
        self.service.stop.cancel();
        if let Some(serving) = self.serving.take() {
            let ended = self.runtime.block_on(async { tokio::time::timeout(Duration::from_secs(20), serving).await });
            assert!(ended.is_ok(), "the service does not end");
        }
    }

    /// Sends a request as it stands, and gives the status and everything that came.
    pub(crate) fn raw(&self, request: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        // A server that has made up its mind may hang up before it has read everything.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer).into_owned();
        let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, text)
    }

    /// A request with some headers beside `Host` and the token; either is left out if it is among them with an empty value.
    pub(crate) fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut all = vec![("Host", self.address.to_string()), ("Authorization", format!("Bearer {TOKEN}"))];
        for (name, value) in headers {
            all.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            if !value.is_empty() {
                all.push((name, (*value).to_owned()));
            }
        }
        let lines: String = all.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        self.raw(&format!(
            "{method} {target} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n{lines}\r\n{body}"
        ))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.service.stop.cancel();
    }
}

/// Waits for something to become true.
pub(crate) fn within(patience: Duration, what: &str, mut is_so: impl FnMut() -> bool) {
    let start = std::time::Instant::now();
    while !is_so() {
        assert!(start.elapsed() < patience, "not within {patience:?}: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn body_of(answer: &str) -> Value {
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    serde_json::from_str(body).unwrap_or(Value::Null)
}

pub(crate) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
