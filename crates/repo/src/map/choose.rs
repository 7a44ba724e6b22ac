//! Which definitions a request is about, and in which order.

use std::collections::HashMap;

use ai_assist_syntax::{CodeGraph, Ranks};

use super::ranking::{RankedFile, Ranking};
use super::read::symbol_details;
use super::render::one_line;
use super::{MapRequest, MapSymbol};
use crate::build::Result;
use crate::repo_index::SymbolDb;

/// No line with a definition has fewer tokens: its number, a space, a name.
pub(super) const FEWEST_TOKENS: usize = 3;

/// A signature that a map holds, in characters.
const LONGEST_SIGNATURE: usize = 120;

/// Ranks what a request is about; of that the first `most`.
pub(super) fn rank(
    db: &SymbolDb,
    graph: &CodeGraph,
    keys: &[u64],
    request: &MapRequest,
    most: usize,
) -> Result<Ranking> {
    let ranks = &graph.ranks(&request.focus);
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
    let most = most.min(best.len());
    let focused = graph.focused(&request.focus);
    let (mut asked, mut others): (Vec<u32>, Vec<u32>) = best.iter().partition(|&&number| focused[number as usize]);
    keep_best(&mut asked, most, graph, ranks);
    keep_best(&mut others, most, graph, ranks);
    let best = merged(&asked, &others, most);
    ranking(db, graph, keys, ranks, &best, (in_all, documents))
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

/// The best definitions with what is shown of them.
fn ranking(
    db: &SymbolDb,
    graph: &CodeGraph,
    keys: &[u64],
    ranks: &Ranks,
    best: &[u32],
    counts: (usize, usize),
) -> Result<Ranking> {
    let definition = |number: u32| &graph.definitions[number as usize];
    let places = best.iter().map(|&number| (keys[definition(number).file as usize], definition(number).number));
    let details = symbol_details(db, places)?;
    let mut files: Vec<RankedFile> = Vec::new();
    let mut numbers: HashMap<u32, usize> = HashMap::new();
    let mut symbols = Vec::with_capacity(best.len());
    for (&number, detail) in best.iter().zip(details) {
        let definition = definition(number);
        let file = *numbers.entry(definition.file).or_insert_with(|| {
            let (path, language) = (graph.path(definition.file).to_owned(), graph.language(definition.file));
            files.push(RankedFile { path, language, rank: ranks.files[definition.file as usize] });
            files.len() - 1
        });
        let symbol = MapSymbol {
            name: graph.name(definition).to_owned(),
            kind: definition.kind,
            signature: detail.signature.map(|signature| one_line(&signature, LONGEST_SIGNATURE)),
            lines: detail.lines,
            parent: detail.parent,
            rank: ranks.definitions[number as usize],
            referenced_by: ranks.users[number as usize] as usize,
        };
        symbols.push((file, symbol));
    }
    Ok(Ranking::new(counts, files, symbols))
}
