//! A name finds its definition: names drawn at random from real trees, asked as they are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ai_assist_base::Cancel;
use ai_assist_chunk::ChunkKind;
use ai_assist_embed::StaticModel;
use ai_assist_identity::{CanonicalPath, Sha256};
use ai_assist_repo::build::{BuildRequest, build_repo};
use ai_assist_repo::layout::Mode;
use ai_assist_repo::repo_index::{NameMatch, RepoIndex, Symbol, SymbolQuery};
use ai_assist_search::{Clock, Hit, Question, search};
use ai_assist_text::Role;
use ai_assist_workspace::federate::{Target, open_repos};
use anyhow::{Context, Result, ensure};

use crate::timing::{Sample, ms};

const MODES: [Mode; 2] = [Mode::Code, Mode::Prose];

pub(crate) fn run(trees: &[PathBuf], wanted: usize, show: bool) -> Result<()> {
    println!("| tree | files | names with | asked | first | in the first 5 | p50 |");
    println!("|---|---|---|---|---|---|---|");
    for tree in trees {
        one(tree, wanted, show)?;
    }
    Ok(())
}

fn one(tree: &Path, wanted: usize, show: bool) -> Result<()> {
    let place = tempfile::tempdir()?;
    let request = BuildRequest::new(CanonicalPath::from_absolute(&tree.canonicalize()?)?, place.path());
    build_repo(&request, &Cancel::default(), &mut |_| {})?;
    let index = RepoIndex::open(&request.cache, Mode::Code)?;
    let files = index.db.documents()?.len();
    let target = Target::of_repo(&request.root, &request.repo_id, &request.cache);
    let federation = open_repos(&[target], &MODES, &Clock::start(None), &Cancel::default())?;
    let sources = federation.ask(&[], &MODES)?.sources;
    let name = tree.file_name().unwrap_or_default().display().to_string();
    let definitions = definitions(&index)?;
    for (label, several) in [("one definition", false), ("several", true)] {
        let names: Vec<(&String, &Vec<Symbol>)> =
            definitions.iter().filter(|(_, places)| (places.len() > 1) == several).collect();
        let drawn = draw(&names, wanted);
        if drawn.is_empty() {
            continue;
        }
        let (mut first, mut fifth, mut times) = (0, 0, Vec::new());
        for (name, places) in &drawn {
            let question = Question { limit: 5, ..Question::new(name.parse().context("a name is a query")?) };
            let start = std::time::Instant::now();
            let outcome = search(&sources, &question, StaticModel::bundled(), &Cancel::default())?;
            times.push(start.elapsed());
            let is_it = |hit: &Hit| places.iter().any(|place| defines(hit, place));
            let place = outcome.hits.iter().position(is_it);
            first += usize::from(place == Some(0));
            fifth += usize::from(place.is_some());
            if show && place != Some(0) {
                let instead = outcome.hits.first().map(|hit| format!("{}:{}", hit.document, hit.lines));
                println!("<!-- `{name}` is at {}:{}, first was {instead:?} -->", places[0].path, places[0].lines);
            }
        }
        let count = drawn.len();
        let share = |hits: usize| hits as f64 / count as f64;
        println!(
            "| {name} | {files} | {label} | {count} | {:.3} | {:.3} | {} |",
            share(first),
            share(fifth),
            ms(Sample::new(times).median())
        );
        ensure!(count > 0, "{} has no names", tree.display());
    }
    Ok(())
}

/// Whether a hit has the beginning of a definition, not only a part of its body.
fn defines(hit: &Hit, symbol: &Symbol) -> bool {
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let signature = dense(symbol.signature.as_ref().unwrap_or(&symbol.name));
    let opening: String = signature.chars().take(40).collect();
    let overlaps = hit.lines.start <= symbol.lines.end && symbol.lines.start <= hit.lines.end;
    symbol.path == hit.document && overlaps && dense(&hit.text).contains(&opening)
}

/// Names of public functions and types outside of tests, generated and vendored code, each with everything that defines it
/// there, methods and private ones included.
fn definitions(index: &RepoIndex) -> Result<BTreeMap<String, Vec<Symbol>>> {
    use ChunkKind as K;
    let name = NameMatch::Contains(String::new());
    let query = SymbolQuery { name, kind: None, paths: None, limit: usize::MAX >> 1 };
    let mut found: BTreeMap<String, Vec<Symbol>> = BTreeMap::new();
    for symbol in index.db.symbols(&query)? {
        let mut parents = symbol.parent.iter().flat_map(|parent| parent.split('.'));
        let is_source = Role::of(&symbol.path, "") == Role::Source && !parents.any(|it| matches!(it, "test" | "tests"));
        if is_source && !matches!(symbol.kind, K::Impl | K::Module | K::Imports | K::Code) {
            found.entry(symbol.name.clone()).or_default().push(symbol);
        }
    }
    let asked = |symbol: &Symbol| {
        let kind =
            matches!(symbol.kind, K::Function | K::Class | K::Struct | K::Enum | K::Trait | K::Interface | K::Type);
        kind && is_public(symbol) && symbol.name.len() > 2
    };
    found.retain(|_, symbols| symbols.iter().any(asked));
    Ok(found)
}

fn is_public(symbol: &Symbol) -> bool {
    let signature = symbol.signature.as_deref().unwrap_or_default();
    match symbol.path.rsplit('.').next() {
        Some("rs") => signature.contains("pub "),
        _ => !symbol.name.starts_with('_'),
    }
}

/// As many as wanted, the same every time and spread by nothing but their hash.
fn draw<'n>(names: &[(&'n String, &'n Vec<Symbol>)], wanted: usize) -> Vec<(&'n String, &'n Vec<Symbol>)> {
    let mut drawn = names.to_vec();
    drawn.sort_by_key(|(name, _)| Sha256::of(name.as_bytes()).hex());
    drawn.truncate(wanted);
    drawn
}
