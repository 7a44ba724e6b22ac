//! From a folder to a package, and from a registry into a project.

mod dependencies;
mod java;
mod pack;
mod registry;
mod vectors;

use crate::support::Sandbox;

/// Writes a package below `pkg/` and gives its folder's path in the project.
fn package(sandbox: &Sandbox, manifest: &str, files: &[(&str, &str)]) {
    for (path, text) in files {
        sandbox.write(format!("pkg/{path}"), text);
    }
    sandbox.write("pkg/manifest.json", manifest);
}

/// A small package of three documents, found by a glob.
fn guide(sandbox: &Sandbox, version: &str) {
    let manifest = format!(
        r#"{{"name": "guide", "version": "{version}", "description": "How trains are run", "sources": {{"glob": ["**/*.md"]}}}}"#
    );
    let files = [
        ("start.md", "# Starting\n\nRelease the brake before the engine is started.\n"),
        ("deep/signals.md", "# Signals\n\nA red lamp means that the train waits.\n"),
        ("deep/deeper/stations.md", "# Stations\n\nPassengers leave and enter at stations.\n"),
    ];
    package(sandbox, &manifest, &files);
}
