//! One box over everything in reach.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ai_assist_app::{FileKind, Reach, Search};
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_search::{Answer, Cursor, Explanation, Fusion, Hit, Query, Question, snippet};
use ai_assist_text::{Language, Role};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;

use crate::failure::Failure;
use crate::frame::{Frame, View};
use crate::links::{self, Place};
use crate::pages::{Answered, Open, Pages, html};
use crate::params::{Asked, Params};
use crate::shown::{Markup, count, number, stale};
use crate::source;

/// Lines of a hit that are shown.
const HEIGHT: usize = 7;
const HITS: usize = 20;

/// Roles are judged by paths once hits are there, so more are asked for than are shown.
const LOOKED_AT_FOR_ROLE: usize = 200;

const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    frame: Frame,
    results: Results,
}

#[derive(Template)]
#[template(path = "results.html")]
struct Results {
    query: String,
    groups: Vec<ChipGroup>,
    hits: Vec<HitRow>,
    summary: String,
    weak: bool,
    warnings: Vec<String>,
    more: Option<String>,
    /// What is wrong, if the question could not be answered.
    failed: Option<String>,
    /// How to index what is not indexed, where that is the reason.
    sync: Option<String>,
    clear: Option<String>,
    examples: Vec<(String, String)>,
}

struct ChipGroup {
    label: &'static str,
    chips: Vec<Chip>,
}

struct Chip {
    label: String,
    address: String,
    is_on: bool,
}

struct HitRow {
    address: String,
    title: String,
    trail: String,
    owner: String,
    path: String,
    lines: String,
    place: Option<String>,
    kind: String,
    language: String,
    stale: Option<&'static str>,
    text: Vec<(u32, Markup)>,
    is_code: bool,
    score: String,
    bars: Vec<Bar>,
    formula: String,
}

/// A part of a score, as a part of a bar of 100.
struct Bar {
    name: String,
    class: &'static str,
    start: String,
    width: String,
    adds: String,
}

pub(crate) async fn show(State(pages): State<Arc<Pages>>, Path(name): Path<String>, asked: Asked) -> Response {
    pages.answer(name, asked, view).await
}

fn view(open: &Open) -> Answered {
    let results = results(open)?;
    if open.asked.params.get("part") == Some("results") {
        return html(&results);
    }
    let query = &results.query;
    let title = if query.is_empty() { format!("Search {}", open.name) } else { format!("{query} · {}", open.name) };
    html(&SearchPage { frame: Frame::new(open, &title, View::Search), results })
}

fn results(open: &Open) -> Result<Results, Failure> {
    let params = open.asked.params.without(&["part"]);
    let query = params.get("q").unwrap_or_default().trim().to_owned();
    let mut results = Results {
        query: query.clone(),
        groups: Vec::new(),
        hits: Vec::new(),
        summary: String::new(),
        weak: false,
        warnings: Vec::new(),
        more: None,
        failed: None,
        sync: None,
        clear: None,
        examples: Vec::new(),
    };
    if query.is_empty() {
        results.groups = groups(open, &params, &[])?;
        results.examples = examples(open);
        return Ok(results);
    }
    let started = Instant::now();
    let parsed: Query = match query.parse() {
        Ok(parsed) => parsed,
        Err(error) => {
            let error: ai_assist_search::QueryError = error;
            results.groups = groups(open, &params, &[])?;
            results.failed = Some(error.to_string());
            return Ok(results);
        }
    };
    let search = asked_for(open, &params, parsed.clone());
    match open.project.search(&search, &open.cancel) {
        Ok(answer) => fill(open, &params, &mut results, &parsed, answer, started.elapsed())?,
        Err(ai_assist_app::Error::NothingIndexed { reasons, .. }) => {
            results.failed = Some("Nothing is indexed here yet.".to_owned());
            results.warnings = reasons;
            results.sync = Some(links::view(&open.name, "sync"));
        }
        Err(error) => {
            results.groups = groups(open, &params, &[])?;
            results.failed = Some(Failure::from(error).said().to_owned());
        }
    }
    Ok(results)
}

