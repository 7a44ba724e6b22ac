//! What a question needs, gathered within a budget: the best passages, the definitions that they use, the outlines of their files.

use std::collections::{BTreeMap, BTreeSet};

use ai_assist_base::Cancel;
use ai_assist_chunk::OutlineEntry;
use ai_assist_collections::DocumentRef;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::lookup::{FoundIn, FoundSymbol};
use ai_assist_repo::repo_index::{RepoIndex, Symbol, SymbolDb};
use ai_assist_search::{Hit, Origin, cut};
use ai_assist_text::{LanguageKind, LineRange, count_tokens, count_tokens_up_to, floor_boundary};

use crate::{Document, Project, Reach, Result, Search};

/// So many passages are worth looking at; more never fit.
pub const LOOKED_AT: usize = 50;
/// No passage has more tokens, so that one long function does not take the place of five short ones.
const LONGEST: usize = 700;
/// Of a comment that would take the place of what it is about, so much is shown.
const LONGEST_COMMENT: usize = 200;
/// A definition that passages use is shown whole up to this many tokens, else by its signature.
const SHORT: usize = 400;
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
    pub used: Vec<Used>,
    pub outlines: Vec<FileOutline>,
    /// How many passages there would have been.
    pub found: usize,
    pub warnings: Vec<String>,
}

