//! What a question needs, gathered within a budget: the best passages, the definitions that they use, the outlines of their files.

use std::collections::{BTreeMap, BTreeSet};

use ai_assist_base::Cancel;
use ai_assist_chunk::OutlineEntry;
use ai_assist_collections::DocumentRef;
use ai_assist_repo::lookup::{FoundIn, FoundSymbol, SymbolLookup};
use ai_assist_search::{Hit, Origin, cut};
use ai_assist_text::{LanguageKind, LineRange, count_tokens, floor_boundary};

use crate::lookup::Within;
use crate::{Document, Project, Reach, Repo, Result, Search};

/// No passage has more tokens, so that one long function does not take the place of five short ones.
const LONGEST: usize = 700;
/// What a heading costs, about.
const HEADING: usize = 24;
/// So many definitions are looked up at most.
const LOOKED_UP: usize = 24;
/// No outline has more entries.
const ENTRIES: usize = 40;

#[derive(Debug, Default)]
pub struct Context {
    /// The best first. Each has its own lines: what lies in another is left out.
    pub passages: Vec<Hit>,
    /// What the passages use and don't have in them.
    pub used: Vec<FoundSymbol>,
    pub outlines: Vec<FileOutline>,
    /// How many passages there would have been.
    pub found: usize,
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct FileOutline {
    /// The first of the passages that are from it.
    pub passage: usize,
    pub entries: Vec<OutlineEntry>,
}

impl Project {
    /// Gathers what a question needs in about so many tokens. Whoever renders it has to count them.
    pub fn context(&self, search: &Search, max_tokens: usize, cancel: &Cancel) -> Result<Context> {
        let answer = self.search(search, cancel)?;
        let warnings = answer.warnings.iter().map(|warning| warning.message.clone()).collect();
        let mut context = Context { found: answer.found, warnings, ..Context::default() };
        let mut hits = answer.hits.into_iter();
        // Most of the room is for passages; what is left of the rest in the end is for more of them.
        let mut used = take_passages(&mut context, &mut hits, max_tokens * 7 / 10);
        let room = |used: usize, share: usize| (max_tokens * share / 100).min(max_tokens.saturating_sub(used));
        used += self.take_definitions(&mut context, room(used, 15), cancel)?;
        used += self.take_outlines(&mut context, room(used, 15), search.asker);
        take_passages(&mut context, &mut hits, max_tokens.saturating_sub(used));
        Ok(context)
    }

    /// The definitions in the project's repository of what the code of the passages names most.
    fn take_definitions(&self, context: &mut Context, room: usize, cancel: &Cancel) -> Result<usize> {
        let Ok(own) = self.repo() else { return Ok(0) };
        let names = names(&context.passages);
        let asked: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        // Without an index of code nothing is defined.
        let Ok(defined) = self.definitions(&own.local, &asked) else { return Ok(0) };
        let (mut used, mut looked_up) = (0, 0);
        for name in &names {
            // What many things are called says little about which is meant.
            let Some([(path, lines)]) = defined.get(name).map(Vec::as_slice) else { continue };
            if is_within(&context.passages, &own, path, *lines) {
                continue;
            }
            looked_up += 1;
            if looked_up > LOOKED_UP {
                break;
            }
            let lookup = SymbolLookup { name: name.clone(), limit: 5, ..SymbolLookup::default() };
            let within = Within { folders: vec![own.local.root.to_path_buf()], ..Within::default() };
            let found = self.symbols(&within, &lookup, cancel)?;
            let is_it = |found: &FoundSymbol| found.symbol.name == *name && found.symbol.path == *path;
            let Some(symbol) = found.symbols.into_iter().find(is_it) else { continue };
            let tokens = count_tokens(symbol.symbol.signature.as_deref().unwrap_or(name)) + HEADING;
            if used + tokens > room {
                break;
            }
            used += tokens;
            context.used.push(symbol);
        }
        Ok(used)
    }

