//! Putting together what the walk and the readings found, so that every entry is accounted for.

use std::collections::BTreeMap;
use std::path::Path;

use ai_assist_admit::{Candidate, Exclusion, Reason, Receipt, Selection, Worth};
use ai_assist_identity::DocPath;
use rayon::prelude::*;

use super::{Entry, ScanOptions, Slot, Snapshot, now};
use crate::PackError;
use crate::categories::{category_of, extension, text_type, type_by_name};
use crate::key_files::KeyFileDetector;
use crate::tree::directory_tree;
use crate::types::{ExcludedFile, ExclusionReason, ExclusionStats, FileMetadata, FileType, ProjectSnapshot};

/// The account of one scan, open until all slots are in.
pub(super) struct Account<'a> {
    options: &'a ScanOptions,
    selection: &'a Selection,
    root: String,
    receipt: Receipt,
    by_reason: BTreeMap<ExclusionReason, usize>,
    excluded: Vec<ExcludedFile>,
    gone: usize,
}

impl<'a> Account<'a> {
    pub(super) fn new(selection: &'a Selection, options: &'a ScanOptions, root: String, receipt: Receipt) -> Self {
        let mut by_reason = BTreeMap::new();
        for (&reason, &count) in &receipt.excluded {
            *by_reason.entry(ExclusionReason::from(reason)).or_default() += count;
        }
        let of_walk = |exclusion: &Exclusion| excluded_file(exclusion, size_on_disk(&selection.root, &exclusion.path));
        let excluded = receipt.exclusions.par_iter().map(of_walk).collect();
        Account { options, selection, root, receipt, by_reason, excluded, gone: 0 }
    }

    pub(super) fn close(
        mut self,
        candidates: Vec<Candidate>,
        slots: Vec<(FileMetadata, Slot)>,
    ) -> Result<Snapshot, PackError> {
        let listed_by_walk = self.excluded.len();
        let mut files = Vec::with_capacity(candidates.len());
        let mut entries = Vec::with_capacity(candidates.len());
        let mut with_secrets = Vec::new();
        for (candidate, (file, slot)) in candidates.into_iter().zip(slots) {
            let facts = match slot {
                Slot::Read(facts) => Some(facts),
                Slot::Refused(exclusion) => {
                    *self.by_reason.entry(exclusion.reason.into()).or_default() += 1;
                    let file = excluded_file(&exclusion, candidate.stamp().size);
                    if exclusion.reason == Reason::SecretValue {
                        with_secrets.push(file.clone());
                    }
                    self.excluded.push(file);
                    None
                }
                Slot::Gone => {
                    self.gone += 1;
                    continue;
                }
            };
            files.push(file);
            entries.push(Entry { candidate, facts });
        }
        self.excluded.sort_by(|a, b| a.path.cmp(&b.path));
        let unlisted = self.receipt.excluded.values().sum::<usize>().saturating_sub(listed_by_walk);
        let read = entries.iter().filter(|entry| entry.facts.is_some()).count();
        let stats = self.check(read, files.len(), unlisted)?;
        let key_files = KeyFileDetector { limits: self.options.key_files.clone() }.detect(&files);
        for pick in &key_files {
            files[pick.index].is_key_file = true;
        }
        let name = self.root.rsplit('/').next().unwrap_or_default().to_owned();
        let project = ProjectSnapshot {
            scan_timestamp: now(),
            directory_tree: directory_tree(&name, &files),
            total_files: read + stats.total(),
            total_directories: self.receipt.folders,
            total_size_bytes: files.iter().map(|file| file.size_bytes).sum(),
            files,
            excluded_files: self.excluded,
            exclusion_stats: stats,
            root_path: self.root,
        };
        Ok(Snapshot {
            project,
            entries,
            key_files,
            exclusions_by_reason: self.by_reason,
            unlisted,
            limits: self.selection.limits,
            receipt: self.receipt,
            with_secrets,
            allowances: match &self.selection.worth {
                Worth::Packs(rules) => rules.allowances.clone(),
                Worth::Everything => Vec::new(),
            },
        })
    }

