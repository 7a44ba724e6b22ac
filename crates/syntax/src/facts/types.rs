//! What a program says about itself: what it offers, what it uses, what can be asked of it, and where it is risky.
//!
//! Everything here is read off the syntax tree and has a line, so that whoever repeats it can name its source.

use std::borrow::Cow;

use ai_assist_text::{Language, LineRange};
use serde::{Deserialize, Serialize};

use crate::{ChunkKind, OutlineEntry};

/// What one file of code says about itself. Lines count from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Its definitions in order, as an outline has them.
    pub definitions: Vec<OutlineEntry>,
    /// What other files can use, in order.
    pub exports: Vec<Export>,
    /// What it takes from other files and packages, in order.
    pub imports: Vec<Import>,
    /// The paths at which it answers requests, in order.
    pub routes: Vec<Route>,
    /// The commands of a program for the command line that it declares, in order.
    pub commands: Vec<Command>,
    /// Calls and blocks worth a second look, in order.
    pub risky: Vec<Risky>,
    /// How many functions and methods have a body here.
    pub functions: usize,
    /// How many places there are where the way forks: conditions, loops, cases.
    pub branches: usize,
    pub longest_function: Option<Measured>,
    /// The function in which blocks that fork are nested the deepest, and how deep.
    pub deepest_nesting: Option<Measured>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// Its name; a method's with its type, as in `Store.open`.
    pub name: String,
    /// What it is; [`ChunkKind::Imports`] if it is handed on from another file, which alone tells.
    pub kind: ChunkKind,
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module, file or package as it is written there, without quotes: `./auth`, `crate::store`, `os.path`.
    pub module: String,
    pub line: usize,
}

/// A path at which requests are answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// `GET` and the like, if it is said.
    pub method: Option<String>,
    /// The path as it is written there: `/users/:id`.
    pub path: String,
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    pub name: String,
    pub line: usize,
}

/// A call or a block worth a second look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Risky {
    pub kind: Risk,
    /// What is called, such as `eval` or `unsafe`; never its arguments.
    pub what: String,
    pub line: usize,
}

/// Why a call is worth a second look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Risk {
    Unsafe,
    Eval,
    Process,
    /// Bytes are turned into objects that may run code.
    Deserialize,
    /// A query is put together from pieces of text.
    Sql,
    /// Text goes into a page without being escaped.
    Html,
    /// A hash or cipher that is broken.
    WeakCrypto,
    NoVerify,
}

/// A function and a number measured on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    pub name: String,
    pub line: usize,
    pub value: usize,
}

/// A definition as it is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol<'f> {
    pub name: &'f str,
    pub kind: ChunkKind,
    /// Its text up to its body, on one line.
    pub signature: Option<&'f str>,
    pub lines: LineRange,
    /// What it lies in, outermost first, with dots between.
    pub parent: Option<Cow<'f, str>>,
}

impl Facts {
    pub fn symbols(&self) -> Vec<Symbol<'_>> {
        let mut open: Vec<(usize, String)> = Vec::new();
        let mut found = Vec::with_capacity(self.definitions.len());
        for entry in &self.definitions {
            while open.last().is_some_and(|(depth, _)| *depth >= entry.depth) {
                open.pop();
            }
            let outer = open.last().map(|(_, path)| path.as_str());
            let is_function = matches!(entry.kind, ChunkKind::Method | ChunkKind::Function);
            // The outline writes the type that a method names itself, as in Go, before the method.
            let (owner, name) = match entry.name.rsplit_once('.').filter(|_| is_function) {
                Some((owner, name)) if !name.is_empty() => (Some(owner), name),
                _ => (None, entry.name.as_str()),
            };
            let parts: Vec<&str> = outer.into_iter().chain(owner).collect();
            let parent = (!parts.is_empty()).then(|| parts.join("."));
            let path = parent.as_ref().map_or_else(|| name.to_owned(), |parent| format!("{parent}.{name}"));
            open.push((entry.depth, path));
            let (kind, signature, lines) = (entry.kind, entry.signature.as_deref(), entry.lines);
            found.push(Symbol { name, kind, signature, lines, parent: parent.map(Cow::Owned) });
        }
        found
    }
}

/// Reads off what a program says about itself; `None` if its language has no grammar or the text can't be parsed with
/// bounded effort.
///
/// What is said about routes, commands and risks would rather miss one than name one that is none. Strings from the text
/// are cut to 200 bytes.
pub fn facts(text: &str, language: Language) -> Option<Facts> {
    crate::Program::parse(text, language)?.facts()
}
