//! `session_show`: an object at any time, its history, and what changed.

use ai_assist_session::indexer::{is_gone, is_stub};
use ai_assist_session::{Error, Session};
use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, Moment, ObjectId, System, Valid, Version, VersionHead, VersionKind};
use ai_assist_text::{floor_boundary, head};

use super::{line, moment, session};
use crate::tools::common::*;

/// A longer value of a field is shown up to here.
const WIDEST: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum View {
    #[default]
    Content,
    History,
    Diff,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowArgs {
    /// An id or the start of it, a path or the end of it, `chat` or `system_prompt`.
    #[schemars(length(min = 1, max = 4096))]
    object: String,
    /// `content` (default), `history` for the list of its versions, or `diff` for what changed between two of them.
    #[serde(default)]
    view: View,
    /// This version, by its number. With `diff` the later one (default: what holds now).
    version: Option<u64>,
    /// With `diff`: the earlier version (default: what held before).
    from: Option<u64>,
    /// As it was known at this time. Such as `2026-11-16T08:30:00Z`.
    #[schemars(length(min = 1, max = 64))]
    as_of: Option<String>,
    /// As it was at this time, as far as is known now (or was at `as_of`).
    #[schemars(length(min = 1, max = 64))]
    valid_at: Option<String>,
    /// Goes on after so many characters of the text, or entries of the history.
    #[serde(default)]
    after: usize,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
    /// The session, by its name (default: the one of this project that was changed last).
    #[schemars(length(min = 1, max = 64))]
    session: Option<String>,
}

impl ShowArgs {
    /// The call for what an object says after so many characters.
    pub(super) fn rest_of(object: &str, after: usize, session: &str) -> Self {
        let (object, session) = (object.to_owned(), Some(session.to_owned()));
        let (view, version, from, as_of, valid_at, max_tokens) = (View::Content, None, None, None, None, None);
        ShowArgs { object, view, version, from, as_of, valid_at, after, max_tokens, session }
    }
}

/// An event of an object's history.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Event {
    /// Its number, for `version` and `from`.
    version: u64,
    /// `put` is a new state, `delta` a change to it, `delete` its end.
    event: &'static str,
    /// When it was learned.
    known: String,
    /// From when it holds.
    valid_from: String,
    /// Until when it holds, if not for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_to: Option<String>,
    /// The bytes of its text; none if it has no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

/// What changed beside the text.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Change {
    from: u64,
    to: u64,
    /// Lines that are new.
    added: usize,
    /// Lines that are gone.
    removed: usize,
    /// Fields that differ: `name: before → after`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShowAnswer {
    session: String,
    /// The whole id.
    id: String,
    /// Its kind, its path or its call, and its state.
    object: String,
    /// The version that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<Event>,
    /// Whether it is held.
    active: bool,
    /// Whether it stays.
    pinned: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<Change>,
    /// The oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<Event>,
    /// The content, or the unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// How many characters or entries there are in all.
    total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<More>,
    #[serde(skip)]
    again: Again,
}

impl ShowAnswer {
    fn point_on(&mut self) {
        let shown = self.text.as_ref().map_or(self.history.len(), |text| text.chars().count());
        let what = if self.text.is_some() { " characters" } else { " versions" };
        self.more = self.again.rest(shown, self.total, what);
    }
}

impl Answer for ShowAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        match &mut self.text {
            Some(text) => {
                let keep = floor_boundary(text, (text.len() as f64 * share * 0.9) as usize);
                // At the end of a line, if one ends there.
                let keep = text[..keep].rfind('\n').map_or(keep, |at| at + 1);
                if keep == 0 {
                    return false;
                }
                text.truncate(keep);
            }
            None if self.history.len() < 2 => return false,
            None => drop(drop_last(&mut self.history, share)),
        }
        self.point_on();
        true
    }
}

impl Tool for ShowArgs {
    const NAME: &'static str = "session_show";
    const DESCRIPTION: &'static str = "The content of a file, a recorded call or the chat as the session has it. Now, in an earlier version, or as of a time; or the history of its versions; \
            or what changed between two of them as a unified diff. Long texts are cut, and the answer has the call for the rest.";
    type Answer = ShowAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<ShowAnswer>, Failure> {
        let at = at(&args)?;
        let mut session = session(call, args.session.as_deref())?;
        let id = session.find(&args.object)?;
        if args.view == View::Content && args.version.is_none() && at == AsOf::default() {
            session.freshen(std::slice::from_ref(&id))?;
        }
        let mut answer = blank(&session, &id, &args);
        let message = match args.view {
            View::Content => content(&session, &id, &args, at, &mut answer)?,
            View::History => history(&session, &id, &mut answer).map(|()| None)?,
            View::Diff => diff(&session, &id, &args, &mut answer).map(|()| None)?,
        };
        answer.point_on();
        Ok(Success::noted(answer, message))
    }
}

/// The clocks that are asked about.
fn at(args: &ShowArgs) -> Result<AsOf, Failure> {
    let (known, valid) = (moment("as_of", args.as_of.as_deref())?, moment("valid_at", args.valid_at.as_deref())?);
    let has_time = known.is_some() || valid.is_some();
    if has_time && (args.version.is_some() || args.view != View::Content) {
        let field = if known.is_some() { "as_of" } else { "valid_at" };
        let said = "a time goes with `view` `content` and without `version`";
        return Err(Failure::argument(field, "left out here", said));
    }
    if args.from.is_some() && args.view != View::Diff {
        return Err(Failure::argument("from", "left out unless `view` is `diff`", "`from` goes with `diff`"));
    }
    Ok(AsOf { system: known.map_or(System::Now, System::Time), valid: valid.map_or(Valid::Now, Valid::Time) })
}

