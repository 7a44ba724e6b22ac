use ai_assist_collections::{Listed, Pin, Status, SyncOptions};
use anyhow::Result;

use crate::commands::Outcome;
use crate::context::Context;
use crate::locks::Locks;

pub(crate) fn run(context: &Context) -> Result<Outcome> {
    let members = context.members()?;
    if members.is_empty() {
        context.need_project()?;
    }
    let library = context.library()?;
    let options = context.sync_options()?;
    let locks = Locks::load(context)?;
    let mut listed = Vec::with_capacity(members.len());
    for member in &members {
        let pin = locks.get(member).map(|locked| Pin { locked, frozen: false });
        listed.push(library.status(member, &SyncOptions { pin, ..options.clone() })?);
    }
    if context.terminal.json {
        context.terminal.json(&serde_json::json!({ "collections": listed }))?;
        return Ok(Outcome::Done);
    }
    if listed.is_empty() {
        context.terminal.note("No collections yet. Add one: ai-assist collections add docs ./docs")?;
        return Ok(Outcome::Done);
    }
    let rows = listed
        .iter()
        .map(|entry| vec![entry.name.clone(), entry.kind.to_string(), entry.source.clone(), status(entry).to_owned()])
        .collect();
    context.terminal.table(&["Name", "Type", "Source", "Status"], rows)?;
    for entry in &listed {
        if let Some(detail) = &entry.detail {
            context.terminal.note(format!("{}: {detail}", entry.name))?;
        }
    }
    Ok(Outcome::Done)
}

fn status(entry: &Listed) -> &'static str {
    match entry.status {
        Status::Synced => "✓ synced",
        Status::NotSynced => "⚠ not synced",
        Status::Stale => "⚠ stale",
        Status::Error => "✗ error",
    }
}
