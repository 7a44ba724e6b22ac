//! `collections manifest init` and `collections pack`.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use super::{guide, package};
use crate::support::{Sandbox, contains};

#[test]
fn the_same_files_give_the_same_bytes() {
    let names: Vec<String> =
        ["a.md", "b/c.md", "b/é ü.md", "z/y/x/w.md", "B.md", "a b.md"].iter().map(|name| (*name).to_owned()).collect();
    let make = |order: &[String], umask: u32, age: u64, extension: &str| {
        let sandbox = Sandbox::new();
        for name in order {
            sandbox.write(format!("pkg/{name}"), format!("# {name}\n\nText of {name}.\n"));
            let file = sandbox.project().join("pkg").join(name);
            let time = SystemTime::now() - Duration::from_secs(age);
            std::fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666 & !umask)).unwrap();
        }
        sandbox.write("pkg/manifest.json", r#"{"name": "p", "version": "1.0.0", "sources": {"glob": ["**/*.md"]}}"#);
        let mut command = sandbox.command();
        command.args([
            "collections",
            "pack",
            "--manifest",
            "pkg/manifest.json",
            "--output",
            &format!("out{extension}"),
        ]);
        let shell = format!("umask {umask:03o}; exec \"$0\" \"$@\"");
        let mut wrapped = std::process::Command::new("sh");
        wrapped.arg("-c").arg(shell).arg(command.get_program()).args(command.get_args());
        wrapped.current_dir(sandbox.project()).env_clear();
        wrapped.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = wrapped.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read(sandbox.project().join(format!("out{extension}"))).unwrap()
    };
    let backwards: Vec<String> = names.iter().rev().cloned().collect();
    for extension in [".tar.gz", ".tar.zst"] {
        let first = make(&names, 0o022, 0, extension);
        let second = make(&backwards, 0o077, 1_000_000, extension);
        assert!(first == second, "{extension}: the bytes differ");
    }
}

#[test]
fn a_bundle_holds_its_files_with_their_hashes() {
    let sandbox = Sandbox::new();
    guide(&sandbox, "1.2.0");
    let packed = sandbox.json(&["collections", "pack", "--manifest", "pkg/manifest.json"]);
    assert_eq!((packed["name"].as_str(), packed["files"].as_u64()), (Some("guide"), Some(3)));
    let file = sandbox.project().join("guide-1.2.0.tar.gz");
    assert_eq!(packed["path"].as_str(), file.to_str());
    assert!(packed["hash"].as_str().unwrap().starts_with("sha256:"));
    let listed = std::process::Command::new("tar").arg("tzf").arg(&file).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&listed.stdout).lines().collect::<Vec<_>>(),
        ["manifest.json", "deep/deeper/stations.md", "deep/signals.md", "start.md"]
    );
    sandbox.run(&["collections", "init"]).assert_code(0);
    let url = format!("file://{}", file.display());
    sandbox.run(&["collections", "add", "trains", &url]).assert_code(0);
    sandbox.sync();
    let hits = sandbox.hits(&["what does a red lamp mean", "--limit", "1"]);
    assert_eq!(hits, ["trains/deep/signals.md:1-3"]);
}

