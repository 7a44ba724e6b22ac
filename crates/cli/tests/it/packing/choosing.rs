//! Which files are in a pack, in which form.

use serde_json::Value;

use super::{aws_key, git, project, sent};
use crate::support::Sandbox;

#[test]
fn a_pack_on_standard_output_has_every_field_of_the_spec() {
    let sandbox = project();
    let run = sandbox.run(&["pack"]);
    run.assert_code(0);
    let pack: Value = serde_json::from_str(&run.stdout()).unwrap();
    assert_eq!(pack["type"], "full");
    assert_eq!(pack["manifest"]["project_name"], "till");
    assert_eq!(pack["manifest"]["project_type"], "rust");
    assert_eq!(pack["manifest"]["purpose_guess"], "Counts money.");
    assert_eq!(pack["manifest"]["build_system"], "cargo");
    assert_eq!(pack["manifest"]["dependencies"][0]["name"], "serde");
    assert_eq!(pack["manifest"]["entry_points"][0], "src/main.rs");
    assert_eq!(
        sent(&pack),
        ["Cargo.toml", "README.md", "src/auth.rs", "src/main.rs", "src/money.rs", "tests/login.rs"]
    );
    let metadata = &pack["metadata"];
    assert_eq!(metadata["pack_type"], "full");
    assert_eq!(metadata["files_included"], 6);
    assert_eq!(metadata["total_files_scanned"], 9);
    assert_eq!(metadata["files_excluded"], 3);
    assert_eq!(metadata["truncation_applied"], false);
    assert!(metadata["total_content_tokens"].as_u64() > Some(20));
    assert_eq!(metadata["redactions"].as_object().unwrap().len(), 1);
    let left_out: Vec<(&str, &str)> = pack["file_index"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["included"] == false)
        .map(|entry| (entry["path"].as_str().unwrap(), entry["exclusion_reason"].as_str().unwrap()))
        .collect();
    assert_eq!(left_out, [(".env", "credentials"), ("logo.png", "binary"), ("target", "build_output")]);
    assert!(!run.stdout().contains(&aws_key()) && !run.stderr().contains(&aws_key()));
    // What is said about it goes elsewhere.
    assert!(run.stderr().contains("till: full pack of 6 of 9 files"), "{}", run.stderr());
    assert!(run.stderr().contains("Largest files") && run.stderr().contains("credentials"), "{}", run.stderr());
    assert!(sandbox.run(&["pack", "--quiet"]).stderr().is_empty());
}

#[test]
fn the_format_follows_from_the_flag_or_the_name() {
    let sandbox = project();
    for (name, flag, opens) in [
        ("a.json", None, &b"{"[..]),
        ("a.md", None, b"# `till`"),
        ("a.xml", None, b"<"),
        ("a.msgpack", None, b"\x86"),
        ("a.txt", None, b"{"),
        ("b.txt", Some("xml"), b"<"),
        ("b.json", Some("markdown"), b"# "),
    ] {
        let mut args = vec!["pack", "--output", name, "--quiet"];
        args.extend(flag.iter().flat_map(|flag| ["--format", flag]));
        sandbox.run(&args).assert_code(0);
        let bytes = std::fs::read(sandbox.project().join(name)).unwrap();
        assert!(bytes.starts_with(opens), "{name}: {:?}", &bytes[..8]);
    }
}

#[test]
fn globs_are_read_as_people_write_them() {
    let sandbox = project();
    sandbox.write(".github/workflows/ci.yml", "on: push\n");
    sandbox.write("src/deep/er/x.test.rs", "// x\n");
    for (args, expected) in [
        (&["--include", "*.md"][..], &["README.md"][..]),
        (&["-i", "src"], &["src/auth.rs", "src/deep/er/x.test.rs", "src/main.rs", "src/money.rs"]),
        (&["-i", "src/", "-x", "*.test.rs"], &["src/auth.rs", "src/main.rs", "src/money.rs"]),
        (&["-i", "./src/*.rs", "-x", "auth.rs"], &["src/main.rs", "src/money.rs"]),
        (&["-x", "src", "-x", "tests/"], &[".github/workflows/ci.yml", "Cargo.toml", "README.md"]),
        (&["-i", ".github"], &[".github/workflows/ci.yml"]),
        (&["-i", "**/*.{md,yml}"], &["README.md"]),
    ] {
        let pack: Value = sandbox.run(&[&["pack"], args].concat()).json();
        assert_eq!(sent(&pack), expected, "{args:?}");
    }
    let run = sandbox.run(&["pack", "--include", "a[b"]);
    run.assert_code(2);
    assert!(run.stderr().contains("a[b"), "{}", run.stderr());
    let run = sandbox.run(&["pack", "--include", "*.zig"]);
    run.assert_code(1);
    assert!(run.stderr().contains("0 of"), "{}", run.stderr());
}

