//! Where sessions are, and which one a command is about.

use ai_assist_app::Reach;
use ai_assist_base::read_all;
use ai_assist_session::{How, Session};
use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, Moment, ObjectId, RequestId, System, Valid};

use crate::args::{AsOfArgs, Change, OneSession};
use crate::commands::prelude::*;

/// More than this is no text that somebody wrote.
const LONGEST_INPUT: u64 = 64 * 1024 * 1024;

impl Context {
    /// The session that is named, or the one of this folder that was changed last.
    pub(crate) fn session(&self, one: &OneSession) -> Result<Session> {
        Ok(self.app.session(one.session.as_deref(), Reach::Machine)?)
    }
}

pub(crate) fn how(change: &Change, at: Option<crate::args::When>) -> How {
    How { request: change.request.clone().map(RequestId), at: at.map(|when| when.0), expect: change.expect.map(Seq) }
}

/// A path of the agent. Where it sees the same files as we do, paths are meant from where the command works.
pub(crate) fn agent_path(context: &Context, session: &Session, path: &Path) -> PathBuf {
    if session.about().sees_this_machine() { context.folder.join(path) } else { path.to_owned() }
}

/// The object that a name stands for: a path from where the command works, or whatever else the session calls so.
pub(crate) fn object(context: &Context, session: &Session, name: &str) -> Result<ObjectId> {
    let absolute = agent_path(context, session, Path::new(name));
    let is_word = matches!(name, "chat" | "system_prompt" | "session");
    let by_path = absolute.to_str().filter(|_| !is_word).and_then(|path| session.find(path).ok());
    match by_path {
        Some(id) => Ok(id),
        None => Ok(session.find(name)?),
    }
}

pub(crate) fn as_of(args: &AsOfArgs) -> AsOf {
    AsOf {
        system: args.as_of.map_or(System::Now, |when| System::Time(when.0)),
        valid: match (args.valid_at, args.as_of) {
            (Some(when), _) => Valid::Time(when.0),
            // What was known then is asked of that time, too: what was to come later did not count yet.
            (None, Some(when)) => Valid::Time(when.0),
            (None, None) => Valid::Now,
        },
    }
}

/// The bytes of a file, `-` for standard input.
pub(crate) fn input(path: &Path) -> Result<Vec<u8>> {
    let read = if path == Path::new("-") {
        read_all(std::io::stdin().lock(), LONGEST_INPUT)
    } else {
        let file = std::fs::File::open(path).with_context(|| format!("can't read {}", path.display()))?;
        read_all(file, LONGEST_INPUT)
    };
    read.with_context(|| format!("can't read {}", path.display()))
}

pub(crate) fn input_text(path: &Path) -> Result<String> {
    let bytes = input(path)?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// A time for people: to the second.
pub(crate) fn shown(moment: Moment) -> String {
    let text = moment.to_string();
    match text.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => text,
    }
}
