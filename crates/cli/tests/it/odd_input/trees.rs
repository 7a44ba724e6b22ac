//! Trees with links, locks, giants and files that move.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::{Numbers, Run, Sandbox, seed};

#[test]
fn links_in_circles_end() {
    let sandbox = Sandbox::with_docs(&[("a/one.md", "# One\n\nThe walrus.\n")]);
    let docs = sandbox.project().join("docs");
    symlink(&docs, docs.join("a/up")).unwrap();
    symlink(".", docs.join("here")).unwrap();
    symlink("second", docs.join("first")).unwrap();
    symlink("first", docs.join("second")).unwrap();
    symlink("self.md", docs.join("self.md")).unwrap();
    symlink("nothing.md", docs.join("broken.md")).unwrap();
    let start = Instant::now();
    let report = sandbox.json(&["collections", "sync"]);
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(report["collections"][0]["documents"], 1, "{report}");
    assert_eq!(sandbox.hits(&["walrus", "--mode", "lexical"]), ["docs/a/one.md:1-3"]);
    assert_eq!(sandbox.json(&["collections", "list"])["collections"][0]["status"], "synced");
}

#[test]
fn links_out_of_the_folder_are_not_followed() {
    let sandbox = Sandbox::with_docs(&[("in.md", "# In\n\nThe walrus.\n")]);
    let outside = sandbox.root().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("private.md"), "# Private\n\nThe narwhal.\n").unwrap();
    let docs = sandbox.project().join("docs");
    symlink(outside.join("private.md"), docs.join("file.md")).unwrap();
    symlink(&outside, docs.join("folder")).unwrap();
    symlink("../../outside/private.md", docs.join("relative.md")).unwrap();
    let run = sandbox.sync();
    assert!(run.stderr().contains("left out: file.md is a symlink that leaves the folder"), "{}", run.stderr());
    assert_eq!(run.stdout(), "  ✓ 1 document (1 added, 0 updated, 0 removed)\n");
    assert_eq!(sandbox.hits(&["narwhal", "--mode", "lexical"]), [""; 0]);
}

#[test]
fn a_link_that_starts_to_lead_outside_takes_its_document_with_it() {
    let sandbox = Sandbox::with_docs(&[("real.md", "# Real\n\nThe walrus.\n")]);
    let outside = sandbox.root().join("private.md");
    std::fs::write(&outside, "# Private\n\nThe narwhal.\n").unwrap();
    sandbox.write("docs/changes.md", "# Inside\n\nThe otter.\n");
    sandbox.sync();
    std::fs::remove_file(sandbox.project().join("docs/changes.md")).unwrap();
    symlink(&outside, sandbox.project().join("docs/changes.md")).unwrap();
    sandbox.sync();
    assert_eq!(sandbox.hits(&["otter narwhal", "--mode", "lexical"]), [""; 0]);
}

#[test]
fn pipes_and_sockets_are_not_opened() {
    let sandbox = Sandbox::with_docs(&[("a.md", "# A\n")]);
    let made = Command::new("mkfifo").arg(sandbox.project().join("docs/pipe.md")).status();
    if !made.is_ok_and(|status| status.success()) {
        println!("skipped: there is no mkfifo");
        return;
    }
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.project().join("docs/socket.md")).unwrap();
    let run = sandbox.sync();
    assert_eq!(run.stdout(), "  ✓ 1 document (1 added, 0 updated, 0 removed)\n");
}

