use anyhow::Result;

use crate::args::{Sync, Update};
use crate::commands::Outcome;
use crate::context::Context;

pub(crate) fn run(context: &Context, args: Update) -> Result<Outcome> {
    context
        .terminal
        .warn("`ref update` is deprecated; use `ai-assist collections add` and `ai-assist collections sync`")?;
    super::super::collections::sync::run(context, &Sync { names: args.names, ..Sync::default() })
}
