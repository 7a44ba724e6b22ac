use ai_assist_collections::DocumentRef;
use anyhow::Result;

use crate::args::Outline;
use crate::commands::Outcome;
use crate::context::Context;
use crate::terminal::one_line;

pub(crate) fn run(context: &Context, args: &Outline) -> Result<Outcome> {
    let members = context.members()?;
    let reference = DocumentRef { name: args.document.clone(), lines: None };
    let document = context.library()?.read(&members, &args.collection, args.all, &reference)?;
    let entries = document.outline();
    if context.terminal.json {
        let value = serde_json::json!({
            "collection": document.collection,
            "collectionId": document.collection_id,
            "document": document.document,
            "language": document.language,
            "entries": entries,
        });
        context.terminal.json(&value)?;
    } else {
        for entry in &entries {
            let name = entry.signature.as_ref().unwrap_or(&entry.name);
            context.terminal.say(format!(
                "{:>9}  {}{}",
                entry.lines.to_string(),
                "  ".repeat(entry.depth),
                one_line(name)
            ))?;
        }
        if entries.is_empty() {
            context.terminal.note("The document has no headings or definitions.")?;
        }
    }
    Ok(if entries.is_empty() { Outcome::Partial } else { Outcome::Done })
}
