use ai_assist_collections::DocumentRef;

use crate::args::Outline;
use crate::commands::prelude::*;
use crate::commands::repos::outline::print;

pub(crate) fn run(context: &Context, args: &Outline) -> Result<Outcome> {
    let reference = DocumentRef { name: args.document.clone(), lines: None };
    let document = context.collection_document(&reference, &args.collection, args.all)?;
    let entries = document.outline();
    if context.terminal.json {
        let value = json!({
            "collection": document.collection,
            "collectionId": document.collection_id,
            "document": document.document,
            "language": document.language,
            "entries": entries,
        });
        context.terminal.json(&value)?;
    } else {
        print(context.terminal, &entries)?;
    }
    Ok(if entries.is_empty() { Outcome::Partial } else { Outcome::Done })
}
