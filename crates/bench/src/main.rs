//! Benchmarks: one subcommand each, every one a program that prints a table.
//!
//! Figures are ratios against a peer or a physical limit taken in the same run, because machines differ and are busy. What is measured in
//! this process, peers too, has the allocator of the published binary.

#![allow(clippy::print_stdout, reason = "printing tables is what a benchmark is for")]

mod agent;
mod context;
mod corpus;
mod dependencies;
mod doc_links;
mod dump;
mod federation;
mod formats;
mod issues;
mod library;
mod mcp;
mod memory;
mod metrics;
mod mixed;
mod names;
mod numbers;
mod packages;
mod packs;
mod quality;
mod render;
mod repos;
mod resample;
mod secrets;
mod serve;
mod sessions;
mod sites;
mod soak;
mod speed;
mod tantivy_alone;
mod timing;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(about = "Benchmarks of ai-assist")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Retrieval quality: nDCG@10, MRR@10 and Recall@10 over folders in BEIR layout; hits of files for issues, of pages for links
    Quality(quality::Quality),
    /// Names of real trees, asked as they are: how often the definition stands first
    Names {
        /// Trees of sources
        #[arg(required = true)]
        trees: Vec<PathBuf>,
        /// How many names of each tree
        #[arg(long, default_value_t = 200)]
        names: usize,
        /// Also say what stands first instead
        #[arg(long)]
        show: bool,
    },
    /// Code as a repository and prose as a collection in one search, against each alone
    Mixed {
        /// A folder of sets, each with corpus.jsonl, queries.jsonl and qrels.tsv
        sets: PathBuf,
        #[arg(long, default_value = "cosqa")]
        code: String,
        #[arg(long, default_value = "nl2bash-tldr")]
        prose: String,
    },
    /// Dependencies of projects, indexed from their sources: questions answered, against READMEs alone; time and size
    Dependencies {
        /// A folder of projects: `node`, `py`, `rust`, `go`, and `gomod`, the module cache of Go
        projects: PathBuf,
        /// Also say where the answer to each question stands
        #[arg(long)]
        show: bool,
        /// The dependencies of dependencies too
        #[arg(long)]
        all: bool,
    },
    /// Speed and size of syncing and searching many documents
    Speed {
        /// A tree of sources to make the documents from, such as ~/.cargo/registry/src
        tree: PathBuf,
        /// How many documents
        #[arg(long, default_value_t = 15_000)]
        documents: usize,
        /// The binary to run; by default the release binary of this workspace
        #[arg(long)]
        binary: Option<PathBuf>,
    },
    /// Syncing a package of many files over loopback, against curl
    Packages {
        /// A tree of sources to make the documents from, such as ~/.cargo/registry/src
        tree: PathBuf,
        /// How many files
        #[arg(long, default_value_t = 5_000)]
        files: usize,
        /// The binary to run; by default the release binary of this workspace
        #[arg(long)]
        binary: Option<PathBuf>,
    },
    /// Crawling a website of many pages, against curl fetching the same; unchanged, changed, broken, with traps
    Sites {
        /// How many pages
        #[arg(long, default_value_t = 3_000)]
        pages: usize,
        /// The binary to run; by default the release binary of this workspace
        #[arg(long)]
        binary: Option<PathBuf>,
    },
    /// The service: commands, REST and MCP against the same in process; many clients at once; memory over many requests
    Serve(serve::Serve),
    /// Converting documents of other formats to text, against reading their bytes; words found, against other programs
    Formats(formats::Formats),
    /// Sessions of a day imported and searched as one memory, and calls of the hook, with the binary as a user has it
    Memory(memory::Memory),
    /// Replaying many events into a session, against SQLite inserting the same rows; rendering a large session
    Sessions {
        /// A tree of sources to read from, such as ~/.cargo/registry/src
        tree: PathBuf,
        /// How many events
        #[arg(long, default_value_t = 10_000)]
        events: usize,
        /// How many files the large session has
        #[arg(long, default_value_t = 5_000)]
        objects: usize,
    },
    /// What caches of prompts have of each request of an agent's day: `session render` against truncated transcripts
    Render(render::Render),
    /// Packing a tree, against walking and reading it once and against other packers found on the PATH
    Packs(packs::Packs),
    /// What packing is compared with, in a process of its own
    #[command(hide = true)]
    ReadOnce { tree: PathBuf },
    /// Runs a program and prints what it took
    #[command(hide = true)]
    Measured {
        program: PathBuf,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Recall and precision of the secret rules on a labelled set, beside other scanners; or their cost on a tree
    Secrets(secrets::Secrets),
    /// Building the index of a large repository and looking for patterns in it, against tantivy alone and rg
    Repos {
        /// A tree of sources to copy files from, such as ~/.cargo/registry/src
        tree: PathBuf,
        /// How many files
        #[arg(long, default_value_t = 20_000)]
        files: usize,
        /// The binary to run; by default the release binary of this workspace
        #[arg(long)]
        binary: Option<PathBuf>,
    },
    /// Many repositories searched as one, against one index over all of them
    Federation {
        /// The sources of a cargo registry, such as ~/.cargo/registry/src
        tree: PathBuf,
        /// How many crates
        #[arg(long, default_value_t = 100)]
        crates: usize,
        /// The binary to run; by default the release binary of this workspace
        #[arg(long)]
        binary: Option<PathBuf>,
    },
    /// The MCP server: start, searches over stdio and HTTP against the same in process, many clients at once
    Mcp {
        /// A tree of sources to make the documents from, such as ~/.cargo/registry/src
        tree: PathBuf,
        /// How many chunks
        #[arg(long, default_value_t = 200_000)]
        chunks: usize,
        /// The binary to run; by default the release binary of this workspace
        #[arg(long)]
        binary: Option<PathBuf>,
    },
    /// Tasks of agents as scripts of calls over real projects: calls and tokens
    Agent(agent::Agent),
    /// What `context` gathers for an issue, against a search and a pack of as many tokens: definitions that matter
    Context(context::ContextBench),
    /// Latency of a query over many chunks, against tantivy alone
    Query {
        /// A tree of sources to make the documents from
        tree: PathBuf,
        /// How many chunks
        #[arg(long, default_value_t = 200_000)]
        chunks: usize,
    },
    /// Attacks from outside: damaged files, killed processes, hostile files, half-open connections
    Soak {
        /// How often each is done
        #[arg(long, default_value_t = 500)]
        rounds: usize,
        /// The same seed does the same damage
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The binary to run; by default the one beside this program
        #[arg(long)]
        binary: Option<PathBuf>,
    },
}

