//! Other processes: opening at once, and being killed.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ai_assist_store::{SqliteStore, Store};
use tempfile::TempDir;

use crate::conformance::concurrency::{assert_whole, round};
use crate::conformance::fixture::{assert_sound, folder};

const DATABASE: &str = "AI_ASSIST_STORE_TEST_DATABASE";
const ROUNDS: &str = "AI_ASSIST_STORE_TEST_ROUNDS";

/// Not a test by itself: this binary started again by the tests below, told by the environment what to do.
#[test]
#[ignore = "the child of other tests"]
fn child() {
    let Some(path) = std::env::var_os(DATABASE) else { return };
    let rounds: u64 = std::env::var(ROUNDS).unwrap().parse().unwrap();
    let mut store = SqliteStore::open(Path::new(&path)).unwrap();
    let id = store.ensure_collection(&folder("docs")).unwrap().id;
    let first = assert_whole(&store, &id).map_or(0, |last| last + 1);
    for number in first..first.saturating_add(rounds) {
        store.apply(&id, round(number)).unwrap();
        store.prune_tombstones(&id, ai_assist_store::Seq(number * 3)).unwrap();
    }
}

fn start(path: &Path, rounds: u64) -> Child {
    run("processes::child", path, rounds)
}

fn run(test: &str, path: &Path, rounds: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored"])
        .env(DATABASE, path)
        .env(ROUNDS, rounds.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_new_database_is_made_by_several_processes_at_once() {
    let folder = TempDir::new().unwrap();
    for try_ in 0..3 {
        let path = folder.path().join(format!("{try_}.db"));
        let children: Vec<_> = (0..4).map(|_| start(&path, 0)).collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        let store = SqliteStore::open(&path).unwrap();
        assert_eq!(store.collections().unwrap().len(), 1);
        assert_sound(&store);
    }
}

/// On Unix a process that closes any descriptor of a file loses all locks it has on it. SQLite then lets another process have the
/// database for itself, and remove the write-ahead log when it closes it.
#[test]
fn a_second_connection_leaves_the_locks_of_the_first() {
    let folder_ = TempDir::new().unwrap();
    let path = folder_.path().join("assist.db");
    let mut first = SqliteStore::open(&path).unwrap();
    let id = first.ensure_collection(&folder("docs")).unwrap().id;
    first.apply(&id, round(0)).unwrap();
    let looks: [fn(&Path); 3] = [
        |path| drop(SqliteStore::open(path).unwrap()),
        |path| drop(SqliteStore::open_read_only(path).unwrap()),
        |path| assert!(SqliteStore::is_ours(path)),
    ];
    for (number, look) in (1..).step_by(2).zip(looks) {
        look(&path);
        assert!(run("processes::exclusive_child", &path, 0).wait().unwrap().success(), "round {number}");
        assert!(start(&path, 1).wait().unwrap().success());
        assert_eq!(assert_whole(&first, &id), Some(number), "what the other process wrote");
        first.apply(&id, round(number + 1)).unwrap();
    }
    drop(first);
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(assert_whole(&store, &id), Some(6));
    assert_sound(&store);
}

/// Wants the database for itself. The memory that connections share shows SQLite that it is in use even where the locks on the file
/// are gone; in this mode it goes by the locks alone, as older versions always do.
#[test]
#[ignore = "the child of another test"]
fn exclusive_child() {
    let Some(path) = std::env::var_os(DATABASE) else { return };
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.busy_timeout(Duration::ZERO).unwrap();
    let taken = connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT");
    let code = taken.unwrap_err().sqlite_error_code();
    assert_eq!(code, Some(rusqlite::ErrorCode::DatabaseBusy));
}

#[test]
fn a_writer_that_is_killed_leaves_whole_batches() {
    let folder_ = TempDir::new().unwrap();
    let path = folder_.path().join("assist.db");
    let id = folder("docs").id;
    let (mut reached, mut progress) = (0, 0);
    for kill in 0..15u64 {
        let mut child = start(&path, u64::MAX);
        // The first is let live until it has surely written; the rest die anywhere, opening included.
        let begun = Instant::now();
        while kill == 0 && begun.elapsed() < Duration::from_secs(20) {
            thread::sleep(Duration::from_millis(20));
            if path.exists() && assert_whole(&SqliteStore::open(&path).unwrap(), &id).is_some() {
                break;
            }
        }
        thread::sleep(Duration::from_micros(kill * kill * 431 % 60_000));
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "it ended by itself");
        let store = SqliteStore::open(&path).unwrap();
        assert_sound(&store);
        let seen = assert_whole(&store, &id).unwrap();
        assert!(seen >= reached, "lost rounds: {reached} to {seen}");
        progress += u64::from(seen > reached);
        reached = seen;
    }
    assert!(progress > 2, "too little was written between the kills to show anything");
}
