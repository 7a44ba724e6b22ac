//! Asking without packing: `explain` and `snapshot`.

use super::{aws_key, git, project};

#[test]
fn a_path_is_explained_by_the_rule_that_decides() {
    let sandbox = project();
    sandbox.write(".gitignore", "*.tmp\n/scratch/\n");
    sandbox.write("a.tmp", "x");
    sandbox.write("scratch/deep/x.rs", "x");
    for (path, code, expected) in [
        ("src/main.rs", 0, &["is included"][..]),
        ("src", 0, &["is entered"]),
        ("src/auth.rs", 0, &["is included", "taken out: 1 value by the rule aws"]),
        (".env", 1, &["credential store"]),
        ("target/debug/out.txt", 1, &["output of a build", "decided at: target", "**/target/**", "build_outputs"]),
        ("logo.png", 1, &["binary"]),
        ("a.tmp", 1, &["ignore file", "*.tmp", ".gitignore:1"]),
        ("scratch/deep/x.rs", 1, &["ignore file", "/scratch/", ".gitignore:2", "decided at: scratch"]),
        ("not/there.rs", 0, &["is not there"]),
        ("not/there.pem", 1, &["is not there", "credential store"]),
    ] {
        let run = sandbox.run(&["explain", path]);
        run.assert_code(code);
        for part in expected {
            assert!(run.stdout().contains(part), "{path}: {part} in {}", run.stdout());
        }
        assert!(!run.stdout().contains(&aws_key()));
    }
    let allowed = sandbox.run(&["explain", ".env", "--allow", ".env"]);
    allowed.assert_code(0);
    assert!(allowed.stdout().contains("allowed by hand"), "{}", allowed.stdout());
    let json = sandbox.run(&["explain", ".env", "--json"]).json();
    assert_eq!(json["explanation"]["reason"], "secret-name");
    // From elsewhere, the project is found by its git folder.
    git(&sandbox.project(), &["init", "-q"]);
    let absolute = sandbox.project().join("target/debug/out.txt");
    let run = sandbox.run(&["-C", "/", "explain", absolute.to_str().unwrap()]);
    run.assert_code(1);
    assert!(run.stdout().starts_with("target/debug/out.txt"), "{}", run.stdout());
    let outside = sandbox.run(&["explain", "/", "--root", "."]);
    outside.assert_code(2);
    assert!(outside.stderr().contains("does not lie in"), "{}", outside.stderr());
}

#[test]
fn a_snapshot_has_every_field_of_the_spec() {
    let sandbox = project();
    let snapshot = sandbox.json(&["snapshot"]);
    for key in [
        "root_path", "scan_timestamp", "directory_tree", "total_files", "total_directories", "total_size_bytes",
        "files", "excluded_files", "exclusion_stats",
    ] {
        assert!(!snapshot[key].is_null(), "{key}");
    }
    let file =
        snapshot["files"].as_array().unwrap().iter().find(|file| file["relative_path"] == "src/auth.rs").unwrap();
    for (key, value) in [("name", "auth.rs"), ("extension", "rs"), ("type", "text"), ("category", "auth")] {
        assert_eq!(file[key], value);
    }
    assert_eq!(file["is_key_file"], true);
    assert_eq!(file["content_extractable"], true);
    assert_eq!(
        snapshot["exclusion_stats"],
        serde_json::json!({ "by_pattern": 1, "by_size": 0, "by_binary": 1, "by_credentials": 1 })
    );
    let run = sandbox.run(&["snapshot"]);
    run.assert_code(0);
    for part in ["9 files", "6 to send, 3 left out", "Key file", "src/main.rs", "entrypoint", "build_output"] {
        assert!(run.stdout().contains(part), "{part} in {}", run.stdout());
    }
    let run = sandbox.run(&["snapshot", "--on-secret", "fail"]);
    run.assert_code(2);
    assert!(run.stderr().contains("src/auth.rs"), "{}", run.stderr());
}
