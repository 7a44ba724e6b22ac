//! Building a repository's indexes.
//!
//! A build is a folder that never changes once it is current. A new one starts from the one before, or from that of another
//! clone or work tree of the same repository: what has not changed is shared by hard links, so its cost follows the change
//! and not the repository. The steps: `survey` walks the repository and lays what is there beside what is known, `examine`
//! reads and cuts what differs, `mode_build` writes it, and `promote` makes it current.

mod base;
pub(crate) mod db;
mod differences;
mod error;
mod examine;
mod mode_build;
mod run;
mod survey;

use std::collections::BTreeMap;
use std::path::PathBuf;

use ai_assist_admit::{Convert, Limits, Problem, Reason, RedactedAt};
use ai_assist_identity::{CanonicalPath, RepoId};
use serde::Serialize;

use crate::layout::{Mode, RepoCache};

pub use base::RepoFile;
pub(crate) use differences::differences;
pub use error::{BuildError, Result};
pub use run::build_repo;

#[derive(Debug, Clone)]
pub struct BuildRequest {
    pub root: CanonicalPath,
    pub repo_id: RepoId,
    pub cache: RepoCache,
    /// The modes to build; the others stay as they are.
    pub modes: Vec<Mode>,
    /// Below which folder vectors, and what code says about itself, are kept for others.
    pub shared_cache: Option<PathBuf>,
    pub limits: Limits,
    /// Whether to read and index every file, whatever is known of it.
    pub force: bool,
    /// Whether the files of the build before are believed as long as nothing has to be written: comparing them with their sums
    /// takes longer than a look at a small repository.
    pub quick: bool,
}

impl BuildRequest {
    /// A build of all modes of the repository at a root, below a cache root.
    pub fn new(root: CanonicalPath, cache_root: &std::path::Path) -> Self {
        let repo_id = RepoId::of(&root);
        BuildRequest {
            cache: RepoCache::new(cache_root, &repo_id),
            shared_cache: Some(cache_root.to_owned()),
            root,
            repo_id,
            modes: Mode::ALL.to_vec(),
            limits: Limits { convert: Convert::Unreadable, ..Limits::default() },
            force: false,
            quick: false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildEvent<'e> {
    /// It waits for another builder of the same repository.
    Waiting,
    Walking,
    /// So many files have to be read.
    Reading(usize),
    FileDone(&'e str),
    /// The index of a mode is being made whole.
    Writing(Mode),
    Promoting,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    #[default]
    Nothing,
    Own,
    /// The current build of another clone or work tree.
    Sibling(RepoId),
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BuildReport {
    pub build_id: String,
    /// Whether it was current before, because nothing has changed.
    pub unchanged: bool,
    pub origin: Origin,
    pub modes: BTreeMap<Mode, ModeReport>,
    /// How many files the repository has that are worth indexing by their names.
    pub files: usize,
    pub read: usize,
    /// How many bytes that were.
    pub bytes_read: u64,
    pub chunked: usize,
    /// How many secret values were taken out of these.
    pub redacted: u64,
    /// Where they stood. Sorted by path.
    pub redactions: Vec<RedactedAt>,
    /// How many entries stay out, by reason, as far as they were looked at.
    pub excluded: BTreeMap<Reason, usize>,
    /// What went wrong with single files or folders; what was indexed of them before is kept.
    pub problems: Vec<Problem>,
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModeReport {
    pub documents: u64,
    pub chunks: u64,
    pub added: usize,
    pub changed: usize,
    pub removed: usize,
    /// Whether the index is that of the build before.
    pub shared: bool,
}
