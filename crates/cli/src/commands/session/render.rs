use ai_assist_identity::Sha256;
use ai_assist_session::render::{RenderOptions, Window};
use ai_assist_store::objects::AsOf;
use ai_assist_text::count_tokens;

use super::place::as_of;
use crate::args::SessionRender;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &SessionRender) -> Result<Outcome> {
    let mut session = context.session(&args.session)?;
    let options = RenderOptions {
        max_tokens: args.max_tokens,
        window: Window { calls: args.calls, turns: args.turns },
        at: as_of(&args.at),
        append: args.append,
    };
    if options.at == AsOf::default() {
        session.freshen_held()?;
    }
    let rendered = session.render(options)?;
    if context.terminal.json {
        context.terminal.json(&json!({
            "session": session.name(),
            "prefix": rendered.prefix,
            "prefixHash": Sha256::of(rendered.prefix.as_bytes()),
            "prefixTokens": count_tokens(&rendered.prefix),
            "held": rendered.held,
            "since": rendered.since,
            "fold": rendered.fold.map(|fold| fold.0),
            "tokens": count_tokens(&rendered.text()),
            "leftOut": rendered.left_out,
        }))?;
        return Ok(Outcome::Done);
    }
    context.terminal.write(&rendered.prefix)?;
    context.terminal.write(&rendered.held)?;
    context.terminal.write(&rendered.since)?;
    let left = rendered.left_out;
    let budget = left.pool_lines + left.turns + left.toolcalls + left.files;
    if budget > 0 {
        context.terminal.note(format!(
            "Left out for the budget: {} lines of the pool, {} turns, {} results of tools, {} files.",
            left.pool_lines, left.turns, left.toolcalls, left.files
        ))?;
    }
    Ok(Outcome::Done)
}
