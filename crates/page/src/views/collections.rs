//! Collections: what they are made of, how they stand, and their documents.

use std::sync::Arc;

use ai_assist_app::Locks;
use ai_assist_collections::{ListedCollection, Status};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;

use crate::failure::Failure;
use crate::frame::{Frame, View};
use crate::links::{self, Place};
use crate::pages::{Answered, Open, Pages, html};
use crate::params::Asked;
use crate::shown::{ago, bytes, count, number};

/// So many documents of a collection are listed.
const LISTED: usize = 500;

#[derive(Template)]
#[template(path = "collections.html")]
struct CollectionsPage {
    frame: Frame,
    rows: Vec<Row>,
    sync: String,
    outdated: String,
    warnings: Vec<String>,
}

struct Row {
    name: String,
    address: String,
    kind: String,
    source: String,
    description: Option<String>,
    state: &'static str,
    class: &'static str,
    detail: String,
    locked: String,
    documents: String,
    chunks: String,
    synced: String,
}

#[derive(Template)]
#[template(path = "collection.html")]
struct CollectionPage {
    frame: Frame,
    row: Row,
    sync: String,
    pattern: String,
    documents: Vec<DocumentRow>,
    total: String,
    is_cut: bool,
}

struct DocumentRow {
    address: String,
    title: String,
    path: String,
    language: String,
    size: String,
}

pub(crate) async fn show(State(pages): State<Arc<Pages>>, Path(project): Path<String>, asked: Asked) -> Response {
    pages
        .answer(project, asked, |open| {
            let rows = rows(open, &|_| true)?;
            let refused = open.project.refused()?;
            html(&CollectionsPage {
                frame: Frame::new(open, "Collections", View::Collections),
                rows,
                sync: links::view(&open.name, "sync"),
                outdated: links::view(&open.name, "outdated"),
                warnings: refused
                    .iter()
                    .map(|it| format!("{it}. Allow it with: ai-assist config allow PATH"))
                    .collect(),
            })
        })
        .await
}

pub(crate) async fn one(
    State(pages): State<Arc<Pages>>,
    Path((project, name)): Path<(String, String)>,
    asked: Asked,
) -> Response {
    pages.answer(project, asked, move |open| collection(open, &name)).await
}

fn collection(open: &Open, name: &str) -> Answered {
    let row = rows(open, &|known| known == name)?.pop();
    let row = row.ok_or_else(|| Failure::missing(format!("There is no collection `{name}`.")))?;
    let pattern = open.asked.params.get("path").unwrap_or_default().trim().to_owned();
    // A word is looked for anywhere in a path.
    let is_word = !pattern.contains(['*', '?', '[', '{']);
    let glob = (!pattern.is_empty() && !is_word).then_some(pattern.as_str());
    let mut heads = open.project.documents(&[name.to_owned()], glob)?;
    if is_word {
        let wanted = pattern.to_lowercase();
        let says = |text: &str| text.to_lowercase().contains(&wanted);
        heads.retain(|head| says(&head.document) || head.title.as_deref().is_some_and(says));
    }
    let (total, is_cut) = (count(heads.len() as u64, "document"), heads.len() > LISTED);
    let document = |head: ai_assist_collections::DocumentHead| {
        let place = Place::Collection { collection: head.collection, path: head.document.clone() };
        DocumentRow {
            address: place.address(&open.name),
            title: head.title.unwrap_or_else(|| head.document.clone()),
            path: head.document,
            language: head.language.to_string(),
            size: bytes(head.bytes),
        }
    };
    html(&CollectionPage {
        frame: Frame::new(open, name, View::Collections),
        row,
        sync: links::view(&open.name, "sync"),
        pattern,
        documents: heads.into_iter().take(LISTED).map(document).collect(),
        total,
        is_cut,
    })
}

fn rows(open: &Open, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Row>, Failure> {
    let listed = open.project.collections(&|collection| wanted(&collection.name), &open.cancel)?;
    if listed.is_empty() {
        return Ok(Vec::new());
    }
    let (members, locks) = (open.project.members()?, Locks::load(&open.project)?);
    let row = |it: ListedCollection| {
        let locked = members.iter().find(|member| member.name == it.name).and_then(|member| locks.get(member));
        let (state, class) = match it.status {
            Status::Synced => ("up to date", "good"),
            Status::Stale => ("stale", "warn"),
            Status::NotSynced => ("not indexed", "warn"),
            Status::Error => ("broken", "bad"),
        };
        Row {
            address: links::view(&open.name, &format!("collections/{}", links::segment(&it.name))),
            kind: it.kind.map_or("categories".to_owned(), |kind| kind.to_string()),
            source: it.source.into_iter().chain(it.categories).collect::<Vec<_>>().join(" + "),
            description: it.description,
            state,
            class,
            detail: it.detail.into_iter().chain(it.warning).collect::<Vec<_>>().join(". "),
            locked: locked.map_or(String::new(), |locked| format!("{} {}", locked.package, locked.version)),
            documents: number(it.documents),
            chunks: number(it.chunks),
            synced: it.last_sync_at.as_deref().map_or("never".to_owned(), ago),
            name: it.name,
        }
    };
    Ok(listed.into_iter().map(row).collect())
}
