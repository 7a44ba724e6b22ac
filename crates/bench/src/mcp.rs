//! The MCP server: what the way through the protocol costs, how soon it answers, and many clients at once.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use ai_assist_collections::{Find, Library, Members, Project, Roots, members};
use ai_assist_search::Question;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::corpus;
use crate::speed::{QUERIES, header, row};
use crate::timing::{Sample, ms, ratio, run, time};

/// How often every query is asked.
const ROUNDS: usize = 11;
/// How many clients ask at once.
const CLIENTS: usize = 64;

/// Where everything is.
struct Place {
    binary: PathBuf,
    root: PathBuf,
}

impl Place {
    fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    fn roots(&self) -> Roots {
        Roots { data: self.root.join("data"), cache: self.root.join("cache") }
    }

    fn ours(&self) -> Command {
        let mut command = Command::new(&self.binary);
        let Roots { data, cache } = self.roots();
        command.current_dir(&self.root).env("AI_ASSIST_DATA_DIR", data).env("AI_ASSIST_CACHE_ROOT", cache);
        command
    }

    fn served(&self) -> Command {
        let mut command = self.ours();
        command.args(["mcp", "--project"]).arg(self.project());
        command
    }
}

pub(crate) fn mcp(tree: &Path, wanted: usize, binary: Option<PathBuf>) -> Result<()> {
    let binary = match binary {
        Some(binary) => binary.canonicalize()?,
        None => std::env::current_exe()?.with_file_name("ai-assist"),
    };
    ensure!(binary.is_file(), "{} is not there; build it with `cargo build --release`", binary.display());
    let temporary = tempfile::tempdir()?;
    let place = Place { binary, root: temporary.path().canonicalize()? };
    let chunks = fill(&place, tree, wanted)?;
    println!("{chunks} chunks in one collection, {} queries, each {} times.\n", QUERIES.len(), ROUNDS - 1);
    header();
    start(&place)?;
    let alone = in_process(&place)?;
    let piped = over_stdio(&place)?;
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let (ours, peer) = (piped.quantile(share), alone.quantile(share));
        row(&format!("search over stdio, {name}"), &ms(ours), "the same in process", &ms(peer), &ratio(ours, peer));
    }
    over_http(&place, &alone)
}

/// Makes a project with so many chunks, synced as a user syncs it.
fn fill(place: &Place, tree: &Path, wanted: usize) -> Result<u64> {
    let project = place.project();
    std::fs::create_dir_all(&project)?;
    let config = "{ \"collections\": { \"docs\": { \"type\": \"file\", \"path\": \"docs\" } } }";
    std::fs::write(project.join("context.json"), config)?;
    let mut copy = 0;
    loop {
        corpus::write(tree, &project.join(format!("docs/copy-{copy}")), usize::MAX)?;
        run(place.ours().arg("-C").arg(&project).args(["--quiet", "collections", "sync"]))?;
        let library = Library::open(&place.roots())?;
        let chunks: u64 = declared(place)?
            .iter()
            .filter_map(|member| library.store().state(member.resolved.id()).ok().flatten())
            .map(|state| state.chunks)
            .sum();
        copy += 1;
        ensure!(chunks > 0, "{} gives no documents", tree.display());
        if chunks as usize >= wanted {
            return Ok(chunks);
        }
    }
}

fn declared(place: &Place) -> Result<Members> {
    let project = Project::load(&place.project().join("context.json"))?;
    Ok(members(Some(&project), None)?)
}

/// From the start of the process to the answer to `tools/list`.
fn start(place: &Place) -> Result<()> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let peer = if Command::new("rg").arg("--version").output().is_ok() { "rg" } else { "git" };
    for _ in 0..41 {
        let began = Instant::now();
        let mut client = Piped::new(place.served())?;
        client.request("tools/list", &json!({}))?;
        ours.push(began.elapsed());
        client.end()?;
        theirs.push(run(Command::new(peer).arg("--version"))?);
    }
    let (ours, theirs) = (Sample::new(ours), Sample::new(theirs));
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let (ours, theirs) = (ours.quantile(share), theirs.quantile(share));
        let what = format!("start to the first answer of tools/list, {name}");
        row(&what, &ms(ours), &format!("{peer} --version"), &ms(theirs), &ratio(ours, theirs));
    }
    Ok(())
}

/// The same search without the protocol.
fn in_process(place: &Place) -> Result<Sample> {
    let mut library = Library::open(&place.roots())?;
    let members = declared(place)?;
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        for query in QUERIES {
            let find = Find::new(Question::new(query.parse()?));
            let (found, taken) = time(|| Ok(library.find(&members, &find)?))?;
            ensure!(!found.hits.is_empty(), "`{query}` finds nothing");
            // The first round fills caches.
            if round > 0 {
                times.push(taken);
            }
        }
    }
    Ok(Sample::new(times))
}

