use ai_assist_collections::{DocumentRef, Freshness};

use crate::args::Get;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &Get) -> Result<Outcome> {
    let reference = DocumentRef::parse(&args.document);
    let document = context.collection_document(&reference, &args.collection, args.all)?;
    match document.freshness {
        Freshness::Changed => context.terminal.warn("the file has changed since it was indexed")?,
        Freshness::Missing => context.terminal.warn("the file is gone since it was indexed")?,
        Freshness::Current | Freshness::Unknown => {}
    }
    if context.terminal.json {
        context.terminal.json(&document)?;
    } else {
        context.terminal.document(&document.text)?;
    }
    Ok(Outcome::Done)
}
