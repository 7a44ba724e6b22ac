//! The manifest of a workspace: which index of which repository stands where, and in what state.
//!
//! [`generate_manifest`] looks at pointers and at what the system says of files, and reads nothing of an index but its
//! `index_state.json`. [`manifest_hash`] covers what can change the outcome of a search and nothing that is only shown.
//! [`write_manifest`] leaves an unchanged manifest alone; [`read_manifest`] takes none that breaks the schema.

mod builds;
mod file;
mod generate;
mod hash;
mod index_entry;
mod memo;
mod types;
mod validate;

pub use file::{MANIFEST_FILE, ManifestError, Written, manifest_path, read_manifest, write_manifest};
pub use generate::{GenerateOptions, generate_manifest};
pub use hash::manifest_hash;
pub use types::{
    Availability, BuildEntry, DbEntry, Diagnostic, DiagnosticCode, Diagnostics, IndexEntry, ManifestHash, PerMode,
    Provenance, RepoEntry, SqliteEntry, WorkspaceManifest,
};
pub use validate::Violation;

#[cfg(test)]
#[path = "manifest/tests.rs"]
mod tests;