/// A definition that passages use.
#[derive(Debug, Clone)]
pub struct Used {
    pub found: FoundSymbol,
    /// All of it, if it is short.
    pub text: Option<String>,
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
        let mut hits = answer.hits;
        // Most of the room is for passages; what is left of the rest in the end is for more of them.
        let mut used = take_passages(&mut context, &mut hits, max_tokens * 3 / 4, false);
        let room = |used: usize, share: usize| (max_tokens * share / 100).min(max_tokens.saturating_sub(used));
        used += self.take_definitions(&mut context, room(used, 17), search.asker)?;
        used += self.take_outlines(&mut context, room(used, 8), search.asker);
        take_passages(&mut context, &mut hits, max_tokens.saturating_sub(used), true);
        Ok(context)
    }

    /// The definitions of what the code of the passages names most: those of the same file, else the only one of the repository.
    fn take_definitions(&self, context: &mut Context, room: usize, asker: Reach) -> Result<usize> {
        let repos: BTreeSet<String> = context.passages.iter().filter_map(repo_of).map(str::to_owned).collect();
        let mut named: Vec<(f64, String, Symbol)> = Vec::new();
        for name in repos {
            // Without an index of code nothing is defined.
            let Ok(repo) = self.repo_named(Some(&name)) else { continue };
            let Ok(index) = RepoIndex::open(&repo.local.cache, Mode::Code) else { continue };
            let found = named_in(&index.db, &name, &context.passages)?;
            named.extend(found.into_iter().map(|(weight, symbol)| (weight, name.clone(), symbol)));
        }
        let place = |(_, repo, symbol): &(f64, String, Symbol)| (repo.clone(), symbol.path.clone(), symbol.lines);
        named.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| place(a).cmp(&place(b))));
        let mut used = 0;
        named.retain(|(_, repo, symbol)| !is_shown(&context.passages, repo, symbol));
        for (_, repo, symbol) in named.into_iter().take(LOOKED_UP) {
            let text = self.body(&repo, &symbol, asker);
            let signature = count_tokens(symbol.signature.as_deref().unwrap_or(&symbol.name));
            let text = text.filter(|text| used + count_tokens(text) + HEADING <= room);
            let tokens = text.as_deref().map_or(signature, count_tokens) + HEADING;
            if used + tokens > room {
                continue;
            }
            used += tokens;
            context.used.push(Used { found: FoundSymbol { found_in: FoundIn::Repo(repo), symbol }, text });
        }
        Ok(used)
    }

    /// The text of a definition, if it is short and the file is what was indexed.
    fn body(&self, repo: &str, symbol: &Symbol, asker: Reach) -> Option<String> {
        let LineRange { start, end } = symbol.lines;
        let document = self.repo_file(&symbol.path, Some(repo), asker).ok()?;
        let lines = document.text.split_inclusive('\n').skip(start as usize - 1).take((end - start + 1) as usize);
        let text: String = lines.collect();
        (document.hash == symbol.hash && count_tokens_up_to(&text, SHORT).is_some()).then_some(text)
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

/// Takes passages, the best first, and leaves the rest: from the first on that there is no room for, or only those that don't fit. What
/// they cost.
fn take_passages(context: &mut Context, hits: &mut Vec<Hit>, room: usize, fill: bool) -> usize {
    let mut used = 0;
    for hit in std::mem::take(hits) {
        if context.is_known(&hit) {
            continue;
        }
        let tokens = count_tokens(&hit.text).min(LONGEST) + HEADING;
        // The best stands first, whatever it takes.
        let is_late = !fill && !hits.is_empty();
        if (used + tokens > room || is_late) && !context.passages.is_empty() {
            hits.push(hit);
            continue;
        }
        let parts = within_longest(hit);
        used += tokens + HEADING * (parts.len() - 1);
        context.passages.extend(parts);
    }
    used
}

/// What is shown of a passage. Of a definition that is too long because of the comment before it, that is the beginning of the comment
/// and the definition itself, which would be cut off.
fn within_longest(mut hit: Hit) -> Vec<Hit> {
    let height = if hit.language.kind() == LanguageKind::Code { comment_lines(&hit.text) } else { 0 };
    let at = hit.text.split_inclusive('\n').take(height).map(str::len).sum();
    let (comment, code) = hit.text.split_at(at);
    let is_short = |text, most| count_tokens_up_to(text, most).is_some();
    if is_short(&hit.text, LONGEST) || is_short(comment, LONGEST / 2) || code.trim().is_empty() {
        shorten(&mut hit, LONGEST);
        return vec![hit];
    }
    let start = hit.lines.start + u32::try_from(height).unwrap_or_default();
    let lines = LineRange { start, end: hit.lines.end };
    let mut definition = Hit { text: code.to_owned(), lines, ..hit.clone() };
    shorten(&mut definition, LONGEST - LONGEST_COMMENT);
    hit.text.truncate(at);
    hit.lines.end = start - 1;
    shorten(&mut hit, LONGEST_COMMENT);
    vec![hit, definition]
}

/// How many lines of comments and attributes a text begins with, in the languages that mark each line.
fn comment_lines(text: &str) -> usize {
    let is_comment =
        |line: &&str| *line == "#" || ["//", "/*", "*", "# ", "#["].iter().any(|mark| line.starts_with(mark));
    text.lines().map(str::trim).take_while(is_comment).count()
}

impl Context {
    /// Whether lines of a hit are there already.
    fn is_known(&self, hit: &Hit) -> bool {
        let is_used = |used: &Used| {
            let Used { found, text } = used;
            text.is_some()
                && found.found_in == FoundIn::Repo(repo_of(hit).unwrap_or_default().to_owned())
                && found.symbol.path == hit.document
                && found.symbol.lines.start <= hit.lines.start
                && hit.lines.end <= found.symbol.lines.end
        };
        self.passages.iter().any(|known| overlap(known, hit)) || self.used.iter().any(is_used)
    }
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

fn repo_of(hit: &Hit) -> Option<&str> {
    match &hit.origin {
        Origin::Repo { repo, .. } => Some(repo),
        _ => None,
    }
}

/// Whether at least half of a definition stands in the passages.
fn is_shown(passages: &[Hit], repo: &str, symbol: &Symbol) -> bool {
    let LineRange { start, end } = symbol.lines;
    let of_file = passages.iter().filter(|hit| repo_of(hit) == Some(repo) && hit.document == symbol.path);
    // Passages don't overlap.
    let shown = of_file.map(|hit| (hit.lines.end.min(end) + 1).saturating_sub(hit.lines.start.max(start)));
    shown.sum::<u32>() * 2 > end - start
}

/// The definitions of a repository that the code of its passages names, each with its weight: more and better passages give more.
fn named_in(db: &SymbolDb, repo: &str, passages: &[Hit]) -> Result<Vec<(f64, Symbol)>> {
    let mut found: BTreeMap<(String, LineRange), (f64, Symbol)> = BTreeMap::new();
    let mut elsewhere: BTreeMap<&str, f64> = BTreeMap::new();
    let mut files: BTreeMap<&str, Vec<Symbol>> = BTreeMap::new();
    for (rank, hit) in passages.iter().enumerate() {
        if hit.language.kind() != LanguageKind::Code || repo_of(hit) != Some(repo) {
            continue;
        }
        let weight = 1.0 / (rank + 1) as f64;
        if !files.contains_key(&*hit.document) {
            files.insert(&hit.document, db.symbols_of(&hit.document)?);
        }
        let words: BTreeSet<&str> = hit.text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        for word in words.into_iter().filter(|word| word.len() > 3 && !word.starts_with(|c: char| c.is_numeric())) {
            let mut is_here = false;
            for symbol in files[&*hit.document].iter().filter(|symbol| symbol.name == word) {
                is_here = true;
                let place = (symbol.path.clone(), symbol.lines);
                found.entry(place).or_insert_with(|| (0.0, symbol.clone())).0 += weight;
            }
            if !is_here {
                *elsewhere.entry(word).or_default() += weight;
            }
        }
    }
    let asked: BTreeSet<&str> = elsewhere.keys().copied().collect();
    let mut only: Vec<(f64, String, String, LineRange)> = Vec::new();
    for (name, places) in db.definitions(&asked)? {
        // What many things are called says little about which is meant.
        if let [(path, lines)] = places.as_slice() {
            // That it is meant is less sure than in the same file.
            let weight = elsewhere.get(&*name).copied().unwrap_or_default() / 2.0;
            only.push((weight, name, path.clone(), *lines));
        }
    }
    only.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    for (weight, name, path, lines) in only.into_iter().take(LOOKED_UP) {
        let is_it = |symbol: &Symbol| symbol.name == name && symbol.lines == lines;
        if let Some(symbol) = db.symbols_of(&path)?.into_iter().find(is_it) {
            found.entry((path, lines)).or_insert((0.0, symbol)).0 += weight;
        }
    }
    Ok(found.into_values().collect())
}
