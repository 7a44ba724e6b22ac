//! Which files import which, which names they take from whom, and so what the rest turns on.
//!
//! Files are the nodes. One that uses a name points to those that define it, the more so the more telling the name is and
//! where it imports them (`weigh`). Rank flows along (`rank`, the PageRank of the graph), and a definition has what reaches
//! its file through its name.
//!
//! Nothing here depends on the order in which files come: weights are whole numbers, so that their sums are exact, and
//! everything else goes by path.

mod build;
mod intern;
mod packages;
mod rank;
mod reach;
mod weigh;

use ai_assist_text::Language;

pub use build::GraphBuilder;
pub use rank::Ranks;

use crate::ChunkKind;
use intern::Names;
use reach::Reach;

/// The files of a project with what they define, use and import. Made by a [`GraphBuilder`].
#[derive(Debug, Default)]
pub struct CodeGraph {
    files: Vec<File>,
    /// What can be used by name: no tests, no implementations of what is declared elsewhere.
    pub definitions: Vec<Definition>,
    names: Names,
}

#[derive(Debug)]
struct File {
    path: String,
    language: Language,
    /// Files of one family can use what the others define.
    family: &'static str,
    folder: u32,
    /// What it counts for beside the sources: tests, examples and the work of others say less.
    worth: f64,
    /// The names it uses, as far as they are defined somewhere, and how often.
    uses: Vec<(u32, u32)>,
    imports: Vec<u32>,
    /// How many files or, where the language imports those, folders.
    targets: usize,
    /// The names that its imports end with, sorted, each with whether the import leads to a file of the project.
    named: Vec<(u32, bool)>,
}

/// A definition that others may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Definition {
    name: u32,
    pub file: u32,
    /// The number that its file gave it.
    pub number: u32,
    pub kind: ChunkKind,
    is_member: bool,
    reach: Reach,
}

impl CodeGraph {
    pub fn path(&self, file: u32) -> &str {
        &self.files[file as usize].path
    }

    pub fn language(&self, file: u32) -> Language {
        self.files[file as usize].language
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The number of a file, if the files came by path.
    pub fn file(&self, path: &str) -> Option<u32> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        u32::try_from(at).ok()
    }

    pub fn name(&self, definition: &Definition) -> &str {
        self.names.get(definition.name)
    }

    pub fn imports(&self, file: u32) -> &[u32] {
        &self.files[file as usize].imports
    }

    pub fn importers(&self, file: u32) -> Vec<u32> {
        (0u32..)
            .zip(&self.files)
            .filter(|(_, from)| from.imports.binary_search(&file).is_ok())
            .map(|(n, _)| n)
            .collect()
    }

    /// How many files, or folders where the language imports those, each file imports.
    pub fn fan_out(&self) -> impl Iterator<Item = usize> {
        self.files.iter().map(|file| file.targets)
    }

    pub fn fan_in(&self) -> Vec<usize> {
        let mut counts = vec![0; self.files.len()];
        for &file in self.files.iter().flat_map(|file| &file.imports) {
            counts[file as usize] += 1;
        }
        counts
    }
}
