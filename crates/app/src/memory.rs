//! What all sessions about the project remember, and what a new agent should know of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ai_assist_base::FileLock;
use ai_assist_embed::StaticModel;
use ai_assist_git::{Ask, Repo as GitRepo};
use ai_assist_identity::{DocPath, Sha256};
use ai_assist_session::memory::{At, Catalog, EntryKind, Recall, Recalled};
use ai_assist_session::{Error as SessionError, Session};
use ai_assist_store::objects::{Moment, SqliteObjects};
use ai_assist_text::count_tokens;
use serde::Serialize;

use crate::{Error, Project, Result};

/// So many commits that touched a file are looked at.
const COMMITS: usize = 200;
/// A session that nobody has touched for so many days leaves nothing unfinished that still matters.
const RECENT_DAYS: i64 = 14;
const DAY: i64 = 86_400_000_000;
/// Of each part of a brief so much is gathered; the budget says how much is shown.
const MOST: usize = 40;

/// What all sessions about the project have seen, ready to be asked.
#[derive(Debug)]
pub struct Memory {
    pub catalog: Catalog,
    objects: SqliteObjects,
    index: PathBuf,
}

/// Where something is known from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    pub session: String,
    pub branch: Option<String>,
    pub at: String,
    /// What names its text.
    pub place: String,
}

/// A statement, with where it is known from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statement {
    pub what: String,
    #[serde(flatten)]
    pub evidence: Evidence,
}

/// What a new agent should know, worked out from what was recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Brief {
    /// What was asked and answered last.
    pub state: Vec<Statement>,
    /// What is not finished: commands that still fail, things to do, requests without an answer.
    pub open: Vec<Statement>,
    /// Commands that work here, those that were run last first.
    pub commands: Vec<Statement>,
    /// Files that were changed and read most.
    pub files: Vec<Statement>,
    pub sessions: usize,
}

/// What is known of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileMemory {
    pub file: String,
    /// What is changed together with it: in how many sessions and in how many commits.
    pub together: Vec<Together>,
    /// Commands that fail now and went well before, each with the version of the file that there was then.
    pub passed: Vec<Statement>,
    /// The last calls about it.
    pub calls: Vec<Statement>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Together {
    pub file: String,
    pub sessions: usize,
    pub commits: usize,
}

impl Project {
    /// Everything that sessions about the project and its folders have seen, as far as an agent may see it. None that keeps secrets
    /// as they are is among them.
    pub fn memory(&self) -> Result<Memory> {
        self.take_in_hooks();
        let root = self.session_folder()?;
        let folder = self.memory_folder().join(&Sha256::of(root.as_bytes()).hex()[..16]);
        let objects = self.objects()?;
        let file = folder.join("catalog");
        let mut catalog = Catalog::load(&file);
        let open = |name: &str| {
            let objects = self.objects().map_err(|_| SessionError::Contended(name.to_owned()))?;
            let mut session = Session::load(Box::new(objects), name)?;
            let about = session.about();
            let ours = about.folder.as_ref().is_some_and(|folder| Path::new(folder).starts_with(&root)) && !about.raw;
            session.limit_to(PathBuf::from(&root), ai_assist_git::tracked_files);
            Ok(ours.then_some(session))
        };
        let updated = catalog.update(&objects, &open)?;
        if updated.removed {
            // What was deleted must not stay in an index either.
            let _ = std::fs::remove_dir_all(folder.join("index"));
        }
        if updated.changed {
            let io = |source| Error::Io { action: "writing", path: file.clone(), source };
            // Whoever comes second has the same to write.
            if let Some(_held) = FileLock::try_take(&folder.join("lock")).map_err(io)? {
                catalog.save(&file).map_err(io)?;
            }
        }
        Ok(Memory { catalog, objects, index: folder.join("index") })
    }

    fn memory_folder(&self) -> PathBuf {
        self.roots.data.join("session-memory")
    }

