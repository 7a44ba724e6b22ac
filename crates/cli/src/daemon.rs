//! A service that answers in place of this process. No command needs one: whatever goes wrong with it, the command does the work
//! itself.

use std::path::PathBuf;

use ai_assist_app::Project;
use ai_assist_client::{Asking, Client, Error, socket_file};
use ai_assist_mcp::Relay;
use serde_json::Value;

use crate::context::{Context, variable};

/// The socket of the service for a data folder, whether or not one runs.
pub(crate) fn socket(data: &std::path::Path) -> Option<PathBuf> {
    socket_file(variable("XDG_RUNTIME_DIR").as_deref(), data)
}

/// A client of the service for a project's data folder, if there is one.
pub(crate) fn client(project: &Project) -> Option<Client> {
    let file = socket(&project.roots.data).filter(|file| file.exists())?;
    Some(Client::at_socket(file))
}

fn asking(project: &Project) -> Asking {
    Asking { folder: Some(project.folder.clone()), settings: Some(project.fingerprint()) }
}

/// Hands calls of tools on to a service, if one runs by then.
pub(crate) fn relay() -> Relay {
    Relay::new(|project, call| client(project)?.asking(asking(project)).post("/tool", call).ok())
}

/// What a service answers, if one runs that is of this version, has this project, and was not told to be left alone.
pub(crate) fn ask<T>(context: &Context, question: impl FnOnce(&Client) -> Result<T, Error>) -> Option<T> {
    if !context.use_daemon {
        return None;
    }
    let answered = question(&client(context)?.asking(asking(context)));
    if let Err(error) = &answered
        && context.terminal.verbose
    {
        // Whoever wants to know why it took longer.
        let _ = context.terminal.note(format!("Answered without the service: {}", ai_assist_base::chain(error)));
    }
    answered.ok()
}

/// How the service is, if one runs.
pub(crate) fn service(context: &Context) -> Option<Value> {
    if !context.use_daemon {
        return None;
    }
    client(context)?.service().ok()
}
