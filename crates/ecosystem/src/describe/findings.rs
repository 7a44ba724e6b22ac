//! What the readers find, gathered.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::known::{Known, Role};
use super::{
    DependencyKind, DescribedDependency, EntryPoint, EntryPointKind, Family, Files, Stated, known, split, words,
};
use crate::lock_error::LockError;

/// Larger texts are no manifests.
const MAX_TEXT: usize = 1024 * 1024;
const MAX_TEXTS: usize = 16 * 1024 * 1024;
const MAX_DEPENDENCIES: usize = 5_000;
const MAX_ENTRY_POINTS: usize = 1_000;
const MAX_PROJECTS: usize = 2_000;
const MAX_WARNINGS: usize = 100;

/// One folder with manifests of one family.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) family: Family,
    pub(super) folder: String,
    pub(super) manifest: String,
    pub(super) name: Option<Stated<String>>,
    pub(super) description: Option<Stated<String>>,
    pub(super) version: Option<Stated<String>>,
    pub(super) license: Option<Stated<String>>,
    /// What the manifest says of the language, where the family has two.
    pub(super) language: Option<&'static str>,
    /// What Maven puts in front of the name.
    pub(super) group: Option<String>,
}

impl Project {
    /// Sets what a manifest states under the usual keys; `key` is what the evidence calls them.
    pub(super) fn state<'m>(
        &mut self,
        manifest: &str,
        key: impl Fn(&str) -> String,
        part: impl Fn(&str) -> Option<&'m str>,
    ) {
        set(&mut self.name, part("name").and_then(words::name), manifest, &key("name"));
        set(&mut self.version, part("version").and_then(words::short), manifest, &key("version"));
        set(&mut self.description, part("description").and_then(words::prose), manifest, &key("description"));
        set(&mut self.license, part("license").and_then(words::short), manifest, &key("license"));
    }
}

/// What the dependencies of one manifest tell of the program: the first of each role that was met.
#[derive(Debug, Default, Clone)]
pub(super) struct Roles {
    server: Option<String>,
    web: Option<String>,
    cli: Option<String>,
}

/// What a dependency is and where it is named.
pub(super) struct Asked<'a> {
    pub(super) ecosystem: &'static str,
    pub(super) name: &'a str,
    pub(super) version: Option<&'a str>,
    pub(super) kind: DependencyKind,
    pub(super) manifest: &'a str,
    /// The key, table or call in the manifest that names it.
    pub(super) key: &'a str,
}

pub(super) struct Findings<'a> {
    pub(super) files: Files<'a>,
    pub(super) projects: Vec<Project>,
    pub(super) dependencies: Vec<DescribedDependency>,
    pub(super) entry_points: BTreeMap<String, EntryPoint>,
    pub(super) build_systems: BTreeMap<String, String>,
    pub(super) test_frameworks: BTreeMap<String, String>,
    pub(super) technologies: BTreeMap<String, String>,
    pub(super) title: Option<Stated<String>>,
    pub(super) paragraph: Option<Stated<String>>,
    pub(super) license_file: Option<Stated<String>>,
    roles: BTreeMap<String, Roles>,
    warnings: BTreeSet<String>,
    places: BTreeMap<(Family, String), usize>,
    read: usize,
    too_many_dependencies: usize,
    unusable_names: usize,
}

impl<'a> Findings<'a> {
    pub(super) fn new(files: Files<'a>) -> Self {
        Findings {
            files,
            projects: Vec::new(),
            dependencies: Vec::new(),
            entry_points: BTreeMap::new(),
            build_systems: BTreeMap::new(),
            test_frameworks: BTreeMap::new(),
            technologies: BTreeMap::new(),
            title: None,
            paragraph: None,
            license_file: None,
            roles: BTreeMap::new(),
            warnings: BTreeSet::new(),
            places: BTreeMap::new(),
            read: 0,
            too_many_dependencies: 0,
            unusable_names: 0,
        }
    }

