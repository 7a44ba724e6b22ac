//! Sessions: what an agent has seen, and what it holds now.
//!
//! A project has its own sessions: those that are about its folder. An agent reaches no other, no file outside of the folder, and
//! no session that keeps secrets as they are.

mod failures;
mod hold;
mod list;
mod open;
mod read;
mod record;
mod render;
mod search;
mod show;

pub(crate) use hold::Hold;
pub(crate) use list::List;
pub(crate) use open::Open;
pub(crate) use read::Read;
pub(crate) use record::Record;
pub(crate) use render::Render;
pub(crate) use search::Search;
pub(crate) use show::Show;

use ai_assist_session::object::ObjectKind;
use ai_assist_session::render::{metadata_line, short_id};
use ai_assist_session::{Counts, How, Session, Summary, summaries};
use ai_assist_store::objects::{Moment, Objects, RequestId, Version};
use schemars::JsonSchema;
use serde::Serialize;

use crate::call::Call;
use crate::outcome::{ErrorType, Failure};
use crate::tool::Effect;

/// What is done to a session is added to it.
const ADDS: Effect = Effect::Adds;

/// Where sessions are kept.
fn store(call: &Call<'_>) -> Result<Box<dyn Objects>, Failure> {
    Ok(Box::new(call.project.objects()?))
}

/// The folder that the project's sessions are about.
fn folder(call: &Call<'_>) -> Result<String, Failure> {
    let unreadable = || {
        let error = "the name of the project's folder is not UTF-8, so no session can be about it";
        Failure::new(ErrorType::ReadError, error, "Ask the user to give the folder another name.")
    };
    call.project.folder.to_str().map(str::to_owned).ok_or_else(unreadable)
}

/// The project's sessions, the one that was changed last first.
fn of_project(call: &Call<'_>, objects: &dyn Objects) -> Result<Vec<Summary>, Failure> {
    let folder = folder(call)?;
    let mut found = summaries(objects)?;
    found.retain(|summary| summary.about.folder.as_ref() == Some(&folder) && !summary.about.raw);
    Ok(found)
}

/// The session that a call is about: the one it names, or the one that was changed last.
fn session(call: &Call<'_>, named: Option<&str>) -> Result<Session, Failure> {
    let objects = store(call)?;
    if let Some(name) = named {
        return load(call, objects, name);
    }
    let last = of_project(call, &*objects)?.into_iter().next().ok_or_else(|| {
        Failure::new(ErrorType::NotFound, "the project has no session yet", "Call `session_open` first; it makes one.")
    })?;
    load(call, objects, &last.name)
}

/// Opens a session of the project by its name.
fn load(call: &Call<'_>, objects: Box<dyn Objects>, name: &str) -> Result<Session, Failure> {
    let mut session = Session::load(objects, name)?;
    if session.about().folder != Some(folder(call)?) {
        return Err(Failure::new(
            ErrorType::NotFound,
            format!("the session `{name}` belongs to another folder"),
            "`session_list` with `set` `sessions` shows those of this project; `session_open` makes one.",
        ));
    }
    if session.about().raw {
        return Err(Failure::new(
            ErrorType::Refused,
            format!("the session `{name}` keeps secrets as they are, so it is not given out here"),
            "Call `session_open` with another name, or ask the user to use it with the `ai-assist` command.",
        ));
    }
    session.limit_to(call.project.folder.clone());
    Ok(session)
}

/// How a change is made. Requests of one session can't be mistaken for those of another.
fn how(session: &Session, request: Option<&str>) -> How {
    let request = request.map(|request| RequestId(format!("{}/{request}", session.name())));
    How { request, at: None }
}

/// A point in time as an argument.
fn moment(field: &str, text: Option<&str>) -> Result<Option<Moment>, Failure> {
    let wrong = |error: ai_assist_store::objects::BadMoment| {
        Failure::argument(field, "a time such as `2026-11-16T08:30:00Z`", error.to_string())
    };
    text.map(|text| text.parse().map_err(wrong)).transpose()
}

/// What is known of an object in one line, without its id.
fn line(session: &Session, version: &Version) -> Result<String, Failure> {
    let is_content = ObjectKind::of(&version.head.kind).is_some_and(ObjectKind::is_content);
    if !is_content {
        return Ok(version.head.kind.clone());
    }
    let line = metadata_line(session, version)?;
    Ok(line.strip_suffix(short_id(&version.head.id)).unwrap_or(&line).trim_end().to_owned())
}

/// How many objects a session has.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
struct Sizes {
    /// Objects ever met.
    index: usize,
    /// Objects known of.
    pool: usize,
    /// Objects held now.
    active: usize,
    /// Objects that stay.
    pinned: usize,
    /// Turns of the chat.
    turns: usize,
}

impl Sizes {
    fn of(session: &Session) -> Self {
        let sets = session.sets();
        Sizes {
            index: sets.index().len(),
            pool: sets.pool().len(),
            active: sets.active().len(),
            pinned: sets.pinned().len(),
            turns: session.chat().said.len(),
        }
    }
}

impl From<Counts> for Sizes {
    fn from(Counts { index, pool, active, pinned, turns }: Counts) -> Self {
        Sizes { index, pool, active, pinned, turns }
    }
}
