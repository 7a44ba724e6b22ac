//! `get` and `outline`.

use ai_assist_app::ReadPlace;
use ai_assist_chunk::OutlineEntry;
use ai_assist_client::requests;
use ai_assist_collections::Freshness;

use crate::commands::prelude::*;
use crate::daemon;

pub(crate) fn run(context: &Context, place: &str) -> Result<Outcome> {
    let place = read(context, place)?;
    warn(context.terminal, place.freshness)?;
    context.terminal.show(|| &place, || context.terminal.document(&place.text))
}

pub(crate) fn outline(context: &Context, place: &str) -> Result<Outcome> {
    let place = read(context, place)?;
    warn(context.terminal, place.freshness)?;
    let entries = place.outline();
    if context.terminal.json {
        let ReadPlace { place, collection, repo, document, language, .. } = &place;
        context.terminal.json(&json!({
            "path": place, "collection": collection, "repo": repo, "document": document, "language": language,
            "entries": entries,
        }))?;
    } else {
        print(context.terminal, &entries)?;
    }
    Ok(if entries.is_empty() { Outcome::Partial } else { Outcome::Done })
}

fn read(context: &Context, place: &str) -> Result<ReadPlace> {
    let asked = requests::Place { place: place.to_owned() };
    match daemon::ask(context, |client| client.place(&asked)) {
        Some(place) => Ok(place),
        None => Ok(context.read_place(place)?),
    }
}

/// Says where a text is no longer what stands in its file.
pub(crate) fn warn(terminal: Terminal, freshness: Freshness) -> Result<()> {
    match freshness {
        Freshness::Changed => terminal.warn("the file has changed since it was indexed"),
        Freshness::Missing => terminal.warn("the file is gone since it was indexed"),
        Freshness::Current | Freshness::Unknown => Ok(()),
    }
}

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
