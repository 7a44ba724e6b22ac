//! Ctrl-C, and readers that have had enough.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Numbers, Run, Sandbox, markdown};

fn project(files: usize) -> Sandbox {
    let sandbox = Sandbox::with_docs(&[]);
    let mut numbers = Numbers(2);
    for number in 0..files {
        sandbox.write(format!("docs/{number}.md"), markdown(&mut numbers, &format!("Chapter {number}")));
    }
    sandbox
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// Starts a sync and sends a signal as soon as it is seen at work. `None` if it was done before that.
fn interrupted(sandbox: &Sandbox, name: &str, args: &[&str]) -> Option<Run> {
    let mut command = sandbox.command();
    command.args(["collections", "sync"]).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("adding:") && !said.contains("updating:") {
        if stderr.read_line(&mut said).unwrap() == 0 {
            child.wait().unwrap();
            return None;
        }
    }
    signal(&child, name);
    let start = Instant::now();
    stderr.read_to_string(&mut said).unwrap();
    let mut output = child.wait_with_output().unwrap();
    output.stderr = said.into_bytes();
    assert!(start.elapsed() < Duration::from_secs(10), "it took {:?} to stop", start.elapsed());
    Some(Run(output))
}

#[test]
fn an_interrupted_sync_says_so_is_whole_and_goes_on_later() {
    for name in ["-INT", "-TERM"] {
        let sandbox = project(500);
        let stopped = (0..10).find_map(|_| {
            let _ = std::fs::remove_dir_all(sandbox.data());
            interrupted(&sandbox, name, &[]).filter(|run| run.code() != 0)
        });
        let run = stopped.expect("every sync was done before the signal came");
        run.assert_code(2);
        assert!(run.stderr().contains("error: stopped before the end"), "{}", run.stderr());
        let listed = sandbox.json(&["ref", "ls"]);
        let kept = listed["collections"][0]["documents"].as_u64().unwrap();
        assert!(kept < 500, "it was not stopped");
        // What was kept is whole: it can be searched, and the next sync does only the rest.
        if kept > 0 {
            sandbox.run(&["ref", "search", "stale leases", "--no-sync"]).assert_code(0);
        }
        sandbox.assert_healthy();
        let report = sandbox.json(&["collections", "sync"]);
        assert_eq!(report["collections"][0]["added"], 500 - kept);
        assert_eq!(report["collections"][0]["documents"], 500);
        sandbox.assert_healthy();
    }
}

#[test]
fn an_interrupted_sync_leaves_a_healthy_state_at_once() {
    let sandbox = project(500);
    let stopped = (0..10).find_map(|_| {
        let _ = std::fs::remove_dir_all(sandbox.data());
        interrupted(&sandbox, "-INT", &[]).filter(|run| run.code() != 0)
    });
    assert!(stopped.is_some(), "every sync was done before the signal came");
    sandbox.assert_healthy();
}

#[test]
fn an_interrupt_while_waiting_for_another_sync_ends_the_waiting() {
    let sandbox = project(3);
    sandbox.sync();
    let locks = std::fs::read_dir(sandbox.data().join("locks")).unwrap();
    let lock = locks
        .map(|entry| entry.unwrap().path())
        .find(|path| path.file_name().unwrap().to_str().unwrap().starts_with("sync-"));
    let lock = std::fs::File::options().write(true).open(lock.unwrap()).unwrap();
    lock.lock().unwrap();
    let mut child = sandbox.command().args(["collections", "sync"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("waiting for another sync of docs") {
        assert!(stderr.read_line(&mut said).unwrap() > 0, "{said}");
    }
    signal(&child, "-INT");
    stderr.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2), "{said}");
    assert!(said.contains("stopped"), "{said}");
    // Others are not kept from searching by a sync at work.
    sandbox.run(&["ref", "search", "stale leases", "--no-sync"]).assert_code(0);
}

#[test]
fn a_reader_that_has_had_enough_is_no_error() {
    let sandbox = project(60);
    sandbox.sync();
    for args in [
        &["ref", "search", "stale leases", "-n", "5000", "--full"][..],
        &["ref", "search", "stale leases", "-n", "5000", "--json"],
        &["completions", "bash"],
        &["man"],
        &["schema", "context"],
        &["config", "show"],
        &["ref", "get", "docs/1.md"],
        &["doctor"],
    ] {
        let mut child =
            sandbox.command().arg("-q").args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // As `head -c 1` does.
        let mut stdout = child.stdout.take().unwrap();
        let mut first = [0];
        stdout.read_exact(&mut first).unwrap();
        drop(stdout);
        let run = Run(child.wait_with_output().unwrap());
        assert_eq!((run.code(), run.stderr()), (0, String::new()), "{args:?}");
    }
    // Nobody ever read.
    let mut child = sandbox
        .command()
        .args(["ref", "search", "stale leases", "-q"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let run = Run(child.wait_with_output().unwrap());
    assert_eq!((run.code(), run.stderr()), (0, String::new()));
}

#[test]
fn a_sync_whose_messages_nobody_reads_finishes_or_says_that_it_did_not() {
    let sandbox = project(200);
    let mut child =
        sandbox.command().args(["collections", "sync"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    drop(child.stdout.take());
    let status = child.wait().unwrap();
    let listed = sandbox.run(&["ref", "ls", "--json"]).json();
    assert!(
        !status.success() || listed["collections"][0]["documents"] == 200,
        "it ended with {status} and did nothing"
    );
}
