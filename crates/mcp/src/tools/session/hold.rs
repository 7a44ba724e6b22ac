//! `session_hold`: an agent's own working set.

use ai_assist_session::{Counts, How, Session};
use ai_assist_store::objects::ObjectId;

use super::{how, session};
use crate::tools::common::*;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HoldArgs {
    /// Hold these again, by id or path; a file that was never read is read now.
    #[serde(default)]
    #[schemars(length(max = 200), inner(length(min = 1, max = 4096)))]
    activate: Vec<String>,
    /// Let go of these; they stay known.
    #[serde(default)]
    #[schemars(length(max = 200), inner(length(min = 1, max = 4096)))]
    deactivate: Vec<String>,
    /// Hold these and keep them, whatever the budget.
    #[serde(default)]
    #[schemars(length(max = 200), inner(length(min = 1, max = 4096)))]
    pin: Vec<String>,
    /// These need not stay any more.
    #[serde(default)]
    #[schemars(length(max = 200), inner(length(min = 1, max = 4096)))]
    unpin: Vec<String>,
    /// Take these out of what is known; a search still finds them.
    #[serde(default)]
    #[schemars(length(max = 200), inner(length(min = 1, max = 4096)))]
    forget: Vec<String>,
    /// Change nothing unless this is the version of `session`.
    expect: Option<u64>,
    /// The session, by its name (default: the one of this project that was changed last).
    #[schemars(length(min = 1, max = 64))]
    session: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HoldAnswer {
    session: String,
    /// How many of each list it changed something for.
    changed: Changed,
    /// The version of `session` now, for `expect`.
    version: u64,
    counts: Counts,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Changed {
    unpin: usize,
    deactivate: usize,
    forget: usize,
    activate: usize,
    pin: usize,
}

impl Answer for HoldAnswer {}

impl Tool for HoldArgs {
    const NAME: &'static str = "session_hold";
    const DESCRIPTION: &'static str = "Say what the session holds: activate, deactivate, pin, unpin or forget objects, by their ids or paths. Keep it small: deactivate what is done, \
            pin what must stay. The lists are done in the order unpin, deactivate, forget, activate, pin; each as a whole or not at all.";
    type Answer = HoldAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<HoldAnswer>, Failure> {
        let mut session = session(call, args.session.as_deref())?;
        let lists: [(&str, &[String], Step); 5] = [
            ("unpin", &args.unpin, Session::unpin),
            ("deactivate", &args.deactivate, Session::deactivate),
            ("forget", &args.forget, Session::forget),
            ("activate", &args.activate, Session::activate),
            ("pin", &args.pin, Session::pin),
        ];
        // Every name is looked up before anything is changed.
        let mut found = Vec::new();
        for (list, names, step) in lists {
            found.push((list, named(&session, list, names)?, step));
        }
        let mut done: Vec<(&str, usize)> = Vec::new();
        let mut how = how(&session, None, args.expect);
        for (list, ids, step) in found.iter().filter(|(_, ids, _)| !ids.is_empty()) {
            let changed = step(&mut session, ids, &how).map_err(|error| because(list, &done, error))?;
            done.push((list, changed.len()));
            // A later list expects what an earlier one has made of it.
            how.expect = how.expect.map(|_| session.version());
        }
        let of = |list| done.iter().find(|(step, _)| *step == list).map_or(0, |(_, count)| *count);
        let changed = Changed {
            unpin: of("unpin"),
            deactivate: of("deactivate"),
            forget: of("forget"),
            activate: of("activate"),
            pin: of("pin"),
        };
        let (name, version) = (session.name().to_owned(), session.version().0);
        Ok(HoldAnswer { session: name, changed, version, counts: session.counts() }.into())
    }
}

/// What is done with the objects of a list.
type Step = fn(&mut Session, &[ObjectId], &How) -> ai_assist_session::Result<Vec<String>>;

fn named(session: &Session, list: &str, names: &[String]) -> Result<Vec<ObjectId>, Failure> {
    let find = |name: &String| {
        session.find(name).map_err(|error| Failure { field: Some(list.to_owned()), ..Failure::from(error) })
    };
    names.iter().map(find).collect()
}

/// A failure that says which list it was, and what was done before.
fn because(list: &str, before: &[(&str, usize)], error: ai_assist_session::Error) -> Failure {
    let failure = Failure::from(error);
    let done = before.iter().filter(|(_, count)| *count > 0).map(|(step, count)| format!("{step} {count}"));
    let instruction = match done.collect::<Vec<_>>().as_slice() {
        [] => failure.instruction,
        done => {
            let rest = failure.instruction.replace("Nothing was changed.", "").replace(": nothing was changed.", ".");
            format!("{} Done before this list: {}.", rest.trim_end(), done.join(", "))
        }
    };
    let field = failure.field.or_else(|| Some(list.to_owned()));
    Failure { error: format!("{list}: {}", failure.error), instruction, field, ..failure }
}