    /// Drops what is kept about all sessions together, after some were removed. It is made anew when it is asked for.
    pub fn forget_memory(&self) -> Result<()> {
        let folder = self.memory_folder();
        match std::fs::remove_dir_all(&folder) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::Io { action: "removing", path: folder, source })
            }
            _ => Ok(()),
        }
    }

    /// What is known of a file: from the sessions, and from the history of the repository.
    pub fn file_memory(&self, memory: &Memory, file: &str, limit: usize) -> Result<FileMemory> {
        let file = file.trim_start_matches("./");
        let catalog = &memory.catalog;
        let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (path, sessions) in catalog.edited_with(file) {
            counts.entry(path.to_owned()).or_default().0 = sessions;
        }
        if let (Ok(path), Ok(Some(git))) =
            (DocPath::parse(file), GitRepo::find(Path::new(&self.session_folder()?), &Ask::default()))
        {
            for (path, commits) in git.touched_with(&path, COMMITS)?.by_path {
                counts.entry(path).or_default().1 = commits;
            }
        }
        let mut together: Vec<Together> =
            counts.into_iter().map(|(file, (sessions, commits))| Together { file, sessions, commits }).collect();
        together.sort_by(|a, b| (b.sessions + b.commits).cmp(&(a.sessions + a.commits)).then(a.file.cmp(&b.file)));
        together.truncate(limit);
        let fails_now = catalog.commands().into_iter().filter(|runs| runs.last.entry.ok == Some(false));
        let passed = fails_now.filter_map(|runs| {
            let then = runs.last_passed?;
            let version = catalog.version_at(file, then.entry.at)?;
            let what = format!("`{}` passed {}; the file was then", runs.command, Moment(then.entry.at));
            Some(Statement { what, evidence: evidence(version) })
        });
        let passed = passed.take(limit).collect();
        let mut calls: Vec<At<'_>> =
            catalog.entries().filter(|at| at.entry.ok.is_some() && at.entry.is_about(file)).collect();
        calls.sort_by_key(|at| std::cmp::Reverse((at.entry.at, at.entry.seq)));
        let call = |at: At<'_>| Statement { what: outcome(at), evidence: evidence(at) };
        let calls = calls.into_iter().take(limit).map(call).collect();
        Ok(FileMemory { file: file.to_owned(), together, passed, calls })
    }
}

impl Memory {
    /// Searches everything.
    pub fn recall(&self, recall: &Recall<'_>) -> Result<Vec<Recalled<'_>>> {
        Ok(self.catalog.recall(&self.objects, recall, &self.index, StaticModel::bundled())?)
    }

    /// What a new agent should know.
    pub fn brief(&self) -> Result<Brief> {
        let catalog = &self.catalog;
        let now = catalog.entries().map(|at| at.entry.at).max().unwrap_or_default();
        let mut brief = Brief { sessions: catalog.sessions.len(), ..Brief::default() };
        // Sub-agents' sessions are steps of others, so they are no state of the work.
        let main = catalog.sessions.iter().rev().filter(|session| session.parent.is_none());
        for (n, session) in main.filter(|session| !session.entries.is_empty()).take(5).enumerate() {
            let of_kind = |kinds: &'static [EntryKind]| {
                session
                    .entries
                    .iter()
                    .rev()
                    .filter(move |entry| kinds.contains(&entry.kind))
                    .map(move |entry| At { session, entry })
            };
            let mut said = of_kind(&[EntryKind::Message, EntryKind::Summary]);
            let last = said.next();
            let asked = of_kind(&[EntryKind::Message]).find(|at| at.entry.label == "user");
            for (word, at) in [("asked", asked), ("said", last.filter(|at| at.entry.label != "user"))] {
                if let Some(at) = at {
                    brief.state.push(Statement { what: format!("{word}: {}", self.line(at)?), evidence: evidence(at) });
                }
            }
            if n > 2 || session.entries.last().is_some_and(|entry| entry.at < now - RECENT_DAYS * DAY) {
                continue;
            }
            if let Some(at) = last.filter(|at| at.entry.label == "user") {
                brief
                    .open
                    .push(Statement { what: format!("no answer yet: {}", self.line(at)?), evidence: evidence(at) });
            }
            let list = session.entries.iter().rev().find(|entry| is_list(&entry.label));
            for (entry, todo) in list.iter().flat_map(|entry| entry.todo.iter().map(move |todo| (entry, todo))) {
                brief
                    .open
                    .push(Statement { what: format!("to do: {todo}"), evidence: evidence(At { session, entry }) });
            }
        }
        for runs in catalog.commands() {
            let recent = runs.last.entry.at >= now - RECENT_DAYS * DAY;
            match (runs.last.entry.ok, runs.passed) {
                (Some(false), _) if recent && brief.open.len() < MOST => {
                    let before = if runs.passed > 0 { "passed before" } else { "never passed" };
                    let what = format!("fails: `{}` ({before})", runs.command);
                    brief.open.push(Statement { what, evidence: evidence(runs.last) });
                }
                (Some(true), 2..) if brief.commands.len() < MOST => {
                    let what = format!("`{}` (passed {}, failed {})", runs.command, runs.passed, runs.failed);
                    brief.commands.push(Statement { what, evidence: evidence(runs.last) });
                }
                _ => {}
            }
        }
        brief.files = self.files();
        Ok(brief)
    }

