//! The workspace: its repositories, what is broken, and how to repair it.

use std::sync::Arc;

use ai_assist_base::chain;
use ai_assist_repo::status::RepoStatus;
use ai_assist_workspace::manifest::{Availability, RepoEntry};
use ai_assist_workspace::selection::name_of;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;

use crate::frame::{Frame, View};
use crate::links;
use crate::pages::{Answered, Open, Pages, html};
use crate::params::Asked;
use crate::shown::{ago, count, number};
use crate::views::repo::{Standing, state};

#[derive(Template)]
#[template(path = "workspace.html")]
struct WorkspacePage {
    frame: Frame,
    name: String,
    file: String,
    summary: String,
    rows: Vec<Row>,
    diagnostics: Vec<String>,
    sync: String,
}

struct Row {
    name: String,
    address: String,
    root: String,
    state: Standing,
    enabled: bool,
    tags: String,
    modes: Vec<(String, bool, String)>,
    cohort: String,
    commit: String,
    chunks: String,
    built: String,
}

pub(crate) async fn show(State(pages): State<Arc<Pages>>, Path(project): Path<String>, asked: Asked) -> Response {
    pages.answer(project, asked, view).await
}

fn view(open: &Open) -> Answered {
    let project = &open.project;
    let (file, workspace) = (project.workspace_file()?, project.workspace()?);
    let manifest = project.workspace_manifest(&workspace)?;
    let entries: Vec<&RepoEntry> = manifest.repos.iter().collect();
    let statuses = project.workspace_status(&entries, &open.cancel);
    let rows: Vec<Row> = entries.iter().zip(statuses).map(|(entry, status)| row(open, entry, &status)).collect();
    let broken = rows.iter().filter(|row| row.state.class != "good").count();
    let summary = match broken {
        0 => format!("{}, all up to date", count(rows.len() as u64, "repository")),
        _ => format!("{}, {} in need of indexing", count(rows.len() as u64, "repository"), number(broken as u64)),
    };
    let diagnostics = manifest.diagnostics.errors.iter().chain(&manifest.diagnostics.warnings);
    html(&WorkspacePage {
        frame: Frame::new(open, &workspace.name, View::Workspace),
        name: workspace.name.clone(),
        file: file.display().to_string(),
        summary,
        rows,
        diagnostics: diagnostics.map(|it| it.message.clone()).collect(),
        sync: links::view(&open.name, "sync"),
    })
}

fn row(open: &Open, entry: &RepoEntry, status: &ai_assist_app::Result<RepoStatus>) -> Row {
    let name = name_of(entry).to_owned();
    let mode = |(mode, index): (ai_assist_repo::layout::Mode, &ai_assist_workspace::manifest::IndexEntry)| {
        let is_there = index.availability_reason == Availability::Present;
        (mode.to_string(), is_there, index.availability_reason.to_string())
    };
    let cohort = entry.indexes.iter().find_map(|(_, index)| index.cohort_key.clone()).unwrap_or_default();
    let (standing, commit, chunks, built) = match status {
        Ok(found) => {
            let commit = found.commit.as_deref().map_or(String::new(), |commit| commit.chars().take(10).collect());
            let chunks: u64 = found.modes.values().map(|mode| mode.chunks).sum();
            (state(found), commit, number(chunks), found.built_at.as_deref().map_or("never".to_owned(), ago))
        }
        Err(error) => {
            let detail = format!("{}. Put its folder right, or take it out of the workspace.", chain(error));
            (Standing { word: "broken".to_owned(), class: "bad", detail }, String::new(), String::new(), String::new())
        }
    };
    Row {
        address: links::view(&open.name, &format!("repo/{}", links::segment(&name))),
        root: entry.repo_root_canonical.to_string(),
        state: standing,
        enabled: entry.enabled,
        tags: entry.tags.join(", "),
        modes: entry.indexes.iter().map(mode).collect(),
        cohort: cohort.chars().take(12).collect(),
        commit,
        chunks,
        built,
        name,
    }
}
