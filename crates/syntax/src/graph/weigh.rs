//! Who points to whom, and how strongly.
//!
//! That a file uses a name somebody defines need not mean that definition: every program has an `is_empty`. How likely it is
//! depends on how the two files stand to each other (`Link`), and on how the users of the name stand to its definers on the
//! whole: where most of them import one, the name stands for it; where hardly any does, it is a word of the language.

use std::collections::HashSet;

use rayon::prelude::*;

use super::reach::folder;
use super::{CodeGraph, Definition, File};

/// A name with more definers than this tells nothing about any of them.
const MOST_DEFINERS: usize = 24;

/// Weights are whole numbers of this part of one, so that sums don't depend on their order.
const UNIT: f64 = 65_536.0;

/// What a file keeps from those it uses: one that hardly uses anything says little about that. As much as three uses of a
/// telling name that it imports.
const KEPT: u64 = 3 * 65_536;

/// What goes to the files that a file imports, whatever it uses of them: as much as one use of a telling name, shared by them.
pub(super) const IMPORTS: u64 = 65_536;

/// From this likelihood on a use counts as one, in hundredths.
const LIKELY: u8 = 25;

/// What a file takes from another through one name. A large repository has tens of millions of these.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pull {
    /// The first definition of the name in the other file, by its number in [`CodeGraph::definitions`].
    pub(super) definition: u32,
    /// How likely it is that this one is meant, in hundredths.
    likely: u8,
    /// How often the name is used, as far as that tells something.
    count: u16,
    /// At most [`UNIT`] times the root of the count.
    pub(super) weight: u32,
}

impl Pull {
    /// Whether this is a use of the definition more likely than of another.
    pub(super) fn is_use(&self) -> bool {
        self.likely >= LIKELY
    }
}

#[derive(Debug)]
pub(super) struct Weights {
    pub(super) pulls: Vec<Vec<Pull>>,
    /// What the weights of each file are parts of: their sum, what goes to its imports and what it keeps.
    pub(super) totals: Vec<u64>,
}

impl Weights {
    pub(super) fn new(graph: &CodeGraph) -> Self {
        let folders: HashSet<&str> = graph.files.iter().map(|file| folder(&file.path)).collect();
        let hubs: Vec<bool> = graph.files.iter().map(|file| is_hub(&file.path, &folders)).collect();
        let view = View { graph, definers: Definers::new(graph), hubs };
        let pull = |(number, file): (usize, &File)| view.pulls(u32::try_from(number).unwrap_or(u32::MAX), file);
        let pulls = graph.files.par_iter().enumerate().map(pull).collect();
        let mut weights = Weights { pulls, totals: Vec::new() };
        weights.weigh(graph, &view.definers);
        let sum = |pulls: &Vec<Pull>| KEPT + IMPORTS + pulls.iter().map(|pull| u64::from(pull.weight)).sum::<u64>();
        weights.totals = weights.pulls.iter().map(sum).collect();
        weights
    }

    fn weigh(&mut self, graph: &CodeGraph, definers: &Definers) {
        let mut trust = vec![Trust::default(); graph.names.len()];
        let name = |pull: &Pull| graph.definitions[pull.definition as usize].name;
        for pulls in &self.pulls {
            for alike in pulls.chunk_by(|a, b| name(a) == name(b)) {
                if let Some(first) = alike.first() {
                    trust[name(first) as usize].add(first.likely);
                }
            }
        }
        let worth: Vec<f64> = (0u32..)
            .zip(graph.names.iter().zip(&trust))
            .map(|(id, (name, trust))| trust.mean() * telling(name) / (definers.of(id).len().max(1) as f64).sqrt())
            .collect();
        for pulls in &mut self.pulls {
            for alike in pulls.chunk_by_mut(|a, b| name(a) == name(b)) {
                let definers = alike.len() as f64;
                for pull in alike {
                    let use_of_it = f64::from(pull.likely) / 100.0 * f64::from(pull.count).sqrt() / definers;
                    pull.weight = (use_of_it * worth[name(pull) as usize] * UNIT) as u32;
                }
            }
            pulls.retain(|pull| pull.weight > 0);
            pulls.shrink_to_fit();
        }
    }
}

