use ai_assist_collections::{ConfigEdit, Error, Resolved};
use anyhow::Result;

use crate::args::Remove;
use crate::commands::Outcome;
use crate::context::Context;

pub(crate) fn run(context: &Context, args: &Remove) -> Result<Outcome> {
    let config = if args.global { context.global.as_ref() } else { Some(context.need_local()?) };
    let Some(config) = config else {
        return Err(Error::UnknownCollection { name: args.name.clone(), nearest: None }.into());
    };
    let spec = config.config.get(&args.name).and_then(|declaration| declaration.source.clone());
    let id = spec.map(|spec| Resolved::new(&spec, &config.root)).transpose()?.map(|resolved| resolved.id().clone());
    let lock = context.roots.edit_lock(&config.file);
    ConfigEdit::new(&config.file, &lock).remove_collection(&args.name).map_err(Error::from)?;
    let dropped = match (args.drop, &id) {
        (true, Some(id)) => context.library()?.drop_collection(id)?,
        _ => false,
    };
    if context.terminal.json {
        context.terminal.json(&serde_json::json!({ "name": args.name, "id": id, "dropped": dropped }))?;
    } else if !context.terminal.quiet {
        let also = if dropped { " and dropped what was indexed of it" } else { "" };
        context.terminal.say(format!("Removed {} from {}{also}", args.name, config.file.display()))?;
    }
    Ok(Outcome::Done)
}
