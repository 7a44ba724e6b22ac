use ai_assist_chunk::OutlineEntry;

use crate::commands::prelude::*;

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
