//! Who points to whom, and how strongly.

use std::collections::HashSet;

use super::load::{Definition, File, Repository};

/// A name with more definers than this tells nothing about any of them.
const MOST_DEFINERS: usize = 40;

/// Weights are whole numbers of this part of one, so that sums don't depend on their order.
const UNIT: f64 = 65_536.0;

/// What a file takes from another through one name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pull {
    /// The first definition of the name in the other file, by its number in [`Repository::definitions`].
    pub(super) definition: u32,
    pub(super) weight: u64,
}

/// The pulls of each file.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) pulls: Vec<Vec<Pull>>,
}

impl Graph {
    pub(super) fn new(repository: &Repository) -> Self {
        let definers = Definers::new(repository);
        let folders: HashSet<&str> = repository.files.iter().map(|file| folder(&file.path)).collect();
        let hubs: Vec<bool> = repository.files.iter().map(|file| is_hub(&file.path, &folders)).collect();
        let view = View { repository, definers, hubs };
        let pulls = (0u32..).zip(&repository.files).map(|(number, file)| view.pulls(number, file)).collect();
        Graph { pulls }
    }
}

/// The definitions of each name, one for each file.
struct Definers {
    /// Numbers of definitions, by name and file.
    firsts: Vec<u32>,
    /// Where those of a name end.
    ends: Vec<u32>,
}

impl Definers {
    fn new(repository: &Repository) -> Self {
        let mut firsts = Vec::new();
        let mut ends = vec![0; repository.names.len()];
        let mut before: Option<&Definition> = None;
        for (number, definition) in (0u32..).zip(&repository.definitions) {
            if before.is_none_or(|before| (before.name, before.file) != (definition.name, definition.file)) {
                firsts.push(number);
            }
            ends[definition.name as usize] = u32::try_from(firsts.len()).unwrap_or(u32::MAX);
            before = Some(definition);
        }
        Definers { firsts, ends }
    }

    fn of(&self, name: u32) -> &[u32] {
        let end = self.ends.get(name as usize).copied().unwrap_or(0) as usize;
        // Every name was defined, so names without a gap between them have their ends one after the other.
        let start =
            name.checked_sub(1).and_then(|before| self.ends.get(before as usize)).copied().unwrap_or(0) as usize;
        self.firsts.get(start..end).unwrap_or_default()
    }
}

struct View<'r> {
    repository: &'r Repository,
    definers: Definers,
    /// Whether a file hands on what others define.
    hubs: Vec<bool>,
}

/// How a file that uses a name stands to one that defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Near {
    Far,
    SameFolder,
    Imported,
}

impl View<'_> {
    fn pulls(&self, number: u32, file: &File) -> Vec<Pull> {
        let hubs: Vec<u32> = file.imports.iter().copied().filter(|&file| self.hubs[file as usize]).collect();
        let mut pulls = Vec::new();
        let mut found: Vec<(u32, Near)> = Vec::new();
        for &(name, count) in &file.uses {
            let definers = self.definers.of(name);
            if definers.is_empty() || definers.len() > MOST_DEFINERS {
                continue;
            }
            found.clear();
            let mut is_own = false;
            for &definition in definers {
                let definer = self.repository.definitions[definition as usize].file;
                let other = &self.repository.files[definer as usize];
                is_own |= definer == number;
                if definer != number && other.family == file.family {
                    found.push((definition, self.near(file, &hubs, definer, other)));
                }
            }
            if !is_own {
                self.add(name, count, &mut found, &mut pulls);
            }
        }
        pulls
    }

    fn near(&self, file: &File, hubs: &[u32], definer: u32, other: &File) -> Near {
        let imports = |file: &File| file.imports.binary_search(&definer).is_ok();
        if imports(file) || hubs.iter().any(|&hub| imports(&self.repository.files[hub as usize])) {
            Near::Imported
        } else if folder(&file.path) == folder(&other.path) {
            Near::SameFolder
        } else {
            Near::Far
        }
    }

    /// Shares what a use of a name weighs among those that are nearest.
    fn add(&self, name: u32, count: u32, found: &mut Vec<(u32, Near)>, pulls: &mut Vec<Pull>) {
        let Some(nearest) = found.iter().map(|(_, near)| *near).max() else { return };
        found.retain(|(_, near)| *near == nearest);
        let near = match nearest {
            Near::Imported => 1.0,
            Near::SameFolder => 0.6,
            Near::Far => 0.15,
        };
        let definers = found.len() as f64;
        let telling = telling(&self.repository.names[name as usize]);
        let weight = near * telling * f64::from(count).sqrt() / (definers * definers.sqrt());
        let weight = (weight * UNIT) as u64;
        if weight > 0 {
            pulls.extend(found.iter().map(|&(definition, _)| Pull { definition, weight }));
        }
    }
}

/// A file that others are taken from through it.
fn is_hub(path: &str, folders: &HashSet<&str>) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    // A module of Rust may stand beside the folder of its parts.
    let has_folder = || path.strip_suffix(".rs").is_some_and(|stem| folders.contains(stem));
    matches!(name, "lib.rs" | "mod.rs" | "main.rs" | "__init__.py") || name.starts_with("index.") || has_folder()
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// How much a name tells: one of several words is used for one thing, a short word for many.
fn telling(name: &str) -> f64 {
    let inner = name.trim_matches('_');
    let has_words = inner.contains('_')
        || inner.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let is_type = inner.starts_with(char::is_uppercase);
    let length = (inner.chars().count().min(12) as f64 / 8.0).min(1.0);
    let kind = match (has_words, is_type) {
        (true, _) => 1.0,
        (false, true) => 0.7,
        (false, false) => 0.25,
    };
    let private = if name.starts_with('_') { 0.3 } else { 1.0 };
    kind * length * private
}

#[cfg(test)]
mod tests {
    use super::telling;

    #[test]
    fn longer_names_of_more_words_tell_more() {
        let names = ["get", "open", "Map", "Store", "Repository", "open_store"];
        for pair in names.windows(2) {
            assert!(telling(pair[0]) < telling(pair[1]), "{pair:?}");
        }
        assert!(telling("_open_store") < telling("open_store"));
        assert!(telling("getStoreOf") > telling("getstoreof"));
    }
}
