//! The projects, and addresses that lead nowhere.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};

use crate::failure::Failure;
use crate::frame::Frame;
use crate::links;
use crate::pages::{Pages, html};
use crate::params::Asked;

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    frame: Frame,
    projects: Vec<ProjectRow>,
}

struct ProjectRow {
    name: String,
    address: String,
    folder: String,
}

pub(crate) async fn show(State(pages): State<Arc<Pages>>, asked: Asked) -> Response {
    if let [only] = pages.projects() {
        return Redirect::to(&links::view(&only.name, "")).into_response();
    }
    let row = |project: &crate::pages::NamedProject| ProjectRow {
        name: project.name.clone(),
        address: links::view(&project.name, ""),
        folder: project.folder.display().to_string(),
    };
    let page =
        HomePage { frame: Frame::bare("Projects", &asked), projects: pages.projects().iter().map(row).collect() };
    html(&page).unwrap_or_else(|failure| failure.page(None, &asked))
}

pub(crate) async fn nothing(asked: Asked) -> Response {
    Failure::missing("There is nothing at this address.").page(None, &asked)
}
