//! `find_related`: what belongs to a document, by imports and by meaning.

use ai_assist_app::Document;
use ai_assist_collections::Find;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::map::neighbours;
use ai_assist_repo::repo_index::RepoIndex;
use ai_assist_search::{Hit, MAX_QUERY_BYTES, Origin, Query, Question, RankBy};
use ai_assist_text::LineMap;
use ai_assist_workspace::federate::{Target, search_repos};

use super::address;
use super::common::*;
use super::read::locate;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RelatedArgs {
    /// The document as another answer gave it, or a path in the repository.
    #[schemars(length(min = 1, max = 4096))]
    document: String,
    /// Only what is related to these lines of it: `10-40`.
    lines: Option<String>,
    /// How many documents at most (default 10).
    #[schemars(range(min = 1, max = 50))]
    limit: Option<usize>,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Related {
    document: String,
    /// How it is related: `imports`, `imported_by` or `meaning`.
    why: &'static str,
    /// The lines that are nearest in meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    /// Headings or symbols around them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    within: Vec<String>,
    /// How near in meaning, at most 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f32>,
    /// Whether the file is still what was indexed.
    #[serde(skip_serializing_if = "Option::is_none")]
    freshness: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RelatedAnswer {
    /// The document that was asked about.
    document: String,
    /// Imports first, then by meaning, nearest first.
    related: Vec<Related>,
}

impl Answer for RelatedAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        drop_last(&mut self.related, share) > 0
    }
}

impl Tool for RelatedArgs {
    const NAME: &'static str = "find_related";
    const DESCRIPTION: &'static str = "What belongs to a document or file: files that it imports or that import it, and passages elsewhere that are near in meaning.";
    type Answer = RelatedAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<RelatedAnswer>, Failure> {
        let found = locate(call, &args.document, None)?.document;
        let query = likeness(&found, args.lines.as_deref())?;
        let limit = args.limit.unwrap_or(10);
        let mut related = if found.repo.is_some() {
            in_repo(call, &found, &query, limit)?
        } else {
            in_collections(call, &found, &query, limit)?
        };
        related.truncate(limit);
        let message = related.is_empty().then_some("nothing that is indexed is related to it");
        Ok(Success::noted(RelatedAnswer { document: found.document, related }, message))
    }
}

/// The words of a text, as a query that has no filters.
fn likeness(found: &Document, lines: Option<&str>) -> Result<String, Failure> {
    let map = LineMap::new(&found.text);
    let text = match lines {
        None => found.text.as_str(),
        Some(lines) => {
            let wrong = || {
                Failure::argument("lines", "a range such as `10-40`", format!("`{lines}` is no range of lines of it"))
            };
            let range = lines.parse().map_err(|_| wrong())?;
            let bytes = map.bytes_of(range).ok_or_else(wrong)?;
            &found.text[bytes]
        }
    };
    let mut query = String::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
        if query.len() + word.len() + 1 > MAX_QUERY_BYTES.min(4_000) {
            break;
        }
        query.push_str(word);
        query.push(' ');
    }
    match query.is_empty() {
        true => {
            Err(Failure::new(ErrorType::NotFound, "the document has no words to compare", "Name another document."))
        }
        false => Ok(query),
    }
}

fn in_repo(call: &Call<'_>, found: &Document, query: &str, limit: usize) -> Result<Vec<Related>, Failure> {
    let repo = call.project.repo()?;
    call.project.take_in_changes(&repo, call.cancel)?;
    let mut related = Vec::new();
    let plain = |document: String, why| {
        let (lines, within, similarity, freshness) = (None, Vec::new(), None, None);
        Related { document, why, lines, within, similarity, freshness }
    };
    let neighbours = neighbours(&RepoIndex::open(&repo.local.cache, Mode::Code)?, &found.document)?.unwrap_or_default();
    // Half of the room at most, so that something is left for what is near in meaning.
    let half = limit.div_ceil(2);
    related.extend(neighbours.imports.into_iter().take(half).map(|path| plain(path, "imports")));
    let left = half.saturating_sub(related.len()).max(half / 2);
    let known: Vec<String> = related.iter().map(|it: &Related| it.document.clone()).collect();
    let importers = neighbours.imported_by.into_iter().filter(|path| !known.contains(path));
    related.extend(importers.take(left).map(|path| plain(path, "imported_by")));
    let question = near_in_meaning(query, limit)?;
    let target = Target::of_repo(&repo.local.root, &repo.local.id, &repo.local.cache);
    let (answer, _) = search_repos(&[target], &[Mode::Code, Mode::Prose], &question, call.cancel)?;
    for mut hit in answer.hits {
        if is_new(&related, found, &hit.document) {
            hit.locate(Some(&repo.local.root));
            related.push(near(hit.document.clone(), hit));
        }
    }
    Ok(related)
}

/// The question for passages that mean the same. Several hits may be of one file.
fn near_in_meaning(query: &str, limit: usize) -> Result<Question, Failure> {
    let query: Query = query.parse().map_err(|error: ai_assist_search::QueryError| {
        Failure::new(ErrorType::ReadError, error.to_string(), "Name fewer lines.")
    })?;
    Ok(Question { rank_by: RankBy::Meaning, limit: limit * 4 + 10, ..Question::new(query) })
}

fn in_collections(call: &Call<'_>, found: &Document, query: &str, limit: usize) -> Result<Vec<Related>, Failure> {
    let members = call.project.members()?;
    let find = Find::new(near_in_meaning(query, limit)?);
    let answer = call.project.library()?.find(&members, &find)?;
    let mut related: Vec<Related> = Vec::new();
    for hit in answer.hits {
        let Origin::Collection { collection, category, .. } = &hit.origin else { continue };
        let document = address(&members, collection, category.as_deref(), &hit.document);
        if is_new(&related, found, &document) {
            related.push(near(document, hit));
        }
    }
    Ok(related)
}

fn is_new(related: &[Related], found: &Document, document: &str) -> bool {
    document != found.document && related.iter().all(|it| it.document != document)
}

/// What is near in meaning, under the name that tools take.
fn near(document: String, hit: Hit) -> Related {
    Related {
        document,
        why: "meaning",
        lines: Some(hit.lines.to_string()),
        within: hit.path,
        similarity: Some(hit.cosine),
        freshness: Some(word(&hit.freshness)),
    }
}
