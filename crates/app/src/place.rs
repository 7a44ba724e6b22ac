//! Reading what a hit points to: a document of a collection, a file of a repository, a file beside the user.

use std::path::{Path, PathBuf};

use ai_assist_base::nearest;
use ai_assist_collections::{DocumentRef, Freshness, ReadDocument};
use ai_assist_repo::layout::Mode;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::one_file::OneFile;
use ai_assist_repo::repo_index::RepoIndex;
use ai_assist_text::{Language, LineMap, LineRange};
use serde::{Deserialize, Serialize};

use crate::{Error, Project, Reach, Result};

/// What a place such as `src/lib.rs:10-20`, `docs/guide.md#Install` or `src/lib.rs#L10-L20` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceRef {
    pub name: String,
    pub part: Part,
}

/// How much of a document is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Whole,
    Lines(LineRange),
    /// A heading or a definition, by name.
    Section(String),
}

impl PlaceRef {
    /// The ways to read a text, the plainest first: a name may have a colon or a `#` in it itself.
    pub fn readings(text: &str) -> Vec<PlaceRef> {
        let mut readings = vec![PlaceRef { name: text.to_owned(), part: Part::Whole }];
        // Compilers say `path:line:column`, and grep `path:line:`.
        let without_column = text.rsplit_once(':').map(|(rest, _)| rest);
        for text in [Some(text), without_column].into_iter().flatten() {
            if let DocumentRef { name, lines: Some(lines) } = DocumentRef::parse(text) {
                readings.push(PlaceRef { name, part: Part::Lines(lines) });
            }
        }
        if let Some((name, fragment)) = text.rsplit_once('#')
            && !name.is_empty()
            && !fragment.is_empty()
        {
            let lines = fragment.starts_with('L').then(|| fragment.replace('L', "").parse().ok()).flatten();
            let part = lines.map_or_else(|| Part::Section(fragment.to_owned()), Part::Lines);
            readings.push(PlaceRef { name: name.to_owned(), part });
        }
        readings
    }
}

/// A text, or some lines of it, and where it is from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadPlace {
    pub place: String,
    pub collection: Option<String>,
    pub repo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub document: String,
    pub file: Option<String>,
    pub language: Language,
    /// Whether the file is still what was indexed; it is read as it is now where it comes from the disk.
    pub freshness: Freshness,
    /// The lines that `text` holds; nothing for an empty document.
    pub lines: Option<LineRange>,
    pub total_lines: usize,
    pub text: String,
}

impl ReadPlace {
    pub fn outline(&self) -> Vec<ai_assist_chunk::OutlineEntry> {
        ai_assist_chunk::outline(&self.text, self.language)
    }
}

impl From<ReadDocument> for ReadPlace {
    fn from(document: ReadDocument) -> Self {
        ReadPlace {
            place: format!("{}/{}", document.collection, document.document),
            collection: Some(document.collection),
            repo: None,
            session: None,
            document: document.document,
            file: document.file,
            language: document.language,
            freshness: document.freshness,
            lines: document.lines,
            total_lines: document.total_lines,
            text: document.text,
        }
    }
}

