use ai_assist_collections::DocumentRef;

use crate::args::Get;
use crate::commands::front::get::warn;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &Get) -> Result<Outcome> {
    let reference = DocumentRef::parse(&args.document);
    let document = context.collection_document(&reference, &args.collection, args.all)?;
    warn(context.terminal, document.freshness)?;
    if context.terminal.json {
        context.terminal.json(&document)?;
    } else {
        context.terminal.document(&document.text)?;
    }
    Ok(Outcome::Done)
}
