use ai_assist_collections::{Outdated, PackageInfo};
use ai_assist_identity::CollectionKind;

use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, names: &[String]) -> Result<Outcome> {
    let members = context.named_members(names)?;
    let mut library = context.library()?;
    let (options, cancel) = (context.sync_options()?, cancel());
    let registries = context.registries(&options.client, &cancel, false)?;
    let mut answers: Vec<Outdated> = Vec::new();
    for member in members.iter().filter(|member| member.spec.kind() != CollectionKind::File) {
        context.terminal.note(format!("Looking at {}...", member.name))?;
        answers.push(library.outdated(member, &options, &registries, &cancel)?);
    }
    let whole = answers.iter().all(|answer| answer.error.is_none());
    if context.terminal.json {
        context.terminal.json(&json!({ "collections": answers }))?;
    } else if answers.is_empty() {
        context.terminal.note("No packages or websites; only they have an upstream")?;
    } else {
        let rows = answers.iter().map(|answer| {
            vec![
                answer.name.clone(),
                version(answer.current.as_ref()),
                version(answer.upstream.as_ref()),
                state(answer),
            ]
        });
        context.terminal.table(&["Name", "Here", "Upstream", "State"], rows.collect())?;
    }
    Ok(if whole { Outcome::Done } else { Outcome::Partial })
}

fn version(package: Option<&PackageInfo>) -> String {
    match package {
        None => "-".to_owned(),
        Some(PackageInfo { version, commit: Some(commit), .. }) if !commit.starts_with(version.as_str()) => {
            format!("{version} ({})", commit.chars().take(12).collect::<String>())
        }
        Some(package) => package.version.clone(),
    }
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