    /// The files that matter: those that were changed, then those that were read, most often and last.
    fn files(&self) -> Vec<Statement> {
        let mut counts: BTreeMap<&str, (usize, usize, At<'_>)> = BTreeMap::new();
        for at in self.catalog.entries().filter(|at| at.entry.ok == Some(true)) {
            for file in &at.entry.files {
                let count = counts.entry(file).or_insert((0, 0, at));
                if at.entry.kind == EntryKind::Edit {
                    count.0 += 1;
                } else {
                    count.1 += 1;
                }
                if at.entry.at >= count.2.entry.at {
                    count.2 = at;
                }
            }
        }
        let mut counts: Vec<(&str, (usize, usize, At<'_>))> = counts.into_iter().collect();
        counts.sort_by_key(|(path, (edits, reads, _))| (std::cmp::Reverse((*edits, *reads)), *path));
        let statement = |(path, (edits, reads, at)): (&str, (usize, usize, At<'_>))| Statement {
            what: format!("{path} (changed {edits} times, read {reads} times)"),
            evidence: evidence(at),
        };
        counts.into_iter().take(MOST).map(statement).collect()
    }

    /// The first line of a text that says something.
    fn line(&self, at: At<'_>) -> Result<String> {
        use ai_assist_session::transcript::SUMMARY_MARK;
        use ai_assist_store::objects::Objects as _;
        let text =
            self.objects.texts(&[at.entry.text]).map_err(SessionError::from)?.pop().flatten().unwrap_or_default();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && *line != SUMMARY_MARK);
        let line: String = lines.take(3).collect::<Vec<_>>().join(" ");
        let cut: String = line.chars().take(240).collect();
        Ok(if cut.len() < line.len() { format!("{cut}…") } else { cut })
    }
}

impl Brief {
    /// How many statements it has.
    pub fn len(&self) -> usize {
        [&self.state, &self.open, &self.commands, &self.files].map(Vec::len).iter().sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The brief as text, within a budget of tokens: what is open and how things stand first. The longest lists give way.
    pub fn text(&mut self, max_tokens: usize) -> String {
        loop {
            let text = self.rendered();
            if count_tokens(&text) <= max_tokens {
                return text;
            }
            let [state, open, commands, files] = [&self.state, &self.open, &self.commands, &self.files].map(Vec::len);
            // What is unfinished is worth more than what could be found out again.
            let longest = [(files * 3, 3), (commands * 2, 2), (state, 0), (open, 1)].into_iter().max();
            let list = match longest.map(|(_, list)| list) {
                Some(3) => &mut self.files,
                Some(2) => &mut self.commands,
                Some(0) => &mut self.state,
                _ => &mut self.open,
            };
            if list.pop().is_none() {
                return String::new();
            }
        }
    }

    fn rendered(&self) -> String {
        let mut text = String::new();
        let parts = [
            ("Where the work stands", &self.state),
            ("Open ends", &self.open),
            ("Commands that work here", &self.commands),
            ("Files that matter", &self.files),
        ];
        for (title, list) in parts.into_iter().filter(|(_, list)| !list.is_empty()) {
            let _ = writeln!(text, "# {title}\n");
            list.iter().for_each(|statement| text.push_str(&statement.line()));
            text.push('\n');
        }
        text
    }
}

impl FileMemory {
    pub fn text(&self) -> String {
        let mut text = format!("# {}\n\n", self.file);
        let together = |together: &Together| {
            format!("- {} (sessions {}, commits {})\n", together.file, together.sessions, together.commits)
        };
        if !self.together.is_empty() {
            text.push_str("Changed together with:\n");
            text.extend(self.together.iter().map(together));
        }
        for (title, list) in [("When it still worked:", &self.passed), ("Last calls about it:", &self.calls)] {
            if !list.is_empty() {
                let _ = write!(text, "\n{title}\n");
                text.extend(list.iter().map(Statement::line));
            }
        }
        text
    }
}

impl Statement {
    fn line(&self) -> String {
        let Evidence { session, branch, at, place } = &self.evidence;
        let branch = branch.as_ref().map_or(String::new(), |branch| format!(" on {branch}"));
        let time: String = at.chars().take(16).collect();
        // The place begins with the session.
        let _ = session;
        format!("- {} [{time}{branch}, {place}]\n", self.what)
    }
}

/// Where an entry is known from.
pub fn evidence(at: At<'_>) -> Evidence {
    Evidence {
        session: at.session.name.clone(),
        branch: at.session.branch.clone(),
        at: at.entry.at().to_string(),
        place: at.place(),
    }
}

fn outcome(at: At<'_>) -> String {
    let word = if at.entry.ok == Some(true) { "ok" } else { "failed" };
    format!("{} ({word})", at.entry.label)
}

/// Whether a call has written a list of things to do.
fn is_list(label: &str) -> bool {
    ["TodoWrite", "update_plan", "write_todos", "todo_write"].iter().any(|tool| label.starts_with(tool))
}
