//! `get` and `outline`.

use ai_assist_app::ReadPlace;
use ai_assist_collections::Freshness;

use crate::commands::prelude::*;
use crate::commands::repos::outline::print;

pub(crate) fn run(context: &Context, place: &str) -> Result<Outcome> {
    let place = context.read_place(place)?;
    warn(context.terminal, place.freshness)?;
    if context.terminal.json {
        context.terminal.json(&place)?;
        return Ok(Outcome::Done);
    }
    context.terminal.document(&place.text)?;
    Ok(Outcome::Done)
}

pub(crate) fn outline(context: &Context, place: &str) -> Result<Outcome> {
    let place = context.read_place(place)?;
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

/// Says where a text is no longer what stands in its file.
pub(crate) fn warn(terminal: Terminal, freshness: Freshness) -> Result<()> {
    match freshness {
        Freshness::Changed => terminal.warn("the file has changed since it was indexed"),
        Freshness::Missing => terminal.warn("the file is gone since it was indexed"),
        Freshness::Current | Freshness::Unknown => Ok(()),
    }
}
