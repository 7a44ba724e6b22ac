//! JavaScript packages in `node_modules`.

use std::fs;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use super::survey::Survey;
use super::{LocalDocs, MAX_MANIFEST};
use crate::lock_error::from_json;
use crate::npm::installed;
use crate::root::Root;

#[derive(Deserialize)]
struct Manifest {
    name: Option<String>,
    version: Option<String>,
}

pub(super) fn docs(root: &Root, lock_file: &Path, name: &str, version: &str) -> Option<LocalDocs> {
    let is_it = |folder: &Path| is_package(root, folder, name, version);
    let top = Path::new("node_modules").join(name);
    let folder = if is_it(&top) {
        top
    } else {
        // The lock file is read again only for a copy that lies deeper.
        let mut copies = pnpm_copies(root, name, version).into_iter();
        copies
            .find(|folder| is_it(folder))
            .or_else(|| nested(root, lock_file, name, version).into_iter().find(|f| is_it(f)))?
    };
    root.folder_inside(folder).and_then(Survey::of)
}

fn is_package(root: &Root, folder: &Path, name: &str, version: &str) -> bool {
    let Ok(Some(text)) = root.read_up_to(folder.join("package.json"), MAX_MANIFEST) else { return false };
    from_json::<Manifest>(&text).is_ok_and(|manifest| {
        manifest.version.as_deref() == Some(version) && manifest.name.is_none_or(|own| own == name)
    })
}

/// pnpm keeps every copy in `.pnpm/<name>@<version>[peers]/node_modules/<name>`, with `+` for the slash of a scope.
fn pnpm_copies(root: &Root, name: &str, version: &str) -> Vec<PathBuf> {
    let store = Path::new("node_modules/.pnpm");
    let Some(entries) = root.folder_inside(store).and_then(|real| fs::read_dir(real).ok()) else { return Vec::new() };
    let wanted = format!("{}@{version}", name.replace('/', "+"));
    let is_copy = |entry: &String| {
        entry.strip_prefix(&wanted).is_some_and(|peers| peers.is_empty() || peers.starts_with(['_', '(']))
    };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut copies: Vec<String> = names.filter(is_copy).collect();
    copies.sort();
    copies.iter().map(|copy| store.join(copy).join("node_modules").join(name)).collect()
}

/// The folders that the lock file of npm gives for a package.
fn nested(root: &Root, lock_file: &Path, name: &str, version: &str) -> Vec<PathBuf> {
    let is_npms = ["package-lock.json", "npm-shrinkwrap.json"].iter().any(|file| lock_file == Path::new(file));
    let Some(text) = is_npms.then(|| root.read(lock_file).ok().flatten()).flatten() else { return Vec::new() };
    let copies = installed(&text).into_iter().filter(|found| found.name == name && found.version == version);
    let mut folders: Vec<PathBuf> = copies.map(|found| PathBuf::from(found.path)).collect();
    folders.retain(|folder| folder.components().all(|part| matches!(part, Component::Normal(_))));
    folders.sort();
    folders
}
