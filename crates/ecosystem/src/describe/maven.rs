//! `pom.xml`.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::xml::{Document, Node};
use super::{Asked, DependencyKind, EntryPointKind, Family, Findings, join, set, split, words};

/// Properties may name others and parents have parents, so many levels deep.
const MAX_LEVELS: usize = 8;
/// A value that grows beyond this is no version.
const MAX_VALUE: usize = 1_000;

/// What children look up in their parents.
#[derive(Default)]
pub(crate) struct Poms(BTreeMap<String, Rc<Shared>>);

/// Only what the project says itself; the rest is asked of its parents, so that a large parent costs its children nothing.
#[derive(Default)]
struct Shared {
    parent: Option<Rc<Shared>>,
    level: usize,
    properties: BTreeMap<String, String>,
    /// The versions that `dependencyManagement` sets.
    managed: BTreeMap<String, String>,
}

/// What a pom depends on.
pub(crate) struct Dependencies {
    /// `group:artifact` of its own.
    pub(crate) name: Option<String>,
    /// `group:artifact` of each, with the version if the project has it.
    pub(crate) dependencies: Vec<(String, Option<String>)>,
    /// The poms of its modules.
    pub(crate) modules: Vec<String>,
}

impl Poms {
    /// What a pom depends on, with versions by its own properties and those of the poms above it that were read before. `None` if it is
    /// no pom.
    pub(crate) fn dependencies(&mut self, path: &str, text: &str) -> Option<Dependencies> {
        let document = Document::read(text);
        let project = document.root("project")?;
        let shared = self.shared(path, project);
        let dependencies = project.find_all(&["dependencies", "dependency"]).into_iter().take(5_000);
        let dependencies = dependencies.filter_map(|dependency| {
            let name = shared.name(dependency)?;
            let version = dependency.child_text("version").map(|version| shared.filled(version));
            let version = version.or_else(|| Some(shared.filled(shared.find(|above| above.managed.get(&name))?)));
            Some((name, version))
        });
        let module = |module: Node<'_>| {
            let place = join(split(path).0, module.text()?)?;
            if place.ends_with(".xml") { Some(place) } else { join(&place, "pom.xml") }
        };
        let modules = project.find_all(&["modules", "module"]).into_iter().filter_map(module).collect();
        let of = |name: &str| shared.property(name).map(|text| shared.filled(text));
        let name = of("project.groupId").zip(of("project.artifactId"));
        let found = Dependencies {
            name: name.map(|(group, artifact)| format!("{group}:{artifact}")),
            dependencies: dependencies.collect(),
            modules,
        };
        self.0.insert(path.to_owned(), Rc::new(shared));
        Some(found)
    }

    pub(super) fn pom(&mut self, findings: &mut Findings<'_>, path: &str, text: &str) {
        let document = Document::read(text);
        let Some(project) = document.root("project") else {
            return findings.warn(path, "it is not the XML that was expected");
        };
        if !document.complete {
            findings.say(format!("`{path}` is broken; what stands before the break is described."));
        }
        findings.build("maven", path);
        if findings.project(Family::Jvm, path).is_none() {
            return;
        }
        let shared = self.shared(path, project);
        describe(findings, path, project, &shared);
        for dependency in project.find_all(&["dependencies", "dependency"]) {
            depend(findings, path, dependency, &shared);
        }
        plugins(findings, path, project, &shared);
        self.0.insert(path.to_owned(), Rc::new(shared));
    }

    /// What a project says for itself and its children.
    fn shared(&self, path: &str, project: Node<'_>) -> Shared {
        let parent = project.find(&["parent"]);
        let above = parent.and_then(|parent| {
            let stated = parent.child_text("relativePath").unwrap_or("../pom.xml");
            let place = join(split(path).0, stated)?;
            self.0.get(&place).or_else(|| self.0.get(&join(&place, "pom.xml")?))
        });
        let above = above.filter(|above| above.level < MAX_LEVELS).cloned();
        let level = above.as_ref().map_or(0, |above| above.level + 1);
        let mut shared = Shared { parent: above, level, ..Shared::default() };
        for property in project.find(&["properties"]).into_iter().flat_map(Node::all).take(2_000) {
            shared.properties.insert(property.name().to_owned(), property.text().unwrap_or_default().to_owned());
        }
        for name in ["groupId", "artifactId", "version"] {
            let own = project.child_text(name);
            let inherited = parent.and_then(|parent| parent.child_text(name));
            if let Some(value) = own.or(inherited) {
                shared.properties.insert(format!("project.{name}"), value.to_owned());
            }
            if let Some(value) = inherited {
                shared.properties.insert(format!("project.parent.{name}"), value.to_owned());
            }
        }
        for managed in project.find_all(&["dependencyManagement", "dependencies", "dependency"]).into_iter().take(5_000)
        {
            if let (Some(name), Some(version)) = (shared.name(managed), managed.child_text("version")) {
                let version = shared.filled(version);
                shared.managed.insert(name, version);
            }
        }
        shared
    }
}

impl Shared {
    fn find(&self, look: impl Fn(&Shared) -> Option<&String>) -> Option<&str> {
        let mut above = std::iter::successors(Some(self), |shared| shared.parent.as_deref());
        above.find_map(|shared| look(shared).map(String::as_str))
    }

    fn property(&self, name: &str) -> Option<&str> {
        self.find(|shared| shared.properties.get(name))
    }

    /// A text with its properties looked up; what is not known stays as it is written.
    fn filled(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..MAX_LEVELS {
            if !text.contains("${") || text.len() > MAX_VALUE {
                break;
            }
            text = self.filled_once(&text);
        }
        text
    }

