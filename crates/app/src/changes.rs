//! What has changed since a commit or a time: files, definitions, versions of documentation, and what sessions did.

use std::collections::BTreeMap;

use ai_assist_admit::redact_in;
use ai_assist_base::Cancel;
use ai_assist_chunk::{OutlineEntry, outline};
use ai_assist_collections::Lock;
use ai_assist_git::{Ask, Commit, GitError, Repo as GitRepo};
use ai_assist_identity::DocPath;
use ai_assist_session::object::ObjectKind;
use ai_assist_store::objects::Moment;
use ai_assist_text::{Language, LineMap, LineRange};
use similar::{ChangeTag, TextDiff};

use crate::{Error, Project, Reach, Result};

/// So many commits are named.
const COMMITS: usize = 20;
/// So many files are compared line by line; the others are only counted.
const COMPARED: usize = 400;
/// A larger file is not compared.
const LARGEST: usize = 1 << 20;
/// How long the lines of one file may be compared before the rest is taken as replaced.
const PATIENCE: std::time::Duration = std::time::Duration::from_millis(500);

/// From when on changes are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Since {
    /// Before the last commit.
    LastCommit,
    /// Seconds since 1970.
    Time(i64),
    Commit(String),
}

#[derive(Debug, Clone)]
pub struct Changes {
    /// What everything is compared with; none where there was nothing yet.
    pub base: Option<Commit>,
    /// The last first.
    pub commits: Vec<Commit>,
    pub files: Vec<ChangedFile>,
    /// Files that were not compared, for there are too many.
    pub not_compared: usize,
    pub versions: Vec<ChangedVersion>,
    pub sessions: Vec<SessionActivity>,
}

#[derive(Debug, Clone)]
pub struct ChangedFile {
    pub path: String,
    pub status: FileStatus,
    pub added: usize,
    pub removed: usize,
    pub definitions: Vec<ChangedDefinition>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileStatus {
    Added,
    Changed,
    Removed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedDefinition {
    pub status: FileStatus,
    /// With what it lies in: `Outer > inner`.
    pub name: String,
    pub signature: Option<String>,
    /// Where it is now; none if it is gone.
    pub lines: Option<LineRange>,
}

/// A collection of which another version is locked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedVersion {
    pub collection: String,
    /// None if it is new.
    pub before: Option<String>,
    /// None if it is gone.
    pub now: Option<String>,
}

/// What happened in a session.
#[derive(Debug, Clone)]
pub struct SessionActivity {
    pub name: String,
    pub changed: Moment,
    /// Files that it has seen, and calls that it has recorded, each once, the last first.
    pub files: Vec<String>,
    pub calls: Vec<String>,
    pub turns: usize,
}

impl Project {
    /// What has changed in the repository around the project, for an agent: nothing of files that it may not read but their names.
    pub fn changes(&self, since: &Since, cancel: &Cancel) -> Result<Changes> {
        let own = self.repo()?;
        let ask = Ask { cancel: cancel.clone(), ..Ask::default() };
        let root = own.local.root.to_path_buf();
        let git = GitRepo::find(&root, &ask)?;
        let base = match &git {
            Some(git) => base(git, since)?,
            None => None,
        };
        let from = match (since, &base) {
            (Since::Time(time), _) => *time,
            (_, Some(base)) => base.committed_at,
            (_, None) => 0,
        };
        let mut changes = Changes {
            base,
            commits: Vec::new(),
            files: Vec::new(),
            not_compared: 0,
            versions: Vec::new(),
            sessions: self.activity(Moment(from.saturating_mul(1_000_000)))?,
        };
        if let Some(git) = &git {
            self.compare(git, &mut changes)?;
        }
        Ok(changes)
    }

    fn compare(&self, git: &GitRepo, changes: &mut Changes) -> Result<()> {
        let base = changes.base.as_ref().map(|base| base.id.clone());
        changes.commits = git.commits_since(base.as_deref(), COMMITS)?;
        let (mut paths, gone) = match &base {
            Some(base) => (git.changed_since(base)?, git.removed_since(base)?),
            None => (tracked(git)?, Vec::new()),
        };
        let removed = paths.len();
        paths.extend(gone);
        changes.not_compared = paths.len().saturating_sub(COMPARED);
        paths.truncate(COMPARED);
        let before = match &base {
            Some(base) => git.files_at(base, &paths)?,
            None => vec![None; paths.len()],
        };
        for (at, (path, before)) in paths.iter().zip(before).enumerate() {
            let changed = self.compared(path, before, at >= removed);
            changes.files.extend(changed);
        }
        changes.files.sort_by(|a, b| a.path.cmp(&b.path));
        if let Some(base) = &base {
            changes.versions = self.locked_since(git, base)?;
        }
        Ok(())
    }

