//! `session gc` and `session delete`.

use ai_assist_session::gc::{GcCounts, Unwanted, plan};
use ai_assist_store::objects::Forgotten;

use crate::args::SessionGc;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &SessionGc) -> Result<Outcome> {
    let unwanted = Unwanted { names: args.session.clone(), before: args.before.map(|when| when.0) };
    remove(context, &unwanted, args.dry_run.noted(context.terminal)?)
}

pub(crate) fn delete(context: &Context, names: Vec<String>, dry_run: bool) -> Result<Outcome> {
    remove(context, &Unwanted { names, before: None }, dry_run)
}

fn remove(context: &Context, unwanted: &Unwanted, dry_run: bool) -> Result<Outcome> {
    let (found, forgotten) = removed(context, unwanted, dry_run)?;
    if context.terminal.json {
        context.terminal.json(&json!({
            "dryRun": dry_run, "sessions": found.sessions, "objects": found.objects.len(),
            "events": forgotten.events, "texts": forgotten.texts, "freedBytes": forgotten.bytes,
        }))?;
        return Ok(Outcome::Done);
    }
    let terminal = context.terminal;
    for name in &found.sessions {
        terminal.say(format!("{name}  {}", if dry_run { "would be removed" } else { "removed" }))?;
    }
    let objects = count(found.objects.len(), "object");
    match (found.objects.is_empty(), dry_run) {
        (true, _) => terminal.note("Nothing to remove.")?,
        (_, false) => {
            let size = indicatif::HumanBytes(forgotten.bytes);
            let versions = count(forgotten.events as usize, "version");
            terminal.note(format!("Removed {objects} with {versions}, {size} of texts."))?;
        }
        (_, true) => terminal.note(format!("{objects} would be removed."))?,
    }
    Ok(Outcome::Done)
}

/// Removes sessions with their indexes, unless only a plan is wanted.
pub(crate) fn removed(context: &Context, unwanted: &Unwanted, dry_run: bool) -> Result<(GcCounts, Forgotten)> {
    if dry_run {
        return Ok((plan(&context.objects()?, unwanted)?, Forgotten::default()));
    }
    Ok(context.remove_sessions(unwanted)?)
}
