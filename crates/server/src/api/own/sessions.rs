//! What agents have seen.

use ai_assist_app::{Project, Reach};
use ai_assist_mcp::Failure;
use ai_assist_session::{Counts, Summary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::route::{Asked, Procedure};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionsOf {}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Sessions {
    /// The one that was changed last first.
    sessions: Vec<SessionState>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SessionState {
    session: String,
    folder: Option<String>,
    /// When it was opened, RFC 3339.
    opened: String,
    changed: String,
    closed: bool,
    counts: Counts,
}

impl From<Summary> for SessionState {
    fn from(summary: Summary) -> Self {
        SessionState {
            session: summary.name,
            folder: summary.about.folder,
            opened: summary.opened.to_string(),
            changed: summary.changed.to_string(),
            closed: summary.closed,
            counts: summary.counts,
        }
    }
}

impl Procedure for SessionsOf {
    type Answer = Sessions;
    type Shape = Sessions;

    fn run(self, project: &Project, _: &Asked<'_>) -> Result<Sessions, Failure> {
        let sessions = project.sessions(Reach::Project)?;
        Ok(Sessions { sessions: sessions.into_iter().map(SessionState::from).collect() })
    }
}
