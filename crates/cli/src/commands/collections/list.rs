use ai_assist_collections::{Listed, Pin, Status, SyncOptions, version_warnings};
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
    let mut listed = Vec::new();
    for member in &members {
        let pin = locks.get(member).map(|locked| Pin { locked, frozen: false });
        listed.push(library.status(member, &SyncOptions { pin, ..options.clone() })?);
    }
    let warnings = context.project.as_ref().map(version_warnings).unwrap_or_default();
    for entry in &mut listed {
        if !entry.global {
            entry.warning = warnings.iter().find(|(name, _)| *name == entry.name).map(|(_, warning)| warning.clone());
        }
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
        if let Some(warning) = &entry.warning {
            context.terminal.warn(format!("{}: {warning}", entry.name))?;
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
