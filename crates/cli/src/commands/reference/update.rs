use crate::args::Sync;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, names: Vec<String>) -> Result<Outcome> {
    context
        .terminal
        .warn("`ref update` is deprecated; use `ai-assist collections add` and `ai-assist collections sync`")?;
    super::super::collections::sync::run(context, &Sync { names, ..Sync::default() })
}
