//! Telling open pages that something has changed.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, stream};
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;

use crate::pages::Pages;
use crate::params::Asked;

/// Something that pages may show has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Documents, code or sessions of a project: what is indexed of them is new.
    Project(PathBuf),
    /// A job of the page goes on, by its number.
    Job(u64),
    /// The server comes to its end, and waits for nobody who listens.
    End,
}

/// Events of one project, until the browser goes away. `reload` says to look again; `job` that one goes on.
pub(crate) async fn stream(
    State(pages): State<Arc<Pages>>,
    asked: Asked,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let project = asked.params.get("project").unwrap_or_default().to_owned();
    let changes = pages.changes().subscribe();
    let events = stream::unfold((changes, pages, project), |(mut changes, pages, project)| async move {
        loop {
            let event = match changes.recv().await {
                Ok(Change::Project(folder)) => match pages.name_of(&folder) {
                    Some(name) if name == project => Event::default().event("reload").data("{}"),
                    _ => continue,
                },
                Ok(Change::Job(number)) => Event::default().event("job").data(json!({ "job": number }).to_string()),
                // What was missed is told in one.
                Err(RecvError::Lagged(_)) => Event::default().event("reload").data("{}"),
                Ok(Change::End) | Err(RecvError::Closed) => return None,
            };
            return Some((Ok(event), (changes, pages, project)));
        }
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}
