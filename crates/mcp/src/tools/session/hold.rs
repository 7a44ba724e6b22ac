//! `session_hold`: an agent's own working set.

use ai_assist_session::{How, Session};
use ai_assist_store::objects::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ADDS, Sizes, session};
use crate::call::Call;
use crate::outcome::{Failure, Success};
use crate::tool::{About, Answer, Group, Tool};

#[derive(Debug, Deserialize, JsonSchema)]
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
    /// The session, by its name (default: the one of this project that was changed last).
    #[serde(default)]
    #[schemars(length(min = 1, max = 64))]
    session: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HoldAnswer {
    session: String,
    /// How many of each list it changed something for.
    changed: Changed,
    counts: Sizes,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct Changed {
    unpin: usize,
    deactivate: usize,
    forget: usize,
    activate: usize,
    pin: usize,
}

impl Answer for HoldAnswer {}

pub(crate) struct Hold;

impl Tool for Hold {
    const ABOUT: About = About {
        name: "session_hold",
        title: "Run the working set",
        description: "Say what the session holds: activate, deactivate, pin, unpin or forget objects, by their ids or paths. Keep it small: deactivate what is done, \
            pin what must stay. The lists are done in the order unpin, deactivate, forget, activate, pin; each as a whole or not at all.",
        effect: ADDS,
        group: Group::Session,
        long: false,
    };
    type Args = HoldArgs;
    type Answer = HoldAnswer;

    fn run(call: &Call<'_>, args: HoldArgs) -> Result<Success<HoldAnswer>, Failure> {
        let mut session = session(call, args.session.as_deref())?;
        // Every name is looked up before anything is changed.
        let [unpin, deactivate, forget, activate, pin] = [
            named(&session, "unpin", &args.unpin)?,
            named(&session, "deactivate", &args.deactivate)?,
            named(&session, "forget", &args.forget)?,
            named(&session, "activate", &args.activate)?,
            named(&session, "pin", &args.pin)?,
        ];
        let (how, mut changed) = (How::default(), Changed::default());
        let done = |list: &str, before: &Changed, outcome: ai_assist_session::Result<Vec<String>>| {
            outcome.map(|ids| ids.len()).map_err(|error| because(list, before, error))
        };
        changed.unpin = done("unpin", &changed, some(&unpin, |ids| session.unpin(ids, &how)))?;
        changed.deactivate = done("deactivate", &changed, some(&deactivate, |ids| session.deactivate(ids, &how)))?;
        changed.forget = done("forget", &changed, some(&forget, |ids| session.forget(ids, &how)))?;
        changed.activate = done("activate", &changed, some(&activate, |ids| session.activate(ids, &how)))?;
        changed.pin = done("pin", &changed, some(&pin, |ids| session.pin(ids, &how)))?;
        Ok(HoldAnswer { session: session.name().to_owned(), changed, counts: Sizes::of(&session) }.into())
    }
}

fn some(
    ids: &[ObjectId],
    change: impl FnOnce(&[ObjectId]) -> ai_assist_session::Result<Vec<String>>,
) -> ai_assist_session::Result<Vec<String>> {
    if ids.is_empty() { Ok(Vec::new()) } else { change(ids) }
}

fn named(session: &Session, list: &str, names: &[String]) -> Result<Vec<ObjectId>, Failure> {
    let find = |name: &String| {
        session.find(name).map_err(|error| Failure { field: Some(list.to_owned()), ..Failure::from(error) })
    };
    names.iter().map(find).collect()
}

/// A failure that says which list it was, and what was done before.
fn because(list: &str, before: &Changed, error: ai_assist_session::Error) -> Failure {
    let failure = Failure::from(error);
    let steps = [
        ("unpin", before.unpin),
        ("deactivate", before.deactivate),
        ("forget", before.forget),
        ("activate", before.activate),
    ];
    let done: Vec<String> =
        steps.iter().filter(|(_, count)| *count > 0).map(|(step, count)| format!("{step} {count}")).collect();
    let instruction = match done.as_slice() {
        [] => failure.instruction,
        done => {
            let rest = failure.instruction.replace("Nothing was changed.", "").replace(": nothing was changed.", ".");
            format!("{} Done before this list: {}.", rest.trim_end(), done.join(", "))
        }
    };
    Failure { error: format!("{list}: {}", failure.error), instruction, field: Some(list.to_owned()), ..failure }
}
