use ai_assist_repo::build::{BuildError, BuildRequest};
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_workspace::build_all::build_all;
use ai_assist_workspace::manifest::RepoEntry;
use ai_assist_workspace::selection::{name_of, select};

use crate::args::WorkspaceBuild;
use crate::commands::prelude::*;
use crate::commands::repos::build::told;
use crate::commands::repos::repo::{repo_at, request};
use crate::progress::BuildAllProgress;

pub(crate) fn run(context: &Context, args: &WorkspaceBuild) -> Result<Outcome> {
    let workspace = super::load(context, &args.workspace)?;
    let manifest = super::manifest_of(context, &workspace)?;
    let chosen = select(&manifest, &super::selection(&args.selected))?;
    let terminal = context.terminal;
    for warning in &chosen.warnings {
        terminal.warn(one_line(&warning.message))?;
    }
    // A repository whose configuration is wrong, or whose folder is gone, does not keep the others from being built.
    let found: Vec<(&RepoEntry, Result<LocalRepo>)> =
        chosen.repos.iter().map(|entry| (*entry, repo_at(context, &entry.repo_root_canonical.to_path_buf()))).collect();
    let there: Vec<(&RepoEntry, &LocalRepo)> =
        found.iter().filter_map(|(entry, repo)| Some((*entry, repo.as_ref().ok()?))).collect();
    let requests: Vec<BuildRequest> =
        there.iter().map(|(_, repo)| request(context, repo, &args.mode, args.force)).collect();
    let names: Vec<String> = there.iter().map(|(entry, _)| name_of(entry).to_owned()).collect();
    let progress = BuildAllProgress::new(terminal, names);
    let built = build_all(&requests, args.jobs, &cancel(), &|number, event| progress.tell(number, event));
    drop(progress);
    let mut values = Vec::new();
    let mut whole = true;
    for ((entry, repo), outcome) in there.iter().zip(built) {
        match outcome {
            Err(error @ BuildError::Cancelled) => return Err(error.into()),
            Ok(report) => {
                whole &= report.problems.is_empty();
                values.push(told(terminal, name_of(entry), repo, &report)?);
            }
            Err(error) => {
                whole = false;
                values.push(failed(context, entry, &error.into()));
            }
        }
    }
    for (entry, repo) in &found {
        if let Err(error) = repo {
            whole = false;
            values.push(failed(context, entry, error));
        }
    }
    if terminal.json {
        terminal.json(&json!({ "repos": values }))?;
    }
    Ok(if whole { Outcome::Done } else { Outcome::Partial })
}

fn failed(context: &Context, entry: &RepoEntry, error: &anyhow::Error) -> Value {
    let message = ai_assist_base::chain(error.as_ref());
    if !context.terminal.json {
        // Standard error that can't be written is no reason to stop.
        let _ = context.terminal.warn(format!("{}: {}", one_line(name_of(entry)), one_line(&message)));
    }
    json!({ "repoId": entry.repo_id, "repo": name_of(entry), "root": entry.repo_root_canonical, "error": message })
}
