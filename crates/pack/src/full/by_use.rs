//! The order of files where tokens are scarce: what the project says of itself, then what the rest of it turns on. How small a
//! file is says nothing of its use.

use ai_assist_ecosystem::is_manifest;
use ai_assist_text::{Language, LanguageKind, Role};

use crate::Snapshot;
use crate::categories::{in_folder_of, is_side_file};
use crate::key_files::KeyPick;
use crate::survey::Survey;
use crate::types::{FileCategory, FileMetadata, Importance};

/// A text below this that defines nothing is an empty package or a placeholder.
const STUB: usize = 100;

/// So many entry points come before what is used the most; a workspace may have hundreds.
const ENTRY_POINTS: usize = 5;

const MIGRATIONS: &[&str] = &["migration", "migrations", "migrate"];
const TRANSLATIONS: &[&str] = &["locale", "locales", "i18n", "l10n", "translations", "lang", "langs"];

/// What a file is to somebody who has not seen the project, the most telling first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    /// The README and the manifest that names the project.
    Description,
    Entry,
    Program,
    /// Further documents and settings.
    Aside,
    /// Tests, examples, migrations, generated code, translations, stubs.
    Last,
}

/// A file in the order in which they get room.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    pub(super) index: usize,
    pub(super) key: Option<KeyPick>,
    pub(super) of_use: Use,
}

pub(super) fn order(snapshot: &Snapshot, survey: &Survey) -> Vec<Turn> {
    let files = &snapshot.project.files;
    let readable = || (0..files.len()).filter(|&index| files[index].content_extractable);
    let named: Vec<usize> = description(snapshot, survey);
    let entries = entry_points(snapshot, survey);
    let mut turns: Vec<(Turn, f64)> = readable()
        .map(|index| {
            let of_use = match () {
                () if named.contains(&index) => Use::Description,
                () if is_last(snapshot, survey, index) => Use::Last,
                () if entries.contains(&index) => Use::Entry,
                () if files[index].category == FileCategory::Config => Use::Aside,
                () if is_code(&files[index].relative_path) => Use::Program,
                () => Use::Aside,
            };
            let key = match of_use {
                Use::Description => Some(described_by(index, &files[index])),
                _ => snapshot.key_files.iter().find(|pick| pick.index == index).copied(),
            };
            (Turn { index, key, of_use }, survey.usage(index))
        })
        .collect();
    // The sort is stable and the files come by path, so equals stay in the order of their paths; of the description, the
    // README comes first.
    let place = |turn: &Turn| named.iter().position(|&index| index == turn.index);
    turns.sort_by(|(a, usage_a), (b, usage_b)| {
        (a.of_use, place(a)).cmp(&(b.of_use, place(b))).then(usage_b.total_cmp(usage_a))
    });
    turns.into_iter().map(|(turn, _)| turn).collect()
}

/// The README at the top and the manifest from which the name of the project comes.
fn description(snapshot: &Snapshot, survey: &Survey) -> Vec<usize> {
    let files = &snapshot.project.files;
    let at_the_top = || {
        let top = |file: &FileMetadata| file.content_extractable && !file.relative_path.contains('/');
        (0..files.len()).filter(move |&index| top(&files[index]))
    };
    let is_readme = |&index: &usize| files[index].name.to_lowercase().starts_with("readme");
    let evidence = survey.description.name.evidence.as_str();
    let names_it = |&index: &usize| evidence.starts_with(files[index].relative_path.as_str());
    let manifests = || at_the_top().filter(|&index| is_manifest(&files[index].relative_path));
    let readme = at_the_top().find(is_readme);
    let manifest = manifests().find(names_it).or_else(|| manifests().next()).filter(|&index| Some(index) != readme);
    readme.into_iter().chain(manifest).collect()
}

fn described_by(index: usize, file: &FileMetadata) -> KeyPick {
    let prose = Language::of_path(&file.relative_path).is_some_and(|language| language.kind() == LanguageKind::Prose);
    let category = if prose { FileCategory::Documentation } else { FileCategory::Config };
    KeyPick { index, category, importance: Importance::Critical }
}

/// Where manifests say that the project starts, the outermost first.
fn entry_points(snapshot: &Snapshot, survey: &Survey) -> Vec<usize> {
    let files = &snapshot.project.files;
    let place = |path: &str| files.binary_search_by(|file| file.relative_path.as_str().cmp(path)).ok();
    let named = survey.description.entry_points.iter().filter_map(|entry| place(&entry.path));
    let mut found: Vec<usize> = named.filter(|&index| !is_last(snapshot, survey, index)).collect();
    found.sort_by_key(|&index| (files[index].relative_path.matches('/').count(), index));
    found.dedup();
    found.truncate(ENTRY_POINTS);
    found
}

fn is_code(path: &str) -> bool {
    Language::of_path(path).is_some_and(|language| language.kind() == LanguageKind::Code)
}

fn is_last(snapshot: &Snapshot, survey: &Survey, index: usize) -> bool {
    let path = &snapshot.project.files[index].relative_path;
    let is_stub = snapshot.text_bytes(index).unwrap_or(0) < STUB && !survey.defines_anything(index);
    is_stub
        || is_side_file(path)
        || in_folder_of(path, MIGRATIONS)
        || in_folder_of(path, TRANSLATIONS)
        || !Role::of(path, &snapshot.text(index).unwrap_or_default()).is_own()
}
