//! `get` and `outline`.

use ai_assist_collections::DocumentRef;

use crate::args::{Get, Outline};
use crate::commands::front::get::{print, warn};
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &Get) -> Result<Outcome> {
    let reference = DocumentRef::parse(&args.document);
    let document = context.collection_document(&reference, &args.among.collection, args.among.all)?;
    warn(context.terminal, document.freshness)?;
    context.terminal.show(|| &document, || context.terminal.document(&document.text))
}

pub(crate) fn outline(context: &Context, args: &Outline) -> Result<Outcome> {
    let reference = DocumentRef { name: args.document.clone(), lines: None };
    let document = context.collection_document(&reference, &args.among.collection, args.among.all)?;
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