/// How likely the uses of a name are uses of what is defined, on the whole.
#[derive(Debug, Clone, Copy, Default)]
struct Trust {
    likely: u64,
    users: u64,
}

impl Trust {
    fn add(&mut self, likely: u8) {
        self.likely += u64::from(likely);
        self.users += 1;
    }

    fn mean(self) -> f64 {
        self.likely as f64 / 100.0 / self.users.max(1) as f64
    }
}

/// The definitions of each name, one for each file.
struct Definers {
    /// Numbers of definitions, by name and file.
    firsts: Vec<u32>,
    ends: Vec<u32>,
}

impl Definers {
    /// Every name has a definition, so the ends of the names stand one after the other.
    fn new(graph: &CodeGraph) -> Self {
        let mut firsts = Vec::new();
        let mut ends = vec![0; graph.names.len()];
        let mut before: Option<&Definition> = None;
        for (number, definition) in (0u32..).zip(&graph.definitions) {
            if before.is_none_or(|before| (before.name, before.file) != (definition.name, definition.file)) {
                firsts.push(number);
            }
            ends[definition.name as usize] = u32::try_from(firsts.len()).unwrap_or(u32::MAX);
            before = Some(definition);
        }
        Definers { firsts, ends }
    }

    fn of(&self, name: u32) -> &[u32] {
        let end = |name: u32| self.ends.get(name as usize).copied().unwrap_or(0) as usize;
        let start = name.checked_sub(1).map_or(0, end);
        self.firsts.get(start..end(name)).unwrap_or_default()
    }
}

/// How a file that uses a name stands to one that defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    Imported,
    /// A file that it imports hands on what the other defines.
    ThroughHub,
    SameFolder,
    None,
}

/// What the imports of a language tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// The names that are imported; `packaged` if those of the same folder need not be.
    Names { packaged: bool },
    /// The files, or folders, that are imported.
    Files { packaged: bool },
    /// Nothing that leads to a file, mostly.
    Nothing,
}

fn manner(family: &str) -> Manner {
    match family {
        "rust" | "python" => Manner::Names { packaged: false },
        "java" | "php" => Manner::Names { packaged: true },
        "script" => Manner::Files { packaged: false },
        "go" | "c" => Manner::Files { packaged: true },
        _ => Manner::Nothing,
    }
}

/// How likely a use of a name is one of a certain definition, in hundredths. `named` says that the file imports something of
/// that name; a member comes with its type, which may come from anywhere.
fn likely(manner: Manner, link: Link, named: bool, is_member: bool) -> u8 {
    let packaged = match manner {
        Manner::Names { packaged } | Manner::Files { packaged } => packaged,
        Manner::Nothing => true,
    };
    let full = match (manner, link) {
        (Manner::Names { .. }, Link::Imported | Link::ThroughHub) if named && !is_member => 100,
        (Manner::Names { .. }, _) if named && !is_member => 60,
        (Manner::Names { .. }, Link::Imported) if !is_member => 60,
        (Manner::Names { .. }, Link::ThroughHub) if !is_member => 15,
        (_, Link::Imported) => 100,
        (_, Link::ThroughHub) => 60,
        (_, Link::SameFolder) if packaged => 80,
        (_, Link::SameFolder) => 15,
        (Manner::Nothing, Link::None) => 40,
        (_, Link::None) => 5,
    };
    if is_member { full / 5 * 3 } else { full }
}

struct View<'r> {
    graph: &'r CodeGraph,
    definers: Definers,
    /// Whether a file hands on what others define.
    hubs: Vec<bool>,
}

