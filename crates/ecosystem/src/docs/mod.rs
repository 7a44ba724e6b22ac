//! The documents of a dependency that are already on this machine.

mod cargo;
mod go;
mod npm;
mod python;
mod survey;

use std::path::{Path, PathBuf};

use crate::names::{is_version, normal_name};
use crate::root::Root;
use crate::{Dependency, Ecosystem};

/// Where package managers keep what they fetched. Where one is not given, nothing is looked for there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Homes {
    /// `CARGO_HOME`, or `~/.cargo`.
    pub cargo: Option<PathBuf>,
    /// `GOMODCACHE`, or `pkg/mod` below `GOPATH`, or `~/go/pkg/mod`.
    pub go_mod_cache: Option<PathBuf>,
    /// `VIRTUAL_ENV`, for projects that don't keep it in `.venv` or `venv`.
    pub virtual_env: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalDocs {
    /// The folder, as a path without symlinks inside the project or one of the homes.
    pub folder: PathBuf,
    /// One glob that selects the documents below it, such as `{README.md,docs/**/*.{md,mdx,rst,txt,adoc}}`. Only what is there
    /// is named.
    pub glob: String,
    /// How many there are. Symlinks are not followed.
    pub files: usize,
    pub bytes: u64,
}

/// A manifest larger than this is none.
const MAX_MANIFEST: u64 = 4 * 1024 * 1024;

/// Looks for the documents of one dependency: its README, and its `docs`, `doc` and `guide` folders.
///
/// For Cargo in the sources of the registries and in `vendor`; for npm in `node_modules`; for Python in the virtual
/// environment, where a package's metadata holds its README; for Go in the module cache and in `vendor`. Only a copy of
/// exactly the version asked for counts. `None` if there is none, or if it has no documents.
pub fn local_docs(root: &Path, dependency: &Dependency, homes: &Homes) -> Option<LocalDocs> {
    let ecosystem = dependency.ecosystem;
    // Checked again, because the fields of a dependency can be filled by anyone and become paths below.
    let name = normal_name(ecosystem, &dependency.name)?;
    let version = dependency.version.as_str();
    if !is_version(ecosystem, version) {
        return None;
    }
    let root = Root::open(root).ok();
    let root = root.as_ref();
    match ecosystem {
        Ecosystem::Cargo => cargo::docs(root, homes.cargo.as_deref(), &name, version),
        Ecosystem::Npm => npm::docs(root?, &dependency.lock_file, &name, version),
        Ecosystem::Python => python::docs(root, homes.virtual_env.as_deref(), &name, version),
        Ecosystem::Go => go::docs(root, homes.go_mod_cache.as_deref(), &name, version),
    }
}
