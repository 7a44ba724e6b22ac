use ai_assist_chunk::{OutlineEntry, outline};
use anyhow::{Result, bail};

use crate::args::OutlineFile;
use crate::commands::Outcome;
use crate::context::Context;
use crate::terminal::{Terminal, one_line};

pub(crate) fn run(context: &Context, args: &OutlineFile) -> Result<Outcome> {
    let file = context.place(&args.path);
    if file.is_dir() {
        bail!("{} is a folder; for an overview of a repository: ai-assist map", file.display());
    }
    let file = context.file_at(&args.path)?;
    let (language, entries) = (file.language, outline(&file.text, file.language));
    let terminal = context.terminal;
    if terminal.json {
        let path = args.path.display().to_string();
        terminal.json(&serde_json::json!({ "path": path, "language": language, "entries": entries }))?;
    } else {
        print(terminal, &entries)?;
    }
    Ok(if entries.is_empty() { Outcome::Partial } else { Outcome::Done })
}

/// Prints headings or definitions with their lines.
pub(crate) fn print(terminal: Terminal, entries: &[OutlineEntry]) -> Result<()> {
    for entry in entries {
        let name = entry.signature.as_ref().unwrap_or(&entry.name);
        let depth = "  ".repeat(entry.depth);
        terminal.say(format!("{:>9}  {depth}{}", entry.lines.to_string(), one_line(name)))?;
    }
    if entries.is_empty() {
        terminal.note("The document has no headings or definitions.")?;
    }
    Ok(())
}
