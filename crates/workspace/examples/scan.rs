//! Scans a folder's index for twenty patterns and compares the time with that of `rg` on the same folder.
//!
//! `cargo run --profile quick -p ai-assist-workspace --example scan -- FOLDER CACHE`, or with `list` at the end, to see
//! which files are indexed.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::indexing_slicing, reason = "a program to measure with")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use ai_assist_grams::{Pattern, PatternOptions};
use ai_assist_identity::CanonicalPath;
use ai_assist_index::Filter;
use ai_assist_workspace::build::{BuildRequest, build_repo};
use ai_assist_workspace::layout::Mode;
use ai_assist_workspace::repo_index::RepoIndex;
use ai_assist_workspace::scan::{Scan, ScanRequest, scan};

/// From rare names to what is on every line.
const PATTERNS: [&str; 20] = [
    "fn read_exact_at",
    "TcpListener::bind",
    "unsafe impl Send",
    "#\\[derive\\(.*Hash.*\\)\\]",
    "panic!\\(\"",
    "pub (async )?fn new\\(",
    "impl<T> From<T> for",
    "TODO|FIXME|XXX",
    "\\bmemchr[23]?\\b",
    "0x[0-9a-f]{16}",
    "Copyright \\(c\\) 20[0-9]{2}",
    "std::sync::(Arc|Mutex)",
    "extern \"C\"",
    "[A-Z]{3,}_[A-Z]{3,}_[A-Z]{3,}",
    "license = ",
    "no_such_name_anywhere_at_all",
    "\\.unwrap_or_else\\(\\|",
    "^\\s*$",
    "fn ",
    "e",
];

const RUNS: usize = 5;
const LIMIT: usize = 1000;

fn main() {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (folder, cache) = (arguments.next().unwrap(), arguments.next().unwrap());
    let folder = folder.canonicalize().unwrap();
    let request = BuildRequest::new(CanonicalPath::from_absolute(&folder).unwrap(), &cache);
    build_repo(&request, &|| false, &mut |_| {}).unwrap();
    let indexes = RepoIndex::open_modes(&request.cache, &[Mode::Code, Mode::Prose, Mode::Records]).unwrap();
    if arguments.next().is_some() {
        let documents = indexes.iter().flat_map(|index| index.db.documents().unwrap());
        return documents.for_each(|document| println!("{}", document.path));
    }
    let mut ratios = Vec::new();
    println!("{:>9} {:>9} {:>6}  {:>8} {:>8} {:>8}  pattern", "scan ms", "rg ms", "ratio", "lines", "rg", "scanned");
    for text in PATTERNS {
        let pattern = Pattern::new(text, PatternOptions::default()).unwrap();
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let (mut found, mut lines) = ((0, 0), 0);
        for _ in 0..=RUNS {
            let started = Instant::now();
            found = all(&indexes, &pattern);
            ours.push(started.elapsed().as_secs_f64() * 1e3);
            let started = Instant::now();
            lines = rg(&folder, text);
            theirs.push(started.elapsed().as_secs_f64() * 1e3);
        }
        // The first of each warms the caches.
        let (ours, theirs) = (median(&mut ours[1..]), median(&mut theirs[1..]));
        println!("{ours:9.2} {theirs:9.2} {:6.2}  {:8} {lines:8} {:8}  {text}", ours / theirs, found.0, found.1);
        ratios.push(ours / theirs);
    }
    println!("median ratio {:.3}", median(&mut ratios));
}

fn all(indexes: &[RepoIndex], pattern: &Pattern) -> (usize, usize) {
    let request = ScanRequest { pattern, filter: &Filter::default(), limit: LIMIT };
    let scans: Vec<Scan> = indexes.iter().map(|index| scan(index, &request, &|| false).unwrap()).collect();
    (scans.iter().map(|scan| scan.found).sum(), scans.iter().map(|scan| scan.scanned).sum())
}

fn rg(folder: &Path, pattern: &str) -> usize {
    let flags = ["--no-config", "--no-ignore", "--hidden", "-n", "--no-heading", "-e", pattern, "."];
    let output = Command::new("rg").args(flags).current_dir(folder).output().unwrap();
    output.stdout.iter().filter(|&&byte| byte == b'\n').count()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