fn arguments(query: &str) -> Value {
    json!({ "name": "search", "arguments": { "query": query, "scope": "collections", "limit": 10, "max_tokens": 24000 } })
}

fn over_stdio(place: &Place) -> Result<Sample> {
    let mut client = Piped::new(place.served())?;
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        for query in QUERIES {
            let (answer, taken) = time(|| client.request("tools/call", &arguments(query)))?;
            ensure!(answer["result"]["structuredContent"]["value"]["hits"][0].is_object(), "{answer}");
            if round > 0 {
                times.push(taken);
            }
        }
    }
    client.end()?;
    Ok(Sample::new(times))
}

/// A server at the other end of two pipes.
pub(crate) struct Piped {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    next: u64,
}

impl Piped {
    /// Starts a server with a command that serves on its standard input and output.
    pub(crate) fn new(command: Command) -> Result<Self> {
        Piped::named(command, "bench")
    }

    /// The same as a client of some name.
    pub(crate) fn named(mut command: Command, name: &str) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let to = child.stdin.take().context("no standard input")?;
        let from = BufReader::new(child.stdout.take().context("no standard output")?);
        let mut client = Piped { child, to, from, next: 0 };
        let info = json!({ "name": name, "version": "1" });
        client.request(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info }),
        )?;
        writeln!(client.to, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.next += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        self.to.write_all(format!("{request}\n").as_bytes())?;
        loop {
            let mut line = String::new();
            ensure!(self.from.read_line(&mut line)? > 0, "the server is gone");
            let answer: Value = serde_json::from_str(&line)?;
            if answer["id"] == self.next {
                return Ok(answer);
            }
        }
    }

    pub(crate) fn end(mut self) -> Result<()> {
        drop(self.to);
        self.child.wait()?;
        Ok(())
    }
}

fn over_http(place: &Place, alone: &Sample) -> Result<()> {
    let mut command = place.ours();
    command.args(["--json", "mcp", "--http", "127.0.0.1:0", "--project"]).arg(place.project());
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut said = String::new();
    let out = child.stdout.take().context("no standard output")?;
    BufReader::new(out).read_line(&mut said)?;
    let said: Value = serde_json::from_str(&said)?;
    let url = said["url"].as_str().context("no address")?;
    let address = url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
    let measured = clients(&address, alone);
    child.kill()?;
    child.wait()?;
    measured
}

fn clients(address: &str, alone: &Sample) -> Result<()> {
    let one = Sample::new(ask(address, ROUNDS)?.split_off(QUERIES.len()));
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let (ours, peer) = (one.quantile(share), alone.quantile(share));
        row(&format!("search over HTTP, {name}"), &ms(ours), "the same in process", &ms(peer), &ratio(ours, peer));
    }
    let began = Instant::now();
    let mut times: Vec<Duration> = Vec::new();
    std::thread::scope(|scope| {
        let asking: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| ask(address, 3))).collect();
        for asked in asking {
            let asked = asked.join().map_err(|_| anyhow::anyhow!("a client failed"))??;
            times.extend(asked);
        }
        anyhow::Ok(())
    })?;
    let (each, answers) = (began.elapsed() / u32::try_from(times.len())?, times.len());
    let many = Sample::new(times);
    let what = format!("{CLIENTS} clients at once, {answers} answers: time for each");
    row(&what, &ms(each), "one client", &ms(one.median()), &ratio(each, one.median()));
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let (ours, peer) = (many.quantile(share), one.quantile(share));
        row(
            &format!("{CLIENTS} clients at once, wait, {name}"),
            &ms(ours),
            "one client",
            &ms(peer),
            &ratio(ours, peer),
        );
    }
    Ok(())
}

/// Asks every query so many times over one connection.
fn ask(address: &str, rounds: usize) -> Result<Vec<Duration>> {
    let mut to = TcpStream::connect(address)?;
    to.set_nodelay(true)?;
    let mut from = BufReader::new(to.try_clone()?);
    let mut times = Vec::new();
    for _ in 0..rounds {
        for query in QUERIES {
            let mut params = arguments(query);
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
            let head = format!(
                "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
                 MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: search\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            let (text, taken) = time(|| {
                to.write_all(format!("{head}{body}").as_bytes())?;
                answer(&mut from)
            })?;
            ensure!(text.contains("\"success\":true"), "{}", text.chars().take(500).collect::<String>());
            times.push(taken);
        }
    }
    Ok(times)
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
