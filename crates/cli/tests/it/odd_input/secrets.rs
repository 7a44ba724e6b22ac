//! A secret in a document never leaves it.

use crate::support::{Run, Sandbox, bytes_below, contains};

/// Secrets put together here, so that this file holds none.
fn secrets() -> Vec<String> {
    let letters = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
    let aws = format!("{}{}", "AKIA", "QZ7XH3JMW2RTB5KD");
    vec![format!("{}{}", "ghp_", letters), aws]
}

fn document() -> String {
    let secrets = secrets();
    format!(
        "# Deployment of {}\n\nThe walrus deploys with `GITHUB_TOKEN={}` set.\n\n```sh\nexport AWS_ACCESS_KEY_ID={}\n```\n",
        secrets[0], secrets[0], secrets[1]
    )
}

fn assert_clean(run: &Run, what: &str) {
    for secret in secrets() {
        assert!(!contains(&run.0.stdout, secret.as_bytes()), "{what}: stdout\n{}", run.stdout());
        assert!(!contains(&run.0.stderr, secret.as_bytes()), "{what}: stderr\n{}", run.stderr());
    }
}

#[test]
fn a_secret_is_in_no_file_of_ours_and_in_no_output() {
    let sandbox = Sandbox::with_docs(&[("deploy.md", &document())]);
    let run = sandbox.sync();
    assert_clean(&run, "sync");
    assert!(run.stderr().contains("redacted"), "{}", run.stderr());
    let told = sandbox.run(&["collections", "sync", "--force", "--redactions"]);
    assert_clean(&told, "sync --redactions");
    assert!(told.stderr().contains("redacted: deploy.md:1,3 by github-token"), "{}", told.stderr());
    let report = sandbox.json(&["collections", "sync", "--force"]);
    let keys = serde_json::json!({ "path": "deploy.md", "rule": "aws-access-key-id", "lines": [6] });
    let lists = report["collections"].as_array().or_else(|| report.as_array()).cloned().unwrap_or_default();
    let found = lists.iter().any(|it| it["redactions"].as_array().is_some_and(|all| all.contains(&keys)));
    assert!(found, "{report}");
    for args in [
        &["ref", "search", "walrus deploys", "--full"][..],
        &["ref", "search", "walrus deploys", "--json", "--explain"],
        &["ref", "get", "docs/deploy.md"],
        &["ref", "get", "docs/deploy.md", "--json"],
        &["ref", "outline", "docs/deploy.md"],
        &["ref", "outline", "docs/deploy.md", "--json"],
        &["ref", "ls", "--json"],
        &["collections", "sync", "--force", "--json"],
        &["collections", "list", "--json"],
        &["doctor", "--json"],
    ] {
        let run = sandbox.run(args);
        run.assert_code(0);
        assert_clean(&run, &args.join(" "));
    }
    let read = sandbox.run(&["ref", "get", "docs/deploy.md"]).stdout();
    assert!(read.contains("The walrus deploys with") && read.contains("export AWS_ACCESS_KEY_ID="), "{read}");
    for folder in ["data", "cache"] {
        for (path, bytes) in bytes_below(&sandbox.root().join(folder)) {
            for secret in secrets() {
                // Also as the word index would hold it, and its pieces.
                for form in [secret.clone(), secret.to_lowercase(), secret[4..].to_lowercase()] {
                    assert!(!contains(&bytes, form.as_bytes()), "{form} in {}", path.display());
                }
            }
        }
    }
    for secret in secrets() {
        assert_eq!(sandbox.hits(&[&secret, "--mode", "lexical"]), [""; 0]);
    }
}

#[test]
fn a_secret_that_comes_later_goes_too() {
    let sandbox = Sandbox::with_synced_docs(&[("deploy.md", "# Deployment\n\nThe walrus.\n")]);
    sandbox.write("docs/deploy.md", document());
    sandbox.sync();
    sandbox.write("docs/deploy.md", "# Deployment\n\nNothing to hide.\n");
    sandbox.sync();
    for (path, bytes) in bytes_below(&sandbox.data()) {
        for secret in secrets() {
            assert!(!contains(&bytes, secret.as_bytes()), "{}", path.display());
        }
    }
}

#[test]
fn credential_stores_are_left_out_by_name() {
    let sandbox = Sandbox::new();
    for name in [".env", "id_rsa", ".netrc", "server.pem", "notes.md"] {
        sandbox.write(format!("all/{name}"), "the walrus\n");
    }
    sandbox.run(&["collections", "init"]).assert_code(0);
    sandbox.run(&["collections", "add", "all", "./all", "--glob", "**/{*,.*}"]).assert_code(0);
    let run = sandbox.sync();
    assert!(run.stderr().contains("has the name of a credential store"), "{}", run.stderr());
    assert_eq!(sandbox.hits(&["walrus", "--mode", "lexical", "-n", "50"]), ["all/notes.md:1-1"]);
}
