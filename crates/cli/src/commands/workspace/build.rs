use ai_assist_app::BuiltMember;
use ai_assist_repo::build::{BuildError, BuildEvent};
use ai_assist_workspace::manifest::RepoEntry;
use ai_assist_workspace::selection::{name_of, select};

use crate::args::WorkspaceBuild;
use crate::commands::prelude::*;
use crate::commands::repos::build::reported;
use crate::commands::repos::repo::modes_of;
use crate::progress::BuildAllProgress;

pub(crate) fn run(context: &Context, args: &WorkspaceBuild) -> Result<Outcome> {
    let workspace = super::load(context, &args.workspace)?;
    let manifest = super::manifest_of(context, &workspace)?;
    let chosen = select(&manifest, &super::selection(&args.selected))?;
    let terminal = context.terminal;
    for warning in &chosen.warnings {
        terminal.warn(one_line(&warning.message))?;
    }
    let names: Vec<String> = chosen.repos.iter().map(|entry| name_of(entry).to_owned()).collect();
    let progress = BuildAllProgress::new(terminal, names);
    let tell = |number: usize, event: BuildEvent<'_>| progress.tell(number, event);
    let members =
        context.build_workspace(&chosen.repos, &modes_of(&args.mode), args.force, args.jobs, &cancel(), &tell);
    drop(progress);
    let mut values = Vec::new();
    let mut whole = true;
    for BuiltMember { entry, built } in members {
        match built {
            Err(error @ ai_assist_app::Error::Build(BuildError::Cancelled)) => return Err(error.into()),
            Ok((repo, report)) => {
                whole &= report.problems.is_empty();
                values.push(reported(terminal, name_of(entry), &repo, &report)?);
            }
            Err(error) => {
                whole = false;
                values.push(failed(context, entry, &error.into()));
            }
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
