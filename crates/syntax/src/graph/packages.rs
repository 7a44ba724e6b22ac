//! Where packages stand whose manifests are not in the index: told from the imports of them and from the folders.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::Packages;

use super::File;

/// The packages that imports name, by the folders that have their names. Where two folders would do, neither does.
/// What is known already stays.
pub(super) fn packages(files: &[File], imports: &[(u32, Vec<String>)], mut known: Packages) -> Packages {
    let (mut crates, mut node, mut go) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (file, modules) in imports {
        let modules = modules.iter().map(String::as_str);
        match files.get(*file as usize).map_or("", |file| file.family) {
            "rust" => crates.extend(modules.map(|module| first(module.trim_start_matches("::"), "::"))),
            "script" => node.extend(modules.filter_map(node_name)),
            "go" => go.extend(modules.filter(|module| module.contains('/'))),
            _ => {}
        }
    }
    for (known, told) in [
        (&mut known.crates, rust_crates(files, &crates)),
        (&mut known.node, node_packages(files, &node)),
        (&mut known.go, go_modules(files, &go)),
    ] {
        for (name, folder) in told {
            known.entry(name).or_insert(folder);
        }
    }
    known
}

fn first<'m>(module: &'m str, between: &str) -> &'m str {
    module.split(between).next().unwrap_or(module).trim_end_matches([';', ' '])
}

/// `@scope/name` or `name`, unless it is a path.
fn node_name(module: &str) -> Option<&str> {
    if module.starts_with(['.', '/', '~']) || module.starts_with("@/") {
        return None;
    }
    let names = if module.starts_with('@') { 2 } else { 1 };
    let end = module.match_indices('/').nth(names - 1).map_or(module.len(), |(at, _)| at);
    module.get(..end)
}

/// A crate's folder has its name, or the end of it where all crates of a workspace begin with the same word.
fn rust_crates(files: &[File], wanted: &BTreeSet<&str>) -> HashMap<String, String> {
    let roots = files.iter().filter_map(|file| {
        let folder = file.path.strip_suffix("src/lib.rs").or_else(|| file.path.strip_suffix("src/main.rs"))?;
        Some(folder.trim_end_matches('/'))
    });
    let mut by_name: HashMap<String, BTreeSet<&str>> = HashMap::new();
    for folder in roots {
        let name = folder.rsplit('/').next().unwrap_or(folder).replace('-', "_");
        by_name.entry(name).or_default().insert(folder);
    }
    let ends = |name: &str| -> Vec<String> {
        let inner = name.match_indices('_').map(|(at, _)| name[at + 1..].to_owned());
        std::iter::once(name.to_owned()).chain(inner).collect()
    };
    let folder = |name: &&&str| {
        let folders = ends(name).into_iter().find_map(|end| by_name.get(&end))?;
        (folders.len() == 1).then(|| folders.first().map(|folder| (*folder).to_owned())).flatten()
    };
    wanted.iter().filter_map(|name| Some(((*name).to_owned(), folder(&name)?))).collect()
}

/// A package's folder has the last part of its name, and an `index` in it or in its `src`.
fn node_packages(files: &[File], wanted: &BTreeSet<&str>) -> HashMap<String, String> {
    let mut by_name: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for file in files.iter().filter(|file| file.family == "script") {
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        if name.starts_with("index.") {
            let folder = folder.strip_suffix("/src").unwrap_or(folder);
            by_name.entry(folder.rsplit('/').next().unwrap_or(folder)).or_default().insert(folder);
        }
    }
    let folder = |name: &str| {
        let folders = by_name.get(name.rsplit('/').next().unwrap_or(name))?;
        (folders.len() == 1).then(|| folders.first().map(|folder| (*folder).to_owned())).flatten()
    };
    // A bare name is a package of somebody else's more often than a folder.
    let scoped = wanted.iter().filter(|name| name.starts_with('@'));
    scoped.filter_map(|name| Some(((*name).to_owned(), folder(name)?))).collect()
}

/// A module's path ends with the folder that it stands in.
fn go_modules(files: &[File], wanted: &BTreeSet<&str>) -> HashMap<String, String> {
    let of_go = files.iter().filter(|file| file.path.ends_with(".go"));
    let folders: HashSet<&str> =
        of_go.map(|file| file.path.rsplit_once('/').map_or("", |(folder, _)| folder)).collect();
    let folder = |module: &str| {
        let mut ends = module.match_indices('/').map(|(at, _)| &module[at + 1..]);
        ends.find(|end| folders.contains(end)).map(str::to_owned)
    };
    wanted.iter().filter_map(|module| Some(((*module).to_owned(), folder(module)?))).collect()
}
