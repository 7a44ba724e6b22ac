//! `session_open`: going on with a session, or making one.

use ai_assist_app::{self as app, Reach};
use ai_assist_session::{Counts, Error, How, NewSession, Reconciled, Reconciliation, Session, SessionName};

use super::session;
use crate::tools::common::*;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenArgs {
    /// The session's name, such as `fix-login`; one that there is not yet is made (default: the session of this project that was changed last).
    #[schemars(length(min = 1, max = 64))]
    session: Option<String>,
    /// What the model is told first when the session is rendered. Takes the place of the one before.
    #[schemars(length(max = 200_000))]
    system_prompt: Option<String>,
    /// Make a new session in any case.
    #[serde(default)]
    new: bool,
}

/// A file that is not as it was.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileNow {
    path: String,
    /// What it is now: changed, deleted, upgraded (it was never read and is now) or unreachable (its last version is kept).
    now: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OpenAnswer {
    /// Its name, for `session` of later calls.
    session: String,
    /// `created` or `resumed`.
    action: &'static str,
    counts: Counts,
    /// How many files are as they were.
    unchanged: usize,
    changed: usize,
    deleted: usize,
    upgraded: usize,
    unreachable: usize,
    /// Files that are not as they were.
    files: Vec<FileNow>,
    /// How many of these are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    not_listed: usize,
}

impl Answer for OpenAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        drop_counted(&mut self.files, &mut self.not_listed, share)
    }
}

impl Tool for OpenArgs {
    const NAME: &'static str = "session_open";
    const DESCRIPTION: &'static str = "Begin work: go on with the project's last session or a named one, or make one. A session remembers every file you read, every call \
            you record and what was said. Says which files have changed on disk since. Give the name that it answers as `session` in later calls.";
    type Answer = OpenAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<OpenAnswer>, Failure> {
        let Some(mut session) = known(call, &args)? else {
            let session = create(call, &args)?;
            return Ok(answer(&session, "created", &Reconciled::default()).into());
        };
        if let Some(prompt) = &args.system_prompt {
            session.set_system_prompt(prompt, &How::default())?;
        }
        let reconciled = session.resume(call.cancel)?;
        Ok(answer(&session, "resumed", &reconciled).into())
    }
}

/// The session to go on with, if there is one.
fn known(call: &Call<'_>, args: &OpenArgs) -> Result<Option<Session>, Failure> {
    if args.new {
        return Ok(None);
    }
    let name = args.session.as_deref().map(str::parse::<SessionName>).transpose()?;
    match call.project.session(name.as_ref().map(SessionName::as_str), Reach::Project) {
        Ok(session) => Ok(Some(session)),
        Err(app::Error::NoSession(_) | app::Error::Session(Error::UnknownSession { .. })) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn create(call: &Call<'_>, args: &OpenArgs) -> Result<Session, Failure> {
    let name = args.session.as_deref().map(str::parse::<SessionName>).transpose()?;
    let new = NewSession {
        name: name.clone(),
        folder: Some(call.project.session_folder()?),
        system_prompt: args.system_prompt.clone().unwrap_or_default(),
        filesystem_id: call.project.filesystem_id()?,
        ..NewSession::default()
    };
    match (call.project.create_session(new, Reach::Project), name) {
        // Somebody else has made it just now.
        (Err(app::Error::Session(Error::SessionExists(_))), Some(name)) if !args.new => {
            session(call, Some(name.as_str()))
        }
        (made, _) => Ok(made?),
    }
}

fn answer(session: &Session, action: &'static str, reconciled: &Reconciled) -> OpenAnswer {
    let file = |(path, now): &(String, Reconciliation)| FileNow { path: path.clone(), now: word(now) };
    OpenAnswer {
        session: session.name().to_owned(),
        action,
        counts: session.counts(),
        unchanged: reconciled.unchanged,
        changed: reconciled.count(Reconciliation::Changed),
        deleted: reconciled.count(Reconciliation::Deleted),
        upgraded: reconciled.count(Reconciliation::Upgraded),
        unreachable: reconciled.count(Reconciliation::Unreachable),
        files: reconciled.files.iter().map(file).collect(),
        not_listed: 0,
    }
}