fn main() -> anyhow::Result<()> {
    // What is measured in process is what a service does, which keeps its indexes open.
    ai_assist_index::keep_open();
    match Cli::parse().command {
        Command::Quality(args) => quality::run(&args),
        Command::Names { trees, names, show } => names::run(&trees, names, show),
        Command::Mixed { sets, code, prose } => mixed::run(&sets, &code, &prose),
        Command::Dependencies { projects, show, all } => dependencies::run(&projects, show, all),
        Command::Speed { tree, documents, binary } => speed::sync(&tree, documents, binary),
        Command::Packages { tree, files, binary } => packages::packages(&tree, files, binary),
        Command::Sites { pages, binary } => sites::run_all(pages, binary),
        Command::Serve(args) => serve::serve(&args),
        Command::Formats(args) => formats::run(&args),
        Command::Memory(args) => memory::run_all(&args),
        Command::Sessions { tree, events, objects } => sessions::run_all(&tree, events, objects),
        Command::Render(args) => render::run(&args),
        Command::Packs(args) => packs::run(&args),
        Command::ReadOnce { tree } => packs::read_once(&tree),
        Command::Measured { program, args } => packs::measure_here(&program, &args),
        Command::Secrets(args) => secrets::run(&args),
        Command::Repos { tree, files, binary } => repos::run_all(&tree, files, binary),
        Command::Federation { tree, crates, binary } => federation::run_all(&tree, crates, binary),
        Command::Mcp { tree, chunks, binary } => mcp::mcp(&tree, chunks, binary),
        Command::Agent(args) => agent::agent(&args),
        Command::Context(args) => context::run(&args),
        Command::Query { tree, chunks } => speed::query(&tree, chunks),
        Command::Soak { rounds, seed, binary } => soak::run(rounds, seed, binary),
    }
}
