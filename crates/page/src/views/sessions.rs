//! Sessions: what an agent has read, called and said, what it holds, and what a model would see now or at any moment before.

use std::sync::Arc;

use ai_assist_app::Reach;
use ai_assist_embed::StaticModel;
use ai_assist_search::RankBy;
use ai_assist_session::object::ObjectKind;
use ai_assist_session::render::{RenderOptions, metadata_line};
use ai_assist_session::search::{Find, Seen};
use ai_assist_session::{Session, Summary};
use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, Moment, ObjectId, System};
use ai_assist_text::{count_tokens, head};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use similar::TextDiff;

use crate::failure::Failure;
use crate::frame::{Frame, View};
use crate::links::{self, Place};
use crate::pages::{Answered, Open, Pages, html};
use crate::params::{Asked, Params};
use crate::shown::{ago, count, number};

/// So many events are listed, the last first.
const EVENTS: usize = 300;
/// So much of what was said is shown.
const SAID: usize = 600;
/// More of a prompt is not shown on a page.
const PROMPT: usize = 200_000;
const FOUND: usize = 20;

#[derive(Template)]
#[template(path = "sessions.html")]
struct SessionsPage {
    frame: Frame,
    rows: Vec<SessionRow>,
}

struct SessionRow {
    name: String,
    address: String,
    changed: String,
    opened: String,
    state: &'static str,
    folder: String,
    held: String,
    pinned: String,
    known: String,
    turns: String,
}

