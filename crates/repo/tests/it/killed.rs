//! A builder that is killed, at any moment, leaves the old build current and the next build clean.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ai_assist_repo::layout::Mode;

use crate::support::{Numbers, Sandbox, build, everything, request};

const QUERIES: [&str; 3] = ["lease quota", "harbor", "beacon window signal"];

/// Not a test of its own: what the child process does that gets killed.
#[test]
#[ignore = "run by the test below"]
fn child() {
    let Some((repo, cache)) = std::env::var_os("AI_ASSIST_TEST_REPO").zip(std::env::var_os("AI_ASSIST_TEST_CACHE"))
    else {
        return;
    };
    build(&request(repo.as_ref(), cache.as_ref()));
}

fn spawn(sandbox: &Sandbox) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["killed::child", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env("AI_ASSIST_TEST_REPO", sandbox.repo())
        .env("AI_ASSIST_TEST_CACHE", sandbox.cache())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn edit(sandbox: &Sandbox, numbers: &mut Numbers) {
    for _ in 0..40 {
        let file = numbers.below(150);
        let (path, text) = numbers.file(file);
        if numbers.below(4) == 0 {
            drop(std::fs::remove_file(sandbox.repo().join(path)));
        } else {
            sandbox.write(&path, text);
        }
    }
}

#[test]
fn a_killed_builder_leaves_no_trace() {
    let sandbox = Sandbox::with_git();
    let mut numbers = Numbers(3);
    for file in 0..150 {
        let (path, text) = numbers.file(file);
        sandbox.write(&path, text);
    }
    let started = Instant::now();
    assert!(spawn(&sandbox).wait().unwrap().success());
    let whole = started.elapsed();
    for round in 0..12u32 {
        edit(&sandbox, &mut numbers);
        let before = sandbox.open(Mode::Code);
        let said = everything(&before, &QUERIES);
        let mut child = spawn(&sandbox);
        // Spread over the time that a build takes, from its beginning to beyond its end.
        std::thread::sleep(whole * round / 10 + Duration::from_micros(numbers.below(5000)));
        let finished = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        let after = sandbox.open(Mode::Code);
        if after.state.build_id == before.state.build_id {
            assert!(!finished, "round {round}");
            assert_eq!(everything(&after, &QUERIES), said, "round {round}");
        }
        everything(&before, &QUERIES);
    }
    let report = sandbox.build();
    let leftovers: Vec<String> = sandbox.builds().into_iter().filter(|name| name.starts_with('.')).collect();
    assert_eq!(leftovers, Vec::<String>::new());
    assert_eq!(sandbox.open(Mode::Code).state.build_id, report.build_id);
    let grown: Vec<Vec<String>> = Mode::ALL.map(|mode| everything(&sandbox.open(mode), &QUERIES)).to_vec();
    let mut fresh = sandbox.request();
    fresh.force = true;
    build(&fresh);
    for (mode, grown) in Mode::ALL.into_iter().zip(grown) {
        assert_eq!(grown, everything(&sandbox.open(mode), &QUERIES), "{mode}");
    }
}

#[test]
fn leftovers_of_the_dead_are_removed_and_builds_are_not() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# A\n");
    let first = sandbox.build();
    let builds = sandbox.request().cache.builds();
    std::fs::create_dir_all(builds.join(".building-20200101T000000000Z-0/index-code")).unwrap();
    std::fs::create_dir_all(builds.join(".removing-x")).unwrap();
    std::fs::write(builds.join("current.json.tmp.1"), "{").unwrap();
    sandbox.build();
    assert_eq!(sandbox.builds(), [first.build_id]);
}
