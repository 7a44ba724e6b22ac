//! The service: the same search cold and warm, by command, over REST and over MCP; many clients at once; many requests in a row.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use url::form_urlencoded::byte_serialize;

use crate::mcp::{LIMIT, Place, ROUNDS, arguments, fill, in_process, over_stdio};
use crate::numbers::Numbers;
use crate::speed::{QUERIES, header, row};
use crate::timing::{Sample, ms, ratio, run, time};

#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    /// A tree of sources to make the documents from, such as ~/.cargo/registry/src
    tree: PathBuf,
    /// How many chunks at least
    #[arg(long, default_value_t = 20_000)]
    chunks: usize,
    /// How many clients ask at once, each another thing every time
    #[arg(long, default_value_t = 200)]
    clients: usize,
    /// For how many seconds they do
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// How many requests are sent in a row while memory is looked at
    #[arg(long, default_value_t = 50_000)]
    requests: usize,
    /// The binary to run; by default the one beside this program
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// A service that ends with this value.
struct Service {
    child: Child,
    address: String,
    token: String,
}

impl Service {
    fn start(place: &Place) -> Result<Self> {
        let mut command = place.ours();
        command.args(["--json", "serve", "--listen", "127.0.0.1:0", "--project"]).arg(place.project());
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut said = String::new();
        BufReader::new(child.stdout.take().context("no standard output")?).read_line(&mut said)?;
        let said: Value = serde_json::from_str(&said)?;
        let text = |key: &str| said[key].as_str().map(str::to_owned).with_context(|| format!("no {key} in {said}"));
        Ok(Service { child, address: text("url")?.replace("http://", ""), token: text("token")? })
    }

    /// What it has in memory, in bytes.
    fn memory(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        Ok(line.split_whitespace().next().context("no number")?.parse::<u64>()? * 1024)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn serve(wanted: &Serve) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let place = Place::new(wanted.binary.clone(), temporary.path())?;
    let chunks = fill(&place, &wanted.tree, wanted.chunks)?;
    println!("{chunks} chunks in one collection, {} queries, each {} times.\n", QUERIES.len(), ROUNDS - 1);
    header();
    let alone = in_process(&place)?;
    let compare = |name: &str, sample: &Sample| {
        for (part, share) in [("p50", 0.5), ("p99", 0.99)] {
            let (ours, peer) = (sample.quantile(share), alone.quantile(share));
            row(&format!("{name}, {part}"), &ms(ours), "the same in process", &ms(peer), &ratio(ours, peer));
        }
    };
    compare("command without a service", &by_command(&place)?);
    compare("MCP over stdio", &over_stdio(&place)?);
    let service = Service::start(&place)?;
    compare("command through the service", &by_command(&place)?);
    compare("REST", &asked(&service, rest)?);
    compare("MCP over HTTP", &asked(&service, mcp)?);
    many(&service, wanted)?;
    in_a_row(&service, wanted.requests)
}

/// A process for each question, as in a shell.
fn by_command(place: &Place) -> Result<Sample> {
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        for query in QUERIES {
            let mut command = place.ours();
            command.arg("-C").arg(place.project()).args(["--json", "search", "--limit", "10", query]);
            let taken = run(&mut command)?;
            if round > 0 {
                times.push(taken);
            }
        }
    }
    Ok(Sample::new(times))
}

/// Head and body of a request.
type Request = fn(&Service, &str) -> String;

fn get(service: &Service, target: &str) -> String {
    let Service { address, token, .. } = service;
    format!("GET {target} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n")
}

fn encoded(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}

fn rest(service: &Service, query: &str) -> String {
    get(service, &format!("/api/v1/search?limit={LIMIT}&query={}", encoded(query)))
}

fn page(service: &Service, query: &str) -> String {
    get(service, &format!("/p/project?part=results&q={}", encoded(query)))
}

