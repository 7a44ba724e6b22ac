use ai_assist_collections::Error;

use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, names: &[String]) -> Result<Outcome> {
    let members = context.members()?;
    let mut library = context.library()?;
    let mut dropped = Vec::new();
    for name in names {
        let before = dropped.len();
        for id in library.resolve_name(&members, name)? {
            if library.drop_collection(&id)? {
                dropped.push(json!({ "name": name, "id": id }));
            }
        }
        if dropped.len() == before {
            return Err(Error::NotSynced(name.clone()).into());
        }
        context.terminal.tell(format!("Dropped {name} from the index; the configuration is as it was"))?;
    }
    if context.terminal.json {
        context.terminal.json(&json!({ "dropped": dropped }))?;
    }
    Ok(Outcome::Done)
}
