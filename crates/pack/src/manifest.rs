//! The project at a glance.

use crate::snapshot::Snapshot;
use crate::tree::structure_summary;
use crate::types::{Dependency, Manifest};

/// What the caller knows of a project beyond its files, from its manifests for instance. What is left out is filled from
/// the folder's name and shape, or stays unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManifestInput {
    /// Its name; otherwise that of the folder.
    pub project_name: Option<String>,
    /// `node`, `python`, `rust` and the like.
    pub project_type: Option<String>,
    pub purpose_guess: Option<String>,
    /// The shape of its folders; otherwise the folders at the top with their numbers of files.
    pub structure_summary: Option<String>,
    pub dependencies: Vec<Dependency>,
    /// Where it starts; otherwise the key files that are entry points.
    pub entry_points: Vec<String>,
    pub build_system: Option<String>,
    pub test_framework: Option<String>,
}

impl ManifestInput {
    /// The manifest, with what the snapshot can tell where the caller said nothing.
    pub fn fill(&self, snapshot: &Snapshot) -> Manifest {
        let project = &snapshot.project;
        let entry_points =
            if self.entry_points.is_empty() { snapshot.entry_points() } else { self.entry_points.clone() };
        Manifest {
            project_name: self.project_name.clone().unwrap_or_else(|| project.directory_tree.name.clone()),
            project_type: self.project_type.clone().unwrap_or_else(|| "unknown".to_owned()),
            purpose_guess: self.purpose_guess.clone().unwrap_or_default(),
            structure_summary: self.structure_summary.clone().unwrap_or_else(|| structure_summary(&project.files)),
            dependencies: self.dependencies.clone(),
            entry_points,
            build_system: self.build_system.clone(),
            test_framework: self.test_framework.clone(),
        }
    }
}

/// Keeps the first `most` entries of each of its lists; how many are gone.
pub(crate) fn slim(manifest: &mut Manifest, most: usize) -> usize {
    let lines = manifest.structure_summary.lines().count();
    let before = manifest.dependencies.len() + manifest.entry_points.len() + lines;
    manifest.dependencies.truncate(most);
    manifest.entry_points.truncate(most);
    if lines > most {
        let kept: Vec<&str> = manifest.structure_summary.lines().take(most).collect();
        manifest.structure_summary = kept.join("\n");
    }
    before - manifest.dependencies.len() - manifest.entry_points.len() - lines.min(most)
}
