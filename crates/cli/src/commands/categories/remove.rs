use ai_assist_collections::Resolved;

use crate::args::CategoryRemove;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &CategoryRemove) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let edited = target.edit(|edit| edit.remove_category(&args.name))?;
    let has = |categories: &[String]| categories.contains(&args.name);
    let before = edited.before.collections.iter().filter(|(_, declaration)| has(&declaration.categories));
    let collections: Vec<&str> = before.map(|(name, _)| name.as_str()).collect();
    let category = edited.before.category(&args.name);
    let id = category.map(|category| Resolved::category(category, &target.root)).transpose()?;
    let dropped = match (args.drop, &id) {
        (true, Some(resolved)) => context.library()?.drop_collection(resolved.id())?,
        _ => false,
    };
    if context.terminal.json {
        let id = id.as_ref().map(Resolved::id);
        let value = json!({
            "name": args.name, "id": id, "collections": collections, "dropped": dropped, "file": target.file,
        });
        context.terminal.json(&value)?;
    } else if !context.terminal.quiet {
        let from = if collections.is_empty() { String::new() } else { format!(" and from {}", collections.join(", ")) };
        let also = if dropped { ", and dropped what was indexed of it" } else { "" };
        context.terminal.say(format!("Removed {} from {}{from}{also}", args.name, target.file.display()))?;
    }
    Ok(Outcome::Done)
}
