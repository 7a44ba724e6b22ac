//! `activate`, `deactivate`, `pin`, `unpin`, `forget`.

use ai_assist_session::{How, Session};
use ai_assist_store::objects::ObjectId;

use super::place::{how, object};
use crate::args::SessionObjects;
use crate::commands::prelude::*;

/// What was done in one word, and how it is done.
type Step = (&'static str, fn(&mut Session, &[ObjectId], &How) -> ai_assist_session::Result<Vec<String>>);

pub(crate) fn run(context: &Context, args: &SessionObjects, (done, step): Step) -> Result<Outcome> {
    let mut session = context.session(&args.change.session)?;
    let ids = args.objects.iter().map(|name| object(context, &session, name)).collect::<Result<Vec<_>>>()?;
    let changed = step(&mut session, &ids, &how(&args.change, None))?;
    context.terminal.show(
        || json!({ "session": session.name(), "changed": changed }),
        || {
            let unchanged = match ids.len() - changed.len().min(ids.len()) {
                0 => String::new(),
                n => format!(", {n} were so before"),
            };
            context.terminal.note(format!("{} {done}{unchanged}.", count(changed.len(), "object")))
        },
    )
}
