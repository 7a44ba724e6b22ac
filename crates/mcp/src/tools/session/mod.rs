//! Sessions: what an agent has seen, and what it holds now.
//!
//! A project has its own sessions: those that are about its folder, which is the same from anywhere in it. An agent reaches no
//! other, no file outside of the folder, and no session that keeps secrets as they are.

mod failures;
mod hold;
mod list;
mod open;
mod read;
mod record;
mod render;
mod search;
mod show;

pub(crate) use hold::HoldArgs;
pub(crate) use list::ListArgs;
pub(crate) use open::OpenArgs;
pub(crate) use read::ReadArgs;
pub(crate) use record::RecordArgs;
pub(crate) use render::RenderArgs;
pub(crate) use search::SearchArgs;
pub(crate) use show::ShowArgs;

use ai_assist_app::Reach;
use ai_assist_session::object::ObjectKind;
use ai_assist_session::render::{metadata_line, short_id};
use ai_assist_session::{How, Session};
use ai_assist_store::Seq;
use ai_assist_store::objects::{Moment, RequestId, Version};

use crate::tools::common::*;

/// The session that a call is about: the one it names, or the one that was changed last.
fn session(call: &Call<'_>, named: Option<&str>) -> Result<Session, Failure> {
    Ok(call.project.session(named, Reach::Project)?)
}

/// How a change is made. Requests of one session can't be mistaken for those of another.
fn how(session: &Session, request: Option<&str>, expect: Option<u64>) -> How {
    let request = request.map(|request| RequestId(format!("{}/{request}", session.name())));
    How { request, at: None, expect: expect.map(Seq) }
}

/// A point in time as an argument.
pub(super) fn moment(field: &str, text: Option<&str>) -> Result<Option<Moment>, Failure> {
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