impl Project {
    /// Reads for a person what a text such as `docs/tutorial/cors.md:10-20` or `src/lib.rs:5` names. In this order: a document by its whole
    /// name, a file, a file of a repository, and whatever has a path that ends so, if it is one.
    pub fn read_place(&self, text: &str) -> Result<ReadPlace> {
        let reference = DocumentRef::parse(text);
        let members = self.members()?;
        let read = || Ok(self.library()?.read(&members, &[], false, &reference)?);
        let is_absolute = Path::new(&reference.name).is_absolute();
        if !is_absolute && let Some(document) = self.library()?.read_exactly(&members, &reference)? {
            return Ok(self.as_it_is_now(&members, document, read)?.into());
        }
        // A name with a colon and a number in it is a name all the same.
        for (name, lines) in [(text, None), (reference.name.as_str(), reference.lines)] {
            if let Some(file) = self.file_named(name)? {
                return self.read_at(&file, name, lines);
            }
        }
        if is_absolute {
            return Err(Error::NoPlace(text.to_owned()));
        }
        if let Some((session, file)) = self.seen(&reference.name, Reach::Machine)? {
            let place = lines_of(&file, &reference.name, reference.lines)?;
            return Ok(ReadPlace { session: Some(session), freshness: Freshness::Unknown, ..place });
        }
        let mut found = self.repo_files_ending_in(&reference.name)?;
        let document: Result<ReadDocument> = read();
        match document {
            // A file may be a document and of a repository, too.
            Ok(document)
                if found.iter().all(|(_, file)| document.file.as_deref().is_some_and(|it| Path::new(it) == file)) =>
            {
                return Ok(self.as_it_is_now(&members, document, read)?.into());
            }
            Ok(document) => {
                let mut names: Vec<String> = found.into_iter().map(|(name, _)| name).collect();
                names.push(format!("{}/{}", document.collection, document.document));
                return Err(Error::AmbiguousPlace { name: text.to_owned(), names });
            }
            Err(Error::Collections(ai_assist_collections::Error::UnknownDocument(_))) => {}
            Err(error) => return Err(error),
        }
        match found.len() {
            0 => Err(Error::NoPlace(text.to_owned())),
            1 => {
                let (name, file) = found.remove(0);
                self.read_at(&file, &name, reference.lines)
            }
            _ => {
                let names = found.into_iter().map(|(name, _)| name).collect();
                Err(Error::AmbiguousPlace { name: text.to_owned(), names })
            }
        }
    }

    /// Indexed files of the project's repository that a name may have been meant for: those of the same file name, else the nearest.
    pub fn paths_like(&self, name: &str) -> Vec<String> {
        let Ok(own) = self.repo() else { return Vec::new() };
        let all = indexed_paths(&own.local);
        let file_name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let wanted = file_name(name);
        let same: Vec<String> = all.iter().filter(|path| file_name(path) == wanted).take(5).cloned().collect();
        if !same.is_empty() {
            return same;
        }
        nearest(name, all.iter().map(String::as_str)).map(str::to_owned).into_iter().collect()
    }

    /// The file that a name means: from here, from the top of the repository, or in a repository of the workspace.
    fn file_named(&self, name: &str) -> Result<Option<PathBuf>> {
        let here = self.folder.join(name);
        if here.is_file() {
            return Ok(Some(here));
        }
        if let Ok(own) = self.repo() {
            let from_top = own.local.root.to_path_buf().join(name);
            if from_top.is_file() {
                return Ok(Some(from_top));
            }
        }
        for (alias, repo) in self.workspace_repos()? {
            if let Some(path) = name.strip_prefix(&alias).and_then(|rest| rest.strip_prefix('/')) {
                let file = repo.root.to_path_buf().join(path);
                if file.is_file() {
                    return Ok(Some(file));
                }
            }
        }
        if here.is_dir() {
            return Err(Error::PlaceIsFolder(here));
        }
        Ok(None)
    }

