//! What a page can start: indexing, looking for newer versions, repairing. Each is a job with a page of its own.

use std::sync::Arc;

use ai_assist_app::{CollectionSync, Locks, Project, SyncWanted};
use ai_assist_base::{Cancel, chain};
use ai_assist_collections::{Health, Member, SyncEvent};
use ai_assist_identity::CollectionKind;
use ai_assist_repo::build::BuildEvent;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::local_repo::LocalRepo;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};

use crate::events::Change;
use crate::failure::Failure;
use crate::frame::{Frame, View};
use crate::jobs::{Job, JobState, Progress};
use crate::links;
use crate::pages::{Open, Pages, html};
use crate::params::{Asked, Params};
use crate::shown::{count, number};

#[derive(Template)]
#[template(path = "job.html")]
struct JobPage {
    frame: Frame,
    job: Job,
    is_running: bool,
    state: &'static str,
    class: &'static str,
    amount: String,
    stop: String,
    status: String,
}

pub(crate) async fn show(
    State(pages): State<Arc<Pages>>,
    Path((project, job)): Path<(String, u64)>,
    asked: Asked,
) -> Response {
    pages
        .answer(project, asked, move |open| {
            let job = open.pages.jobs.get(job).filter(|job| job.project == open.name);
            let job = job.ok_or_else(|| Failure::missing("This job is not remembered any more."))?;
            let (state, class) = state_of(&job);
            html(&JobPage {
                frame: Frame::new(open, &job.title, View::Status),
                is_running: job.state == JobState::Running,
                state,
                class,
                amount: job
                    .total
                    .map_or(String::new(), |total| format!("{} of {}", number(job.done as u64), number(total as u64))),
                stop: links::view(&open.name, &format!("jobs/{}/stop", job.number)),
                status: links::view(&open.name, "status"),
                job,
            })
        })
        .await
}

pub(crate) fn state_of(job: &Job) -> (&'static str, &'static str) {
    match job.state {
        JobState::Running => ("running", ""),
        JobState::Done => ("done", "good"),
        JobState::Failed => ("with problems", "bad"),
    }
}

pub(crate) async fn stop(
    State(pages): State<Arc<Pages>>,
    Path((project, number)): Path<(String, u64)>,
    asked: Asked,
) -> Response {
    pages
        .answer(project, asked, move |open| {
            if let Some(job) = open.pages.jobs.get(number).filter(|job| job.project == open.name) {
                job.cancel.cancel();
            }
            Ok(to_job(open, number))
        })
        .await
}

fn to_job(open: &Open, number: u64) -> Response {
    Redirect::to(&links::view(&open.name, &format!("jobs/{number}"))).into_response()
}

/// Starts a job and leads to its page.
fn started(open: &Open, title: &str, work: impl FnOnce(&Project, &mut Progress) + Send + 'static) -> Response {
    let (project, changes) = (open.project.clone(), open.pages.changes().clone());
    let number = open.pages.jobs.start(&open.name, title, changes.clone(), move |progress| {
        work(&project, progress);
        let _ = changes.send(Change::Project(project.folder.clone()));
    });
    to_job(open, number)
}

/// Indexes what is named, or everything.
pub(crate) async fn sync(
    State(pages): State<Arc<Pages>>,
    Path(project): Path<String>,
    asked: Asked,
    body: String,
) -> Response {
    let names: Vec<String> = Params::parse(&body).all("name").map(str::to_owned).collect();
    pages
        .answer(project, asked, move |open| {
            let (members, repos) = wanted(&open.project, &names)?;
            if members.is_empty() && repos.is_empty() {
                let way = "Add documents first, such as: ai-assist add ./docs";
                return Err(Failure::bad("There is nothing to index here.", way));
            }
            let title = match names.as_slice() {
                [] => "Index everything".to_owned(),
                names => format!("Index {}", names.join(", ")),
            };
            Ok(started(open, &title, move |project, progress| {
                sync_members(project, &members, progress);
                for (name, repo) in &repos {
                    build(project, name, repo, progress);
                }
            }))
        })
        .await
}

type NamedRepo = (String, LocalRepo);

fn wanted(project: &Project, names: &[String]) -> Result<(Vec<Member>, Vec<NamedRepo>), Failure> {
    let members = project.members()?;
    let mut repos: Vec<NamedRepo> = project.own_repo().map(|own| (own.name().to_owned(), own)).into_iter().collect();
    for (name, repo) in project.workspace_repos()? {
        if !repos.iter().any(|(_, known)| known.id == repo.id) {
            repos.push((name, repo));
        }
    }
    if names.is_empty() {
        return Ok((members.named(&[]).map_err(ai_assist_app::Error::from)?, repos));
    }
    let of_collections: Vec<String> =
        names.iter().filter(|name| members.names().any(|known| known == name.as_str())).cloned().collect();
    repos.retain(|(name, _)| names.contains(name) && !of_collections.contains(name));
    let members = match of_collections.is_empty() {
        true => Vec::new(),
        false => members.named(&of_collections).map_err(ai_assist_app::Error::from)?,
    };
    Ok((members, repos))
}

