//! `chat` and `toolcall`.

use ai_assist_session::NewToolcall;
use ai_assist_session::indexer::IndexAction;
use ai_assist_session::object::{Role, Status};
use ai_assist_session::render::short_id;
use serde_json::Map;

use super::place::{agent_path, how, input_text};
use crate::args::{SessionChat, SessionToolcall, Speaker};
use crate::commands::prelude::*;

pub(crate) fn chat(context: &Context, args: &SessionChat) -> Result<Outcome> {
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

pub(crate) fn toolcall(context: &Context, args: SessionToolcall) -> Result<Outcome> {
    let mut session = context.session(&args.change.session)?;
    let given: Map<String, Value> =
        serde_json::from_str(&args.args).context("--args is no JSON object, such as {\"path\": \"src\"}")?;
    let content = match (args.output, args.output_file) {
        (Some(text), _) => text,
        (None, Some(file)) => input_text(&file)?,
        (None, None) => String::new(),
    };
    let call = NewToolcall {
        tool: args.tool,
        args: given,
        args_display: args.display,
        content,
        status: if args.failed { Status::Fail } else { Status::Ok },
        files: args.file.iter().map(|path| agent_path(context, &session, path)).collect(),
        read: Vec::new(),
    };
    let id = session.toolcall(&call, &how(&args.change, args.at))?;
    context
        .terminal
        .show(|| json!({ "session": session.name(), "id": id.as_str() }), || context.terminal.say(short_id(&id)))
}
