use ai_assist_collections::{DeclaredCollection, ListedCollection, Status, VersionWarning, version_warnings};

use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, all: bool) -> Result<Outcome> {
    let members = context.members()?;
    if members.is_empty() {
        context.need_local()?;
    }
    // Where there is no project, the user's own are what is meant.
    let own_too = all || context.local.is_none();
    let is_shown = |collection: &DeclaredCollection| own_too || !collection.global;
    let own = members.collections().iter().filter(|collection| !is_shown(collection)).count();
    let mut listed = context.collections(&is_shown, &cancel())?;
    let warnings = context.local.as_ref().map(version_warnings).unwrap_or_default();
    for entry in &mut listed {
        if !entry.global {
            entry.warning = warnings.iter().find(|(name, _)| *name == entry.name).map(|(_, warning)| warned(warning));
        }
    }
    if context.terminal.json {
        context.terminal.json(&json!({ "collections": listed }))?;
        return Ok(Outcome::Done);
    }
    if own > 0 {
        context.terminal.note(format!("{} of your own: --all", count(own, "collection")))?;
    }
    if listed.is_empty() {
        context.terminal.note("No collections yet. Add one: ai-assist add ./docs")?;
        return Ok(Outcome::Done);
    }
    let rows = listed.iter().map(row).collect();
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

fn warned(warning: &VersionWarning) -> String {
    match warning {
        VersionWarning::OtherVersion { .. } => format!("{warning}; `ai-assist collections suggest --add` renews it"),
        VersionWarning::NoDependency(_) => warning.to_string(),
    }
}

fn row(entry: &ListedCollection) -> Vec<String> {
    let kind = entry.kind.map_or_else(|| "-".to_owned(), |kind| kind.to_string());
    let source = entry.source.iter().chain(&entry.categories).cloned().collect::<Vec<_>>().join(" + ");
    vec![entry.name.clone(), kind, source, status(entry.status).to_owned()]
}

/// A state as listings show it.
pub(crate) fn status(status: Status) -> &'static str {
    match status {
        Status::Synced => "✓ synced",
        Status::NotSynced => "⚠ not synced",
        Status::Stale => "⚠ stale",
        Status::Error => "✗ error",
    }
}
