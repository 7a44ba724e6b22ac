//! What a question is about: names to indexes, and each document once.

use std::collections::HashSet;
use std::path::PathBuf;

use ai_assist_base::nearest;
use ai_assist_identity::{CanonicalPath, CollectionId, DocPath};
use ai_assist_store::CollectionRecord;

use crate::{Error, Library, Member, Members, Result};

#[derive(Debug, Clone)]
pub(crate) struct InReach {
    /// The name by which it came into reach.
    pub(crate) asked: String,
    /// The collection that its documents are shown under.
    pub(crate) collection: String,
    pub(crate) category: Option<String>,
    pub(crate) id: CollectionId,
    pub(crate) path: Option<String>,
    names: Names,
}

#[derive(Debug, Clone, Default)]
struct Names {
    /// The collections whose source it is, and its short id.
    source: Vec<String>,
    category: Vec<String>,
    /// The collections that have one of those.
    part: Vec<String>,
}

impl InReach {
    fn new(members: &Members, id: &CollectionId, record: Option<&CollectionRecord>) -> Self {
        let mut names = Names { source: vec![short(id)], ..Names::default() };
        for member in members.with_id(id) {
            match member.category() {
                Some(name) => {
                    names.category.push(name.to_owned());
                    names.part.extend(member.collections.iter().cloned());
                }
                None => names.source.push(member.name.clone()),
            }
        }
        let first = members.with_id(id).next();
        InReach {
            asked: first.map_or_else(|| short(id), |member| member.name.clone()),
            collection: first.map_or_else(|| short(id), |member| member.shown_under().to_owned()),
            category: first.and_then(Member::category).map(str::to_owned),
            id: id.clone(),
            path: record.and_then(|record| record.path.clone()),
            names,
        }
    }

    /// Every name that may stand before one of its documents, each with how directly it means this index: `0` is the most.
    pub(crate) fn prefixes(&self) -> impl Iterator<Item = (&str, u8)> {
        let Names { source, category, part } = &self.names;
        let lists = [(source, 0), (category, 1), (part, 2)];
        lists.into_iter().flat_map(|(names, rank)| names.iter().map(move |name| (name.as_str(), rank)))
    }

    /// The same, shown under the collection that `prefix` names, if it names one.
    pub(crate) fn shown_as(&self, prefix: &str) -> InReach {
        let Names { source, part, .. } = &self.names;
        let mut shown = self.clone();
        if prefix != short(&self.id) && source.iter().chain(part).any(|name| name == prefix) {
            prefix.clone_into(&mut shown.collection);
        }
        shown
    }

    pub(crate) fn file(&self, document: &str) -> Option<PathBuf> {
        file_of(self.path.as_deref(), document)
    }
}

/// The file of a document in a collection of type `file`.
pub(crate) fn file_of(root: Option<&str>, document: &str) -> Option<PathBuf> {
    let root: CanonicalPath = root?.parse().ok()?;
    Some(root.to_path_buf().join(DocPath::parse(document).ok()?.to_path_buf()))
}

/// An id without a name, short enough to read.
pub(crate) fn short(id: &CollectionId) -> String {
    let text = id.as_str();
    match text.split_once(':') {
        Some((kind @ ("file" | "dep"), hash)) => format!("{kind}:{}", hash.get(..12).unwrap_or(hash)),
        _ => text.to_owned(),
    }
}

