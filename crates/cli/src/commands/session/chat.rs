use ai_assist_session::indexer::IndexAction;
use ai_assist_session::object::Role;

use super::place::{how, input_text};
use crate::args::{SessionChat, Speaker};
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &SessionChat) -> Result<Outcome> {
    let mut session = context.session(&args.change.session)?;
    let text = if args.text == "-" { input_text(Path::new("-"))? } else { args.text.clone() };
    let how = how(&args.change, args.at);
    let (turns, action) = match args.role {
        Speaker::User => (session.say(Role::User, &text, &how)?, IndexAction::Created),
        Speaker::Assistant => (session.say(Role::Assistant, &text, &how)?, IndexAction::Created),
        Speaker::System if args.at.is_some() => {
            bail!("a system prompt counts from when it is given; leave out --at")
        }
        Speaker::System => {
            let action = session.set_system_prompt(&text, &how)?;
            (session.chat().said.len(), action)
        }
    };
    if context.terminal.json {
        context.terminal.json(&json!({ "session": session.name(), "turns": turns, "action": action }))?;
    } else if args.role == Speaker::System {
        context.terminal.note(format!("The system prompt is {action}."))?;
    } else {
        context.terminal.note(format!("Turn {turns}."))?;
    }
    Ok(Outcome::Done)
}