    /// One file, before and now. None if it is as it was.
    fn compared(&self, path: &DocPath, before: Option<Vec<u8>>, is_gone: bool) -> Option<ChangedFile> {
        let status = match (&before, is_gone) {
            (_, true) => FileStatus::Removed,
            (None, false) => FileStatus::Added,
            (Some(_), false) => FileStatus::Changed,
        };
        let name = path.as_str();
        let mut changed = ChangedFile { path: name.to_owned(), status, added: 0, removed: 0, definitions: Vec::new() };
        let now = if is_gone { None } else { self.repo_file(name, None, Reach::Project).ok() };
        if now.is_none() && !is_gone {
            // It may not be read, so nothing more is said of it.
            return Some(changed);
        }
        // What is secret now may have been in it before.
        let text = |bytes: Vec<u8>| Some(redact_in(name, String::from_utf8(bytes).ok()?).text);
        let before = before.filter(|bytes| bytes.len() <= LARGEST).and_then(text).unwrap_or_default();
        let now = now.filter(|now| now.text.len() <= LARGEST).map(|now| now.text).unwrap_or_default();
        if before == now && status == FileStatus::Changed {
            return None;
        }
        let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(&before, &now);
        for change in diff.iter_all_changes() {
            match change.tag() {
                ChangeTag::Insert => changed.added += 1,
                ChangeTag::Delete => changed.removed += 1,
                ChangeTag::Equal => {}
            }
        }
        // What is gone was perhaps kept from agents; which definitions it had is not told.
        if !is_gone {
            changed.definitions = definitions(name, &before, &now);
        }
        Some(changed)
    }

    /// The packages whose version in `context.lock` is another than at a commit.
    fn locked_since(&self, git: &GitRepo, commit: &str) -> Result<Vec<ChangedVersion>> {
        let file = self.root().join("context.lock");
        let Some(path) = file.strip_prefix(&git.folder).ok().and_then(|path| DocPath::from_relative(path).ok()) else {
            return Ok(Vec::new());
        };
        let versions = |bytes: Option<Vec<u8>>| -> BTreeMap<String, String> {
            let lock: Option<Lock> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
            lock.map(|lock| lock.collections.into_iter().map(|(name, it)| (name, it.version)).collect())
                .unwrap_or_default()
        };
        let before = versions(git.files_at(commit, std::slice::from_ref(&path))?.pop().flatten());
        let now = versions(std::fs::read(&file).ok());
        let names: std::collections::BTreeSet<&String> = before.keys().chain(now.keys()).collect();
        let changed = names.into_iter().filter(|name| before.get(*name) != now.get(*name));
        let version = |name: &String| ChangedVersion {
            collection: name.clone(),
            before: before.get(name).cloned(),
            now: now.get(name).cloned(),
        };
        Ok(changed.map(version).collect())
    }

