//! `session_record`: what was said, and calls of tools with their results.

use std::path::PathBuf;

use ai_assist_admit::redact;
use ai_assist_session::object::{Role, Status};
use ai_assist_session::render::short_id;
use ai_assist_session::{Counts, NewToolcall};
use ai_assist_text::head;
use serde_json::{Map, Value};

use super::{how, session};
use crate::outcome::Forms;
use crate::tool::Effect;
use crate::tools::common::*;

/// The arguments of a call have no more bytes than this, as JSON.
const MOST_ARGUMENTS: usize = 200_000;
/// So much of one argument, and of all of them, is shown in lists.
const WIDEST: usize = 80;
const WIDEST_LINE: usize = 300;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TurnArgs {
    /// Who spoke.
    role: Role,
    /// What was said.
    #[schemars(length(min = 1, max = 1_000_000))]
    text: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolcallArgs {
    /// The name of the tool, such as `bash`.
    #[schemars(length(min = 1, max = 200))]
    tool: String,
    /// What it was given.
    #[serde(default)]
    args: Map<String, Value>,
    /// What it answered. Left out for a tool of this server that only reads: it is called again, and its answer kept.
    #[schemars(length(max = 1_000_000))]
    output: Option<String>,
    /// Whether it went well (default true).
    ok: Option<bool>,
    /// Files of the project that it was about; they are noted as met.
    #[serde(default)]
    #[schemars(length(max = 200), inner(length(min = 1, max = 4096)))]
    files: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordArgs {
    /// Something that was said. Either this or `toolcall`.
    turn: Option<TurnArgs>,
    /// A call of a tool with its result, which is held from now on. Either this or `turn`.
    toolcall: Option<ToolcallArgs>,
    /// A name for this request: sent twice, it is recorded once.
    #[schemars(length(min = 1, max = 200))]
    request: Option<String>,
    /// Record nothing unless this is the version of `chat`.
    expect: Option<u64>,
    /// The session, by its name (default: the one of this project that was changed last).
    #[schemars(length(min = 1, max = 64))]
    session: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecordAnswer {
    session: String,
    /// Enough of the call's id to name it by.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Which turn of the chat it is, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<usize>,
    /// The version of `chat` now, for `expect`.
    version: u64,
    counts: Counts,
}

impl Answer for RecordAnswer {}

impl Tool for RecordArgs {
    const NAME: &'static str = "session_record";
    const DESCRIPTION: &'static str = "Keep what was said (`turn`), or a call of a tool with its result (`toolcall`). A call is held from now on; the result of a tool \
            of this server need not be repeated. Record what you would not want to ask for again. Secrets are taken out. With `request`, the same thing sent twice is kept once.";
    type Answer = RecordAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<RecordAnswer>, Failure> {
        let kind = Kind::of(args.turn, args.toolcall)?;
        let mut session = session(call, args.session.as_deref())?;
        let how = how(&session, args.request.as_deref(), args.expect);
        let (id, turn) = match kind {
            Kind::Turn(TurnArgs { role, text }) => (None, Some(session.say(role, &text, &how)?)),
            Kind::Toolcall(mut toolcall) => {
                let output = match toolcall.output.take() {
                    Some(output) => output,
                    None => answer_of(call, &toolcall)?,
                };
                let id = session.toolcall(&new_toolcall(toolcall, output), &how)?;
                (Some(short_id(&id).to_owned()), None)
            }
        };
        let (name, version) = (session.name().to_owned(), session.chat_version().0);
        Ok(RecordAnswer { session: name, id, turn, version, counts: session.counts() }.into())
    }
}

/// What is recorded.
enum Kind {
    Turn(TurnArgs),
    Toolcall(ToolcallArgs),
}

impl Kind {
    fn of(turn: Option<TurnArgs>, toolcall: Option<ToolcallArgs>) -> Result<Self, Failure> {
        match (turn, toolcall) {
            (Some(turn), None) => Ok(Kind::Turn(turn)),
            (None, Some(toolcall)) => {
                let bytes = serde_json::to_string(&toolcall.args).map_or(usize::MAX, |json| json.len());
                if bytes > MOST_ARGUMENTS {
                    let expected = format!("an object of at most {MOST_ARGUMENTS} bytes as JSON");
                    return Err(Failure::argument("toolcall.args", expected, format!("it has {bytes} bytes")));
                }
                Ok(Kind::Toolcall(toolcall))
            }
            (given, _) => {
                let expected = "an object where `toolcall` is left out, or left out where `toolcall` is given";
                let said = if given.is_some() { "both `turn` and `toolcall` are given" } else { "neither is given" };
                Err(Failure::argument("turn", expected, said))
            }
        }
    }
}

/// What a tool of this server answers to a call, so that no agent has to say again what it was told.
fn answer_of(call: &Call<'_>, ToolcallArgs { tool, args, .. }: &ToolcallArgs) -> Result<String, Failure> {
    // Clients put the name of the server before that of a tool.
    let name = tool.rsplit("__").next().unwrap_or(tool);
    let entry = match call.offered.find(name) {
        Some(found) => Some(found?),
        None => None,
    };
    let Some(entry) = entry.filter(|entry| entry.effect() == Effect::Reads) else {
        let expected = "a string, what the tool answered; only tools of this server that read can do without";
        return Err(Failure::argument("toolcall.output", expected, format!("`{tool}` can't be called again")));
    };
    let forms = Forms { text: true, structured: false };
    Ok(entry.prepare(args.clone())?(&Call { forms, ..*call })?.text)
}

fn new_toolcall(ToolcallArgs { tool, args, ok, files, .. }: ToolcallArgs, output: String) -> NewToolcall {
    NewToolcall {
        args_display: display(&args),
        tool,
        args,
        content: output,
        status: if ok.unwrap_or(true) { Status::Ok } else { Status::Fail },
        files: files.into_iter().map(PathBuf::from).collect(),
        read: Vec::new(),
    }
}

/// The arguments for people. Secrets go before anything is cut, because half of one is not recognised.
fn display(args: &Map<String, Value>) -> Option<String> {
    // A command line speaks for itself, as it does where hooks tell it.
    if let (Some(Value::String(command)), 1) = (args.get("command"), args.len()) {
        let line = redact(command.clone()).text.split_whitespace().collect::<Vec<_>>().join(" ");
        return (!line.is_empty()).then(|| head(&line, WIDEST_LINE).to_owned());
    }
    let shown = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::String(text) => Value::from(redact(text.clone()).text).to_string(),
            Value::Array(_) => "[…]".to_owned(),
            Value::Object(_) => "{…}".to_owned(),
            plain => plain.to_string(),
        };
        let line = redact(format!("{name} = {value}")).text;
        let cut = head(&line, WIDEST);
        format!("{cut}{}", if cut.len() < line.len() { "…" } else { "" })
    };
    let line = args.iter().map(shown).collect::<Vec<_>>().join(", ");
    (!line.is_empty()).then(|| head(&line, WIDEST_LINE).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_shown_of_arguments_has_no_secrets() {
        let shown = |args: Value| {
            let Value::Object(args) = args else { panic!("an object is needed") };
            display(&args)
        };
        assert_eq!(shown(json!({})), None);
        let plain = shown(json!({ "path": "src", "deep": true, "list": [1], "more": {} })).unwrap();
        assert_eq!(plain, "path = \"src\", deep = true, list = […], more = {…}");
        // Made up, in the form of a real one.
        let key = format!("AKIA{}", "Z7QX2MVBN4KJH6TR");
        for args in [
            json!({ "command": format!("cd x\nexport AWS_ACCESS_KEY_ID={key}\nrun") }),
            // The cut would go through the middle of it.
            json!({ "command": format!("{}{key}", "a ".repeat(WIDEST / 2 - 5)) }),
            json!({ "db_password": "x7Kp!2mQz94LwR" }),
        ] {
            let line = shown(args).unwrap();
            assert!(!line.contains(&key[..8]) && !line.contains("x7Kp!2"), "{line}");
        }
        let long = shown(json!({ "a": "ä".repeat(500) })).unwrap();
        assert!(long.len() <= WIDEST + 3 && long.ends_with('…'), "{long}");
    }
}
