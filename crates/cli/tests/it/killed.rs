//! A sync killed at any moment, and any number of times, ends as one that was left alone.
//!
//! `AI_ASSIST_TEST_SEED` gives the moments of a failed run again, as far as the machine is equally fast.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Numbers, Sandbox, markdown, seed};

/// Files of the collection.
const FILES: usize = 300;

/// What is asked of both states.
const QUERIES: &[&str] = &[
    "stale leases",
    "what happens when the disk is nearly full",
    "\"conflicting writes\"",
    "scheduler retries",
    "path:1*.md audit records",
    "encrypts quota limits once a day",
    "leader election",
    "chapter 17",
    "kind:code ctl",
    "rewritten",
];

fn project() -> Sandbox {
    let sandbox = Sandbox::with_docs(&[]);
    let mut numbers = Numbers(1);
    for number in 0..FILES {
        let text = markdown(&mut numbers, &format!("Chapter {number}"));
        sandbox.write(format!("docs/{number}.md"), text);
    }
    sandbox
}

/// What people do between two syncs. Each round does other things, the same for every sandbox.
fn edit(sandbox: &Sandbox, round: u64) {
    let mut numbers = Numbers(round);
    let docs = sandbox.project().join("docs");
    for _ in 0..60 {
        let number = numbers.below(FILES as u64);
        let file = docs.join(format!("{number}.md"));
        match numbers.below(4) {
            0 => {
                let _ = std::fs::remove_file(file);
            }
            1 => std::fs::write(docs.join(format!("new-{number}.md")), markdown(&mut numbers, "New")).unwrap(),
            _ => std::fs::write(file, markdown(&mut numbers, &format!("Rewritten in round {round}"))).unwrap(),
        }
    }
}

/// Everything that can be seen of what is indexed, without the names of this sandbox.
fn state(sandbox: &Sandbox) -> Vec<String> {
    let root = sandbox.root().display().to_string();
    let mut state = Vec::new();
    let listed = sandbox.json(&["ref", "ls"]);
    let collection = &listed["collections"][0];
    for key in ["documents", "chunks", "bytes"] {
        state.push(format!("{key} {}", collection[key]));
    }
    let listed = sandbox.json(&["collections", "list"]);
    state.push(format!("status {}", listed["collections"][0]["status"]));
    let heads =
        "select path, hex(hash), size, lines, chunks, redacted, encoding, title from reference_documents order by path";
    state.extend(sandbox.sql(heads).unwrap_or_default().lines().map(str::to_owned));
    for query in QUERIES {
        let run = sandbox.run(&["ref", "search", "--no-sync", query, "--limit", "40", "--json"]);
        assert!(run.code() < 2, "{query}: {}", run.stderr());
        let mut answer = run.json();
        state.push(format!("{query}: found {} of {}", answer["found"], answer["considered"]));
        for hit in answer["hits"].as_array_mut().unwrap() {
            hit["collectionId"] = serde_json::Value::Null;
            state.push(hit.to_string().replace(&root, ""));
        }
    }
    state
}

fn assert_same(found: &[String], expected: &[String], what: &str) {
    for (number, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found, expected, "{what}: line {number}");
    }
    assert_eq!(found.len(), expected.len(), "{what}");
}

/// Every file on disk is in the database with its text of now, and nothing else is.
fn assert_as_on_disk(sandbox: &Sandbox) {
    let docs = sandbox.project().join("docs");
    let count = std::fs::read_dir(&docs).unwrap().count();
    assert_eq!(sandbox.json(&["ref", "ls"])["collections"][0]["documents"], count);
    for entry in std::fs::read_dir(&docs).unwrap().step_by(37) {
        let path = entry.unwrap().path();
        let name = Path::new("docs").join(path.file_name().unwrap());
        let read = sandbox.run(&["ref", "get", name.to_str().unwrap()]);
        assert_eq!(read.stdout(), std::fs::read_to_string(&path).unwrap(), "{}", path.display());
    }
}

