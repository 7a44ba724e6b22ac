//! Builds that run on, are stopped, or are watched.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::sample;
use crate::support::Sandbox;

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn a_watch_builds_what_changes_until_it_is_stopped() {
    let sandbox = sample();
    let mut command = sandbox.command();
    command.args(["index", "watch", "--json", "--debounce", "50"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut builds = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&builds.next().unwrap().unwrap()).unwrap() };
    let first = next();
    assert_eq!(first["unchanged"], false);
    sandbox.write("src/late.rs", "pub fn arrived_late() {}\n");
    let second = loop {
        let build = next();
        if build["buildId"] != first["buildId"] {
            break build;
        }
    };
    assert_eq!(second["origin"]["kind"], "own");
    assert!(sandbox.run(&["search", "--symbol", "arrived_late"]).stdout().contains("src/late.rs"));
    signal(&child, "-INT");
    let start = Instant::now();
    assert!(child.wait().unwrap().success());
    assert!(start.elapsed() < Duration::from_secs(10));
}

/// A repository that takes a while to build.
fn large() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..400 {
        let body: String =
            (0..40).map(|n| format!("/// Says number {n} of file {number}.\npub fn f{n}() {{}}\n\n")).collect();
        sandbox.write(format!("src/f{number}.rs"), body);
    }
    sandbox
}

#[test]
fn a_stopped_build_leaves_the_one_before_current() {
    let sandbox = large();
    for (name, code) in [("-INT", Some(2)), ("-KILL", None)] {
        let stopped = (0..20).any(|attempt| {
            // Each time from a build that has what the next one will not have, for the last may have come to its end.
            sandbox.write("src/first.rs", "pub fn only_in_the_first() {}\n");
            sandbox.run(&["index", "build"]).assert_code(0);
            let current = sandbox.json(&["index", "status"])["buildId"].clone();
            std::fs::remove_file(sandbox.project().join("src/first.rs")).unwrap();
            let mut command = sandbox.command();
            command.args(["index", "build", "--force"]).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            // Sooner each time, until it is caught at work.
            std::thread::sleep(Duration::from_millis(400 >> (attempt / 2)));
            if child.try_wait().unwrap().is_none() {
                signal(&child, name);
            }
            let ended = child.wait().unwrap();
            let unchanged = sandbox.run(&["index", "status", "--json"]).json()["buildId"] == current;
            ended.code() == code && unchanged
        });
        assert!(stopped, "no build was caught by {name}");
        sandbox.run(&["search", "--no-sync", "--symbol", "only_in_the_first"]).assert_code(0);
    }
    sandbox.run(&["index", "build"]).assert_code(0);
    assert_eq!(sandbox.json(&["index", "status"])["freshness"]["state"], "current");
    sandbox.run(&["search", "--symbol", "only_in_the_first"]).assert_code(1);
    let builds = std::fs::read_dir(sandbox.root().join("cache/repos")).unwrap();
    let builds = builds.flat_map(|repo| std::fs::read_dir(repo.unwrap().path().join("builds")).unwrap());
    let names: Vec<String> = builds.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!names.iter().any(|name| name.starts_with('.')), "the next build takes away what is left: {names:?}");
}

#[test]
fn a_manifest_reads_nothing_of_an_index() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sample();
    sandbox.run(&["workspace", "init", "."]).assert_code(0);
    sandbox.run(&["workspace", "build"]).assert_code(0);
    let before = sandbox.json(&["workspace", "manifest"]);
    // Files of the word index are replaced by others of the same size and time, which only a reader could tell.
    let mut replaced = 0;
    for (file, bytes) in crate::support::bytes_below(&sandbox.root().join("cache/repos")) {
        if file.components().any(|part| part.as_os_str() == "words") && file.extension().is_some_and(|it| it == "store")
        {
            let modified = file.metadata().unwrap().modified().unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
            let handle = std::fs::OpenOptions::new().write(true).open(&file).unwrap();
            std::io::Write::write_all(&mut &handle, &vec![0; bytes.len()]).unwrap();
            handle.set_modified(modified).unwrap();
            replaced += 1;
        }
    }
    assert!(replaced > 0);
    let after = sandbox.json(&["workspace", "manifest"]);
    assert_eq!(after["repos"], before["repos"]);
    assert!(after["diagnostics"]["errors"].as_array().unwrap().is_empty(), "{after}");
}
