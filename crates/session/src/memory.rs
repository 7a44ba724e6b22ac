//! Everything that all sessions about a project have seen, done and said.
//!
//! A [`Catalog`] lists it: one entry for each version of a file, each call and each turn, with its time, its session and how it went.
//! It is kept in a file beside an index of the texts, and brought up to date by the sessions that have changed since; both may be
//! deleted at any time. What follows from the entries is worked out here without a model: what a failed command was solved by, what
//! is edited together, what is unfinished, which commands work.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use ai_assist_base::{Cancel, read_bounded, replace_file};
use ai_assist_embed::Embedder;
use ai_assist_identity::ContentHash;
use ai_assist_index::Filter;
use ai_assist_search::{Origin, Query, Question, RankBy, Source, snippet};
use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, Moment, ObjectId, Objects};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::object::{FilesystemSource, ObjectKind, Status, ToolcallFields, fields};
use crate::search::{Seen, up_to_date};
use crate::session::Session;
use crate::transcript::SUMMARY_MARK;

/// Another shape of the file is another number, and one that is not known is made anew.
const SHAPE: u32 = 3;
const LARGEST_CATALOG: u64 = 1 << 30;
/// So many lines of a hit are shown.
const HEIGHT: usize = 6;
/// Hits are looked at beyond the limit, because several may be versions of one file.
const DEEPER: usize = 5;
/// Tools that run a command line.
const RUNS: [&str; 11] = [
    "Bash", "bash", "shell", "exec_command", "shell_command", "local_shell", "container.exec", "run_shell_command",
    "runTerminalCommand", "run_in_terminal", "unified_exec",
];
/// Tools that change files.
const EDITS: [&str; 12] = [
    "Edit", "MultiEdit", "Write", "NotebookEdit", "Update", "apply_patch", "write_file", "replace", "edit",
    "editFiles", "create_file", "str_replace_editor",
];

// Plain comments: others would stand in the schema that every agent reads.
// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    File,
    // A command line that was run.
    Command,
    // A call that has changed files.
    Edit,
    // Any other call of a tool.
    Call,
    Message,
    // What a program has made of a conversation, to go on with less.
    Summary,
}

impl EntryKind {
    pub const ALL: [(&'static str, EntryKind); 6] = [
        ("file", EntryKind::File),
        ("command", EntryKind::Command),
        ("edit", EntryKind::Edit),
        ("call", EntryKind::Call),
        ("message", EntryKind::Message),
        ("summary", EntryKind::Summary),
    ];

    pub fn as_str(self) -> &'static str {
        EntryKind::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// One thing that was seen, done or said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub seq: u64,
    pub id: String,
    pub kind: EntryKind,
    /// When, in microseconds since 1970.
    pub at: i64,
    /// As a search calls it; `SESSION/path@seq` names its text.
    pub path: String,
    /// A path, a command, or who spoke.
    pub label: String,
    /// How a call went.
    pub ok: Option<bool>,
    /// The files that a call was about.
    pub files: Vec<String>,
    pub current: bool,
    pub text: ContentHash,
    /// Of a list of things to do: those that are not done.
    pub todo: Vec<String>,
}

impl Entry {
    pub fn at(&self) -> Moment {
        Moment(self.at)
    }
}

/// A session, with what it has seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    pub name: String,
    pub parent: Option<String>,
    pub branch: Option<String>,
    pub client: Option<String>,
    /// The last changes of it that are known here: of its sets, and of its chat.
    reached: (u64, u64),
    /// In the order in which it happened.
    pub entries: Vec<Entry>,
}

/// What all sessions about a project have seen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalog {
    shape: u32,
    /// The last event of the store that is known here.
    reached: u64,
    /// How many sessions there were; one that is removed leaves no event.
    count: usize,
    pub sessions: Vec<Remembered>,
    /// Sessions about something else, which never change that, with their first event: another one may get the name.
    others: BTreeMap<String, u64>,
}

/// What an update has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Updated {
    pub changed: bool,
    /// Whether a session that was known is gone.
    pub removed: bool,
}

/// An entry of a session.
#[derive(Debug, Clone, Copy)]
pub struct At<'c> {
    pub session: &'c Remembered,
    pub entry: &'c Entry,
}

