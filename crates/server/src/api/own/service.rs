//! The service itself: its projects, how it is, letting a browser in, and ending it.

use ai_assist_mcp::{ErrorType, Failure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::route::{Asked, ServiceProcedure};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServiceOf {}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServiceState {
    version: &'static str,
    pid: u32,
    /// Seconds since 1970.
    started_at: u64,
    uptime_seconds: u64,
    read_only: bool,
    projects: Vec<ProjectName>,
    /// How their sources are followed.
    watched: Vec<WatchedProject>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProjectName {
    /// What requests may call it.
    name: String,
    folder: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WatchedProject {
    folder: String,
    /// How many folders are watched, each with all below it.
    folders: usize,
    /// Why changes are not heard, if that is so: everything is looked at every few seconds instead.
    polling: Option<String>,
    /// What could not be brought up to date, and why.
    problems: Vec<String>,
    /// How often something was taken in.
    updates: u64,
}

fn projects(asked: &Asked<'_>) -> Vec<ProjectName> {
    let named = asked.service.names().zip(&asked.service.projects);
    named.map(|(name, folder)| ProjectName { name: name.to_owned(), folder: folder.display().to_string() }).collect()
}

impl ServiceProcedure for ServiceOf {
    type Answer = ServiceState;

    fn run(self, asked: &Asked<'_>) -> Result<ServiceState, Failure> {
        let service = asked.service;
        let watched = service.watched().into_iter().map(|it| WatchedProject {
            folder: it.project.display().to_string(),
            folders: it.folders,
            polling: it.polling,
            problems: it.problems,
            updates: it.updates,
        });
        let started = service.started_at.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Ok(ServiceState {
            version: ai_assist_client::VERSION,
            pid: std::process::id(),
            started_at: started.as_secs(),
            uptime_seconds: service.started.elapsed().as_secs(),
            read_only: service.read_only,
            projects: projects(asked),
            watched: watched.collect(),
        })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectsOf {}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Projects {
    projects: Vec<ProjectName>,
}

impl ServiceProcedure for ProjectsOf {
    type Answer = Projects;

    fn run(self, asked: &Asked<'_>) -> Result<Projects, Failure> {
        Ok(Projects { projects: projects(asked) })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewLink {}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Link {
    /// Lets one browser in, once, within two minutes.
    url: String,
}

impl ServiceProcedure for NewLink {
    type Answer = Link;

    fn run(self, asked: &Asked<'_>) -> Result<Link, Failure> {
        let fault = || Failure::new(ErrorType::InternalError, "no link can be made", "Try again.");
        Ok(Link { url: asked.service.new_link().ok_or_else(fault)? })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stop {}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Stopping {
    stopping: bool,
}

impl ServiceProcedure for Stop {
    type Answer = Stopping;

    fn run(self, asked: &Asked<'_>) -> Result<Stopping, Failure> {
        asked.service.stop.cancel();
        Ok(Stopping { stopping: true })
    }
}