impl View<'_> {
    fn pulls(&self, number: u32, file: &File) -> Vec<Pull> {
        let hubs: Vec<u32> = file.imports.iter().copied().filter(|&file| self.hubs[file as usize]).collect();
        let manner = manner(file.family);
        let mut pulls = Vec::new();
        for &(name, count) in &file.uses {
            let count = u16::try_from(count).unwrap_or(u16::MAX);
            let definers = self.definers.of(name);
            let is_own = |&definition: &u32| self.graph.definitions[definition as usize].file == number;
            if definers.len() > MOST_DEFINERS || definers.iter().any(is_own) {
                continue;
            }
            let named = file.named.binary_search(&(name, true)).is_ok();
            // What comes from elsewhere under this name is not what is defined here.
            if !named && matches!(manner, Manner::Names { .. }) && file.named.binary_search(&(name, false)).is_ok() {
                continue;
            }
            let start = pulls.len();
            let mut best = 0;
            for &definition in definers {
                let defined = &self.graph.definitions[definition as usize];
                let other = &self.graph.files[defined.file as usize];
                if other.family == file.family && defined.reach.covers(other, file) {
                    let likely = likely(manner, self.link(file, &hubs, defined.file), named, defined.is_member);
                    best = best.max(likely);
                    pulls.push(Pull { definition, likely, count, weight: 0 });
                }
            }
            keep_likeliest(&mut pulls, start, best);
        }
        pulls
    }

    fn link(&self, file: &File, hubs: &[u32], definer: u32) -> Link {
        let imports = |file: &File| file.imports.binary_search(&definer).is_ok();
        if imports(file) {
            Link::Imported
        } else if hubs.iter().any(|&hub| imports(&self.graph.files[hub as usize])) {
            Link::ThroughHub
        } else if file.folder == self.graph.files[definer as usize].folder {
            Link::SameFolder
        } else {
            Link::None
        }
    }
}

/// Of the pulls from `start` on, keeps those that are as likely as the best.
fn keep_likeliest(pulls: &mut Vec<Pull>, start: usize, best: u8) {
    let mut kept = start;
    for at in start..pulls.len() {
        if pulls[at].likely == best {
            pulls.swap(kept, at);
            kept += 1;
        }
    }
    pulls.truncate(kept);
}

/// A file that others are taken from through it.
fn is_hub(path: &str, folders: &HashSet<&str>) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    // A module of Rust may stand beside the folder of its parts.
    let has_folder = || path.strip_suffix(".rs").is_some_and(|stem| folders.contains(stem));
    matches!(name, "lib.rs" | "mod.rs" | "main.rs" | "__init__.py") || name.starts_with("index.") || has_folder()
}

/// How much a name tells: one of several words is used for one thing, a short word for many.
fn telling(name: &str) -> f64 {
    let inner = name.trim_matches('_');
    let has_words = inner.contains('_')
        || inner.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let is_type = inner.starts_with(char::is_uppercase);
    let length = inner.chars().count() as f64;
    let (kind, length) = match (has_words, is_type) {
        (true, _) => (1.0, length + 3.0),
        (false, true) => (0.9, length + 3.0),
        (false, false) => (0.4, length),
    };
    let private = if name.starts_with('_') { 0.3 } else { 1.0 };
    // What can go wrong is used by all and explains little.
    let is_failure = ["Error", "Exception", "Result"].iter().any(|end| inner.ends_with(end));
    kind * (length / 8.0).min(1.0) * private * if is_failure { 0.4 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_names_of_more_words_tell_more() {
        let names = ["get", "open", "Map", "Node", "Store", "open_store"];
        for pair in names.windows(2) {
            assert!(telling(pair[0]) < telling(pair[1]), "{pair:?}");
        }
        assert!(telling("_open_store") < telling("open_store"));
        assert!(telling("getStoreOf") > telling("getstoreof"));
    }

    #[test]
    fn an_import_makes_a_use_likely() {
        let rust = manner("rust");
        assert_eq!(likely(rust, Link::ThroughHub, true, false), 100);
        assert!(likely(rust, Link::ThroughHub, false, false) < LIKELY);
        assert!(likely(rust, Link::Imported, false, true) >= LIKELY);
        assert!(likely(rust, Link::SameFolder, false, false) < LIKELY);
        assert!(likely(manner("go"), Link::SameFolder, false, false) >= LIKELY);
        assert!(likely(manner("csharp"), Link::None, false, false) >= LIKELY);
    }
}