fn asked_for(open: &Open, params: &Params, query: Query) -> Search {
    let settings = &open.project.settings;
    let has_role = params.get("role").is_some();
    let question = Question {
        explain: true,
        limit: if has_role { LOOKED_AT_FOR_ROLE } else { HITS },
        fusion: Fusion::Scores { a: settings.dense_weight() },
        timeout: Some(PATIENCE),
        look: Some(open.project.look()),
        reader: settings.reader_language(),
        ..Question::new(query)
    };
    let mut search = Search {
        within: params.all("in").map(str::to_owned).collect(),
        asker: Reach::Project,
        cursor: params.get("cursor").and_then(|cursor| cursor.parse::<Cursor>().ok()),
        // Whoever serves the page follows the sources, and open pages look again when something has changed.
        refresh: false,
        ..Search::new(question)
    };
    let kinds: Vec<FileKind> =
        FileKind::ALL.iter().filter(|(name, _)| params.has("kind", name)).map(|(_, kind)| *kind).collect();
    if !kinds.is_empty() {
        search.only(&kinds);
    }
    let languages: Vec<Language> = params.all("lang").filter_map(|name| name.parse().ok()).collect();
    if !languages.is_empty() {
        search.languages = languages;
    }
    search
}

fn fill(
    open: &Open,
    params: &Params,
    results: &mut Results,
    query: &Query,
    mut answer: Answer,
    took: Duration,
) -> Result<(), Failure> {
    results.groups = groups(open, params, &answer.hits)?;
    let found = answer.found;
    let roles: Vec<&str> = params.all("role").collect();
    if !roles.is_empty() {
        answer.hits.retain(|hit| roles.contains(&Role::of(&hit.document, "").name()));
        answer.hits.truncate(HITS);
        answer.cursor = None;
    }
    results.hits = answer.hits.iter().map(|hit| row(open, query, hit)).collect();
    results.weak = answer.weak && !answer.hits.is_empty();
    let searched = answer.collections.len() + answer.repos.len() + answer.sessions.len();
    results.summary = format!(
        "{} of {} in {}, {} ms",
        number(answer.hits.len() as u64),
        count(found as u64, "hit"),
        count(searched as u64, "source"),
        took.as_millis()
    );
    results.warnings = answer.warnings.iter().map(|warning| warning.message.clone()).collect();
    if answer.partial {
        results.warnings.push("Not everything could be searched in time; these are the hits of the rest.".to_owned());
    }
    let narrowed = ["in", "kind", "lang", "role"];
    if answer.hits.is_empty() && narrowed.iter().any(|name| params.get(name).is_some()) {
        results.clear = Some(links::view_with(&open.name, "", &params.without(&narrowed).without(&["cursor"])));
    }
    results.more = answer
        .cursor
        .map(|cursor| links::view_with(&open.name, "", &params.without(&["cursor"]).with("cursor", &cursor)));
    Ok(())
}

/// What a search can be narrowed to. What is chosen stays, whatever the hits are.
fn groups(open: &Open, params: &Params, hits: &[Hit]) -> Result<Vec<ChipGroup>, Failure> {
    let chip = |name: &str, value: &str| Chip {
        label: value.to_owned(),
        address: links::view_with(&open.name, "", &params.without(&["cursor"]).toggled(name, value)),
        is_on: params.has(name, value),
    };
    let group = |label, name: &str, values: BTreeSet<String>| {
        let chosen = params.all(name).map(str::to_owned);
        let values: BTreeSet<String> = values.into_iter().chain(chosen).collect();
        ChipGroup { label, chips: values.iter().map(|value| chip(name, value)).collect() }
    };
    let mut places: BTreeSet<String> = open.project.members()?.names().map(str::to_owned).collect();
    // Whether a folder that was never indexed has code takes a walk through it, which is too much for every letter typed.
    places
        .extend(open.project.repo().ok().map(|repo| repo.local).filter(is_indexed).map(|repo| repo.name().to_owned()));
    places.extend(open.project.workspace_repos().unwrap_or_default().into_iter().map(|(name, _)| name));
    let kinds = ChipGroup { label: "Kind", chips: FileKind::ALL.iter().map(|(name, _)| chip("kind", name)).collect() };
    let languages = hits.iter().map(|hit| hit.language.name().to_owned()).collect();
    let roles = hits.iter().map(|hit| Role::of(&hit.document, "").name().to_owned()).collect();
    let mut groups =
        vec![group("Where", "in", places), kinds, group("Language", "lang", languages), group("Role", "role", roles)];
    groups.retain(|group| !group.chips.is_empty());
    Ok(groups)
}