impl At<'_> {
    /// What names the text of it.
    pub fn place(&self) -> String {
        format!("{}/{}@{}", self.session.name, self.entry.path, self.entry.seq)
    }
}

impl Catalog {
    /// The one in a file; an empty one if there is none that can be read.
    pub fn load(file: &Path) -> Catalog {
        let read =
            read_bounded(file, LARGEST_CATALOG).ok().and_then(|bytes| rmp_serde::from_slice::<Catalog>(&bytes).ok());
        read.filter(|catalog| catalog.shape == SHAPE).unwrap_or(Catalog { shape: SHAPE, ..Catalog::default() })
    }

    pub fn save(&self, file: &Path) -> std::io::Result<()> {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        replace_file(file, &rmp_serde::to_vec(self).map_err(std::io::Error::other)?, 0o600)
    }

    /// Takes in what has changed. `open` gives a session if it is about the project.
    pub fn update(&mut self, objects: &dyn Objects, open: &dyn Fn(&str) -> Result<Option<Session>>) -> Result<Updated> {
        let (last, _) = objects.last()?;
        let ids = objects.of_kind(ObjectKind::Session.as_str())?;
        if self.reached == last.0 && self.count == ids.len() {
            return Ok(Updated::default());
        }
        self.count = ids.len();
        let mut known: HashMap<String, Remembered> =
            self.sessions.drain(..).map(|session| (session.name.clone(), session)).collect();
        let others = std::mem::take(&mut self.others);
        for id in ids {
            let Some(name) = id.as_str().split_once(':').map(|(_, name)| name.to_owned()) else { continue };
            let Some(first) = objects.first_of(&id)? else { continue };
            if others.get(&name) == Some(&first.0) {
                self.others.insert(name, first.0);
                continue;
            }
            let Some(sets) = objects.last_of(&id)? else { continue };
            let chat: ObjectId = format!("{}:{name}", ObjectKind::Chat.as_str()).parse()?;
            let reached = (sets.0, objects.last_of(&chat)?.unwrap_or_default().0);
            match known.remove(&name) {
                Some(same) if same.reached == reached => self.sessions.push(same),
                _ => match open(&name) {
                    Ok(Some(session)) => {
                        let about = session.about();
                        let (parent, branch) = (about.parent.clone(), about.branch.clone());
                        let (client, entries) = (about.imported.clone(), entries(&session)?);
                        self.sessions.push(Remembered { name, parent, branch, client, reached, entries });
                    }
                    Ok(None) => {
                        self.others.insert(name, first.0);
                    }
                    // One that can't be read, or was removed meanwhile, must not hide the others.
                    Err(Error::Damaged { .. } | Error::Id(_) | Error::UnknownSession { .. }) => {}
                    Err(error) => return Err(error),
                },
            }
        }
        self.sessions.sort_by_key(|session| session.entries.last().map(|entry| entry.at));
        self.reached = last.0;
        Ok(Updated { changed: true, removed: !known.is_empty() })
    }

    /// Everything, in the order of time within each session, the session with the latest entry last.
    pub fn entries(&self) -> impl Iterator<Item = At<'_>> {
        self.sessions.iter().flat_map(|session| session.entries.iter().map(move |entry| At { session, entry }))
    }
}

