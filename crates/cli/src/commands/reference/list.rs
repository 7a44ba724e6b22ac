use ai_assist_collections::DocumentHead;
use ai_assist_identity::CollectionKind;
use ai_assist_store::{CollectionRecord, CollectionState};

use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, name: Option<String>, all: bool) -> Result<Outcome> {
    if let Some(name) = name {
        let heads = context.library()?.documents(&context.members()?, &[name])?;
        return documents(context, &heads);
    }
    let members = context.members()?;
    let library = context.library()?;
    let mut rows = Vec::new();
    let mut others = 0;
    for record in library.store().collections()? {
        let state = library.store().state(&record.id)?.unwrap_or_default();
        let named = members.iter().filter(|member| *member.resolved.id() == record.id);
        let names: Vec<String> = named.map(|member| member.name.clone()).collect();
        // Where nothing is declared, there is no project to keep to.
        if names.is_empty() && !all && !members.is_empty() {
            others += 1;
            continue;
        }
        rows.push((names, record, state));
    }
    let outcome = if rows.is_empty() { Outcome::Partial } else { Outcome::Done };
    if context.terminal.json {
        let collections: Vec<Value> = rows.iter().map(json_of).collect();
        context.terminal.json(&json!({ "collections": collections }))?;
        return Ok(outcome);
    }
    if rows.is_empty() {
        context.terminal.note("Nothing is indexed here yet. Start with: ai-assist sync")?;
    } else {
        let cells = rows.iter().map(cells).collect();
        context.terminal.table(&["Name", "Type", "Source", "Documents", "Chunks", "Last sync", "Id"], cells)?;
    }
    if others > 0 {
        context.terminal.note(format!("{} of other projects: --all", count(others, "collection")))?;
    }
    Ok(outcome)
}

/// Lists documents by the names that other commands take.
pub(crate) fn documents(context: &Context, heads: &[DocumentHead]) -> Result<Outcome> {
    if context.terminal.json {
        context.terminal.json(&json!({ "documents": heads }))?;
    } else {
        let place = |head: &DocumentHead| one_line(&format!("{}/{}", head.collection, head.document)) + "\n";
        context.terminal.page(&heads.iter().map(place).collect::<String>())?;
        context.terminal.note(count(heads.len(), "document"))?;
    }
    Ok(if heads.is_empty() { Outcome::Partial } else { Outcome::Done })
}

/// A collection that is indexed, with the names that it has here.
type Row = (Vec<String>, CollectionRecord, CollectionState);

fn json_of((names, record, state): &Row) -> Value {
    json!({
        "id": record.id, "type": record.kind, "names": names, "path": record.path, "glob": record.glob,
        "url": record.url, "documents": state.documents, "chunks": state.chunks, "bytes": state.bytes,
        "lastSyncAt": record.last_sync_at,
    })
}

fn cells((names, record, state): &Row) -> Vec<String> {
    let source = match (&record.path, &record.glob, &record.url) {
        (Some(path), Some(glob), _) => format!("{path} ({glob})"),
        (_, _, Some(url)) => url.clone(),
        _ => String::new(),
    };
    let id = match record.kind {
        // Long, and enough of it to name the collection by.
        CollectionKind::File => record.id.as_str().chars().take(17).collect(),
        CollectionKind::Dep => record.id.as_str().chars().take(16).collect(),
        CollectionKind::Pkg | CollectionKind::Site => record.id.to_string(),
    };
    let (documents, chunks) = (state.documents.to_string(), state.chunks.to_string());
    let last_sync = record.last_sync_at.clone().unwrap_or_else(|| "never finished".to_owned());
    vec![names.join(", "), record.kind.to_string(), source, documents, chunks, last_sync, id]
}
