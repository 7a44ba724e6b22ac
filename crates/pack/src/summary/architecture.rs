//! How a project is cut into parts, as far as its manifests and folders tell.

use std::collections::{BTreeMap, BTreeSet};

use ai_assist_ecosystem::EntryPointKind;

use super::{counted, listed};
use crate::Snapshot;
use crate::survey::Survey;

/// How many packages, services and the like are named.
const NAMED: usize = 6;

/// What the evidence speaks for, the whole before its parts; `unknown` with the reason if nothing does.
pub(super) fn pattern(snapshot: &Snapshot, survey: &Survey) -> String {
    let folders = Folders::new(snapshot);
    let found = [
        workspace(snapshot, survey),
        services(snapshot, survey),
        folders.model_view_controller(snapshot),
        folders.layers(),
        role(survey),
    ];
    let found: Vec<String> = found.into_iter().flatten().collect();
    if found.is_empty() {
        "unknown: no manifest names parts or entry points, and no folders have names that tell".to_owned()
    } else {
        found.join("; ")
    }
}

/// A file at the root that makes one project of many packages: its name, a word in it, what that is called, and the kinds of
/// the packages.
const ROOTS: &[(&str, &str, &str, &[&str])] = &[
    ("Cargo.toml", "[workspace", "Cargo workspace", &["rust"]),
    ("pnpm-workspace.yaml", "packages", "pnpm workspace", &["node"]),
    ("lerna.json", "", "Lerna monorepo", &["node"]),
    ("package.json", "\"workspaces\"", "npm workspace", &["node"]),
    ("settings.gradle", "include", "Gradle multi-project build", &["java", "kotlin"]),
    ("settings.gradle.kts", "include", "Gradle multi-project build", &["java", "kotlin"]),
    ("pom.xml", "<modules>", "Maven multi-module build", &["java", "kotlin"]),
    ("go.work", "use", "Go workspace", &["go"]),
    ("pyproject.toml", "[tool.uv.workspace]", "uv workspace", &["python"]),
];

fn workspace(snapshot: &Snapshot, survey: &Survey) -> Option<String> {
    let packages = &survey.description.packages;
    let with_root = ROOTS.iter().find_map(|(file, word, name, kinds)| {
        let of_kind: Vec<&str> = packages
            .iter()
            .filter(|package| kinds.contains(&package.kind.as_str()))
            .map(|package| package.path.as_str())
            .collect();
        let is_root = || snapshot.text_of(file).is_some_and(|text| text.contains(word));
        let says = || format!("{name} with {}", counted(of_kind.len(), "package", "packages"));
        (!of_kind.is_empty() && is_root()).then(|| format!("{} (from {file}: {})", says(), listed(&of_kind, NAMED)))
    });
    let many = || {
        let manifests: Vec<&str> = packages.iter().map(|package| package.manifest.as_str()).collect();
        (manifests.len() >= 2).then(|| {
            format!(
                "monorepo of {} packages without a common root (from {})",
                manifests.len(),
                listed(&manifests, NAMED)
            )
        })
    };
    with_root.or_else(many)
}

/// Several containers of one's own, each with its own manifest or built by one composition.
fn services(snapshot: &Snapshot, survey: &Survey) -> Option<String> {
    let files = &snapshot.project.files;
    let folders: BTreeSet<&str> = survey.description.packages.iter().map(|package| package.path.as_str()).collect();
    let images: BTreeSet<&str> = files
        .iter()
        .filter(|file| file.name == "Dockerfile" || file.name == "Containerfile")
        .filter_map(|file| file.relative_path.rsplit_once('/'))
        .map(|(folder, _)| folder)
        .filter(|folder| folders.contains(folder))
        .collect();
    if images.len() >= 2 {
        let named: Vec<&str> = images.iter().copied().collect();
        return Some(format!(
            "microservices: {} packages have a Dockerfile of their own ({})",
            named.len(),
            listed(&named, NAMED)
        ));
    }
    let compositions = files.iter().filter(|file| {
        matches!(file.name.as_str(), "docker-compose.yml" | "docker-compose.yaml" | "compose.yml" | "compose.yaml")
    });
    compositions.into_iter().find_map(|file| {
        let text = snapshot.text_of(&file.relative_path)?;
        let built = text.lines().filter(|line| line.trim_start().starts_with("build:")).count();
        (built >= 2)
            .then(|| format!("microservices: {built} services are built by {} (its `build:` keys)", file.relative_path))
    })
}

