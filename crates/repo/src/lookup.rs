//! Looking up definitions by name in several repositories. Nothing is ranked by score here: names are ordered by how well they
//! match.

use std::collections::HashSet;

use ai_assist_chunk::ChunkKind;
use ai_assist_index::PathGlobs;
use ai_assist_text::Language;
use serde::{Deserialize, Serialize};

use crate::build::{BuildError, Result};
use crate::layout::{Mode, RepoCache};
use crate::repo_index::{NameMatch, RepoIndex, Symbol, SymbolQuery};

#[derive(Debug, Clone, Copy)]
pub struct Place<'p> {
    pub name: &'p str,
    pub cache: &'p RepoCache,
}

/// Which definitions are wanted. Empty lists ask nothing.
#[derive(Debug, Clone, Default)]
pub struct SymbolLookup {
    /// Their name, or a part of it, whatever the case.
    pub name: String,
    pub kinds: Vec<ChunkKind>,
    pub languages: Vec<Language>,
    pub paths: Option<PathGlobs>,
    pub limit: usize,
}

/// What something was found in, by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FoundIn {
    Repo(String),
    Collection(String),
}

/// A definition and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundSymbol {
    #[serde(flatten)]
    pub found_in: FoundIn,
    #[serde(flatten)]
    pub symbol: Symbol,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundSymbols {
    /// The best match first.
    pub symbols: Vec<FoundSymbol>,
    pub more: bool,
    /// What could not be looked into, and why.
    pub warnings: Vec<String>,
}

/// The sources that could not be looked into. One that is damaged does not keep the others from answering.
#[derive(Debug, Default)]
pub struct SkippedSources(Vec<(String, BuildError)>);

impl SkippedSources {
    /// What was found in a source, unless that failed, which is noted. Only a caller who has had enough ends everything.
    pub fn unless<T>(&mut self, name: &str, looked: Result<T>) -> Result<Option<T>> {
        match looked {
            Ok(found) => Ok(Some(found)),
            Err(BuildError::Cancelled) => Err(BuildError::Cancelled),
            Err(error) => {
                self.0.push((name.to_owned(), error));
                Ok(None)
            }
        }
    }

    /// What to say of them; an error if nothing is left of so many sources.
    pub fn warnings(mut self, sources: usize) -> Result<Vec<String>> {
        if self.0.len() == sources && sources > 0 {
            return Err(self.0.swap_remove(0).1);
        }
        let warning = |(name, error): &(String, BuildError)| {
            format!("`{name}` was not searched: {}", ai_assist_base::chain(error))
        };
        Ok(self.0.iter().map(warning).collect())
    }
}

