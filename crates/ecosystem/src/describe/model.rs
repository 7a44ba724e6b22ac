//! What a description is made of.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// What is known of a project's files. Whoever walked the project implements it; nothing is opened here.
pub trait Tree {
    /// Every path, relative to the project's root, separated by `/`, sorted.
    fn paths(&self) -> &[String];

    /// The text of a file. Only asked for paths that are among [`Tree::paths`] and that [`is_manifest`](crate::is_manifest)
    /// says yes to.
    fn text(&self, path: &str) -> Option<Cow<'_, str>>;
}

/// Something that is said of a project, with what it was derived from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stated<T> {
    pub value: T,
    /// The file it was derived from, as `path` or `path: key`.
    pub evidence: String,
}

impl<T> Stated<T> {
    pub(super) fn new(value: T, evidence: impl Into<String>) -> Self {
        Stated { value, evidence: evidence.into() }
    }
}

/// When a dependency is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DependencyKind {
    /// When the project runs, or when what uses it does.
    Runtime,
    /// Only to build, test or check the project.
    Dev,
    /// When it runs, but whoever uses the project brings it along.
    Peer,
}

/// A dependency as a manifest names it. What lock files resolve it to is told by [`dependencies`](crate::dependencies).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescribedDependency {
    /// The name in its ecosystem; `group:artifact` for those of Maven and Gradle.
    pub name: String,
    /// The version or range as it is written, after properties, catalogs and workspaces were looked up. Users and
    /// passwords in addresses are taken out.
    pub version: Option<String>,
    pub kind: DependencyKind,
    /// `cargo`, `npm`, `python`, `go`, `maven`, `rubygems`, `composer`, `nuget`, `cmake`, `meson`, `conan`, `vcpkg`, `bazel`.
    pub ecosystem: String,
    /// The path of the manifest that names it.
    pub manifest: String,
}

/// What is reached through an entry point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryPointKind {
    /// A program for the command line; also one of which nothing else is known.
    Cli,
    Web,
    Api,
    Library,
    /// A file that is run by hand.
    Script,
}

/// A file from which a reader, or the machine, starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryPoint {
    pub path: String,
    pub kind: EntryPointKind,
    pub evidence: String,
}

/// A part of a workspace or a monorepo that has a manifest of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescribedPackage {
    /// The name in the manifest, or that of the folder.
    pub name: String,
    /// The folder, relative to the root.
    pub path: String,
    /// As in [`Description::kind`], never `mixed` or `unknown`.
    pub kind: String,
    pub manifest: String,
}

/// A project, as its manifests and the names of its files tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// The name; `unknown` if nothing names the project.
    pub name: Stated<String>,
    /// `rust`, `node`, `python`, `go`, `java`, `kotlin`, `ruby`, `php`, `dotnet`, `c`, `cpp`, `mixed` or `unknown`.
    pub kind: Stated<String>,
    /// What the manifest says of the project, else the first paragraph of the README.
    pub description: Option<Stated<String>>,
    /// The version in the manifest at the root.
    pub version: Option<Stated<String>>,
    /// The license as the manifest has it, else by the title of the license file.
    pub license: Option<Stated<String>>,
    /// What the manifests ask for, by ecosystem, name, kind and manifest. The project's own packages are not among them.
    pub dependencies: Vec<DescribedDependency>,
    pub entry_points: Vec<EntryPoint>,
    pub build_systems: Vec<Stated<String>>,
    pub test_frameworks: Vec<Stated<String>>,
    /// Frameworks, databases, CI, containers and the like, by name.
    pub technologies: Vec<Stated<String>>,
    /// The parts below the root that have manifests of their own, by path.
    pub packages: Vec<DescribedPackage>,
    /// What could not be read and what was left out, in full sentences.
    pub warnings: Vec<String>,
}
