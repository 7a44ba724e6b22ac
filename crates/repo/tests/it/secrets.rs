//! No secret value ever gets into a file of a build, nor of anything beside it.

use std::path::Path;

use crate::support::{Sandbox, paths};
use ai_assist_repo::layout::Mode;

const AWS: &str = "AKIAIOSFODNN7EXAMPL2";
const GITHUB: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

fn files_with(folder: &Path, needle: &[u8], found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_with(&path, needle, found);
        } else if std::fs::read(&path).unwrap().windows(needle.len()).any(|window| window == needle) {
            found.push(path.display().to_string());
        }
    }
}

#[test]
fn secrets_stay_out_of_every_file() {
    let sandbox = Sandbox::with_git();
    sandbox.write("src/a.rs", format!("// the key is {AWS}\nconst KEY: &str = \"{AWS}\";\nfn {AWS}() {{}}\n"));
    sandbox.write("b.py", format!("\"\"\"Uses {GITHUB}.\"\"\"\ntoken = '{GITHUB}'\n"));
    sandbox.write("README.md", format!("# Setup\n\nexport AWS_ACCESS_KEY_ID={AWS}\n"));
    sandbox.write("data.jsonl", format!("{{\"id\": \"{AWS}\", \"token\": \"{GITHUB}\"}}\n"));
    sandbox.write("run.csv", format!("using,{GITHUB}\n"));
    sandbox.write(".env", format!("TOKEN={GITHUB}\n"));
    sandbox.write("id_rsa", format!("not really a key {AWS}\n"));
    sandbox.commit();
    let report = sandbox.build();
    assert!(report.redacted >= 6, "{}", report.redacted);
    sandbox.write("README.md", format!("# Setup again\n\nexport AWS_ACCESS_KEY_ID={AWS}\n"));
    sandbox.build();
    // What is planted is what is looked for: the same search finds other words of the same files.
    let mut marked = Vec::new();
    files_with(&sandbox.cache(), b"KEY", &mut marked);
    assert!(!marked.is_empty());
    for secret in [AWS, GITHUB] {
        for needle in [secret.to_owned(), secret.to_lowercase()] {
            let mut found = Vec::new();
            files_with(&sandbox.cache(), needle.as_bytes(), &mut found);
            assert_eq!(found, Vec::<String>::new(), "{needle}");
        }
    }
    assert_eq!(paths(&sandbox.open(Mode::Prose)), ["README.md"]);
    assert_eq!(paths(&sandbox.open(Mode::Records)), ["data.jsonl", "run.csv"]);
}
