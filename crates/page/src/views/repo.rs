//! A repository: its files, its languages, the definitions on which it turns, and how its index stands.

use std::collections::BTreeMap;
use std::sync::Arc;

use ai_assist_app::Repo;
use ai_assist_repo::map::MapRequest;
use ai_assist_repo::repo_index::DocumentRecord;
use ai_assist_repo::status::{Freshness, RepoStatus};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};

use crate::failure::Failure;
use crate::frame::{Frame, View};
use crate::links::{self, Place};
use crate::pages::{Answered, Open, Pages, html};
use crate::params::{Asked, Params};
use crate::shown::{ago, bytes, count, number};

/// The map shows what fits into so many tokens.
const MAP_TOKENS: usize = 3_000;

/// More languages are summed up.
const LANGUAGES: usize = 7;

#[derive(Template)]
#[template(path = "repo.html")]
struct RepoPage {
    frame: Frame,
    name: String,
    root: String,
    state: Standing,
    facts: Vec<(&'static str, String)>,
    languages: Vec<LanguageShare>,
    crumbs: Vec<(String, Option<String>)>,
    folders: Vec<FolderRow>,
    files: Vec<FileRow>,
    map: Vec<MapRow>,
    map_note: String,
    sync: String,
    symbols: String,
    is_indexed: bool,
}

/// How something stands, in a word, with a colour.
pub(crate) struct Standing {
    pub(crate) word: String,
    pub(crate) class: &'static str,
    pub(crate) detail: String,
}

struct LanguageShare {
    name: String,
    class: String,
    start: String,
    width: String,
    percent: String,
}

struct FolderRow {
    name: String,
    address: String,
    files: String,
}

struct FileRow {
    name: String,
    address: String,
    size: String,
}

struct MapRow {
    path: String,
    address: String,
    symbols: Vec<SymbolRow>,
}

struct SymbolRow {
    name: String,
    address: String,
    kind: String,
    used: String,
}

pub(crate) async fn own(State(pages): State<Arc<Pages>>, Path(project): Path<String>, asked: Asked) -> Response {
    pages
        .answer(project, asked, |open| {
            let repo = open.project.own_repo().ok_or_else(|| {
                let way = "Go to a folder with code or a git repository, or add documents: ai-assist add ./docs";
                Failure::bad("This project has no repository.", way)
            })?;
            let address = links::view(&open.name, &format!("repo/{}", links::segment(repo.name())));
            Ok(Redirect::to(&address).into_response())
        })
        .await
}

pub(crate) async fn show(
    State(pages): State<Arc<Pages>>,
    Path((project, repo)): Path<(String, String)>,
    asked: Asked,
) -> Response {
    pages.answer(project, asked, move |open| view(open, &open.project.repo_named(Some(&repo))?)).await
}

fn view(open: &Open, repo: &Repo) -> Answered {
    let status = open.project.index_status(&repo.local, &open.cancel)?;
    let documents = open.project.repo_documents(&repo.local);
    let at = open.asked.params.get("at").unwrap_or_default().trim_matches('/').to_owned();
    let (folders, files) = listed(open, &repo.name, &documents, &at);
    if !at.is_empty() && folders.is_empty() && files.is_empty() {
        return Err(Failure::missing(format!("{} has no indexed files in {at}.", repo.name)));
    }
    let (map, map_note) = map(open, repo, &at);
    let total: u64 = documents.iter().map(|document| document.size).sum();
    let chunks: u64 = status.modes.values().map(|mode| mode.chunks).sum();
    let mut facts = vec![
        ("Files", number(documents.len() as u64)),
        ("Size", bytes(total)),
        ("Chunks", number(chunks)),
        ("Indexed", status.built_at.as_deref().map_or("never".to_owned(), ago)),
    ];
    if let Some(commit) = &status.commit {
        let dirty = if status.dirty { " + changes" } else { "" };
        facts.push(("Commit", format!("{}{dirty}", commit.get(..10).unwrap_or(commit))));
    }
    html(&RepoPage {
        frame: Frame::new(open, &repo.name, View::Repository),
        name: repo.name.clone(),
        root: repo.local.root.to_string(),
        state: state(&status),
        facts,
        languages: languages(&documents),
        crumbs: crumbs(open, &repo.name, &at),
        folders,
        files,
        map,
        map_note,
        sync: links::view(&open.name, "sync"),
        symbols: links::view(&open.name, "symbols"),
        is_indexed: !matches!(status.freshness, Freshness::Missing),
    })
}

pub(crate) fn state(status: &RepoStatus) -> Standing {
    let (word, class, detail) = match &status.freshness {
        Freshness::Current => ("up to date", "good", String::new()),
        Freshness::Missing => ("not indexed", "warn", "Index it to search it.".to_owned()),
        Freshness::Broken { reason } => ("broken", "bad", format!("{reason}. Indexing it makes it anew.")),
        Freshness::Stale { added, changed, removed, moved, rebuild } => {
            let files = [(added, "new"), (changed, "changed"), (removed, "removed")];
            let mut parts: Vec<String> = files
                .iter()
                .filter(|(many, _)| **many > 0)
                .map(|(many, what)| format!("{} {what}", number(**many as u64)))
                .collect();
            parts.extend((!rebuild.is_empty()).then(|| {
                format!("{} to be made anew", count(rebuild.len() as u64, "index").replace("indexs", "indexes"))
            }));
            parts.extend((*moved && parts.is_empty()).then(|| "another commit, the same files".to_owned()));
            ("stale", "warn", parts.join(", "))
        }
    };
    Standing { word: word.to_owned(), class, detail }
}

fn languages(documents: &[DocumentRecord]) -> Vec<LanguageShare> {
    let mut sizes: BTreeMap<&str, u64> = BTreeMap::new();
    for document in documents {
        *sizes.entry(document.language.name()).or_default() += document.size;
    }
    let total = sizes.values().sum::<u64>().max(1) as f64;
    let mut sorted: Vec<(&str, u64)> = sizes.into_iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let rest: u64 = sorted.iter().skip(LANGUAGES).map(|(_, size)| size).sum();
    sorted.truncate(LANGUAGES);
    sorted.extend((rest > 0).then_some(("other", rest)));
    let mut start = 0.0;
    let mut shares = Vec::new();
    for (at, (name, size)) in sorted.into_iter().enumerate() {
        let width = size as f64 * 100.0 / total;
        shares.push(LanguageShare {
            name: name.to_owned(),
            class: format!("b{}", at + 1),
            start: format!("{start:.2}"),
            width: format!("{width:.2}"),
            percent: format!("{width:.1} %"),
        });
        start += width;
    }
    shares
}

fn crumbs(open: &Open, repo: &str, at: &str) -> Vec<(String, Option<String>)> {
    let view = format!("repo/{}", links::segment(repo));
    let mut crumbs = vec![(repo.to_owned(), Some(links::view(&open.name, &view)))];
    let parts: Vec<&str> = at.split('/').filter(|part| !part.is_empty()).collect();
    for (number, part) in parts.iter().enumerate() {
        let params = Params::default().with("at", &parts[..=number].join("/"));
        crumbs.push(((*part).to_owned(), Some(links::view_with(&open.name, &view, &params))));
    }
    if let Some(last) = crumbs.last_mut() {
        last.1 = None;
    }
    crumbs
}

/// What lies in a folder of the repository.
fn listed(open: &Open, repo: &str, documents: &[DocumentRecord], at: &str) -> (Vec<FolderRow>, Vec<FileRow>) {
    let prefix = if at.is_empty() { String::new() } else { format!("{at}/") };
    let (mut folders, mut files): (BTreeMap<&str, u64>, Vec<FileRow>) = (BTreeMap::new(), Vec::new());
    for document in documents {
        let Some(below) = document.path.strip_prefix(&prefix) else { continue };
        match below.split_once('/') {
            Some((folder, _)) => *folders.entry(folder).or_default() += 1,
            None => {
                let place = Place::Repo { repo: repo.to_owned(), path: document.path.clone() };
                let (name, address) = (below.to_owned(), place.address(&open.name));
                files.push(FileRow { name, address, size: bytes(document.size) });
            }
        }
    }
    let view = format!("repo/{}", links::segment(repo));
    let folder = |(name, files): (&str, u64)| FolderRow {
        name: name.to_owned(),
        address: links::view_with(&open.name, &view, &Params::default().with("at", &format!("{prefix}{name}"))),
        files: count(files, "file"),
    };
    (folders.into_iter().map(folder).collect(), files)
}

fn map(open: &Open, repo: &Repo, at: &str) -> (Vec<MapRow>, String) {
    let globs =
        (!at.is_empty()).then(|| ai_assist_index::PathGlobs::new(&[format!("{}/**", glob_of(at))]).ok()).flatten();
    let request = MapRequest { max_tokens: MAP_TOKENS, paths: globs, ..MapRequest::default() };
    let Ok(drawn) = open.project.map(&repo.local, &request) else { return Default::default() };
    let note = format!("{} of {}", number(drawn.map.shown as u64), count(drawn.map.definitions as u64, "definition"));
    let rows = drawn.map.files.into_iter().map(|file| {
        let place = Place::Repo { repo: repo.name.clone(), path: file.path.clone() };
        let symbol = |symbol: ai_assist_repo::map::MapSymbol| SymbolRow {
            address: place.lines(&open.name, symbol.lines, file.language),
            name: symbol.parent.map_or(symbol.name.clone(), |parent| format!("{parent}.{}", symbol.name)),
            kind: symbol.kind.to_string(),
            used: if symbol.referenced_by == 0 { String::new() } else { number(symbol.referenced_by as u64) },
        };
        MapRow {
            address: place.address(&open.name),
            path: file.path,
            symbols: file.symbols.into_iter().map(symbol).collect(),
        }
    });
    (rows.collect(), note)
}

fn glob_of(path: &str) -> String {
    path.chars().flat_map(|c| "*?[]{}!\\,".contains(c).then_some('\\').into_iter().chain([c])).collect()
}
