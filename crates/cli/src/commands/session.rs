//! Commands about sessions.

pub(crate) mod brief;
pub(crate) mod diff;
pub(crate) mod export;
pub(crate) mod gc;
pub(crate) mod history;
pub(crate) mod hold;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod open;
pub(crate) mod place;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod render;
pub(crate) mod resume;
pub(crate) mod search;
pub(crate) mod show;
pub(crate) mod watch;

use ai_assist_session::Session;

use crate::args::Sessions;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, command: Sessions) -> Result<Outcome> {
    match command {
        Sessions::Open(args) => open::run(context, args),
        Sessions::List => list::run(context),
        Sessions::Read(args) => read::run(context, &args),
        Sessions::Discover { paths, change } => read::discover(context, &paths, &change),
        Sessions::Toolcall(args) => record::toolcall(context, args),
        Sessions::Chat(args) => record::chat(context, &args),
        Sessions::Activate(args) => hold::run(context, &args, ("activated", Session::activate)),
        Sessions::Deactivate(args) => hold::run(context, &args, ("deactivated", Session::deactivate)),
        Sessions::Pin(args) => hold::run(context, &args, ("pinned", Session::pin)),
        Sessions::Unpin(args) => hold::run(context, &args, ("unpinned", Session::unpin)),
        Sessions::Forget(args) => hold::run(context, &args, ("forgotten", Session::forget)),
        Sessions::Show(args) => show::run(context, &args),
        Sessions::Search(args) => search::run(context, &args),
        Sessions::Brief(args) => brief::run(context, &args),
        Sessions::History { object, session } => history::run(context, &object, &session),
        Sessions::Diff(args) => diff::run(context, &args),
        Sessions::Render(args) => render::run(context, &args),
        Sessions::Resume(args) => resume::run(context, &args),
        Sessions::Watch(args) => watch::run(context, &args),
        Sessions::Export { output, session } => export::run(context, output.as_deref(), &session),
        Sessions::Import(args) => import::run(context, &args),
        Sessions::Hook(args) => hook::run(context, &args),
        // The program's first lines see to it, before anything can go wrong.
        Sessions::Record { .. } => Ok(Outcome::Done),
        Sessions::Close(args) => resume::close(context, &args),
        Sessions::Delete { names, dry_run } => gc::delete(context, names, dry_run),
        Sessions::Gc(args) => gc::run(context, &args),
    }
}