/// Finds definitions: those of that very name first, then the same but for case, then names that begin so, then the others;
/// what other files can use before what they can't, a type before its `impl`s, shorter names first.
pub fn symbols(places: &[Place<'_>], lookup: &SymbolLookup) -> Result<FoundSymbols> {
    let (parent, name) = qualified(&lookup.name);
    if let Some(parent) = parent {
        // Who shares the name is sorted out here, so all of them are looked at.
        let plain = SymbolLookup { name: name.to_owned(), limit: usize::MAX, ..lookup.clone() };
        let FoundSymbols { mut symbols, warnings, .. } = symbols(places, &plain)?;
        symbols.retain(|found| found.symbol.name == name && lies_in(&found.symbol, parent));
        let more = symbols.len() > lookup.limit;
        symbols.truncate(lookup.limit);
        return Ok(FoundSymbols { symbols, more, warnings });
    }
    let mut found = Vec::new();
    let mut skipped = SkippedSources::default();
    for place in places {
        let looked = RepoIndex::open(place.cache, Mode::Code).and_then(|index| of_index(&index, lookup));
        let found_in = FoundIn::Repo(place.name.to_owned());
        let here = |symbol| FoundSymbol { found_in: found_in.clone(), symbol };
        found.extend(skipped.unless(place.name, looked)?.into_iter().flatten().map(here));
    }
    let warnings = skipped.warnings(places.len())?;
    found.sort_by_cached_key(|it| closeness(&it.symbol, &lookup.name));
    let more = found.len() > lookup.limit;
    found.truncate(lookup.limit);
    Ok(FoundSymbols { symbols: found, more, warnings })
}

/// A name as code and people write it, `Type::name`, `Type.name`, `Type#name` or `Type > name`: what it lies in, and the name.
fn qualified(text: &str) -> (Option<&str>, &str) {
    let split = ["::", " > ", "#", "."].iter().filter_map(|separator| text.rsplit_once(separator)).next();
    match split {
        Some((parent, name)) if !parent.trim().is_empty() && !name.trim().is_empty() => {
            let last = parent.rsplit([':', '>', '#', '.']).next().unwrap_or(parent);
            (Some(last.trim()), name.trim())
        }
        _ => (None, text),
    }
}

/// Whether a definition lies in something of a name: a type, or a module by the name of its file.
fn lies_in(symbol: &Symbol, parent: &str) -> bool {
    let within = symbol.parent.as_deref().unwrap_or_default();
    let is_parent = within.split('.').any(|name| name.split(['<', ' ']).any(|word| word == parent));
    let file = symbol.path.rsplit('/').next().unwrap_or_default();
    is_parent || file.split('.').next() == Some(parent) || symbol.path.split('/').any(|folder| folder == parent)
}

/// How a definition compares with others of the same name: the least is the best.
fn closeness(found: &Symbol, asked: &str) -> (usize, bool, bool, usize) {
    let name = found.name.as_str();
    let (lower_name, lower_asked) = (name.to_lowercase(), asked.to_lowercase());
    let class = match () {
        () if name == asked => 0,
        () if lower_name == lower_asked => 1,
        () if lower_name.starts_with(&lower_asked) => 2,
        () => 3,
    };
    (class, found.kind == ChunkKind::Impl, !says_public(found), name.len())
}

/// Whether a definition says that others may use it, in languages where it has to say so.
fn says_public(symbol: &Symbol) -> bool {
    let signature = symbol.signature.as_deref().unwrap_or_default();
    match symbol.language.name() {
        "rust" | "java" | "csharp" | "php" | "javascript" | "typescript" | "tsx" | "jsx" => signature
            .split(|c: char| !c.is_alphanumeric())
            .take(3)
            .any(|word| matches!(word, "pub" | "public" | "export")),
        _ => true,
    }
}

/// The definitions of one index: of that name; then those that begin so; then those that have it in them, until there are
/// enough.
fn of_index(index: &RepoIndex, lookup: &SymbolLookup) -> Result<Vec<Symbol>> {
    let kinds: Vec<Option<ChunkKind>> =
        if lookup.kinds.is_empty() { vec![None] } else { lookup.kinds.iter().copied().map(Some).collect() };
    let name = || lookup.name.clone();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for matched in [NameMatch::Exact(name()), NameMatch::Prefix(name()), NameMatch::Contains(name())] {
        for &kind in &kinds {
            // The order of the database is not quite ours, so it gives some more to choose from; and it knows no languages.
            let enough = lookup.limit.saturating_mul(8).saturating_add(1000);
            let limit = if lookup.languages.is_empty() { enough } else { usize::MAX };
            let query = SymbolQuery { name: matched.clone(), kind, paths: lookup.paths.clone(), limit };
            for symbol in index.db.symbols(&query)? {
                let wanted = lookup.languages.is_empty() || lookup.languages.contains(&symbol.language);
                if wanted && seen.insert((symbol.path.clone(), symbol.lines, symbol.name.clone())) {
                    found.push(symbol);
                }
            }
        }
        // One more, to tell that there are more.
        if found.len() > lookup.limit {
            break;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_say_what_they_lie_in() {
        for (text, parent, name) in [
            ("named", None, "named"),
            ("Members::named", Some("Members"), "named"),
            ("crate::Members::named", Some("Members"), "named"),
            ("Members.named", Some("Members"), "named"),
            ("Members#named", Some("Members"), "named"),
            ("Members > named", Some("Members"), "named"),
            ("::named", None, "::named"),
            ("Members::", None, "Members::"),
        ] {
            assert_eq!(qualified(text), (parent, name), "{text}");
        }
    }
}
