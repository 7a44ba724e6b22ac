use ai_assist_collections::{Error, reader_of};

use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, names: &[String], yes: bool) -> Result<Outcome> {
    let members = context.members()?;
    let mut library = context.library()?;
    let mut dropped = Vec::new();
    for name in names {
        let before = dropped.len();
        for id in library.resolve_name(&members, name)? {
            let here = |reader: &String| members.iter().any(|member| *reader == reader_of(member));
            let others: Vec<String> = library.readers_of(&id)?.into_iter().filter(|reader| !here(reader)).collect();
            if !yes && !others.is_empty() {
                let question = format!("{name} is read by {} as well. Drop it?", others.join(", "));
                if !context.terminal.confirms(&question)? {
                    bail!("{name} is read by {} as well; give --yes to drop it all the same", others.join(", "));
                }
            }
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
