//! Which chunks define a name or stand under a heading: the exact question beside the one by words.
//!
//! Each definition is a few terms of one field: its name as it is written, its name in lower case, and its parent's name with
//! its own. The first letter says which of these it is, the second whether people look for it there, as a method of something,
//! or rather elsewhere first (tests, generated and vendored files). A heading is the sequence of its terms, so that `What is a StatefulSet?` and
//! `StatefulSets` are the same.

use ai_assist_chunk::{ChunkKind, Defined};
use ai_assist_text::Role;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED, Term};

use crate::reader::{Position, Reader};
use crate::tokenize::terms_of;
use crate::{Error, Result};

/// Longer names are not names, and longer headings are sentences.
const LONGEST: usize = 200;

/// What a definition in a test or in generated or vendored code counts: so little that none stands before one in source.
const ASIDE: f32 = 0.3;
/// What a definition counts whose name is only written alike.
const ALIKE: f32 = 0.5;
/// What a method counts beside a function or a type of the same name, which need no other name before theirs.
const METHOD: f32 = 0.8;
/// What a definition counts if the name was given with another parent.
const ELSEWHERE: f32 = 0.6;

/// Names and a heading that a query is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameQuery {
    pub names: Vec<Name>,
    /// The terms of the whole query, if it could be a heading.
    pub heading: Option<String>,
}

/// An identifier, perhaps with what it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub name: String,
    pub parent: Option<String>,
}

impl NameQuery {
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.heading.is_none()
    }
}

/// The form in which headings are compared; none for one without words.
pub fn heading_key(text: &str) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    let mut terms: Vec<(String, usize)> = Vec::new();
    for (term, position) in terms_of(text) {
        // A compound's whole, which is not stemmed, shares the position of its first part; the parts alone say the same.
        match terms.last_mut() {
            Some(last) if last.1 == position => last.0 = term,
            _ => terms.push((term, position)),
        }
    }
    let terms: Vec<String> = terms.into_iter().map(|(term, _)| term).collect();
    (!terms.is_empty()).then(|| terms.join(" "))
}

fn is_definition(kind: ChunkKind) -> bool {
    use ChunkKind::{Class, Constant, Enum, Function, Interface, Macro, Method, Module, Struct, Trait, Type};
    [Function, Method, Class, Struct, Enum, Interface, Trait, Module, Type, Constant, Macro].contains(&kind)
}

/// The terms of what a chunk introduces. `title` is the document's, for the chunk that opens it.
pub(crate) fn terms(defines: &[Defined], title: Option<&str>, path: &str, role: Role) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    let stem = path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default().to_lowercase();
    for Defined { name, parent, kind } in defines.iter().filter(|defined| defined.name.len() <= LONGEST) {
        let in_test = matches!(parent.as_deref(), Some("test" | "tests"));
        let aside = !role.is_own() || in_test || *kind == ChunkKind::Module;
        let side = match kind {
            _ if aside => 'o',
            ChunkKind::Method => 'm',
            _ => 's',
        };
        if is_definition(*kind) {
            let lower = name.to_lowercase();
            terms.push(format!("e{side}{name}"));
            terms.push(format!("f{side}{lower}"));
            terms.extend(parent.iter().map(|parent| format!("q{side}{}::{lower}", parent.to_lowercase())));
            if !stem.is_empty() {
                terms.push(format!("q{side}{stem}::{lower}"));
            }
        } else if *kind == ChunkKind::Section {
            terms.extend(heading_key(name).map(|key| format!("h{side}{key}")));
        }
    }
    terms.extend(title.and_then(heading_key).map(|key| format!("h{}{key}", if role.is_own() { 's' } else { 'o' })));
    terms.sort_unstable();
    terms.dedup();
    terms
}

impl Reader {
    /// How well each chunk answers the names of a query, from 0 (left out) to 1, by position. A heading of terms that the
    /// index does not have, by what the caller knows of it, is not looked up.
    pub fn named(&self, query: &NameQuery, may_have: impl Fn(&str) -> bool) -> Result<Vec<(Position, f32)>> {
        let mut found: Vec<(Position, f32)> = Vec::new();
        for Name { name, parent } in &query.names {
            let lower = name.to_lowercase();
            let mut of_name: Vec<(Position, f32)> = Vec::new();
            let method = if parent.is_some() { 1.0 } else { METHOD };
            for (side, counts) in [('s', 1.0), ('m', method), ('o', ASIDE)] {
                self.with_term(&format!("e{side}{name}"), counts, &mut of_name)?;
                self.with_term(&format!("f{side}{lower}"), counts * ALIKE, &mut of_name)?;
            }
            best_of_each(&mut of_name);
            if let Some(parent) = parent {
                let mut right: Vec<(Position, f32)> = Vec::new();
                for side in ['s', 'm', 'o'] {
                    self.with_term(&format!("q{side}{}::{lower}", parent.to_lowercase()), 1.0, &mut right)?;
                }
                best_of_each(&mut right);
                for (position, value) in &mut of_name {
                    if right.binary_search_by_key(position, |(at, _)| *at).is_err() {
                        *value *= ELSEWHERE;
                    }
                }
            }
            found.append(&mut of_name);
        }
        if let Some(key) = query.heading.as_ref().filter(|key| key.split(' ').all(may_have)) {
            self.with_term(&format!("hs{key}"), 1.0, &mut found)?;
            self.with_term(&format!("ho{key}"), ASIDE, &mut found)?;
        }
        best_of_each(&mut found);
        Ok(found)
    }

    /// Adds the living chunks that have a term of the field of names.
    fn with_term(&self, term: &str, value: f32, found: &mut Vec<(Position, f32)>) -> Result<()> {
        let engine = || Error::engine(&self.folder);
        let term = Term::from_field_text(self.fields.names, term);
        for segment in &self.segments {
            let inverted = segment.reader.inverted_index(self.fields.names).map_err(engine())?;
            let postings = inverted.read_postings(&term, IndexRecordOption::Basic);
            let Some(mut postings) = postings.map_err(|error| engine()(error.into()))? else { continue };
            while postings.doc() != TERMINATED {
                let position = segment.base + postings.doc() as usize;
                if self.live.contains(position) {
                    found.push((position, value));
                }
                postings.advance();
            }
        }
        Ok(())
    }
}

/// Sorts by position and leaves the best value of each.
fn best_of_each(found: &mut Vec<(Position, f32)>) {
    found.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    found.dedup_by_key(|(position, _)| *position);
}