/// The folders of the project by the folder they lie in.
struct Folders {
    /// The parent, then the lower-case name and the path.
    children: BTreeMap<String, BTreeMap<String, String>>,
}

impl Folders {
    fn new(snapshot: &Snapshot) -> Self {
        let mut children: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        let mut known: BTreeSet<&str> = BTreeSet::new();
        for file in &snapshot.project.files {
            let mut path = file.relative_path.as_str();
            while let Some((folder, _)) = path.rsplit_once('/') {
                if !known.insert(folder) {
                    break;
                }
                let (parent, name) = folder.rsplit_once('/').unwrap_or(("", folder));
                children.entry(parent.to_owned()).or_default().insert(name.to_lowercase(), folder.to_owned());
                path = folder;
            }
        }
        Folders { children }
    }

    /// One folder of each group, all in the same folder.
    fn siblings(&self, groups: &[&[&str]], least: usize) -> Option<Vec<&str>> {
        self.children.values().find_map(|names| {
            let found: Vec<&str> = groups
                .iter()
                .filter_map(|group| group.iter().find_map(|name| names.get(*name)))
                .map(String::as_str)
                .collect();
            (found.len() >= least).then_some(found)
        })
    }

    fn named(&self, name: &str) -> Option<&str> {
        self.children.values().find_map(|names| names.get(name)).map(String::as_str)
    }

    fn model_view_controller(&self, snapshot: &Snapshot) -> Option<String> {
        let together = self.siblings(&[&["controllers"], &["models"], &["views"]], 3);
        let apart = || Some(vec![self.named("controllers")?, self.named("models")?, self.named("views")?]);
        if let Some(found) = together.or_else(apart) {
            return Some(format!("MVC: folders of models, views and controllers ({})", found.join(", ")));
        }
        let django = snapshot.text_of("manage.py").is_some_and(|text| text.contains("django"));
        django.then(|| "MVC as Django has it: models, views and templates in apps (from manage.py)".to_owned())
    }

    fn layers(&self) -> Option<String> {
        let onion: &[&[&str]] = &[
            &["domain"],
            &["application", "usecases", "use_cases", "usecase"],
            &["infrastructure", "infra", "adapters"],
            &["presentation", "interfaces", "api", "web", "ui"],
        ];
        let classic: &[&[&str]] = &[
            &["controller", "controllers", "handlers", "handler", "routes", "api"],
            &["service", "services"],
            &["repository", "repositories", "dao", "dal", "store", "persistence"],
        ];
        let found = self.siblings(onion, 3).or_else(|| self.siblings(classic, 3))?;
        Some(format!("layered: a folder for each layer ({})", found.join(", ")))
    }
}

/// What the entry points are, those with the most evidence first.
fn role(survey: &Survey) -> Option<String> {
    let mut by_kind: BTreeMap<EntryPointKind, Vec<&str>> = BTreeMap::new();
    for entry in &survey.description.entry_points {
        by_kind.entry(entry.kind).or_default().push(&entry.path);
    }
    let says: Vec<String> = by_kind
        .iter()
        .map(|(kind, paths)| {
            let name = match kind {
                EntryPointKind::Cli => "command-line program",
                EntryPointKind::Web => "web application",
                EntryPointKind::Api => "service",
                EntryPointKind::Library => "library",
                EntryPointKind::Script => "scripts",
            };
            format!("{name} (entry points: {})", listed(paths, NAMED))
        })
        .collect();
    let single = survey.description.packages.is_empty() && by_kind.len() == 1;
    (!says.is_empty()).then(|| if single { format!("one package, {}", says[0]) } else { says.join(", ") })
}
