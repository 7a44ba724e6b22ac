//! The page: what a server of ours shows in a browser.
//!
//! What comes in: requests of a browser whom the server has let in. What goes out: HTML that is rendered here and works without
//! scripts, its style, its one script and its icon, which are embedded, and a stream of events that says when to look again. Every
//! view has an address of its own, under `/p/PROJECT/`.
//!
//! Whatever comes from documents, file names and repositories is hostile. Templates escape; Markdown goes through an allow-list
//! (`markdown.rs`); nothing from a document is ever served as itself. Every answer carries a policy that lets a browser load
//! nothing but our own files, and what changes something is taken from pages of the same origin alone (`guard.rs`).
//!
//! This crate asks `app` and must not know who may ask: tokens, cookies and names of hosts are the server's.

mod assets;
mod events;
mod failure;
mod frame;
mod guard;
mod jobs;
mod links;
mod markdown;
mod pages;
mod params;
mod shown;
mod source;
mod treemap;
mod views;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

pub use events::Change;
pub use pages::{Host, Pages, names};

/// Every address of the page.
pub fn router(pages: Arc<Pages>) -> Router {
    Router::new()
        .route("/", get(views::home::show))
        .route("/assets/{name}", get(assets::serve))
        .route("/events", get(events::stream))
        .route("/theme", post(frame::choose_theme))
        .route("/p/{project}", get(views::search::show))
        .route("/p/{project}/file/{repo}/{*path}", get(views::document::of_repo))
        .route("/p/{project}/doc/{collection}/{*path}", get(views::document::of_collection))
        .route("/p/{project}/seen/{*name}", get(views::document::of_session))
        .route("/p/{project}/symbols", get(views::symbols::show))
        .route("/p/{project}/repo", get(views::repo::own))
        .route("/p/{project}/repo/{repo}", get(views::repo::show))
        .route("/p/{project}/collections", get(views::collections::show))
        .route("/p/{project}/collections/{name}", get(views::collections::one))
        .route("/p/{project}/workspace", get(views::workspace::show))
        .route("/p/{project}/pack", get(views::pack::show))
        .route("/p/{project}/pack/download", post(views::pack::download))
        .route("/p/{project}/receipts", get(views::receipts::show))
        .route("/p/{project}/receipts/{number}", get(views::receipts::one))
        .route("/p/{project}/sessions", get(views::sessions::show))
        .route("/p/{project}/sessions/{name}", get(views::sessions::one))
        .route("/p/{project}/sessions/{name}/diff", get(views::sessions::diff))
        .route("/p/{project}/status", get(views::status::show))
        .route("/p/{project}/jobs/{number}", get(views::work::show))
        .route("/p/{project}/jobs/{number}/stop", post(views::work::stop))
        .route("/p/{project}/sync", post(views::work::sync))
        .route("/p/{project}/outdated", post(views::work::outdated))
        .route("/p/{project}/repair", post(views::work::repair))
        .fallback(views::home::nothing)
        .layer(from_fn_with_state(Arc::clone(&pages), guard::protect))
        .with_state(pages)
}