    /// Every entry that was seen is a folder, a file that was read, one that stays out, or gone.
    fn check(&self, read: usize, selected: usize, unlisted: usize) -> Result<ExclusionStats, PackError> {
        let mut stats = ExclusionStats::default();
        for (&reason, &count) in &self.by_reason {
            stats.add(reason, count);
        }
        let receipt = &self.receipt;
        let seen = receipt.folders + receipt.vanished + self.gone + read + stats.total();
        let broken = if !receipt.is_conserved() {
            Some("the walk counted an entry twice or not at all".to_owned())
        } else if selected + self.gone != receipt.candidates {
            Some(format!("{} files were selected, {selected} read and {} gone", receipt.candidates, self.gone))
        } else if seen != receipt.seen {
            Some(format!("{} entries were seen, {seen} are accounted for", receipt.seen))
        } else if self.excluded.len() + unlisted != stats.total() {
            Some(format!("{} files stay out, {} have a reason", self.excluded.len() + unlisted, stats.total()))
        } else {
            None
        };
        broken.map_or(Ok(stats), |message| Err(PackError::NotConserved { message }))
    }
}

fn excluded_file(exclusion: &Exclusion, size_bytes: u64) -> ExcludedFile {
    let rule = format!("{}: {}", exclusion.reason.describe(), exclusion.rule);
    ExcludedFile { path: exclusion.path.as_str().to_owned(), reason: exclusion.reason.into(), rule, size_bytes }
}

/// The size of a regular file; nothing is opened and no symlink followed.
fn size_on_disk(root: &Path, path: &DocPath) -> u64 {
    std::fs::symlink_metadata(root.join(path.to_path_buf()))
        .ok()
        .filter(std::fs::Metadata::is_file)
        .map_or(0, |m| m.len())
}

pub(super) fn metadata(root: &str, candidate: &Candidate, slot: &Slot) -> FileMetadata {
    let path = candidate.path();
    let facts = if let Slot::Read(facts) = slot { Some(facts) } else { None };
    let is_binary = matches!(slot, Slot::Refused(exclusion) if exclusion.reason == Reason::Binary);
    FileMetadata {
        path: format!("{}/{path}", root.trim_end_matches('/')),
        relative_path: path.as_str().to_owned(),
        name: path.file_name().to_owned(),
        extension: extension(path.file_name()),
        size_bytes: candidate.stamp().size,
        file_type: match (facts, type_by_name(path.as_str())) {
            (Some(_), _) => text_type(path.as_str()),
            (None, FileType::Text | FileType::Unknown) if is_binary => FileType::Binary,
            (None, by_name) => by_name,
        },
        category: category_of(path.as_str()),
        is_key_file: false,
        content_extractable: facts.is_some(),
        hash: facts.map(|facts| facts.hash),
        encoding: facts.filter(|facts| !facts.is_plain()).map(|facts| facts.encoding.name().to_owned()),
        replaced_characters: facts.map_or(0, |facts| facts.replaced),
        executable: candidate.is_executable(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::whole_tree;

    #[test]
    fn an_account_that_does_not_add_up_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "a").unwrap();
        let selection = whole_tree(folder.path(), ai_assist_admit::PackRules::default()).unwrap();
        let options = ScanOptions::default();
        let close =
            |receipt: Receipt| Account::new(&selection, &options, "/p".to_owned(), receipt).close(vec![], vec![]);
        assert!(close(Receipt::default()).is_ok());
        let cases = [
            (Receipt { seen: 1, ..Receipt::default() }, "the walk counted"),
            (Receipt { seen: 1, candidates: 1, ..Receipt::default() }, "1 files were selected, 0 read and 0 gone"),
        ];
        for (receipt, expected) in cases {
            match close(receipt) {
                Err(PackError::NotConserved { message }) => assert!(message.starts_with(expected), "{message}"),
                other => panic!("{other:?}"),
            }
        }
    }
}
