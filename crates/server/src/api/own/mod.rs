//! Procedures that are no tools: they answer what commands print for programs.

pub(super) mod packs;
pub(super) mod search;
pub(super) mod service;
pub(super) mod sessions;
pub(super) mod state;

use ai_assist_mcp::{ErrorType, Failure};

use super::route::Asked;
use crate::http::Peer;

/// Nothing is asked.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// What reaches beyond the projects of the service is for programs of the user.
fn only_local(asked: &Asked<'_>, field: &str, is_given: bool) -> Result<(), Failure> {
    if !is_given || asked.peer == Peer::User {
        return Ok(());
    }
    let said = format!("`{field}` reaches beyond the projects of the service");
    Err(Failure::new(ErrorType::Refused, said, format!("Leave out `{field}`, or use the `ai-assist` command.")))
}
