//! The shape of a project's folders.

use std::collections::BTreeMap;

use ai_assist_text::Language;

use crate::types::{DirectoryNode, FileMetadata, FileNode, Node};

/// More folders than this make no summary.
const MAX_NAMED: usize = 20;

#[derive(Default)]
struct Folder {
    folders: BTreeMap<String, Folder>,
    files: BTreeMap<String, FileNode>,
}

pub(crate) fn directory_tree(root_name: &str, files: &[FileMetadata]) -> DirectoryNode {
    let mut root = Folder::default();
    for file in files {
        let mut folder = &mut root;
        let mut names = file.relative_path.split('/').peekable();
        while let Some(name) = names.next() {
            if names.peek().is_some() {
                folder = folder.folders.entry(name.to_owned()).or_default();
            } else {
                let node = FileNode {
                    name: name.to_owned(),
                    path: file.relative_path.clone(),
                    size_bytes: file.size_bytes,
                    file_type: file.file_type,
                };
                folder.files.insert(name.to_owned(), node);
            }
        }
    }
    root.into_node(root_name.to_owned(), String::new())
}

impl Folder {
    /// Recursion is as deep as the walk went, which has a limit of its own.
    fn into_node(self, name: String, path: String) -> DirectoryNode {
        let mut children: BTreeMap<String, Node> =
            self.files.into_iter().map(|(name, file)| (name, Node::File(file))).collect();
        for (name, folder) in self.folders {
            let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            children.insert(name.clone(), Node::Directory(folder.into_node(name, path)));
        }
        DirectoryNode { name, path, children: children.into_values().collect() }
    }
}

/// One line for each folder at the top: how many files it holds, and in which language.
pub(crate) fn structure_summary(files: &[FileMetadata]) -> String {
    let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files {
        let top = file.relative_path.split_once('/').map_or("", |(top, _)| top);
        folders.entry(top).or_default().push(&file.relative_path);
    }
    let mut folders: Vec<(&str, Vec<&str>)> = folders.into_iter().collect();
    folders.sort_by(|a, b| (b.1.len(), a.0).cmp(&(a.1.len(), b.0)));
    let more = folders.len().saturating_sub(MAX_NAMED);
    let mut lines: Vec<String> = folders.iter().take(MAX_NAMED).map(|(name, files)| line(name, files)).collect();
    if more > 0 {
        lines.push(format!("{more} more folders"));
    }
    lines.join("\n")
}

fn line(name: &str, files: &[&str]) -> String {
    let place = if name.is_empty() { "(root)".to_owned() } else { format!("{name}/") };
    let count = files.len();
    let noun = if count == 1 { "file" } else { "files" };
    match main_language(files) {
        Some(language) => format!("{place}: {count} {noun}, mostly {language}"),
        None => format!("{place}: {count} {noun}"),
    }
}

/// The language of at least half of the files.
fn main_language(files: &[&str]) -> Option<&'static str> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for language in files.iter().filter_map(|path| Language::of_path(path)) {
        *counts.entry(language.name()).or_default() += 1;
    }
    let (name, count) = counts.into_iter().max_by_key(|(name, count)| (*count, std::cmp::Reverse(*name)))?;
    (count * 2 >= files.len()).then_some(name)
}
