//! Searching collections: which indexes there are, and what their documents are called.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use ai_assist_admit::Freshness;
use ai_assist_base::Cancel;
use ai_assist_identity::{CanonicalPath, CollectionId, CollectionKind, DocPath, Sha256};
use ai_assist_index::Reader;
use ai_assist_search::{Answer, Cursor, IndexStatus, Origin, Outcome, Question, Source, Unsearched, Warning, search};

use crate::reach::{InReach, Once};
use crate::{Library, Members, Result};

#[derive(Debug, Clone)]
pub struct Find {
    /// The question. A `collection:` of its query is one more name.
    pub question: Question,
    /// Collections and categories to look in, by name or id; none for all in reach.
    pub collections: Vec<String>,
    /// Whether everything in the database is in reach, not only what the project and the user declare.
    pub all: bool,
    /// How many tokens the texts of the hits may have together.
    pub max_tokens: Option<usize>,
    pub cursor: Option<Cursor>,
}

impl Find {
    /// A question to all collections in reach.
    pub fn new(question: Question) -> Self {
        Find { question, collections: Vec::new(), all: false, max_tokens: None, cursor: None }
    }
}

/// Collections as sources of a search.
#[derive(Debug, Default)]
pub struct CollectionSources {
    pub sources: Vec<Source>,
    /// The collections that they are of, by name, each once.
    pub collections: Vec<String>,
    pub warnings: Vec<Warning>,
    /// What the order of hits depends on.
    pub state: String,
    reach: Vec<InReach>,
}

impl CollectionSources {
    /// The files that documents come from, of collections whose folder and one of some others lie in one another.
    pub fn files_below(&self, folders: &[&CanonicalPath]) -> Result<HashSet<PathBuf>> {
        let mut files = HashSet::new();
        for source in &self.sources {
            let Some(root) = source.root.as_ref().map(CanonicalPath::to_path_buf) else { continue };
            let overlaps = |folder: &&CanonicalPath| {
                let folder = folder.to_path_buf();
                root.starts_with(&folder) || folder.starts_with(&root)
            };
            if folders.iter().any(overlaps) {
                let paths = source.index.reader().paths()?;
                let place = |path: &String| Some(root.join(DocPath::parse(path).ok()?.to_path_buf()));
                files.extend(paths.iter().filter_map(place));
            }
        }
        Ok(files)
    }
}

impl Library {
    pub fn find(&mut self, members: &Members, find: &Find) -> Result<Answer> {
        let mut question = find.question.clone();
        let names: Vec<String> = find.collections.iter().chain(&question.query.collections).cloned().collect();
        question.offset = find.cursor.as_ref().map_or(question.offset, Cursor::offset);
        let (sources, outcome) = self.search_collections(members, &names, find.all, &question)?;
        let mut answer = Answer {
            collections: sources.collections,
            warnings: sources.warnings,
            state: sources.state,
            ..Answer::default()
        };
        answer.report_lost(&sources.sources, &outcome);
        answer.take(outcome);
        let roots: Vec<Option<CanonicalPath>> = sources.sources.into_iter().map(|source| source.root).collect();
        answer.hits.iter_mut().for_each(|hit| hit.locate(roots.get(hit.key.0).and_then(Option::as_ref)));
        self.cite(&mut answer.hits)?;
        answer.page(&question, find.cursor.as_ref(), find.max_tokens).map_err(ai_assist_search::Error::from)?;
        Ok(answer)
    }

    fn search_collections(
        &mut self,
        members: &Members,
        names: &[String],
        all: bool,
        question: &Question,
    ) -> Result<(CollectionSources, Outcome)> {
        let mut sources = self.sources(members, names, all)?;
        let embedder = self.embedder();
        let mut outcome = search(&sources.sources, question, embedder, &Cancel::default())?;
        if self.rebuild_damaged(&sources, &outcome, sources.sources.len())? {
            sources = self.sources(members, names, all)?;
            outcome = search(&sources.sources, question, embedder, &Cancel::default())?;
        }
        Ok((sources, outcome))
    }

