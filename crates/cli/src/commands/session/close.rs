use super::place::how;
use crate::args::Change;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &Change) -> Result<Outcome> {
    let mut session = context.session(&args.session)?;
    let closed = session.close(&how(args, None))?;
    if context.terminal.json {
        context.terminal.json(&json!({ "session": session.name(), "closed": true }))?;
    } else {
        let so = if closed { "is closed" } else { "was closed before" };
        context.terminal.note(format!("{} {so}. To go on: ai-assist session resume -s {0}", session.name()))?;
    }
    Ok(Outcome::Done)
}