fn mcp(service: &Service, query: &str) -> String {
    let Service { address, token, .. } = service;
    let mut params = arguments(query);
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n\
         Mcp-Name: search\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// One connection, kept from one question to the next.
struct Connection {
    to: TcpStream,
    from: BufReader<TcpStream>,
}

impl Connection {
    fn new(service: &Service) -> Result<Self> {
        let to = TcpStream::connect(&service.address)?;
        to.set_nodelay(true)?;
        Ok(Connection { from: BufReader::new(to.try_clone()?), to })
    }

    /// The body of the answer, whose status must be that of success.
    fn ask(&mut self, request: &str) -> Result<String> {
        self.to.write_all(request.as_bytes())?;
        let mut status = String::new();
        ensure!(self.from.read_line(&mut status)? > 0, "the server is gone");
        let text = answer(&mut self.from)?;
        ensure!(status.contains(" 200 "), "{status}{text}");
        Ok(text)
    }
}

fn asked(service: &Service, request: Request) -> Result<Sample> {
    let mut connection = Connection::new(service)?;
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        for query in QUERIES {
            let (text, taken) = time(|| connection.ask(&request(service, query)))?;
            ensure!(text.contains("\"hits\":[{"), "{}", text.chars().take(500).collect::<String>());
            if round > 0 {
                times.push(taken);
            }
        }
    }
    Ok(Sample::new(times))
}

/// Many clients that ask different things as fast as they get answers.
fn many(service: &Service, wanted: &Serve) -> Result<()> {
    let mixed: [Request; 7] = [
        rest,
        mcp,
        page,
        |service, query| get(service, &format!("/api/v1/grep?limit=10&pattern={}", encoded(query))),
        |service, _| get(service, "/api/v1/documents?limit=20"),
        |service, _| get(service, "/api/v1/collections"),
        |service, _| get(service, "/p/project/status"),
    ];
    let (end, errors) = (Instant::now() + Duration::from_secs(wanted.seconds), AtomicU64::new(0));
    let client = |number: usize| -> Result<Vec<Duration>> {
        let mut numbers = Numbers(number as u64);
        let (mut connection, mut times) = (Connection::new(service)?, Vec::new());
        while Instant::now() < end {
            let request = mixed[numbers.at(mixed.len())];
            let query = QUERIES[numbers.at(QUERIES.len())];
            let request = request(service, query);
            match time(|| connection.ask(&request)) {
                Ok((_, taken)) => times.push(taken),
                Err(error) => {
                    if errors.fetch_add(1, Ordering::Relaxed) < 5 {
                        println!("{}: {error}", request.lines().next().unwrap_or_default());
                    }
                    connection = Connection::new(service)?;
                }
            }
        }
        Ok(times)
    };
    let mut times = Vec::new();
    std::thread::scope(|scope| {
        let client = &client;
        let clients: Vec<_> = (0..wanted.clients).map(|number| scope.spawn(move || client(number))).collect();
        for client in clients {
            times.extend(client.join().map_err(|_| anyhow::anyhow!("a client failed"))??);
        }
        anyhow::Ok(())
    })?;
    let (answers, errors) = (times.len(), errors.load(Ordering::Relaxed));
    let sample = Sample::new(times);
    println!(
        "\n{} clients for {} s, mixed: {answers} answers, {errors} errors, p50 {}, p99 {}",
        wanted.clients,
        wanted.seconds,
        ms(sample.median()),
        ms(sample.quantile(0.99))
    );
    Ok(())
}

/// Memory before and after many requests; the first tenth of them fills caches.
fn in_a_row(service: &Service, requests: usize) -> Result<()> {
    let mut connection = Connection::new(service)?;
    let mut before = 0;
    for number in 0..requests {
        if number == requests / 10 {
            before = service.memory()?;
        }
        let query = QUERIES[number % QUERIES.len()];
        let request: Request = if number % 10 == 0 { mcp } else { rest };
        connection.ask(&request(service, query))?;
    }
    let after = service.memory()?;
    let mb = |bytes: u64| bytes as f64 / 1e6;
    println!(
        "{requests} requests in a row: {:.1} MB after the first tenth, {:.1} MB at the end",
        mb(before),
        mb(after)
    );
    Ok(())
}

/// Reads one answer, whole: of a length that is told, or in chunks.
fn answer(from: &mut BufReader<TcpStream>) -> Result<String> {
    let mut length = None;
    loop {
        let mut line = String::new();
        ensure!(from.read_line(&mut line)? > 0, "the server is gone");
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = Some(value.trim().parse::<usize>()?);
        }
    }
    let mut text = Vec::new();
    if let Some(length) = length {
        text.resize(length, 0);
        std::io::Read::read_exact(from, &mut text)?;
        return Ok(String::from_utf8(text)?);
    }
    loop {
        let mut size = String::new();
        from.read_line(&mut size)?;
        let size = usize::from_str_radix(size.trim(), 16)?;
        let at = text.len();
        text.resize(at + size + 2, 0);
        std::io::Read::read_exact(from, &mut text[at..])?;
        text.truncate(at + size);
        if size == 0 {
            return Ok(String::from_utf8(text)?);
        }
    }
}
