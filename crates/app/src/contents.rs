//! What a folder holds, before it is added: how many files of which formats are taken, and what is left out and why.

use std::collections::BTreeMap;
use std::path::Path;

use ai_assist_admit::{Globs, Limits, Reason, Selection, document_format, walk};
use ai_assist_base::Cancel;
use ai_assist_text::{Language, LanguageKind};
use serde::Serialize;

use crate::{Project, Result};

/// Files of a folder, counted by format.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FolderContents {
    /// How many files the pattern takes.
    pub files: usize,
    /// Of which formats they are.
    pub formats: BTreeMap<String, usize>,
    /// Files that the pattern does not take, by the ending of their names.
    pub other: BTreeMap<String, usize>,
    /// What stays out whatever the pattern, by the reason; a folder that is not entered counts as one.
    pub left_out: BTreeMap<Reason, usize>,
    /// How many files are source code, whether or not the pattern takes them.
    #[serde(skip)]
    pub code: usize,
    /// How many are documents.
    #[serde(skip)]
    pub documents: usize,
    /// The rule of an ignore file that leaves nothing, and where it stands.
    #[serde(skip)]
    pub swallowed: Option<String>,
}

impl FolderContents {
    /// The formats of the files that are taken, the most frequent first: `3 md, 1 rst`.
    pub fn taken(&self) -> String {
        counted(&self.formats)
    }

    /// What is left out and why; nothing if that is nothing.
    pub fn omitted(&self) -> Option<String> {
        let mut parts = Vec::new();
        let other: usize = self.other.values().sum();
        if other > 0 {
            let files = if other == 1 { "file" } else { "files" };
            parts.push(format!("{other} other {files} ({})", counted(&self.other)));
        }
        parts.extend(self.left_out.iter().map(|(reason, count)| format!("{count} {}", short(*reason))));
        parts.extend(self.swallowed.clone());
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// What there is instead, where nothing is taken.
    pub fn instead(&self) -> String {
        self.omitted().unwrap_or_else(|| "no files".to_owned())
    }

    /// A pattern for the most frequent of the files that are not taken; one for all where none has an ending.
    pub fn other_glob(&self) -> Option<String> {
        let named = self.other.iter().filter(|(ending, _)| !ending.contains(' '));
        let most = named.max_by_key(|(_, count)| **count).map(|(ending, _)| format!("**/*.{ending}"));
        most.or_else(|| (!self.other.is_empty()).then(|| "**/*".to_owned()))
    }
}

/// A reason in a word or two, behind a number.
fn short(reason: Reason) -> &'static str {
    match reason {
        Reason::Hidden => "hidden",
        Reason::IgnoreFile => "ignored",
        Reason::SecretName => "named like a store of credentials",
        Reason::TooLarge => "too large",
        Reason::TooDeep => "too deep",
        Reason::SymlinkOutside => "linked from outside of the folder",
        Reason::SymlinkLoop | Reason::SymlinkBroken => "linked in circles or to nothing",
        Reason::Unreadable => "unreadable",
        _ => "that can't be taken",
    }
}

/// At most so many formats are named.
const NAMED: usize = 6;

fn counted(formats: &BTreeMap<String, usize>) -> String {
    let mut sorted: Vec<(&String, &usize)> = formats.iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let mut parts: Vec<String> = sorted.iter().take(NAMED).map(|(format, count)| format!("{count} {format}")).collect();
    let rest: usize = sorted.iter().skip(NAMED).map(|(_, count)| **count).sum();
    if rest > 0 {
        parts.push(format!("{rest} more"));
    }
    parts.join(", ")
}

impl Project {
    /// Looks at the names of a folder's files, and at what a pattern takes of them.
    pub fn contents(&self, folder: &Path, glob: &str, cancel: &Cancel) -> Result<FolderContents> {
        contents(folder, glob, self.settings.limits(), cancel)
    }
}

pub(crate) fn contents(folder: &Path, glob: &str, limits: Limits, cancel: &Cancel) -> Result<FolderContents> {
    let of = |patterns: &[&str]| Globs::new(patterns).map_err(ai_assist_collections::Error::from);
    let (everything, taken) = (of(&Globs::EVERYTHING)?, of(&[glob])?);
    let walked = walk(&Selection::new(folder, everything, limits), cancel, &|_| {});
    let walked = walked.map_err(ai_assist_collections::Error::from)?;
    let swallowed =
        walked.receipt.swallowed().map(|problem| format!("because in {} {}", problem.path, problem.message));
    let mut found = FolderContents { swallowed, ..FolderContents::default() };
    for candidate in &walked.candidates {
        let path = candidate.path().as_str();
        let kind = Language::of_path(path).map(Language::kind);
        found.code += usize::from(kind == Some(LanguageKind::Code));
        found.documents += usize::from(document_format(path).is_some());
        if taken.matches(path) {
            found.files += 1;
            *found.formats.entry(format_of(path)).or_default() += 1;
        } else if path.starts_with('.') || path.contains("/.") {
            *found.left_out.entry(Reason::Hidden).or_default() += 1;
        } else {
            *found.other.entry(format_of(path)).or_default() += 1;
        }
    }
    let boring = |reason: &Reason| matches!(reason, Reason::VersionControl | Reason::NotMatched);
    for (reason, count) in walked.receipt.excluded.iter().filter(|(reason, _)| !boring(reason)) {
        *found.left_out.entry(*reason).or_default() += count;
    }
    Ok(found)
}

/// The format of a file, in a word: that of a document, or the ending of its name.
fn format_of(path: &str) -> String {
    if let Some(format) = document_format(path) {
        return format.to_owned();
    }
    let ending = Path::new(path).extension().and_then(|ending| ending.to_str());
    let plain = |ending: &&str| ending.len() <= 12 && ending.bytes().all(|b| b.is_ascii_alphanumeric());
    ending.filter(plain).map_or_else(|| "without an ending".to_owned(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_by_format_and_by_what_keeps_them_out() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for path in ["a.md", "x/b.markdown", "c.rst", "x/Manual.PDF", "logo.png", "x/y.rs", "README", "LICENSE"] {
            write(path, "text");
        }
        write(".env", "A=1");
        write(".hidden.md", "x");
        write(".gitignore", "build/\n");
        write("build/out.md", "x");
        write("large.md", &"x".repeat(200));
        let limits = Limits { max_file_bytes: 100, ..Limits::default() };
        let found = contents(folder.path(), Globs::DOCUMENTS, limits, &Cancel::default()).unwrap();
        assert_eq!((found.files, found.taken().as_str()), (5, "2 md, 1 pdf, 1 rst, 1 txt"));
        let omitted = found.omitted().unwrap();
        for part in [
            "3 other files (1 png, 1 rs, 1 without an ending)",
            "2 hidden",
            "1 ignored",
            "1 too large",
            "1 named like a store of credentials",
        ] {
            assert!(omitted.contains(part), "{part}: {omitted}");
        }
        let code = contents(folder.path(), "**/*.py", limits, &Cancel::default()).unwrap();
        assert_eq!((code.files, code.code), (0, 1));
        assert!(code.other_glob().is_some());
        let empty = tempfile::tempdir().unwrap();
        let nothing = contents(empty.path(), Globs::DOCUMENTS, limits, &Cancel::default()).unwrap();
        assert_eq!(nothing.instead(), "no files");
    }
}
