//! `resume` and `close`.

use ai_assist_session::{How, Reconciled, Reconciliation};

use super::place::how;
use crate::args::{Change, OneSession};
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &OneSession) -> Result<Outcome> {
    let mut session = context.session(args)?;
    let found = {
        let _spinner = Spinner::new(context.terminal, "looking at files");
        session.resume(&cancel())?
    };
    session.reopen(&How::default())?;
    if context.terminal.json {
        let file = |(path, found): &(String, Reconciliation)| json!({ "path": path, "found": found });
        let files: Vec<Value> = found.files.iter().map(file).collect();
        context.terminal.json(&json!({
            "session": session.name(), "files": files, "unchanged": found.unchanged,
        }))?;
        return Ok(Outcome::Done);
    }
    for (path, what) in &found.files {
        context.terminal.say(format!("{:<11}  {}", word(*what), one_line(path)))?;
    }
    context.terminal.note(summary(session.name(), &found))?;
    Ok(Outcome::Done)
}

pub(crate) fn close(context: &Context, args: &Change) -> Result<Outcome> {
    let mut session = context.session(&args.session)?;
    let closed = session.close(&how(args, None))?;
    context.terminal.show(
        || json!({ "session": session.name(), "closed": true }),
        || {
            let so = if closed { "is closed" } else { "was closed before" };
            context.terminal.note(format!("{} {so}. To go on: ai-assist session resume -s {0}", session.name()))
        },
    )
}

pub(super) fn word(found: Reconciliation) -> &'static str {
    match found {
        Reconciliation::Unchanged => "unchanged",
        Reconciliation::Changed => "changed",
        Reconciliation::Upgraded => "read",
        Reconciliation::Deleted => "deleted",
        Reconciliation::Unreachable => "unreachable",
    }
}

fn summary(name: &str, found: &Reconciled) -> String {
    format!("{name}: {} unchanged, {} not.", count(found.unchanged, "file"), found.files.len())
}