/// What a session has seen, in the order in which it happened.
fn entries(session: &Session) -> Result<Vec<Entry>> {
    let seen = session.seen()?;
    let ids: Vec<ObjectId> = session.sets().index().map(|member| member.id.clone()).collect();
    let mut paths: HashMap<String, String> = HashMap::new();
    let mut calls: HashMap<String, ToolcallFields> = HashMap::new();
    for version in session.objects().get_many(&ids, AsOf::default(), false)?.into_iter().flatten() {
        match ObjectKind::of(&version.head.kind) {
            Some(ObjectKind::File) => {
                let source = FilesystemSource::from_json(&version.head.id, version.source.as_deref())?;
                paths.insert(version.head.id.to_string(), session.shown(&source));
            }
            Some(ObjectKind::Toolcall) => {
                calls.insert(version.head.id.to_string(), fields(&version)?);
            }
            _ => {}
        }
    }
    let turns: Vec<ContentHash> =
        seen.iter().filter(|seen| seen.kind == ObjectKind::Chat).map(|seen| seen.text).collect();
    let said: HashMap<ContentHash, bool> = turns
        .iter()
        .zip(session.objects().texts(&turns)?)
        .map(|(hash, text)| (*hash, text.is_some_and(|text| text.starts_with(SUMMARY_MARK))))
        .collect();
    let entry = |seen: Seen| {
        let call = calls.get(seen.id.as_str());
        let kind = match (seen.kind, call) {
            (ObjectKind::File, _) => EntryKind::File,
            (ObjectKind::Chat, _) if said.get(&seen.text) == Some(&true) => EntryKind::Summary,
            (ObjectKind::Chat, _) => EntryKind::Message,
            (_, Some(call)) if RUNS.contains(&call.tool.as_str()) => EntryKind::Command,
            (_, Some(call)) if EDITS.contains(&call.tool.as_str()) => EntryKind::Edit,
            _ => EntryKind::Call,
        };
        let label = match (kind, call.and_then(|call| call.args_display.clone())) {
            (EntryKind::Command, Some(display)) => display,
            (EntryKind::Message, _) => seen.path.trim_start_matches("chat/").to_owned(),
            _ => seen.label,
        };
        let refs = call.and_then(|call| call.file_refs.clone()).unwrap_or_default();
        Entry {
            seq: seen.seq.0,
            id: seen.id.to_string(),
            kind,
            at: seen.at.0,
            path: seen.path,
            label,
            ok: call.map(|call| call.status == Status::Ok),
            files: refs.iter().filter_map(|id| paths.get(id).cloned()).collect(),
            current: seen.current,
            text: seen.text,
            todo: call.map(unfinished).unwrap_or_default(),
        }
    };
    let mut entries: Vec<Entry> = seen.into_iter().map(entry).collect();
    entries.sort_by_key(|entry| (entry.at, entry.seq));
    Ok(entries)
}

/// The things on a list of things to do that are not done, in the words of the tools that keep such lists.
fn unfinished(call: &ToolcallFields) -> Vec<String> {
    let list = ["todos", "plan", "items"].iter().find_map(|name| call.args.get(*name)?.as_array());
    let open = |item: &serde_json::Value| {
        let text = ["content", "step", "description", "title"].iter().find_map(|name| item.get(name)?.as_str())?;
        let status = item.get("status").and_then(serde_json::Value::as_str)?;
        matches!(status, "pending" | "in_progress" | "blocked").then(|| text.to_owned())
    };
    list.into_iter().flatten().filter_map(open).collect()
}

/// What is asked of everything.
#[derive(Debug, Clone, Default)]
pub struct Recall<'r> {
    pub query: &'r str,
    pub limit: usize,
    pub since: Option<Moment>,
    pub until: Option<Moment>,
    pub kinds: &'r [EntryKind],
    /// Only what is about this file: a path or the end of one.
    pub file: Option<&'r str>,
    /// Only calls that went well, or that did not.
    pub ok: Option<bool>,
    pub rank_by: RankBy,
    pub full: bool,
}

impl Recall<'_> {
    pub fn wants(&self, entry: &Entry) -> bool {
        self.since.is_none_or(|since| entry.at >= since.0)
            && self.until.is_none_or(|until| entry.at < until.0)
            && (self.kinds.is_empty() || self.kinds.contains(&entry.kind))
            && self.ok.is_none_or(|ok| entry.ok == Some(ok))
            && self.file.is_none_or(|file| entry.is_about(file))
    }
}

impl Entry {
    /// What it has in common with others of which one is enough: versions of a file. Calls and turns are things of their own.
    fn alike(&self) -> (&str, u64) {
        (&self.label, if self.kind == EntryKind::File { 0 } else { self.seq })
    }

    /// Whether it is a version of a file, or a call about it.
    pub fn is_about(&self, file: &str) -> bool {
        let file = file.trim_start_matches("./");
        let is = |path: &str| path == file || path.strip_suffix(file).is_some_and(|rest| rest.ends_with('/'));
        (self.kind == EntryKind::File && is(&self.label)) || self.files.iter().any(|path| is(path))
    }
}

