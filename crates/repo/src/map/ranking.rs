//! The definitions that a map may show, the best first, and how many of them fit.
//!
//! To rank the definitions of a repository takes a second for twenty thousand files, and gives the same for as long as its build is
//! the current one. So the first few thousand are kept beside the build, which is enough for every map that asks for nothing in
//! particular. A build from nothing writes them; after a build of what has changed, the first map does.

use std::path::Path;

use ai_assist_base::{read_plain, replace_file};
use ai_assist_text::{Language, TOKENIZER, count_tokens, count_tokens_up_to};
use serde::{Deserialize, Serialize};

use super::render::render;
use super::{MapFile, MapSymbol, RepoMap};
use crate::promote::FILE_MODE;

/// A map of so many definitions has more tokens than a model wants to read.
pub(super) const KEPT: usize = 8192;
/// In the folder of a build, beside its modes.
const FILE: &str = "ranking.json";
/// Grows with the shape of the file and with the rules by which it is made.
const VERSION: u32 = 1;
const LARGEST: u64 = 64 << 20;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ranking {
    version: u32,
    /// How many definitions could have been shown.
    pub(super) definitions: usize,
    /// In how many files those are.
    pub(super) documents: usize,
    /// The files of those that are shown.
    pub(super) files: Vec<RankedFile>,
    /// The definitions, the best first, each with the number of its file among `files`.
    pub(super) best: Vec<(usize, MapSymbol)>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RankedFile {
    pub(super) path: String,
    pub(super) language: Language,
    pub(super) rank: f64,
}

impl Ranking {
    pub(super) fn new(
        (definitions, documents): (usize, usize),
        files: Vec<RankedFile>,
        best: Vec<(usize, MapSymbol)>,
    ) -> Self {
        Ranking { version: VERSION, definitions, documents, files, best }
    }

    /// What was kept with a build, as far as it is whole.
    pub(super) fn read(build: &Path) -> Option<Self> {
        Self::parsed(&read_plain(&build.join(FILE), LARGEST).ok()?.bytes)
    }

    fn parsed(bytes: &[u8]) -> Option<Self> {
        let (sum, json) = bytes.split_first_chunk::<4>()?;
        let ranking: Ranking =
            serde_json::from_slice(json).ok().filter(|_| crc32fast::hash(json) == u32::from_le_bytes(*sum))?;
        let in_files = ranking.best.iter().all(|(file, _)| *file < ranking.files.len());
        (ranking.version == VERSION && in_files).then_some(ranking)
    }

    /// Keeps it with a build. A cache that can't be written only makes the next map as slow as this one, so that is no error.
    pub(super) fn kept(self, build: &Path) -> Self {
        let Ok(json) = serde_json::to_vec(&self) else { return self };
        let bytes = [crc32fast::hash(&json).to_le_bytes().as_slice(), &json].concat();
        let _ = replace_file(&build.join(FILE), &bytes, FILE_MODE);
        // As it will be read, for a number may lose its last bit on the way through a text.
        Self::parsed(&bytes).unwrap_or(self)
    }

    /// As many as fit, the best first.
    pub(super) fn fit(&self, max_tokens: usize) -> RepoMap {
        let shown = self.fitting(max_tokens);
        let files = self.shown(shown);
        RepoMap {
            tokens: count_tokens(&render(&files)),
            files,
            definitions: self.definitions,
            shown,
            documents: self.documents,
            tokenizer: TOKENIZER.into(),
            unmatched: Vec::new(),
        }
    }

    fn fitting(&self, max_tokens: usize) -> usize {
        let fits = |count: usize| count_tokens_up_to(&render(&self.shown(count)), max_tokens).is_some();
        let (mut low, mut high) = (0, self.best.len().min(max_tokens / super::choose::FEWEST_TOKENS));
        while low < high {
            let middle = high - (high - low) / 2;
            if fits(middle) { low = middle } else { high = middle - 1 }
        }
        low
    }

    fn shown(&self, count: usize) -> Vec<MapFile> {
        let mut chosen: Vec<&(usize, MapSymbol)> = self.best.iter().take(count).collect();
        let file = |number: usize| &self.files[number];
        let line = |symbol: &MapSymbol| (symbol.lines.start, std::cmp::Reverse(symbol.lines.end));
        chosen.sort_by(|(a, one), (b, other)| {
            let by_rank = file(*b).rank.total_cmp(&file(*a).rank);
            by_rank.then_with(|| file(*a).path.cmp(&file(*b).path)).then_with(|| line(one).cmp(&line(other)))
        });
        let of_file = |symbols: &[&(usize, MapSymbol)]| {
            let RankedFile { path, language, rank } = file(symbols.first()?.0);
            let symbols = symbols.iter().map(|(_, symbol)| symbol.clone()).collect();
            Some(MapFile { path: path.clone(), language: *language, rank: *rank, symbols })
        };
        chosen.chunk_by(|a, b| a.0 == b.0).filter_map(of_file).collect()
    }
}
