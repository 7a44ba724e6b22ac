//! Several processes at once.

use std::collections::HashSet;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::support::{Numbers, Run, Sandbox, markdown};

/// A word that only version `version` of document `number` of a collection has.
fn word(collection: &str, number: u64, version: u64) -> String {
    // Letters only, and none that make an ending: a word that the index cuts or stems would match others.
    let letters = |number: u64| {
        number.to_string().bytes().map(|digit| char::from(b"bcdfghjklm"[usize::from(digit - b'0')])).collect::<String>()
    };
    format!("{collection}x{}x{}", letters(number), letters(version))
}

fn write(sandbox: &Sandbox, collection: &str, number: u64, version: u64) {
    let text = format!("# Document {number}\n\nEveryversion says {}.\n", word(collection, number, version));
    // By rename: a half-written file is a state that existed, too, but not one this test can name.
    let folder = sandbox.project().join(collection);
    std::fs::write(folder.join("temporary"), text).unwrap();
    std::fs::rename(folder.join("temporary"), folder.join(format!("{number}.md"))).unwrap();
}

const DOCUMENTS: u64 = 20;

#[test]
fn syncs_and_searches_at_once_give_no_error_and_no_wrong_answer() {
    let sandbox = Sandbox::new();
    sandbox.run(&["collections", "init"]).assert_code(0);
    for collection in ["left", "right"] {
        std::fs::create_dir(sandbox.project().join(collection)).unwrap();
        sandbox.run(&["collections", "add", collection, collection]).assert_code(0);
        for number in 0..DOCUMENTS {
            write(&sandbox, collection, number, 0);
        }
    }
    sandbox.sync();
    let stop = &AtomicBool::new(false);
    let versions = [AtomicU64::new(0), AtomicU64::new(0)];
    let (syncs, searches) = (AtomicU64::new(0), AtomicU64::new(0));
    let go_on = move || !stop.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        for (side, collection) in ["left", "right"].into_iter().enumerate() {
            let (sandbox, versions, syncs) = (&sandbox, &versions, &syncs);
            scope.spawn(move || {
                let _guard = StopOnPanic(stop);
                while go_on() {
                    let version = versions[side].fetch_add(1, Ordering::Relaxed) + 1;
                    for number in 0..DOCUMENTS {
                        if (number + version) % 3 == 0 {
                            write(sandbox, collection, number, version);
                        }
                    }
                    sandbox.run(&["collections", "sync", collection]).assert_code(0);
                    syncs.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for searcher in 0..3u64 {
            let (sandbox, versions, searches) = (&sandbox, &versions, &searches);
            scope.spawn(move || {
                let _guard = StopOnPanic(stop);
                let mut numbers = Numbers(searcher);
                while go_on() {
                    search(sandbox, &mut numbers, versions);
                    searches.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end && go_on() {
            std::thread::sleep(Duration::from_millis(20));
        }
        stop.store(true, Ordering::Relaxed);
    });
    println!("{syncs:?} syncs, {searches:?} searches");
    assert!(syncs.into_inner() >= 4 && searches.into_inner() >= 10);
    sandbox.sync();
    sandbox.assert_healthy();
    let whole = sandbox.json(&["ref", "search", "--no-sync", "everyversion", "--mode", "lexical", "-n", "100"]);
    assert_eq!(whole["hits"].as_array().unwrap().len() as u64, 2 * DOCUMENTS);
    for hit in whole["hits"].as_array().unwrap() {
        assert_eq!(hit["freshness"], "current", "{hit}");
    }
}

/// Ends the other threads when one fails.
struct StopOnPanic<'s>(&'s AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

fn search(sandbox: &Sandbox, numbers: &mut Numbers, versions: &[AtomicU64; 2]) {
    // Every document is there in exactly one version, whatever is being synced.
    let run = sandbox.run(&["ref", "search", "--no-sync", "everyversion", "--mode", "lexical", "-n", "100", "--json"]);
    let answer = run.assert_code(0).json();
    let hits = answer["hits"].as_array().unwrap();
    let documents: HashSet<String> =
        hits.iter().map(|hit| format!("{}/{}", hit["collection"], hit["document"])).collect();
    assert_eq!((hits.len() as u64, documents.len() as u64), (2 * DOCUMENTS, 2 * DOCUMENTS), "{documents:?}");
    for hit in hits {
        let (collection, document) = (hit["collection"].as_str().unwrap(), hit["document"].as_str().unwrap());
        let number = document.strip_suffix(".md").unwrap();
        let whole = word(collection, number.parse().unwrap(), 0);
        let prefix = whole.strip_suffix('b').unwrap();
        assert!(hit["text"].as_str().unwrap().contains(prefix), "{hit}");
    }
    // A word of one version is found in that version's text, or the version is not the indexed one.
    let side = numbers.below(2);
    let collection = ["left", "right"][usize::try_from(side).unwrap()];
    let version = versions[usize::try_from(side).unwrap()].load(Ordering::Relaxed);
    let asked = word(collection, numbers.below(DOCUMENTS), version.saturating_sub(numbers.below(2)));
    let run = sandbox.run(&["ref", "search", "--no-sync", &asked, "--mode", "lexical", "--json"]);
    assert!(run.code() < 2, "{}", run.stderr());
    for hit in run.json()["hits"].as_array().unwrap() {
        assert!(hit["text"].as_str().unwrap().contains(&asked), "{asked}: {hit}");
    }
    // What a search prints can be read.
    let picked = &hits[usize::try_from(numbers.below(hits.len() as u64)).unwrap()];
    let name = format!("{}/{}", picked["collection"].as_str().unwrap(), picked["document"].as_str().unwrap());
    let read = sandbox.run(&["ref", "get", &name]);
    assert!(read.assert_code(0).stdout().contains("Everyversion"), "{}", read.stdout());
}

fn start(sandbox: &Sandbox, args: &[&str]) -> Child {
    sandbox.command().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn finish(children: Vec<Child>) -> Vec<Run> {
    children.into_iter().map(|child| Run(child.wait_with_output().unwrap())).collect()
}

#[test]
fn syncs_of_one_collection_at_once_all_succeed() {
    let sandbox = Sandbox::with_docs(&[]);
    let mut numbers = Numbers(5);
    for round in 0..3 {
        for number in 0..80 {
            sandbox.write(format!("docs/{number}.md"), markdown(&mut numbers, &format!("Round {round}")));
        }
        let runs = finish((0..4).map(|_| start(&sandbox, &["collections", "sync", "--json"])).collect());
        let mut changed = 0;
        for run in &runs {
            let report = run.assert_code(0).json();
            assert_eq!(report["collections"][0]["documents"], 80);
            changed += report["collections"][0]["changes"].as_array().unwrap().len();
        }
        assert_eq!(changed, 80, "each document is indexed by one of them");
        sandbox.assert_healthy();
        let answer =
            sandbox.json(&["ref", "search", "--no-sync", &format!("round {round}"), "-n", "1000", "--mode", "lexical"]);
        for hit in answer["hits"].as_array().unwrap() {
            assert_eq!(hit["freshness"], "current", "{hit}");
        }
    }
}

#[test]
fn first_commands_at_once_on_an_empty_data_folder_all_succeed() {
    for _ in 0..5 {
        let sandbox = Sandbox::with_docs(&[("a.md", "# A\n\nThe walrus.\n")]);
        let _ = std::fs::remove_dir_all(sandbox.data());
        let children = (0..6)
            .map(|number| match number % 3 {
                0 => start(&sandbox, &["collections", "sync"]),
                1 => start(&sandbox, &["collections", "list"]),
                _ => start(&sandbox, &["doctor", "--json"]),
            })
            .collect();
        for run in finish(children) {
            assert!(run.code() < 2, "{}{}", run.stdout(), run.stderr());
        }
        assert_eq!(sandbox.hits(&["walrus", "--mode", "lexical"]), ["docs/a.md:1-3"]);
        sandbox.assert_healthy();
    }
}

#[test]
fn edits_of_one_configuration_at_once_are_all_kept() {
    let sandbox = Sandbox::with_docs(&[]);
    let names: Vec<String> = (0..12).map(|number| format!("added-{number}")).collect();
    for run in finish(names.iter().map(|name| start(&sandbox, &["collections", "add", name, "docs"])).collect()) {
        run.assert_code(0);
    }
    let text = std::fs::read_to_string(sandbox.project().join("context.json")).unwrap();
    let config: serde_json::Value = serde_json::from_str(&text).unwrap();
    let kept = config["collections"].as_object().unwrap();
    assert_eq!(kept.len(), 13, "{text}");
    // Half of them go while others come.
    let children = names.iter().enumerate().map(|(number, name)| {
        if number % 2 == 0 {
            start(&sandbox, &["collections", "remove", name])
        } else {
            start(&sandbox, &["collections", "add", &format!("{name}-too"), "docs"])
        }
    });
    for run in finish(children.collect()) {
        run.assert_code(0);
    }
    let listed = sandbox.json(&["collections", "list"]);
    assert_eq!(listed["collections"].as_array().unwrap().len(), 13, "{listed}");
}

#[test]
fn global_collections_added_at_once_are_all_kept() {
    for _ in 0..5 {
        let sandbox = Sandbox::with_docs(&[]);
        let children =
            (0..4).map(|number| start(&sandbox, &["collections", "add", &format!("g{number}"), "docs", "-g"]));
        for run in finish(children.collect()) {
            run.assert_code(0);
        }
        let listed = sandbox.json(&["collections", "list", "--all"]);
        assert_eq!(listed["collections"].as_array().unwrap().len(), 5, "{listed}");
    }
}

#[test]
fn a_drop_during_a_sync_leaves_nothing_broken() {
    let sandbox = Sandbox::with_docs(&[]);
    let mut numbers = Numbers(6);
    for number in 0..80 {
        sandbox.write(format!("docs/{number}.md"), markdown(&mut numbers, &format!("Chapter {number}")));
    }
    sandbox.sync();
    for _ in 0..6 {
        let sync = start(&sandbox, &["collections", "sync", "--force"]);
        std::thread::sleep(Duration::from_millis(numbers.below(150)));
        let drop = start(&sandbox, &["ref", "drop", "docs"]);
        let search = start(&sandbox, &["ref", "search", "--no-sync", "stale leases"]);
        for run in finish(vec![sync, drop]) {
            run.assert_code(0);
        }
        // The search may come before, between or after; it may find nothing, but it doesn't break.
        let run = finish(vec![search]).pop().unwrap();
        assert!(run.code() < 2, "{}{}", run.stdout(), run.stderr());
        sandbox.run(&["collections", "sync"]).assert_code(0);
        assert_eq!(sandbox.json(&["ref", "ls"])["collections"][0]["documents"], 80);
        sandbox.assert_healthy();
    }
}
