use ai_assist_repo::status::{Freshness, RepoStatus};
use ai_assist_workspace::manifest::{Availability, RepoEntry};
use ai_assist_workspace::selection::{name_of, select};

use crate::args::{OneWorkspace, Selected};
use crate::commands::prelude::*;
use crate::commands::repos::build::listed;
use crate::commands::repos::status::{describe, short};

struct RepoState<'m> {
    entry: &'m RepoEntry,
    status: ai_assist_app::Result<RepoStatus>,
}

pub(crate) fn run(context: &Context, workspace: &OneWorkspace, selected: &Selected) -> Result<Outcome> {
    let workspace = super::load(context, workspace)?;
    let manifest = super::manifest_of(context, &workspace)?;
    let chosen = select(&manifest, &super::selection(selected))?;
    for warning in &chosen.warnings {
        context.terminal.warn(one_line(&warning.message))?;
    }
    let spinner = Spinner::new(context.terminal, "comparing repositories with their builds");
    let states = states_of(context, &chosen.repos);
    drop(spinner);
    let current = |it: &RepoState<'_>| it.status.as_ref().is_ok_and(|status| status.freshness == Freshness::Current);
    let whole = states.iter().all(current);
    let terminal = context.terminal;
    if terminal.json {
        let repos = states.iter().map(json_of).collect::<Result<Vec<Value>>>()?;
        let value =
            json!({ "manifestHash": manifest.manifest_hash, "repoSetId": manifest.repo_set_id, "repos": repos });
        terminal.json(&value)?;
    } else {
        terminal.table(&["repo", "commit", "modes", "freshness", "reason"], states.iter().map(row).collect())?;
        if !whole {
            terminal.note("To index what is stale: ai-assist workspace build")?;
        }
    }
    Ok(if whole { Outcome::Done } else { Outcome::Partial })
}

fn states_of<'m>(context: &Context, entries: &[&'m RepoEntry]) -> Vec<RepoState<'m>> {
    let found = context.workspace_status(entries, &cancel());
    let state = |(entry, status): (&&'m RepoEntry, _)| RepoState { entry, status };
    entries.iter().zip(found).map(state).collect()
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
            let message = ai_assist_base::chain(error);
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
        Err(error) => json!({ "error": ai_assist_base::chain(error) }),
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
