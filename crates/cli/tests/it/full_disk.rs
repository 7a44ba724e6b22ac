//! A disk that fills up: a small file system of our own, in a mount namespace of our own.

use std::process::Command;

use crate::support::{Numbers, Run, Sandbox, markdown};

/// Runs a script as root of a private namespace, or says why not.
fn in_namespace(sandbox: &Sandbox, script: &str) -> Option<Run> {
    let template = sandbox.command();
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script]).current_dir(sandbox.project()).env_clear();
    command.envs(template.get_envs().filter_map(|(key, value)| Some((key, value?))));
    command.env("AI_ASSIST", env!("CARGO_BIN_EXE_ai-assist")).env("SMALL", small(sandbox));
    match command.output() {
        Ok(output) => Some(Run(output)),
        Err(error) => {
            println!("skipped: unshare: {error}");
            None
        }
    }
}

fn small(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.root().join("small")
}

fn can_mount(sandbox: &Sandbox) -> bool {
    let probe = in_namespace(sandbox, "mount -t tmpfs -o size=64k tmpfs \"$SMALL\"");
    let Some(probe) = probe else { return false };
    if probe.code() != 0 {
        println!("skipped: no small file system can be mounted here: {}", probe.stderr());
    }
    probe.code() == 0
}

fn project(files: usize) -> Sandbox {
    let sandbox = Sandbox::with_docs(&[]);
    let mut numbers = Numbers(3);
    for number in 0..files {
        sandbox.write(format!("docs/{number}.md"), markdown(&mut numbers, &format!("Chapter {number}")));
    }
    std::fs::create_dir(small(&sandbox)).unwrap();
    sandbox
}

/// One line of the script's output that starts with a word.
fn line(run: &Run, word: &str) -> String {
    let line = run.stdout().lines().find(|line| line.starts_with(word)).map(str::to_owned);
    line.unwrap_or_else(|| panic!("no {word} in\n{}\n{}", run.stdout(), run.stderr()))
}

/// A first sync at disks of several sizes, from one that can't hold the database to one that only lacks room for the
/// index, then more room.
#[test]
fn a_full_disk_is_said_so_and_nothing_is_lost() {
    let sandbox = project(120);
    if !can_mount(&sandbox) {
        return;
    }
    let script = r#"
        size=$1
        mount -t tmpfs -o size=$size tmpfs "$SMALL" || exit 70
        export AI_ASSIST_DATA_DIR="$SMALL/data"
        "$AI_ASSIST" collections sync -q > "$SMALL/../out" 2> "$SMALL/../err"
        echo "first $?"
        echo "error $(tr '\n' ' ' < "$SMALL/../err")"
        mount -o remount,size=64m "$SMALL" || exit 71
        "$AI_ASSIST" collections sync -q; echo "second $?"
        "$AI_ASSIST" doctor; echo "doctor $?"
        "$AI_ASSIST" ref ls --json | tr -d ' \n' ; echo
        "$AI_ASSIST" ref search "stale leases" -q > /dev/null; echo "search $?"
    "#;
    let mut failed = 0;
    for size in ["16k", "64k", "200k", "300k", "400k", "600k", "800k", "1m", "1200k", "1500k"] {
        let run = in_namespace(&sandbox, &script.replace("$1", size)).unwrap();
        assert_eq!(run.code(), 0, "{size}: {}", run.stderr());
        let first = line(&run, "first ");
        if first != "first 0" {
            failed += 1;
            let error = line(&run, "error ").to_lowercase();
            assert_eq!(first, "first 2", "{size}: {error}");
            assert!(error.contains("full") || error.contains("space"), "{size}: {error}");
            assert!(!error.contains("panicked"), "{size}: {error}");
        }
        assert_eq!(line(&run, "second "), "second 0", "{size}: {}", run.stderr());
        assert_eq!(line(&run, "doctor "), "doctor 0", "{size}: {}", run.stdout());
        assert_eq!(line(&run, "search "), "search 0", "{size}: {}", run.stderr());
        assert!(run.stdout().contains("\"documents\":120,"), "{size}: {}", run.stdout());
    }
    assert!(failed >= 3, "the disks were not small enough");
}

