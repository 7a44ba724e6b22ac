//! The first minute: a temporary project over this tool's own documentation.

use std::path::Path;

use anstyle::AnsiColor;
use anyhow::{Context as _, Result};
use clap::Parser;

use crate::args::{Cli, Global};
use crate::commands::{Outcome, run as run_command};
use crate::terminal::{Terminal, styled};

/// The documentation that comes with the program, so that this works wherever the program is.
const DOCUMENTS: &[(&str, &str)] = &include!("../documents.in");

/// What is run, as a user would type it.
const COMMANDS: &[&[&str]] = &[
    &["add", "./manual", "--no-sync"],
    &["sync"],
    &["search", "how are words and meaning combined into one score", "--limit", "3"],
    &["search", "what happens when a sync is killed", "--limit", "3"],
    &["get", "manual/docs/concepts/ranking.md:1-3"],
];

pub(crate) fn run(global: &Global) -> Result<Outcome> {
    let terminal = Terminal::new(global);
    let folder = tempfile::Builder::new().prefix("ai-assist-quickstart-").tempdir()?;
    for (name, text) in DOCUMENTS {
        let file = folder.path().join("project/manual").join(name);
        let parent = file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent)?;
        std::fs::write(&file, text)?;
    }
    terminal.note(format!("A temporary project with {} documents: this tool's own manual.\n", DOCUMENTS.len()))?;
    let mut outcome = Outcome::Done;
    for command in COMMANDS {
        let shown: Vec<String> = command.iter().map(|word| quoted(word)).collect();
        terminal.note(styled(AnsiColor::Green.on_default().bold(), format!("$ ai-assist {}", shown.join(" "))))?;
        let cli = parse(global, folder.path(), command)?;
        if run_command(cli)? == Outcome::Partial {
            outcome = Outcome::Partial;
        }
        terminal.note("")?;
    }
    terminal.note("The temporary project is gone now. In a project of yours:")?;
    for line in ["add ./docs", "search \"your question\"", "get docs/PATH"] {
        terminal.note(format!("  ai-assist {line}"))?;
    }
    Ok(outcome)
}

/// The same flags the user gave, in the temporary project and with data of its own.
fn parse(global: &Global, folder: &Path, command: &[&str]) -> Result<Cli> {
    let path = |name: &str| folder.join(name).to_str().map(str::to_owned).context("the temporary folder is not UTF-8");
    let (project, data, cache) = (path("project")?, path("data")?, path("cache")?);
    let mut words = vec!["ai-assist", "-C", &project, "--data-dir", &data, "--cache-root", &cache];
    words.push("--config-file=context.json");
    if global.json {
        words.push("--json");
    }
    if global.quiet {
        words.push("--quiet");
    }
    words.extend(command);
    Ok(Cli::try_parse_from(words)?)
}

fn quoted(word: &str) -> String {
    if word.contains(' ') { format!("\"{word}\"") } else { word.to_owned() }
}
