//! As many definitions as fit, the best first.

use ai_assist_syntax::{CodeGraph, Ranks};
use ai_assist_text::{TOKENIZER, count_tokens, count_tokens_up_to};

use super::read::{SymbolDetail, symbol_details};
use super::render::{one_line, render};
use super::{MapFile, MapRequest, MapSymbol, RepoMap};
use crate::build::Result;
use crate::repo_index::SymbolDb;

/// No line with a definition has fewer tokens: its number, a space, a name.
const FEWEST_TOKENS: usize = 3;

/// A signature that a map holds, in characters.
const LONGEST_SIGNATURE: usize = 120;

pub(super) fn fit(
    db: &SymbolDb,
    graph: &CodeGraph,
    keys: &[u64],
    ranks: &Ranks,
    request: &MapRequest,
) -> Result<RepoMap> {
    let is_wanted = |file: u32| {
        let in_paths = request.paths.as_ref().is_none_or(|paths| paths.matches(graph.path(file)));
        in_paths && (request.languages.is_empty() || request.languages.contains(&graph.language(file)))
    };
    let wanted: Vec<bool> = (0u32..).take(graph.len()).map(is_wanted).collect();
    let definitions = &graph.definitions;
    let numbered = (0u32..).zip(definitions).filter(|(_, definition)| wanted[definition.file as usize]);
    let best: Vec<u32> = numbered.map(|(number, _)| number).collect();
    let mut files: Vec<u32> = best.iter().map(|&number| definitions[number as usize].file).collect();
    files.sort_unstable();
    files.dedup();
    let (in_all, documents) = (best.len(), files.len());
    let most = (request.max_tokens / FEWEST_TOKENS).min(best.len());
    let focused = graph.focused(&request.focus);
    let (mut asked, mut others): (Vec<u32>, Vec<u32>) = best.iter().partition(|&&number| focused[number as usize]);
    keep_best(&mut asked, most, graph, ranks);
    keep_best(&mut others, most, graph, ranks);
    let best = merged(&asked, &others, most);
    let candidates = Candidates::load(db, graph, keys, ranks, &best)?;
    let shown = candidates.fitting(request.max_tokens);
    let files = candidates.files(shown);
    let tokens = count_tokens(&render(&files));
    Ok(RepoMap {
        files,
        tokens,
        definitions: in_all,
        shown,
        documents,
        tokenizer: TOKENIZER.into(),
        unmatched: Vec::new(),
    })
}

/// What was asked for takes two places of three, so that a small budget has some of it and of what it uses.
fn merged(asked: &[u32], others: &[u32], most: usize) -> Vec<u32> {
    let mut others = others.iter();
    let mut best = Vec::with_capacity(most);
    for pair in asked.chunks(2) {
        best.extend(pair);
        best.extend(others.next());
    }
    best.extend(others);
    best.truncate(most);
    best
}

/// Sorts the first `most` to the front, and drops the others.
fn keep_best(best: &mut Vec<u32>, most: usize, graph: &CodeGraph, ranks: &Ranks) {
    let definitions = &graph.definitions;
    let order = |&a: &u32, &b: &u32| {
        let (one, other) = (&definitions[a as usize], &definitions[b as usize]);
        let by_rank = ranks.definitions[b as usize].total_cmp(&ranks.definitions[a as usize]);
        let by_file = || ranks.files[other.file as usize].total_cmp(&ranks.files[one.file as usize]);
        by_rank.then_with(by_file).then_with(|| (one.file, one.number).cmp(&(other.file, other.number)))
    };
    if most == 0 {
        best.clear();
    } else if most < best.len() {
        best.select_nth_unstable_by(most - 1, order);
        best.truncate(most);
    }
    best.sort_unstable_by(order);
}

/// The definitions that may be shown, best first, each with its file.
struct Candidates<'r> {
    graph: &'r CodeGraph,
    ranks: &'r Ranks,
    best: Vec<(u32, MapSymbol)>,
}

impl<'r> Candidates<'r> {
    fn load(db: &SymbolDb, graph: &'r CodeGraph, keys: &[u64], ranks: &'r Ranks, best: &[u32]) -> Result<Self> {
        let definition = |number: u32| &graph.definitions[number as usize];
        let places = best.iter().map(|&number| (keys[definition(number).file as usize], definition(number).number));
        let details = symbol_details(db, places)?;
        let symbol = |(&number, detail): (&u32, SymbolDetail)| {
            let definition = definition(number);
            let symbol = MapSymbol {
                name: graph.name(definition).to_owned(),
                kind: definition.kind,
                signature: detail.signature.map(|signature| one_line(&signature, LONGEST_SIGNATURE)),
                lines: detail.lines,
                parent: detail.parent,
                rank: ranks.definitions[number as usize],
                referenced_by: ranks.users[number as usize] as usize,
            };
            (definition.file, symbol)
        };
        Ok(Candidates { graph, ranks, best: best.iter().zip(details).map(symbol).collect() })
    }

    fn fitting(&self, max_tokens: usize) -> usize {
        let fits = |count: usize| count_tokens_up_to(&render(&self.files(count)), max_tokens).is_some();
        let (mut low, mut high) = (0, self.best.len());
        while low < high {
            let middle = high - (high - low) / 2;
            if fits(middle) { low = middle } else { high = middle - 1 }
        }
        low
    }

    fn files(&self, count: usize) -> Vec<MapFile> {
        let mut chosen: Vec<&(u32, MapSymbol)> = self.best.iter().take(count).collect();
        let rank = |file: u32| self.ranks.files[file as usize];
        let line = |symbol: &MapSymbol| (symbol.lines.start, std::cmp::Reverse(symbol.lines.end));
        chosen.sort_by(|(a, one), (b, other)| {
            rank(*b).total_cmp(&rank(*a)).then(a.cmp(b)).then_with(|| line(one).cmp(&line(other)))
        });
        let file = |symbols: &[&(u32, MapSymbol)]| {
            let number = symbols.first()?.0;
            let symbols = symbols.iter().map(|(_, symbol)| symbol.clone()).collect();
            let (path, language) = (self.graph.path(number).to_owned(), self.graph.language(number));
            Some(MapFile { path, language, rank: rank(number), symbols })
        };
        chosen.chunk_by(|a, b| a.0 == b.0).filter_map(file).collect()
    }
}
