use ai_assist_session::gc::{Unwanted, collect, plan};
use ai_assist_store::objects::Forgotten;
use anyhow::{Context as _, Result};
use serde_json::json;

use crate::args::SessionGc;
use crate::commands::Outcome;
use crate::context::Context;
use crate::terminal::count;

pub(crate) fn run(context: &Context, args: &SessionGc) -> Result<Outcome> {
    let mut objects = context.objects()?;
    let unwanted = Unwanted { names: args.session.clone(), before: args.before.map(|when| when.0) };
    let (found, forgotten) = match args.apply {
        true => collect(&mut objects, &unwanted)?,
        false => (plan(&objects, &unwanted)?, Forgotten::default()),
    };
    if args.apply {
        for name in &found.sessions {
            remove_index(context, name)?;
        }
    }
    if context.terminal.json {
        context.terminal.json(&json!({
            "dryRun": !args.apply, "sessions": found.sessions, "objects": found.objects.len(),
            "events": forgotten.events, "texts": forgotten.texts, "freedBytes": forgotten.bytes,
        }))?;
        return Ok(Outcome::Done);
    }
    let terminal = context.terminal;
    for name in &found.sessions {
        terminal.say(format!("{name}  {}", if args.apply { "removed" } else { "would be removed" }))?;
    }
    let objects = count(found.objects.len(), "object");
    match (found.objects.is_empty(), args.apply) {
        (true, _) => terminal.note("Nothing to remove.")?,
        (_, true) => {
            let size = indicatif::HumanBytes(forgotten.bytes);
            terminal.note(format!(
                "Removed {objects} with {}, {size} of texts.",
                count(forgotten.events as usize, "version")
            ))?;
        }
        (_, false) => terminal.note(format!("{objects} could be removed. To do so: --apply"))?,
    }
    Ok(Outcome::Done)
}

fn remove_index(context: &Context, name: &str) -> Result<()> {
    let folder = context.session_index(name);
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("can't remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}
