//! Searching collections.

use std::collections::HashSet;

use ai_assist_admit::Freshness;
use ai_assist_chunk::ChunkKind;
use ai_assist_identity::{CanonicalPath, CollectionId, DocPath, Sha256};
use ai_assist_index::{Reader, Terms, Weights};
use ai_assist_search::{Cursor, Explanation, Fusion, Hit, Mode, Query, QueryError, Request, cut, fit, search};
use ai_assist_text::{Language, LineRange};
use serde::Serialize;

use crate::library::Library;
use crate::members::Members;
use crate::reach::{InReach, Once};
use crate::{Error, Result};

/// What hits must be, beside what the query says. Empty lists ask nothing.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    /// Globs of paths, any of which must match.
    pub paths: Vec<String>,
    /// Languages, any of which it must be.
    pub languages: Vec<Language>,
    /// Kinds, any of which it must be.
    pub kinds: Vec<ChunkKind>,
}

/// A question.
#[derive(Debug, Clone)]
pub struct Find {
    pub query: String,
    /// What hits must be.
    pub filters: Filters,
    /// Collections and categories to look in, by name or id; none for all in reach.
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
    /// The collection's name; the category's where no collection has it; the id where neither is declared here.
    pub collection: String,
    /// The category that the document comes from, if it does not come from the collection's own source.
    pub category: Option<String>,
    /// The id of the collection's source or of the category.
    pub collection_id: CollectionId,
    /// The document's path in the collection.
    pub document: String,
    /// The file, for collections of type `file`.
    pub file: Option<String>,
    pub lines: LineRange,
    /// The heading or symbol path.
    pub path: Vec<String>,
    /// The document's title.
    pub title: Option<String>,
    pub kind: ChunkKind,
    /// The document's language.
    pub language: Language,
    /// The hash of the source that was indexed.
    pub hash: Sha256,
    /// Whether the source is still the same.
    pub freshness: Freshness,
    pub score: f32,
    pub words: f32,
    pub cosine: f32,
    pub text: String,
    /// Whether the text was cut to fit the budget.
    pub cut: bool,
    /// How the score came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The hits, best first.
    pub hits: Vec<Found>,
    /// How many chunks count as found in all.
    pub found: usize,
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
    /// Everything that decides the order of the hits, for a cursor of one's own.
    #[serde(skip)]
    pub identity: String,
}

impl Library {
    /// Answers a question.
    ///
    /// # Errors
    ///
    /// If the query can't be read, a collection is not known, or an index can't be opened.
    pub fn find(&mut self, members: &Members, find: &Find) -> Result<Answer> {
        let mut query = parsed(&find.query)?;
        let Filters { paths, languages, kinds } = &find.filters;
        query.narrow(paths, languages, kinds).map_err(ai_assist_search::Error::from)?;
        let names: Vec<String> = find.collections.iter().chain(&query.collections).cloned().collect();
        let reach = self.reach(members, &names, find.all || members.is_empty())?;
        let mut warnings = without_members(members, &names);
        let reach = self.synced(reach, !names.is_empty(), &mut warnings)?;
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
                let _lock = self.lock_sync(&collection.id, || true)?;
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
        leave_repeats_out(reach, &mut readers)?;
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
            if let Some(collection) = reach.get(hit.index) {
                hits.push(found(hit, collection));
            }
        }
        let tokens = find.max_tokens.map(|budget| cut_to(&mut hits, budget));
        let next = offset + hits.len();
        let cursor = (next < ranking.found && !hits.is_empty()).then(|| Cursor::new(next, &question).to_string());
        Ok(Answer {
            hits,
            found: ranking.found,
            considered: ranking.considered,
            collections: shown_collections(reach),
            tokens,
            cursor,
            warnings: Vec::new(),
            terms: query.terms.clone(),
            identity: question,
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

/// The collections that are searched, each once.
fn shown_collections(reach: &[InReach]) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    for found in reach {
        if !shown.contains(&found.collection) {
            shown.push(found.collection.clone());
        }
    }
    shown
}

/// Everything that decides the order of the hits.
fn question(find: &Find, reach: &[InReach], readers: &[Reader]) -> String {
    let mut question = format!("{}\n{:?}\n{:?}\n{:?}\n", find.query, find.mode, find.fusion, find.filters);
    for (collection, reader) in reach.iter().zip(readers) {
        question.push_str(&format!("{}@{}\n", collection.id, reader.commit().seq));
    }
    question
}

fn found(hit: Hit, collection: &InReach) -> Found {
    let Hit { score, words, cosine, chunk, explanation, .. } = hit;
    let file = collection.file(&chunk.document);
    Found {
        collection: collection.collection.clone(),
        category: collection.category.clone(),
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
