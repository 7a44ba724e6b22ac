//! Where things are, what they take, what runs, and whether something is damaged.

use std::sync::Arc;

use ai_assist_app::{DiskUse, EntryState};
use ai_assist_collections::Health;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;

use crate::failure::Failure;
use crate::frame::{Frame, View};
use crate::links;
use crate::pages::{Answered, Open, Pages, html};
use crate::params::Asked;
use crate::shown::{ago, bytes, number};
use crate::views::work::state_of;

#[derive(Template)]
#[template(path = "status.html")]
struct StatusPage {
    frame: Frame,
    entries: Vec<EntryRow>,
    places: Vec<(&'static str, String)>,
    uses: Vec<UseRow>,
    total: String,
    jobs: Vec<JobRow>,
    /// How sources are followed, and whether that is as it should be.
    following: Vec<(bool, String)>,
    log: Vec<String>,
    warnings: Vec<String>,
    /// What doctor found, if it was asked.
    findings: Option<Vec<FindingRow>>,
    is_sound: bool,
    doctor: String,
    repair: String,
    sync: String,
}

struct EntryRow {
    name: String,
    kind: String,
    state: &'static str,
    class: &'static str,
    detail: String,
    documents: String,
    indexed: String,
    size: String,
}

struct UseRow {
    what: &'static str,
    path: String,
    size: String,
    width: String,
}

struct JobRow {
    title: String,
    address: String,
    state: &'static str,
    class: &'static str,
    last: String,
}

struct FindingRow {
    subject: String,
    state: &'static str,
    class: &'static str,
    message: String,
}

pub(crate) async fn show(State(pages): State<Arc<Pages>>, Path(project): Path<String>, asked: Asked) -> Response {
    pages.answer(project, asked, view).await
}

fn view(open: &Open) -> Answered {
    let project = &open.project;
    let uses = project.disk_use();
    let total: u64 = uses.iter().map(|it| it.bytes).sum();
    let use_row = |it: DiskUse| UseRow {
        what: it.what,
        path: it.path,
        size: bytes(it.bytes),
        width: format!("{:.1}", it.bytes as f64 * 100.0 / total.max(1) as f64),
    };
    let jobs = open.pages.jobs.of(&open.name).into_iter().map(|job| {
        let (state, class) = state_of(&job);
        let last = if job.step.is_empty() {
            job.lines.last().map_or(String::new(), |(_, line)| line.clone())
        } else {
            job.step.clone()
        };
        JobRow {
            address: links::view(&open.name, &format!("jobs/{}", job.number)),
            title: job.title,
            state,
            class,
            last,
        }
    });
    let findings = (open.asked.params.get("doctor") == Some("1")).then(|| findings(open)).transpose()?;
    html(&StatusPage {
        frame: Frame::new(open, "Status", View::Status),
        entries: entries(open)?,
        places: vec![
            ("Project", project.root().display().to_string()),
            ("Configuration", project.file().display().to_string()),
            ("Data", project.roots.data.display().to_string()),
            ("Cache", project.roots.cache.display().to_string()),
        ],
        uses: uses.into_iter().map(use_row).collect(),
        total: bytes(total),
        jobs: jobs.take(8).collect(),
        following: open.pages.host.following(&project.folder),
        log: open.pages.host.log(),
        warnings: project.warnings.iter().map(|warning| format!("{}: {}", warning.place, warning.message)).collect(),
        is_sound: findings.as_ref().is_some_and(|found| found.iter().all(|finding| finding.class == "good")),
        findings,
        doctor: links::view(&open.name, "status"),
        repair: links::view(&open.name, "repair"),
        sync: links::view(&open.name, "sync"),
    })
}

fn entries(open: &Open) -> Result<Vec<EntryRow>, Failure> {
    let row = |entry: ai_assist_app::Entry| {
        let (state, class) = match entry.state {
            EntryState::Current => ("up to date", "good"),
            EntryState::Stale => ("stale", "warn"),
            EntryState::NotIndexed => ("not indexed", "warn"),
            EntryState::Error => ("broken", "bad"),
        };
        EntryRow {
            name: entry.name,
            kind: ai_assist_base::json::word(&entry.kind).replace('-', " "),
            state,
            class,
            detail: entry.detail.unwrap_or_default(),
            documents: number(entry.documents),
            indexed: entry.indexed_at.as_deref().map_or("never".to_owned(), ago),
            size: bytes(entry.bytes),
        }
    };
    Ok(open.project.entries(&open.cancel)?.into_iter().map(row).collect())
}

fn findings(open: &Open) -> Result<Vec<FindingRow>, Failure> {
    let row = |finding: ai_assist_collections::Finding| {
        let (state, class) = match finding.health {
            Health::Good => ("sound", "good"),
            Health::Repaired => ("repaired", "good"),
            Health::Repairable => ("can be repaired", "warn"),
            Health::Broken => ("broken", "bad"),
        };
        FindingRow { subject: finding.subject, state, class, message: finding.message }
    };
    Ok(open.project.doctor(false, &open.cancel)?.into_iter().map(row).collect())
}