#[derive(Debug, Clone)]
pub struct Recalled<'c> {
    pub at: At<'c>,
    pub score: f32,
    pub text: String,
    /// Of a command that failed: what it was solved by, if it was.
    pub solved: Option<Solved<'c>>,
}

/// The same command, later, when it went well.
#[derive(Debug, Clone)]
pub struct Solved<'c> {
    pub at: At<'c>,
    /// The files that were edited in between, the last first.
    pub edited: Vec<&'c str>,
}

impl Catalog {
    /// Searches the texts of everything. Their index is kept in `folder`.
    pub fn recall(
        &self,
        objects: &dyn Objects,
        recall: &Recall<'_>,
        folder: &Path,
        embedder: &dyn Embedder,
    ) -> Result<Vec<Recalled<'_>>> {
        if recall.query.trim().is_empty() {
            return self.latest(objects, recall);
        }
        let query: Query = recall.query.parse()?;
        let mut by_key: HashMap<u64, At<'_>> = HashMap::new();
        let mut seen: Vec<Seen> = Vec::new();
        for at in self.entries() {
            if by_key.insert(at.entry.seq, at).is_none() {
                seen.push(at.entry.seen()?);
            }
        }
        let keys: HashSet<u64> = by_key.iter().filter(|(_, at)| recall.wants(at.entry)).map(|(key, _)| *key).collect();
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let Some(fed) = up_to_date(objects, &seen, folder, embedder)? else { return Ok(Vec::new()) };
        let is_all = keys.len() == seen.len() && fed.is_just(&seen);
        let filter = Filter { keys: (!is_all).then(|| Arc::new(keys)), ..query.filter.clone() };
        let origin = Origin::Session { session: "memory".to_owned() };
        let source = Source { filter: Some(Arc::new(filter)), ..Source::new(Arc::new(fed.reader), origin, None, 0) };
        let limit = recall.limit.saturating_mul(DEEPER);
        let question = Question { rank_by: recall.rank_by, limit, ..Question::new(query) };
        let outcome = ai_assist_search::search(&[source], &question, embedder, &Cancel::default())?;
        let mut found: Vec<Recalled<'_>> = Vec::new();
        let mut met: HashSet<(&str, u64)> = HashSet::new();
        for hit in &outcome.hits {
            let Some(at) = by_key.get(&hit.key.1).copied() else { continue };
            if !met.insert(at.entry.alike()) {
                continue;
            }
            let text = match recall.full {
                true => hit.text.trim_end().to_owned(),
                false => snippet(&hit.text, hit.lines.start, &question.query.terms, HEIGHT).text,
            };
            found.push(Recalled { at, score: hit.score, text, solved: self.solved(at) });
            if found.len() == recall.limit {
                break;
            }
        }
        Ok(found)
    }

    /// What is wanted without a question, the last first.
    fn latest(&self, objects: &dyn Objects, recall: &Recall<'_>) -> Result<Vec<Recalled<'_>>> {
        let mut wanted: Vec<At<'_>> = self.entries().filter(|at| recall.wants(at.entry)).collect();
        wanted.sort_by_key(|at| std::cmp::Reverse((at.entry.at, at.entry.seq)));
        let mut met: HashSet<(&str, u64)> = HashSet::new();
        wanted.retain(|at| met.insert(at.entry.alike()));
        wanted.truncate(recall.limit);
        let hashes: Vec<ContentHash> = wanted.iter().map(|at| at.entry.text).collect();
        let height = if recall.full { usize::MAX } else { HEIGHT };
        let mut found = Vec::with_capacity(wanted.len());
        for (at, text) in wanted.into_iter().zip(objects.texts(&hashes)?) {
            let text = text.unwrap_or_default();
            let lines: Vec<&str> = text.lines().take(height).collect();
            found.push(Recalled { at, score: 0.0, text: lines.join("\n"), solved: self.solved(at) });
        }
        Ok(found)
    }

    /// When a command that failed went well again, and what was edited until then.
    pub fn solved<'c>(&'c self, failed: At<'c>) -> Option<Solved<'c>> {
        if failed.entry.kind != EntryKind::Command || failed.entry.ok != Some(false) {
            return None;
        }
        let command = plain_command(&failed.entry.label);
        let is_it = |at: &At<'_>| {
            at.entry.at > failed.entry.at
                && at.entry.ok == Some(true)
                && at.entry.kind == EntryKind::Command
                && plain_command(&at.entry.label) == command
        };
        let at = self.entries().filter(is_it).min_by_key(|at| at.entry.at)?;
        let between = |entry: &&Entry| {
            entry.kind == EntryKind::Edit
                && entry.ok == Some(true)
                && entry.at > failed.entry.at
                && entry.at <= at.entry.at
        };
        let mut edited: Vec<&str> = Vec::new();
        let edits = self.sessions.iter().flat_map(|session| session.entries.iter().rev().filter(between));
        for path in edits.flat_map(|entry| &entry.files) {
            if !edited.contains(&path.as_str()) {
                edited.push(path);
            }
        }
        Some(Solved { at, edited })
    }

    /// The files that were edited in the same sessions as one, with in how many, the most first.
    pub fn edited_with(&self, file: &str) -> Vec<(&str, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for session in &self.sessions {
            let edits = session.entries.iter().filter(|entry| entry.kind == EntryKind::Edit && entry.ok == Some(true));
            let files: BTreeSet<&str> =
                edits.clone().flat_map(|entry| entry.files.iter().map(String::as_str)).collect();
            if edits.into_iter().any(|entry| entry.is_about(file)) {
                let is_other = |path: &&&str| **path != file && !path.ends_with(&format!("/{file}"));
                files.iter().filter(is_other).for_each(|path| *counts.entry(path).or_default() += 1);
            }
        }
        let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
        counts.sort_by_key(|(path, count)| (std::cmp::Reverse(*count), *path));
        counts
    }

    /// Each command by how it was run, the one that was run last first.
    pub fn commands(&self) -> Vec<Runs<'_>> {
        let mut runs: HashMap<&str, Runs<'_>> = HashMap::new();
        let mut all: Vec<At<'_>> = self.entries().filter(|at| at.entry.kind == EntryKind::Command).collect();
        all.sort_by_key(|at| (at.entry.at, at.entry.seq));
        for at in all {
            let command = plain_command(&at.entry.label);
            let runs =
                runs.entry(command).or_insert(Runs { command, passed: 0, failed: 0, last: at, last_passed: None });
            match at.entry.ok {
                Some(true) => (runs.passed, runs.last_passed) = (runs.passed + 1, Some(at)),
                _ => runs.failed += 1,
            }
            runs.last = at;
        }
        let mut runs: Vec<Runs<'_>> = runs.into_values().collect();
        runs.sort_by_key(|runs| std::cmp::Reverse((runs.last.entry.at, runs.last.entry.seq)));
        runs
    }

    /// The version of a file that was known last at some time.
    pub fn version_at(&self, file: &str, at: i64) -> Option<At<'_>> {
        let is_it =
            |found: &At<'_>| found.entry.kind == EntryKind::File && found.entry.at <= at && found.entry.is_about(file);
        self.entries().filter(is_it).max_by_key(|found| (found.entry.at, found.entry.seq))
    }
}

/// How a command was run.
#[derive(Debug, Clone)]
pub struct Runs<'c> {
    pub command: &'c str,
    pub passed: usize,
    pub failed: usize,
    pub last: At<'c>,
    pub last_passed: Option<At<'c>>,
}

impl Entry {
    fn seen(&self) -> Result<Seen> {
        let kind = match self.kind {
            EntryKind::File => ObjectKind::File,
            EntryKind::Message | EntryKind::Summary => ObjectKind::Chat,
            _ => ObjectKind::Toolcall,
        };
        Ok(Seen {
            seq: Seq(self.seq),
            id: self.id.parse()?,
            kind,
            path: self.path.clone(),
            label: self.label.clone(),
            at: self.at(),
            current: self.current,
            text: self.text,
        })
    }
}

/// A command line without the folder that it changes to first.
fn plain_command(command: &str) -> &str {
    let command = command.trim();
    match command.strip_prefix("cd ").and_then(|rest| rest.split_once("&&")) {
        Some((_, rest)) if !rest.trim().is_empty() => rest.trim(),
        _ => command,
    }
}
