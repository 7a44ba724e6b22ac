use ai_assist_collections::{Member, MergedPackage};
use ai_assist_repo::build::{BuildError, build_repo};
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::status::status;

use crate::args::{Sync, SyncAll};
use crate::commands::collections::sync::sync;
use crate::commands::prelude::*;
use crate::commands::repos::build::reported;
use crate::commands::repos::repo::{is_too_large, request};
use crate::commands::repos::status::describe;
use crate::progress::BuildProgress;

/// What came of syncing everything, for programs.
pub(crate) struct SyncedAll {
    pub(crate) collections: Vec<Value>,
    pub(crate) merged: Vec<MergedPackage>,
    pub(crate) repos: Vec<Value>,
    pub(crate) whole: bool,
}

pub(crate) fn run(context: &Context, args: &SyncAll) -> Result<Outcome> {
    context.ask_for_folders()?;
    let synced = sync_everything(context, args)?;
    if context.terminal.json {
        let SyncedAll { collections, merged, repos, .. } = &synced;
        context.terminal.json(&json!({ "collections": collections, "merged": merged, "repos": repos }))?;
    }
    if args.watch {
        return super::watch::run(context, args);
    }
    Ok(if synced.whole { Outcome::Done } else { Outcome::Partial })
}

/// What is to be synced: collections and categories, and repositories with their names.
pub(crate) struct Wanted {
    pub(crate) members: Vec<Member>,
    pub(crate) repos: Vec<(String, LocalRepo)>,
}

pub(crate) fn wanted(context: &Context, args: &SyncAll) -> Result<Wanted> {
    let members = context.members()?;
    let mut repos: Vec<(String, LocalRepo)> = Vec::new();
    if !args.no_code {
        let own = context.own_repo().filter(|own| !is_too_large(&own.root.to_path_buf()));
        repos.extend(own.map(|own| (own.name().to_owned(), own)));
        for (name, repo) in context.workspace_repos()? {
            if !repos.iter().any(|(_, known)| known.id == repo.id) {
                repos.push((name, repo));
            }
        }
    }
    if args.names.is_empty() {
        if members.is_empty() && repos.is_empty() {
            bail!("there is nothing to sync here; add something first, such as: ai-assist add ./docs");
        }
        return Ok(Wanted { members: members.named(&[])?, repos });
    }
    let is_repo = |name: &String| !members.names().any(|known| known == name) && repos.iter().any(|(it, _)| it == name);
    let (of_repos, of_collections): (Vec<String>, Vec<String>) = args.names.iter().cloned().partition(is_repo);
    repos.retain(|(name, _)| of_repos.contains(name));
    let members = if of_collections.is_empty() { Vec::new() } else { members.named(&of_collections)? };
    Ok(Wanted { members, repos })
}

pub(crate) fn sync_everything(context: &Context, args: &SyncAll) -> Result<SyncedAll> {
    let Wanted { members, repos } = wanted(context, args)?;
    let (force, dry_run) = (args.force, args.dry_run);
    let (collections, merged, whole) = match members.is_empty() {
        true => (Vec::new(), Vec::new(), true),
        false => {
            let synced = sync(context, &members, &Sync { force, dry_run, ..Sync::default() }, false)?;
            (synced.reports, synced.merged, synced.whole)
        }
    };
    let built = index_repos(context, repos, args)?;
    Ok(SyncedAll { collections, merged, repos: built.repos, whole: whole && built.whole })
}

/// Indexes what has changed in some repositories, or says what would be.
pub(crate) fn index_repos(context: &Context, repos: Vec<(String, LocalRepo)>, args: &SyncAll) -> Result<SyncedAll> {
    let terminal = context.terminal;
    let mut synced = SyncedAll { collections: Vec::new(), merged: Vec::new(), repos: Vec::new(), whole: true };
    let is_one = repos.len() == 1 && args.names.len() == 1;
    for (name, repo) in repos {
        let request = request(context, &repo, &[None], args.force);
        if args.dry_run {
            let found = status(&request, &cancel())?;
            terminal.tell(format!("{}: {}", one_line(&name), describe(&found.freshness)))?;
            let mut value = serde_json::to_value(&found.freshness)?;
            value["repo"] = name.into();
            synced.repos.push(value);
            continue;
        }
        let mut progress = BuildProgress::new(terminal, &name);
        let built = build_repo(&request, &cancel(), &mut |event| progress.tell(event));
        drop(progress);
        match built {
            Ok(report) => {
                synced.whole &= report.problems.is_empty();
                synced.repos.push(reported(terminal, &name, &repo, &report)?);
            }
            Err(error @ BuildError::Cancelled) => return Err(error.into()),
            Err(error) if is_one => return Err(error.into()),
            // One repository that fails does not keep the others from being indexed.
            Err(error) => {
                synced.whole = false;
                let message = ai_assist_base::chain(&error);
                terminal.warn(format!("{}: {}", one_line(&name), one_line(&message)))?;
                synced.repos.push(json!({ "repo": name, "error": message }));
            }
        }
    }
    Ok(synced)
}
