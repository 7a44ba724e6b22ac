//! Whoever dies while it holds the lock blocks no one.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::*;
use crate::project::Declaration;

const FOLDER: &str = "AI_ASSIST_TEST_LOCK_FOLDER";

/// Not a test of its own: holds the lock until it is killed.
#[test]
#[ignore = "run by the other tests of this file"]
fn holder() {
    let folder = std::env::var_os(FOLDER).map(std::path::PathBuf::from).expect("the folder of the lock");
    let _lock = edit_lock(&folder.join("context.json")).unwrap();
    std::fs::write(folder.join("held"), "").unwrap();
    std::thread::sleep(Duration::from_secs(60));
}

fn hold(folder: &Path) -> std::process::Child {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "edit::lock_tests::holder", "--ignored"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !folder.join("held").exists() {
        assert!(start.elapsed() < Duration::from_secs(30), "the holder did not come up");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn a_killed_holder_blocks_no_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("context.json");
    let mut holder = hold(folder.path());
    let waiting = std::thread::spawn({
        let file = file.clone();
        move || {
            let edited = ConfigEdit::new(&file).add_collection("waited", &Declaration::default());
            (edited.map(|_| ()), Instant::now())
        }
    });
    std::thread::sleep(Duration::from_millis(300));
    assert!(!file.exists(), "the lock is held");
    let killed = Instant::now();
    holder.kill().unwrap();
    holder.wait().unwrap();
    let (edited, done) = waiting.join().unwrap();
    edited.unwrap();
    assert!(done.duration_since(killed) < Duration::from_secs(2), "{:?}", done.duration_since(killed));
    let start = Instant::now();
    ConfigEdit::new(&file).add_collection("later", &Declaration::default()).unwrap();
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn patience_has_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("context.json");
    let mut holder = hold(folder.path());
    let start = Instant::now();
    let error = ConfigEdit::new(&file).add_collection("a", &Declaration::default()).unwrap_err();
    let waited = start.elapsed();
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert_eq!(error.error_type(), "lock_error");
    assert!(waited >= Duration::from_secs(5) && waited < Duration::from_secs(11), "{waited:?}");
    assert!(!file.exists());
}
