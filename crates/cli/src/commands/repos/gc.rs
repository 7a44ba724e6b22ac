use ai_assist_repo::gc::{GcReport, Use};
use ai_assist_repo::prune::Pruned;
use ai_assist_workspace::in_use::GoneWorkspace;

use super::repo::repo_of;
use crate::args::{DryRun, OneRepo};
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, repo: &OneRepo, all: bool, dry_run: &DryRun) -> Result<Outcome> {
    let dry_run = dry_run.noted(context.terminal)?;
    let (swept, workspaces) = match all {
        true => context.clean_builds(dry_run, &cancel())?,
        false => (vec![context.clean_builds_of(&repo_of(context, repo)?, dry_run, &cancel())?], Vec::new()),
    };
    let terminal = context.terminal;
    if terminal.json {
        terminal.json(&json!({ "dryRun": dry_run, "repos": swept.iter().map(json_of).collect::<Vec<_>>(), "workspaces": workspaces }))?;
    } else {
        for GoneWorkspace { repo_set_id, file } in &workspaces {
            let verb = if dry_run { "Would forget" } else { "Forgot" };
            terminal.say(format!("{verb} the workspace {repo_set_id}: {} is gone", one_line(file)))?;
        }
        print(terminal, dry_run, &swept)?;
    }
    Ok(Outcome::Done)
}

fn json_of(Pruned { repo_id, root, gone, report }: &Pruned) -> Value {
    let kept: Vec<_> = report.kept.iter().map(|(build, used)| json!({ "buildId": build, "usedBy": used })).collect();
    json!({
        "repoId": repo_id, "root": root, "gone": gone, "removed": report.removed, "kept": kept,
        "freedBytes": report.freed_bytes,
    })
}

fn print(terminal: Terminal, dry_run: bool, swept: &[Pruned]) -> Result<()> {
    let mut rows = Vec::new();
    for Pruned { repo_id, gone, report, .. } in swept {
        let verb = if dry_run { "would be removed" } else { "removed" };
        let why = if *gone { "the repository is gone" } else { "nothing uses it" };
        let row = |build: &String, what: &str, why: &str| {
            vec![repo_id.to_string(), build.clone(), what.to_owned(), why.to_owned()]
        };
        rows.extend(report.removed.iter().map(|build| row(build, verb, why)));
        rows.extend(report.kept.iter().map(|(build, used)| row(build, "kept", describe(*used))));
    }
    if !rows.is_empty() {
        terminal.table(&["repo", "build", "what", "why"], rows)?;
    }
    let removed: usize = swept.iter().map(|it| it.report.removed.len()).sum();
    let bytes: u64 = swept.iter().map(|Pruned { report: GcReport { freed_bytes, .. }, .. }| *freed_bytes).sum();
    let size = indicatif::HumanBytes(bytes);
    match (removed, dry_run) {
        (0, _) => terminal.note("Nothing to remove."),
        (_, false) => terminal.note(format!("Removed {}, {size} freed.", count(removed, "build"))),
        (_, true) => terminal.note(format!("{} would be removed, {size}.", count(removed, "build"))),
    }
}

fn describe(used: Use) -> &'static str {
    match used {
        Use::Pointer => "it is current",
        Use::Manifest => "a manifest names it",
        Use::Reader => "a process reads it",
    }
}
