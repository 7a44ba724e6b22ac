//! A session as text for a model.
//!
//! What changes least stands first, so that a provider's cache of prompts keeps what it has: the system prompt, one line for
//! everything in the pool in the order in which it came, the chat with results of tools as references, and last what is held.
//! The bytes before the held part depend on the pool, the chat and the budget, and on nothing else, save whether everything fits:
//! then nothing is left out.
//!
//! Where a rendering is asked to add ([`RenderOptions::append`]), this is the state at a fold, and what has happened since follows it.

mod append;
mod held;
mod history;
mod prefix;
mod since;

use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, Moment, ObjectId, Valid, Version, VersionKind};
use ai_assist_text::{count_tokens, count_tokens_up_to};

pub use append::APPEND_TOKENS;
use held::{Earlier, Item, Shown};

use crate::indexer::{is_gone, is_stub};
use crate::object::{FileFields, FilesystemSource, ObjectKind, ToolcallFields, fields};
use crate::session::{load_chat, load_sets};
use crate::sets::WorkingSet;
use crate::{Chat, Error, Result, Session};

#[derive(Debug, Clone, Copy, Default)]
pub struct RenderOptions {
    /// No more tokens than this (o200k).
    pub max_tokens: Option<usize>,
    /// Which calls of tools are shown in full.
    pub window: Window,
    pub at: AsOf,
    /// Shows an earlier state, which stays as it is for many renderings, and adds to it what has happened since. For programs that
    /// send everything anew with each request. Without a budget it takes [`APPEND_TOKENS`].
    pub append: bool,
}

/// Calls within the window are shown in full, others only named in the chat; pinned ones always in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The last so many calls of a turn.
    pub calls: usize,
    /// The last so many turns of the user.
    pub turns: usize,
}

impl Default for Window {
    fn default() -> Self {
        Window { calls: 5, turns: 3 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The part that a cache of prompts can keep.
    pub prefix: String,
    pub held: String,
    /// What has happened since the state that the other two show, if it was asked to be added.
    pub since: String,
    /// The number of the last event that the other two show, where what has happened since follows. Renderings that have it in common
    /// begin alike: the later one adds to the earlier.
    pub fold: Option<Seq>,
    pub left_out: LeftOut,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    pub pool_lines: usize,
    /// Turns of the chat, for the budget.
    pub turns: usize,
    /// Calls that are not shown because they lie outside of the window.
    pub collapsed: usize,
    /// Calls that are not shown for the budget.
    pub toolcalls: usize,
    /// Files whose content is left out for the budget.
    pub files: usize,
}

impl Rendered {
    pub fn text(&self) -> String {
        format!("{}{}{}", self.prefix, self.held, self.since)
    }
}

/// One state, the versions that it shows in full, and its sets.
struct State {
    rendered: Rendered,
    shown: Vec<Shown>,
    sets: WorkingSet,
}

struct Scene<'s> {
    session: &'s Session,
    sets: WorkingSet,
    chat: Chat,
    options: RenderOptions,
}

impl Session {
    /// The session as text for a model.
    pub fn render(&self, options: RenderOptions) -> Result<Rendered> {
        self.must_have_begun(options.at)?;
        match options.append {
            true => self.render_appended(options),
            false => Ok(self.render_state(options)?.rendered),
        }
    }

