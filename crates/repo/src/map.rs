//! The map of a repository: the definitions on which the rest turns, as many as a budget of tokens holds.
//!
//! Files are the nodes of a graph. One that uses a name points to those that define it, the more so the more telling the name
//! is and where it imports them (`weigh`). Rank flows along (`rank`, the PageRank of the graph), and a definition has what
//! reaches its file through its name. The best are shown, by file (`fit`).
//!
//! Nothing here depends on the order in which files were indexed: weights are whole numbers, so that their sums are exact,
//! and everything else goes by path.

mod fit;
mod load;
mod packages;
mod rank;
mod reach;
mod read;
mod render;
mod weigh;

use ai_assist_index::PathGlobs;
use ai_assist_syntax::ChunkKind;
use ai_assist_text::{Language, LineRange};
use serde::Serialize;

use crate::build::Result;
use crate::repo_index::{RepoIndex, SymbolDb};

use load::Repository;
use rank::Ranks;
use weigh::Graph;

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

/// The most central definitions of a repository.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    pub tokenizer: &'static str,
    /// What of the focus names nothing in the repository.
    pub unmatched: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MapFile {
    pub path: String,
    pub language: Language,
    /// Its share of the rank of all files, less if it is a test or an example.
    pub rank: f64,
    /// Its definitions, in the order of lines.
    pub symbols: Vec<MapSymbol>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
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
    map_of(&index.db, request)
}

/// The files that a file is tied to by imports, by path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Neighbours {
    pub imports: Vec<String>,
    pub imported_by: Vec<String>,
}

/// Finds the files that a file imports and those that import it; nothing if the index does not have the file.
pub fn neighbours(index: &RepoIndex, path: &str) -> Result<Option<Neighbours>> {
    let files = Repository::load(&index.db)?.files;
    let Ok(at) = files.binary_search_by(|file| file.path.as_str().cmp(path)) else { return Ok(None) };
    let number = u32::try_from(at).unwrap_or(u32::MAX);
    let path_of = |&file: &u32| files.get(file as usize).map(|file| file.path.clone());
    let imports = files[at].imports.iter().filter_map(path_of).collect();
    let imported_by = files.iter().filter(|file| file.imports.binary_search(&number).is_ok());
    Ok(Some(Neighbours { imports, imported_by: imported_by.map(|file| file.path.clone()).collect() }))
}

fn map_of(db: &SymbolDb, request: &MapRequest) -> Result<RepoMap> {
    let repository = Repository::load(db)?;
    let graph = Graph::new(&repository);
    let ranks = Ranks::new(&repository, &graph, &request.focus);
    let map = fit::fit(db, &repository, &ranks, request)?;
    Ok(RepoMap { unmatched: rank::unmatched(&repository, &request.focus), ..map })
}

#[cfg(test)]
#[path = "map/map_tests.rs"]
mod tests;
