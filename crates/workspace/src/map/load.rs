//! What a map is drawn from: files, their definitions, what they use and import.

use std::collections::HashMap;

use ai_assist_chunk::{ChunkKind, ImportTarget, Imports};
use ai_assist_text::{Category, Language};

use super::packages::packages;
use super::read::for_each_symbol;
use crate::build::Result;
use crate::repo_index::{ImportRecord, SymbolDb};

/// A repository, as far as a map needs it. Files are numbered by path.
#[derive(Debug, Default)]
pub(super) struct Repository {
    pub(super) files: Vec<File>,
    /// By name, file and place.
    pub(super) definitions: Vec<Definition>,
    /// The names that are defined.
    pub(super) names: Vec<String>,
}

/// A file.
#[derive(Debug)]
pub(super) struct File {
    pub(super) key: u64,
    pub(super) path: String,
    pub(super) language: Language,
    /// Files of one family can use what the others define.
    pub(super) family: &'static str,
    /// What it counts for beside the sources: tests, examples and the work of others say less.
    pub(super) worth: f64,
    /// The names it uses, as far as they are defined somewhere, and how often.
    pub(super) uses: Vec<(u32, u32)>,
    /// The files it imports, sorted.
    pub(super) imports: Vec<u32>,
}

/// A definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Definition {
    pub(super) name: u32,
    pub(super) file: u32,
    /// Its place among those of its file.
    pub(super) number: u32,
    pub(super) kind: ChunkKind,
}

impl Repository {
    pub(super) fn load(db: &SymbolDb) -> Result<Self> {
        let mut repository = Repository::default();
        for document in db.documents()? {
            let (family, worth) = (family(document.language), worth(&document.path));
            repository.files.push(File {
                key: document.key,
                path: document.path,
                language: document.language,
                family,
                worth,
                uses: Vec::new(),
                imports: Vec::new(),
            });
        }
        let numbers: HashMap<u64, u32> = (0u32..).zip(&repository.files).map(|(n, file)| (file.key, n)).collect();
        repository.load_definitions(db, &numbers)?;
        repository.load_uses(db, &numbers)?;
        repository.load_imports(&db.imports()?);
        Ok(repository)
    }

    fn load_definitions(&mut self, db: &SymbolDb, numbers: &HashMap<u64, u32>) -> Result<()> {
        let mut ids: HashMap<String, u32> = HashMap::new();
        for_each_symbol(db, |symbol| {
            let Some(&file) = numbers.get(&symbol.document) else { return };
            let language = self.files.get(file as usize).map_or(Language::TEXT, |file| file.language);
            if !is_shown(symbol.kind, symbol.parent, symbol.signature, language) {
                return;
            }
            let name = match ids.get(symbol.name) {
                Some(&id) => id,
                None => {
                    let id = u32::try_from(ids.len()).unwrap_or(u32::MAX);
                    ids.insert(symbol.name.to_owned(), id);
                    id
                }
            };
            self.definitions.push(Definition { name, file, number: symbol.number, kind: symbol.kind });
        })?;
        self.definitions.sort_unstable();
        self.names = vec![String::new(); ids.len()];
        for (name, id) in ids {
            self.names[id as usize] = name;
        }
        Ok(())
    }

    fn load_uses(&mut self, db: &SymbolDb, numbers: &HashMap<u64, u32>) -> Result<()> {
        let defined: HashMap<&str, u32> = (0u32..).zip(&self.names).map(|(id, name)| (name.as_str(), id)).collect();
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

    /// The records are sorted by path, as the files are.
    fn load_imports(&mut self, records: &[ImportRecord]) {
        let paths: Vec<(usize, &str)> = self.files.iter().map(|file| file.path.as_str()).enumerate().collect();
        let imports = Imports::new(&paths, packages(&self.files, records));
        let mut found: Vec<(usize, Vec<u32>)> = Vec::new();
        for of_file in records.chunk_by(|a, b| a.path == b.path) {
            let Some(path) = of_file.first().map(|record| record.path.as_str()) else { continue };
            let Ok(index) = self.files.binary_search_by(|file| file.path.as_str().cmp(path)) else { continue };
            let modules = of_file.iter().map(|record| record.module.as_str());
            let targets = imports.targets((index, path), self.files[index].language, modules);
            let mut files: Vec<u32> = targets.into_iter().flat_map(|target| numbers(&imports, target)).collect();
            files.sort_unstable();
            files.dedup();
            found.push((index, files));
        }
        drop(imports);
        for (index, files) in found {
            self.files[index].imports = files;
        }
    }
}

fn numbers(imports: &Imports<'_>, target: ImportTarget) -> impl Iterator<Item = u32> {
    imports.files_of(target).into_iter().filter_map(|file| u32::try_from(file).ok())
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
    const OTHERS: [&str; 6] = ["vendor", "vendored", "third_party", "third-party", "generated", "node_modules"];
    let lower = path.to_lowercase();
    let among = |names: &[&str]| lower.split('/').any(|part| names.contains(&part));
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let stem = name.split('.').next().unwrap_or(name);
    let is_generated = [".pb.", "_pb2.", ".generated.", ".g.", ".min."].iter().any(|mark| name.contains(mark));
    let is_test = Category::of_path(path) == Category::Test
        || stem.ends_with("_tests")
        || matches!(stem, "tests" | "test" | "conftest")
        || path.split('/').any(|part| part.ends_with("Tests") || part.ends_with("Test"));
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
            ("src/FooTest.java", 1.0),
            ("Shop.Tests/Store.cs", 1.0),
            ("examples/build.rs", 0.2),
            ("vendor/x/lib.c", 0.02),
            ("api/service.pb.go", 0.02),
        ] {
            assert_eq!(worth(path), expected, "{path}");
        }
    }
}