fn blank(session: &Session, id: &ObjectId, args: &ShowArgs) -> ShowAnswer {
    let member = session.sets().member(id);
    let mut again = Again::of(args);
    again.set("session", session.name());
    ShowAnswer {
        session: session.name().to_owned(),
        id: id.to_string(),
        object: String::new(),
        version: None,
        active: member.is_some_and(ai_assist_session::sets::Member::is_active),
        pinned: member.is_some_and(ai_assist_session::sets::Member::is_pinned),
        change: None,
        history: Vec::new(),
        text: None,
        total: 0,
        more: None,
        again,
    }
}

/// Fills in the content. What is worth saying where there is none.
fn content(
    session: &Session,
    id: &ObjectId,
    args: &ShowArgs,
    at: AsOf,
    answer: &mut ShowAnswer,
) -> Result<Option<&'static str>, Failure> {
    let version = version(session, id, args.version, at)?;
    answer.object = line(session, &version)?;
    let text = match id == session.chat_id() {
        // The chat is put together from its turns.
        true => {
            let document = session.document(id, at)?;
            document.and_then(|document| document.get("content")?.as_str().map(str::to_owned))
        }
        false => version.state.text.clone(),
    };
    let message = match &text {
        None if is_gone(&version) => Some("the file is gone; `view` `history` has its earlier versions"),
        None if is_stub(&version) => Some("it was never read; `session_read` reads it"),
        None if id == session.id() => Some("a session has no content of its own; `session_list` shows what it knows"),
        None => Some("it is binary, so no text of it is kept"),
        Some(_) if session.is_stale(id) => {
            Some("the file has changed on disk since; this is the last version that is kept")
        }
        Some(_) => None,
    };
    // What can't be unfolded from one version is not carried on by its number.
    if id != session.chat_id() && at == AsOf::default() {
        answer.again.set("version", version.head.seq.0);
    }
    answer.version = Some(event(&version.head));
    put_text(answer, text);
    Ok(message)
}

fn put_text(answer: &mut ShowAnswer, text: Option<String>) {
    answer.total = text.as_ref().map_or(0, |text| text.chars().count());
    answer.text = text.map(|text| text.chars().skip(answer.again.after).collect());
}

/// A version of this object, and of no other.
fn version(session: &Session, id: &ObjectId, number: Option<u64>, at: AsOf) -> Result<Version, Failure> {
    // Asked first, because it refuses what lies outside.
    session.document(id, at)?;
    let objects = session.objects();
    let Some(number) = number else {
        let found = objects.get(id, at).map_err(Error::from)?;
        return found.ok_or_else(|| {
            let way = "Leave the time out, or ask for `view` `history`.";
            Failure::new(ErrorType::NotFound, format!("`{id}` was not known then"), way)
        });
    };
    one_of(&session.puts(id)?, number, "version")?;
    objects.version(Seq(number)).map_err(Error::from)?.ok_or_else(|| no_version(number, "version"))
}

fn one_of(puts: &[Seq], number: u64, field: &str) -> Result<Seq, Failure> {
    puts.iter().copied().find(|seq| seq.0 == number).ok_or_else(|| no_version(number, field))
}

fn no_version(number: u64, field: &str) -> Failure {
    let way = "Ask for `view` `history`; events `put` are versions.";
    let failure = Failure::new(ErrorType::NotFound, format!("the object has no version {number}"), way);
    Failure { field: Some(field.to_owned()), ..failure }
}

fn history(session: &Session, id: &ObjectId, answer: &mut ShowAnswer) -> Result<(), Failure> {
    answer.object = line_now(session, id)?;
    let history = session.objects().history(id).map_err(Error::from)?;
    answer.total = history.len();
    answer.history = history.iter().skip(answer.again.after).map(event).collect();
    Ok(())
}

fn diff(session: &Session, id: &ObjectId, args: &ShowArgs, answer: &mut ShowAnswer) -> Result<(), Failure> {
    let puts = session.puts(id)?;
    let given = |number: Option<u64>, field| number.map(|number| one_of(&puts, number, field)).transpose();
    let (from, to) = (given(args.from, "from")?, given(args.version, "version")?);
    let Some((from, to)) = session.compared(id, from, to)? else {
        let way = "Ask for `view` `content`.";
        return Err(Failure::new(ErrorType::NotFound, "there is no version before it to compare with", way));
    };
    session.document(id, AsOf::default())?;
    let difference = session.diff(from, to)?;
    answer.object = line_now(session, id)?;
    let field = |(name, before, after): &(String, String, String)| {
        format!("{name}: {} → {}", head(before, WIDEST), head(after, WIDEST))
    };
    answer.change = Some(Change {
        from: from.0,
        to: to.0,
        added: difference.added,
        removed: difference.removed,
        fields: difference.fields.iter().filter(|(name, ..)| !name.ends_with("_hash")).map(field).collect(),
    });
    answer.again.set("from", from.0);
    answer.again.set("version", to.0);
    put_text(answer, Some(difference.unified));
    Ok(())
}

fn line_now(session: &Session, id: &ObjectId) -> Result<String, Failure> {
    let versions = session.objects().get_many(std::slice::from_ref(id), AsOf::default(), false).map_err(Error::from)?;
    versions.iter().flatten().next().map_or_else(|| Ok("no longer stored".to_owned()), |version| line(session, version))
}

fn event(head: &VersionHead) -> Event {
    Event {
        version: head.seq.0,
        event: match head.event {
            VersionKind::Put => "put",
            VersionKind::Delete => "delete",
            VersionKind::Delta => "delta",
        },
        known: head.system.to_string(),
        valid_from: head.valid_from.to_string(),
        valid_to: (head.valid_to != Moment::FOREVER).then(|| head.valid_to.to_string()),
        bytes: head.content_hash.map(|_| head.size),
    }
}