#[derive(Template)]
#[template(path = "session.html")]
struct SessionPage {
    frame: Frame,
    name: String,
    list: String,
    facts: Vec<(&'static str, String)>,
    query: String,
    found: Option<Vec<FoundRow>>,
    /// The moment that is shown, if it is not now, and the way back.
    moment: Option<(u64, String)>,
    events: Vec<EventRow>,
    strip: Vec<Tick>,
    more: usize,
    held: Vec<(String, &'static str)>,
    tokens: String,
    prompt: String,
    is_cut: bool,
    compare: String,
    moments: Vec<u64>,
}

struct FoundRow {
    label: String,
    address: String,
    when: String,
    text: String,
    is_old: bool,
}

struct EventRow {
    seq: u64,
    time: String,
    clock: String,
    kind: &'static str,
    what: &'static str,
    label: String,
    text: String,
    address: String,
    diff: Option<String>,
    then: String,
}

struct Tick {
    x: String,
    class: &'static str,
    y: u8,
}

#[derive(Template)]
#[template(path = "diff.html")]
struct DiffPage {
    frame: Frame,
    session: String,
    back: String,
    title: String,
    summary: String,
    lines: Vec<(&'static str, String)>,
}

pub(crate) async fn show(State(pages): State<Arc<Pages>>, Path(project): Path<String>, asked: Asked) -> Response {
    pages
        .answer(project, asked, |open| {
            let row = |it: Summary| SessionRow {
                address: address(open, &it.name, ""),
                changed: ago(&it.changed.to_string()),
                opened: ago(&it.opened.to_string()),
                state: if it.closed { "closed" } else { "open" },
                folder: it.about.folder.unwrap_or_default(),
                held: number(it.counts.active as u64),
                pinned: number(it.counts.pinned as u64),
                known: number(it.counts.pool as u64),
                turns: number(it.counts.turns as u64),
                name: it.name,
            };
            let rows = open.project.sessions(Reach::Project)?.into_iter().map(row).collect();
            html(&SessionsPage { frame: Frame::new(open, "Sessions", View::Sessions), rows })
        })
        .await
}

fn address(open: &Open, session: &str, below: &str) -> String {
    links::view(&open.name, &format!("sessions/{}{below}", links::segment(session)))
}

pub(crate) async fn one(
    State(pages): State<Arc<Pages>>,
    Path((project, name)): Path<(String, String)>,
    asked: Asked,
) -> Response {
    pages.answer(project, asked, move |open| session(open, &name)).await
}

fn session(open: &Open, name: &str) -> Answered {
    let mut session = open.project.session(Some(name), Reach::Project)?;
    let params = &open.asked.params;
    let query = params.get("q").unwrap_or_default().trim().to_owned();
    let found = (!query.is_empty()).then(|| search(open, &mut session, &query)).transpose()?;
    let at: Option<u64> = params.number("at");
    let as_of = at.map_or_else(AsOf::default, moment_of);
    let mut seen = session.seen()?;
    seen.sort_by_key(|seen| seen.seq);
    let rendered = session.render(RenderOptions { at: as_of, ..RenderOptions::default() })?.text();
    let moments = moments(&session, &seen);
    let mut events = Vec::new();
    for at in (0..seen.len()).rev().take(EVENTS) {
        events.push(event(open, &session, &seen, at, moments[at])?);
    }
    let counts = session.counts();
    html(&SessionPage {
        frame: Frame::new(open, name, View::Sessions),
        name: name.to_owned(),
        list: links::view(&open.name, "sessions"),
        facts: vec![
            ("Met", number(counts.index as u64)),
            ("Known", number(counts.pool as u64)),
            ("Held", number(counts.active as u64)),
            ("Pinned", number(counts.pinned as u64)),
            ("Turns", number(counts.turns as u64)),
        ],
        query,
        found,
        moment: at.map(|at| (at, address(open, name, ""))),
        strip: strip(&seen),
        more: seen.len().saturating_sub(EVENTS),
        events,
        held: held(&session, as_of)?,
        tokens: format!("{} tokens", number(count_tokens(&rendered) as u64)),
        is_cut: rendered.len() > PROMPT,
        prompt: head(&rendered, PROMPT).to_owned(),
        compare: address(open, name, "/diff"),
        moments,
    })
}

/// When each event was over: just before the next. Something is held only after there is a version of it.
fn moments(session: &Session, seen: &[Seen]) -> Vec<u64> {
    let last = session.version().0.max(session.chat_version().0);
    let after = seen.iter().skip(1).map(|next| next.seq.0.saturating_sub(1)).chain([last]);
    seen.iter().zip(after).map(|(it, after)| after.max(it.seq.0)).collect()
}

fn moment_of(seq: u64) -> AsOf {
    AsOf { system: System::Seq(Seq(seq)), ..AsOf::default() }
}

fn search(open: &Open, session: &mut Session, query: &str) -> Result<Vec<FoundRow>, Failure> {
    let find =
        Find { query, limit: FOUND, since: None, until: None, kinds: &[], rank_by: RankBy::default(), full: false };
    let folder = open.project.session_index(session.name());
    let answer = session.search(&find, &folder, StaticModel::bundled())?;
    let paths: Vec<Seen> = session.seen()?;
    let row = |found: ai_assist_session::search::Found| {
        let path = paths.iter().find(|seen| seen.seq == found.seq).map(|seen| seen.path.as_str()).unwrap_or_default();
        FoundRow {
            address: seen_address(open, session.name(), path, found.seq),
            label: found.label,
            when: ago(&found.at.to_string()),
            text: head(&found.text, SAID).to_owned(),
            is_old: !found.current,
        }
    };
    Ok(answer.found.into_iter().map(row).collect())
}

fn seen_address(open: &Open, session: &str, path: &str, seq: Seq) -> String {
    Place::Session { name: format!("{session}/{path}@{}", seq.0) }.address(&open.name)
}

fn event(open: &Open, session: &Session, seen: &[Seen], at: usize, moment: u64) -> Result<EventRow, Failure> {
    let it = &seen[at];
    let before = seen[..at].iter().rev().find(|other| other.id == it.id);
    let (kind, what) = match it.kind {
        ObjectKind::Chat => ("chat", "said"),
        ObjectKind::Toolcall => ("toolcall", "called"),
        _ if before.is_some() => ("file", "edited"),
        _ => ("file", "read"),
    };
    let text = match it.kind {
        ObjectKind::Chat => session.text(it.text)?.unwrap_or_default(),
        _ => String::new(),
    };
    let compared = |before: &Seen| {
        let params = Params::default()
            .with("from", &before.seq.0.to_string())
            .with("to", &it.seq.0.to_string())
            .with("of", "object");
        address(open, session.name(), "/diff") + &params.to_query()
    };
    let label =
        if it.kind == ObjectKind::Chat { it.path.trim_start_matches("chat/").to_owned() } else { it.label.clone() };
    Ok(EventRow {
        seq: moment,
        time: it.at.to_string(),
        clock: clock(it.at),
        kind,
        what,
        label,
        text: if text.len() > SAID { format!("{}…", head(&text, SAID)) } else { text },
        address: seen_address(open, session.name(), &it.path, it.seq),
        diff: before.filter(|_| kind == "file").map(compared),
        then: address(open, session.name(), "") + &Params::default().with("at", &moment.to_string()).to_query(),
    })
}

/// A day and a time to the second.
fn clock(at: Moment) -> String {
    let text = at.to_string();
    text.get(11..19).map_or(text.clone(), str::to_owned)
}

/// Every event as a mark on a line of time, one row for each kind.
fn strip(seen: &[Seen]) -> Vec<Tick> {
    let (Some(first), Some(last)) = (seen.iter().map(|it| it.at.0).min(), seen.iter().map(|it| it.at.0).max()) else {
        return Vec::new();
    };
    let width = (last - first).max(1) as f64;
    let tick = |it: &Seen| {
        let (class, y) = match it.kind {
            ObjectKind::Chat => ("chat", 4),
            ObjectKind::Toolcall => ("toolcall", 18),
            _ => ("file", 32),
        };
        Tick { x: format!("{:.1}", 6.0 + (it.at.0 - first) as f64 / width * 985.0), class, y }
    };
    seen.iter().map(tick).collect()
}

/// What is held at a moment, and whether it is pinned.
fn held(session: &Session, at: AsOf) -> Result<Vec<(String, &'static str)>, Failure> {
    let sets = session.sets_at(at)?;
    let members = sets.active();
    let ids: Vec<ObjectId> = members.iter().map(|member| member.id.clone()).collect();
    let mut rows = Vec::new();
    for (member, version) in members.iter().zip(session.objects().get_many(&ids, at, false)?) {
        let Some(version) = version else { continue };
        rows.push((metadata_line(session, &version)?, if member.is_pinned() { "pinned" } else { "" }));
    }
    Ok(rows)
}

/// What differs between two versions of something, or between what a model would see at two moments.
pub(crate) async fn diff(
    State(pages): State<Arc<Pages>>,
    Path((project, name)): Path<(String, String)>,
    asked: Asked,
) -> Response {
    pages.answer(project, asked, move |open| compared(open, &name)).await
}

fn compared(open: &Open, name: &str) -> Answered {
    let session = open.project.session(Some(name), Reach::Project)?;
    let params = &open.asked.params;
    let (Some(from), Some(to)) = (params.number::<u64>("from"), params.number::<u64>("to")) else {
        return Err(Failure::bad("Two moments are needed to compare.", "Choose both in the session."));
    };
    let (title, unified) = if params.get("of") == Some("object") {
        // Only what the session has seen is shown of it.
        let seen = session.seen()?;
        let known = |seq: u64| seen.iter().find(|seen| seen.seq.0 == seq);
        let (Some(old), Some(new)) = (known(from), known(to)) else {
            return Err(Failure::missing(format!("The session has not seen both {from} and {to}.")));
        };
        let unified = session.diff(old.seq, new.seq)?.unified;
        (new.label.clone(), unified)
    } else {
        let at = |seq: u64| session.render(RenderOptions { at: moment_of(seq), ..RenderOptions::default() });
        let (old, new) = (at(from)?.text(), at(to)?.text());
        let unified = TextDiff::from_lines(&old, &new).unified_diff().context_radius(3).to_string();
        ("What the model would see".to_owned(), unified)
    };
    let lines: Vec<(&'static str, String)> = unified.lines().map(|line| (class_of(line), line.to_owned())).collect();
    let of = |class: &str| lines.iter().filter(|(known, _)| *known == class).count() as u64;
    let summary = match lines.is_empty() {
        true => "Nothing differs.".to_owned(),
        false => format!(
            "{} added, {} removed, between moment {from} and {to}",
            count(of("add"), "line"),
            count(of("del"), "line")
        ),
    };
    html(&DiffPage {
        frame: Frame::new(open, &title, View::Sessions),
        session: name.to_owned(),
        back: address(open, name, ""),
        title,
        summary,
        lines,
    })
}

fn class_of(line: &str) -> &'static str {
    match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'@', ..] => "hunk",
        [b'+', ..] => "add",
        [b'-', ..] => "del",
        _ => "",
    }
}
