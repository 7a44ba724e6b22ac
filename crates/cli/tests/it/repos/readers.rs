//! Readers while builds come and go.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::support::Sandbox;

const FILES: usize = 24;
const READERS: usize = 10;

/// Every file says the version, so that an answer shows which build it is of.
fn write(sandbox: &Sandbox, version: usize) {
    for number in 0..FILES {
        let text =
            format!("/// Says version{version} of everything.\npub fn file_{number}() -> u32 {{\n    {version}\n}}\n");
        let folder = sandbox.project().join("src");
        std::fs::create_dir_all(&folder).unwrap();
        // By rename, so that no half-written file is indexed.
        std::fs::write(folder.join("temporary"), text).unwrap();
        std::fs::rename(folder.join("temporary"), folder.join(format!("f{number}.rs"))).unwrap();
    }
}

/// The versions that the texts of an answer speak of.
fn versions(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = texts
        .flat_map(|text| {
            let words: Vec<String> =
                text.split_whitespace().filter(|word| word.starts_with("version")).map(str::to_owned).collect();
            words
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn ten_processes_search_while_builds_are_promoted_and_collected() {
    let sandbox = Sandbox::new();
    write(&sandbox, 0);
    sandbox.run(&["index", "build"]).assert_code(0);
    let stop = AtomicBool::new(false);
    let answers = AtomicUsize::new(0);
    let mut builds = 0;
    std::thread::scope(|scope| {
        for reader in 0..READERS {
            let (sandbox, stop, answers) = (&sandbox, &stop, &answers);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let found = if reader % 2 == 0 {
                        let run = sandbox.run(&[
                            "search", "--no-sync", "says everything", "--mode", "code", "--limit", "50", "--json",
                        ]);
                        assert_eq!(run.code(), 0, "{}", run.stderr());
                        let answer = run.json();
                        let hits = answer["hits"].as_array().unwrap().clone();
                        let first = hits[0]["buildId"].clone();
                        assert!(hits.iter().all(|hit| hit["buildId"] == first), "hits of several builds");
                        versions(hits.iter().map(|hit| hit["text"].as_str().unwrap().to_owned()))
                    } else {
                        let run = sandbox.run(&["search", "--no-sync", "--regex", "Says version\\d+", "--json"]);
                        assert_eq!(run.code(), 0, "{}", run.stderr());
                        let answer = run.json();
                        let lines = answer["lines"].as_array().unwrap().clone();
                        assert_eq!(lines.len(), FILES);
                        versions(lines.iter().map(|line| line["text"].as_str().unwrap().to_owned()))
                    };
                    assert_eq!(found.len(), 1, "an answer of two builds: {found:?}");
                    answers.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let start = Instant::now();
        let mut failed = None;
        let enough = |builds: usize| builds >= 4 && answers.load(Ordering::Relaxed) >= 3 * READERS;
        while start.elapsed() < Duration::from_secs(60) && !enough(builds) && failed.is_none() {
            builds += 1;
            write(&sandbox, builds);
            for args in [&["index", "build"][..], &["index", "gc"]] {
                let run = sandbox.run(args);
                if run.code() != 0 {
                    failed = Some(run.stderr());
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
        assert_eq!(failed, None);
    });
    let answers = answers.into_inner();
    assert!(builds >= 4 && answers >= 3 * READERS, "{builds} builds, {answers} answers");
}