    /// The text of a manifest, if there is one of a sane size. That there is none is a warning.
    pub(super) fn text(&mut self, path: &str) -> Option<Cow<'a, str>> {
        let Some(text) = self.files.text(path) else {
            self.warn(path, "its text was not given");
            return None;
        };
        if text.len() > MAX_TEXT {
            self.warn(path, "it is larger than 1 MiB");
            return None;
        }
        if self.read + text.len() > MAX_TEXTS {
            self.warn(path, "the manifests are larger than 16 MiB together");
            return None;
        }
        self.read += text.len();
        Some(match text.strip_prefix('\u{feff}') {
            Some(rest) => Cow::Owned(rest.to_owned()),
            None => text,
        })
    }

    /// What a manifest was parsed to. That it can't be is a warning.
    pub(super) fn parsed<T>(&mut self, path: &str, parsed: Result<T, LockError>) -> Option<T> {
        parsed.map_err(|error| self.warn(path, &error.to_string())).ok()
    }

    /// Says why a manifest was left out.
    pub(super) fn warn(&mut self, path: &str, reason: &str) {
        self.say(format!("`{}` is left out: {reason}.", words::short(path).unwrap_or_default()));
    }

    pub(super) fn say(&mut self, warning: String) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.insert(warning);
        }
    }

    /// The project of a family in the folder of a manifest; `None` if there are too many.
    pub(super) fn project(&mut self, family: Family, manifest: &str) -> Option<&mut Project> {
        self.project_in(family, split(manifest).0, manifest)
    }

    pub(super) fn project_in(&mut self, family: Family, folder: &str, manifest: &str) -> Option<&mut Project> {
        let place = (family, folder.to_owned());
        if let Some(&at) = self.places.get(&place) {
            return self.projects.get_mut(at);
        }
        if self.projects.len() >= MAX_PROJECTS {
            self.say(format!("Only {MAX_PROJECTS} manifests are described; there are more."));
            return None;
        }
        self.places.insert(place, self.projects.len());
        self.projects.push(Project {
            family,
            folder: folder.to_owned(),
            manifest: manifest.to_owned(),
            name: None,
            description: None,
            version: None,
            license: None,
            language: None,
            group: None,
        });
        self.projects.last_mut()
    }

    /// Takes in a dependency, and what it says of the project.
    pub(super) fn depend(&mut self, asked: &Asked<'_>) {
        let Some(name) = words::name(asked.name) else {
            self.unusable_names += 1;
            return;
        };
        if self.dependencies.len() >= MAX_DEPENDENCIES {
            self.too_many_dependencies += 1;
            return;
        }
        if let Some(known) = known(asked.ecosystem, &name) {
            self.recognise(known, asked, &name);
        }
        self.dependencies.push(DescribedDependency {
            name,
            version: asked.version.and_then(words::short),
            kind: asked.kind,
            ecosystem: asked.ecosystem.to_owned(),
            manifest: asked.manifest.to_owned(),
        });
    }

    fn recognise(&mut self, known: Known, asked: &Asked<'_>, name: &str) {
        let evidence = format!("{}: {}.{name}", asked.manifest, asked.key);
        if asked.kind != DependencyKind::Dev {
            let roles = self.roles.entry(asked.manifest.to_owned()).or_default();
            let place = match known.role {
                Role::Server => Some(&mut roles.server),
                Role::Web => Some(&mut roles.web),
                Role::Cli => Some(&mut roles.cli),
                _ => None,
            };
            if let Some(place) = place {
                place.get_or_insert_with(|| name.to_owned());
            }
        }
        self.name(known, evidence);
    }

    /// Takes in what the tables call something.
    pub(super) fn name(&mut self, known: Known, evidence: String) {
        match known.role {
            Role::Test => self.test(known.shown, evidence),
            Role::Build => self.build(known.shown, evidence),
            _ => self.technology(known.shown, evidence),
        }
    }

    /// What a program is, judged by what its manifest depends on: the kind and the dependency that says so.
    pub(super) fn program(&self, manifest: &str) -> (EntryPointKind, Option<&str>) {
        match self.roles.get(manifest) {
            Some(Roles { cli: Some(name), .. }) => (EntryPointKind::Cli, Some(name)),
            Some(Roles { server: Some(name), .. }) => (EntryPointKind::Api, Some(name)),
            Some(Roles { web: Some(name), .. }) => (EntryPointKind::Web, Some(name)),
            _ => (EntryPointKind::Cli, None),
        }
    }

    /// The dependency that makes a package a server of requests or of pages.
    pub(super) fn serves(&self, manifest: &str) -> Option<(EntryPointKind, &str)> {
        let roles = self.roles.get(manifest)?;
        let server = roles.server.as_deref().map(|name| (EntryPointKind::Api, name));
        server.or_else(|| roles.web.as_deref().map(|name| (EntryPointKind::Web, name)))
    }

    /// Takes in a program, of the kind that the manifest's dependencies speak for.
    pub(super) fn enter_program(&mut self, path: String, manifest: &str, key: &str) {
        let (kind, because) = self.program(manifest);
        let evidence = match because {
            Some(name) => format!("{manifest}: {key}; it depends on {name}"),
            None => format!("{manifest}: {key}"),
        };
        self.enter(path, kind, evidence);
    }

    /// Takes in an entry point, if its file is there. Who says it first is the evidence.
    pub(super) fn enter(&mut self, path: String, kind: EntryPointKind, evidence: String) {
        if !self.files.has(&path) {
            return;
        }
        if self.entry_points.len() >= MAX_ENTRY_POINTS {
            self.say(format!("Only {MAX_ENTRY_POINTS} entry points are listed; there are more."));
            return;
        }
        let evidence = words::prose(&evidence).unwrap_or(evidence);
        self.entry_points.entry(path.clone()).or_insert(EntryPoint { path, kind, evidence });
    }

    /// Takes in the first of some files of a folder that is there.
    pub(super) fn enter_first(&mut self, folder: &str, names: &[&str], kind: EntryPointKind, evidence: String) {
        if let Some(place) = self.files.first_of(folder, names) {
            self.enter(place, kind, evidence);
        }
    }

    pub(super) fn build(&mut self, name: &str, evidence: impl Into<String>) {
        state(&mut self.build_systems, name, evidence.into());
    }

    pub(super) fn test(&mut self, name: &str, evidence: impl Into<String>) {
        state(&mut self.test_frameworks, name, evidence.into());
    }

    pub(super) fn technology(&mut self, name: &str, evidence: impl Into<String>) {
        state(&mut self.technologies, name, evidence.into());
    }

    pub(super) fn take_warnings(&mut self) -> Vec<String> {
        let mut warnings: Vec<String> = std::mem::take(&mut self.warnings).into_iter().collect();
        if self.too_many_dependencies > 0 {
            let more = self.too_many_dependencies;
            warnings.push(format!("Only {MAX_DEPENDENCIES} dependencies are listed; {more} more are left out."));
        }
        if self.unusable_names > 0 {
            warnings.push(format!("{} dependencies are left out: their names are none.", self.unusable_names));
        }
        warnings
    }
}

/// Who says something first is the evidence for it: manifests are read from the root downwards.
fn state(stated: &mut BTreeMap<String, String>, name: &str, evidence: String) {
    stated.entry(name.to_owned()).or_insert(evidence);
}

/// The texts in a list of JSON.
pub(super) fn texts(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).map_or(&[][..], Vec::as_slice).iter().filter_map(Value::as_str)
}

/// Sets what a manifest states, unless one that was read before did.
pub(super) fn set(place: &mut Option<Stated<String>>, value: Option<String>, manifest: &str, key: &str) {
    if let (None, Some(value)) = (&place, value) {
        *place = Some(Stated::new(value, format!("{manifest}: {key}")));
    }
}
