//! What is remembered of a package's source.

use ai_assist_identity::{DocPath, Sha256, Validators};

/// What was last fetched of a package.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PackageRecord {
    pub name: String,
    pub version: String,
    /// Of the bytes of its manifest or bundle. A git source that goes by globs has neither.
    pub hash: Option<Sha256>,
    /// The text of its manifest; empty if there is none.
    pub manifest: String,
    /// What the server called this state of the manifest or bundle.
    pub validators: Validators,
    pub revision: Option<String>,
    /// Whether it came from an address that is not public.
    pub private: bool,
    /// Whether every file of it was taken in.
    pub complete: bool,
    /// Of files that have no hash in the manifest, sorted by path.
    pub files: Vec<FileValidators>,
}

/// The validators of one file of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileValidators {
    pub path: DocPath,
    /// What the server called the state that is stored.
    pub validators: Validators,
}
