//! Speed and size, each figure beside a peer measured in the same run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use ai_assist_base::Cancel;
use ai_assist_search::{Look, Query, Question, RankBy, Source, search};
use anyhow::{Context, Result, ensure};

use crate::corpus;
use crate::library::TestLibrary;
use crate::tantivy_alone::{self, Plain};
use crate::timing::{Sample, ms, ratio, run, run_with_memory, size_below, time};

/// How often what is over in milliseconds is repeated.
const REPEATS: usize = 21;

pub(crate) fn row(what: &str, ours: &str, peer: &str, theirs: &str, ratio: &str) {
    println!("| {what} | {ours} | {peer} | {theirs} | {ratio} |");
}

pub(crate) fn header() {
    println!("| job | ai-assist | compared with | that | ratio |");
    println!("|---|---|---|---|---|");
}

/// The life of a large collection, with the binary run as a user runs it.
pub(crate) fn sync(tree: &Path, documents: usize, binary: Option<PathBuf>) -> Result<()> {
    let binary = match binary {
        Some(binary) => binary,
        None => std::env::current_exe()?.with_file_name("ai-assist"),
    };
    ensure!(binary.is_file(), "{} is not there; build it with `cargo build --release`", binary.display());
    let place = tempfile::tempdir()?;
    let project = place.path().join("project");
    let (written, bytes) = corpus::write(tree, &project.join("docs"), documents)?;
    ensure!(written == documents, "{} gives only {written} documents", tree.display());
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(&project).args(["-c", "user.name=b", "-c", "user.email=b@b"]).args(args);
        command
    };
    run(&mut git(&["init", "-q"]))?;
    let shelves: Vec<String> =
        (0..10).map(|n| format!("\"s{n}\": {{ \"type\": \"file\", \"path\": \"docs/shelf-{n}\" }}")).collect();
    std::fs::write(project.join("context.json"), format!("{{ \"collections\": {{ {} }} }}", shelves.join(", ")))?;
    std::fs::write(
        project.join("one.json"),
        // With the glob that `chunks_of` opens the index by.
        "{ \"collections\": { \"docs\": { \"type\": \"file\", \"path\": \"docs\", \"glob\": \"**/*.md\" } } }",
    )?;
    run(&mut git(&["add", "-A"]))?;
    run(&mut git(&["commit", "-qm", "all"]))?;
    // Files younger than two seconds are read again at the next sync, as git guards racy timestamps.
    std::thread::sleep(Duration::from_millis(2500));
    let ours = |config: &str, args: &[&str]| {
        let mut command = Command::new(&binary);
        command.current_dir(&project).args(["--config-file", config, "--quiet"]).args(args);
        command.env("AI_ASSIST_DATA_DIR", place.path().join("data"));
        command.env("AI_ASSIST_CACHE_ROOT", place.path().join("cache"));
        command
    };
    println!("{written} documents, {:.1} MB of text.\n", bytes as f64 / 1e6);
    header();

    let (first, memory) = run_with_memory(&mut ours("one.json", &["collections", "sync"]))?;
    let index_size = size_below(&place.path().join("data"))?;
    let chunks = chunks_of(place.path(), &project.join("docs"))?;
    let count = chunks.len();
    let (_, raw) = tantivy_alone::index(&place.path().join("raw"), chunks)?;
    row(
        &format!("first sync ({count} chunks)"),
        &ms(first),
        "tantivy indexing the same chunks",
        &ms(raw),
        &ratio(first, raw),
    );
    row("memory at first sync", &mb(memory), "text", &mb(bytes), &share(memory, bytes));
    row("size on disk", &mb(index_size), "text", &mb(bytes), &share(index_size, bytes));

    let mut no_op = Vec::new();
    let mut status = Vec::new();
    run(&mut git(&["status"]))?;
    for _ in 0..REPEATS {
        no_op.push(run(&mut ours("one.json", &["collections", "sync"]))?);
        status.push(run(&mut git(&["status", "--porcelain"]))?);
    }
    let (no_op, status) = (Sample::new(no_op), Sample::new(status));
    row(
        "sync without changes",
        &ms(no_op.median()),
        "git status",
        &ms(status.median()),
        &ratio(no_op.median(), status.median()),
    );

    let mut one_change = Vec::new();
    let changed = first_file(&project.join("docs"))?;
    for number in 0..7 {
        std::fs::write(&changed, format!("# Changed\n\nThis is change number {number}.\n"))?;
        one_change.push(run(&mut ours("one.json", &["collections", "sync"]))?);
    }
    let one_change = Sample::new(one_change);
    row(
        "sync after one change",
        &ms(one_change.median()),
        "sync without changes",
        &ms(no_op.median()),
        &ratio(one_change.median(), no_op.median()),
    );

    run(&mut ours("context.json", &["collections", "sync"]))?;
    let peer = if Command::new("rg").arg("--version").output().is_ok() { "rg" } else { "git" };
    let (mut cold, mut start) = (Vec::new(), Vec::new());
    for query in QUERIES.iter().cycle().take(QUERIES.len() * 2) {
        cold.push(run(&mut ours("context.json", &["ref", "search", query]))?);
        start.push(run(Command::new(peer).arg("--version"))?);
    }
    let (cold, start) = (Sample::new(cold), Sample::new(start));
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let (ours, theirs) = (cold.quantile(share), start.quantile(share));
        let more = format!("{} more", ms(ours.saturating_sub(theirs)));
        row(
            &format!("query from a cold shell, 10 collections, {name}"),
            &ms(ours),
            &format!("{peer} --version"),
            &ms(theirs),
            &more,
        );
    }
    Ok(())
}

