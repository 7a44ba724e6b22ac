//! The documents that an expression names, as far as a budget goes.

use std::collections::HashSet;

use ai_assist_admit::Globs;
use ai_assist_identity::DocPath;
use ai_assist_search::{Cursor, cut, fit};
use ai_assist_text::{LineRange, count_tokens, count_tokens_up_to};
use serde::Serialize;

use crate::patterns::split_list;
use crate::reach::InReach;
use crate::read::opened;
use crate::{DocumentHead, DocumentRef, Error, Library, Members, ReadDocument, Result};

/// What is left out is counted in tokens as long as there is less of it than this; counting more would take longer than the answer.
const COUNTED_BYTES: u64 = 16 << 20;

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Content {
    /// The documents that fit, whole; the first is cut if it alone is too long.
    pub documents: Vec<ContentDocument>,
    /// Those that did not fit, in order.
    pub left_out: Vec<LeftOut>,
    /// How many documents the expression names in all.
    pub matched: usize,
    /// How many tokens the texts have together.
    pub tokens: usize,
    /// Gives what was left out, if something was.
    pub cursor: Option<String>,
    /// What is odd, such as a pattern that matches nothing.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContentDocument {
    /// The document; its `lines` are those that fit.
    #[serde(flatten)]
    pub document: ReadDocument,
    pub tokens: usize,
    /// The lines that did not fit, if it was cut.
    pub rest: Option<LineRange>,
}

/// A document that did not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    pub collection: String,
    pub category: Option<String>,
    pub document: String,
    /// How many tokens it has; nothing where there was too much to count.
    pub tokens: Option<usize>,
    /// How many bytes.
    pub bytes: u64,
    pub lines: u64,
}

/// A document that an expression names, and the index it is in.
type Matched = (InReach, DocumentHead);

impl Library {
    /// The documents of an expression: names of collections or categories with commas between them, each alone or with a pattern, as
    /// in `api,guide/**/*.md`. `*` does not cross `/`, `**` does; a pattern without such characters is a document, or else a
    /// folder. Documents come once, in the order of the expression and then by path.
    pub fn content(
        &self,
        members: &Members,
        expression: &str,
        max_tokens: usize,
        cursor: Option<&Cursor>,
    ) -> Result<Content> {
        let mut warnings = Vec::new();
        let matched = self.matched(members, expression, &mut warnings)?;
        let question = question(expression, &matched);
        let offset = cursor.map_or(Ok(0), |cursor| cursor.offset_in(&question))?;
        let wanted = matched.get(offset..).unwrap_or_default();
        let (documents, tokens) = self.fitting(wanted, max_tokens)?;
        let next = offset + documents.len();
        let left_out = self.left_out(matched.get(next..).unwrap_or_default())?;
        let cursor = (!left_out.is_empty()).then(|| Cursor::new(next, &question).to_string());
        Ok(Content { documents, left_out, matched: matched.len(), tokens, cursor, warnings })
    }

    fn matched(&self, members: &Members, expression: &str, warnings: &mut Vec<String>) -> Result<Vec<Matched>> {
        let mut terms: Vec<&str> =
            split_list(expression).into_iter().map(str::trim).filter(|term| !term.is_empty()).collect();
        if terms.len() > 1 && self.is_one_document(members, expression)? {
            terms = vec![expression];
        }
        if terms.is_empty() {
            return Err(Error::EmptyExpression);
        }
        let mut matched: Vec<Matched> = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        for term in terms {
            let found = self.matched_by(members, term, warnings)?;
            if found.is_empty() {
                warnings.push(format!("`{term}` names no document"));
            }
            for (collection, head) in found {
                let key = head.file.clone().unwrap_or_else(|| format!("{}\0{}", collection.id, head.document));
                if seen.insert(key) {
                    matched.push((collection, head));
                }
            }
        }
        Ok(matched)
    }

