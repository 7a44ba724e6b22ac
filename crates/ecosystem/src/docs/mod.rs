//! What of a dependency is already on this machine: its documents, and the files that say what it offers.

mod cargo;
mod go;
mod maven;
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
    /// `~/.m2/repository`.
    pub maven: Option<PathBuf>,
    /// `GRADLE_USER_HOME`, or `~/.gradle`.
    pub gradle: Option<PathBuf>,
    /// Where a package that is kept as an archive is unpacked.
    pub unpacked: Option<PathBuf>,
}

/// A dependency as its package manager has put it on this machine. What belongs to it is told by globs, of which those with a `!`
/// narrow the others of their list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalPackage {
    /// The folder, as a path without symlinks inside the project or one of the homes.
    pub folder: PathBuf,
    /// READMEs, changelogs and folders of documents. Only what is there is named.
    pub docs: Vec<String>,
    /// How many there are. Symlinks are not followed.
    pub files: usize,
    pub bytes: u64,
    pub examples: Vec<String>,
    /// The files that have its public items.
    pub api: Vec<String>,
    /// The zip archive that its files are in, if they are in one. The folder is then where they are to be unpacked.
    pub archive: Option<PathBuf>,
    /// The file that the modules of a crate begin with.
    pub root: Option<String>,
    /// Other packages, by name, whose items it offers as its own.
    pub passes_on: Vec<String>,
}

/// A manifest larger than this is none.
const MAX_MANIFEST: u64 = 4 * 1024 * 1024;

/// Looks for one dependency on this machine.
///
/// For Cargo in the sources of the registries and in `vendor`; for npm in `node_modules`; for Python in the virtual
/// environment, where a package's metadata holds its README; for Go in the module cache and in `vendor`; for
/// Maven and Gradle the archive of its sources, in the repository of the one and the cache of the other. Only a copy of
/// exactly the version asked for counts. `None` if there is none.
pub fn local_package(root: &Path, dependency: &Dependency, homes: &Homes) -> Option<LocalPackage> {
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
        Ecosystem::Cargo => cargo::package(root, homes.cargo.as_deref(), &name, version),
        Ecosystem::Npm => npm::package(root?, &dependency.lock_file, &name, version),
        Ecosystem::Python => python::package(root, homes.virtual_env.as_deref(), &name, version),
        Ecosystem::Go => go::package(root, homes.go_mod_cache.as_deref(), &name, version),
        Ecosystem::Maven => maven::package(homes, &name, version),
    }
}

fn globs(patterns: &[&str]) -> Vec<String> {
    patterns.iter().map(|&pattern| pattern.to_owned()).collect()
}