/// Latency of queries over many chunks in one process.
pub(crate) fn query(tree: &Path, wanted: usize) -> Result<()> {
    let place = tempfile::tempdir()?;
    let documents = place.path().join("docs");
    corpus::write(tree, &documents, usize::MAX)?;
    let mut library = TestLibrary::new(place.path(), &documents, "**/*.md")?;
    let (_, taken) = time(|| library.sync())?;
    let chunks = chunks_of(place.path(), &documents)?;
    // The tree may not give enough: then everything is indexed under several names.
    let copies = wanted.div_ceil(chunks.len().max(1));
    if copies > 1 {
        for copy in 1..copies {
            corpus::write(tree, &documents.join(format!("copy-{copy}")), usize::MAX)?;
        }
        library.sync()?;
    }
    let chunks = chunks_of(place.path(), &documents)?;
    println!("{} chunks in {copies} copies of the tree; the first took {} to sync.\n", chunks.len(), ms(taken));
    let (raw, _) = tantivy_alone::index(&place.path().join("raw"), chunks)?;
    let queries: Vec<String> = QUERIES.iter().map(|query| (*query).to_owned()).collect();
    let source = library.source()?;
    let known = Arc::new(Look::new(None));
    let ways: [(&str, RankBy, Again); 5] = [
        ("hybrid", RankBy::Hybrid, Again::No),
        ("hybrid with a second look, all known,", RankBy::Hybrid, Again::Known(&known)),
        ("hybrid with a second look, nothing known,", RankBy::Hybrid, Again::Anew),
        ("lexical", RankBy::Words, Again::No),
        ("dense", RankBy::Meaning, Again::No),
    ];
    let mut ours: [Vec<Duration>; 5] = Default::default();
    let mut theirs = Vec::new();
    for round in 0..11 {
        for ((_, rank_by, again), all) in ways.iter().zip(&mut ours) {
            let times = in_process(&source, &library, &queries, *rank_by, again)?;
            // The first round fills caches on both sides.
            if round > 0 {
                all.extend(times);
            }
        }
        let times = tantivy_alone::query(&raw, &queries)?;
        if round > 0 {
            theirs.extend(times);
        }
    }
    let theirs = Sample::new(theirs);
    header();
    for ((name, ..), times) in ways.iter().zip(ours) {
        let times = Sample::new(times);
        for (quantile, share) in [("p50", 0.5), ("p99", 0.99)] {
            let (ours, peer) = (times.quantile(share), theirs.quantile(share));
            row(&format!("{name} query, warm, {quantile}"), &ms(ours), "tantivy top 10", &ms(peer), &ratio(ours, peer));
        }
    }
    Ok(())
}

/// Whether the best chunks are read a second time, and by whom.
enum Again<'a> {
    No,
    /// By one that knows them.
    Known(&'a Arc<Look>),
    /// By a new one for each question.
    Anew,
}

fn in_process(
    source: &Source,
    library: &TestLibrary,
    queries: &[String],
    rank_by: RankBy,
    again: &Again<'_>,
) -> Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(queries.len());
    for text in queries {
        let look = match again {
            Again::No => None,
            Again::Known(look) => Some(Arc::clone(look)),
            Again::Anew => Some(Arc::new(Look::new(None))),
        };
        let (_, taken) = time(|| {
            let query: Query = text.parse()?;
            let question = Question { rank_by, look, ..Question::new(query) };
            let found =
                search(std::slice::from_ref(source), &question, library.library.embedder(), &Cancel::default())?;
            ensure!(!found.hits.is_empty(), "`{text}` finds nothing");
            Ok(())
        })?;
        times.push(taken);
    }
    Ok(times)
}

/// The chunks that a sync stored.
fn chunks_of(place: &Path, documents: &Path) -> Result<Vec<Plain>> {
    let library = TestLibrary::new(place, documents, "**/*.md")?;
    let reader = library.reader().context("nothing was synced")?;
    let mut chunks = Vec::with_capacity(reader.len());
    for position in reader.live().iter() {
        let chunk = reader.chunk(position)?;
        chunks.push(Plain { path: chunk.document, heading: chunk.path.join(" "), text: chunk.text });
    }
    Ok(chunks)
}

fn first_file(folder: &Path) -> Result<PathBuf> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    let first = entries.into_iter().next().context("the folder is empty")?;
    if first.is_dir() { first_file(&first) } else { Ok(first) }
}

pub(crate) fn mb(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

pub(crate) fn share(a: u64, b: u64) -> String {
    format!("{:.2}×", a as f64 / b.max(1) as f64)
}

/// Questions about Rust crates, as people and agents ask them.
pub(crate) const QUERIES: [&str; 25] = [
    "how do I read a file line by line",
    "parse command line arguments with subcommands",
    "spawn a thread and wait for it",
    "serialize a struct to json",
    "regular expression with named captures",
    "iterate over a directory recursively ignoring hidden files",
    "compress bytes with zstd",
    "open a sqlite database in wal mode",
    "unicode normalization form",
    "memory map a file",
    "progress bar with eta",
    "deserialize untagged enum",
    "tokenizer for full text search",
    "sha256 hash of bytes",
    "send and receive on a bounded channel",
    "percent encoding of a url path",
    "tree sitter query captures",
    "random number generator with seed",
    "parallel iterator over a slice",
    "HashMap entry or_insert_with",
    "thiserror derive Error from source",
    "atomic compare_exchange ordering",
    "simd runtime feature detection",
    "format a timestamp as RFC 3339",
    "terminal width and colours",
];
