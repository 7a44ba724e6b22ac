//! Searching collections.

use std::path::PathBuf;

use ai_assist_admit::Freshness;
use ai_assist_chunk::ChunkKind;
use ai_assist_identity::{CanonicalPath, CollectionId, DocPath, Sha256};
use ai_assist_index::{Reader, Terms, Weights};
use ai_assist_search::{Cursor, Explanation, Fusion, Hit, Mode, Query, QueryError, Request, cut, fit, search};
use ai_assist_text::{Language, LineRange};
use serde::Serialize;

use crate::library::Library;
use crate::source::Member;
use crate::{Error, Result};
use ai_assist_fetch::json::nearest;

/// A question.
#[derive(Debug, Clone)]
pub struct Find {
    /// The query's text.
    pub query: String,
    /// Collections to look in, by name or id; none for all in reach.
    pub collections: Vec<String>,
    /// Whether everything in the database is in reach, not only what the project and the user declare.
    pub all: bool,
    /// How many hits to give.
    pub limit: usize,
    /// How many tokens the texts of the hits may have together.
    pub max_tokens: Option<usize>,
    /// Where to go on.
    pub cursor: Option<Cursor>,
    /// Which scores rank.
    pub mode: Mode,
    /// How they are fused.
    pub fusion: Fusion,
    /// Whether to say how scores came about.
    pub explain: bool,
}

/// A hit with its provenance.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The collection's name, or its id where it has none here.
    pub collection: String,
    /// The collection's id.
    pub collection_id: CollectionId,
    /// The document's path in the collection.
    pub document: String,
    /// The file, for collections of type `file`.
    pub file: Option<String>,
    /// The lines.
    pub lines: LineRange,
    /// The heading or symbol path.
    pub path: Vec<String>,
    /// The document's title.
    pub title: Option<String>,
    /// What the chunk is.
    pub kind: ChunkKind,
    /// The document's language.
    pub language: Language,
    /// The hash of the source that was indexed.
    pub hash: Sha256,
    /// Whether the source is still the same.
    pub freshness: Freshness,
    /// The score that ranks it.
    pub score: f32,
    /// The score by words.
    pub words: f32,
    /// The cosine.
    pub cosine: f32,
    /// The text.
    pub text: String,
    /// Whether the text was cut to fit the budget.
    pub cut: bool,
    /// How the score came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// The answer to a question.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The hits, best first.
    pub hits: Vec<Found>,
    /// How many chunks count as found in all.
    pub found: usize,
    /// How many chunks were considered.
    pub considered: usize,
    /// The collections that were searched, by name.
    pub collections: Vec<String>,
    /// The tokens of all texts, if a budget was given.
    pub tokens: Option<usize>,
    /// Gives the next hits, if there are any.
    pub cursor: Option<String>,
    /// What is odd, such as collections that were never synced.
    pub warnings: Vec<String>,
    /// The terms that were looked for, to mark them.
    #[serde(skip)]
    pub terms: Terms,
}

/// A collection in reach.
#[derive(Debug, Clone)]
pub(crate) struct InReach {
    pub(crate) name: String,
    pub(crate) id: CollectionId,
    pub(crate) path: Option<String>,
}

