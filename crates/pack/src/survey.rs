//! What can be said of a project's code: its manifests and what each file of code measures.
//!
//! Every file is read once, through the snapshot, on all cores, and parsed unless the cache knows what it says. How much
//! the rest turns on it comes from the graph of all of them.

mod inputs;
mod packages;
mod public;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use ai_assist_base::Cancel;
use ai_assist_ecosystem::{Description, describe};
use ai_assist_syntax::{Analysis, ChunkKind, CodeGraph, Facts, GraphBuilder, OutlineEntry, SyntaxCache, Unparsed};
use ai_assist_text::{Language, LanguageKind};
use rayon::prelude::*;

use crate::categories::default_rank;
use crate::manifest::ManifestInput;
use crate::types::FileMetadata;
use crate::{PackError, Snapshot};

use inputs::SnapshotTree;
pub(crate) use inputs::{LOCK_FILES, named_anywhere};

/// Texts larger than this are not parsed: they are data or were written by a program.
const MAX_PARSED: usize = 512 * 1024;

/// More code than this is not parsed in all, which takes some ten seconds of one core; the files that are worth the most go
/// first, so that the largest projects are still told in what matters.
const MAX_PARSED_IN_ALL: usize = 48 << 20;

const LONGEST_SIGNATURE: usize = 240;

/// Fewer commits than these say nothing of what changes often: in a clone without history every file is in the only one.
const LEAST_COMMITS: usize = 10;

/// At most so many files are named in warnings for the same reason.
const NAMED_IN_WARNINGS: usize = 10;

/// What git tells about how often files change; whoever calls asks git.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// In how many commits each file was changed, by its path relative to the root.
    pub commits_by_path: BTreeMap<String, usize>,
    pub looked_at: usize,
}

/// Whether a file was parsed, and why not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Parsing {
    /// It is no code, or its text can't be had.
    #[default]
    NoCode,
    Parsed,
    NoGrammar,
    TooLarge,
    /// There is more code than is parsed in all.
    NotReached,
    GivenUp,
    Panicked,
}

#[derive(Debug, Default)]
pub(crate) struct Measure {
    pub(crate) parsing: Parsing,
    pub(crate) facts: Facts,
    pub(crate) fan_in: usize,
    /// How many files and packages of the project it imports.
    pub(crate) fan_out: usize,
    /// How much of the project turns on it; 1 is the mean.
    centrality: f64,
    pub(crate) churn: usize,
}

impl Measure {
    pub(crate) fn has_tests_inside(&self) -> bool {
        let is_tests =
            |entry: &OutlineEntry| entry.kind == ChunkKind::Module && matches!(&*entry.name, "tests" | "test");
        self.facts.definitions.iter().any(is_tests)
    }
}

#[derive(Debug)]
pub struct Survey {
    /// What the manifests and the names of files tell.
    pub description: Description,
    /// In the order of the snapshot's files.
    pub(crate) measures: Vec<Measure>,
    ranks: Vec<f64>,
    /// How many commits were looked at for the churn.
    pub(crate) looked_at: usize,
    pub warnings: Vec<String>,
}

impl Survey {
    /// Reads a project's code; only a caller that asks to stop makes it fail. A file that can't be read or parsed is
    /// counted, no more.
    pub fn new(
        snapshot: &Snapshot,
        history: Option<&History>,
        syntax: &SyntaxCache,
        cancel: &Cancel,
    ) -> Result<Survey, PackError> {
        let description = describe(&SnapshotTree::new(snapshot));
        let files = &snapshot.project.files;
        let reached = within_reach(snapshot, MAX_PARSED_IN_ALL);
        let stop = AtomicBool::new(false);
        let analyse = |index: usize| {
            if stop.load(Ordering::Relaxed) || cancel.is_cancelled() {
                stop.store(true, Ordering::Relaxed);
                return Err(Parsing::NoCode);
            }
            if reached[index] { analysis(snapshot, index, syntax) } else { Err(Parsing::NotReached) }
        };
        let analyses: Vec<Result<Analysis, Parsing>> = (0..files.len()).into_par_iter().map(analyse).collect();
        if stop.load(Ordering::Relaxed) {
            return Err(PackError::Cancelled);
        }
        let mut measures = measures(snapshot, &description, analyses);
        let history = history.filter(|history| history.looked_at >= LEAST_COMMITS);
        if let Some(history) = history {
            for (measure, file) in measures.iter_mut().zip(files) {
                measure.churn = history.commits_by_path.get(&file.relative_path).copied().unwrap_or(0);
            }
        }
        let ranks = measures.iter().zip(files).map(|(measure, file)| rank(measure, file)).collect();
        let mut warnings = description.warnings.clone();
        warnings.extend(panicked(&measures, files));
        Ok(Survey { description, measures, ranks, looked_at: history.map_or(0, |history| history.looked_at), warnings })
    }

