use ai_assist_app::Target;
use ai_assist_collections::{CollectionChange, Declaration};

use crate::args::{CollectionChangeArgs, CollectionUpdate};
use crate::commands::collections::add::described;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: CollectionChangeArgs) -> Result<Outcome> {
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

/// Says what a collection is now.
fn print(context: &Context, target: &Target, name: &str, declaration: Option<&Declaration>) -> Result<Outcome> {
    if context.terminal.json {
        context.terminal.json(&json!({ "name": name, "collection": declaration, "file": target.file }))?;
    } else {
        context.terminal.tell(format!("Changed {name}{}", declaration.map(described).unwrap_or_default()))?;
    }
    Ok(Outcome::Done)
}