    /// What the sessions about the project did from a time on, the one that was changed last first.
    fn activity(&self, from: Moment) -> Result<Vec<SessionActivity>> {
        let mut found = Vec::new();
        for summary in self.sessions(Reach::Project)?.into_iter().filter(|session| session.changed >= from).take(5) {
            let session = self.session(Some(&summary.name), Reach::Project)?;
            let mut activity = SessionActivity {
                name: summary.name,
                changed: summary.changed,
                files: Vec::new(),
                calls: Vec::new(),
                turns: 0,
            };
            let mut seen = session.seen()?;
            seen.retain(|seen| seen.at >= from);
            seen.sort_by_key(|seen| std::cmp::Reverse(seen.at));
            for seen in seen {
                let list = match seen.kind {
                    ObjectKind::File => &mut activity.files,
                    ObjectKind::Toolcall => &mut activity.calls,
                    _ => {
                        activity.turns += 1;
                        continue;
                    }
                };
                if !list.contains(&seen.label) {
                    list.push(seen.label);
                }
            }
            found.push(activity);
        }
        Ok(found)
    }
}

fn base(git: &GitRepo, since: &Since) -> Result<Option<Commit>> {
    let found = match since {
        Since::Time(time) => return Ok(git.commit_before(*time)?),
        Since::LastCommit => git.commit("HEAD^"),
        Since::Commit(revision) => return Ok(Some(git.commit(revision)?)),
    };
    match found {
        Ok(commit) => Ok(Some(commit)),
        // The last commit is the first.
        Err(GitError::UnknownRevision { .. }) => Ok(None),
        Err(error) => Err(Error::Git(error)),
    }
}

fn tracked(git: &GitRepo) -> Result<Vec<DocPath>> {
    let listed = git.ls_files()?;
    let paths = listed.split(|byte| *byte == 0).filter_map(|path| DocPath::parse(std::str::from_utf8(path).ok()?).ok());
    Ok(paths.filter(|path| git.folder.join(path.to_path_buf()).is_file()).collect())
}

/// The definitions or headings that came, went, or have another text, by their whole names.
fn definitions(path: &str, before: &str, now: &str) -> Vec<ChangedDefinition> {
    let (old, new) = (named(path, before), named(path, now));
    let mut changed = Vec::new();
    for (name, (entry, text)) in &new {
        let status = match old.get(name) {
            None => FileStatus::Added,
            Some((_, before)) if before != text => FileStatus::Changed,
            Some(_) => continue,
        };
        // Of what lies in something that changed, only the innermost is told, and what is new is told as a whole.
        let is_within = |outer: &str| name.len() > outer.len() && name.starts_with(&format!("{outer} > "));
        if status == FileStatus::Added && new.keys().any(|outer| is_within(outer) && !old.contains_key(outer)) {
            continue;
        }
        let (signature, lines) = (entry.signature.clone(), Some(entry.lines));
        changed.push(ChangedDefinition { status, name: name.clone(), signature, lines });
    }
    let names: Vec<String> = changed.iter().map(|it| it.name.clone()).collect();
    changed.retain(|it| {
        let inner = format!("{} > ", it.name);
        it.status != FileStatus::Changed || !names.iter().any(|name| name.starts_with(&inner))
    });
    for (name, (entry, _)) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        let outer_gone = old.keys().any(|outer| name.starts_with(&format!("{outer} > ")) && !new.contains_key(outer));
        if !outer_gone {
            let (status, signature) = (FileStatus::Removed, entry.signature.clone());
            changed.push(ChangedDefinition { status, name: name.clone(), signature, lines: None });
        }
    }
    changed.sort_by_key(|it| (it.lines.map_or(u32::MAX, |lines| lines.start), it.name.clone()));
    changed
}

/// What a text defines, by whole names, each with its own lines. Of several of one name the first counts.
fn named(path: &str, text: &str) -> BTreeMap<String, (OutlineEntry, String)> {
    let mut found = BTreeMap::new();
    let mut above: Vec<String> = Vec::new();
    let map = LineMap::new(text);
    for entry in outline(text, Language::detect(path, text)) {
        above.truncate(entry.depth);
        above.push(entry.name.clone());
        let body = map.bytes_of(entry.lines).map(|bytes| text[bytes].to_owned()).unwrap_or_default();
        found.entry(above.join(" > ")).or_insert((entry, body));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_come_go_and_change() {
        let before = "pub struct Oak;\n\nimpl Oak {\n    fn grow(&self) {}\n    fn rest(&self) {}\n}\n\nfn fell() {}\n";
        let now = "pub struct Oak;\n\nimpl Oak {\n    fn grow(&self) { todo!() }\n    fn rest(&self) {}\n}\n\nfn plant() {}\n";
        let told: Vec<String> = definitions("a.rs", before, now)
            .into_iter()
            .map(|it| format!("{:?} {} {:?}", it.status, it.name, it.lines.map(|lines| lines.start)))
            .collect();
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told[0].starts_with("Changed") && told[0].contains("grow") && told[0].ends_with("Some(4)"), "{told:?}");
        assert_eq!(told[1..], ["Added plant Some(8)", "Removed fell None"]);
        assert_eq!(definitions("a.rs", now, now), []);
    }
}
