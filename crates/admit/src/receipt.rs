//! The account of everything a walk has seen.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Exclusion, Outcome, Problem, Reason};

/// What a walk saw and what became of it; [`Receipt::record`] adds what reading found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Entries seen below the root, files and folders.
    pub seen: usize,
    /// Folders entered below the root.
    pub folders: usize,
    /// Files selected.
    pub candidates: usize,
    /// Entries not taken during the walk, by reason. A folder that was not entered counts as one.
    pub excluded: BTreeMap<Reason, usize>,
    /// Entries that were gone again before they could be looked at.
    pub vanished: usize,
    /// Candidates read and admitted.
    pub admitted: usize,
    /// Candidates that reading turned away, by reason.
    pub refused: BTreeMap<Reason, usize>,
    /// Candidates that were gone when they were to be read.
    pub vanished_later: usize,
    /// Values taken out of admitted text, by rule.
    pub redacted: BTreeMap<String, usize>,
    /// What stayed out and why, one by one, save for what no glob asked for or what is hidden. Sorted by path.
    pub exclusions: Vec<Exclusion>,
    /// What went wrong without ending the walk. Sorted by path.
    pub problems: Vec<Problem>,
}

impl Receipt {
    /// Adds what became of one candidate that was read.
    pub fn record(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Admitted(admitted) => {
                self.admitted += 1;
                for redaction in admitted.redactions() {
                    *self.redacted.entry(redaction.rule.to_owned()).or_default() += redaction.count;
                }
            }
            Outcome::Excluded(exclusion) => {
                *self.refused.entry(exclusion.reason).or_default() += 1;
                if matches!(exclusion.reason, Reason::Unreadable | Reason::Unstable) {
                    self.problems.push(Problem {
                        path: exclusion.path.as_str().to_owned(),
                        message: format!("{}: {}", exclusion.reason.describe(), exclusion.rule),
                    });
                }
                self.exclusions.push(exclusion.clone());
            }
            Outcome::Vanished => self.vanished_later += 1,
        }
    }

    /// Whether every entry seen by the walk is accounted for exactly once.
    pub fn is_conserved(&self) -> bool {
        self.seen == self.folders + self.candidates + self.vanished + self.excluded.values().sum::<usize>()
    }
}
