//! Finding lines by a pattern and definitions by a name, in everything in reach. Nothing is ranked by score here.

use std::collections::HashSet;
use std::path::PathBuf;

use ai_assist_admit::Freshness;
use ai_assist_base::Cancel;
use ai_assist_embed::StaticModel;
use ai_assist_identity::{DocPath, Sha256};
use ai_assist_repo::layout::Mode;
use ai_assist_repo::lookup::{FoundIn, FoundSymbol, FoundSymbols, Place, SkippedSources, SymbolLookup, symbols};
use ai_assist_repo::repo_index::{RepoIndex, Symbol};
use ai_assist_repo::scan::{Scan, ScanRequest, ScannedLine, scan, scan_texts};
use ai_assist_search::{Hit, Query, Question, RankBy, cut, fit, search};
use serde::{Deserialize, Serialize};

use crate::search::InReach;
use crate::{Project, Repo, Result};

/// Where to look: everything in reach, or a part of it.
#[derive(Debug, Clone, Default)]
pub struct Within {
    /// Collections, categories and repositories, by name; none for all.
    pub names: Vec<String>,
    /// Repositories by a folder of theirs, and nothing else.
    pub folders: Vec<PathBuf>,
    /// Whether every collection of this machine is in reach.
    pub all: bool,
    /// Whether files that have changed are taken in first, if they are few.
    pub refresh: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundLine {
    #[serde(flatten)]
    pub found_in: FoundIn,
    /// Of a repository: which of its indexes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    #[serde(flatten)]
    pub line: ScannedLine,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundLines {
    /// The first of them: by repository and collection, then by path.
    pub lines: Vec<FoundLine>,
    pub found: usize,
    pub files: usize,
    pub scanned: usize,
    pub documents: usize,
    /// How many documents were not searched to their end: the time was over, or the pattern takes too long for such a text.
    pub unfinished: usize,
    /// What could not be looked into, and why.
    pub warnings: Vec<String>,
}

impl FoundLines {
    fn add(&mut self, scan: Scan, found_in: &FoundIn, mode: Option<Mode>) {
        self.unfinished += scan.unfinished;
        self.found += scan.found;
        self.files += scan.files;
        self.scanned += scan.scanned;
        self.documents += scan.documents;
        let here = |line| FoundLine { found_in: found_in.clone(), mode, line };
        self.lines.extend(scan.lines.into_iter().map(here));
    }

    /// Keeps the lines that fit into a budget, cuts the first if it alone is too long, and gives their tokens.
    pub fn cut_to(&mut self, tokens: usize) -> usize {
        let fitted = fit(self.lines.iter().map(|found| found.line.text.as_str()), tokens);
        self.lines.truncate(fitted.taken);
        if let (Some(kept), Some(last)) = (fitted.cut, self.lines.last_mut()) {
            cut(&mut last.line.text, &mut last.line.lines, kept);
            last.line.matches.retain(|&(_, to)| to <= kept);
        }
        fitted.tokens
    }
}

impl Project {
    /// Every line that matches a pattern. A file that a collection has and a repository, too, is looked at once.
    pub fn grep(
        &self,
        within: &Within,
        modes: &[Mode],
        request: &ScanRequest<'_>,
        cancel: &Cancel,
    ) -> Result<FoundLines> {
        let InReach { collections, repos, looked_through } = self.in_reach(within, cancel)?;
        let mut all = FoundLines::default();
        let folders: Vec<_> = repos.iter().map(|repo| &repo.local.root).collect();
        let files = collections.files_below(&folders)?;
        let mut skipped = SkippedSources::default();
        for Repo { name, local } in &repos {
            let (found_in, root, first) = (FoundIn::Repo(name.clone()), local.root.to_path_buf(), all.lines.len());
            let scanned = RepoIndex::open_modes(&local.cache, modes).and_then(|indexes| {
                let scan = |mut index: RepoIndex| {
                    if !files.is_empty() {
                        index.reader.leave_out(|path| files.contains(&root.join(path)))?;
                    }
                    scan(&index, request, cancel)
                };
                indexes.into_iter().map(scan).collect::<Result<Vec<Scan>, _>>()
            });
            for (scan, &mode) in skipped.unless(name, scanned)?.into_iter().flatten().zip(modes) {
                all.add(scan, &found_in, Some(mode));
            }
            let place = |found: &FoundLine| (found.line.document.clone(), found.line.lines.start);
            all.lines[first..].sort_by_cached_key(place);
        }
        for source in &collections.sources {
            let name = source.origin.name();
            let scanned = scan_texts(source.index.reader(), None, false, request, cancel);
            if let Some(scan) = skipped.unless(name, scanned)? {
                all.add(scan, &FoundIn::Collection(name.to_owned()), None);
            }
        }
        all.warnings = skipped.warnings(repos.len() + collections.sources.len())?;
        all.lines.truncate(request.limit);
        let files = all.lines.iter().map(|found| (&found.found_in, found.line.document.as_str(), found.line.hash));
        if within.refresh
            && !looked_through
            && any_is_stale(&repos, files)
            && self.catch_up(&collections, &repos, cancel)?
        {
            return self.grep(&Within { refresh: false, ..within.clone() }, modes, request, cancel);
        }
        Ok(all)
    }

    /// Definitions by their name, or a part of it; in collections by the whole name.
    pub fn symbols(&self, within: &Within, lookup: &SymbolLookup, cancel: &Cancel) -> Result<FoundSymbols> {
        let InReach { collections, repos, looked_through } = self.in_reach(within, cancel)?;
        let places: Vec<Place<'_>> = repos.iter().map(Repo::place).collect();
        let mut found = symbols(&places, lookup)?;
        let folders: Vec<_> = repos.iter().map(|repo| &repo.local.root).collect();
        let files = collections.files_below(&folders)?;
        let root = |name: &str| repos.iter().find(|repo| repo.name == name).map(|repo| repo.local.root.to_path_buf());
        found.symbols.retain(|found| match &found.found_in {
            FoundIn::Repo(name) => root(name).is_none_or(|root| !files.contains(&root.join(&found.symbol.path))),
            FoundIn::Collection(_) => true,
        });
        if !collections.sources.is_empty() {
            let name: String = lookup.name.replace(" > ", "::").split_whitespace().collect();
            let mut query: Query = format!("symbol:{name}").parse().map_err(ai_assist_search::Error::from)?;
            query.filter.kinds.clone_from(&lookup.kinds);
            query.filter.languages.clone_from(&lookup.languages);
            query.filter.paths.clone_from(&lookup.paths);
            let question = Question { rank_by: RankBy::Words, limit: lookup.limit + 1, ..Question::new(query) };
            let outcome = search(&collections.sources, &question, StaticModel::bundled(), cancel)?;
            found.symbols.extend(outcome.hits.iter().filter_map(symbol));
        }
        found.more |= found.symbols.len() > lookup.limit;
        found.symbols.truncate(lookup.limit);
        let files = found.symbols.iter().map(|found| (&found.found_in, found.symbol.path.as_str(), found.symbol.hash));
        if within.refresh
            && !looked_through
            && any_is_stale(&repos, files)
            && self.catch_up(&collections, &repos, cancel)?
        {
            return self.symbols(&Within { refresh: false, ..within.clone() }, lookup, cancel);
        }
        Ok(found)
    }
}

/// So many files of an answer are looked at: to look is to read. An answer of the usual length has fewer.
const LOOKED_AT: usize = 200;

/// Whether one of the first files of an answer is no longer what was indexed.
fn any_is_stale<'f>(repos: &[Repo], found: impl Iterator<Item = (&'f FoundIn, &'f str, Sha256)>) -> bool {
    let mut seen = HashSet::new();
    let mut files = found.filter(|&(found_in, path, _)| seen.insert((found_in, path))).take(LOOKED_AT);
    files.any(|(found_in, path, hash)| is_stale(repos, found_in, path, hash))
}

/// Whether a file of a repository is no longer what was indexed.
fn is_stale(repos: &[Repo], found_in: &FoundIn, path: &str, hash: Sha256) -> bool {
    let FoundIn::Repo(name) = found_in else { return false };
    let (Some(repo), Ok(path)) = (repos.iter().find(|repo| repo.name == *name), DocPath::parse(path)) else {
        return false;
    };
    !matches!(Freshness::of(&repo.local.root.to_path_buf(), &path, hash), Freshness::Current | Freshness::Unknown)
}

/// The definition that a hit of a collection is.
fn symbol(hit: &Hit) -> Option<FoundSymbol> {
    let (name, parents) = hit.path.split_last()?;
    let signature = hit.text.lines().find(|line| line.contains(name.as_str())).map(|line| line.trim().to_owned());
    let symbol = Symbol {
        name: name.clone(),
        kind: hit.kind,
        signature,
        lines: hit.lines,
        parent: (!parents.is_empty()).then(|| parents.join(".")),
        path: hit.document.clone(),
        language: hit.language,
        hash: hit.hash,
    };
    Some(FoundSymbol { found_in: FoundIn::Collection(hit.origin.name().to_owned()), symbol })
}
