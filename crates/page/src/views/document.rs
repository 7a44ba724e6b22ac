//! A document or a file: rendered, or its source.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use ai_assist_app::{Document, Reach};
use ai_assist_collections::DocumentRef;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::map::neighbours;
use ai_assist_repo::repo_index::RepoIndex;
use ai_assist_syntax::{Token, tokens};
use ai_assist_text::{LineRange, count_tokens};
use askama::Template;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

use crate::failure::Failure;
use crate::frame::{Frame, View};
use crate::links::{self, Place};
use crate::markdown;
use crate::pages::{Answered, Open, Pages, html};
use crate::params::{Asked, Params};
use crate::shown::{Markup, bytes, count, number, stale};
use crate::source;

/// So many lines are shown at once.
const LINES: usize = 5_000;

/// More entries of an outline are no overview.
const OUTLINE: usize = 400;

#[derive(Template)]
#[template(path = "document.html")]
struct DocumentPage {
    frame: Frame,
    title: String,
    crumbs: Vec<(String, Option<String>)>,
    facts: Vec<String>,
    stale: Option<&'static str>,
    /// The other way to look at it: its name and its address.
    other: Option<(&'static str, String)>,
    prompt: String,
    outline: Vec<OutlineRow>,
    imports: Vec<Linked>,
    imported_by: Vec<Linked>,
    rendered: Option<Markup>,
    lines: Vec<SourceLine>,
    earlier: Option<String>,
    later: Option<String>,
    is_empty: bool,
}

/// An address, and what it is of.
type Linked = (String, String);

struct OutlineRow {
    name: String,
    kind: String,
    depth: usize,
    anchor: String,
}

struct SourceLine {
    number: u32,
    html: Markup,
    is_wanted: bool,
}

pub(crate) async fn of_repo(
    State(pages): State<Arc<Pages>>,
    Path((project, repo, path)): Path<(String, String, String)>,
    asked: Asked,
) -> Response {
    pages
        .answer(project, asked, move |open| {
            let document = open.project.repo_file(&path, Some(&repo), Reach::Project)?;
            show(open, &document, &Place::Repo { repo, path })
        })
        .await
}

pub(crate) async fn of_collection(
    State(pages): State<Arc<Pages>>,
    Path((project, collection, path)): Path<(String, String, String)>,
    asked: Asked,
) -> Response {
    pages
        .answer(project, asked, move |open| {
            let reference = DocumentRef { name: path.clone(), lines: None };
            let document = open.project.collection_document(&reference, std::slice::from_ref(&collection), false)?;
            show(open, &document.into(), &Place::Collection { collection, path })
        })
        .await
}

pub(crate) async fn of_session(
    State(pages): State<Arc<Pages>>,
    Path((project, name)): Path<(String, String)>,
    asked: Asked,
) -> Response {
    pages
        .answer(project, asked, move |open| {
            let is_one = open.project.seen(&name, Reach::Project)?.is_some();
            if !is_one {
                return Err(Failure::missing(format!("No session of this project holds `{name}`.")));
            }
            let document = open.project.document(&name, None, Reach::Project)?;
            show(open, &document, &Place::Session { name })
        })
        .await
}

fn show(open: &Open, document: &Document, place: &Place) -> Answered {
    let params = &open.asked.params;
    let wanted: Option<LineRange> = params.number("lines");
    if params.get("view") == Some("prompt") {
        return Ok(prompt(document, place, wanted));
    }
    let is_markup = links::is_rendered(place, document.language);
    let as_source = params.get("view") == Some("source");
    let address = |params: &Params| place.address(&open.name) + &params.to_query();
    let other = match (is_markup, as_source) {
        (false, _) => None,
        (true, true) => Some(("Rendered", address(&params.without(&["view"])))),
        (true, false) => Some(("Source", address(&params.without(&["view"]).with("view", "source")))),
    };
    let is_rendered = is_markup && !as_source;
    let total = document.text.lines().count();
    let first = match (params.number::<usize>("from"), wanted) {
        (Some(from), _) => from.saturating_sub(1),
        // The part that the wanted lines are in.
        (None, Some(wanted)) => (wanted.start as usize).saturating_sub(1) / LINES * LINES,
        (None, None) => 0,
    };
    let lines = if is_rendered { Vec::new() } else { source_lines(open, document, place, wanted, first) };
    let rendered = is_rendered.then(|| {
        let (text, project) = (document.text.as_str(), open.name.as_str());
        Markup(markdown::render(&markdown::Document { text, project, place, wanted }))
    });
    let part = |from: usize| address(&params.without(&["from", "lines"]).with("from", &from.to_string()));
    let (imports, imported_by) = tied(open, place);
    let title = match &document.title {
        Some(title) if is_rendered => title.clone(),
        _ => place.path().rsplit('/').next().unwrap_or_default().to_owned(),
    };
    html(&DocumentPage {
        frame: Frame::new(open, &title, View::Other),
        crumbs: crumbs(open, place),
        facts: vec![
            document.language.to_string(),
            count(total as u64, "line"),
            bytes(document.text.len() as u64),
            format!("{} tokens", number(count_tokens(&document.text) as u64)),
        ],
        stale: stale(document.freshness),
        other,
        prompt: address(&params.without(&["view", "from"]).with("view", "prompt")),
        outline: outline(document, is_rendered, wanted),
        imports,
        imported_by,
        rendered,
        lines,
        earlier: (!is_rendered && first > 0).then(|| part(first.saturating_sub(LINES) + 1)),
        later: (!is_rendered && first + LINES < total).then(|| part(first + LINES + 1)),
        is_empty: document.text.trim().is_empty(),
        title,
    })
}

/// The text with its place, for a chat with a model.
fn prompt(document: &Document, place: &Place, wanted: Option<LineRange>) -> Response {
    let map = ai_assist_text::LineMap::new(&document.text);
    let bytes = wanted.and_then(|wanted| map.bytes_of(wanted));
    let text = bytes.clone().and_then(|bytes| document.text.get(bytes)).unwrap_or(&document.text);
    let lines = wanted.filter(|_| bytes.is_some()).map_or(String::new(), |lines| format!(":{lines}"));
    // A fence that does not occur in the text.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let said =
        format!("{}/{}{lines}\n\n{fence}{}\n{text}{end}{fence}\n", place.owner(), place.path(), document.language);
    ([(CONTENT_TYPE, "text/plain; charset=utf-8")], said).into_response()
}

fn crumbs(open: &Open, place: &Place) -> Vec<(String, Option<String>)> {
    let mut crumbs = Vec::new();
    let owner = match place {
        Place::Repo { repo, .. } => Some(links::view(&open.name, &format!("repo/{}", links::segment(repo)))),
        Place::Collection { collection, .. } => {
            Some(links::view(&open.name, &format!("collections/{}", links::segment(collection))))
        }
        Place::Session { name } => {
            let session = name.split('/').next().unwrap_or_default();
            Some(links::view(&open.name, &format!("sessions/{}", links::segment(session))))
        }
    };
    crumbs.push((place.owner().to_owned(), owner));
    let path = match place {
        Place::Session { name } => name.split_once('/').map_or("", |(_, path)| path),
        _ => place.path(),
    };
    let parts: Vec<&str> = path.split('/').collect();
    for (at, part) in parts.iter().enumerate() {
        let folder = parts[..=at].join("/");
        let address = match place {
            Place::Repo { repo, .. } if at + 1 < parts.len() => {
                let params = Params::default().with("at", &folder);
                Some(links::view_with(&open.name, &format!("repo/{}", links::segment(repo)), &params))
            }
            _ => None,
        };
        crumbs.push(((*part).to_owned(), address));
    }
    crumbs
}

fn outline(document: &Document, is_rendered: bool, wanted: Option<LineRange>) -> Vec<OutlineRow> {
    let mut led = !is_rendered;
    let row = |entry: ai_assist_chunk::OutlineEntry| {
        // The first wanted block goes by another name.
        let is_hit =
            wanted.is_some_and(|wanted| wanted.start == entry.lines.start) && !std::mem::replace(&mut led, true);
        let anchor = if is_hit { "hit".to_owned() } else { format!("L{}", entry.lines.start) };
        OutlineRow { name: entry.name, kind: entry.kind.to_string(), depth: entry.depth.min(5), anchor }
    };
    document.outline().into_iter().take(OUTLINE).map(row).collect()
}

fn source_lines(
    open: &Open,
    document: &Document,
    place: &Place,
    wanted: Option<LineRange>,
    first: usize,
) -> Vec<SourceLine> {
    let found = tokens(&document.text, document.language);
    let known = known_names(open, document, place, &found);
    let link = |name: &str| known.get(name).cloned();
    let html = source::lines(&document.text, &found, &[], &link);
    let numbered = (1u32..).zip(html).skip(first).take(LINES);
    let line = |(number, html)| SourceLine {
        number,
        html: Markup(html),
        is_wanted: wanted.is_some_and(|wanted| wanted.start <= number && number <= wanted.end),
    };
    numbered.map(line).collect()
}

/// The names in a file that something of its repository defines, with the address of the definition, or of all of them.
fn known_names(open: &Open, document: &Document, place: &Place, tokens: &[Token]) -> HashMap<String, String> {
    let Place::Repo { repo, path } = place else { return HashMap::new() };
    let mut names = BTreeSet::new();
    for token in tokens.iter().filter(|token| source::may_lead(token.kind)) {
        names.extend(document.text.get(token.bytes.clone()).filter(|name| name.len() > 2));
    }
    let Ok(repo_found) = open.project.repo_named(Some(repo)) else { return HashMap::new() };
    let Ok(defined) = open.project.definitions(&repo_found.local, &names) else { return HashMap::new() };
    let address = |(name, places): (String, Vec<(String, LineRange)>)| {
        let own = places.iter().find(|(defined_in, _)| defined_in == path);
        let address = match (own, places.as_slice()) {
            (Some((_, lines)), _) => format!("#L{}", lines.start),
            (None, [(other, lines)]) => format!("{}#L{}", place.beside(other).address(&open.name), lines.start),
            _ => links::symbol(&open.name, &name),
        };
        (name, address)
    };
    defined.into_iter().map(address).collect()
}

/// The files that a file imports, and those that import it.
fn tied(open: &Open, place: &Place) -> (Vec<Linked>, Vec<Linked>) {
    let Place::Repo { repo, path } = place else { return Default::default() };
    let tied = || {
        let repo = open.project.repo_named(Some(repo)).ok()?;
        neighbours(&RepoIndex::open(&repo.local.cache, Mode::Code).ok()?, path).ok()?
    };
    let linked = |paths: Vec<String>| {
        let link = |path: String| (place.beside(&path).address(&open.name), path);
        paths.into_iter().take(30).map(link).collect()
    };
    tied().map(|tied| (linked(tied.imports), linked(tied.imported_by))).unwrap_or_default()
}
