use ai_assist_collections::Resolved;

use crate::args::Remove;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &Remove) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let edited = target.edit(|edit| edit.remove_collection(&args.name))?;
    let spec = edited.before.get(&args.name).and_then(|declaration| declaration.source.clone());
    let id = spec.map(|spec| Resolved::new(&spec, &target.root)).transpose()?.map(|resolved| resolved.id().clone());
    let dropped = match (args.drop, &id) {
        (true, Some(id)) => context.library()?.drop_collection(id)?,
        _ => false,
    };
    if context.terminal.json {
        context.terminal.json(&json!({ "name": args.name, "id": id, "dropped": dropped }))?;
    } else {
        let also = if dropped { " and dropped what was indexed of it" } else { "" };
        context.terminal.tell(format!("Removed {} from {}{also}", args.name, target.file.display()))?;
    }
    Ok(Outcome::Done)
}
