//! JavaScript packages in `node_modules`.

mod passed_on;

use std::fs;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::survey::{Survey, is_plain};
use super::{LocalPackage, MAX_MANIFEST};
use crate::lock_error::from_json;
use crate::npm::installed;
use crate::root::Root;

#[derive(Deserialize)]
struct Manifest {
    name: Option<String>,
    version: Option<String>,
    types: Option<Value>,
    typings: Option<Value>,
    main: Option<Value>,
    exports: Option<Value>,
}

pub(super) fn package(root: &Root, lock_file: &Path, name: &str, version: &str) -> Option<LocalPackage> {
    let manifest = |folder: &Path| manifest(root, folder, name, version);
    let found = |folder: PathBuf| manifest(&folder).map(|manifest| (folder, manifest));
    let (folder, manifest) = found(Path::new("node_modules").join(name))
        .or_else(|| pnpm_copies(root, name, version).into_iter().find_map(found))
        // The lock file is read again only for a copy that lies deeper.
        .or_else(|| nested(root, lock_file, name, version).into_iter().find_map(found))?;
    let folder = root.folder_inside(folder)?;
    let api = api(&manifest, &folder);
    let passes_on = passes_on(&manifest, &folder);
    let examples = vec!["{example,examples}/**/*.{js,mjs,ts}".to_owned(), WITHOUT.to_owned()];
    Some(LocalPackage { api, examples, passes_on, ..Survey::of(folder) })
}

/// The packages that this one hands on, found out from where it begins.
fn passes_on(manifest: &Manifest, folder: &Path) -> Vec<String> {
    let mut entries = vec!["index.js".to_owned()];
    for value in [&manifest.main, &manifest.exports].into_iter().flatten() {
        strings(value, 0, &mut entries);
    }
    Root::open(folder).map(|folder| passed_on::passed_on(&folder, &entries)).unwrap_or_default()
}

fn manifest(root: &Root, folder: &Path, name: &str, version: &str) -> Option<Manifest> {
    let text = root.read_up_to(folder.join("package.json"), MAX_MANIFEST).ok()??;
    let manifest = from_json::<Manifest>(&text).ok()?;
    let is_it = manifest.version.as_deref() == Some(version) && manifest.name.as_ref().is_none_or(|own| own == name);
    is_it.then_some(manifest)
}

/// What is never part of what a package offers.
const WITHOUT: &str = "!**/{node_modules,test,tests,__tests__,spec,bench,benchmark,benchmarks}/**";

/// Where the public items of a package are: in its type declarations, all below the folders of those that its manifest names; without
/// any, in the programs below the folder of its entry.
fn api(manifest: &Manifest, folder: &Path) -> Vec<String> {
    let mut entries = Vec::new();
    for value in [&manifest.types, &manifest.typings, &manifest.exports].into_iter().flatten() {
        strings(value, 0, &mut entries);
    }
    entries.retain(|entry| is_declaration(entry));
    if entries.is_empty() && folder.join("index.d.ts").is_file() {
        entries.push("index.d.ts".to_owned());
    }
    let (patterns, ending): (Vec<&str>, &str) = if entries.is_empty() {
        for value in [&manifest.main, &manifest.exports].into_iter().flatten() {
            strings(value, 0, &mut entries);
        }
        (vec!["index.js", "lib/**/*.{js,mjs,cjs}"], "{js,mjs,cjs}")
    } else {
        (Vec::new(), "d.{ts,mts,cts}")
    };
    let mut globs: Vec<String> = patterns.into_iter().map(str::to_owned).collect();
    for entry in &entries {
        let entry = entry.strip_prefix("./").unwrap_or(entry);
        let plain = entry.split('/').all(|part| part == "*" || is_plain(part));
        let top = entry.rsplit_once('/').map_or("", |(folders, _)| folders.split('*').next().unwrap_or_default());
        let top = top.trim_end_matches('/');
        let glob = match (plain, top) {
            (false, _) => continue,
            (true, "") if ending.starts_with('d') => format!("**/*.{ending}"),
            (true, "") => format!("*.{ending}"),
            (true, top) => format!("{top}/**/*.{ending}"),
        };
        if !globs.contains(&glob) {
            globs.push(glob);
        }
    }
    globs.truncate(MAX_GLOBS);
    globs.extend([WITHOUT.to_owned(), "!**/*.min.*".to_owned()]);
    globs
}

/// More places than this are not looked at.
const MAX_GLOBS: usize = 24;

fn is_declaration(path: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts"].iter().any(|ending| path.ends_with(ending))
}

/// The strings in a part of a manifest, which may nest conditions in conditions.
fn strings(value: &Value, depth: usize, found: &mut Vec<String>) {
    match value {
        Value::String(text) if found.len() < 1000 => found.push(text.clone()),
        Value::Array(values) if depth < 8 => values.iter().for_each(|value| strings(value, depth + 1, found)),
        Value::Object(fields) if depth < 8 => fields.values().for_each(|value| strings(value, depth + 1, found)),
        _ => {}
    }
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
