use ai_assist_app::Locks;
use ai_assist_collections::{Outdated, PackageInfo};
use ai_assist_identity::CollectionKind;

use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, names: &[String]) -> Result<Outcome> {
    let members = context.named_members(names)?;
    let locks = Locks::load(context)?;
    let mut library = context.library()?;
    let (options, cancel) = (context.sync_options()?, cancel());
    let registries = context.registries(&options.client, &cancel, false)?;
    let mut answers: Vec<Outdated> = Vec::new();
    for member in members.iter().filter(|member| member.spec.kind() != CollectionKind::File) {
        context.terminal.note(format!("Looking at {}...", member.name))?;
        let mut answer = library.outdated(member, &options, &registries, &cancel)?;
        answer.locked = locks.get(member).map(|locked| locked.version);
        answers.push(answer);
    }
    let whole = answers.iter().all(|answer| answer.error.is_none());
    if context.terminal.json {
        context.terminal.json(&json!({ "collections": answers }))?;
    } else if answers.is_empty() {
        context.terminal.note("No packages or websites; only they have an upstream")?;
    } else {
        let rows = answers.iter().map(|answer| {
            vec![answer.name.clone(), current(answer), shown(&answer.wanted), shown(&answer.latest), state(answer)]
        });
        context.terminal.table(&["Name", "Current", "Wanted", "Latest", "State"], rows.collect())?;
    }
    Ok(if whole { Outcome::Done } else { Outcome::Partial })
}

/// The version that is locked, or else indexed; that of a git repository with its commit.
fn current(answer: &Outdated) -> String {
    let version = match (&answer.locked, &answer.current) {
        (None, None) => return "-".to_owned(),
        (Some(locked), _) => locked.clone(),
        (None, Some(PackageInfo { version, .. })) => version.clone(),
    };
    let commit = answer.current.as_ref().and_then(|package| package.commit.as_deref());
    let commit = commit.filter(|commit| !commit.starts_with(version.as_str()));
    let commit = commit.map(|commit| format!(" ({})", commit.chars().take(12).collect::<String>()));
    let yanked = if answer.yanked { " (yanked)" } else { "" };
    format!("{version}{}{yanked}", commit.unwrap_or_default())
}

fn shown(version: &Option<String>) -> String {
    version.clone().unwrap_or_else(|| "-".to_owned())
}

fn state(answer: &Outdated) -> String {
    if let Some(error) = &answer.error {
        return format!("✗ {error}");
    }
    let mut parts = Vec::new();
    for (paths, what) in [(&answer.added, "new"), (&answer.updated, "changed"), (&answer.removed, "gone")] {
        if !paths.is_empty() {
            parts.push(format!("{} {what}", paths.len()));
        }
    }
    if answer.yanked {
        parts.push("this version was yanked".to_owned());
    }
    if let Some(newer) = &answer.newer {
        parts.push(format!("{newer} in the registry"));
    }
    match (parts.is_empty(), answer.outdated) {
        (true, false) => "✓ up to date".to_owned(),
        (true, true) => "⚠ changed".to_owned(),
        _ => format!("⚠ {}", parts.join(", ")),
    }
}
