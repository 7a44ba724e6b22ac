//! Other scanners on the same files, where they are installed.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// A line that a scanner reports: the file's name and the line, from one.
pub(super) type Hits = BTreeSet<(String, usize)>;

/// `detect-secrets scan`, without asking any service whether a value is valid.
pub(super) fn detect_secrets(program: &Path, folder: &Path) -> Result<Hits> {
    let answer =
        Command::new(program).args(["scan", "--all-files", "--no-verify", "."]).current_dir(folder).output()?;
    ensure!(answer.status.success(), "detect-secrets failed");
    let report: Value = serde_json::from_slice(&answer.stdout).context("detect-secrets wrote no JSON")?;
    let mut hits = Hits::new();
    for (file, found) in report["results"].as_object().into_iter().flatten() {
        for one in found.as_array().into_iter().flatten() {
            hits.insert((name_of(file), line_of(&one["line_number"])));
        }
    }
    Ok(hits)
}

/// `secretlint` with its recommended rules.
pub(super) fn secretlint(program: &Path, folder: &Path) -> Result<Hits> {
    let rules = folder.join(".secretlintrc.json");
    std::fs::write(&rules, r#"{"rules":[{"id":"@secretlint/secretlint-rule-preset-recommend"}]}"#)?;
    // It ends before a pipe is emptied, so it writes to a file.
    let report = tempfile::NamedTempFile::new()?;
    Command::new(program).args(["--format", "json", "**/*"]).current_dir(folder).stdout(report.reopen()?).status()?;
    std::fs::remove_file(&rules)?;
    let report: Value = serde_json::from_slice(&std::fs::read(report.path())?).context("secretlint wrote no JSON")?;
    let mut hits = Hits::new();
    for file in report.as_array().into_iter().flatten() {
        for message in file["messages"].as_array().into_iter().flatten() {
            let name = file["filePath"].as_str().unwrap_or_default();
            hits.insert((name_of(name), line_of(&message["loc"]["start"]["line"])));
        }
    }
    Ok(hits)
}

fn name_of(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}

fn line_of(value: &Value) -> usize {
    value.as_u64().and_then(|line| usize::try_from(line).ok()).unwrap_or_default()
}