    /// The manifest of a pack, as far as the project says it.
    pub fn manifest_input(&self) -> ManifestInput {
        inputs::manifest_input(&self.description).0
    }

    /// How much a file is worth: what [`default_rank`] says, more by the logarithm of how much of the project turns on it,
    /// and of how many commits changed it.
    pub fn rank(&self, index: usize) -> f64 {
        self.ranks.get(index).copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// How much of the project turns on a file, by its imports and the names that others take from it. What often changes
    /// counts a little.
    pub(crate) fn usage(&self, index: usize) -> f64 {
        self.measures
            .get(index)
            .map_or(0.0, |measure| (1.0 + measure.centrality).log2() + (1.0 + measure.churn as f64).log2() / 8.0)
    }

    pub(crate) fn defines_anything(&self, index: usize) -> bool {
        self.measures.get(index).is_some_and(|measure| !measure.facts.definitions.is_empty())
    }

    pub fn fan_in(&self, index: usize) -> usize {
        self.measures.get(index).map_or(0, |measure| measure.fan_in)
    }

    /// A file by its signatures or headings, one on each line, indented by depth; nothing if it has none.
    pub fn outline(&self, snapshot: &Snapshot, index: usize) -> Option<String> {
        self.outlined(snapshot, index, false)
    }

    /// The same with what other files can use alone.
    pub(crate) fn public_outline(&self, snapshot: &Snapshot, index: usize) -> Option<String> {
        self.outlined(snapshot, index, true)
    }

    fn outlined(&self, snapshot: &Snapshot, index: usize, only_public: bool) -> Option<String> {
        let measure = self.measures.get(index)?;
        let read_now = || {
            let text = snapshot.text(index).ok()?;
            let language = Language::of_path(&snapshot.project.files[index].relative_path)?;
            match measure.parsing {
                Parsing::NoCode => {
                    Some(Facts { definitions: ai_assist_chunk::outline(&text, language), ..Facts::default() })
                }
                Parsing::NotReached if text.len() <= MAX_PARSED => Some(Analysis::of(&text, language).ok()?.facts),
                _ => None,
            }
        };
        let read = read_now();
        let facts = read.as_ref().unwrap_or(&measure.facts);
        let shown = if only_public && measure.parsing != Parsing::NoCode {
            public::public(facts)
        } else {
            vec![true; facts.definitions.len()]
        };
        let mut out = String::new();
        for (entry, _) in facts.definitions.iter().zip(shown).filter(|(_, shown)| *shown) {
            let line = entry.signature.as_deref().unwrap_or(&entry.name);
            let line = one_line(line, LONGEST_SIGNATURE);
            if !line.is_empty() {
                out.extend(std::iter::repeat_n("  ", entry.depth.min(16)));
                out.push_str(&line);
                out.push('\n');
            }
        }
        (!out.is_empty()).then_some(out)
    }
}

/// The manifest alone, without parsing code: for packs in which everything fits. With it, what could not be read.
pub fn manifest_of(snapshot: &Snapshot) -> (ManifestInput, Vec<String>) {
    let description = describe(&SnapshotTree::new(snapshot));
    let (input, warning) = inputs::manifest_input(&description);
    (input, description.warnings.into_iter().chain(warning).collect())
}

/// What a file of code says about itself, or why that is not known.
fn analysis(snapshot: &Snapshot, index: usize, syntax: &SyntaxCache) -> Result<Analysis, Parsing> {
    let file = &snapshot.project.files[index];
    let code = Language::of_path(&file.relative_path).filter(|language| language.kind() == LanguageKind::Code);
    let language = code.filter(|_| file.content_extractable).ok_or(Parsing::NoCode)?;
    let text = snapshot.text(index).map_err(|_| Parsing::NoCode)?;
    analysis_of(&text, language, syntax)
}

fn analysis_of(text: &str, language: Language, syntax: &SyntaxCache) -> Result<Analysis, Parsing> {
    if text.len() > MAX_PARSED {
        return Err(Parsing::TooLarge);
    }
    syntax.analysis(text, language).map_err(|why| match why {
        Unparsed::NoGrammar => Parsing::NoGrammar,
        Unparsed::GivenUp => Parsing::GivenUp,
        Unparsed::Panicked => Parsing::Panicked,
    })
}

fn measures(snapshot: &Snapshot, about: &Description, analyses: Vec<Result<Analysis, Parsing>>) -> Vec<Measure> {
    let graph = graph(snapshot, about, &analyses);
    let centrality = graph.ranks(&[]).files;
    let measure = |(index, analysis): (usize, Result<Analysis, Parsing>)| {
        let (parsing, facts) = match analysis {
            Ok(analysis) => (Parsing::Parsed, analysis.facts),
            Err(parsing) => (parsing, Facts::default()),
        };
        Measure { parsing, facts, centrality: centrality[index] * graph.len() as f64, ..Measure::default() }
    };
    let mut measures: Vec<Measure> = analyses.into_iter().enumerate().map(measure).collect();
    for ((measure, fan_in), fan_out) in measures.iter_mut().zip(graph.fan_in()).zip(graph.fan_out()) {
        (measure.fan_in, measure.fan_out) = (fan_in, fan_out);
    }
    measures
}

fn graph(snapshot: &Snapshot, about: &Description, analyses: &[Result<Analysis, Parsing>]) -> CodeGraph {
    let file = |file: &FileMetadata| {
        let language = Language::of_path(&file.relative_path).unwrap_or(Language::TEXT);
        (file.relative_path.clone(), language)
    };
    let mut builder = GraphBuilder::new(snapshot.project.files.iter().map(file));
    let said = || (0u32..).zip(analyses).filter_map(|(file, analysis)| Some((file, analysis.as_ref().ok()?)));
    for (file, analysis) in said() {
        for (number, symbol) in (0u32..).zip(analysis.facts.symbols()) {
            builder.define(file, number, &symbol);
        }
    }
    for (file, analysis) in said() {
        let references = analysis.references.iter();
        let uses = references.filter_map(|used| Some((builder.name(&used.name)?, used.count))).collect();
        builder.uses(file, uses);
        builder.imports(file, analysis.facts.imports.iter().map(|import| import.module.clone()).collect());
    }
    builder.finish(packages::packages(snapshot, about))
}

/// Which files are parsed: those worth the most by name and size, up to so many bytes of code.
fn within_reach(snapshot: &Snapshot, most: usize) -> Vec<bool> {
    let files = &snapshot.project.files;
    let is_code = |path: &str| Language::of_path(path).is_some_and(|language| language.kind() == LanguageKind::Code);
    let mut code: Vec<usize> = (0..files.len()).filter(|&index| is_code(&files[index].relative_path)).collect();
    code.sort_by(|&a, &b| default_rank(&files[b]).total_cmp(&default_rank(&files[a])).then(a.cmp(&b)));
    let mut reached = vec![true; files.len()];
    let mut bytes = 0usize;
    for index in code {
        bytes = bytes.saturating_add(snapshot.text_bytes(index).unwrap_or(0));
        reached[index] = bytes <= most;
    }
    reached
}

/// Centrality weighs more than churn: a file on which much depends explains more than one that is often touched.
fn rank(measure: &Measure, file: &FileMetadata) -> f64 {
    default_rank(file) + 2.0 * (1.0 + measure.centrality).log2() + (1.0 + measure.churn as f64).log2()
}

fn panicked(measures: &[Measure], files: &[FileMetadata]) -> Option<String> {
    let paths = measures.iter().zip(files).filter(|(measure, _)| measure.parsing == Parsing::Panicked);
    let paths: Vec<&str> = paths.map(|(_, file)| file.relative_path.as_str()).collect();
    let named: Vec<String> = paths.iter().take(NAMED_IN_WARNINGS).map(|path| format!("`{path}`")).collect();
    (!paths.is_empty()).then(|| {
        format!(
            "The parser failed on some files, of which nothing is told: {} in all, such as {}.",
            paths.len(),
            named.join(", ")
        )
    })
}

/// A text on one line, of at most so many bytes.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let joined = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let mut out = String::new();
    for word in joined {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        if out.len() > most {
            out.truncate(ai_assist_text::floor_boundary(&out, most.saturating_sub(3)));
            out.push_str("...");
            break;
        }
    }
    out
}

#[cfg(test)]
#[path = "survey/survey_tests.rs"]
mod tests;
