//! What a project is written in.

use std::collections::BTreeMap;

use super::findings::Project;
use super::{Files, Stated, ending, is_foreign, split};

/// Manifests of one family are read together and may share a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Family {
    Rust,
    Node,
    Python,
    Go,
    Jvm,
    Ruby,
    Php,
    Dotnet,
    Native,
}

/// A family needs this share of the source files to speak for the whole, in percent.
const MOST: usize = 80;
/// Files looked at to tell the two languages of a family apart.
const ENOUGH: usize = 2_000;

/// Each family in order: its name, the ecosystem in which its projects are named as their dependents name them, what it is
/// called, and the endings of its sources.
const FAMILIES: [(Family, &str, &str, &str, &str); 9] = [
    (Family::Rust, "rust", "cargo", "Rust", "rs"),
    (Family::Node, "node", "npm", "JavaScript or TypeScript", "js mjs cjs jsx ts mts cts tsx vue svelte"),
    (Family::Python, "python", "python", "Python", "py"),
    (Family::Go, "go", "go", "Go", "go"),
    (Family::Jvm, "java", "maven", "Java or Kotlin", "java kt"),
    (Family::Ruby, "ruby", "rubygems", "Ruby", "rb"),
    (Family::Php, "php", "composer", "PHP", "php"),
    (Family::Dotnet, "dotnet", "nuget", ".NET", "cs fs vb"),
    (Family::Native, "cpp", "", "C or C++", "c cc cpp cxx hpp hh hxx"),
];

impl Family {
    fn of_source(path: &str) -> Option<Family> {
        let ending = ending(path);
        FAMILIES.iter().find(|row| row.4.split(' ').any(|own| own == ending)).map(|row| row.0)
    }

    /// The ecosystem in which its projects are named as their dependents name them; empty if there is none.
    pub(super) fn ecosystem(self) -> &'static str {
        FAMILIES[self as usize].2
    }

    /// The family's name, or that of the language most of the files are in.
    fn kind(self, paths: &[&str], stated: Option<&'static str>) -> &'static str {
        let count = |endings: &[&str]| paths.iter().take(ENOUGH).filter(|path| endings.contains(&ending(path))).count();
        let of_two = |first: &'static str, of_first: usize, second: &'static str, of_second: usize| match of_first
            .cmp(&of_second)
        {
            std::cmp::Ordering::Greater => first,
            std::cmp::Ordering::Less => second,
            std::cmp::Ordering::Equal => stated.unwrap_or(first),
        };
        match self {
            Family::Jvm => of_two("java", count(&["java"]), "kotlin", count(&["kt"])),
            Family::Native => of_two("cpp", count(&["cc", "cpp", "cxx", "hpp", "hh", "hxx"]), "c", count(&["c"])),
            other => FAMILIES[other as usize].1,
        }
    }
}

pub(super) fn of_project(files: &Files<'_>, project: &Project) -> String {
    project.family.kind(files.under(&project.folder), project.language).to_owned()
}

/// What the whole is written in, and the family that speaks for it if one does.
pub(super) fn of_all(files: &Files<'_>, projects: &[Project]) -> (Stated<String>, Option<Family>) {
    let counts = sources(files);
    let mut manifests: BTreeMap<Family, &Project> = BTreeMap::new();
    for project in projects {
        let shallower = |known: &&Project| depth(&project.folder) < depth(&known.folder);
        let known = manifests.entry(project.family).or_insert(project);
        if shallower(known) {
            *known = project;
        }
    }
    let families: Vec<Family> =
        if manifests.is_empty() { counts.keys().copied().collect() } else { manifests.keys().copied().collect() };
    // What the root is can't be outvoted by what lies below, such as C sources that a package brings along.
    let root: Vec<Family> = projects.iter().filter(|own| own.folder.is_empty()).map(|own| own.family).collect();
    let leader = leader(&families, &counts).filter(|family| root.is_empty() || root.contains(family));
    let Some(family) = leader else {
        return match families.as_slice() {
            [] => (Stated::new("unknown".to_owned(), "no manifest and no source file"), None),
            _ => (Stated::new("mixed".to_owned(), mixed_evidence(&manifests, &counts)), None),
        };
    };
    let stated = projects.iter().filter(|project| project.family == family).find_map(|project| project.language);
    let kind = family.kind(files.all(), stated).to_owned();
    let evidence = match manifests.get(&family) {
        Some(project) => project.manifest.clone(),
        None => shares(&families, &counts),
    };
    (Stated::new(kind, evidence), Some(family))
}

fn depth(folder: &str) -> usize {
    if folder.is_empty() { 0 } else { folder.split('/').count() }
}

fn sources(files: &Files<'_>) -> BTreeMap<Family, usize> {
    let mut counts = BTreeMap::new();
    for path in files.all().iter().filter(|path| !is_foreign(split(path).0)) {
        if let Some(family) = Family::of_source(path) {
            *counts.entry(family).or_default() += 1;
        }
    }
    counts
}

/// The one family, or the one that nearly all source files belong to.
fn leader(families: &[Family], counts: &BTreeMap<Family, usize>) -> Option<Family> {
    if let [only] = families {
        return Some(*only);
    }
    let count = |family: &Family| counts.get(family).copied().unwrap_or(0);
    let total: usize = families.iter().map(count).sum();
    families.iter().copied().find(|family| total > 0 && count(family) * 100 >= total * MOST)
}

fn mixed_evidence(manifests: &BTreeMap<Family, &Project>, counts: &BTreeMap<Family, usize>) -> String {
    if manifests.is_empty() {
        return shares(&counts.keys().copied().collect::<Vec<_>>(), counts);
    }
    manifests.values().map(|project| project.manifest.as_str()).collect::<Vec<_>>().join(", ")
}

fn shares(families: &[Family], counts: &BTreeMap<Family, usize>) -> String {
    let total: usize = counts.values().sum();
    let share = |family: &Family| {
        let (count, called) = (counts.get(family).unwrap_or(&0), FAMILIES[*family as usize].3);
        format!("{count} of {total} source files are {called}")
    };
    families.iter().map(share).collect::<Vec<_>>().join(", ")
}