fn sync_members(project: &Project, members: &[Member], progress: &mut Progress) {
    if members.is_empty() {
        return;
    }
    let mut sync = match CollectionSync::new(project, SyncWanted::default()) {
        Ok(sync) => sync,
        Err(error) => return progress.say(false, chain(&error)),
    };
    let cancel = progress.cancel.clone();
    for member in members.iter().take_while(|_| !cancel.is_cancelled()) {
        let name = &member.name;
        progress.step(format!("{name}: looking"));
        let mut tell = |event: SyncEvent<'_>| match event {
            SyncEvent::Waiting => progress.step(format!("{name}: waiting for another sync of it")),
            SyncEvent::Asking(what) => progress.step(format!("{name}: asking for {what}")),
            SyncEvent::Pages { done, waiting } => {
                progress.step(format!("{name}: {done} pages fetched, {waiting} to go"));
            }
            SyncEvent::Reading(files) => {
                progress.step(format!("{name}: reading"));
                progress.expect(files);
            }
            SyncEvent::FileDone => progress.one_more(),
            SyncEvent::Indexing => progress.step(format!("{name}: indexing")),
            _ => {}
        };
        match sync.sync(member, &mut tell, &cancel) {
            Ok(report) => {
                let documents = count(report.documents as u64, "document");
                let changed = match report.is_unchanged() {
                    true => "nothing has changed".to_owned(),
                    false => format!("{} added, {} updated, {} removed", report.added, report.updated, report.removed),
                };
                progress.say(true, format!("{name}: {documents}, {changed}"));
                for problem in report.problems.iter().take(10) {
                    progress.say(false, format!("{name}: {}: {}", problem.path, problem.reason));
                }
            }
            Err(error) => progress.say(false, format!("{name}: {}", chain(&error))),
        }
    }
    if let Err(error) = sync.finish() {
        progress.say(false, chain(&error));
    }
}

fn build(project: &Project, name: &str, repo: &LocalRepo, progress: &mut Progress) {
    let cancel = progress.cancel.clone();
    if cancel.is_cancelled() {
        return;
    }
    progress.step(format!("{name}: looking at the files"));
    let mut tell = |event: BuildEvent<'_>| match event {
        BuildEvent::Waiting => progress.step(format!("{name}: waiting for another build of it")),
        BuildEvent::Reading(files) => {
            progress.step(format!("{name}: reading"));
            progress.expect(files);
        }
        BuildEvent::FileDone(_) => progress.one_more(),
        BuildEvent::Writing(mode) => progress.step(format!("{name}: writing the index of {mode}")),
        BuildEvent::Walking | BuildEvent::Promoting => {}
    };
    match project.build_index(repo, Mode::ALL.to_vec(), false, &cancel, &mut tell) {
        Ok(report) if report.unchanged => progress.say(true, format!("{name}: up to date")),
        Ok(report) => {
            progress.say(
                true,
                format!("{name}: {}, {} read", count(report.files as u64, "file"), number(report.read as u64)),
            );
        }
        Err(error) => progress.say(false, format!("{name}: {}", chain(&error))),
    }
}

/// Asks upstreams whether they have something newer.
pub(crate) async fn outdated(State(pages): State<Arc<Pages>>, Path(project): Path<String>, asked: Asked) -> Response {
    pages
        .answer(project, asked, move |open| {
            let mut members: Vec<Member> = open.project.members()?.iter().cloned().collect();
            members.retain(|member| member.spec.kind() != CollectionKind::File);
            Ok(started(open, "Look for newer versions", move |project, progress| {
                if let Err(error) = look_upstream(project, &members, progress) {
                    progress.say(false, chain(&error));
                }
            }))
        })
        .await
}

fn look_upstream(project: &Project, members: &[Member], progress: &mut Progress) -> ai_assist_app::Result<()> {
    let (mut library, options, locks) = (project.library()?, project.sync_options()?, Locks::load(project)?);
    let cancel = progress.cancel.clone();
    let mut registries = Vec::new();
    for registry in project.registries(&options.client, &cancel) {
        match registry {
            Ok(registry) => registries.push(registry),
            Err(error) => progress.say(false, chain(&error)),
        }
    }
    for member in members.iter().take_while(|_| !cancel.is_cancelled()) {
        progress.step(format!("{}: asking", member.name));
        let found = library.outdated(member, &options, &registries, &cancel)?;
        let current = locks.get(member).map(|locked| locked.version).or(found.current.map(|package| package.version));
        let said = match (&found.error, found.latest.or(found.newer).or(found.wanted), found.outdated) {
            (Some(error), ..) => error.clone(),
            (None, Some(latest), true) => format!("{} in use, {latest} is there", current.unwrap_or_default()),
            (None, None, true) => {
                format!("{} new, {} changed, {} gone", found.added.len(), found.updated.len(), found.removed.len())
            }
            _ => "up to date".to_owned(),
        };
        progress.say(found.error.is_none(), format!("{}: {said}", member.name));
    }
    if members.is_empty() {
        progress.say(true, "Folders have no upstream; only packages and websites do.".to_owned());
    }
    Ok(())
}

/// Looks for damage and repairs what can be.
pub(crate) async fn repair(State(pages): State<Arc<Pages>>, Path(project): Path<String>, asked: Asked) -> Response {
    pages
        .answer(project, asked, |open| {
            Ok(started(open, "Repair", |project, progress| {
                progress.step("looking for damage".to_owned());
                let cancel: Cancel = progress.cancel.clone();
                match project.doctor(true, &cancel) {
                    Ok(findings) => {
                        for finding in findings {
                            let is_good = matches!(finding.health, Health::Good | Health::Repaired);
                            progress.say(is_good, format!("{}: {}", finding.subject, finding.message));
                        }
                    }
                    Err(error) => progress.say(false, chain(&error)),
                }
            }))
        })
        .await
}
