//! Which files of a project a file imports, by their paths alone.
//!
//! The rules of each language stand in `modules`. Where two files could be meant, none is: a wrong edge would be a wrong
//! statement, a missing one only a smaller number.

mod modules;
mod paths;

use std::collections::HashMap;

use ai_assist_text::Language;

use self::paths::{Paths, folder};

/// More imports of one file are not looked at.
pub(crate) const MAX_IMPORTS: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ImportTarget {
    File(usize),
    /// All files of a Go package: see [`Imports::files_of`].
    Folder(usize),
}

/// The packages of a project: their folders, below its root, by the names they have in code.
#[derive(Debug, Clone, Default)]
pub struct Packages {
    pub crates: HashMap<String, String>,
    pub node: HashMap<String, String>,
    pub go: HashMap<String, String>,
}

/// The files and packages of a project, for looking up imports.
pub(crate) struct Imports<'a> {
    paths: Paths<'a>,
    packages: Packages,
    go_folders: HashMap<&'a str, usize>,
    go_files: Vec<Vec<usize>>,
}

impl std::fmt::Debug for Imports<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Imports").field("packages", &self.packages).finish_non_exhaustive()
    }
}

impl<'a> Imports<'a> {
    /// For files by their numbers and paths.
    pub(crate) fn new(files: &[(usize, &'a str)], packages: Packages) -> Self {
        let mut imports =
            Imports { paths: Paths::new(files), packages, go_folders: HashMap::new(), go_files: Vec::new() };
        for &(index, path) in files {
            if path.ends_with(".go") && !path.ends_with("_test.go") {
                imports.add_go(index, folder(path));
            }
        }
        imports
    }

    fn add_go(&mut self, index: usize, folder: &'a str) {
        let next = self.go_files.len();
        let place = *self.go_folders.entry(folder).or_insert(next);
        if place == next {
            self.go_files.push(Vec::new());
        }
        self.go_files[place].push(index);
    }

    /// What an import of the file with a number and a path leads to, itself excepted.
    pub(crate) fn target(
        &self,
        (index, from): (usize, &str),
        language: Language,
        module: &str,
    ) -> Option<ImportTarget> {
        self.resolve(from, language, module.trim()).filter(|target| *target != ImportTarget::File(index))
    }

    pub(crate) fn files_of(&self, target: ImportTarget) -> Vec<usize> {
        match target {
            ImportTarget::File(index) => vec![index],
            ImportTarget::Folder(place) => self.go_files.get(place).cloned().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
#[path = "imports_tests.rs"]
mod tests;