fn is_indexed(repo: &LocalRepo) -> bool {
    repo.cache.current_json().is_file()
}

/// A few questions to begin with: names that the repository turns on.
fn examples(open: &Open) -> Vec<(String, String)> {
    let Some(repo) = open.project.repo().ok().map(|repo| repo.local).filter(is_indexed) else { return Vec::new() };
    let request = ai_assist_repo::map::MapRequest { max_tokens: 300, ..Default::default() };
    let Ok(drawn) = open.project.map(&repo, &request) else { return Vec::new() };
    let names = drawn.map.files.into_iter().flat_map(|file| file.symbols).map(|symbol| symbol.name);
    let mut seen = BTreeSet::new();
    let names = names.filter(|name| name.len() > 3 && seen.insert(name.clone())).take(6);
    names.map(|name| (links::view_with(&open.name, "", &Params::default().with("q", &name)), name)).collect()
}

fn row(open: &Open, query: &Query, hit: &Hit) -> HitRow {
    let place = Place::of(hit);
    let mut path: Vec<String> =
        hit.path.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect();
    path.dedup();
    let last = path.pop().or_else(|| hit.title.clone()).filter(|title| !title.trim().is_empty());
    let title = last.unwrap_or_else(|| hit.document.rsplit('/').next().unwrap_or(&hit.document).to_owned());
    let shown = snippet(&hit.text, hit.lines.start, &query.terms, HEIGHT);
    let tokens = ai_assist_syntax::tokens(&shown.text, hit.language);
    let text = source::lines(&shown.text, &tokens, &shown.matches, &|_| None);
    let (bars, formula) = hit.explanation.as_ref().map(explained).unwrap_or_default();
    HitRow {
        address: place.lines(&open.name, shown.lines, hit.language),
        title,
        trail: path.join(" › "),
        owner: place.owner().to_owned(),
        path: hit.document.clone(),
        lines: hit.lines.to_string(),
        place: hit.place.clone(),
        kind: hit.kind.to_string(),
        language: hit.language.name().to_owned(),
        stale: stale(hit.freshness),
        text: (shown.lines.start..).zip(text.into_iter().map(Markup)).collect(),
        is_code: ai_assist_syntax::has_grammar(hit.language),
        score: format!("{:.2}", hit.score),
        bars,
        formula,
    }
}

/// The parts of a score beside one another. What takes away from it is named, and has no width.
fn explained(explanation: &Explanation) -> (Vec<Bar>, String) {
    let mut start = 0.0;
    let mut bars = Vec::new();
    for part in explanation.parts.iter().filter(|part| part.adds.abs() >= 0.0005) {
        let width = (part.adds * 100.0).clamp(0.0, 100.0 - start);
        bars.push(Bar {
            name: part.name.clone(),
            class: class_of(&part.name),
            start: format!("{start:.2}"),
            width: format!("{width:.2}"),
            adds: format!("{:+.3}", part.adds),
        });
        start += width;
    }
    (bars, explanation.formula.to_string())
}

fn class_of(part: &str) -> &'static str {
    match part.split([' ', ':']).next().unwrap_or_default() {
        "words" => "b1",
        "meaning" => "b2",
        "definition" => "b3",
        "evidence" => "b4",
        "name" => "b5",
        "role" | "kind" => "b6",
        "look" => "b7",
        _ => "b8",
    }
}
