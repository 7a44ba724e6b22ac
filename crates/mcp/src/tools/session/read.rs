//! `session_read`: files that the agent reads or meets.

use std::path::PathBuf;

use ai_assist_session::render::short_id;
use ai_assist_session::{Counts, Indexed, ReadFile};
use ai_assist_store::objects::ObjectId;

use super::{how, session};
use crate::tools::common::*;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadArgs {
    /// Files of the project: paths below its folder, or absolute ones in it.
    #[schemars(length(min = 1, max = 200), inner(length(min = 1, max = 4096)))]
    paths: Vec<String>,
    /// Only note that they exist, as `[unread]`; nothing is read and nothing is held.
    #[serde(default)]
    discover_only: bool,
    /// Read nothing unless this is the version of the one file that is named; 0 if it must be new.
    expect: Option<u64>,
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
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReadAnswer {
    session: String,
    files: Vec<ReadNow>,
    /// How many more there are that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    not_listed: usize,
    counts: Counts,
}

impl Answer for ReadAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        drop_counted(&mut self.files, &mut self.not_listed, share)
    }
}

impl Tool for ReadArgs {
    const NAME: &'static str = "session_read";
    const DESCRIPTION: &'static str = "Read files of the project into the session. Each that is new or has changed gets a version, and is held from now on. Secrets are taken \
            out, and files with credentials are refused. Either all are read or none. The text itself comes with `session_show` or `session_render`.";
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
        let answer = ReadAnswer {
            session: session.name().to_owned(),
            files: indexed.into_iter().map(read_now).collect(),
            not_listed: 0,
            counts: session.counts(),
        };
        Ok(answer.into())
    }
}

fn read_now(indexed: Indexed) -> ReadNow {
    let id = indexed.id.parse::<ObjectId>().map_or(indexed.id, |id| short_id(&id).to_owned());
    ReadNow { id, path: indexed.path, action: indexed.action.to_string(), redacted: indexed.redacted }
}
