//! The account of everything a walk has seen.

use std::collections::BTreeMap;

use ai_assist_identity::DocPath;
use serde::{Deserialize, Serialize};

use crate::{Exclusion, Outcome, Problem, Reason};

/// What a walk saw and what became of it; [`Receipt::record`] adds what reading found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Entries seen below the root, files and folders.
    pub seen: usize,
    pub folders: usize,
    pub candidates: usize,
    /// Entries not taken during the walk, by reason. A folder that was not entered counts as one.
    pub excluded: BTreeMap<Reason, usize>,
    /// Entries that were gone again before they could be looked at.
    pub vanished: usize,
    pub admitted: usize,
    /// Candidates that reading turned away, by reason.
    pub refused: BTreeMap<Reason, usize>,
    /// Candidates that were gone when they were to be read.
    pub vanished_later: usize,
    /// Values taken out of admitted text, by rule.
    pub redacted: BTreeMap<String, usize>,
    /// Files admitted because somebody named them by hand, past every rule and unredacted. Sorted.
    #[serde(default)]
    pub allowed: Vec<DocPath>,
    /// What stayed out and why, one by one, save for what no glob asked for or what is hidden. Sorted by path.
    pub exclusions: Vec<Exclusion>,
    /// What went wrong without ending the walk. Sorted by path.
    pub problems: Vec<Problem>,
}

impl Receipt {
    pub fn record(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Admitted(admitted) => {
                self.admitted += 1;
                if admitted.is_allowed()
                    && let Err(at) = self.allowed.binary_search(admitted.path())
                {
                    self.allowed.insert(at, admitted.path().clone());
                }
                for redaction in admitted.redactions() {
                    *self.redacted.entry(redaction.rule.to_owned()).or_default() += redaction.count;
                }
            }
            Outcome::Excluded(exclusion) => {
                *self.refused.entry(exclusion.reason).or_default() += 1;
                if exclusion.reason.is_failure() {
                    self.problems.push(Problem {
                        path: exclusion.path.as_str().to_owned(),
                        message: format!("{}: {}", exclusion.reason.describe(), exclusion.rule),
                        missing: false,
                    });
                }
                self.exclusions.push(exclusion.clone());
            }
            Outcome::Vanished => self.vanished_later += 1,
        }
    }

    /// Whether a path lies where the walk could not look. That it was not seen says nothing then.
    pub fn hides(&self, path: &str) -> bool {
        self.problems.iter().any(|problem| {
            let below =
                || path.strip_prefix(&problem.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            problem.path == "." || below()
        })
    }

    /// The rule of an ignore file because of which nothing is left, or next to nothing, as a problem of that file.
    ///
    /// A rule that is made of wildcards is one if less than a tenth is left. Any other is one only if nothing is left and no glob had a part in
    /// that: a few sources beside many objects are as they should be.
    pub fn swallowed(&self) -> Option<Problem> {
        let mut dropped: BTreeMap<&str, usize> = BTreeMap::new();
        for exclusion in self.exclusions.iter().filter(|exclusion| exclusion.reason == Reason::IgnoreFile) {
            *dropped.entry(&exclusion.rule).or_default() += 1;
        }
        let (rule, count) = dropped.into_iter().max_by_key(|(_, count)| *count)?;
        let (place, pattern) = rule.split_once(": ")?;
        let takes_all = if pattern.chars().all(|c| matches!(c, '*' | '/' | '.')) {
            self.candidates * 10 <= count
        } else {
            self.candidates == 0 && !self.excluded.contains_key(&Reason::NotMatched)
        };
        let entries = if count == 1 { "entry" } else { "entries" };
        let left = match self.candidates {
            0 => "nothing is left".to_owned(),
            1 => "1 file is left".to_owned(),
            files => format!("{files} files are left"),
        };
        let message = format!("the rule `{pattern}` drops {count} {entries}, and {left}");
        takes_all.then(|| Problem { path: place.to_owned(), message, missing: false })
    }

    /// Whether every entry seen by the walk is accounted for exactly once, and no more candidates were read than there are.
    pub fn is_conserved(&self) -> bool {
        let read = self.admitted + self.vanished_later + self.refused.values().sum::<usize>();
        self.seen == self.accounted() && read <= self.candidates
    }

    /// The entries of which the walk can say what became of them.
    pub(crate) fn accounted(&self) -> usize {
        self.folders + self.candidates + self.vanished + self.excluded.values().sum::<usize>()
    }
}
