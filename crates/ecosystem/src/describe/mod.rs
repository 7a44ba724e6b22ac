//! What a project is, told from its manifests and the names of its files.
//!
//! What comes in: a [`Tree`], all paths and the texts of the manifests. What goes out: a [`Description`] in which every
//! statement names what it was derived from. No file is opened here and nothing is made up: what no file says is left out.
//!
//! [`format`] says which files are manifests; a module for each family of languages reads them; [`known`] is the table of
//! what dependencies stand for; [`findings`] gathers it all and [`finish`] puts it in order.

mod cmake_text;
mod code;
mod dotnet;
mod files;
mod findings;
mod finish;
mod format;
mod globs;
mod go;
mod gradle;
mod gradle_lines;
mod kinds;
mod known;
mod maven;
mod model;
mod native;
mod node;
mod node_entries;
mod php;
mod python;
mod readme;
mod ruby;
mod rust;
mod tooling;
mod words;
pub(crate) mod xml;

pub use format::is_manifest;
/// What is known of poms, for who asks for versions.
pub(crate) mod poms {
    pub(crate) use super::maven::{Dependencies, Poms};
}
pub(crate) use globs::fits;
pub use model::{
    DependencyKind, DescribedDependency, DescribedPackage, Description, EntryPoint, EntryPointKind, Stated, Tree,
};

// What every reader needs, taken from here.
use files::{Files, join, upwards};
use findings::{Asked, Findings, set, texts};
use format::{Format, ending, is_foreign, split};
use globs::{Members, Workspaces};
use kinds::Family;
use known::known;

/// More manifests than these are a trap, or the root of many projects.
const MAX_MANIFESTS: usize = 4_000;

/// Describes a project. What can't be read is a warning, never a failure; the same tree gives the same description.
pub fn describe(tree: &dyn Tree) -> Description {
    let mut findings = Findings::new(Files::new(tree));
    let mut readers = Readers::default();
    for (format, path) in manifests(&mut findings) {
        if format.is_aside(path) && !readers.name(format, path) {
            continue;
        }
        if readers.exclude(format, path) {
            continue;
        }
        if let Some(text) = findings.text(path) {
            readers.read(&mut findings, format, path, &text);
        }
    }
    tooling::by_names(&mut findings);
    finish::finish(findings)
}

/// The manifests in the order in which they are read: by format, and from the root downwards.
fn manifests<'a>(findings: &mut Findings<'a>) -> Vec<(Format, &'a str)> {
    let paths = findings.files.all().iter();
    let mut manifests: Vec<(Format, &str)> = paths.filter_map(|path| Some((Format::of(path)?, *path))).collect();
    let depth = |path: &str| path.bytes().filter(|&byte| byte == b'/').count();
    let order = |&(format, path): &(Format, &'a str)| (format, depth(path), path);
    manifests.sort_by_key(order);
    manifests.dedup();
    let count = manifests.len();
    if count > MAX_MANIFESTS {
        // Cut by depth: what is near the root says most.
        manifests.sort_by_key(|(_, path)| depth(path));
        manifests.truncate(MAX_MANIFESTS);
        manifests.sort_by_key(order);
        findings.say(format!("Only the {MAX_MANIFESTS} manifests nearest to the root are read; there are {count}."));
    }
    manifests
}

/// What readers remember from one manifest to the next.
#[derive(Default)]
struct Readers {
    rust: rust::Workspaces,
    node: Workspaces,
    /// Those of uv.
    python: Workspaces,
    gradle: gradle::Gradle,
    maven: maven::Poms,
    dotnet: dotnet::Central,
}

impl Readers {
    /// Whether a workspace names the folder of a manifest as a member.
    fn name(&self, format: Format, path: &str) -> bool {
        let folder = split(path).0;
        match format {
            Format::Cargo => self.rust.include(folder),
            Format::PackageJson => self.node.include(folder),
            Format::Pyproject => self.python.include(folder),
            _ => false,
        }
    }

    /// Whether a workspace says that the folder of a manifest is none of it.
    fn exclude(&self, format: Format, path: &str) -> bool {
        let folder = split(path).0;
        match format {
            Format::Cargo => self.rust.exclude(folder),
            Format::PackageJson => self.node.exclude(folder),
            _ => false,
        }
    }

    fn read(&mut self, findings: &mut Findings<'_>, format: Format, path: &str, text: &str) {
        match format {
            Format::VersionCatalog => self.gradle.catalog(findings, path, text),
            Format::GradleSettings => self.gradle.settings(findings, path, text),
            Format::Gradle => self.gradle.build(findings, path, text),
            Format::CentralPackages => self.dotnet.versions(findings, path, text),
            Format::DotnetProject => self.dotnet.project(findings, path, text),
            Format::PnpmWorkspace => self.node.pnpm(findings, path, text),
            Format::Lerna => self.node.lerna(findings, path, text),
            Format::PackageJson => self.node.package(findings, path, text),
            Format::Cargo => self.rust.manifest(findings, path, text),
            Format::Pyproject => self.python.pyproject(findings, path, text),
            Format::SetupCfg => python::setup_cfg(findings, path, text),
            Format::SetupPy => python::setup_py(findings, path, text),
            Format::Pipfile => python::pipfile(findings, path, text),
            Format::Requirements => python::requirements(findings, path, text),
            Format::GoMod => go::module(findings, path, text),
            Format::Pom => self.maven.pom(findings, path, text),
            Format::Gemspec => ruby::gemspec(findings, path, text),
            Format::Gemfile => ruby::gemfile(findings, path, text),
            Format::Composer => php::composer(findings, path, text),
            Format::CMake => native::cmake(findings, path, text),
            Format::Meson => native::meson(findings, path, text),
            Format::ConanText => native::conan(findings, path, text),
            Format::Vcpkg => native::vcpkg(findings, path, text),
            Format::BazelModule => tooling::bazel(findings, path, text),
            Format::Nix => tooling::nix(findings, path, text),
            Format::Compose => tooling::compose(findings, path, text),
            Format::Readme => readme::readme(findings, path, text),
            Format::License => readme::license(findings, path, text),
        }
    }
}
