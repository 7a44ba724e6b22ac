use std::path::Path;

use ai_assist_chunk::{OutlineEntry, outline};
use ai_assist_identity::DocPath;
use ai_assist_repo::one_file::read_file;
use ai_assist_repo::root::{canonical_root, work_tree_top};
use ai_assist_text::Language;
use anyhow::{Context as _, Result, bail};

use crate::args::OutlineFile;
use crate::commands::Outcome;
use crate::context::Context;
use crate::terminal::{Terminal, one_line};

pub(crate) fn run(context: &Context, args: &OutlineFile) -> Result<Outcome> {
    let file = context.place(&args.path);
    if file.is_dir() {
        bail!("{} is a folder; for an overview of a repository: ai-assist map", file.display());
    }
    let (text, language) = read(context, &file)?;
    let entries = outline(&text, language);
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

/// The text of a file, with its secrets taken out.
fn read(context: &Context, file: &Path) -> Result<(String, Language)> {
    let missing = || format!("there is no file {}", file.display());
    let folder = file.parent().with_context(missing)?.canonicalize().with_context(missing)?;
    // The names of the folders count too when it is asked whether the file may be read.
    let root = canonical_root(&folder, &work_tree_top)?.to_path_buf();
    let place = folder.join(file.file_name().with_context(missing)?);
    let path = DocPath::from_relative(place.strip_prefix(&root).unwrap_or(&place))?;
    let file = read_file(&root, &path, &context.settings.limits())?;
    Ok((file.text, file.language))
}
