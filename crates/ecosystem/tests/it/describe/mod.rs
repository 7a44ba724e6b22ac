//! Descriptions of projects that are given as paths and texts.

mod compiled;
mod fixtures;
mod hostile;
mod monorepo;
mod random;
mod scripted;
mod this_repository;

use std::borrow::Cow;
use std::collections::BTreeMap;

use ai_assist_ecosystem::{Description, Stated, Tree, describe, is_manifest};

/// A project in memory. Files with the text `…` are there but have none.
pub(crate) struct Project {
    paths: Vec<String>,
    texts: BTreeMap<String, String>,
}

impl Project {
    pub(crate) fn new(files: &[(&str, &str)]) -> Project {
        let mut paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        paths.sort();
        let with_text = files.iter().filter(|(_, text)| *text != "…");
        Project { paths, texts: with_text.map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect() }
    }
}

impl Tree for Project {
    fn paths(&self) -> &[String] {
        &self.paths
    }

    fn text(&self, path: &str) -> Option<Cow<'_, str>> {
        assert!(is_manifest(path) && self.paths.iter().any(|own| own == path), "{path} must not be asked for");
        self.texts.get(path).map(|text| Cow::Borrowed(text.as_str()))
    }
}

/// Describes files, checks what holds for every description, and that nothing had to be left out.
fn described(files: &[(&str, &str)]) -> Description {
    let description = checked(files);
    assert_eq!(description.warnings, Vec::<String>::new());
    description
}

fn checked(files: &[(&str, &str)]) -> Description {
    let project = Project::new(files);
    let description = describe(&project);
    check(&project, &description);
    assert_eq!(describe(&project), description);
    description
}

/// What holds for every description, whatever the files say.
fn check(project: &Project, description: &Description) {
    let has = |path: &str| project.paths.iter().any(|own| own == path);
    for entry in &description.entry_points {
        assert!(has(&entry.path), "{entry:?}");
        assert!(!entry.evidence.is_empty());
    }
    for dependency in &description.dependencies {
        assert!(has(&dependency.manifest), "{dependency:?}");
        assert!(!dependency.name.is_empty() && !dependency.name.contains(char::is_whitespace));
    }
    for package in &description.packages {
        assert!(has(&package.manifest) && !package.path.is_empty() && !package.name.is_empty(), "{package:?}");
    }
    let lists = [&description.build_systems, &description.test_frameworks, &description.technologies];
    for list in lists {
        assert!(list.windows(2).all(|pair| pair[0].value < pair[1].value), "{list:?}");
        for stated in list {
            // Evidence opens with a path that is there.
            assert!(project.paths.iter().any(|path| stated.evidence.starts_with(path.as_str())), "{stated:?}");
        }
    }
    assert!(description.entry_points.windows(2).all(|pair| pair[0].path < pair[1].path));
    let key = |at: usize| {
        let d = &description.dependencies[at];
        (&d.ecosystem, &d.name, d.kind, &d.manifest, &d.version)
    };
    assert!((1..description.dependencies.len()).all(|at| key(at - 1) < key(at)));
    assert!(description.dependencies.len() <= 5_000 && description.warnings.len() <= 110);
    assert!(description.warnings.iter().all(|warning| warning.ends_with('.')), "{:?}", description.warnings);
}

/// `name version kind`, with the manifest if it is not at the root.
fn dependencies(description: &Description) -> Vec<String> {
    let show = |d: &ai_assist_ecosystem::DescribedDependency| {
        let kind = format!("{:?}", d.kind).to_lowercase();
        let manifest = if d.manifest.contains('/') { format!(" {}", d.manifest) } else { String::new() };
        format!("{} {} {kind}{manifest}", d.name, d.version.as_deref().unwrap_or("-"))
    };
    description.dependencies.iter().map(show).collect()
}

/// `kind path (evidence)`
fn entries(description: &Description) -> Vec<String> {
    let show = |e: &ai_assist_ecosystem::EntryPoint| format!("{:?} {} ({})", e.kind, e.path, e.evidence);
    description.entry_points.iter().map(show).collect()
}

fn values(list: &[Stated<String>]) -> Vec<&str> {
    list.iter().map(|stated| stated.value.as_str()).collect()
}

fn evidence<'d>(list: &'d [Stated<String>], value: &str) -> &'d str {
    list.iter().find(|stated| stated.value == value).map_or("", |stated| &stated.evidence)
}

/// Name, kind, version and license in one line, each with its evidence.
fn headline(description: &Description) -> Vec<String> {
    let show = |stated: &Stated<String>| format!("{} ({})", stated.value, stated.evidence);
    let parts = [&description.version, &description.license, &description.description];
    let parts = parts.into_iter().flatten().map(show);
    [show(&description.name), show(&description.kind)].into_iter().chain(parts).collect()
}

/// `name path kind`
fn packages(description: &Description) -> Vec<String> {
    description.packages.iter().map(|package| format!("{} {} {}", package.name, package.path, package.kind)).collect()
}
