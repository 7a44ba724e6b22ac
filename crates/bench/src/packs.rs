//! Packing a large tree, beside walking and reading it once and beside the packers people use, all in the same run.

mod measure;
mod peers;
mod slice;

use std::path::{Path, PathBuf};

use ai_assist_admit::{PackRules, walk};
use ai_assist_base::Cancel;
use ai_assist_pack::whole_tree;
use anyhow::{Result, ensure};
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use crate::timing::size_below;

pub(crate) use measure::{Measured, measure_here};

#[derive(Args)]
pub(crate) struct Packs {
    /// A tree of sources to take the files from, such as ~/.cargo/registry/src
    tree: PathBuf,
    /// How many files at least
    #[arg(long, default_value_t = 7_000)]
    files: usize,
    /// How often each program is run; the median counts
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// The binary to run; by default the release binary of this workspace
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Write the figures into this file too
    #[arg(long)]
    json: Option<PathBuf>,
}

/// A program to be run on the slice.
struct Job {
    name: String,
    program: PathBuf,
    args: Vec<String>,
}

impl Job {
    fn new(name: &str, program: impl Into<PathBuf>, args: &[&str]) -> Self {
        let args = args.iter().map(|&arg| arg.to_owned()).collect();
        Job { name: name.to_owned(), program: program.into(), args }
    }
}

/// What one program took, the median of all rounds.
#[derive(Serialize)]
struct Row {
    name: String,
    wall_seconds: f64,
    cpu_seconds: f64,
    peak_bytes: u64,
    output_bytes: u64,
}

/// The job that finds the counts of tokens in the cache.
const AGAIN: &str = "ai-assist pack, the second time";

#[derive(Serialize)]
struct Report<'a> {
    files: usize,
    bytes: u64,
    rounds: usize,
    load_before: &'a str,
    rows: &'a [Row],
}

pub(crate) fn run(args: &Packs) -> Result<()> {
    let binary = match &args.binary {
        Some(binary) => binary.canonicalize()?,
        None => std::env::current_exe()?.with_file_name("ai-assist"),
    };
    ensure!(binary.is_file(), "{} is not there; build it with `cargo build --release`", binary.display());
    let place = tempfile::tempdir()?;
    let tree = place.path().join("slice");
    let (files, bytes) = slice::write(&args.tree, &tree, args.files)?;
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').take(3).collect::<Vec<_>>().join(" ");
    println!(
        "{files} files, {:.1} MB; {} rounds; {} cores; load before: {load}.\n",
        bytes as f64 / 1e6,
        args.rounds,
        std::thread::available_parallelism().map_or(1, usize::from)
    );
    let tree = tree.display().to_string();
    let out = place.path().join("out");
    let jobs = jobs(&binary, &tree, &out.display().to_string())?;
    let rows = interleaved(&jobs, args.rounds, &out)?;
    print(&rows);
    if let Some(json) = &args.json {
        let report = Report { files, bytes, rounds: args.rounds, load_before: &load, rows: &rows };
        std::fs::write(json, serde_json::to_vec_pretty(&report)?)?;
    }
    Ok(())
}

/// Reading comes first: it is what all others are compared with.
fn jobs(binary: &Path, tree: &str, out: &str) -> Result<Vec<Job>> {
    let file = format!("{out}/pack");
    let limits = ["--max-content-bytes", "none", "--max-file-bytes", "none", "--max-files", "none"];
    let pack = [&["pack", tree, "--type", "full", "--format", "json", "--output", &file], &limits[..]].concat();
    // What is in `out`, the cache included, is gone before the next run; what lies beside it stays.
    let kept = format!("{out}-kept");
    let mut jobs = vec![
        Job::new("walking and reading once", std::env::current_exe()?, &["read-once", tree]),
        Job::new("ai-assist pack --no-tokens", binary, &[&pack[..], &["--no-tokens"]].concat()),
        Job::new("ai-assist pack", binary, &pack),
        Job::new(AGAIN, binary, &[&pack[..], &["--cache-root", &kept]].concat()),
    ];
    jobs.extend(peers::jobs(tree, out));
    Ok(jobs)
}

/// Runs every program in every round, so that what else the machine does falls on all alike.
fn interleaved(jobs: &[Job], rounds: usize, out: &Path) -> Result<Vec<Row>> {
    let mut runs: Vec<Vec<(Measured, u64)>> = jobs.iter().map(|_| Vec::new()).collect();
    // Once for nothing, so that the files are in memory for whoever comes first.
    measure::measure(&jobs[0], out)?;
    // And once so that the counts of tokens are known.
    if let Some(again) = jobs.iter().find(|job| job.name == AGAIN) {
        std::fs::create_dir_all(out)?;
        measure::measure(again, out)?;
    }
    for round in 0..rounds {
        for (job, runs) in jobs.iter().zip(&mut runs) {
            if out.exists() {
                std::fs::remove_dir_all(out)?;
            }
            std::fs::create_dir(out)?;
            let measured = measure::measure(job, out)?;
            if measured.exit_code != Some(0) && round == 0 {
                println!("{} ended with {:?}.", job.name, measured.exit_code);
            }
            runs.push((measured, size_below(out)?));
        }
    }
    Ok(jobs.iter().zip(runs).map(|(job, runs)| row(job, &runs)).collect())
}

fn row(job: &Job, runs: &[(Measured, u64)]) -> Row {
    let median = |of: &dyn Fn(&(Measured, u64)) -> f64| {
        let mut all: Vec<f64> = runs.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or_default()
    };
    Row {
        name: job.name.clone(),
        wall_seconds: median(&|run| run.0.wall_seconds),
        cpu_seconds: median(&|run| run.0.cpu_seconds),
        peak_bytes: median(&|run| run.0.peak_bytes as f64) as u64,
        output_bytes: median(&|run| run.1 as f64) as u64,
    }
}

fn print(rows: &[Row]) {
    let Some(reading) = rows.first() else { return };
    println!("| program | wall | × reading | CPU | × reading | peak memory | written |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for row in rows {
        println!(
            "| {} | {:.2} s | {:.1} | {:.2} s | {:.1} | {:.0} MB | {:.1} MB |",
            row.name,
            row.wall_seconds,
            row.wall_seconds / reading.wall_seconds,
            row.cpu_seconds,
            row.cpu_seconds / reading.cpu_seconds,
            row.peak_bytes as f64 / 1e6,
            row.output_bytes as f64 / 1e6
        );
    }
}

/// Walks a tree as a pack does and reads every file that it selects, with all cores, looking at nothing.
pub(crate) fn read_once(tree: &Path) -> Result<()> {
    let selection = whole_tree(tree, PackRules::default())?;
    let walked = walk(&selection, &Cancel::default(), &|_| {})?;
    let read =
        |candidate: &ai_assist_admit::Candidate| Ok(std::fs::read(tree.join(candidate.path().to_path_buf()))?.len());
    let lengths = walked.candidates.par_iter().map(read).collect::<std::io::Result<Vec<usize>>>()?;
    println!("{} files, {} bytes", lengths.len(), lengths.iter().sum::<usize>());
    Ok(())
}