#[test]
fn nothing_secret_is_packed() {
    let sandbox = Sandbox::new();
    let key = "AKIAIOSFODNN7EXAMPL2";
    let files = [("a.md", "fine"), ("b.md", &format!("the key is {key}\n")), ("id_rsa", "x")];
    package(&sandbox, r#"{"name": "p", "version": "1", "sources": {"files": ["a.md", "b.md", "id_rsa"]}}"#, &files);
    let run = sandbox.run(&["collections", "pack", "--manifest", "pkg/manifest.json", "--output", "p.tgz"]);
    run.assert_code(2);
    assert!(run.stderr().contains("`b.md` has secret values: aws-access-key-id (1)"), "{}", run.stderr());
    assert!(!run.stderr().contains(key));
    assert!(!sandbox.project().join("p.tgz").exists());
    package(&sandbox, r#"{"name": "p", "version": "1", "sources": {"files": ["a.md", "b.md"]}}"#, &[]);
    let args =
        ["collections", "pack", "--manifest", "pkg/manifest.json", "--output", "p.tar.zst", "--on-secret", "redact"];
    sandbox.run(&args).assert_code(0);
    let archive =
        std::process::Command::new("zstd").args(["-dcq", "p.tar.zst"]).current_dir(sandbox.project()).output();
    if let Ok(archive) = archive {
        assert!(!contains(&archive.stdout, key.as_bytes()) && contains(&archive.stdout, b"redacted:"));
    }
}

#[test]
fn check_lists_what_is_wrong() {
    let sandbox = Sandbox::new();
    let files = [
        ("a.md", "the same text"),
        ("b.md", "the same text"),
        ("big.md", "0123456789".repeat(20).leak() as &str),
        ("key.md", "token AKIAIOSFODNN7EXAMPL2"),
        ("picture.md", "\u{0}\u{1}\u{2}binary\u{0}\u{0}"),
    ];
    let manifest = r#"{"name": "p q", "version": "1", "odd": 1, "sources": {"files": ["a.md", "b.md", "big.md", "key.md",
        "picture.md", "none.md", {"url": "https://example.com/x.md"},
        {"path": "c.md", "hash": "sha256:0000000000000000000000000000000000000000000000000000000000000000"}]}}"#;
    package(&sandbox, manifest, &files);
    sandbox.write("pkg/c.md", "c");
    let mut command = sandbox.command();
    command.env("AI_ASSIST_SYNC_MAX_FILE_BYTES", "100");
    command.args(["collections", "pack", "--check", "--manifest", "pkg/manifest.json", "--json"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let found: Vec<(&str, &str, &str)> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap_or_default();
            (text("severity"), text("code"), text("path"))
        })
        .collect();
    assert_eq!(
        found,
        [
            ("error", "bad-name", ""),
            ("error", "missing-file", "none.md"),
            ("error", "secret-value", "key.md"),
            ("error", "too-large", "big.md"),
            ("error", "hash-mismatch", "c.md"),
            ("error", "url-entry", "example.com/x.md"),
            ("warning", "not-text", "picture.md"),
            ("warning", "duplicate-content", "b.md"),
            ("warning", "manifest", ""),
        ]
    );
    assert_eq!(answer["ok"], false);
}

#[test]
fn a_first_manifest_can_be_packed_at_once() {
    let sandbox = Sandbox::new();
    sandbox.write("My Docs!/a.md", "# A\n");
    let folder = sandbox.project().join("My Docs!");
    let run = |args: &[&str]| {
        let output = sandbox.command().current_dir(&folder).args(args).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(run(&["collections", "manifest", "init"]).0, 0);
    let (code, stderr) = run(&["collections", "manifest", "init"]);
    assert!(code == 2 && stderr.contains("manifest.json is there already"), "{stderr}");
    assert_eq!(run(&["collections", "pack", "--check"]).0, 0);
    assert_eq!(run(&["collections", "pack"]).0, 0);
    assert!(folder.join("my-docs-0.1.0.tar.gz").is_file());
    let (code, stderr) = run(&["collections", "manifest", "init", "--force", "--glob", "../*"]);
    assert!(code == 2 && stderr.contains(".."), "{stderr}");
}

#[test]
fn what_can_not_be_packed_says_why() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["collections", "pack"]);
    run.assert_code(2);
    assert!(run.stderr().contains("manifest.json"), "{}", run.stderr());
    guide(&sandbox, "1.0.0");
    let run = sandbox.run(&["collections", "pack", "--manifest", "pkg/manifest.json", "--output", "x.zip"]);
    run.assert_code(2);
    assert!(run.stderr().contains(".tar.gz"), "{}", run.stderr());
    sandbox.write("pkg/manifest.json", r#"{"name": "p", "version": "1", "sources": {"glob": ["*.none"]}}"#);
    let run = sandbox.run(&["collections", "pack", "--manifest", "pkg/manifest.json"]);
    run.assert_code(2);
    assert!(run.stderr().contains("no file"), "{}", run.stderr());
}
