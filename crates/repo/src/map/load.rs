//! What a map is drawn from: files, their definitions, what they use and import.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};

use ai_assist_syntax::{ChunkKind, Imports};
use ai_assist_text::{Category, Language};
use rayon::prelude::*;

use super::packages::packages;
use super::reach::{Reach, Said, folder};
use super::read::{for_each_symbol, imports_by_file};
use crate::build::Result;
use crate::repo_index::SymbolDb;

/// More imports of one file are not looked at.
const MAX_IMPORTS: usize = 2_000;

/// A repository, as far as a map needs it. Files are numbered by path.
#[derive(Debug, Default)]
pub(super) struct Repository {
    pub(super) files: Vec<File>,
    /// By name, file and place.
    pub(super) definitions: Vec<Definition>,
    pub(super) names: Vec<String>,
}

#[derive(Debug)]
pub(super) struct File {
    pub(super) key: u64,
    pub(super) path: String,
    pub(super) language: Language,
    /// Files of one family can use what the others define.
    pub(super) family: &'static str,
    pub(super) folder: u32,
    /// What it counts for beside the sources: tests, examples and the work of others say less.
    pub(super) worth: f64,
    /// The names it uses, as far as they are defined somewhere, and how often.
    pub(super) uses: Vec<(u32, u32)>,
    pub(super) imports: Vec<u32>,
    /// The names that its imports end with, sorted, each with whether the import leads to a file of the repository.
    pub(super) named: Vec<(u32, bool)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Definition {
    pub(super) name: u32,
    pub(super) file: u32,
    /// Its place among those of its file.
    pub(super) number: u32,
    pub(super) kind: ChunkKind,
    /// Whether it belongs to a type.
    pub(super) is_member: bool,
    pub(super) reach: Reach,
}

impl Repository {
    pub(super) fn load(db: &SymbolDb) -> Result<Self> {
        let mut repository = Repository::default();
        let mut folders: HashMap<String, u32> = HashMap::new();
        for document in db.documents()? {
            let next = u32::try_from(folders.len()).unwrap_or(u32::MAX);
            let folder = *folders.entry(folder(&document.path).to_owned()).or_insert(next);
            let (family, worth) = (family(document.language), worth(&document.path));
            repository.files.push(File {
                key: document.key,
                path: document.path,
                language: document.language,
                family,
                folder,
                worth,
                uses: Vec::new(),
                imports: Vec::new(),
                named: Vec::new(),
            });
        }
        let numbers: HashMap<u64, u32> = (0u32..).zip(&repository.files).map(|(n, file)| (file.key, n)).collect();
        let defined = repository.load_definitions(db, &numbers)?;
        repository.load_uses(db, &numbers, &defined)?;
        repository.load_imports(&imports_by_file(db, &numbers)?, &defined);
        Ok(repository)
    }

    /// Gives back the numbers of names.
    fn load_definitions(&mut self, db: &SymbolDb, numbers: &HashMap<u64, u32>) -> Result<HashMap<String, u32>> {
        let mut ids: HashMap<String, u32> = HashMap::new();
        let mut last_trait = (u32::MAX, String::new());
        let mut seen = Seen::default();
        for_each_symbol(db, |symbol| {
            let Some((number, file)) =
                numbers.get(&symbol.document).and_then(|&n| Some((n, self.files.get(n as usize)?)))
            else {
                return;
            };
            if symbol.kind == ChunkKind::Trait {
                last_trait = (number, symbol.name.to_owned());
            }
            if !is_shown(symbol.kind, symbol.parent, symbol.signature, file.language) {
                return;
            }
            let in_trait = last_trait.0 == number && symbol.parent == Some(&last_trait.1);
            let said =
                Said { name: symbol.name, kind: symbol.kind, signature: symbol.signature.unwrap_or(""), in_trait };
            let reach = Reach::of(&said, file.language, &file.path);
            let name = match ids.get(symbol.name) {
                Some(&id) => id,
                None => {
                    let id = u32::try_from(ids.len()).unwrap_or(u32::MAX);
                    ids.insert(symbol.name.to_owned(), id);
                    id
                }
            };
            let lines = symbol.lines.1.saturating_sub(symbol.lines.0);
            let again = seen.before((number, name, symbol.parent), lines, self.definitions.len());
            if let Some(Again { at, is_larger }) = again {
                if let Some(before) = self.definitions.get_mut(at).filter(|_| is_larger) {
                    (before.number, before.kind) = (symbol.number, symbol.kind);
                }
                return;
            }
            self.definitions.push(Definition {
                name,
                file: number,
                number: symbol.number,
                kind: symbol.kind,
                is_member: symbol.parent.is_some() && symbol.kind == ChunkKind::Method,
                reach,
            });
        })?;
        self.definitions.sort_unstable();
        self.names = vec![String::new(); ids.len()];
        for (name, &id) in &ids {
            self.names[id as usize].clone_from(name);
        }
        Ok(ids)
    }

    fn load_uses(&mut self, db: &SymbolDb, numbers: &HashMap<u64, u32>, defined: &HashMap<String, u32>) -> Result<()> {
        let uses = db.uses()?;
        let known: Vec<Option<u32>> = uses.names.iter().map(|name| defined.get(name).copied()).collect();
        uses.for_each(|key, used| {
            let file = numbers.get(&key).and_then(|&file| self.files.get_mut(file as usize));
            if let Some(file) = file {
                let known = |id: u32| known.get(id as usize).copied().flatten();
                file.uses = used.filter_map(|(id, count)| Some((known(id)?, count))).collect();
            }
        })
    }

