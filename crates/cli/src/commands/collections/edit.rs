//! What is done to a configuration: `init`, `change`, `recategorize`, `remove`.

use ai_assist_app::Target;
use ai_assist_collections::{CollectionChange, Declaration, Resolved, init_project};
use ai_assist_identity::CollectionId;

use super::add::described;
use crate::args::{CollectionChangeArgs, CollectionUpdate, Remove};
use crate::commands::prelude::*;

pub(crate) fn init(context: &Context, force: bool) -> Result<Outcome> {
    let file = context.folder.join(context.settings.config_file());
    init_project(&file, force)?;
    context.terminal.show(
        || json!({ "file": file.display().to_string() }),
        || {
            context.terminal.tell(format!("Created {}", file.display()))?;
            context.terminal.note("Next: ai-assist collections add docs ./docs")
        },
    )
}

/// What became of the data of something that a configuration declares no longer.
pub(crate) struct Forgotten {
    pub(crate) id: Option<CollectionId>,
    pub(crate) dropped: bool,
    /// Who else reads it, so that it was kept.
    pub(crate) used_by: Vec<String>,
}

/// Forgets that a name was read here and, if it is wanted, drops its data, unless somebody else reads it.
pub(crate) fn forget(
    context: &Context,
    target: &Target,
    name: &str,
    id: Option<CollectionId>,
    drop: bool,
) -> Result<Forgotten> {
    let Some(id) = id else { return Ok(Forgotten { id: None, dropped: false, used_by: Vec::new() }) };
    let mut library = context.library()?;
    let id = library.forget_reader(&target.file, name, &id)?;
    let used_by = if drop { library.readers_of(&id)? } else { Vec::new() };
    let dropped = drop && used_by.is_empty() && library.drop_collection(&id)?;
    Ok(Forgotten { id: Some(id), dropped, used_by })
}

pub(crate) fn note_used(terminal: Terminal, used_by: &[String]) -> Result<()> {
    match used_by {
        [] => Ok(()),
        used_by => terminal.note(format!(
            "What is indexed of it is kept, because others read it: {}. To drop it all the same: ai-assist ref drop ID",
            used_by.join(", ")
        )),
    }
}

pub(crate) fn change(context: &Context, args: CollectionChangeArgs) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let is_given = args.no_categories || !args.category.is_empty();
    let name = args.new_name.clone().unwrap_or_else(|| args.name.clone());
    let change = CollectionChange {
        new_name: args.new_name,
        description: args.description,
        categories: is_given.then_some(args.category),
    };
    let edited = target.edit(|edit| edit.change_collection(&args.name, &change))?;
    print(context, &target, &name, edited.after.get(&name))
}

pub(crate) fn update(context: &Context, args: &CollectionUpdate) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let edited = target.edit(|edit| edit.update_collection(&args.name, &args.add, &args.remove))?;
    print(context, &target, &args.name, edited.after.get(&args.name))
}

fn print(context: &Context, target: &Target, name: &str, declaration: Option<&Declaration>) -> Result<Outcome> {
    context.terminal.show(
        || json!({ "name": name, "collection": declaration, "file": target.file.display().to_string() }),
        || context.terminal.tell(format!("Changed {name}{}", declaration.map(described).unwrap_or_default())),
    )
}

pub(crate) fn remove(context: &Context, args: &Remove) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let edited = target.edit(|edit| edit.remove_collection(&args.name))?;
    let spec = edited.before.get(&args.name).and_then(|declaration| declaration.source.clone());
    // A source that means nothing has no data, and can go all the same.
    let id = spec.and_then(|spec| Resolved::new(&spec, &target.root).ok()).map(|resolved| resolved.id().clone());
    let Forgotten { id, dropped, used_by } = forget(context, &target, &args.name, id, args.drop)?;
    context.terminal.show(
        || json!({ "name": args.name, "id": id, "dropped": dropped, "usedBy": used_by }),
        || {
            let also = if dropped { " and dropped what was indexed of it" } else { "" };
            context.terminal.tell(format!("Removed {} from {}{also}", args.name, target.file.display()))?;
            note_used(context.terminal, &used_by)
        },
    )
}
