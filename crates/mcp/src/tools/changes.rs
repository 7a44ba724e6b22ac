//! `changes`: what is new since a commit or a time.

use ai_assist_app::{ChangedDefinition, ChangedFile, ChangedVersion, FileStatus, SessionActivity, Since};
use ai_assist_git::Commit;
use ai_assist_store::objects::Moment;

use super::common::*;
use crate::markdown;

/// So many definitions of a file are named, and so many files and calls of a session.
const DEFINITIONS: usize = 12;
const ACTIVITY: usize = 8;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangesArgs {
    /// A commit or branch, a time such as `2h`, `3d` or `2026-11-01`. Default: before the last commit.
    #[schemars(length(min = 1, max = 200))]
    since: Option<String>,
    /// Only paths that match these globs.
    #[serde(default)]
    path: Vec<String>,
    /// Goes on after so many files.
    #[serde(default)]
    after: usize,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct File {
    document: String,
    /// `added`, `changed` or `removed`.
    status: &'static str,
    /// Lines that are new, and lines that are gone.
    added: usize,
    removed: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    definitions: Vec<Defined>,
    /// How many more definitions have changed.
    #[serde(skip_serializing_if = "is_zero")]
    more_definitions: usize,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Defined {
    status: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Versioned {
    collection: String,
    /// The version that the lock had; none if it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// None if it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Activity {
    session: String,
    changed: String,
    /// Turns of the chat.
    turns: usize,
    /// Files that it has read or written, the last first, and how many more.
    files: Vec<String>,
    /// Calls of tools.
    calls: Vec<String>,
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangesAnswer {
    /// What everything is compared with; none if there was nothing before.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// The last first: `id subject`.
    commits: Vec<String>,
    files: Vec<File>,
    /// How many files have changed.
    found: usize,
    /// Collections of which another version is locked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    versions: Vec<Versioned>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sessions: Vec<Activity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<More>,
    #[serde(skip)]
    again: Again,
}

impl ChangesAnswer {
    fn point_on(&mut self) {
        self.more = self.again.rest(self.files.len(), self.found, " files");
    }
}

impl Answer for ChangesAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        if self.files.len() > 1 {
            drop_last(&mut self.files, share);
            self.point_on();
            return true;
        }
        let of_sessions = drop_last(&mut self.sessions, share) > 0 || self.sessions.pop().is_some();
        let only = self.files.first_mut();
        of_sessions
            || drop_last(&mut self.commits, share) > 0
            || only.is_some_and(|file| drop_last(&mut file.definitions, share) > 0)
    }

    fn text(&self, _json: &Value) -> String {
        let since = self.since.as_deref().unwrap_or("the beginning");
        let mut text = format!("Since {since}: {} files\n", self.found);
        text.extend(self.commits.iter().map(|commit| format!("- commit {commit}\n")));
        for file in &self.files {
            text.push_str(&file.text());
        }
        for Versioned { collection, before, now } in &self.versions {
            let version = |version: &Option<String>| version.clone().unwrap_or_else(|| "none".to_owned());
            text.push_str(&format!("Collection {collection}: {} → {}\n", version(before), version(now)));
        }
        for Activity { session, changed, turns, files, calls, more } in &self.sessions {
            let more = if *more > 0 { format!(", {more} more") } else { String::new() };
            text.push_str(&format!("Session {session} ({changed}, {turns} turns): "));
            let seen: Vec<&str> = files.iter().chain(calls).map(String::as_str).collect();
            text.push_str(&format!("{}{more}\n", seen.join(", ")));
        }
        text
    }
}

impl File {
    fn text(&self) -> String {
        let File { document, status, added, removed, definitions, more_definitions } = self;
        let status = if *status == "changed" { String::new() } else { format!("{status} ") };
        let mut text = format!("=== {document} · {status}+{added} -{removed}\n");
        for Defined { status, name, lines, signature } in definitions {
            let sign = match *status {
                "added" => '+',
                "removed" => '-',
                _ => '~',
            };
            let place = lines.as_ref().map_or(String::new(), |lines| format!("{} ", markdown::place(document, lines)));
            text.push_str(&format!("  {sign} {place}{}\n", signature.as_ref().unwrap_or(name)));
        }
        if *more_definitions > 0 {
            text.push_str(&format!("  {more_definitions} more definitions\n"));
        }
        text
    }
}

impl Tool for ChangesArgs {
    const NAME: &'static str = "changes";
    const DESCRIPTION: &'static str = "What changed since a commit or time, work tree included: files, definitions, versions of documentation, sessions.";
    type Answer = ChangesAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<ChangesAnswer>, Failure> {
        let changes = call.project.changes(&since(args.since.as_deref())?, call.cancel)?;
        let globs = globs(&args.path)?;
        let is_wanted = |file: &ChangedFile| globs.as_ref().is_none_or(|globs| globs.matches(&file.path));
        let files: Vec<ChangedFile> = changes.files.into_iter().filter(is_wanted).collect();
        let not_compared = changes.not_compared;
        let mut answer = ChangesAnswer {
            since: changes.base.as_ref().map(commit),
            commits: changes.commits.iter().map(commit).collect(),
            found: files.len(),
            files: files.into_iter().skip(args.after).map(file).collect(),
            versions: changes
                .versions
                .into_iter()
                .map(|ChangedVersion { collection, before, now }| Versioned { collection, before, now })
                .collect(),
            sessions: changes.sessions.into_iter().map(activity).collect(),
            more: None,
            again: Again::of(&args),
        };
        answer.point_on();
        let message =
            (not_compared > 0).then(|| format!("{not_compared} more files were not compared; give a later `since`."));
        Ok(Success::noted(answer, message.as_deref()))
    }
}

fn commit(commit: &Commit) -> String {
    let id: String = commit.id.chars().take(10).collect();
    let when = Moment(commit.committed_at.saturating_mul(1_000_000)).to_string();
    format!("{id} {} {}", when.split('T').next().unwrap_or_default(), commit.subject)
}

fn word_of(status: FileStatus) -> &'static str {
    match status {
        FileStatus::Added => "added",
        FileStatus::Changed => "changed",
        FileStatus::Removed => "removed",
    }
}

fn file(changed: ChangedFile) -> File {
    let ChangedFile { path, status, added, removed, definitions } = changed;
    let more_definitions = definitions.len().saturating_sub(DEFINITIONS);
    let defined = |ChangedDefinition { status, name, signature, lines }: ChangedDefinition| Defined {
        status: word_of(status),
        name,
        lines: lines.map(|lines| lines.to_string()),
        signature,
    };
    let definitions = definitions.into_iter().take(DEFINITIONS).map(defined).collect();
    File { document: path, status: word_of(status), added, removed, definitions, more_definitions }
}

fn activity(activity: SessionActivity) -> Activity {
    let SessionActivity { name, changed, mut files, mut calls, turns } = activity;
    let more = files.len().saturating_sub(ACTIVITY) + calls.len().saturating_sub(ACTIVITY);
    files.truncate(ACTIVITY);
    calls.truncate(ACTIVITY);
    let changed = changed.to_string().chars().take("2026-11-16T08:30".len()).collect();
    Activity { session: name, changed, turns, files, calls, more }
}

/// A commit, or a time: so long ago, or a day.
fn since(text: Option<&str>) -> Result<Since, Failure> {
    let Some(text) = text.map(str::trim) else { return Ok(Since::LastCommit) };
    let now = Moment::now().0 / 1_000_000;
    if let Some((number, unit)) = text.char_indices().next_back().map(|(at, _)| text.split_at(at))
        && let Ok(number) = number.trim().parse::<i64>()
    {
        let seconds = match unit {
            "s" => Some(1),
            "m" => Some(60),
            "h" => Some(3_600),
            "d" => Some(86_400),
            "w" => Some(604_800),
            _ => None,
        };
        if let Some(seconds) = seconds {
            return Ok(Since::Time(now.saturating_sub(number.saturating_mul(seconds))));
        }
    }
    let of_day = format!("{text}T00:00:00Z");
    match text.parse::<Moment>().or_else(|_| of_day.parse::<Moment>()) {
        Ok(moment) if moment != Moment::FOREVER => Ok(Since::Time(moment.0.div_euclid(1_000_000))),
        _ => Ok(Since::Commit(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_from_a_commit() {
        let now = Moment::now().0 / 1_000_000;
        for (text, ago) in [("2h", 7_200), ("30m", 1_800), ("3d", 259_200), ("1w", 604_800), (" 5s", 5)] {
            let Ok(Since::Time(time)) = since(Some(text)) else { panic!("{text}") };
            assert!((now - ago..=now - ago + 5).contains(&time), "{text}: {time}");
        }
        assert_eq!(since(Some("2026-11-01")).unwrap(), Since::Time(1_793_491_200));
        assert_eq!(since(Some("2026-11-01T00:00:10Z")).unwrap(), Since::Time(1_793_491_210));
        for commit in ["HEAD~3", "main", "1234567", "d", "v1.2", "forever"] {
            assert_eq!(since(Some(commit)).unwrap(), Since::Commit(commit.to_owned()));
        }
        assert_eq!(since(None).unwrap(), Since::LastCommit);
    }
}
