//! What can be said of a project's code: its manifests and what each file of code measures.
//!
//! Every file is read once, through the snapshot, on all cores. What is kept of it is small: counts, the calls worth a
//! second look, routes and commands, and how many files import it. What only a few files are asked for (exports, outlines,
//! titles) is read again when it is wanted.

mod inputs;
mod measure;
mod resolve;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use ai_assist_base::Cancel;
use ai_assist_ecosystem::{Description, describe};
use ai_assist_syntax::Facts;
use ai_assist_text::{Language, LanguageKind};
use rayon::prelude::*;

use crate::history::History;
use crate::manifest::ManifestInput;
use crate::order::default_rank;
use crate::types::FileMetadata;
use crate::{PackError, Snapshot};

use inputs::SnapshotTree;
pub(crate) use inputs::{LOCK_FILES, named_anywhere};
pub(crate) use measure::{Measure, Parsing};
use resolve::{Edges, Resolver};

/// Texts larger than this are not parsed: they are data or were written by a program.
const MAX_PARSED: usize = 512 * 1024;

/// More code than this is not parsed in all, which takes some ten seconds of one core; the files that are worth the most go
/// first, so that the largest projects are still told in what matters.
const MAX_PARSED_IN_ALL: usize = 48 << 20;

/// No line of an outline is longer.
const LONGEST_SIGNATURE: usize = 240;

/// At most so many files are named in warnings for the same reason.
const NAMED_IN_WARNINGS: usize = 10;

/// What can be said of a project's code.
#[derive(Debug)]
pub struct Survey {
    description: Description,
    /// In the order of the snapshot's files.
    measures: Vec<Measure>,
    ranks: Vec<f64>,
    looked_at: usize,
    warnings: Vec<String>,
}

impl Survey {
    /// Reads a project's code.
    pub fn new(snapshot: &Snapshot, history: Option<&History>, cancel: &Cancel) -> Result<Survey, PackError> {
        let description = describe(&SnapshotTree::new(snapshot));
        let files = &snapshot.project().files;
        let resolver = Resolver::new(snapshot, &description);
        let reached = within_reach(snapshot, MAX_PARSED_IN_ALL);
        let stop = AtomicBool::new(false);
        let measure = |index: usize| {
            if stop.load(Ordering::Relaxed) || cancel.is_cancelled() {
                stop.store(true, Ordering::Relaxed);
                return (Measure::default(), Edges::default());
            }
            if !reached[index] {
                return (Measure { parsing: Parsing::NotReached, ..Measure::default() }, Edges::default());
            }
            measured(snapshot, index, &resolver)
        };
        let (mut measures, edges): (Vec<Measure>, Vec<Edges>) = (0..files.len()).into_par_iter().map(measure).unzip();
        if stop.load(Ordering::Relaxed) {
            return Err(PackError::Cancelled);
        }
        resolver.count(&edges, &mut measures);
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

    /// What the manifests and the names of files tell.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The manifest of a pack, as far as the project says it.
    pub fn manifest_input(&self) -> ManifestInput {
        inputs::manifest_input(&self.description).0
    }

    /// What could not be read, in full sentences.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// How much a file is worth: what [`default_rank`] says, more by the logarithm of how many files import it, and of how
    /// many commits changed it.
    pub fn rank(&self, index: usize) -> f64 {
        self.ranks.get(index).copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// How many files import a file.
    pub fn fan_in(&self, index: usize) -> usize {
        self.measures.get(index).map_or(0, |measure| measure.fan_in)
    }

    /// A file by its signatures or headings, one on each line, indented by depth; nothing if it has none.
    pub fn outline(&self, snapshot: &Snapshot, index: usize) -> Option<String> {
        let file = snapshot.project().files.get(index)?;
        let text = snapshot.text(index).ok()?;
        let language = Language::of_path(&file.relative_path)?;
        if text.len() > MAX_PARSED && language.kind() == LanguageKind::Code {
            return None;
        }
        let entries = catch_unwind(AssertUnwindSafe(|| ai_assist_chunk::outline(&text, language))).ok()?;
        let mut out = String::new();
        for entry in entries {
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

    pub(crate) fn measure(&self, index: usize) -> &Measure {
        const NOTHING: &Measure = &Measure::NOTHING;
        self.measures.get(index).unwrap_or(NOTHING)
    }

    pub(crate) fn measures(&self) -> &[Measure] {
        &self.measures
    }

    /// How many commits were looked at for the churn.
    pub(crate) fn looked_at(&self) -> usize {
        self.looked_at
    }
}

/// The manifest alone, without parsing code: for packs in which everything fits. With it, what could not be read.
pub fn manifest_of(snapshot: &Snapshot) -> (ManifestInput, Vec<String>) {
    let description = describe(&SnapshotTree::new(snapshot));
    let (input, warning) = inputs::manifest_input(&description);
    (input, description.warnings.into_iter().chain(warning).collect())
}

/// What a file of code says about itself, or why that is not known. A parser that panics costs this file's facts only.
pub(crate) fn facts_of(text: &str, language: Language) -> Result<Facts, Parsing> {
    if text.len() > MAX_PARSED {
        return Err(Parsing::TooLarge);
    }
    match catch_unwind(AssertUnwindSafe(|| ai_assist_syntax::facts(text, language))) {
        Ok(Some(facts)) => Ok(facts),
        Ok(None) => {
            // A language without a grammar has none for the empty text either.
            let has_grammar = !text.is_empty() && ai_assist_syntax::facts("", language).is_some();
            Err(if has_grammar { Parsing::GivenUp } else { Parsing::NoGrammar })
        }
        Err(_) => Err(Parsing::Panicked),
    }
}

fn measured(snapshot: &Snapshot, index: usize, resolver: &Resolver<'_>) -> (Measure, Edges) {
    let file = &snapshot.project().files[index];
    let code = Language::of_path(&file.relative_path).filter(|language| language.kind() == LanguageKind::Code);
    let Some(language) = code.filter(|_| file.content_extractable) else { return Default::default() };
    let Ok(text) = snapshot.text(index) else { return Default::default() };
    match facts_of(&text, language) {
        Ok(facts) => {
            let edges = resolver.edges(index, language, &facts.imports);
            let mut measure = Measure::new(facts);
            measure.fan_out = edges.len();
            (measure, edges)
        }
        Err(parsing) => (Measure { parsing, ..Measure::default() }, Edges::default()),
    }
}

/// Which files are parsed: those worth the most by name and size, up to so many bytes of code.
fn within_reach(snapshot: &Snapshot, most: usize) -> Vec<bool> {
    let files = &snapshot.project().files;
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

/// Fan-in weighs more than churn: a file of which much depends explains more than one that is often touched.
fn rank(measure: &Measure, file: &FileMetadata) -> f64 {
    default_rank(file) + 2.0 * (1.0 + measure.fan_in as f64).log2() + (1.0 + measure.churn as f64).log2()
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