    fn load_imports(&mut self, modules: &[(u32, Vec<String>)], defined: &HashMap<String, u32>) {
        let paths: Vec<(usize, &str)> = self.files.iter().map(|file| file.path.as_str()).enumerate().collect();
        let imports = Imports::new(&paths, packages(&self.files, modules));
        let resolved: Vec<Imported> = modules
            .par_iter()
            .map(|(file, modules)| {
                Imported::new(&imports, *file as usize, &self.files[*file as usize], modules, defined)
            })
            .collect();
        for ((file, _), Imported { files, named }) in modules.iter().zip(resolved) {
            let file = &mut self.files[*file as usize];
            (file.imports, file.named) = (files, named);
        }
    }
}

/// What the imports of a file lead to.
struct Imported {
    files: Vec<u32>,
    named: Vec<(u32, bool)>,
}

impl Imported {
    fn new(
        imports: &Imports<'_>,
        index: usize,
        file: &File,
        modules: &[String],
        defined: &HashMap<String, u32>,
    ) -> Imported {
        let (mut files, mut named) = (Vec::new(), Vec::new());
        for module in modules.iter().take(MAX_IMPORTS) {
            let targets = imports.targets((index, file.path.as_str()), file.language, [module.as_str()]);
            named.extend(defined.get(last_name(module)).map(|&name| (name, !targets.is_empty())));
            let numbers = targets.into_iter().flat_map(|target| imports.files_of(target));
            files.extend(numbers.filter_map(|file| u32::try_from(file).ok()));
        }
        files.sort_unstable();
        files.dedup();
        named.sort_unstable();
        Imported { files, named }
    }
}

/// What was defined in the current file, by name and the hash of what it lies in. What is defined twice there, as before and in an `else`
/// of a preprocessor, is shown once, where it has the most lines.
#[derive(Default)]
struct Seen {
    file: u32,
    /// With the number of lines and of the definition.
    places: HashMap<(u32, u64), (u32, usize)>,
}

/// What was seen before.
struct Again {
    at: usize,
    is_larger: bool,
}

impl Seen {
    fn before(&mut self, (file, name, parent): (u32, u32, Option<&str>), lines: u32, next: usize) -> Option<Again> {
        if self.file != file {
            self.file = file;
            // A new one: to clear one that has grown large takes long.
            self.places = HashMap::new();
        }
        let mut hasher = DefaultHasher::new();
        parent.hash(&mut hasher);
        match self.places.entry((name, hasher.finish())) {
            Entry::Vacant(place) => {
                place.insert((lines, next));
                None
            }
            Entry::Occupied(mut place) => {
                let (before, at) = *place.get();
                place.insert((before.max(lines), at));
                Some(Again { at, is_larger: lines > before })
            }
        }
    }
}

fn last_name(module: &str) -> &str {
    module.rsplit([':', '.', '\\', '/', ' ']).next().unwrap_or(module)
}

/// Languages that share names.
fn family(language: Language) -> &'static str {
    match language.name() {
        "javascript" | "typescript" | "tsx" => "script",
        "c" | "cpp" => "c",
        name => name,
    }
}

/// Whether a definition is one that a map can show: what implements something that is declared elsewhere, tests, and what is
/// only a name for an import are not.
fn is_shown(kind: ChunkKind, parent: Option<&str>, signature: Option<&str>, language: Language) -> bool {
    let is_kind = match kind {
        ChunkKind::Function
        | ChunkKind::Method
        | ChunkKind::Class
        | ChunkKind::Struct
        | ChunkKind::Enum
        | ChunkKind::Interface
        | ChunkKind::Trait
        | ChunkKind::Type
        | ChunkKind::Macro => true,
        ChunkKind::Constant => !signature.is_some_and(|signature| signature.contains("require(")),
        // Elsewhere modules are places; here they hold methods that classes take in.
        ChunkKind::Module => language.name() == "ruby",
        _ => false,
    };
    let is_aside = parent.is_some_and(|parent| {
        let in_tests = parent.split('.').any(|name| matches!(name, "tests" | "test"));
        in_tests || language == Language::RUST && parent.contains(" for ")
    });
    is_kind && !is_aside
}

/// What a file counts for by its path.
fn worth(path: &str) -> f64 {
    const ASIDE: [&str; 8] = ["examples", "example", "benches", "bench", "benchmarks", "fixtures", "samples", "docs"];
    const OTHERS: [&str; 8] =
        ["vendor", "_vendor", "vendored", "third_party", "third-party", "extern", "generated", "node_modules"];
    let lower = path.to_lowercase();
    let among = |names: &[&str]| lower.split('/').any(|part| names.contains(&part));
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let stem = name.split('.').next().unwrap_or(name);
    let is_generated = [".pb.", "_pb2.", ".generated.", ".g.", ".min."].iter().any(|mark| name.contains(mark));
    let is_test = Category::of_path(path) == Category::Test
        || stem.ends_with("_tests")
        || matches!(stem, "tests" | "test" | "conftest")
        || path.split(['/', '.']).any(|part| part.ends_with("Tests") || part.ends_with("Test"));
    if among(&OTHERS) || is_generated {
        0.02
    } else if is_test {
        0.05
    } else if among(&ASIDE) {
        0.2
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::worth;

    #[test]
    fn sources_are_worth_the_most() {
        for (path, expected) in [
            ("src/store.rs", 1.0),
            ("src/testing_ground.rs", 1.0),
            ("src/store_tests.rs", 0.05),
            ("tests/it/support.rs", 0.05),
            ("src/FooTest.java", 0.05),
            ("Shop.Tests/Store.cs", 0.05),
            ("examples/build.rs", 0.2),
            ("vendor/x/lib.c", 0.02),
            ("api/service.pb.go", 0.02),
        ] {
            assert_eq!(worth(path), expected, "{path}");
        }
    }
}
