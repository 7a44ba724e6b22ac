//! From what files say to the graph.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};

use ai_assist_text::{Category, Language};
use rayon::prelude::*;

use super::intern::Names;
use super::packages::packages;
use super::reach::{Reach, Said, folder};
use super::{CodeGraph, Definition, File};
use crate::imports::{Imports, MAX_IMPORTS};
use crate::{ChunkKind, Packages, Symbol};

/// Takes what files say: all definitions first, then what is used and imported.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    graph: CodeGraph,
    imports: Vec<(u32, Vec<String>)>,
    last_trait: (u32, String),
    seen: Seen,
}

impl GraphBuilder {
    /// For files in this order; they are numbered by it.
    pub fn new(files: impl IntoIterator<Item = (String, Language)>) -> Self {
        let mut folders: HashMap<String, u32> = HashMap::new();
        let mut file = |(path, language): (String, Language)| {
            let next = u32::try_from(folders.len()).unwrap_or(u32::MAX);
            File {
                folder: *folders.entry(folder(&path).to_owned()).or_insert(next),
                family: family(language),
                worth: worth(&path),
                path,
                language,
                uses: Vec::new(),
                imports: Vec::new(),
                targets: 0,
                named: Vec::new(),
            }
        };
        let files = files.into_iter().map(&mut file).collect();
        let graph = CodeGraph { files, ..CodeGraph::default() };
        GraphBuilder { graph, last_trait: (u32::MAX, String::new()), ..GraphBuilder::default() }
    }

    /// Adds a definition. Those of a file come together and in order.
    pub fn define(&mut self, file: u32, number: u32, symbol: &Symbol<'_>) {
        let Some(of) = self.graph.files.get(file as usize) else { return };
        let parent = symbol.parent.as_deref();
        if symbol.kind == ChunkKind::Trait {
            self.last_trait = (file, symbol.name.to_owned());
        }
        if !is_shown(symbol.kind, parent, symbol.signature, of.language) {
            return;
        }
        let in_trait = self.last_trait.0 == file && parent == Some(&self.last_trait.1);
        let said = Said { name: symbol.name, kind: symbol.kind, signature: symbol.signature.unwrap_or(""), in_trait };
        let reach = Reach::of(&said, of.language, &of.path);
        let name = self.graph.names.intern(symbol.name);
        let lines = symbol.lines.end.saturating_sub(symbol.lines.start);
        let again = self.seen.before((file, name, parent), lines, self.graph.definitions.len());
        if let Some((at, is_larger)) = again {
            if let Some(before) = self.graph.definitions.get_mut(at).filter(|_| is_larger) {
                (before.number, before.kind) = (number, symbol.kind);
            }
            return;
        }
        let is_member = parent.is_some() && symbol.kind == ChunkKind::Method;
        self.graph.definitions.push(Definition { name, file, number, kind: symbol.kind, is_member, reach });
    }

    /// The number of a name, if something of that name is defined.
    pub fn name(&self, name: &str) -> Option<u32> {
        self.graph.names.number(name)
    }

    /// Says which names a file uses, by their numbers, and how often.
    pub fn uses(&mut self, file: u32, uses: Vec<(u32, u32)>) {
        if let Some(file) = self.graph.files.get_mut(file as usize) {
            file.uses = uses;
        }
    }

    /// Says which modules a file imports, as it writes them.
    pub fn imports(&mut self, file: u32, modules: Vec<String>) {
        if (file as usize) < self.graph.files.len() && !modules.is_empty() {
            self.imports.push((file, modules));
        }
    }

    /// Resolves the imports. Packages that are not `known` are told from folders that have their names.
    pub fn finish(mut self, known: Packages) -> CodeGraph {
        let files = &self.graph.files;
        let paths: Vec<(usize, &str)> = files.iter().map(|file| file.path.as_str()).enumerate().collect();
        let imports = Imports::new(&paths, packages(files, &self.imports, known));
        let imported = |(file, modules): &(u32, Vec<String>)| {
            Imported::new(&imports, *file as usize, &files[*file as usize], modules, &self.graph.names)
        };
        let resolved: Vec<Imported> = self.imports.par_iter().map(imported).collect();
        for ((file, _), Imported { files, targets, named }) in self.imports.iter().zip(resolved) {
            let file = &mut self.graph.files[*file as usize];
            (file.imports, file.targets, file.named) = (files, targets, named);
        }
        self.graph.definitions.sort_unstable();
        self.graph.definitions.shrink_to_fit();
        self.graph
    }
}

struct Imported {
    files: Vec<u32>,
    targets: usize,
    named: Vec<(u32, bool)>,
}

impl Imported {
    fn new(imports: &Imports<'_>, index: usize, file: &File, modules: &[String], defined: &Names) -> Imported {
        let (mut targets, mut named) = (Vec::new(), Vec::new());
        for module in modules.iter().take(MAX_IMPORTS) {
            let target = imports.target((index, &file.path), file.language, module);
            named.extend(defined.number(last_name(module)).map(|name| (name, target.is_some())));
            targets.extend(target);
        }
        targets.sort_unstable();
        targets.dedup();
        let numbers = targets.iter().flat_map(|&target| imports.files_of(target));
        let mut files: Vec<u32> = numbers.filter_map(|file| u32::try_from(file).ok()).collect();
        files.sort_unstable();
        files.dedup();
        named.sort_unstable();
        Imported { files, targets: targets.len(), named }
    }
}

/// What was defined in the current file, by name and the hash of what it lies in. What is defined twice there, as before and in an `else`
/// of a preprocessor, is shown once, where it has the most lines.
#[derive(Debug, Default)]
struct Seen {
    file: u32,
    /// With the number of lines and of the definition.
    places: HashMap<(u32, u64), (u32, usize)>,
}

impl Seen {
    /// What was defined before under the same name, by its number, and whether this one has more lines.
    fn before(
        &mut self,
        (file, name, parent): (u32, u32, Option<&str>),
        lines: u32,
        next: usize,
    ) -> Option<(usize, bool)> {
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
                Some((at, lines > before))
            }
        }
    }
}

fn last_name(module: &str) -> &str {
    module.rsplit([':', '.', '\\', '/', ' ']).next().unwrap_or(module)
}

fn family(language: Language) -> &'static str {
    match language.name() {
        "javascript" | "typescript" | "tsx" => "script",
        "c" | "cpp" => "c",
        name => name,
    }
}

/// Whether a definition is one that can be used by name: what implements something that is declared elsewhere, tests, and what is
/// only a name for an import are not.
fn is_shown(kind: ChunkKind, parent: Option<&str>, signature: Option<&str>, language: Language) -> bool {
    use ChunkKind::{Class, Enum, Function, Interface, Macro, Method, Struct, Trait, Type};
    let is_kind = match kind {
        Function | Method | Class | Struct | Enum | Interface | Trait | Type | Macro => true,
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