    /// Builds indexes anew whose damage was not seen when they were opened. The database has everything, so the answer is only
    /// late. Says whether to ask again.
    ///
    /// What was found elsewhere is an answer all the same. Only if nothing is left of all that was asked is it an error that an index
    /// can't be read.
    pub fn rebuild_damaged(&mut self, found: &CollectionSources, outcome: &Outcome, asked: usize) -> Result<bool> {
        let nothing_left = outcome.lost.len() >= asked;
        let (mut rebuilt, mut failure) = (false, None);
        for (number, (collection, source)) in found.reach.iter().zip(&found.sources).enumerate() {
            let failed = |why: &&Unsearched| why.status == IndexStatus::Failed && (why.rebuild_helps || nothing_left);
            if outcome.lost.get(&number).filter(failed).is_none() {
                continue;
            }
            match self.rebuild_if_damaged(&collection.id, source.index.reader()) {
                Ok(()) => rebuilt = true,
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        match failure {
            Some(error) if nothing_left && !rebuilt => Err(error),
            _ => Ok(rebuilt),
        }
    }

    fn rebuild_if_damaged(&mut self, id: &CollectionId, searched: &Reader) -> Result<()> {
        let Some(reader) = self.reader(id)? else { return Ok(()) };
        // One that others have brought further since has nothing of what was read.
        if reader.commit() != searched.commit() {
            return Ok(());
        }
        match reader.verify(self.embedder()) {
            Ok(()) => return Ok(()),
            Err(error) if error.rebuild_helps() => {}
            Err(error) => return Err(error.into()),
        }
        let _lock = self.lock_sync(id, || true)?;
        let is_sound = |reader: Reader| reader.verify(self.embedder()).is_ok();
        // Another process may have done it meanwhile.
        if self.open_index(id).is_ok_and(is_sound) { Ok(()) } else { self.rebuild(id) }
    }

    /// The indexes that some names stand for, each document once; without names, all that is in reach.
    pub fn sources(&mut self, members: &Members, names: &[String], all: bool) -> Result<CollectionSources> {
        let reach = self.reach(members, names, all || members.is_empty())?;
        let (reach, mut readers, warnings) = loop {
            let mut warnings = without_members(members, names);
            let reach = self.synced(reach.clone(), !names.is_empty(), &mut warnings)?;
            let readers: Result<Option<Vec<Reader>>> = reach.iter().map(|found| self.reader(&found.id)).collect();
            // One that was dropped since is among those that are not synced when they are asked again.
            if let Some(readers) = readers? {
                break (reach, readers, warnings);
            }
        };
        leave_repeats_out(&reach, &mut readers)?;
        let warning = |message: String| Warning::new("collection", message);
        let mut found =
            CollectionSources { warnings: warnings.into_iter().map(warning).collect(), ..CollectionSources::default() };
        for (owner, (collection, reader)) in reach.iter().zip(readers).enumerate() {
            if !found.collections.contains(&collection.collection) {
                found.collections.push(collection.collection.clone());
            }
            found.state.push_str(&format!("{}@{}\n", collection.id, reader.commit().seq));
            let package = match collection.id.kind() {
                CollectionKind::Pkg => self.store().package(&collection.id)?,
                CollectionKind::File | CollectionKind::Dep | CollectionKind::Site => None,
            };
            let (version, commit) = package.map(|package| (package.version, package.revision)).unzip();
            let origin = Origin::Collection {
                collection: collection.collection.clone(),
                category: collection.category.clone(),
                collection_id: collection.id.clone(),
                version,
                commit: commit.flatten(),
            };
            let root = collection.path.as_deref().and_then(|path| path.parse().ok());
            found.sources.push(Source::new(Arc::new(reader), origin, root, owner));
        }
        found.reach = reach;
        Ok(found)
    }
}

/// The collections that some names stand for and that have neither a source nor a category.
fn without_members(members: &Members, names: &[String]) -> Vec<String> {
    let asked = names.iter().filter_map(|name| members.collection(name));
    asked
        .filter(|collection| members.members_of(collection).next().is_none())
        .map(|collection| format!("the collection `{}` has no categories yet, so it has no documents", collection.name))
        .collect()
}

/// Leaves out of each index what an earlier one has: two folders of files may lie in one another.
fn leave_repeats_out(reach: &[InReach], readers: &mut [Reader]) -> Result<()> {
    let mut once = Once::new(reach);
    for (at, reader) in readers.iter_mut().enumerate() {
        if !once.may_repeat(at) {
            continue;
        }
        let repeats: HashSet<String> = reader.paths()?.into_iter().filter(|path| !once.is_first(at, path)).collect();
        if !repeats.is_empty() {
            reader.leave_out(|path| repeats.contains(path))?;
        }
    }
    Ok(())
}

/// Whether a document of a collection of type `file` is still what was indexed.
pub(crate) fn freshness(root: Option<&str>, document: &str, hash: Sha256) -> Freshness {
    let place = || Some((root?.parse::<CanonicalPath>().ok()?, DocPath::parse(document).ok()?));
    place().map_or(Freshness::Unknown, |(root, path)| Freshness::of(&root.to_path_buf(), &path, hash))
}