#[test]
fn a_second_run_does_not_pack_what_the_first_one_wrote() {
    let sandbox = project();
    let args = ["pack", "-o", "out/pack.json", "--html", "out/pack.html", "--receipt", "out/r.yaml", "--reproducible"];
    std::fs::create_dir(sandbox.project().join("out")).unwrap();
    git(&sandbox.project(), &["init", "-q"]);
    git(&sandbox.project(), &["add", "."]);
    sandbox.run(&args).assert_code(0);
    let first = std::fs::read(sandbox.project().join("out/pack.json")).unwrap();
    git(&sandbox.project(), &["add", "-f", "out"]);
    sandbox.run(&args).assert_code(0);
    let second: Value =
        serde_json::from_slice(&std::fs::read(sandbox.project().join("out/pack.json")).unwrap()).unwrap();
    let first: Value = serde_json::from_slice(&first).unwrap();
    assert_eq!(sent(&first), sent(&second));
}

#[test]
fn secrets_are_taken_out_left_out_or_stop_the_work() {
    let sandbox = project();
    let redacted: Value = sandbox.run(&["pack"]).json();
    let text = redacted["key_files"].as_array().unwrap().iter().find(|file| file["path"] == "src/auth.rs").unwrap();
    assert!(text["content"].as_str().unwrap().contains("pub fn login()"));
    let excluded: Value = sandbox.run(&["pack", "--on-secret", "exclude"]).json();
    assert!(!sent(&excluded).contains(&"src/auth.rs".to_owned()));
    let failed = sandbox.run(&["pack", "--on-secret", "fail", "--output", "x.json"]);
    failed.assert_code(2);
    assert!(failed.stderr().contains("src/auth.rs") && failed.stderr().contains("aws"), "{}", failed.stderr());
    assert!(!failed.stderr().contains(&aws_key()));
    assert!(!sandbox.project().join("x.json").exists());
    // Only a name on the command line opens the door, and the receipt says so.
    sandbox.write("context.json", r#"{ "collections": {}, "settings": {} }"#);
    let allowed = sandbox.json(&["pack", "--allow", ".env", "--output", "x.json"]);
    assert_eq!(allowed["metadata"]["files_included"], 8);
    let receipt = std::fs::read_to_string(sandbox.project().join("x.json.receipt.yaml")).unwrap();
    assert!(receipt.contains("allowed:\n  - \".env\"\n"), "{receipt}");
    let missing = sandbox.run(&["pack", "--allow", "no/such.pem"]);
    missing.assert_code(2);
    assert!(missing.stderr().contains("no/such.pem"), "{}", missing.stderr());
}

/// Files, lines and rules are told, on a terminal and to programs; what was taken out never is.
#[test]
fn a_pack_says_where_secrets_were_taken_out() {
    let sandbox = project();
    let told = sandbox.json(&["pack", "--output", "x.json"]);
    let place = serde_json::json!([{ "path": "src/auth.rs", "rule": "aws-access-key-id", "lines": [3] }]);
    assert_eq!(told["redactions"], place);
    let listed = sandbox.run(&["pack", "--redactions", "--output", "x.json"]);
    listed.assert_code(0);
    let line = |text: &str| text.contains("src/auth.rs") && text.contains(" 3 ") && text.contains("aws-access-key-id");
    assert!(listed.stdout().lines().any(line), "{}", listed.stdout());
    let silent = sandbox.run(&["pack", "--output", "x.json"]);
    assert!(!silent.stdout().lines().any(line), "{}", silent.stdout());
    for run in [&listed, &silent] {
        assert!(!run.stdout().contains(&aws_key()) && !run.stderr().contains(&aws_key()));
    }
}

/// What one rule finds in one file goes out if somebody says why, and the receipt has the reason; all else is taken out.
#[test]
fn a_rule_is_allowed_in_a_file_with_a_reason() {
    let sandbox = project();
    sandbox.write("src/other.rs", format!("const KEY: &str = \"{}\";\n", aws_key()));
    let allow = "src/auth.rs#aws-access-key-id=made up for a test";
    let told = sandbox.json(&["pack", "--allow", allow, "--output", "x.json"]);
    assert_eq!(told["redactions"][0]["path"], "src/other.rs");
    assert_eq!(told["redactions"].as_array().unwrap().len(), 1);
    let pack: Value = serde_json::from_slice(&std::fs::read(sandbox.project().join("x.json")).unwrap()).unwrap();
    let files = pack["key_files"].as_array().unwrap().iter().chain(pack["contents"].as_array().unwrap());
    for file in files.filter(|file| ["src/auth.rs", "src/other.rs"].contains(&file["path"].as_str().unwrap())) {
        let holds = file["content"].as_str().unwrap().contains(&aws_key());
        assert_eq!(holds, file["path"] == "src/auth.rs", "{file}");
    }
    let receipt = std::fs::read_to_string(sandbox.project().join("x.json.receipt.yaml")).unwrap();
    let part = receipt.split("allowances:").nth(1).unwrap_or_default();
    for word in ["src/auth.rs", "aws-access-key-id", "made up for a test", "3"] {
        assert!(part.contains(word), "{receipt}");
    }
    assert!(!receipt.contains(&aws_key()) && receipt.contains("allowed: []"), "{receipt}");
    sandbox.run(&["receipts", "verify"]).assert_code(0);
    for (allow, expected) in [
        ("src/auth.rs#aws-access-key-id", "REASON"),
        ("src/auth.rs#no-such-rule=x", "no-such-rule"),
        ("src/no.rs#aws-access-key-id=x", "src/no.rs"),
        (".env=", "reason"),
    ] {
        let refused = sandbox.run(&["pack", "--allow", allow, "--output", "y.json"]);
        refused.assert_code(2);
        assert!(refused.stderr().contains(expected), "{allow}: {}", refused.stderr());
    }
    // A file as a whole may have a reason too.
    sandbox.run(&["pack", "--allow", ".env=for a look at it", "--output", "z.json"]).assert_code(0);
    let receipt = std::fs::read_to_string(sandbox.project().join("z.json.receipt.yaml")).unwrap();
    assert!(receipt.contains("allowed:\n  - \".env\"\n") && receipt.contains("for a look at it"), "{receipt}");
}

#[test]
fn what_git_tracks_stays_and_changes_can_be_asked_for() {
    let sandbox = project();
    sandbox.write("build/make.rs", "// tracked\n");
    sandbox.write("out/made.rs", "// not tracked\n");
    let without: Value = sandbox.run(&["pack"]).json();
    assert!(!sent(&without).iter().any(|path| path.starts_with("build/")));
    git(&sandbox.project(), &["init", "-q"]);
    git(&sandbox.project(), &["add", "build", "src", "Cargo.toml"]);
    git(&sandbox.project(), &["commit", "-qm", "first"]);
    let with: Value = sandbox.run(&["pack"]).json();
    assert!(sent(&with).contains(&"build/make.rs".to_owned()) && !sent(&with).contains(&"out/made.rs".to_owned()));
    sandbox.write("src/money.rs", "pub struct Money(pub i128);\n");
    sandbox.write("src/new.rs", "// new\n");
    std::fs::remove_file(sandbox.project().join("src/main.rs")).unwrap();
    let changed: Value = sandbox.run(&["pack", "--changed-since", "HEAD", "-i", "src"]).json();
    assert_eq!(sent(&changed), ["src/money.rs", "src/new.rs"]);
    for revision in ["nonsense", "--output=x", "HEAD..HEAD"] {
        let run = sandbox.run(&["pack", &format!("--changed-since={revision}")]);
        run.assert_code(2);
        assert!(run.stderr().contains(revision), "{}", run.stderr());
    }
    let run = Sandbox::new().run(&["pack", "--changed-since", "HEAD"]);
    run.assert_code(2);
    assert!(run.stderr().contains("git"), "{}", run.stderr());
}

#[test]
fn folders_that_are_none_are_named() {
    let sandbox = project();
    for (args, expected) in [
        (&["pack", "no/such/place"][..], "no/such/place"),
        (&["pack", "README.md"], "--include 'README.md'"),
        (&["snapshot", "no/such/place"], "no/such/place"),
    ] {
        let run = sandbox.run(args);
        run.assert_code(2);
        assert!(run.stderr().contains(expected), "{}", run.stderr());
    }
    std::fs::create_dir(sandbox.project().join("empty")).unwrap();
    let run = sandbox.run(&["pack", "empty"]);
    run.assert_code(1);
    assert!(run.stderr().contains("0 of 0 files"), "{}", run.stderr());
}

#[test]
fn how_files_are_cut_and_decoded_can_be_said() {
    let sandbox = Sandbox::new();
    let lines: String = (1..=500).map(|n| format!("line {n}\n")).collect();
    sandbox.write("long.txt", lines);
    sandbox.write("odd.txt", b"\xef\xbb\xbfThe mark says UTF-8, and \xff is none.\n");
    let cut = [
        "--max-file-bytes", "1000", "--preserve-head-lines", "2", "--preserve-tail-lines", "1", "--truncation-marker",
        "[cut here]",
    ];
    let pack = sandbox.json(&[&["pack", "--include", "long.txt"][..], &cut].concat());
    assert_eq!(pack["contents"][0]["content"], "line 1\nline 2\n\n[cut here]\nline 500\n");
    assert_eq!(sent(&sandbox.json(&["pack"])), ["long.txt", "odd.txt"]);
    let skipped = sandbox.json(&["pack", "--on-decode-error", "skip"]);
    assert_eq!(sent(&skipped), ["long.txt"]);
    let entry = skipped["file_index"].as_array().unwrap().iter().find(|entry| entry["path"] == "odd.txt").unwrap();
    assert_eq!(entry["exclusion_reason"], "unreadable");
}
