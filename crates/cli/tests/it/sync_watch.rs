//! `collections sync --watch`: what changes is synced until somebody presses Ctrl-C.

use std::io::{BufRead, BufReader, Lines, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::Sandbox;

struct Watch {
    child: Child,
    rounds: Lines<BufReader<ChildStdout>>,
}

impl Watch {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let rounds = BufReader::new(child.stdout.take().unwrap()).lines();
        Watch { child, rounds }
    }

    /// The collections of the next round in which something happened.
    fn next(&mut self) -> Option<Value> {
        let line = self.rounds.next()?.unwrap();
        let round: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        Some(round["collections"].clone())
    }

    /// Waits until a collection has so many documents.
    fn until(&mut self, name: &str, documents: u64) {
        loop {
            let round = self.next().unwrap_or_else(|| panic!("it has ended: {}", self.said()));
            let mut synced = round.as_array().unwrap().iter();
            if synced.any(|synced| synced["name"] == name && synced["documents"] == documents) {
                return;
            }
        }
    }

    fn said(&mut self) -> String {
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }

    fn stop(&mut self) -> String {
        assert!(Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap().success());
        let start = Instant::now();
        let said = self.said();
        assert!(self.child.wait().unwrap().success(), "{said}");
        assert!(start.elapsed() < Duration::from_secs(20));
        said
    }
}

/// A watch that a failing test leaves behind would run for ever.
impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn files_of_sources_and_categories_are_synced_when_they_change() {
    let sandbox = Sandbox::with_docs(&[("oaks.md", "# Oaks\n\nOaks grow slowly.\n")]);
    sandbox.write("notes/first.md", "# First\n");
    sandbox.run(&["categories", "add", "notes", "notes", "--pattern", "**/*.md"]).assert_code(0);
    let mut command = sandbox.command();
    command.args(["collections", "sync", "--watch", "--json"]);
    let mut watch = Watch::start(command);
    let first = watch.next().unwrap();
    assert_eq!(first.as_array().unwrap().len(), 2, "{first}");
    sandbox.write("docs/deep/elms.md", "# Elms\n\nElms grow fast.\n");
    watch.until("docs", 2);
    assert_eq!(sandbox.hits(&["elms"]).len(), 1);
    sandbox.write("notes/second.md", "# Second\n");
    watch.until("notes", 2);
    std::fs::remove_dir_all(sandbox.project().join("docs/deep")).unwrap();
    watch.until("docs", 1);
    watch.stop();
    assert!(sandbox.hits(&["elms"]).is_empty());
}

#[test]
fn without_watches_of_the_system_changes_are_still_found() {
    let sandbox = Sandbox::with_docs(&[("oaks.md", "# Oaks\n")]);
    for number in 0..20 {
        sandbox.write(format!("docs/{number}/a.md"), "# A\n");
    }
    let script = "echo 4 > /proc/sys/user/max_inotify_watches || exit 77; exec \"$0\" \"$@\"";
    let plain = sandbox.command();
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "sh", "-c", script]).arg(plain.get_program());
    command.args(["collections", "sync", "--watch", "--json"]).current_dir(sandbox.project()).env_clear();
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut watch = Watch::start(command);
    if watch.next().is_none() {
        return println!("skipped: no user namespace with limits of its own here: {}", watch.said());
    }
    sandbox.write("docs/19/late.md", "# Late\n");
    watch.until("docs", 22);
    let said = watch.stop();
    assert!(said.contains("the system tells of no changes"), "{said}");
}
