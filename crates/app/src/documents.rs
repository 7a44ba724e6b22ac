//! Reading: one document wherever it lies, the documents of an expression, lists of them.

use std::path::Path;

use ai_assist_admit::{Freshness, Globs};
use ai_assist_base::{Cancel, RealPath};
use ai_assist_chunk::OutlineEntry;
use ai_assist_collections::{
    Content, DocumentHead, DocumentRef, Error as CollectionsError, Member, Members, ReadDocument,
};
use ai_assist_convert::may_be_converted;
use ai_assist_identity::{DocPath, PathError, Sha256};
use ai_assist_repo::local_repo::LocalRepoError;
use ai_assist_repo::one_file::{FileError, OneFile, read_admitted, read_file};
use ai_assist_repo::root::{canonical_root, work_tree_top};
use ai_assist_search::Cursor;
use ai_assist_text::{Language, LineRange};

use crate::{Error, Project, Reach, Result};

/// A document of a collection, or a file of a repository that was read just now: whole, with secrets taken out.
#[derive(Debug, Clone)]
pub struct Document {
    pub collection: Option<String>,
    pub category: Option<String>,
    pub repo: Option<String>,
    /// Its path in the collection or the repository.
    pub document: String,
    pub title: Option<String>,
    pub language: Language,
    pub hash: Sha256,
    pub freshness: Freshness,
    pub text: String,
}

impl From<ReadDocument> for Document {
    fn from(read: ReadDocument) -> Self {
        let ReadDocument { collection, category, document, title, language, hash, freshness, text, .. } = read;
        let (collection, repo) = (Some(collection), None);
        Document { collection, category, repo, document, title, language, hash, freshness, text }
    }
}

impl Document {
    fn of_repo(repo: String, OneFile { path, text, language, hash, .. }: OneFile) -> Self {
        let (collection, category, title) = (None, None, None);
        let (document, freshness) = (path.as_str().to_owned(), Freshness::Current);
        Document { collection, category, repo: Some(repo), document, title, language, hash, freshness, text }
    }

    pub fn outline(&self) -> Vec<OutlineEntry> {
        ai_assist_chunk::outline(&self.text, self.language)
    }

    /// The lines of the one section or definition of a name, such as `Install` or `Outer > Inner`.
    pub fn section(&self, section: &str) -> Result<LineRange> {
        let entries = self.outline();
        let wanted: Vec<String> =
            section.split(" > ").map(|part| part.trim().trim_start_matches('#').trim().to_lowercase()).collect();
        let mut above: Vec<&OutlineEntry> = Vec::new();
        let mut matching: Vec<(String, LineRange)> = Vec::new();
        for entry in &entries {
            above.truncate(entry.depth);
            above.push(entry);
            let names: Vec<String> = above.iter().map(|entry| entry.name.to_lowercase()).collect();
            if names.ends_with(&wanted) {
                let path: Vec<&str> = above.iter().map(|entry| entry.name.as_str()).collect();
                matching.push((path.join(" > "), entry.lines));
            }
        }
        let section = section.to_owned();
        match matching.as_slice() {
            [(_, lines)] => Ok(*lines),
            [] => Err(Error::NoSection { section, known: entries.into_iter().map(|entry| entry.name).collect() }),
            _ => Err(Error::SeveralSections { section, found: matching }),
        }
    }
}

impl Project {
    /// A document: a file of a repository, else something of a session, else one of a collection.
    pub fn document(&self, name: &str, repo: Option<&str>, asker: Reach) -> Result<Document> {
        if name.starts_with('/') || name.contains('\0') {
            return Err(PathError::NotRelative(name.replace('\0', "\u{fffd}")).into());
        }
        let of_collection = || match self.members()?.is_empty() {
            true => Err(Error::NoDocument(name.to_owned())),
            false => self.declared_document(name),
        };
        // What a collection has converted has other lines there than in the repository, and hits show those.
        if repo.is_none()
            && may_be_converted(name)
            && let Ok(document) = of_collection()
        {
            return Ok(document);
        }
        match self.repo_file(name, repo, asker) {
            Err(Error::NoFile { .. }) if repo.is_none() => {}
            found => return found,
        }
        if let Some((session, file)) = self.seen(name, asker)? {
            let (document, freshness) = (name.to_owned(), Freshness::Unknown);
            return Ok(Document { repo: None, document, freshness, ..Document::of_repo(session, file) });
        }
        of_collection()
    }

