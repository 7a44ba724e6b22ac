use ai_assist_collections::DocumentHead;
use ai_assist_identity::{CollectionId, CollectionKind};
use serde::Serialize;

use crate::commands::prelude::*;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: CollectionId,
    #[serde(rename = "type")]
    kind: CollectionKind,
    names: Vec<String>,
    path: Option<String>,
    glob: Option<String>,
    url: Option<String>,
    documents: u64,
    chunks: u64,
    bytes: u64,
    last_sync_at: Option<String>,
}

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
        rows.push(Row {
            names,
            kind: record.kind,
            id: record.id,
            path: record.path,
            glob: record.glob,
            url: record.url,
            documents: state.documents,
            chunks: state.chunks,
            bytes: state.bytes,
            last_sync_at: record.last_sync_at,
        });
    }
    let outcome = if rows.is_empty() { Outcome::Partial } else { Outcome::Done };
    if context.terminal.json {
        context.terminal.json(&json!({ "collections": rows }))?;
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

fn cells(row: &Row) -> Vec<String> {
    let source = match (&row.path, &row.glob, &row.url) {
        (Some(path), Some(glob), _) => format!("{path} ({glob})"),
        (_, _, Some(url)) => url.clone(),
        _ => String::new(),
    };
    let id = match row.kind {
        // Long, and enough of it to name the collection by.
        CollectionKind::File => row.id.as_str().chars().take(17).collect(),
        CollectionKind::Pkg => row.id.to_string(),
    };
    vec![
        row.names.join(", "),
        row.kind.to_string(),
        source,
        row.documents.to_string(),
        row.chunks.to_string(),
        row.last_sync_at.clone().unwrap_or_else(|| "never finished".to_owned()),
        id,
    ]
}