/// Starts a sync and kills it after a while. False if it was done before.
fn kill_after(sandbox: &Sandbox, delay: Duration) -> bool {
    let mut command = sandbox.command();
    command.args(["collections", "sync"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(delay);
    let running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    running
}

/// How long a sync of everything takes, undisturbed.
fn whole_sync(sandbox: &Sandbox) -> Duration {
    let start = Instant::now();
    sandbox.sync();
    start.elapsed()
}

fn forget(sandbox: &Sandbox) {
    for folder in ["data", "cache"] {
        let _ = std::fs::remove_dir_all(sandbox.root().join(folder));
    }
}

/// Kills syncs until `kills` of them were hit at work. `again` makes work when a sync was too fast.
fn kill_many(sandbox: &Sandbox, numbers: &mut Numbers, kills: usize, time: Duration, mut again: impl FnMut()) {
    let (mut hit, mut missed) = (0, 0);
    let micros = u64::try_from(time.as_micros()).unwrap();
    while hit < kills {
        let delay = Duration::from_micros(numbers.below(micros));
        if kill_after(sandbox, delay) {
            hit += 1;
        } else {
            missed += 1;
            assert!(missed < 20 * (kills + 1), "syncs end before they can be killed");
            again();
        }
    }
}

/// Kills during the first sync: each round starts from nothing and is hit a few times on its way.
#[test]
fn a_first_sync_killed_at_any_moment() {
    let mut numbers = Numbers(seed());
    let reference = project();
    reference.sync();
    forget(&reference);
    let time = whole_sync(&reference);
    let expected = state(&reference);
    assert_as_on_disk(&reference);
    let sandbox = project();
    for (round, kills) in [1, 2, 4, 8, 13].into_iter().enumerate() {
        forget(&sandbox);
        kill_many(&sandbox, &mut numbers, kills, time, || forget(&sandbox));
        if round % 2 == 0 {
            // A search in between, which catches up on what was left, must not get in the way.
            let run = sandbox.run(&["ref", "search", "--no-sync", "stale leases"]);
            assert!(run.code() < 2 || run.stderr().contains("has not been synced"), "{}", run.stderr());
        }
        sandbox.sync();
        assert_same(&state(&sandbox), &expected, &format!("round {round}, {kills} kills"));
        sandbox.assert_healthy();
    }
}

/// Kills during syncs of changes: added, changed and removed files.
#[test]
fn an_update_killed_at_any_moment() {
    let mut numbers = Numbers(seed());
    let reference = project();
    let sandbox = project();
    reference.sync();
    sandbox.sync();
    edit(&reference, 99);
    edit(&sandbox, 99);
    let time = whole_sync(&reference);
    let mut round = 99;
    for kills in [1, 4, 7, 10] {
        // Between two kills files change again, so that one sync finds what another left and what is new.
        for _ in 0..kills {
            round += 1;
            edit(&reference, round);
            edit(&sandbox, round);
            kill_many(&sandbox, &mut numbers, 1, time, || {
                round += 1;
                edit(&reference, round);
                edit(&sandbox, round);
            });
        }
        sandbox.sync();
        reference.sync();
        assert_as_on_disk(&sandbox);
        let fresh = state(&reference);
        assert_same(&state(&sandbox), &fresh, &format!("round {round}, {kills} kills"));
        sandbox.assert_healthy();
        assert_eq!(sandbox.sync().stdout().matches("(0 added, 0 updated, 0 removed)").count(), 1);
    }
    // The reference was never killed, but updated many times: it equals one that was built at once.
    let expected = state(&reference);
    forget(&reference);
    reference.sync();
    assert_same(&state(&reference), &expected, "built at once");
}

/// Kills during `sync --force` and `doctor --repair`, which write everything anew over what is there.
#[test]
fn a_rebuild_killed_at_any_moment() {
    let mut numbers = Numbers(seed());
    let sandbox = project();
    sandbox.sync();
    let time = whole_sync_forced(&sandbox);
    let expected = state(&sandbox);
    for kind in [&["collections", "sync", "--force"][..], &["doctor", "--repair"]] {
        for _ in 0..6 {
            if kind[0] == "doctor" {
                let _ = std::fs::remove_dir_all(sandbox.data().join("indexes"));
            }
            let mut child = sandbox.command().args(kind).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_micros(numbers.below(u64::try_from(time.as_micros()).unwrap())));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        // Nothing was lost, so a search right now has the whole answer.
        assert_same(&state(&sandbox)[..3], &expected[..3], "before the next sync");
        sandbox.sync();
        assert_same(&state(&sandbox), &expected, &kind.join(" "));
        sandbox.assert_healthy();
    }
}

fn whole_sync_forced(sandbox: &Sandbox) -> Duration {
    let start = Instant::now();
    sandbox.run(&["collections", "sync", "--force"]).assert_code(0);
    start.elapsed()
}