impl Library {
    /// The indexes that a question is about: those of some names; without names, all that is declared, and with `all` everything
    /// that there is.
    pub(crate) fn reach(&self, members: &Members, names: &[String], all: bool) -> Result<Vec<InReach>> {
        let records = self.store().collections()?;
        let record = |id: &CollectionId| records.iter().find(|record| record.id == *id);
        let mut reach: Vec<InReach> = Vec::new();
        let mut push = |found: InReach| {
            if !reach.iter().any(|known| known.id == found.id) {
                reach.push(found);
            }
        };
        if names.is_empty() {
            let declared = members.iter().map(|member| member.resolved.id());
            let stored = records.iter().map(|record| &record.id).filter(|_| all);
            declared.chain(stored).for_each(|id| push(InReach::new(members, id, record(id))));
            return Ok(reach);
        }
        for name in names {
            if let Some(collection) = members.collection(name) {
                for member in members.members_of(collection) {
                    let id = member.resolved.id();
                    let category = member.category().map(str::to_owned);
                    let found = InReach::new(members, id, record(id));
                    push(InReach { asked: name.clone(), collection: name.clone(), category, ..found });
                }
            } else if let Some(member) = members.category(name) {
                let id = member.resolved.id();
                let (collection, category) = (member.shown_under().to_owned(), Some(name.clone()));
                push(InReach { asked: name.clone(), collection, category, ..InReach::new(members, id, record(id)) });
            } else {
                let declared = members.iter().map(|member| member.resolved.id());
                let mut ids = declared.chain(records.iter().map(|record| &record.id));
                let Some(id) = ids.find(|id| id.as_str() == name || short(id) == *name) else {
                    return Err(unknown(members, &records, name));
                };
                push(InReach { asked: name.clone(), ..InReach::new(members, id, record(id)) });
            }
        }
        Ok(reach)
    }

    /// The ids that a name stands for: those of a collection's source and categories, of a category, an id itself, or the beginning
    /// of one as listings show it.
    pub fn resolve_name(&self, members: &Members, name: &str) -> Result<Vec<CollectionId>> {
        let found = self.reach(members, &[name.to_owned()], true)?;
        Ok(found.into_iter().map(|found| found.id).collect())
    }

    /// Leaves out what was never synced, with a warning. What was asked for by name must have been, at least in part.
    pub(crate) fn synced(&self, reach: Vec<InReach>, named: bool, warnings: &mut Vec<String>) -> Result<Vec<InReach>> {
        let mut synced = Vec::new();
        let mut missing = Vec::new();
        for found in reach {
            let list = if self.is_there(&found.id)? { &mut synced } else { &mut missing };
            list.push(found);
        }
        for InReach { asked, category, .. } in missing {
            if named && !synced.iter().any(|found| found.asked == asked) {
                return Err(Error::NotSynced(asked));
            }
            let what = category.map_or(format!("collection `{asked}`"), |category| format!("category `{category}`"));
            warnings.push(format!("the {what} has not been synced yet and was left out"));
        }
        Ok(synced)
    }
}

fn unknown(members: &Members, records: &[CollectionRecord], name: &str) -> Error {
    let ids: Vec<String> = records.iter().map(|record| short(&record.id)).collect();
    let nearest = nearest(name, members.names().chain(ids.iter().map(String::as_str))).map(str::to_owned);
    Error::UnknownCollection { name: name.to_owned(), nearest }
}

/// Tells, of indexes over folders that may lie in one another, which documents an earlier one has already.
#[derive(Debug)]
pub(crate) struct Once {
    folders: Vec<Option<PathBuf>>,
    seen: HashSet<PathBuf>,
}

impl Once {
    pub(crate) fn new(reach: &[InReach]) -> Self {
        let folder = |found: &InReach| Some(found.path.as_deref()?.parse::<CanonicalPath>().ok()?.to_path_buf());
        Once { folders: reach.iter().map(folder).collect(), seen: HashSet::new() }
    }

    /// Whether an index can have a document in common with another.
    pub(crate) fn may_repeat(&self, at: usize) -> bool {
        let Some(Some(own)) = self.folders.get(at) else { return false };
        let others = self.folders.iter().enumerate().filter(|(other, _)| *other != at);
        others.filter_map(|(_, folder)| folder.as_ref()).any(|other| own.starts_with(other) || other.starts_with(own))
    }

    /// Whether no index asked before has this document of an index.
    pub(crate) fn is_first(&mut self, at: usize, document: &str) -> bool {
        if !self.may_repeat(at) {
            return true;
        }
        match (self.folders.get(at), DocPath::parse(document)) {
            (Some(Some(folder)), Ok(path)) => self.seen.insert(folder.join(path.to_path_buf())),
            _ => true,
        }
    }
}
