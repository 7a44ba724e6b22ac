//! From what was found to the description.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::Project;
use super::kinds::{of_all, of_project};
use super::{DescribedDependency, DescribedPackage, Description, Family, Findings, Stated, words};
use crate::names::python_normal;

pub(super) fn finish(mut findings: Findings<'_>) -> Description {
    let (kind, leader) = of_all(&findings.files, &findings.projects);
    let packages = packages(&findings);
    let dependencies = dependencies(&mut findings);
    let speakers = speakers(&findings.projects, leader);
    let first =
        |part: fn(&Project) -> &Option<Stated<String>>| speakers.iter().find_map(|project| part(project).clone());
    let name = first(|project| &project.name);
    let description = first(|project| &project.description).or_else(|| findings.paragraph.clone());
    let version = first(|project| &project.version);
    let license = first(|project| &project.license).or_else(|| findings.license_file.clone());
    Description {
        name: name.unwrap_or_else(|| fallback_name(&findings)),
        kind,
        description,
        version,
        license,
        dependencies,
        warnings: findings.take_warnings(),
        entry_points: findings.entry_points.into_values().collect(),
        build_systems: stated(findings.build_systems),
        test_frameworks: stated(findings.test_frameworks),
        technologies: stated(findings.technologies),
        packages,
    }
}

/// The manifests at the root that speak for the whole: those of the leading family, or all if none leads.
fn speakers(projects: &[Project], leader: Option<Family>) -> Vec<&Project> {
    let at_root = projects.iter().filter(|project| project.folder.is_empty());
    at_root.filter(|project| leader.is_none_or(|leader| project.family == leader)).collect()
}

/// The title of the README, then any manifest at the root, then the only package.
fn fallback_name(findings: &Findings<'_>) -> Stated<String> {
    let at_root = findings.projects.iter().filter(|project| project.folder.is_empty());
    let titled = findings.title.clone().or_else(|| at_root.into_iter().find_map(|project| project.name.clone()));
    let mut named = findings.projects.iter().filter_map(|project| project.name.clone());
    let only = match (named.next(), named.next()) {
        (Some(name), None) => Some(name),
        _ => None,
    };
    titled.or(only).unwrap_or_else(|| Stated::new("unknown".to_owned(), "no manifest and no README names the project"))
}

fn packages(findings: &Findings<'_>) -> Vec<DescribedPackage> {
    let below = findings.projects.iter().filter(|project| !project.folder.is_empty());
    let mut packages: Vec<DescribedPackage> = below
        .map(|project| DescribedPackage {
            name: match &project.name {
                Some(name) => name.value.clone(),
                None => words::last_part(&project.folder).to_owned(),
            },
            path: project.folder.clone(),
            kind: of_project(&findings.files, project),
            manifest: project.manifest.clone(),
        })
        .collect();
    packages.sort_by(|a, b| (&a.path, &a.kind, &a.manifest).cmp(&(&b.path, &b.kind, &b.manifest)));
    packages
}

/// In order, each once, without the project's own packages.
fn dependencies(findings: &mut Findings<'_>) -> Vec<DescribedDependency> {
    let own: BTreeSet<(&str, String)> =
        findings.projects.iter().filter_map(|project| Some((project.family.ecosystem(), known_as(project)?))).collect();
    let mut dependencies = std::mem::take(&mut findings.dependencies);
    dependencies.retain(|dependency| !own.contains(&(dependency.ecosystem.as_str(), dependency.name.clone())));
    let key =
        |d: &DescribedDependency| (d.ecosystem.clone(), d.name.clone(), d.kind, d.manifest.clone(), d.version.clone());
    dependencies.sort_by_cached_key(key);
    dependencies.dedup();
    dependencies
}

/// The name by which dependents ask for a project.
fn known_as(project: &Project) -> Option<String> {
    let name = &project.name.as_ref()?.value;
    Some(match (&project.group, project.family) {
        (Some(group), _) => format!("{group}:{name}"),
        (None, Family::Python) => python_normal(name).into_owned(),
        (None, _) => name.clone(),
    })
}

fn stated(found: BTreeMap<String, String>) -> Vec<Stated<String>> {
    found.into_iter().map(|(name, evidence)| Stated::new(name, evidence)).collect()
}
