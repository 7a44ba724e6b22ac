use ai_assist_collections::{Action, DocumentsOrigin, FoundFiles, NotInstalled, Suggestion, suggest};

use crate::args::Suggest;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &Suggest) -> Result<Outcome> {
    let registries = context.registries(&context.client()?, &cancel(), false)?;
    let found = suggest(&context.own_configuration(), &registries, context.machine.homes(), args.all, &args.names);
    for warning in &found.warnings {
        context.terminal.warn(warning)?;
    }
    if args.add {
        let mut created = Vec::new();
        if !found.suggestions.is_empty() {
            context.make_configuration(&mut created)?;
        }
        for file in created {
            context.terminal.note(format!("Created {}", file.display()))?;
        }
        // What was just made is not in what this project was opened with.
        let target = context.new_target();
        let packages = found.suggestions.iter().filter(|it| it.origin == DocumentsOrigin::Registry);
        let packages = packages.map(|it| (&it.name, it.action, &it.collection));
        let own = found.dependencies.iter().map(|it| (&it.name, it.action, &it.collection));
        for (name, action, collection) in packages.chain(own) {
            match action {
                Action::Add => {
                    context.edit_for_user(&target, |edit| edit.add_collection(name, &collection.clone().into()))?
                }
                Action::Replace => context.edit_for_user(&target, |edit| edit.set_source(name, collection))?,
                Action::Keep => continue,
            };
        }
    }
    let of_registries = found.suggestions.iter().filter(|it| it.origin == DocumentsOrigin::Registry);
    let actions = of_registries.map(|it| it.action).chain(found.dependencies.iter().map(|it| it.action));
    let changes = actions.filter(|action| *action != Action::Keep).count();
    let outcome = if found.suggestions.is_empty() { Outcome::Partial } else { Outcome::Done };
    if context.terminal.json {
        context.terminal.json(&json!({
            "added": args.add, "suggestions": found.suggestions, "dependencies": found.dependencies, "without": found.without,
            "notInstalled": found.not_installed, "warnings": found.warnings,
        }))?;
        return Ok(outcome);
    }
    if found.suggestions.is_empty() {
        context.terminal.note("Nothing to suggest: no lock file names a dependency whose documents are in reach")?;
    } else {
        let rows = found.suggestions.iter().map(row).collect();
        context.terminal.table(&["Dependency", "Found", "Collection", "Action"], rows)?;
    }
    let bare = found.without.len() - found.not_installed.len();
    if bare > 0 {
        let noun = if bare == 1 { "dependency has" } else { "dependencies have" };
        context.terminal.note(format!("{bare} {noun} no documents"))?;
    }
    for (command, names) in by_command(&found.not_installed) {
        let noun = if names.len() == 1 { "is" } else { "are" };
        context.terminal.note(format!("{} {noun} locked and not on this machine: {command}", names.join(", ")))?;
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

/// What is not on this machine, by the command that installs it.
fn by_command(missing: &[NotInstalled]) -> Vec<(&str, Vec<&str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    for NotInstalled { dependency, command } in missing {
        match commands.iter_mut().find(|(known, _)| known == command) {
            Some((_, names)) => names.push(dependency),
            None => commands.push((command, vec![dependency])),
        }
    }
    commands
}

fn row(suggestion: &Suggestion) -> Vec<String> {
    let found = suggestion.found.map_or_else(|| "registry".to_owned(), shown);
    let action = match suggestion.action {
        Action::Add => "add",
        Action::Replace => "replace",
        Action::Keep => "keep",
    };
    vec![suggestion.dependency.clone(), found, suggestion.name.clone(), action.to_owned()]
}

fn shown(found: FoundFiles) -> String {
    let parts = [(found.docs, "document"), (found.examples, "example"), (found.api, "API file")];
    parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| count(number, what))
        .collect::<Vec<_>>()
        .join(", ")
}