impl Library {
    /// The collections that a question is about.
    pub(crate) fn reach(&self, members: &[Member], names: &[String], all: bool) -> Result<Vec<InReach>> {
        let records = self.store().collections()?;
        let path_of =
            |id: &CollectionId| records.iter().find(|record| record.id == *id).and_then(|record| record.path.clone());
        let mut reach: Vec<InReach> = Vec::new();
        for member in members {
            let id = member.resolved.id().clone();
            if !reach.iter().any(|known| known.id == id) {
                reach.push(InReach { name: member.name.clone(), path: path_of(&id), id });
            }
        }
        if all || !names.is_empty() {
            for record in &records {
                if !reach.iter().any(|known| known.id == record.id) {
                    reach.push(InReach { name: short(&record.id), id: record.id.clone(), path: record.path.clone() });
                }
            }
        }
        if names.is_empty() {
            return Ok(reach);
        }
        let mut named: Vec<InReach> = Vec::new();
        for name in names {
            // Two names may stand for one collection: both are right.
            let alias = members.iter().find(|member| member.name == *name).map(|member| member.resolved.id());
            let found = reach.iter().find(|known| match alias {
                Some(id) => known.id == *id,
                None => known.name == *name || known.id.as_str() == name,
            });
            let Some(found) = found else {
                let nearest = nearest(name, reach.iter().map(|known| known.name.as_str())).map(str::to_owned);
                return Err(Error::UnknownCollection { name: name.clone(), nearest });
            };
            if !named.iter().any(|known| known.id == found.id) {
                named.push(InReach {
                    name: if alias.is_some() { name.clone() } else { found.name.clone() },
                    ..found.clone()
                });
            }
        }
        Ok(named)
    }

    /// The id that a name stands for: a name of the configuration, or an id, or its beginning as listings show it.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCollection`] if it stands for nothing.
    pub fn resolve_name(&self, members: &[Member], name: &str) -> Result<CollectionId> {
        let mut found = self.reach(members, &[name.to_owned()], true)?;
        let unknown = || Error::UnknownCollection { name: name.to_owned(), nearest: None };
        found.pop().map(|collection| collection.id).ok_or_else(unknown)
    }

    /// Answers a question.
    ///
    /// # Errors
    ///
    /// If the query can't be read, a collection is not known, or an index can't be opened.
    pub fn find(&mut self, members: &[Member], find: &Find) -> Result<Answer> {
        let query = parsed(&find.query)?;
        let names: Vec<String> = find.collections.iter().chain(&query.collections).cloned().collect();
        let mut warnings = Vec::new();
        let mut reach = Vec::new();
        for collection in self.reach(members, &names, find.all || members.is_empty())? {
            if self.store().collection(&collection.id)?.is_some() {
                reach.push(collection);
            } else if names.is_empty() {
                warnings.push(format!("the collection `{}` has not been synced yet and was left out", collection.name));
            } else {
                return Err(Error::NotSynced(collection.name));
            }
        }
        match self.answer(find, &query, &reach) {
            Err(Error::Search(ai_assist_search::Error::Index(error))) if error.rebuild_helps() => {
                // Damage that opening does not see. The database has everything, so the answer is only late.
                self.rebuild_damaged(&reach)?;
                self.answer(find, &query, &reach)
            }
            answer => answer,
        }
        .map(|answer| Answer { warnings, ..answer })
    }

    fn rebuild_damaged(&mut self, reach: &[InReach]) -> Result<()> {
        for collection in reach {
            if self.reader(&collection.id)?.verify(self.embedder()).is_err() {
                let _lock = self.lock_sync(&collection.id, || Ok(()))?;
                self.rebuild(&collection.id)?;
            }
        }
        Ok(())
    }

    fn answer(&mut self, find: &Find, query: &Query, reach: &[InReach]) -> Result<Answer> {
        let mut readers = Vec::with_capacity(reach.len());
        for collection in reach {
            readers.push(self.reader(&collection.id)?);
        }
        let question = question(find, reach, &readers);
        let offset = find.cursor.as_ref().map_or(Ok(0), |cursor| cursor.offset_in(&question))?;
        let mut request = Request::new(query);
        request.mode = find.mode;
        request.fusion = find.fusion;
        request.weights = Weights::default();
        request.offset = offset;
        request.limit = find.limit;
        request.explain = find.explain;
        let readers: Vec<&Reader> = readers.iter().collect();
        let ranking = search(&readers, &request, self.embedder())?;
        let mut hits: Vec<Found> = Vec::with_capacity(ranking.hits.len());
        for hit in ranking.hits {
            let collection = &reach[hit.index];
            hits.push(found(hit, collection));
        }
        let tokens = find.max_tokens.map(|budget| cut_to(&mut hits, budget));
        let next = offset + hits.len();
        let cursor = (next < ranking.found && !hits.is_empty()).then(|| Cursor::new(next, &question).to_string());
        Ok(Answer {
            hits,
            found: ranking.found,
            considered: ranking.considered,
            collections: reach.iter().map(|collection| collection.name.clone()).collect(),
            tokens,
            cursor,
            warnings: Vec::new(),
            terms: query.terms.clone(),
        })
    }
}

