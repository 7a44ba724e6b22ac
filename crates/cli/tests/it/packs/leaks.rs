//! Three hundred secrets in a project, and none in anything the program writes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use ai_assist_secret_fixtures::{ProjectFile, Random, Secret, project};

use super::UNLIMITED;
use super::watch::Watch;
use crate::support::{Run, Sandbox, bytes_below};

const SEED: u64 = 2026;
const SECRETS: usize = 300;
const INNOCENT: usize = 300;
/// Look-alikes that may be touched.
const TOUCHED: usize = 6;

/// A project under git, with secrets also where only git keeps them.
fn planted() -> (Sandbox, Vec<ProjectFile>, Watch) {
    let sandbox = Sandbox::new();
    let files = project(SEED, SECRETS, INNOCENT);
    let mut watch = Watch::default();
    for file in &files {
        sandbox.write(&file.path, &file.bytes);
        file.secrets.iter().for_each(|secret| watch.add(secret));
    }
    assert_eq!(watch.len(), SECRETS);
    let kinds: BTreeSet<&str> = files.iter().flat_map(|file| &file.secrets).map(|secret| secret.kind).collect();
    assert!(kinds.len() >= 40, "{} kinds", kinds.len());
    let mut random = Random(SEED);
    let (remote, message) = (random.fill("glpat-{y20}"), random.fill("ghp_{w36}"));
    let url = format!("https://oauth2:{remote}@gitlab.acme.io/acme/orders.git");
    let subject = format!("Use {message} for the deployment");
    for args in [
        &["init", "-q"][..],
        &["add", "-A", "-f"],
        &["commit", "-q", "-m", &subject],
        &["remote", "add", "origin", &url],
    ] {
        git(&sandbox.project(), args);
    }
    watch.add(&Secret { kind: "git", forms: vec![remote] });
    watch.add(&Secret { kind: "git", forms: vec![message] });
    (sandbox, files, watch)
}

fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=a", "-c", "user.email=a@b.io", "-c", "core.autocrlf=false"]);
    assert!(command.args(args).status().unwrap().success());
}

/// Runs a command that may tell more than usual, and looks at what it prints.
fn run(sandbox: &Sandbox, watch: &mut Watch, args: &[&str]) -> Run {
    let mut command = sandbox.command();
    command.args(args).env("RUST_LOG", "trace").env("RUST_BACKTRACE", "full");
    let run = Run(command.output().unwrap());
    let what = args.join(" ");
    watch.look(&format!("stdout of {what}"), &run.0.stdout);
    watch.look(&format!("stderr of {what}"), &run.0.stderr);
    run
}

fn assert_clean(watch: &Watch) {
    println!("{} places looked at", watch.looked_at);
    assert!(watch.leaks.is_empty(), "{} leaks:\n{}", watch.leaks.len(), watch.leaks.join("\n"));
}

fn look_at_files(sandbox: &Sandbox, watch: &mut Watch) {
    for folder in ["out", "data", "cache", "config", "home"] {
        let folder = sandbox.root().join(folder);
        if folder.exists() {
            for (path, bytes) in bytes_below(&folder) {
                watch.look(&path.display().to_string(), &bytes);
            }
        }
    }
}

#[test]
fn no_secret_is_in_any_pack_receipt_page_or_output() {
    let (sandbox, files, mut watch) = planted();
    let out = |name: &str| sandbox.outside(name).display().to_string();
    for format in ["json", "msgpack", "markdown", "xml"] {
        for kind in ["full", "summary"] {
            let base = ["pack", "--type", kind, "--format", format, "--output"];
            let with = |name: &str, more: &[&str]| -> Vec<String> {
                let file = out(&format!("{kind}-{name}.{format}"));
                base.iter().copied().chain([&*file]).chain(more.iter().copied()).map(str::to_owned).collect()
            };
            let receipt = out(&format!("{kind}-{format}.receipt.json"));
            let page = out(&format!("{kind}-{format}.html"));
            let mut runs = vec![
                with("whole", &[&UNLIMITED[..], &["--html", &page]].concat()),
                with("default", &["--receipt", &receipt]),
                with("tokens", &["--max-tokens", "20000"]),
                with("cut", &["--max-file-bytes", "997", "--max-content-bytes", "40000", "--max-files", "none"]),
                with("cut-more", &["--max-file-bytes", "5003", "--max-content-bytes", "none", "--max-files", "none"]),
            ];
            if kind == "full" {
                runs.push(with("split", &[&UNLIMITED[..], &["--split", "60000"]].concat()));
            }
            for args in runs {
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                let run = run(&sandbox, &mut watch, &args);
                assert!(run.code() < 2, "{args:?}\n{}", run.stderr());
            }
        }
    }
    // No more than names: outlines and lists of files.
    for tokens in ["2500", "6000"] {
        let args = ["pack", "--max-tokens", tokens, "--format", "markdown"];
        assert!(run(&sandbox, &mut watch, &args).code() <= 2);
    }
    look_at_files(&sandbox, &mut watch);
    report(&sandbox, &files);
    assert_clean(&watch);
}

