use ai_assist_app::{Entry, EntryKind, EntryState};

use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, name: Option<&str>) -> Result<Outcome> {
    let terminal = context.terminal;
    if let Some(name) = name {
        let documents = context.entry_documents(name)?;
        if terminal.json {
            terminal.json(&json!({ "name": name, "documents": documents }))?;
        } else {
            terminal.page(&documents.iter().map(|document| one_line(document) + "\n").collect::<String>())?;
            terminal.note(count(documents.len(), "document"))?;
        }
        return Ok(if documents.is_empty() { Outcome::Partial } else { Outcome::Done });
    }
    let entries = looked_at(context)?;
    if terminal.json {
        terminal.json(&json!({ "entries": entries }))?;
    } else if entries.is_empty() {
        terminal.note("There is nothing here yet. Add something: ai-assist add ./docs")?;
    } else {
        let rows = entries
            .iter()
            .map(|entry| vec![entry.name.clone(), kind(entry), entry.documents.to_string(), state(entry)]);
        terminal.table(&["Name", "Kind", "Documents", "State"], rows.collect())?;
        advise(context, &entries)?;
    }
    Ok(if entries.is_empty() { Outcome::Partial } else { Outcome::Done })
}

/// Everything in reach, compared with its sources.
pub(crate) fn looked_at(context: &Context) -> Result<Vec<Entry>> {
    let _spinner = Spinner::new(context.terminal, "comparing indexes with their sources");
    Ok(context.entries(&cancel())?)
}

/// Says what is wrong and what to do about it.
pub(crate) fn advise(context: &Context, entries: &[Entry]) -> Result<()> {
    for entry in entries {
        if let Some(detail) = &entry.detail {
            context.terminal.note(format!("{}: {}", one_line(&entry.name), one_line(detail)))?;
        }
    }
    if entries.iter().any(|entry| entry.state != EntryState::Current) {
        context.terminal.note("To bring everything up to date: ai-assist sync")?;
    }
    Ok(())
}

pub(crate) fn kind(entry: &Entry) -> String {
    let kind = match entry.kind {
        EntryKind::Folder => "folder",
        EntryKind::Package => "package",
        EntryKind::Dependencies => "dependencies",
        EntryKind::Website => "website",
        EntryKind::Collection => "collection",
        EntryKind::Category => "category",
        EntryKind::Repository => "repository",
        EntryKind::WorkspaceRepository => "repository (workspace)",
    };
    if entry.global { format!("{kind} (yours)") } else { kind.to_owned() }
}

pub(crate) fn state(entry: &Entry) -> String {
    match entry.state {
        EntryState::Current => "✓ up to date",
        EntryState::Stale => "⚠ stale",
        EntryState::NotIndexed => "⚠ not indexed",
        EntryState::Error => "✗ error",
    }
    .to_owned()
}
