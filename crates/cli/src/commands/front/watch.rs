//! `sync --watch`.

use ai_assist_base::watch::{FolderWatch, Pacing};
use ai_assist_collections::{Error, Member, Resolved, silent};
use ai_assist_repo::build::{BuildError, build_repo};
use ai_assist_repo::local_repo::LocalRepo;

use super::sync::{Wanted, wanted};
use crate::args::SyncAll;
use crate::commands::prelude::*;
use crate::commands::repos::build::{json as json_of, summary as of_build, warn_of_problems};
use crate::commands::repos::repo::request;

/// Indexes what changes. Packages are left out: nobody tells when they do.
pub(crate) fn run(context: &Context, args: &SyncAll) -> Result<Outcome> {
    let Wanted { members, repos } = wanted(context, args)?;
    let members: Vec<(PathBuf, Member)> = members
        .into_iter()
        .filter_map(|member| match &member.resolved {
            Resolved::File { folder, .. } => Some((folder.clone(), member)),
            Resolved::Pkg { .. } | Resolved::Dep { .. } | Resolved::Site { .. } | Resolved::Broken { .. } => None,
        })
        .collect();
    let repos: Vec<(PathBuf, String, LocalRepo)> =
        repos.into_iter().map(|(name, repo)| (repo.root.to_path_buf(), name, repo)).collect();
    let terminal = context.terminal;
    let what = format!("{} and {}", count(members.len(), "collection"), count(repos.len(), "repo"));
    terminal.note(format!("Watching {what}; Ctrl-C stops it."))?;
    let mut failing: Vec<String> = Vec::new();
    // What we write ourselves is no reason to look again.
    let own: Vec<&Path> = [context.roots.data.as_path(), context.roots.cache.as_path()]
        .into_iter()
        .chain(repos.iter().map(|(.., repo)| repo.cache.root.as_path()))
        .collect();
    let is_hint = |path: &Path| !own.iter().any(|own| path.starts_with(own));
    let folders = members.iter().map(|(folder, _)| folder).chain(repos.iter().map(|(root, ..)| root));
    let mut watched = FolderWatch::new(folders.cloned().collect(), Pacing::default(), &is_hint);
    if let Some(why) = watched.deaf() {
        terminal.warn(format!("the system tells of no changes ({}); looking every few seconds", one_line(why)))?;
    }
    while let Some(due) = watched.next(&cancel()) {
        for (_, member) in members.iter().filter(|(folder, _)| due.concerns(folder)) {
            let synced = context.library()?.sync(member, &context.sync_options()?, &mut silent, &cancel());
            match synced {
                Ok(report) if report.added + report.updated + report.removed > 0 => {
                    failing.retain(|name| *name != member.name);
                    if terminal.json {
                        terminal.say(json!({ "collection": report }))?;
                    } else {
                        terminal.tell(format!(
                            "✓ {}: {} added, {} updated, {} removed",
                            member.name, report.added, report.updated, report.removed
                        ))?;
                    }
                }
                Ok(_) => failing.retain(|name| *name != member.name),
                Err(Error::Cancelled) => break,
                Err(error) => fail(context, &mut failing, &member.name, &error)?,
            }
        }
        for (_, name, repo) in repos.iter().filter(|(root, ..)| due.concerns(root)) {
            match build_repo(&request(context, repo, &[None], false), &cancel(), &mut |_| {}) {
                Ok(report) => {
                    failing.retain(|known| known != name);
                    if !report.unchanged {
                        warn_of_problems(terminal, &report)?;
                        if terminal.json {
                            terminal.say(json!({ "repo": json_of(repo, &report)? }))?;
                        } else {
                            terminal.tell(of_build(name, &report))?;
                        }
                    }
                }
                Err(BuildError::Cancelled) => break,
                Err(error) => fail(context, &mut failing, name, &error)?,
            }
        }
    }
    terminal.note("Stopped watching.")?;
    Ok(Outcome::Done)
}

/// Says what went wrong, once until it goes well again.
fn fail(context: &Context, failing: &mut Vec<String>, name: &str, error: &dyn std::error::Error) -> Result<()> {
    if failing.iter().any(|known| known == name) {
        return Ok(());
    }
    failing.push(name.to_owned());
    let message = ai_assist_base::chain(error);
    context.terminal.warn(format!("{}: {}", one_line(name), one_line(&message)))
}