/// The binary run by somebody whom permission bits stop, or `None` with the reason printed.
fn as_nobody(sandbox: &Sandbox, args: &[&str]) -> Option<Run> {
    let probe = sandbox.root().join("probe");
    std::fs::write(&probe, "").unwrap();
    std::fs::set_permissions(&probe, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::File::open(&probe).is_err() {
        return Some(sandbox.run(args));
    }
    // Root: hand everything to `nobody` and become that user.
    let own = Command::new("chown").arg("-R").arg("65534:65534").arg(sandbox.root()).status();
    if !own.is_ok_and(|status| status.success()) {
        println!("skipped: permission bits don't stop this user, and files can't be given away");
        return None;
    }
    // The build folder may be out of that user's reach.
    let binary = sandbox.root().join("ai-assist");
    if !binary.exists() {
        std::fs::copy(env!("CARGO_BIN_EXE_ai-assist"), &binary).unwrap();
    }
    let template = sandbox.command();
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(binary).args(args);
    command.current_dir(sandbox.project()).env_clear();
    command.envs(template.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let Ok(output) = command.output() else {
        println!("skipped: there is no setpriv");
        return None;
    };
    let run = Run(output);
    if run.stderr().starts_with("setpriv:") {
        println!("skipped: {}", run.stderr());
        return None;
    }
    Some(run)
}

#[test]
fn what_lies_in_a_folder_that_can_not_be_read_is_kept() {
    let sandbox = Sandbox::with_synced_docs(&[
        ("open/a.md", "# A\n\nThe walrus.\n"),
        ("closed/b.md", "# B\n\nThe narwhal.\n"),
        ("closed/deep/c.md", "# C\n\nThe beluga.\n"),
        ("closed-not/d.md", "# D\n\nThe dolphin.\n"),
        ("single.md", "# S\n\nThe porpoise.\n"),
    ]);
    let docs = sandbox.project().join("docs");
    std::fs::remove_file(docs.join("closed-not/d.md")).unwrap();
    std::fs::write(docs.join("open/new.md"), "# New\n\nThe seal.\n").unwrap();
    let set = |path: &str, mode: u32| {
        std::fs::set_permissions(docs.join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set("closed", 0o000);
    std::fs::write(docs.join("single.md"), "# S\n\nChanged.\n").unwrap();
    set("single.md", 0o000);
    let Some(run) = as_nobody(&sandbox, &["collections", "sync"]) else { return };
    run.assert_code(1);
    let shown = format!("{}{}", run.stdout(), run.stderr());
    assert!(shown.contains("not read: closed "), "{shown}");
    assert!(shown.contains("not read: single.md "), "{shown}");
    assert!(shown.contains("⚠ 5 documents (1 added, 0 updated, 1 removed, 2 not read)"), "{shown}");
    let found = |word: &str| as_nobody(&sandbox, &["ref", "search", word, "--mode", "lexical"]).unwrap().code() == 0;
    assert!(found("narwhal") && found("beluga") && found("seal") && found("porpoise") && !found("dolphin"));
    set("closed", 0o755);
    set("single.md", 0o644);
    let run = as_nobody(&sandbox, &["collections", "sync"]).unwrap();
    assert_eq!(run.assert_code(0).stdout(), "  ✓ 5 documents (0 added, 1 updated, 0 removed)\n");
}

#[test]
fn a_source_folder_that_can_not_be_read_is_an_error() {
    let sandbox = Sandbox::with_synced_docs(&[("a.md", "# A\n\nThe walrus.\n")]);
    let docs = sandbox.project().join("docs");
    std::fs::set_permissions(&docs, std::fs::Permissions::from_mode(0o000)).unwrap();
    let run = as_nobody(&sandbox, &["collections", "sync"]);
    std::fs::set_permissions(&docs, std::fs::Permissions::from_mode(0o755)).unwrap();
    let Some(run) = run else { return };
    assert!(run.assert_code(2).stderr().contains("can't be read"), "{}", run.stderr());
    assert!(as_nobody(&sandbox, &["ref", "search", "walrus"]).unwrap().stdout().contains("docs/a.md"));
}

#[test]
fn a_giant_is_left_out_named_and_not_read() {
    let sandbox = Sandbox::with_docs(&[("a.md", "# A\n")]);
    let giant = std::fs::File::create(sandbox.project().join("docs/giant.md")).unwrap();
    giant.set_len(200 << 20).unwrap();
    let start = Instant::now();
    let run = sandbox.sync();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(run.stderr().contains("left out: giant.md is larger than the limit"), "{}", run.stderr());
    assert_eq!(run.stdout(), "  ✓ 1 document (1 added, 0 updated, 0 removed)\n");
    assert_eq!(sandbox.json(&["collections", "list"])["collections"][0]["status"], "synced");
}

#[test]
fn a_glob_that_matches_nothing_is_a_warning() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.txt", "text\n");
    sandbox.run(&["collections", "init"]).assert_code(0);
    sandbox.run(&["collections", "add", "docs", "./docs", "--glob", "**/*.md"]).assert_code(1);
    let run = sandbox.run(&["collections", "sync"]);
    assert!(
        run.assert_code(1).stderr().contains("warning: the glob `**/*.md` matches no file in "),
        "{}",
        run.stderr()
    );
    assert_eq!(run.stdout(), "  ✓ 0 documents (0 added, 0 updated, 0 removed)\n");
    sandbox.run(&["ref", "search", "text"]).assert_code(1);
    sandbox.assert_healthy();
}

#[test]
fn a_tree_that_empties_takes_everything_with_it() {
    let sandbox = Sandbox::with_synced_docs(&[("a.md", "# A\n\nThe walrus.\n"), ("b.md", "# B\n")]);
    for name in ["a.md", "b.md"] {
        std::fs::remove_file(sandbox.project().join("docs").join(name)).unwrap();
    }
    assert_eq!(sandbox.sync().stdout(), "  ✓ 0 documents (0 added, 0 updated, 2 removed)\n");
    assert_eq!(sandbox.hits(&["walrus"]), [""; 0]);
    sandbox.assert_healthy();
}

#[test]
fn a_deep_tree_is_no_danger() {
    let sandbox = Sandbox::with_docs(&[("a.md", "# A\n")]);
    let mut path = std::path::PathBuf::from("docs");
    for _ in 0..180 {
        path.push("deep-folder");
    }
    sandbox.write(path.join("end.md"), "# End\n\nThe walrus.\n");
    let run = sandbox.run(&["collections", "sync"]);
    assert!(run.code() < 2, "{}", run.stderr());
    let named = run.stderr().contains("deeper than the limit");
    assert!(named || !sandbox.hits(&["walrus", "--mode", "lexical"]).is_empty(), "{}", run.stderr());
}

#[test]
fn files_that_change_and_vanish_during_syncs_end_as_they_are_on_disk() {
    let sandbox = Sandbox::with_docs(&[]);
    let docs = sandbox.project().join("docs");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut numbers = Numbers(seed());
            let mut version = 0;
            while !stop.load(Ordering::Relaxed) {
                version += 1;
                let file = docs.join(format!("{}.md", numbers.below(40)));
                match numbers.below(4) {
                    0 => {
                        let _ = std::fs::remove_file(file);
                    }
                    1 => {
                        // By rename, as editors do.
                        let temporary = docs.join("temporary");
                        std::fs::write(&temporary, format!("# V{version}\n\nRenamed into place.\n")).unwrap();
                        std::fs::rename(temporary, file).unwrap();
                    }
                    // In place, always as long as before.
                    _ => std::fs::write(file, format!("# V{version:08}\n\nThe walrus.\n")).unwrap(),
                }
            }
        });
        let end = Instant::now() + Duration::from_secs(4);
        let mut syncs = 0;
        while Instant::now() < end {
            let run = sandbox.run(&["collections", "sync"]);
            // A file that changes each time it is read is named, and that is exit code 1.
            assert!(run.code() < 2, "{}{}", run.stdout(), run.stderr());
            assert!(run.code() == 0 || run.stderr().contains("not read"), "{}{}", run.stdout(), run.stderr());
            syncs += 1;
        }
        stop.store(true, Ordering::Relaxed);
        println!("{syncs} syncs");
    });
    sandbox.sync();
    let mut files = 0;
    for number in 0..40 {
        let name = format!("{number}.md");
        let read = sandbox.run(&["ref", "get", &format!("docs/{name}")]);
        match std::fs::read_to_string(docs.join(&name)) {
            Ok(text) => {
                files += 1;
                assert_eq!(read.stdout(), text, "{name}: {}", read.stderr());
            }
            Err(_) => assert_eq!(read.code(), 2, "{name} is gone but still indexed"),
        }
    }
    let listed = sandbox.json(&["collections", "list"]);
    assert_eq!(
        (&listed["collections"][0]["documents"], &listed["collections"][0]["status"]),
        (&files.into(), &"synced".into())
    );
    sandbox.assert_healthy();
}
