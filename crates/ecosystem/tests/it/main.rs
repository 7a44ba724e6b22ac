//! Whole projects, in folders.

#![allow(clippy::unwrap_used, reason = "a test that can't go on should stop where it stands")]

mod describe;
mod docs;
mod hostile;
mod project;
mod random;
mod this_repository;

use std::fs;
use std::path::Path;

use ai_assist_ecosystem::{Dependency, DependencyRef};

/// Writes files below a folder.
fn write(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// A dependency by its reference.
fn dependency(reference: &str, lock_file: &str) -> Dependency {
    let DependencyRef { ecosystem, name, version } = reference.parse().unwrap();
    Dependency { ecosystem, name, version, direct: true, lock_file: lock_file.into() }
}
