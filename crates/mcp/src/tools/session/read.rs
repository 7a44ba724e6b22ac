//! `session_read`: files that the agent reads or meets.

use std::path::PathBuf;

use ai_assist_session::render::short_id;
use ai_assist_session::{Counts, Error, ReadFile, Session};
use ai_assist_store::objects::{AsOf, ObjectId};
use ai_assist_text::floor_boundary;

use super::{ShowArgs, how, session};
use crate::tools::common::*;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadArgs {
    /// Files of the project: paths below its folder, or absolute ones in it.
    #[schemars(length(min = 1, max = 200), inner(length(min = 1, max = 4096)))]
    paths: Vec<String>,
    /// Only note that they exist, as `[unread]`; nothing is read and nothing is held.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    discover_only: bool,
    /// Read nothing unless this is the version of the one file that is named; 0 if it must be new.
    expect: Option<u64>,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
    /// The session, by its name (default: the one of this project that was changed last).
    #[schemars(length(min = 1, max = 64))]
    session: Option<String>,
}

/// A file that was read or met.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReadNow {
    /// Enough of its id to name it by.
    id: String,
    path: String,
    /// `created`, `updated` (there is a new version) or `unchanged`.
    action: String,
    /// How many secret values were taken out of it.
    #[serde(skip_serializing_if = "is_zero")]
    redacted: usize,
    /// What it says; none where it was not read or is binary.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReadAnswer {
    session: String,
    files: Vec<ReadNow>,
    /// How many more were read and are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    not_listed: usize,
    counts: Counts,
    /// The call for what did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<More>,
    /// Files that did not fit.
    #[serde(skip)]
    without: Vec<String>,
    #[serde(skip)]
    again: Again,
}

impl Answer for ReadAnswer {
    /// The last files go first; the text of the first is cut when it is the only one.
    fn shorten(&mut self, share: f64) -> bool {
        let keep = ((self.files.len() as f64 * share * 0.97) as usize).max(1);
        let last = self.files.split_off(keep.min(self.files.len().saturating_sub(1).max(1)));
        if !last.is_empty() {
            self.without.splice(..0, last.into_iter().map(|file| file.path));
            self.not_listed = self.without.len();
            let left_out = format!("{} more files", self.not_listed);
            self.more = Some(self.again.with(left_out, [("paths", json!(self.without)), ("expect", Value::Null)]));
            return true;
        }
        let Some(ReadNow { id, path, text: Some(text), .. }) = self.files.first_mut() else { return false };
        let keep = floor_boundary(text, (text.len() as f64 * share * 0.9) as usize);
        text.truncate(text[..keep].rfind('\n').map_or(keep, |end| end + 1));
        let after = text.chars().count();
        let rest = Again::of(&ShowArgs::rest_of(id, after, &self.session));
        let others = if self.without.is_empty() { "" } else { ", and the files after it" };
        self.more = Some(rest.with(format!("{path} after {after} characters{others}"), []));
        after > 0
    }

    fn text(&self, _json: &Value) -> String {
        let mut shown = String::new();
        for ReadNow { id, path, action, redacted, text } in &self.files {
            let redacted = if *redacted > 0 { format!(", {redacted} secrets taken out") } else { String::new() };
            shown.push_str(&format!("=== {path} · {action}{redacted} · {id}\n"));
            shown.extend(text.as_ref().map(|text| format!("{}\n\n", text.trim_end())));
        }
        shown
    }
}

impl Tool for ReadArgs {
    const NAME: &'static str = "session_read";
    const DESCRIPTION: &'static str = "Read files of the project into the session, and get their texts. Each that is new or has changed gets a version, and is held from now on. \
            Secrets are taken out, and files with credentials are refused. Either all are read or none.";
    type Answer = ReadAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<ReadAnswer>, Failure> {
        let mut session = session(call, args.session.as_deref())?;
        if args.expect.is_some() && args.paths.len() != 1 {
            let said = format!("{} paths are given", args.paths.len());
            return Err(Failure::argument("expect", "left out unless one path is given", said));
        }
        let how = how(&session, None, args.expect);
        let paths: Vec<PathBuf> = args.paths.iter().map(PathBuf::from).collect();
        let indexed = match args.discover_only {
            true => session.discover(&paths, &how)?,
            false => {
                let files: Vec<ReadFile> = paths.into_iter().map(|path| ReadFile { path, bytes: None }).collect();
                session.read(&files, &how)?
            }
        };
        let ids: Vec<ObjectId> =
            indexed.iter().map(|file| file.id.parse()).collect::<Result<_, _>>().map_err(Error::from)?;
        let texts = if args.discover_only { vec![None; ids.len()] } else { texts(&session, &ids)? };
        let now = |((indexed, id), text): ((ai_assist_session::Indexed, &ObjectId), Option<String>)| ReadNow {
            id: short_id(id).to_owned(),
            path: indexed.path,
            action: indexed.action.to_string(),
            redacted: indexed.redacted,
            text,
        };
        let files = indexed.into_iter().zip(&ids).zip(texts).map(now).collect();
        let mut again = Again::of(&args);
        // What is changed last may be another one by then.
        again.set("session", session.name());
        let (name, counts) = (session.name().to_owned(), session.counts());
        Ok(ReadAnswer { session: name, files, not_listed: 0, counts, more: None, without: Vec::new(), again }.into())
    }
}

/// What files say that were read just now.
fn texts(session: &Session, ids: &[ObjectId]) -> Result<Vec<Option<String>>, Failure> {
    let versions = session.objects().get_many(ids, AsOf::default(), true).map_err(Error::from)?;
    Ok(versions.into_iter().map(|version| version?.state.text).collect())
}
