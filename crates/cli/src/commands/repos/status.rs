use ai_assist_repo::layout::Mode;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::status::{Freshness, RepoStatus};

use super::build::listed;
use super::repo::repo_of;
use crate::args::OneRepo;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, repo: &OneRepo) -> Result<Outcome> {
    let repo = repo_of(context, repo)?;
    let status = context.index_status(&repo, &cancel())?;
    let terminal = context.terminal;
    if terminal.json {
        let mut value = serde_json::to_value(&status)?;
        value["repoId"] = repo.id.as_str().into();
        value["root"] = repo.root.as_str().into();
        value["cache"] = repo.cache.root.display().to_string().into();
        value["modes"] = listed(&value["modes"], "mode");
        terminal.json(&value)?;
    } else {
        say(terminal, &repo, &status)?;
    }
    Ok(if status.freshness == Freshness::Current { Outcome::Done } else { Outcome::Partial })
}

fn say(terminal: Terminal, repo: &LocalRepo, status: &RepoStatus) -> Result<()> {
    terminal.say(format!("{}: {}", one_line(repo.name()), describe(&status.freshness)))?;
    if let Some(build) = &status.build_id {
        let at = status.built_at.as_deref().unwrap_or("an unknown time");
        terminal.say(format!("  build {build}, made at {at}, {}", commit(status)))?;
    }
    if !status.modes.is_empty() {
        let row = |(mode, it): (&Mode, &ai_assist_repo::status::ModeStatus)| {
            vec![mode.to_string(), it.documents.to_string(), it.chunks.to_string(), it.build_id.clone()]
        };
        terminal.table(&["mode", "documents", "chunks", "build"], status.modes.iter().map(row).collect())?;
    }
    if status.freshness != Freshness::Current {
        terminal.note("To index what has changed: ai-assist index build")?;
    }
    Ok(())
}

pub(crate) fn commit(status: &RepoStatus) -> String {
    match (&status.commit, status.dirty) {
        (None, _) => "without a commit".to_owned(),
        (Some(commit), false) => format!("at {}", short(commit)),
        (Some(commit), true) => format!("at {} with changes", short(commit)),
    }
}

pub(crate) fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

pub(crate) fn describe(freshness: &Freshness) -> String {
    match freshness {
        Freshness::Current => "up to date".to_owned(),
        Freshness::Missing => "not indexed yet".to_owned(),
        Freshness::Broken { reason } => format!("the index can't be used: {}", one_line(reason)),
        Freshness::Stale { added, changed, removed, moved, rebuild } => {
            let numbers = [(*added, "new"), (*changed, "changed"), (*removed, "removed")];
            let mut parts: Vec<String> = numbers
                .iter()
                .filter(|(n, _)| *n > 0)
                .map(|(n, what)| format!("{} {what}", count(*n, "file")))
                .collect();
            if !rebuild.is_empty() {
                let modes = rebuild.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                parts.push(format!("to be made anew: {modes}"));
            }
            if parts.is_empty() && *moved {
                parts.push("the commit has moved, the files are the same".to_owned());
            }
            format!("stale ({})", parts.join(", "))
        }
    }
}
