//! `session_render`: a session as one text for a model.

use ai_assist_identity::Sha256;
use ai_assist_session::render::{LeftOut, RenderOptions, Rendered, Window};
use ai_assist_session::{Error, Session};
use ai_assist_text::count_tokens;

use super::session;
use crate::tools::common::*;

/// What the frame of the answer takes, beside the text.
const FRAME: usize = 250;
/// The largest budget there is.
const LARGEST: usize = 24_000;
/// How much of the room the text may take before it is escaped as JSON, in percent: the first that fits. In steps, so that the part
/// that a cache keeps does not move with every change of what is held.
const SHARES: [usize; 6] = [100, 85, 70, 55, 40, 25];

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RenderArgs {
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
    /// Show the last so many calls of a turn in full (default 5).
    #[schemars(range(min = 0, max = 1000))]
    calls: Option<usize>,
    /// Of the last so many turns of the user (default 3).
    #[schemars(range(min = 0, max = 1000))]
    turns: Option<usize>,
    /// Only add to what an earlier rendering had, as long as there is room.
    #[serde(default)]
    append: bool,
    /// The session, by its name (default: the one of this project that was changed last).
    #[schemars(length(min = 1, max = 64))]
    session: Option<String>,
}

/// The part of the text that stays the same while only what is held changes; with `append`, while there is room to add to it.
#[derive(Debug, Serialize, JsonSchema)]
struct Prefix {
    /// So many bytes of the text, from its start.
    bytes: usize,
    /// So many tokens.
    tokens: usize,
    /// Of these bytes.
    hash: String,
}

/// What was left out or shown as a line only.
#[derive(Debug, Serialize, JsonSchema)]
struct Left {
    /// Lines of known objects, for the budget.
    pool_lines: usize,
    /// Turns of the chat, for the budget.
    turns: usize,
    /// Calls outside of the window.
    collapsed: usize,
    /// Calls, for the budget.
    toolcalls: usize,
    /// Files, for the budget.
    files: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RenderAnswer {
    session: String,
    /// The system prompt, a line for everything known, the chat, and last what is held.
    text: String,
    /// The tokens of the text.
    tokens: usize,
    prefix: Prefix,
    left_out: Left,
}

impl Answer for RenderAnswer {}

impl Tool for RenderArgs {
    const NAME: &'static str = "session_render";
    const DESCRIPTION: &'static str = "The session as one text for a model, within a token budget: system prompt, one line for each known object, the chat, and last the content that is \
            held. What changes least stands first; `prefix` has the length and the hash of the part that a prompt cache can keep. Use it to hand work over.";
    type Answer = RenderAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<RenderAnswer>, Failure> {
        let mut session = session(call, args.session.as_deref())?;
        let usual = Window::default();
        let window = Window { calls: args.calls.unwrap_or(usual.calls), turns: args.turns.unwrap_or(usual.turns) };
        session.freshen_held()?;
        let options = RenderOptions { window, append: args.append, ..RenderOptions::default() };
        let rendered = fitting(&session, options, budget(args.max_tokens))?;
        let text = rendered.text();
        let stable = match rendered.fold {
            Some(_) => &text[..text.len() - rendered.since.len()],
            None => &rendered.prefix,
        };
        let prefix = Prefix {
            bytes: stable.len(),
            tokens: count_tokens(stable),
            hash: Sha256::of(stable.as_bytes()).to_string(),
        };
        let tokens = count_tokens(&text);
        let left_out = left(rendered.left_out);
        Ok(RenderAnswer { session: session.name().to_owned(), text, tokens, prefix, left_out }.into())
    }
}

/// Renders in less until the text, escaped as JSON, fits.
fn fitting(session: &Session, options: RenderOptions, budget: usize) -> Result<Rendered, Failure> {
    let room = budget.saturating_sub(FRAME);
    for share in SHARES {
        let max_tokens = Some(room * share / 100);
        let rendered = match session.render(RenderOptions { max_tokens, ..options }) {
            Err(Error::Budget { needed, .. }) => return Err(too_small(needed * 100 / share + FRAME, budget)),
            other => other?,
        };
        if count_tokens(&Value::from(rendered.text()).to_string()) <= room {
            return Ok(rendered);
        }
    }
    Err(too_small(budget * 2, budget))
}

fn too_small(needed: usize, budget: usize) -> Failure {
    let said = format!("{budget} tokens are too few for the system prompt, the lines and what is pinned");
    let (expected, way) = match needed <= LARGEST {
        true => (format!("an integer of about {needed} or more"), "Give more `max_tokens`, or unpin or deactivate"),
        false => (format!("an integer of at most {LARGEST}, with less that is held"), "Unpin or deactivate"),
    };
    let instruction = format!(r#"{way} something: `session_hold {{"unpin":["…"],"deactivate":["…"]}}`."#);
    Failure { instruction, ..Failure::argument("max_tokens", expected, said) }
}

fn left(LeftOut { pool_lines, turns, collapsed, toolcalls, files }: LeftOut) -> Left {
    Left { pool_lines, turns, collapsed, toolcalls, files }
}