    fn declared_document(&self, name: &str) -> Result<Document> {
        let reference = DocumentRef { name: name.to_owned(), lines: None };
        match self.collection_document(&reference, &[], false) {
            Err(Error::Collections(CollectionsError::UnknownDocument(_))) => Err(Error::NoDocument(name.to_owned())),
            found => Ok(found?.into()),
        }
    }

    /// A document of a collection; of some, if they are named.
    pub fn collection_document(
        &self,
        reference: &DocumentRef,
        collections: &[String],
        all: bool,
    ) -> Result<ReadDocument> {
        let members = self.members()?;
        let read = || Ok(self.library()?.read(&members, collections, all, reference)?);
        self.as_it_is_now(&members, read()?, read)
    }

    /// A document that was read: if its file is another by now, `read` once more after its collection is brought up to date.
    pub(crate) fn as_it_is_now(
        &self,
        members: &Members,
        found: ReadDocument,
        read: impl FnOnce() -> Result<ReadDocument>,
    ) -> Result<ReadDocument> {
        if !matches!(found.freshness, Freshness::Changed | Freshness::Missing) {
            return Ok(found);
        }
        let of_it: Vec<Member> =
            members.iter().filter(|member| *member.resolved.id() == found.collection_id).cloned().collect();
        if self.refresh(&of_it, &[], &Cancel::default())?.changed { read() } else { Ok(found) }
    }

    /// A file of the project's repository, or of a named one of the workspace.
    pub fn repo_file(&self, path: &str, repo: Option<&str>, asker: Reach) -> Result<Document> {
        let repo = self.repo_named(repo)?;
        let read = match asker {
            Reach::Machine => read_file,
            Reach::Project => read_admitted,
        };
        match read(&repo.local.root.to_path_buf(), &DocPath::parse(path)?, &self.settings.repo_limits()) {
            Ok(file) => Ok(Document::of_repo(repo.name, file)),
            // Where it lies on this machine is nothing for the agent of another.
            Err(FileError::Missing(_)) => Err(Error::NoFile { repo: repo.name, path: path.to_owned() }),
            Err(error) => Err(error.into()),
        }
    }

    pub fn file_at(&self, file: &Path) -> Result<OneFile> {
        let file = self.folder.join(file);
        let missing = || Error::File(FileError::Missing(file.clone()));
        let (Some(parent), Some(name)) = (file.parent(), file.file_name()) else { return Err(missing()) };
        let folder = parent.real_path().map_err(|_| missing())?;
        // The names of the folders count too when it is asked whether the file may be read.
        let root = canonical_root(&folder, &work_tree_top).map_err(LocalRepoError::from)?.to_path_buf();
        let place = folder.join(name);
        let path = DocPath::from_relative(place.strip_prefix(&root).unwrap_or(&place))?;
        Ok(read_file(&root, &path, &self.settings.repo_limits())?)
    }

    /// The documents of some collections, or of all that are declared; only those that a glob takes.
    pub fn documents(&self, collections: &[String], pattern: Option<&str>) -> Result<Vec<DocumentHead>> {
        let members = self.members()?;
        if members.is_empty() && collections.is_empty() {
            return Ok(Vec::new());
        }
        let mut heads = self.library()?.documents(&members, collections)?;
        if let Some(pattern) = pattern {
            let globs = Globs::new(&[pattern]).map_err(CollectionsError::from)?;
            heads.retain(|head| globs.matches(&head.document));
        }
        Ok(heads)
    }

    /// The documents of an expression (`name`, `name/pattern`, `a,b`), as many as fit, as they are now.
    pub fn content(&self, expression: &str, max_tokens: usize, cursor: Option<&Cursor>) -> Result<Content> {
        let members = self.members()?;
        let read = || Ok(self.library()?.content(&members, expression, max_tokens, cursor)?);
        let found: Content = read()?;
        let is_stale = |read: &ReadDocument| matches!(read.freshness, Freshness::Changed | Freshness::Missing);
        // A page belongs to the answer that it goes on with, so nothing may change under it.
        if cursor.is_some() || !found.documents.iter().any(|it| is_stale(&it.document)) {
            return Ok(found);
        }
        let of_it =
            |member: &&Member| found.documents.iter().any(|it| it.document.collection_id == *member.resolved.id());
        let stale: Vec<Member> = members.iter().filter(of_it).cloned().collect();
        match self.refresh(&stale, &[], &Cancel::default())?.changed {
            true => read(),
            false => Ok(found),
        }
    }
}