    /// The repositories of the workspace around the project with what people call them; none where there is no workspace.
    pub fn workspace_repos(&self) -> Result<Vec<(String, LocalRepo)>> {
        let workspace = match self.workspace() {
            Ok(workspace) => workspace,
            Err(Error::NoWorkspace(_)) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let (mut repos, caches) = (Vec::new(), self.build_caches()?);
        for repo in workspace.repos {
            let local = LocalRepo::of_several(repo.root, &caches);
            repos.push((repo.alias.unwrap_or_else(|| local.name().to_owned()), local));
        }
        Ok(repos)
    }

    /// The indexed files of all repositories in reach whose paths end in a name, as they are named from here.
    fn repo_files_ending_in(&self, name: &str) -> Result<Vec<(String, PathBuf)>> {
        let mut repos: Vec<(String, LocalRepo)> = Vec::new();
        repos.extend(self.repo().ok().map(|own| (String::new(), own.local)));
        for (alias, repo) in self.workspace_repos()? {
            if !repos.iter().any(|(_, known)| known.id == repo.id) {
                repos.push((alias + "/", repo));
            }
        }
        let mut found: Vec<(String, PathBuf)> = Vec::new();
        for (prefix, repo) in &repos {
            let root = repo.root.to_path_buf();
            for path in indexed_paths(repo) {
                let is_it = path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
                let file = root.join(&path);
                if is_it && file.is_file() && !found.iter().any(|(_, known)| *known == file) {
                    found.push((format!("{prefix}{path}"), file));
                }
            }
        }
        Ok(found)
    }

    /// The text of a file as it is now, with its secrets taken out.
    fn read_at(&self, file: &Path, name: &str, lines: Option<LineRange>) -> Result<ReadPlace> {
        let place = lines_of(&self.file_at(file)?, name, lines)?;
        let repo = file.parent().and_then(|folder| Some(self.repo_at(folder).ok()?.name().to_owned()));
        Ok(ReadPlace { repo, file: Some(file.display().to_string()), ..place })
    }
}

/// Some lines of a file, or all.
fn lines_of(read: &OneFile, name: &str, lines: Option<LineRange>) -> Result<ReadPlace> {
    let map = LineMap::new(&read.text);
    let total_lines = map.count();
    let whole = LineRange { start: 1, end: u32::try_from(total_lines).unwrap_or(u32::MAX) };
    let asked = lines.unwrap_or(whole);
    let bytes = match map.bytes_of(asked) {
        Some(bytes) => bytes,
        None if lines.is_none() => 0..0,
        None => {
            let (path, asked) = (name.to_owned(), asked.to_string());
            return Err(ai_assist_collections::Error::NoSuchLines { path, lines: total_lines, asked }.into());
        }
    };
    Ok(ReadPlace {
        place: name.to_owned(),
        collection: None,
        repo: None,
        session: None,
        document: read.path.as_str().to_owned(),
        file: None,
        language: read.language,
        freshness: Freshness::Current,
        lines: (total_lines > 0).then(|| LineRange { start: asked.start, end: asked.end.min(whole.end) }),
        total_lines,
        text: read.text.get(bytes).unwrap_or_default().to_owned(),
    })
}

/// The paths of a repository's index, each once; none where there is no index that can be read.
pub(crate) fn indexed_paths(repo: &LocalRepo) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for mode in [Mode::Code, Mode::Prose, Mode::Records] {
        let Ok(index) = RepoIndex::open(&repo.cache, mode) else { continue };
        paths.extend(index.db.documents().unwrap_or_default().into_iter().map(|document| document.path));
    }
    paths.sort();
    paths.dedup();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_in_the_ways_people_write_it() {
        let lines = |start, end| Part::Lines(LineRange { start, end });
        let section = |name: &str| Part::Section(name.to_owned());
        for (text, name, part) in [
            ("a.md:10-20", "a.md", lines(10, 20)),
            ("a.md:10", "a.md", lines(10, 10)),
            ("a.rs:10:5", "a.rs", lines(10, 10)),
            ("a.rs:10:", "a.rs", lines(10, 10)),
            ("a.rs#L3-L9", "a.rs", lines(3, 9)),
            ("a.rs#Logger", "a.rs", section("Logger")),
            ("a.md#Getting started", "a.md", section("Getting started")),
            ("assist://collection/docs/a.md:3-9", "assist://collection/docs/a.md", lines(3, 9)),
        ] {
            let readings = PlaceRef::readings(text);
            assert_eq!(readings[0], PlaceRef { name: text.to_owned(), part: Part::Whole }, "a name may be any text");
            assert_eq!(readings.last(), Some(&PlaceRef { name: name.to_owned(), part }), "{text}");
        }
        for whole in ["a.md", "Type::method", "https://h:80/a", "#", "a#", ":3"] {
            assert_eq!(PlaceRef::readings(whole).len(), 1, "{whole}");
        }
    }
}
