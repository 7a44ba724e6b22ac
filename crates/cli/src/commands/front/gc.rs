use ai_assist_app::{CleanOptions, Cleaned};
use indicatif::HumanBytes;

use crate::args::{DryRun, When};
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, dry_run: &DryRun, sessions_before: Option<When>) -> Result<Outcome> {
    let dry_run = dry_run.noted(context.terminal)?;
    let options = CleanOptions { dry_run, sessions_before: sessions_before.map(|when| when.0) };
    let cleaned = context.clean(&options, &cancel())?;
    let value = || {
        json!({
            "dryRun": dry_run, "repos": cleaned.builds, "workspaces": cleaned.workspaces,
            "collections": cleaned.collections, "sessions": cleaned.sessions.sessions,
            "objects": cleaned.sessions.objects.len(), "folders": cleaned.folders, "freedBytes": cleaned.freed_bytes,
        })
    };
    context.terminal.show(value, || say(context, &cleaned, dry_run))
}

fn say(context: &Context, cleaned: &Cleaned, dry_run: bool) -> Result<()> {
    let terminal = context.terminal;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row =
        |what: &str, name: String, why: &str| rows.push(vec![what.to_owned(), one_line(&name), why.to_owned()]);
    for pruned in &cleaned.builds {
        let why = if pruned.gone { "the repository is gone" } else { "a newer build is there" };
        let name = pruned.root.clone().unwrap_or_else(|| pruned.repo_id.to_string());
        row(&count(pruned.report.removed.len(), "build"), name, why);
    }
    for workspace in &cleaned.workspaces {
        row("workspace", workspace.file.clone(), "its file is gone");
    }
    for collection in &cleaned.collections {
        row("collection", collection.path.clone(), "its folder is gone");
    }
    for session in &cleaned.sessions.sessions {
        row("session", session.clone(), "it is too old");
    }
    if !cleaned.sessions.objects.is_empty() {
        row(&count(cleaned.sessions.objects.len(), "object"), String::new(), "no session knows them");
    }
    for folder in &cleaned.folders {
        row("index", folder.display().to_string(), "nothing belongs to it");
    }
    if rows.is_empty() {
        return terminal.note("Nothing to remove.");
    }
    let (header, size) = (if dry_run { "Would be removed" } else { "Removed" }, HumanBytes(cleaned.freed_bytes));
    terminal.table(&[header, "Of", "Why"], rows)?;
    terminal.note(format!("{size} {}.", if dry_run { "would be freed" } else { "freed" }))
}
