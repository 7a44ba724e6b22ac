//! Which project a call is about.
//!
//! A pin on the command line or in the environment wins; else the call's `project`; else a root that the client gives; else
//! nothing is known and nothing is guessed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ai_assist_base::RealPath;
use rmcp::RoleServer;
use rmcp::model::{InputRequest, InputRequiredResult, InputResponses, JsonObject, ProtocolVersion};
use rmcp::service::RequestContext;
use serde_json::Value;

use crate::outcome::{ErrorType, Failure};

const PATIENCE: Duration = Duration::from_secs(5);
/// The key of our question about roots.
const ROOTS: &str = "roots";

/// The project that every call is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin(pub PathBuf);

/// Roots of a client that keeps its connection. They are asked for once and again when it says that they changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots(Arc<Mutex<Option<Vec<String>>>>);

impl Roots {
    pub(crate) fn forget(&self) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }

    fn known(&self) -> Option<Vec<String>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    fn keep(&self, roots: &[String]) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(roots.to_vec());
    }
}

pub(crate) enum Known {
    /// Its folder may be one of these; the first that is there counts. The second tells where they come from.
    Folders(Vec<PathBuf>, Origin),
    /// The client has to be asked, and will call again.
    Ask(InputRequiredResult),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Pin,
    Argument,
    Client,
}

/// Takes the argument `project` out of the arguments of a call.
pub(crate) fn take_project(arguments: &mut JsonObject) -> Result<Option<String>, Failure> {
    match arguments.remove("project") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(folder)) if !folder.is_empty() && !folder.contains('\0') => Ok(Some(folder)),
        Some(other) => {
            let said = format!("`project` is {}", if other.is_string() { "no path" } else { "not a string" });
            Err(Failure::argument("project", "a string with the absolute path of the project's folder", said))
        }
    }
}

pub(crate) async fn project(
    pin: Option<&Pin>,
    argument: Option<String>,
    roots: &Roots,
    answers: Option<&InputResponses>,
    context: &RequestContext<RoleServer>,
) -> Result<Known, Failure> {
    if let Some(Pin(folder)) = pin {
        return Ok(Known::Folders(vec![folder.clone()], Origin::Pin));
    }
    if let Some(folder) = argument {
        let folder = PathBuf::from(folder);
        if !folder.is_absolute() {
            let said = format!("`project` is the relative path {}", folder.display());
            return Err(Failure::argument("project", "a string with the absolute path of the project's folder", said));
        }
        return Ok(Known::Folders(vec![folder], Origin::Argument));
    }
    let gives_roots = context.client_capabilities().is_some_and(|capabilities| capabilities.roots.is_some());
    if let Some(answer) = answers.and_then(|answers| answers.get(ROOTS)) {
        return of_roots(&uris(answer));
    }
    if !gives_roots {
        return Err(no_session("the client gives no root"));
    }
    let is_stateless = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    if is_stateless {
        let question = BTreeMap::from([(ROOTS.to_owned(), InputRequest::ListRoots(Default::default()))]);
        return Ok(Known::Ask(InputRequiredResult::from_input_requests(question)));
    }
    if let Some(known) = roots.known() {
        return of_roots(&known);
    }
    let found = asked(context).await?;
    roots.keep(&found);
    of_roots(&found)
}

/// Leaves the folders that lie in one of some projects, if a server is for these alone.
pub(crate) fn only(projects: &[PathBuf], known: Result<Known, Failure>) -> Result<Known, Failure> {
    if projects.is_empty() {
        return known;
    }
    let shown: Vec<String> = projects.iter().map(|project| project.display().to_string()).collect();
    let instruction = format!("Give one of these as `project`: {}.", shown.join(", "));
    match known {
        Ok(Known::Folders(folders, origin)) => {
            let real = folders.iter().filter_map(|folder| folder.real_path().ok());
            let allowed: Vec<PathBuf> =
                real.filter(|folder| projects.iter().any(|project| folder.starts_with(project))).collect();
            if allowed.is_empty() {
                return Err(Failure::new(ErrorType::Refused, "the server is not for that project", instruction));
            }
            Ok(Known::Folders(allowed, origin))
        }
        Err(failure) if failure.error_type == ErrorType::NoSession => Err(Failure { instruction, ..failure }),
        other => other,
    }
}

/// Asks the client for its roots. Deprecated by the newest revision, and the only way in those before it.
#[expect(deprecated)]
async fn asked(context: &RequestContext<RoleServer>) -> Result<Vec<String>, Failure> {
    match tokio::time::timeout(PATIENCE, context.peer.list_roots()).await {
        Ok(Ok(found)) => Ok(found.roots.into_iter().map(|root| root.uri).collect()),
        Ok(Err(error)) => Err(no_session(&format!("the client did not say what its roots are: {error}"))),
        Err(_) => Err(no_session("the client did not say in time what its roots are")),
    }
}

/// The addresses in the result of `roots/list`.
fn uris(answer: &Value) -> Vec<String> {
    let roots = answer.get("roots").and_then(Value::as_array).into_iter().flatten();
    roots.filter_map(|root| root.get("uri")?.as_str().map(str::to_owned)).collect()
}

fn of_roots(roots: &[String]) -> Result<Known, Failure> {
    let folders: Vec<PathBuf> = roots.iter().filter_map(|root| folder_of(root)).collect();
    if folders.is_empty() {
        return Err(no_session("the client gave no root that is a folder"));
    }
    Ok(Known::Folders(folders, Origin::Client))
}

/// The folder that a `file://` address names.
fn folder_of(uri: &str) -> Option<PathBuf> {
    let url = url::Url::parse(uri).ok()?;
    let local = matches!(url.host_str(), None | Some("" | "localhost"));
    if url.scheme() != "file" || !local {
        return None;
    }
    url.to_file_path().ok().filter(|path| path.is_absolute() && !path.as_os_str().as_encoded_bytes().contains(&0))
}

pub(crate) fn no_session(why: &str) -> Failure {
    Failure::new(
        ErrorType::NoSession,
        format!("it is not known which project the call is about: {why}"),
        "Call again with `project` set to the absolute path of the project's folder. \
         To settle it for good, start the server with `ai-assist mcp --project PATH`.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_folders_of_this_machine() {
        let path = |uri| folder_of(uri).map(|path| path.display().to_string());
        assert_eq!(path("file:///srv/a%20b").as_deref(), Some("/srv/a b"));
        assert_eq!(path("file://localhost/srv").as_deref(), Some("/srv"));
        for odd in ["", "srv", "https://a/b", "file://other/srv", "file:///a%00b"] {
            assert_eq!(path(odd), None, "{odd}");
        }
    }

    #[test]
    fn an_argument_is_a_path() {
        let take = |value: Value| {
            let mut arguments = JsonObject::from_iter([("project".to_owned(), value)]);
            take_project(&mut arguments)
        };
        assert_eq!(take(Value::Null), Ok(None));
        assert_eq!(take("/srv".into()), Ok(Some("/srv".to_owned())));
        for odd in [Value::from(3), "".into(), "a\0b".into(), Value::Array(Vec::new())] {
            assert_eq!(take(odd).unwrap_err().field.as_deref(), Some("project"));
        }
    }
}