/// Reads a query about collections, which are not in repositories.
fn parsed(text: &str) -> Result<Query> {
    let query: Query = text.parse().map_err(ai_assist_search::Error::from)?;
    match query.repos.first() {
        Some(value) => {
            let why = "it is for repositories; search those with `ai-assist search`".to_owned();
            Err(ai_assist_search::Error::from(QueryError::BadFilter { filter: "repo", value: value.clone(), why })
                .into())
        }
        None => Ok(query),
    }
}

/// An id without a name, short enough to read.
pub(crate) fn short(id: &CollectionId) -> String {
    let text = id.as_str();
    match text.strip_prefix("file:") {
        Some(hash) => format!("file:{}", &hash[..hash.len().min(12)]),
        None => text.to_owned(),
    }
}

/// Everything that decides the order of the hits.
fn question(find: &Find, reach: &[InReach], readers: &[Reader]) -> String {
    let mut question = format!("{}\n{:?}\n{:?}\n", find.query, find.mode, find.fusion);
    for (collection, reader) in reach.iter().zip(readers) {
        question.push_str(&format!("{}@{}\n", collection.id, reader.commit().seq));
    }
    question
}

fn found(hit: Hit, collection: &InReach) -> Found {
    let Hit { score, words, cosine, chunk, explanation, .. } = hit;
    let file = file_of(collection.path.as_deref(), &chunk.document);
    Found {
        collection: collection.name.clone(),
        collection_id: collection.id.clone(),
        freshness: freshness(collection.path.as_deref(), &chunk.document, chunk.hash),
        file: file.map(|file| file.display().to_string()),
        document: chunk.document,
        lines: chunk.lines,
        path: chunk.path,
        title: chunk.title,
        kind: chunk.kind,
        language: chunk.language,
        hash: chunk.hash,
        score,
        words,
        cosine,
        text: chunk.text,
        cut: false,
        explanation,
    }
}

/// The file of a document in a collection of type `file`.
pub(crate) fn file_of(root: Option<&str>, document: &str) -> Option<PathBuf> {
    let root: CanonicalPath = root?.parse().ok()?;
    Some(root.to_path_buf().join(DocPath::parse(document).ok()?.to_path_buf()))
}

/// Whether a document of a collection of type `file` is still what was indexed.
pub(crate) fn freshness(root: Option<&str>, document: &str, hash: Sha256) -> Freshness {
    let place = || Some((root?.parse::<CanonicalPath>().ok()?, DocPath::parse(document).ok()?));
    place().map_or(Freshness::Unknown, |(root, path)| Freshness::of(&root.to_path_buf(), &path, hash))
}

/// Leaves out what does not fit, cuts the first hit if it alone is too long, and gives the tokens that are left.
fn cut_to(hits: &mut Vec<Found>, budget: usize) -> usize {
    let fitted = fit(hits.iter().map(|hit| hit.text.as_str()), budget);
    hits.truncate(fitted.taken);
    if let (Some(kept), Some(last)) = (fitted.cut, hits.last_mut()) {
        cut(&mut last.text, &mut last.lines, kept);
        last.cut = true;
    }
    fitted.tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_searched_elsewhere() {
        assert_eq!(parsed("retry collection:api").unwrap().collections, ["api"]);
        let error = parsed("retry repo:web").unwrap_err();
        let expected = "`repo:web` is not a filter: it is for repositories; search those with `ai-assist search`";
        assert_eq!(error.to_string(), expected);
    }
}
