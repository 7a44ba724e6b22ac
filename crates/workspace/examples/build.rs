//! Builds a folder's indexes twice, the second time after touching ten files, and says what that cost.
//!
//! `cargo run --profile quick -p ai-assist-workspace --example build -- FOLDER CACHE`
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program to measure with")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ai_assist_identity::CanonicalPath;
use ai_assist_workspace::build::{BuildReport, BuildRequest, build_repo};

fn main() {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (folder, cache) = (arguments.next().unwrap(), arguments.next().unwrap());
    let folder = folder.canonicalize().unwrap();
    let request = BuildRequest::new(CanonicalPath::from_absolute(&folder).unwrap(), &cache);
    let first = run("first", &request);
    println!("{}", serde_json::to_string_pretty(&first.1).unwrap());
    let size = bytes(&request.cache.root().join("builds").join(&first.1.build_id));
    println!(
        "{:.0} files/s, {:.2} MB/s, index {:.1} MB = {:.2} of the source",
        first.1.read as f64 / first.0,
        first.1.bytes_read as f64 / first.0 / 1e6,
        size as f64 / 1e6,
        size as f64 / first.1.bytes_read as f64
    );
    std::thread::sleep(std::time::Duration::from_millis(2100));
    run("again", &request);
    let quiet = run("unchanged", &request);
    for path in some_files(&folder) {
        std::fs::OpenOptions::new().append(true).open(path).unwrap().write_all(b"\n// touched\n").unwrap();
    }
    let second = run("second", &request);
    let ratio = |seconds: f64| seconds / first.0 * 100.0;
    println!("unchanged {:.2} %, second {:.2} % of the first", ratio(quiet.0), ratio(second.0));
}

fn run(name: &str, request: &BuildRequest) -> (f64, BuildReport) {
    let started = Instant::now();
    let mut last = started;
    let report = build_repo(request, &|| false, &mut |event| {
        if !matches!(event, ai_assist_workspace::build::BuildEvent::FileDone(_)) {
            println!("  {event:?} after {:.3} s", last.elapsed().as_secs_f64());
            last = Instant::now();
        }
    })
    .unwrap();
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{name}: {seconds:.3} s, read {}, cut {}, unchanged {}, peak {}",
        report.read,
        report.chunked,
        report.unchanged,
        peak()
    );
    (seconds, report)
}

fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default().to_owned()
}

fn some_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && entry.metadata().unwrap().len() > 500
            {
                found.push(path);
            }
        }
    }
    found.sort();
    let step = (found.len() / 10).max(1);
    found.into_iter().step_by(step).take(10).collect()
}

fn bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    entries
        .map(|entry| if entry.path().is_dir() { bytes(&entry.path()) } else { entry.metadata().unwrap().len() })
        .sum()
}
