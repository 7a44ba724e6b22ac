//! The MCP server over standard input and output: what the way through the protocol costs, and how soon it answers. Over HTTP it is a part of
//! what `serve` measures.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use ai_assist_app::{Environment, Machine, Search};
use ai_assist_base::Cancel;
use ai_assist_collections::{Library, Members, Project, Roots, members};
use ai_assist_search::{Fusion, Question};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::corpus;
use crate::speed::{QUERIES, header, row};
use crate::timing::{Sample, ms, ratio, run, time};

/// How often every query is asked.
pub(crate) const ROUNDS: usize = 11;
/// How many hits are wanted.
pub(crate) const LIMIT: usize = 10;

/// Where everything is.
pub(crate) struct Place {
    binary: PathBuf,
    root: PathBuf,
}

impl Place {
    /// A binary, and an empty folder for a project and everything that is kept of it.
    pub(crate) fn new(binary: Option<PathBuf>, root: &Path) -> Result<Self> {
        let binary = match binary {
            Some(binary) => binary.canonicalize()?,
            None => std::env::current_exe()?.with_file_name("ai-assist"),
        };
        ensure!(binary.is_file(), "{} is not there; build it with `cargo build --release`", binary.display());
        Ok(Place { binary, root: root.canonicalize()? })
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    fn roots(&self) -> Roots {
        Roots { data: self.root.join("data"), cache: self.root.join("cache") }
    }

    pub(crate) fn ours(&self) -> Command {
        let mut command = Command::new(&self.binary);
        let Roots { data, cache } = self.roots();
        command.current_dir(&self.root).env("AI_ASSIST_DATA_DIR", data).env("AI_ASSIST_CACHE_ROOT", cache);
        command
    }

    pub(crate) fn served(&self) -> Command {
        let mut command = self.ours();
        command.args(["mcp", "--project"]).arg(self.project());
        command
    }
}

pub(crate) fn mcp(tree: &Path, wanted: usize, binary: Option<PathBuf>) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let place = Place::new(binary, temporary.path())?;
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
    Ok(())
}

/// Makes a project with so many chunks, synced as a user syncs it.
pub(crate) fn fill(place: &Place, tree: &Path, wanted: usize) -> Result<u64> {
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

/// The same search without a protocol, in a process that keeps everything open.
pub(crate) fn in_process(place: &Place) -> Result<Sample> {
    let machine = Machine::new(Environment::within(&place.root));
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        for query in QUERIES {
            let (found, taken) = time(|| {
                let project = machine.open(&place.project())?;
                let question = Question { look: Some(project.look()), limit: LIMIT, ..Question::new(query.parse()?) };
                let fusion = Fusion::Scores { a: project.settings.dense_weight() };
                let question = Question { fusion, reader: project.settings.reader_language(), ..question };
                Ok(project.search(&Search::new(question), &Cancel::default())?)
            })?;
            ensure!(!found.hits.is_empty(), "`{query}` finds nothing");
            // The first round fills caches.
            if round > 0 {
                times.push(taken);
            }
        }
    }
    Ok(Sample::new(times))
}

pub(crate) fn arguments(query: &str) -> Value {
    json!({ "name": "search", "arguments": { "query": query, "limit": LIMIT, "max_tokens": 24000 } })
}

pub(crate) fn over_stdio(place: &Place) -> Result<Sample> {
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
