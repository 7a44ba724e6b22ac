//! Measures building and asking an index of grams against `rg` and against a plain scan on all cores.
//!
//! `measure FOLDER [RG]` takes every file below the folder that is UTF-8 without NUL and below a megabyte, copies them to a
//! temporary folder so that all three search the same files, and prints a table.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use ai_assist_grams::{Candidates, Extractor, GramIndex, Limits, Pattern, PatternOptions, Update};
use rayon::prelude::*;

const PATTERNS: &[&str] = &[
    "RandomState",
    "fn main\\(\\)",
    "Deserialize",
    "xyzzy_not_there",
    "unsafe impl (Send|Sync)",
    "(?i)copyright \\(c\\) 20[0-9]{2}",
    "impl<.*> Drop for",
    "pub fn \\w+_mut\\(&mut self",
    "(Mutex|RwLock)<HashMap",
    "TODO|FIXME|XXX",
    "memchr::memmem::Finder",
    "[A-Z]+_SPURIOUS_[A-Z]+",
    "\\bpanic!\\(\"[^\"]*overflow",
    "(?i)kelvin",
    "tree_sitter_[a-z]+\\(\\)",
    "^use std::collections::BTreeMap;$",
    "0x[0-9a-f]{16}",
    "\\d{4}-\\d{2}-\\d{2}",
    "\\w+\\s+=\\s+\\w+\\.unwrap\\(\\)",
    "[^\\x00-\\x7F]{4}",
];

fn main() {
    let mut args = std::env::args().skip(1);
    let source = PathBuf::from(args.next().unwrap());
    let rg = args.next().unwrap_or_else(|| "rg".to_owned());
    let root = tempfile::tempdir().unwrap();
    let (files, index) = (root.path().join("files"), root.path().join("index"));
    let (paths, bytes) = copy_texts(&source, &files);
    println!("{} files, {:.1} MB", paths.len(), bytes as f64 / 1e6);
    build(&index, &paths, bytes);
    update(&index, &root.path().join("next"), &paths);
    println!("peak memory {} MB\n", peak_memory() / 1024);
    println!("| pattern | lines | candidates | files with a match | plan ms | ours ms | scan ms | rg ms | rg / ours |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut totals = [Duration::ZERO; 3];
    for source in PATTERNS {
        let row = ask(source, &index, &files, &paths, &rg);
        totals.iter_mut().zip(row).for_each(|(total, time)| *total += time);
    }
    let [ours, scan, rg] = totals.map(ms);
    println!("| all | | | | | {ours:.1} | {scan:.1} | {rg:.1} | {:.1} |", rg / ours);
}

/// Ours, the scan's and `rg`'s best time of three.
fn ask(source: &str, index: &Path, files: &Path, paths: &[PathBuf], rg: &str) -> [Duration; 3] {
    let (mut times, mut planning) = ([Duration::MAX; 3], Duration::MAX);
    let (mut candidates, mut ours, mut theirs) = (0, (0, 0), 0);
    for _ in 0..3 {
        let start = Instant::now();
        let pattern = Pattern::new(source, PatternOptions::default()).unwrap();
        let keys = match GramIndex::open(index).unwrap().candidates(pattern.plan()).unwrap() {
            Candidates::All => (0..paths.len() as u64).collect(),
            Candidates::Some(keys) => keys,
        };
        planning = planning.min(start.elapsed());
        candidates = keys.len();
        ours = scan(&pattern, &keys.iter().map(|&key| &paths[key as usize]).collect::<Vec<_>>());
        times[0] = times[0].min(start.elapsed());

        let start = Instant::now();
        let plain = scan(&pattern, &paths.iter().collect::<Vec<_>>());
        times[1] = times[1].min(start.elapsed());
        assert_eq!(ours, plain, "{source}");

        let start = Instant::now();
        let flags = ["--no-config", "-uuu", "--text", "-n", "--no-heading", "--color=never", "-e", source];
        let out = Command::new(rg).args(flags).arg(files).output().unwrap();
        times[2] = times[2].min(start.elapsed());
        theirs = out.stdout.iter().filter(|&&byte| byte == b'\n').count();
    }
    assert_eq!(ours.0, theirs, "{source}");
    let [own, plain, other] = times.map(ms);
    println!(
        "| `{}` | {} | {:.2}% | {:.2}% | {:.1} | {own:.1} | {plain:.1} | {other:.1} | {:.1} |",
        source.replace('|', "\\|"),
        ours.0,
        100.0 * candidates as f64 / paths.len() as f64,
        100.0 * ours.1 as f64 / paths.len() as f64,
        ms(planning),
        other / own
    );
    times
}

/// Lines and files that match.
fn scan(pattern: &Pattern, paths: &[&PathBuf]) -> (usize, usize) {
    let one = |path: &&PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let lines = pattern.matching_lines(&text, Limits::default()).len();
        (lines, usize::from(lines > 0))
    };
    paths.par_iter().map(one).reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
}

fn build(folder: &Path, paths: &[PathBuf], bytes: u64) {
    let start = Instant::now();
    let mut update = Update::create(folder).unwrap();
    for (key, path) in (0..).zip(paths) {
        update.add(key, &fs::read_to_string(path).unwrap()).unwrap();
    }
    let summary = update.finish().unwrap();
    report("build, one thread", start.elapsed(), bytes, summary.bytes);

    let start = Instant::now();
    let mut update = Update::create(folder).unwrap();
    let (send, receive) = std::sync::mpsc::sync_channel(64);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            (0u64..).zip(paths).par_bridge().for_each_init(Extractor::new, |extractor, (key, path)| {
                send.send((key, extractor.grams(&fs::read_to_string(path).unwrap()))).unwrap();
            });
        });
        for (key, grams) in receive {
            update.add_grams(key, &grams).unwrap();
        }
    });
    let summary = update.finish().unwrap();
    report("build, all cores", start.elapsed(), bytes, summary.bytes);
}

fn report(what: &str, took: Duration, bytes: u64, index: u64) {
    let (mb, share) = (bytes as f64 / 1e6, index as f64 / bytes as f64);
    println!(
        "{what}: {:.2} s, {:.0} MB/s, index {:.1} MB = {share:.3} of the text",
        took.as_secs_f64(),
        mb / took.as_secs_f64(),
        index as f64 / 1e6
    );
}

fn update(old: &Path, new: &Path, paths: &[PathBuf]) {
    let start = Instant::now();
    let mut update = Update::derive(old, new).unwrap();
    for key in (0..10).map(|nth| nth * paths.len() / 10) {
        update.add(key as u64, &(fs::read_to_string(&paths[key]).unwrap() + "changed")).unwrap();
    }
    let summary = update.finish().unwrap();
    println!("ten files changed: {:.1} ms, {} segments", ms(start.elapsed()), summary.segments);
}

fn copy_texts(source: &Path, files: &Path) -> (Vec<PathBuf>, u64) {
    let (mut pending, mut paths, mut bytes) = (vec![source.to_owned()], Vec::new(), 0);
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let mut inside: Vec<_> = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()).collect();
            inside.sort();
            pending.extend(inside);
        } else if let Ok(text) = fs::read_to_string(&path)
            && !text.contains('\0')
            && !text.starts_with('\u{feff}')
            && text.len() < 1 << 20
        {
            let to = files.join(path.strip_prefix(source).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::write(&to, &text).unwrap();
            bytes += text.len() as u64;
            paths.push(to);
        }
    }
    (paths, bytes)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}