    /// Whether an expression with a comma is the name of a document that has one.
    fn is_one_document(&self, members: &Members, expression: &str) -> Result<bool> {
        let Some((name, path)) = expression.split_once('/') else { return Ok(false) };
        if members.collection(name).is_none() && members.category(name).is_none() {
            return Ok(false);
        }
        let reach = self.reach(members, &[name.to_owned()], false)?;
        for collection in self.synced(reach, false, &mut Vec::new())? {
            if self.heads_of(&collection)?.iter().any(|head| head.document == path) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The documents of one term, by path.
    fn matched_by(&self, members: &Members, term: &str, warnings: &mut Vec<String>) -> Result<Vec<Matched>> {
        let (name, pattern) = match term.split_once('/') {
            Some((name, pattern)) => (name, Some(pattern).filter(|pattern| !pattern.is_empty())),
            None => (term, None),
        };
        let reach = self.reach(members, &[name.to_owned()], false)?;
        let mut found: Vec<Matched> = Vec::new();
        for collection in self.synced(reach, true, warnings)? {
            found.extend(self.heads_of(&collection)?.into_iter().map(|head| (collection.clone(), head)));
        }
        if let Some(pattern) = pattern {
            found = chosen(found, pattern)?;
        }
        found.sort_by(|(_, a), (_, b)| a.document.cmp(&b.document));
        Ok(found)
    }

    fn fitting(&self, wanted: &[Matched], max_tokens: usize) -> Result<(Vec<ContentDocument>, usize)> {
        let mut documents: Vec<ContentDocument> = Vec::new();
        let mut spent = 0;
        for (collection, head) in wanted {
            let mut document = self.whole(collection, head)?;
            let (tokens, rest) = match count_tokens_up_to(&document.text, max_tokens - spent) {
                Some(tokens) => (tokens, None),
                None if documents.is_empty() => cut_to(&mut document, max_tokens),
                None => break,
            };
            spent += tokens;
            documents.push(ContentDocument { document, tokens, rest });
            if rest.is_some() {
                break;
            }
        }
        Ok((documents, spent))
    }

    fn whole(&self, collection: &InReach, head: &DocumentHead) -> Result<ReadDocument> {
        let name = format!("{}/{}", head.collection, head.document);
        let document = self.store().document(&collection.id, &DocPath::parse(&head.document)?)?;
        let document = document.ok_or_else(|| Error::UnknownDocument(name.clone()))?;
        opened(collection, document, &DocumentRef { name, lines: None })
    }

    fn left_out(&self, rest: &[Matched]) -> Result<Vec<LeftOut>> {
        let mut counted = 0;
        let mut left_out = Vec::with_capacity(rest.len());
        for (collection, head) in rest {
            counted += head.bytes;
            let mut tokens = None;
            if counted <= COUNTED_BYTES {
                let document = self.store().document(&collection.id, &DocPath::parse(&head.document)?)?;
                tokens = document.map(|document| count_tokens(&document.text));
            }
            left_out.push(LeftOut {
                collection: head.collection.clone(),
                category: head.category.clone(),
                document: head.document.clone(),
                tokens,
                bytes: head.bytes,
                lines: head.lines,
            });
        }
        Ok(left_out)
    }
}

/// What a pattern chooses among documents.
fn chosen(found: Vec<Matched>, pattern: &str) -> Result<Vec<Matched>> {
    let keep = |found: Vec<Matched>, keep: &dyn Fn(&str) -> bool| -> Vec<Matched> {
        found.into_iter().filter(|(_, head)| keep(&head.document)).collect()
    };
    // A name may have the letters of a glob in it.
    if found.iter().any(|(_, head)| head.document == pattern) {
        return Ok(keep(found, &|document| document == pattern));
    }
    if pattern.contains(['*', '?', '[', '{', '\\']) {
        let globs = Globs::new(&[pattern])?;
        return Ok(keep(found, &|path| globs.matches(path)));
    }
    let path = DocPath::parse(pattern)?;
    if found.iter().any(|(_, head)| head.document == path.as_str()) {
        return Ok(keep(found, &|document| document == path.as_str()));
    }
    let below = |document: &str| document.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/'));
    Ok(keep(found, &below))
}

/// Cuts a document that is too long at the end of a line, and gives the tokens that are left and the lines that are not.
fn cut_to(document: &mut ReadDocument, budget: usize) -> (usize, Option<LineRange>) {
    let fitted = fit(std::iter::once(document.text.as_str()), budget);
    let (Some(kept), Some(lines)) = (fitted.cut, document.lines) else { return (fitted.tokens, None) };
    if kept == 0 {
        document.text.clear();
        document.lines = None;
        return (0, Some(lines));
    }
    let mut shown = lines;
    cut(&mut document.text, &mut shown, kept);
    document.lines = Some(shown);
    let start = if document.text.ends_with('\n') { shown.end.saturating_add(1) } else { shown.end };
    (fitted.tokens, Some(LineRange { start, end: lines.end }))
}

/// Everything that decides the order and the texts.
fn question(expression: &str, matched: &[Matched]) -> String {
    let mut question = format!("{expression}\n");
    for (collection, head) in matched {
        question.push_str(&format!("{}/{}@{}\n", collection.id, head.document, head.hash));
    }
    question
}