    fn filled_once(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            filled.push_str(before);
            let value = after.split_once('}').and_then(|(name, rest)| Some((self.property(name)?, rest)));
            match value {
                Some((value, after)) if filled.len() + value.len() <= MAX_VALUE => {
                    filled.push_str(value);
                    rest = after;
                }
                _ => {
                    filled.push_str("${");
                    rest = after;
                }
            }
        }
        filled.push_str(rest);
        filled
    }

    /// `group:artifact`
    fn name(&self, dependency: Node<'_>) -> Option<String> {
        let part = |name| dependency.child_text(name).map(|text| self.filled(text));
        Some(format!("{}:{}", part("groupId")?, part("artifactId")?))
    }
}

fn describe(findings: &mut Findings<'_>, path: &str, node: Node<'_>, shared: &Shared) {
    let part = |name: &str| node.child_text(name).map(|text| shared.filled(text));
    let Some(project) = findings.project(Family::Jvm, path) else { return };
    set(&mut project.name, part("artifactId").and_then(|text| words::name(&text)), path, "artifactId");
    set(&mut project.description, part("description").and_then(|text| words::prose(&text)), path, "description");
    project.group = shared.property("project.groupId").map(|group| shared.filled(group));
    let version = part("version").and_then(|text| words::short(&text));
    set(&mut project.version, version, path, "version");
    let inherited = node.find(&["parent", "version"]).and_then(Node::text).map(|text| shared.filled(text));
    set(&mut project.version, inherited.and_then(|text| words::short(&text)), path, "parent.version");
    let license = node.find(&["licenses", "license", "name"]).and_then(Node::text);
    set(&mut project.license, license.and_then(words::short), path, "licenses.license.name");
    let parent = node.find(&["parent", "artifactId"]).and_then(Node::text);
    if parent == Some("spring-boot-starter-parent") {
        findings.technology("Spring Boot", format!("{path}: parent.artifactId"));
    }
}

fn depend(findings: &mut Findings<'_>, path: &str, dependency: Node<'_>, shared: &Shared) {
    let Some(name) = shared.name(dependency) else { return };
    let stated = dependency.child_text("version").map(|text| shared.filled(text));
    let version = stated.or_else(|| shared.find(|shared| shared.managed.get(&name)).map(str::to_owned));
    let kind = match dependency.child_text("scope") {
        Some("test") => DependencyKind::Dev,
        // Whatever runs the program brings these along.
        Some("provided" | "system") => DependencyKind::Peer,
        _ => DependencyKind::Runtime,
    };
    let version = version.as_deref();
    findings.depend(&Asked { ecosystem: "maven", name: &name, version, kind, manifest: path, key: "dependencies" });
}

fn plugins(findings: &mut Findings<'_>, path: &str, project: Node<'_>, shared: &Shared) {
    for plugin in project.find_all(&["build", "plugins", "plugin"]) {
        match plugin.child_text("artifactId") {
            Some("kotlin-maven-plugin") => {
                if let Some(project) = findings.project(Family::Jvm, path) {
                    project.language = Some("kotlin");
                }
            }
            Some("spring-boot-maven-plugin") => {
                findings.technology("Spring Boot", format!("{path}: build.plugins.spring-boot-maven-plugin"));
            }
            Some("quarkus-maven-plugin") => {
                findings.technology("Quarkus", format!("{path}: build.plugins.quarkus-maven-plugin"));
            }
            _ => {}
        }
        let manifest = ["configuration", "archive", "manifest", "mainClass"];
        let stated = plugin.find(&["configuration", "mainClass"]).or_else(|| plugin.find(&manifest));
        if let Some(class) = stated.and_then(Node::text) {
            main_class(findings, path, "build.plugins.plugin.configuration.mainClass", &shared.filled(class));
        }
    }
    for name in ["start-class", "exec.mainClass", "main.class", "mainClass"] {
        if let Some(class) = shared.property(name) {
            main_class(findings, path, &format!("properties.{name}"), &shared.filled(class));
        }
    }
    application(findings, path);
}

/// The file of a class, if it lies where Maven and Gradle look for it.
pub(super) fn main_class(findings: &mut Findings<'_>, path: &str, key: &str, class: &str) {
    let place = class.trim().replace('.', "/");
    let plain = place.strip_suffix("Kt").unwrap_or(&place);
    let candidates = [
        format!("src/main/java/{place}.java"),
        format!("src/main/kotlin/{plain}.kt"),
        format!("src/main/kotlin/{place}.kt"),
        format!("src/main/java/{plain}.kt"),
        // Kotlin may leave the folders of the package's own name out.
        format!("src/main/kotlin/{}.kt", words::last_part(plain)),
    ];
    let folder = split(path).0;
    if let Some(place) = candidates.iter().find_map(|candidate| findings.files.resolve(folder, candidate)) {
        findings.enter_program(place, path, key);
    }
}

/// Spring Boot and others start at a class whose name says so.
pub(super) fn application(findings: &mut Findings<'_>, path: &str) {
    let Some(sources) = join(split(path).0, "src/main") else { return };
    let is_start = |path: &&str| {
        ["Application.java", "Application.kt", "/Main.java", "/Main.kt"].iter().any(|name| path.ends_with(name))
    };
    let found = findings.files.under(&sources).iter().copied().take(20_000).filter(is_start).take(20);
    for place in found.map(str::to_owned).collect::<Vec<_>>() {
        match findings.serves(path).map(|(kind, name)| (kind, name.to_owned())) {
            Some((kind, name)) => {
                findings.enter(place, kind, format!("{path}: it depends on {name}; the name of the class"));
            }
            None => findings.enter(place, EntryPointKind::Cli, format!("{path}, with the name of the class")),
        }
    }
}