/// What was indexed before is still there when an update found no room.
#[test]
fn what_was_there_before_survives_an_update_on_a_full_disk() {
    let sandbox = project(40);
    if !can_mount(&sandbox) {
        return;
    }
    let mut numbers = Numbers(4);
    for number in 0..150 {
        sandbox.write(format!("more/{number}.md"), markdown(&mut numbers, "More"));
    }
    let script = r#"
        mount -t tmpfs -o size=64m tmpfs "$SMALL" || exit 70
        export AI_ASSIST_DATA_DIR="$SMALL/data"
        "$AI_ASSIST" collections sync -q || exit 72
        # All but a little of what is left is taken.
        used=$(df -k --output=used "$SMALL" | tail -1)
        mount -o remount,size=$((used + $1))k "$SMALL" || exit 71
        cp -r more/. docs/
        "$AI_ASSIST" collections sync -q 2> "$SMALL/../err"; echo "full $?"
        echo "error $(tr '\n' ' ' < "$SMALL/../err")"
        "$AI_ASSIST" ref search "stale leases" --json > "$SMALL/../answer" 2> "$SMALL/../err"; echo "search $?"
        echo "complaint $(tr '\n' ' ' < "$SMALL/../err")"
        mount -o remount,size=64m "$SMALL" || exit 73
        "$AI_ASSIST" collections sync -q; echo "after $?"
        "$AI_ASSIST" doctor; echo "doctor $?"
        "$AI_ASSIST" ref ls --json | tr -d ' \n'; echo
        rm -f docs/*.md; cp -r ../saved/. docs/
    "#;
    let saved =
        Command::new("cp").arg("-r").arg(sandbox.project().join("docs")).arg(sandbox.root().join("saved")).status();
    assert!(saved.unwrap().success());
    let mut unclear = Vec::new();
    for room in ["8", "40", "100", "300", "500"] {
        let run = in_namespace(&sandbox, &script.replace("$1", room)).unwrap();
        assert_eq!(run.code(), 0, "{room}: {}{}", run.stdout(), run.stderr());
        let error = line(&run, "error ").to_lowercase();
        assert_eq!(line(&run, "full "), "full 2", "{room}: {error}");
        if !error.contains("full") && !error.contains("space") {
            unclear.push(format!("{room}: {error}"));
        }
        // A reader may need a little room too, and then says so.
        let complaint = line(&run, "complaint ").to_lowercase();
        if line(&run, "search ") != "search 0" && !complaint.contains("full") && !complaint.contains("space") {
            unclear.push(format!("{room}: search: {complaint}"));
        }
        assert_eq!(line(&run, "after "), "after 0", "{room}: {}", run.stderr());
        assert_eq!(line(&run, "doctor "), "doctor 0", "{room}: {}", run.stdout());
        assert!(run.stdout().contains("\"documents\":150,"), "{room}: {}", run.stdout());
    }
    assert!(unclear.is_empty(), "{}", unclear.join("\n"));
}

/// The cache can be lost at any time, so a full disk under it is no reason to fail.
#[test]
fn a_full_cache_disk_costs_only_time() {
    let sandbox = project(40);
    if !can_mount(&sandbox) {
        return;
    }
    let script = r#"
        mount -t tmpfs -o size=16k tmpfs "$SMALL" || exit 70
        export AI_ASSIST_CACHE_ROOT="$SMALL/cache"
        "$AI_ASSIST" collections sync; echo "sync $?"
        "$AI_ASSIST" ref search "stale leases" > /dev/null; echo "search $?"
        "$AI_ASSIST" doctor; echo "doctor $?"
    "#;
    let run = in_namespace(&sandbox, script).unwrap();
    assert_eq!(line(&run, "sync "), "sync 0", "{}{}", run.stdout(), run.stderr());
    assert_eq!(line(&run, "search "), "search 0", "{}", run.stderr());
    assert_eq!(line(&run, "doctor "), "doctor 0", "{}", run.stdout());
}

/// A configuration that can't be written stays as it was.
#[test]
fn an_edit_on_a_full_disk_leaves_the_configuration() {
    let sandbox = project(1);
    if !can_mount(&sandbox) {
        return;
    }
    let script = r#"
        mount -t tmpfs -o size=64k tmpfs "$SMALL" || exit 70
        cd "$SMALL"
        "$AI_ASSIST" collections init -q || exit 71
        mkdir docs
        cp context.json ../before.json
        dd if=/dev/zero of=filler bs=1k 2> /dev/null
        "$AI_ASSIST" collections add docs ./docs 2> ../err; echo "add $?"
        echo "error $(tr '\n' ' ' < ../err)"
        cmp context.json ../before.json && echo "same"
        echo "files $(ls -A | tr '\n' ' ')"
    "#;
    let run = in_namespace(&sandbox, script).unwrap();
    assert_eq!(line(&run, "add "), "add 2", "{}{}", run.stdout(), run.stderr());
    assert!(line(&run, "error ").to_lowercase().contains("space"), "{}", run.stdout());
    assert_eq!(line(&run, "same"), "same");
    assert_eq!(line(&run, "files "), "files .ai-assist context.json docs filler ", "a temporary file was left");
}
