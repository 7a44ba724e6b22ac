//! The summary pack: what can be said about a project without sending it, made without a model.
//!
//! Every statement names what it was derived from, in brackets: the file and line, or the manifest and key. `overview` says
//! what the project is, `architecture` how it is cut, `signs` what stands out and what is missing, `key_files` what its
//! most important files and entry points offer, `hotspots` where to look twice. `fit` leaves out what there is no room for.

mod architecture;
mod doc;
mod fit;
mod hotspots;
mod key_files;
mod listing;
mod overview;
mod signs;

use crate::full::{Room, scanned};
use crate::manifest::ManifestInput;
use crate::survey::Survey;
use crate::tokens::TokenCounter;
use crate::types::{ExclusionReason, PackMetadata, PackType, RepoSummary, SummaryPack};
use crate::{PackError, Snapshot};

/// The bytes a summary has at most where the caller says nothing.
const DEFAULT_MAX_BYTES: usize = 500_000;

pub struct SummaryPackBuilder<'a> {
    pub survey: &'a Survey,
    /// What is known of the project; usually [`Survey::manifest_input`].
    pub manifest: ManifestInput,
    pub selection_reason: String,
    /// Leaves out what differs from one run to the next, and where the folder lies.
    pub reproducible: bool,
    pub count_tokens: bool,
    /// How many bytes the whole summary has at most, in the format of `room`, else in JSON; 500,000 if it is not said.
    pub max_content_bytes: Option<usize>,
    pub room: Option<Room>,
}

impl SummaryPackBuilder<'_> {
    /// Makes a summary of a snapshot. However large the project is, what matters most is said.
    pub fn build(&self, snapshot: &Snapshot, counter: &TokenCounter) -> Result<SummaryPack, PackError> {
        let survey = self.survey;
        let pack = SummaryPack {
            manifest: self.manifest.fill(snapshot),
            file_index: Vec::new(),
            repo_summary: RepoSummary {
                description: overview::description(snapshot, survey),
                architecture_pattern: architecture::pattern(snapshot, survey),
                key_technologies: overview::technologies(snapshot, survey),
                notable_patterns: signs::patterns(snapshot, survey),
                potential_concerns: signs::concerns(snapshot, survey),
            },
            key_files_summary: key_files::key_files(snapshot, survey),
            entrypoints: key_files::entry_points(snapshot, survey),
            risk_hotspots: hotspots::hotspots(snapshot, survey),
            metadata: self.metadata(snapshot)?,
        };
        fit::fit(self, &pack, snapshot, counter)
    }

    fn metadata(&self, snapshot: &Snapshot) -> Result<PackMetadata, PackError> {
        let project = &snapshot.project;
        let readable = project.files.iter().filter(|file| file.content_extractable).count();
        let mut exclusions_by_reason = snapshot.exclusions_by_reason.clone();
        // No text is sent, and of the reasons of the spec this is the one for which there are summaries.
        if readable > 0 {
            *exclusions_by_reason.entry(ExclusionReason::SizeLimit).or_default() += readable;
        }
        let excluded = exclusions_by_reason.values().sum::<usize>();
        if excluded != project.total_files {
            let message = format!("{} files were seen, {excluded} are not in the summary", project.total_files);
            return Err(PackError::NotConserved { message });
        }
        Ok(PackMetadata {
            pack_type: PackType::Summary,
            files_excluded: excluded,
            selection_reason: self.selection_reason.clone(),
            exclusions_by_reason,
            ..scanned(snapshot, self.reproducible, 0..project.files.len())
        })
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// The first of many, and how many more there are.
fn listed<T: AsRef<str>>(all: &[T], most: usize) -> String {
    let shown: Vec<&str> = all.iter().take(most).map(AsRef::as_ref).collect();
    let more = all.len().saturating_sub(most);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}
