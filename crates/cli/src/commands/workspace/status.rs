use ai_assist_repo::build::BuildRequest;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::status::{Freshness, RepoStatus};
use ai_assist_workspace::build_all::status_all;
use ai_assist_workspace::manifest::{Availability, RepoEntry};
use ai_assist_workspace::selection::{name_of, select};

use crate::args::{OneWorkspace, Selected};
use crate::commands::prelude::*;
use crate::commands::repos::build::listed;
use crate::commands::repos::repo::{repo_at, request};
use crate::commands::repos::status::{describe, short};

/// How many repositories are looked at at once.
const JOBS: usize = 4;

struct RepoState<'m> {
    entry: &'m RepoEntry,
    status: Result<RepoStatus>,
}

pub(crate) fn run(context: &Context, workspace: &OneWorkspace, selected: &Selected) -> Result<Outcome> {
    let workspace = super::load(context, workspace)?;
    let manifest = super::manifest_of(context, &workspace)?;
    let chosen = select(&manifest, &super::selection(selected))?;
    for warning in &chosen.warnings {
        context.terminal.warn(one_line(&warning.message))?;
    }
    let spinner = Spinner::new(context.terminal, "comparing repositories with their builds");
    let standings = standings(context, &chosen.repos);
    drop(spinner);
    let current = |it: &RepoState<'_>| it.status.as_ref().is_ok_and(|status| status.freshness == Freshness::Current);
    let whole = standings.iter().all(current);
    let terminal = context.terminal;
    if terminal.json {
        let repos = standings.iter().map(json_of).collect::<Result<Vec<Value>>>()?;
        let value =
            json!({ "manifestHash": manifest.manifest_hash, "repoSetId": manifest.repo_set_id, "repos": repos });
        terminal.json(&value)?;
    } else {
        terminal.table(&["repo", "commit", "modes", "freshness", "reason"], standings.iter().map(row).collect())?;
        if !whole {
            terminal.note("To index what is stale: ai-assist workspace build")?;
        }
    }
    Ok(if whole { Outcome::Done } else { Outcome::Partial })
}

fn standings<'m>(context: &Context, entries: &[&'m RepoEntry]) -> Vec<RepoState<'m>> {
    let repos: Vec<Result<LocalRepo>> =
        entries.iter().map(|entry| repo_at(context, &entry.repo_root_canonical.to_path_buf())).collect();
    let there = repos.iter().filter_map(|repo| repo.as_ref().ok());
    let requests: Vec<BuildRequest> = there.map(|repo| request(context, repo, &[None], false)).collect();
    let mut found = status_all(&requests, JOBS, &cancel()).into_iter();
    let standing = |(entry, repo): (&&'m RepoEntry, Result<LocalRepo>)| {
        let looked = repo.and_then(|_| found.next().map_or_else(|| bail!("it was not looked at"), |it| Ok(it?)));
        RepoState { entry, status: looked }
    };
    entries.iter().zip(repos).map(standing).collect()
}

fn row(it: &RepoState<'_>) -> Vec<String> {
    let name = name_of(it.entry).to_owned();
    let present: Vec<String> = it
        .entry
        .indexes
        .iter()
        .filter(|(_, index)| index.availability_reason == Availability::Present)
        .map(|(mode, _)| mode.to_string())
        .collect();
    match &it.status {
        Ok(status) => {
            let dirty = if status.dirty { "+" } else { "" };
            let commit = status.commit.as_deref().map_or(String::new(), |commit| format!("{}{dirty}", short(commit)));
            vec![name, commit, present.join(", "), word(&status.freshness).to_owned(), reason(&status.freshness)]
        }
        Err(error) => {
            let message = ai_assist_base::chain(error.as_ref());
            vec![name, String::new(), present.join(", "), "error".to_owned(), message]
        }
    }
}

fn word(freshness: &Freshness) -> &'static str {
    match freshness {
        Freshness::Current => "current",
        Freshness::Stale { .. } => "stale",
        Freshness::Missing => "missing",
        Freshness::Broken { .. } => "broken",
    }
}

fn reason(freshness: &Freshness) -> String {
    match freshness {
        Freshness::Current => String::new(),
        Freshness::Stale { .. } => {
            let text = describe(freshness);
            text.trim_start_matches("stale (").trim_end_matches(')').to_owned()
        }
        other => describe(other),
    }
}

fn json_of(it: &RepoState<'_>) -> Result<Value> {
    let mut value = match &it.status {
        Ok(status) => serde_json::to_value(status)?,
        Err(error) => json!({ "error": ai_assist_base::chain(error.as_ref()) }),
    };
    value["repoId"] = it.entry.repo_id.as_str().into();
    value["repo"] = name_of(it.entry).into();
    value["root"] = it.entry.repo_root_canonical.as_str().into();
    value["enabled"] = it.entry.enabled.into();
    value["modes"] = listed(&value["modes"], "mode");
    let indexes = it.entry.indexes.iter();
    let indexes = indexes.map(|(mode, index)| json!({ "mode": mode, "availabilityReason": index.availability_reason }));
    value["indexes"] = indexes.collect();
    Ok(value)
}
