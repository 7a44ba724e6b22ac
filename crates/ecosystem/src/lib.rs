//! What a project depends on, read from its own lock files; where the documents of those dependencies lie on this machine;
//! and what the project is, told from its manifests.
//!
//! What comes in: the root of a project, and for documents the [`Homes`] where package managers keep what they fetched. What
//! goes out: [`Found`], every dependency at exactly the version in use with a note of whether the project names it itself;
//! and [`LocalPackage`], a folder, and the globs that tell its documents, examples and public items.
//!
//! For a [`Description`] a [`Tree`] comes in, paths and texts that somebody else has read: that part opens no file.
//!
//! Everything read here was written by others. A lock file that can't be read is a warning, never a failure; names and
//! versions are checked by the rules of their ecosystem before any of them becomes part of a path; and nothing outside the
//! root and the homes is looked at, whatever symlinks and names say.
//!
//! This room must not know what the documents are for: no collections, no network, no terminal, no environment.

mod cargo;
mod dependency;
mod describe;
mod docs;
mod ecosystem;
mod found;
mod go;
mod jvm;
mod listing;
mod lock_error;
mod names;
mod npm;
mod pieces;
mod python;
mod root;

pub use dependency::{Dependency, DependencyRef, PackageName, RefError};
pub use describe::{
    DependencyKind, DescribedDependency, DescribedPackage, Description, EntryPoint, EntryPointKind, Stated, Tree,
    describe, is_manifest,
};
pub use docs::{Homes, LocalPackage, local_package};
pub use ecosystem::{Ecosystem, UnknownEcosystem};
pub use found::{Found, dependencies};