    /// The outlines of the files that the passages are from.
    fn take_outlines(&self, context: &mut Context, room: usize, asker: Reach) -> usize {
        let mut used = 0;
        let mut seen = BTreeSet::new();
        for (passage, hit) in context.passages.iter().enumerate() {
            if !seen.insert((hit.origin.name().to_owned(), hit.document.clone())) {
                continue;
            }
            let Some(document) = self.document_of(hit, asker) else { continue };
            let mut entries = document.outline();
            entries.retain(|entry| entry.depth < 2);
            entries.truncate(ENTRIES);
            let cost = |entry: &OutlineEntry| count_tokens(entry.signature.as_ref().unwrap_or(&entry.name)) + 6;
            let tokens: usize = HEADING + entries.iter().map(cost).sum::<usize>();
            if entries.len() < 2 || used + tokens > room {
                continue;
            }
            used += tokens;
            context.outlines.push(FileOutline { passage, entries });
        }
        used
    }

    /// The document that a hit is from; none where it can't be read.
    fn document_of(&self, hit: &Hit, asker: Reach) -> Option<Document> {
        match &hit.origin {
            Origin::Repo { repo, .. } => self.repo_file(&hit.document, Some(repo), asker).ok(),
            Origin::Collection { collection, .. } => {
                let reference = DocumentRef { name: format!("{collection}/{}", hit.document), lines: None };
                self.collection_document(&reference, &[], false).ok().map(Document::from)
            }
            Origin::Session { .. } => None,
        }
    }
}

/// Takes passages, the best first, as long as there is room. What they cost.
fn take_passages(context: &mut Context, hits: &mut impl Iterator<Item = Hit>, room: usize) -> usize {
    let mut used = 0;
    for mut hit in hits {
        if context.passages.iter().any(|known| overlap(known, &hit)) {
            continue;
        }
        shorten(&mut hit, LONGEST);
        let tokens = count_tokens(&hit.text) + HEADING;
        if used + tokens > room && !context.passages.is_empty() {
            break;
        }
        used += tokens;
        context.passages.push(hit);
    }
    used
}

fn shorten(hit: &mut Hit, most: usize) {
    let tokens = count_tokens(&hit.text);
    if tokens > most {
        let keep = floor_boundary(&hit.text, hit.text.len() * most / tokens);
        cut(&mut hit.text, &mut hit.lines, keep);
        hit.cut = true;
    }
}

fn overlap(a: &Hit, b: &Hit) -> bool {
    a.document == b.document
        && a.origin.name() == b.origin.name()
        && a.lines.start <= b.lines.end
        && b.lines.start <= a.lines.end
}

/// Whether a definition stands in one of the passages.
fn is_within(passages: &[Hit], own: &Repo, path: &str, lines: LineRange) -> bool {
    passages.iter().any(|hit| {
        let here = FoundIn::Repo(own.name.clone());
        matches!(&hit.origin, Origin::Repo { repo, .. } if FoundIn::Repo(repo.clone()) == here)
            && hit.document == path
            && hit.lines.start <= lines.start
            && lines.start <= hit.lines.end
    })
}

/// The names that the code of the passages has in it, those first that more and better passages have.
fn names(passages: &[Hit]) -> Vec<String> {
    let mut weights: BTreeMap<&str, f64> = BTreeMap::new();
    for (rank, hit) in passages.iter().enumerate() {
        if hit.language.kind() != LanguageKind::Code {
            continue;
        }
        let words: BTreeSet<&str> = hit.text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        for word in words.into_iter().filter(|word| word.len() > 3 && !word.starts_with(|c: char| c.is_numeric())) {
            *weights.entry(word).or_default() += 1.0 / (rank + 1) as f64;
        }
    }
    let mut names: Vec<(&str, f64)> = weights.into_iter().collect();
    names.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    names.into_iter().map(|(name, _)| name.to_owned()).collect()
}
