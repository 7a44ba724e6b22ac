//! The map of a repository: the definitions on which the rest turns, as many as a budget of tokens holds.
//!
//! They are ranked (`choose`) by the graph of what files define, use and import, which is read from the index (`read`). The best
//! are kept with the build and shown by file (`ranking`).

mod choose;
mod ranking;
mod read;
mod render;

use std::borrow::Cow;
use std::path::Path;

use ai_assist_index::PathGlobs;
use ai_assist_syntax::ChunkKind;
use ai_assist_text::{Language, LineRange};
use serde::{Deserialize, Serialize};

use crate::build::Result;
use crate::layout::{Mode, SQLITE_DIR};
use crate::repo_index::{RepoIndex, SymbolDb};

use choose::{FEWEST_TOKENS, rank};
use ranking::{KEPT, Ranking};
use read::graph;

#[derive(Debug, Clone, Default)]
pub struct MapRequest {
    /// How many tokens the text of the map has at most.
    pub max_tokens: usize,
    /// The files whose definitions are shown. All files count for the ranks.
    pub paths: Option<PathGlobs>,
    /// The languages of these files; all of them if there are none.
    pub languages: Vec<Language>,
    /// Files, folders or symbols the reader cares about: rank flows from them.
    pub focus: Vec<String>,
}

impl MapRequest {
    /// Whether it asks for nothing in particular, and for no more than is kept.
    fn is_plain(&self) -> bool {
        let MapRequest { max_tokens, paths, languages, focus } = self;
        paths.is_none() && languages.is_empty() && focus.is_empty() && max_tokens / FEWEST_TOKENS <= KEPT
    }
}

/// The most central definitions of a repository.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RepoMap {
    /// The files with definitions that are shown, by rank, best first.
    pub files: Vec<MapFile>,
    /// How many tokens [`render`](Self::render) gives.
    pub tokens: usize,
    /// How many definitions could have been shown.
    pub definitions: usize,
    pub shown: usize,
    /// In how many files those are that could have been shown.
    pub documents: usize,
    /// What counts the tokens.
    pub tokenizer: Cow<'static, str>,
    /// What of the focus names nothing in the repository.
    pub unmatched: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MapFile {
    pub path: String,
    pub language: Language,
    /// Its share of the rank of all files, less if it is a test or an example.
    pub rank: f64,
    /// Its definitions, in the order of lines.
    pub symbols: Vec<MapSymbol>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MapSymbol {
    pub name: String,
    pub kind: ChunkKind,
    /// Its text up to its body, on one line.
    pub signature: Option<String>,
    /// From its doc comment to its end.
    pub lines: LineRange,
    /// What it lies in, outermost first, with dots between.
    pub parent: Option<String>,
    /// The rank that reaches its file through its name.
    pub rank: f64,
    /// How many other files use it, as far as names and imports tell.
    pub referenced_by: usize,
}

/// Draws the map of a repository from its index of [`Mode::Code`](crate::layout::Mode::Code).
pub fn map(index: &RepoIndex, request: &MapRequest) -> Result<RepoMap> {
    if !request.is_plain() {
        return map_of(&index.db, request);
    }
    let kept = Ranking::read(&index.build);
    Ok(kept.map_or_else(|| keep(&index.db, &index.build), Ok)?.fit(request.max_tokens))
}

/// Ranks the definitions of a build while it is being made, for the maps to come.
pub(crate) fn prepare(build: &Path) -> Result<()> {
    keep(&SymbolDb { path: build.join(SQLITE_DIR).join(Mode::Code.db_name()) }, build).map(drop)
}

fn keep(db: &SymbolDb, build: &Path) -> Result<Ranking> {
    let (graph, keys) = graph(db)?;
    Ok(rank(db, &graph, &keys, &MapRequest::default(), KEPT)?.kept(build))
}

/// The files that a file is tied to by imports, by path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Neighbours {
    pub imports: Vec<String>,
    pub imported_by: Vec<String>,
}

/// Finds the files that a file imports and those that import it; nothing if the index does not have the file.
pub fn neighbours(index: &RepoIndex, path: &str) -> Result<Option<Neighbours>> {
    let graph = graph(&index.db)?.0;
    let Some(file) = graph.file(path) else { return Ok(None) };
    let paths = |files: &[u32]| files.iter().map(|&file| graph.path(file).to_owned()).collect();
    Ok(Some(Neighbours { imports: paths(graph.imports(file)), imported_by: paths(&graph.importers(file)) }))
}

fn map_of(db: &SymbolDb, request: &MapRequest) -> Result<RepoMap> {
    let (graph, keys) = graph(db)?;
    let ranking = rank(db, &graph, &keys, request, request.max_tokens / FEWEST_TOKENS)?;
    Ok(RepoMap { unmatched: graph.unmatched(&request.focus), ..ranking.fit(request.max_tokens) })
}

#[cfg(test)]
#[path = "map/map_tests.rs"]
mod tests;
