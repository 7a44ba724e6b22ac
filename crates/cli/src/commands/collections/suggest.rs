use ai_assist_collections::{Action, DocumentsOrigin, Suggestion, suggest};

use crate::args::Suggest;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &Suggest) -> Result<Outcome> {
    let project = context.need_local()?;
    let registries = context.registries(&context.client()?, &cancel(), false)?;
    let mut found = suggest(project, &registries, context.machine.homes(), args.all || !args.names.is_empty());
    if !args.names.is_empty() {
        let named = |dependency: &str| {
            let name = dependency.split_once(':').map_or("", |(_, rest)| rest);
            let name = name.rsplit_once('@').map_or(name, |(name, _)| name);
            args.names.iter().any(|wanted| wanted == name || wanted == dependency)
        };
        found.suggestions.retain(|suggestion| named(&suggestion.dependency));
        found.without.retain(|dependency| named(dependency));
    }
    for warning in &found.warnings {
        context.terminal.warn(warning)?;
    }
    if args.add {
        let target = context.target(false)?;
        for Suggestion { name, collection, action, .. } in &found.suggestions {
            match action {
                Action::Add => {
                    context.edit_for_user(&target, |edit| edit.add_collection(name, &collection.clone().into()))?
                }
                Action::Replace => context.edit_for_user(&target, |edit| edit.set_source(name, collection))?,
                Action::Keep => continue,
            };
        }
    }
    let changes = found.suggestions.iter().filter(|suggestion| suggestion.action != Action::Keep).count();
    let outcome = if found.suggestions.is_empty() { Outcome::Partial } else { Outcome::Done };
    if context.terminal.json {
        context.terminal.json(&json!({
            "added": args.add, "suggestions": found.suggestions, "without": found.without, "warnings": found.warnings,
        }))?;
        return Ok(outcome);
    }
    if found.suggestions.is_empty() {
        context.terminal.note("Nothing to suggest: no lock file names a dependency whose documents are in reach")?;
    } else {
        let rows = found.suggestions.iter().map(row).collect();
        context.terminal.table(&["Name", "Dependency", "From", "Action"], rows)?;
    }
    if !found.without.is_empty() {
        let number = found.without.len();
        let noun = if number == 1 { "dependency has" } else { "dependencies have" };
        context.terminal.note(format!("{number} {noun} no documents in reach"))?;
    }
    match (args.add, changes) {
        (_, 0) => {}
        (true, _) => {
            let what = count(changes, "collection");
            context.terminal.note(format!("Wrote {what}. Next: ai-assist collections sync"))?;
        }
        (false, _) => {
            let names: String = args.names.iter().map(|name| format!(" {name}")).collect();
            let all = if args.all { " --all" } else { "" };
            context.terminal.note(format!("Next: ai-assist collections suggest --add{all}{names}"))?;
        }
    }
    Ok(outcome)
}

fn row(suggestion: &Suggestion) -> Vec<String> {
    let from = match (suggestion.origin, suggestion.files) {
        (DocumentsOrigin::Registry, _) => "registry".to_owned(),
        (DocumentsOrigin::Disk, files) => format!("disk ({})", count(files.unwrap_or_default(), "file")),
    };
    let action = match suggestion.action {
        Action::Add => "add",
        Action::Replace => "replace",
        Action::Keep => "keep",
    };
    vec![suggestion.name.clone(), suggestion.dependency.clone(), from, action.to_owned()]
}