    fn render_state(&self, options: RenderOptions) -> Result<State> {
        let (sets, _) = load_sets(self.objects(), self.id(), options.at)?;
        let chat = load_chat(self.objects(), self.chat_id(), options.at)?;
        let scene = Scene { session: self, sets, chat, options };
        let mut before = scene.before()?;
        let mut left_out = LeftOut::default();
        let mut items = scene.items(&mut left_out)?;
        let held = held::text(&items, &Earlier::default(), left_out);
        let whole = Rendered { prefix: before.text(left_out), held, since: String::new(), fold: None, left_out };
        let state = |rendered: Rendered, items: Vec<Item>, sets: WorkingSet| {
            let shown = items.into_iter().map(|item| item.shown).collect();
            Ok(State { rendered, shown, sets })
        };
        let Some(budget) = options.max_tokens else { return state(whole, items, scene.sets) };
        if count_tokens_up_to(&whole.text(), budget).is_some() {
            return state(whole, items, scene.sets);
        }
        before.cut(budget, &mut left_out)?;
        let prefix = before.text(left_out);
        let taken = count_tokens(&prefix);
        let room = budget.checked_sub(taken).ok_or(Error::Budget { budget, needed: taken + 1 })?;
        let room = held::cut(&mut items, budget, room, &mut left_out)?;
        let earlier = held::earlier(before.out, room, &mut left_out);
        let held = held::text(&items, &earlier, left_out);
        state(Rendered { prefix, held, left_out, ..whole }, items, scene.sets)
    }

    /// Refuses a time from before anything is known of the session: there is nothing to be shown, which looks as if there had been
    /// a session with nothing in it.
    pub fn must_have_begun(&self, at: AsOf) -> Result<()> {
        let history = self.objects().history(self.id())?;
        let opened = history.first().map_or_else(Moment::now, |head| head.system);
        let since = match at.valid {
            _ if self.objects().get(self.id(), at)?.is_none() => Some(opened),
            // It is there from the beginning of time; what counts is the first thing that happened.
            Valid::Time(asked) => {
                let of_chat = self.objects().history(self.chat_id())?;
                let changes = history.iter().chain(&of_chat).filter(|head| head.event == VersionKind::Delta);
                let first = changes.map(|head| head.valid_from).fold(opened, Moment::min);
                (asked < first).then_some(first)
            }
            Valid::Now => None,
        };
        since.map_or(Ok(()), |since| Err(Error::NotYet { session: self.name().to_owned(), since }))
    }
}

impl Scene<'_> {
    fn versions(&self, ids: &[ObjectId], with_text: bool) -> Result<Vec<Option<Version>>> {
        Ok(self.session.objects().get_many(ids, self.options.at, with_text)?)
    }
}

/// The heading of what has happened since.
const SINCE: &str = "# Since then";
/// So much of a call's arguments is shown.
const WIDEST: usize = 100;
/// So many digits of an id tell objects of one session apart.
const DIGITS: usize = 12;

/// The end of an id that is enough to name an object by.
pub fn short_id(id: &ObjectId) -> &str {
    let last = id.as_str().rsplit(':').next().unwrap_or_default();
    ai_assist_text::head(last, DIGITS)
}

/// What is known of an object without its content.
pub fn metadata_line(session: &Session, version: &Version) -> Result<String> {
    let id = short_id(&version.head.id);
    Ok(match ObjectKind::of(&version.head.kind) {
        Some(ObjectKind::Toolcall) => format!("toolcall {} {id}", called(&fields(version)?)),
        _ => {
            let source = FilesystemSource::from_json(&version.head.id, version.source.as_deref())?;
            format!("file {} {} {id}", on_one_line(&session.shown(&source)), state(version)?)
        }
    })
}

fn state(version: &Version) -> Result<String> {
    if is_gone(version) {
        return Ok("[deleted]".to_owned());
    }
    if is_stub(version) {
        return Ok("[unread]".to_owned());
    }
    let FileFields { file_type, char_count } = fields(version)?;
    Ok(match version.head.content_hash {
        Some(_) => format!("({file_type}, {char_count} chars)"),
        None => "[binary]".to_owned(),
    })
}

fn called(fields: &ToolcallFields) -> String {
    let mut line = format!("{} {}", on_one_line(&fields.tool), fields.status.as_str());
    if let Some(display) = fields.args_display.as_deref().filter(|display| !display.trim().is_empty()) {
        let display = on_one_line(display.trim());
        let cut = ai_assist_text::head(&display, WIDEST);
        line.push_str(&format!(": {cut}{}", if cut.len() < display.len() { "…" } else { "" }));
    }
    line
}

/// Nothing of a name may look like a line of its own.
fn on_one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c }).collect()
}
