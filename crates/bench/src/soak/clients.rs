//! Clients over HTTP that say half of what they should, or never say goodbye.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{Place, Tally};

/// What a server may keep of clients that are gone, in kilobytes.
const KEPT: u64 = 64 << 10;

/// Initialisations for a round of the other attacks: 20,000 with 500 rounds.
const CLIENTS: usize = 40;

/// A server over HTTP, ended when it is dropped.
struct Served {
    child: Child,
    address: String,
    token: String,
}

impl Served {
    fn start(place: &Place) -> Result<Self> {
        let mut command = place.command(&["--json", "mcp", "--http", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut said = String::new();
        BufReader::new(child.stdout.take().context("no standard output")?).read_line(&mut said)?;
        let mut served = Served { child, address: String::new(), token: String::new() };
        let said: Value = serde_json::from_str(&said)?;
        let url = said["url"].as_str().context("no address")?;
        served.address = url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        served.token = said["token"].as_str().context("no token")?.to_owned();
        Ok(served)
    }

    /// What the server has of the machine's memory, in kilobytes.
    fn memory(&self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS")).context("no VmRSS")?;
        Ok(line.split_whitespace().nth(1).context("no number")?.parse()?)
    }

    /// What a client of the older protocol says first, and the start of the answer.
    fn initialize(&self) -> Result<String> {
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "soak", "version": "1" } });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }).to_string();
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        )?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer[..answer.len().min(16)]).into_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Opens many connections that say half a request and then nothing; the server must answer others all the while.
pub(super) fn half_open(place: &Place) -> Result<Tally> {
    let mut tally = Tally { rounds: 1, ..Tally::default() };
    let mut served = Served::start(place)?;
    let mut open = Vec::new();
    for _ in 0..200 {
        let mut stream = TcpStream::connect(&served.address)?;
        stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le")?;
        open.push(stream);
    }
    if !served.initialize().is_ok_and(|answer| answer.starts_with("HTTP/1.1 200")) {
        println!("a client was not answered beside half-open connections");
        tally.hung += 1;
    }
    tally.panics += usize::from(served.child.try_wait()?.is_some());
    Ok(tally)
}

/// Initialises again and again without a goodbye: what a server keeps of it is bounded.
pub(super) fn without_goodbye(place: &Place, rounds: usize) -> Result<Tally> {
    let mut served = Served::start(place)?;
    // What a server needs once and for all is there after the first.
    for _ in 0..100 {
        served.initialize()?;
    }
    let before = served.memory()?;
    let times = rounds * CLIENTS;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..times / 4).for_each(|_| _ = served.initialize()));
        }
    });
    let more = served.memory()?.saturating_sub(before);
    println!("{more} kB more after {times} clients that said no goodbye");
    let gone = served.child.try_wait()?.is_some();
    Ok(Tally { rounds: times, wrong: usize::from(more > KEPT), panics: usize::from(gone), ..Tally::default() })
}
