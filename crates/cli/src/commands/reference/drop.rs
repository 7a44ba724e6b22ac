use ai_assist_collections::Error;
use anyhow::Result;

use crate::args::Drop;
use crate::commands::Outcome;
use crate::context::Context;

pub(crate) fn run(context: &Context, args: &Drop) -> Result<Outcome> {
    let members = context.members()?;
    let mut library = context.library()?;
    let mut dropped = Vec::new();
    for name in &args.names {
        let before = dropped.len();
        for id in library.resolve_name(&members, name)? {
            if library.drop_collection(&id)? {
                dropped.push(serde_json::json!({ "name": name, "id": id }));
            }
        }
        if dropped.len() == before {
            return Err(Error::NotSynced(name.clone()).into());
        }
        if !context.terminal.json && !context.terminal.quiet {
            context.terminal.say(format!("Dropped {name} from the index; the configuration is as it was"))?;
        }
    }
    if context.terminal.json {
        context.terminal.json(&serde_json::json!({ "dropped": dropped }))?;
    }
    Ok(Outcome::Done)
}
