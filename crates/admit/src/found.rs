//! What has been found, and its account.

use std::path::Path;

use ai_assist_base::platform::{Errno, path_of};
use ai_assist_identity::DocPath;

use crate::listing::Listing;
use crate::order::{self, Block};
use crate::policy::Refusal;
use crate::visit::Link;
use crate::{AdmitError, Candidate, Exclusion, Problem, Reason, Receipt, Walked};

#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) for_a_pack: bool,
    /// Files reached through a symlink of their own.
    pub(crate) linked: Vec<Candidate>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) selected: usize,
    pub(crate) links: Vec<Link>,
    pub(crate) excluded: [usize; Reason::ALL.len()],
    pub(crate) exclusions: Vec<Exclusion>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) seen: usize,
    pub(crate) folders: usize,
    pub(crate) vanished: usize,
    /// Kept from folder to folder for its memory.
    pub(crate) listing: Listing,
}

impl Found {
    pub(crate) fn absorb(&mut self, mut other: Found) {
        self.linked.append(&mut other.linked);
        self.blocks.append(&mut other.blocks);
        self.selected += other.selected;
        self.links.append(&mut other.links);
        self.exclusions.append(&mut other.exclusions);
        self.problems.append(&mut other.problems);
        for (mine, theirs) in self.excluded.iter_mut().zip(other.excluded) {
            *mine += theirs;
        }
        self.seen += other.seen;
        self.folders += other.folders;
        self.vanished += other.vanished;
    }

    pub(crate) fn exclude(&mut self, path: &[u8], refusal: Refusal) {
        let reason = refusal.reason;
        self.excluded[reason as usize] += 1;
        // What nobody asked for is counted, not listed: it may be the whole disk. A pack names what it leaves out of a project,
        // the history included.
        let is_quiet = matches!(reason, Reason::NotMatched | Reason::Hidden)
            || reason == Reason::VersionControl && !self.for_a_pack;
        if is_quiet {
            return;
        }
        match doc_path(path) {
            Ok(path) => self.exclusions.push(Exclusion { path, reason, rule: refusal.into_rule() }),
            Err(message) => self.problem(path, message),
        }
    }

    pub(crate) fn problem(&mut self, path: &[u8], message: String) {
        let path = if path.is_empty() { ".".to_owned() } else { String::from_utf8_lossy(path).into_owned() };
        self.problems.push(Problem { path, message, missing: false });
    }

    pub(crate) fn missing(&mut self, path: &[u8]) {
        self.vanished += 1;
        let path = String::from_utf8_lossy(path).into_owned();
        self.problems.push(Problem { path, message: "is not there".to_owned(), missing: true });
    }

    pub(crate) fn unreadable(&mut self, path: &[u8], errno: Errno) {
        let message = std::io::Error::from(errno).to_string();
        self.problem(path, message.clone());
        self.exclude(path, Refusal::new(Reason::Unreadable, message));
    }

    /// The result of a walk below this root.
    pub(crate) fn finish(mut self, root: &Path) -> Result<Walked, AdmitError> {
        let candidates = order::by_path(self.blocks, self.linked);
        self.exclusions.sort_by(|a, b| a.path.cmp(&b.path));
        self.problems.sort_by(|a, b| (&a.path, &a.message).cmp(&(&b.path, &b.message)));
        let counted = |&reason: &Reason| Some((reason, self.excluded[reason as usize])).filter(|(_, count)| *count > 0);
        let receipt = Receipt {
            seen: self.seen,
            folders: self.folders,
            candidates: candidates.len(),
            excluded: Reason::ALL.iter().filter_map(counted).collect(),
            vanished: self.vanished,
            exclusions: self.exclusions,
            problems: self.problems,
            ..Receipt::default()
        };
        if !receipt.is_conserved() {
            let (seen, accounted) = (receipt.seen, receipt.accounted());
            return Err(AdmitError::NotConserved { path: root.to_owned(), seen, accounted });
        }
        Ok(Walked { candidates, receipt })
    }
}

pub(crate) fn doc_path(path: &[u8]) -> Result<DocPath, String> {
    DocPath::from_relative(&path_of(path)).map_err(|error| error.to_string())
}