/// What became of the secrets, by kind.
fn report(sandbox: &Sandbox, files: &[ProjectFile]) {
    let packed = sandbox.pack(&UNLIMITED);
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for file in files {
        for secret in &file.secrets {
            let entry = kinds.entry(secret.kind).or_default();
            entry.0 += 1;
            entry.1 += usize::from(packed.text(&file.path).is_some());
        }
    }
    println!("| kind | planted | in a file that was sent |");
    for (kind, (planted, sent)) in &kinds {
        println!("| {kind} | {planted} | {sent} |");
    }
    let sent: usize = kinds.values().map(|(_, sent)| sent).sum();
    println!("{SECRETS} secrets of {} kinds; {sent} stood in files that were sent", kinds.len());
    // Else it is no wonder that nothing leaks.
    assert!(sent * 10 >= SECRETS * 8, "only {sent}");
    let redacted: u64 =
        packed.pack["metadata"]["redactions"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert!(redacted >= sent as u64, "{redacted} of {sent}");
}

#[test]
fn no_secret_is_in_what_the_other_commands_say() {
    let (sandbox, files, mut watch) = planted();
    let out = |name: &str| sandbox.outside(name).display().to_string();
    for (name, format) in [("a.json", "json"), ("a.msgpack", "msgpack")] {
        let output = out(name);
        let args = [&["pack", "--type", "full", "--format", format, "--output", &output], &UNLIMITED[..]].concat();
        run(&sandbox, &mut watch, &args).assert_code(0);
    }
    for args in [
        &["pack"][..],
        &["pack", "--json", "--output", &out("b.json")],
        &["pack", "--type", "summary", "--format", "xml"],
        &["pack", "--on-secret", "exclude", "--output", &out("c.json")],
        &["pack", "--on-secret", "fail", "--output", &out("d.json")],
        &["pack", "--changed-since", "HEAD", "--output", &out("e.json")],
        &["snapshot"],
        &["snapshot", "--json"],
        &["unpack", &out("a.json")],
        &["unpack", "--json", &out("a.json")],
        &["unpack", &out("a.msgpack")],
        &["receipts", "list"],
        &["receipts", "list", "--json"],
        &["receipts", "show"],
        &["receipts", "show", "--json"],
        &["receipts", "verify"],
        &["receipts", "verify", &out("a.json"), "--json"],
        &["doctor"],
    ] {
        assert!(run(&sandbox, &mut watch, args).code() <= 2);
    }
    for file in &files {
        run(&sandbox, &mut watch, &["explain", &file.path]);
        run(&sandbox, &mut watch, &["explain", "--json", &file.path]);
    }
    look_at_files(&sandbox, &mut watch);
    assert_clean(&watch);
}

#[test]
fn look_alikes_are_left_alone() {
    let (sandbox, files, _) = planted();
    let packed = sandbox.pack(&UNLIMITED);
    let mut kinds: BTreeMap<&str, (usize, Vec<&str>)> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.innocent.is_empty()) {
        let text = packed.text(&file.path).unwrap_or_else(|| panic!("{} is not sent", file.path));
        for (kind, line) in &file.innocent {
            let entry = kinds.entry(kind).or_default();
            entry.0 += 1;
            if !text.contains(line) {
                entry.1.push(line);
            }
        }
    }
    println!("| kind | look-alikes | touched |");
    for (kind, (count, touched)) in &kinds {
        println!("| {kind} | {count} | {} |", touched.len());
    }
    let count: usize = kinds.values().map(|(count, _)| count).sum();
    let touched: Vec<&&str> = kinds.values().flat_map(|(_, touched)| touched).collect();
    println!("{} of {count} look-alikes touched", touched.len());
    assert!(count >= INNOCENT);
    assert!(touched.len() <= TOUCHED, "{touched:#?}");
}
