//! What a project is: its own words, its shape, and how it is built, tested and started.

use std::collections::BTreeMap;

use ai_assist_ecosystem::Stated;
use ai_assist_text::{Language, LanguageKind};

use super::{counted, listed};
use crate::Snapshot;
use crate::survey::Survey;
use crate::tree::structure_summary;

/// How many languages, folders, packages and entry points are named.
const NAMED: usize = 8;
const MAX_TECHNOLOGIES: usize = 40;

pub(super) fn description(snapshot: &Snapshot, survey: &Survey) -> String {
    let paragraphs = [own_words(survey), shape(snapshot, survey), making(survey)];
    paragraphs.into_iter().filter(|paragraph| !paragraph.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// `value (from evidence)`.
fn from(stated: &Stated<String>) -> String {
    format!("{} (from {})", stated.value, stated.evidence)
}

fn own_words(survey: &Survey) -> String {
    let description = &survey.description;
    let mut sentences = vec![match &description.description {
        Some(stated) => format!("It says of itself: \"{}\" (from {}).", stated.value, stated.evidence),
        None => "Neither a manifest nor a README says what it is for.".to_owned(),
    }];
    sentences.push(format!("Its name is {}; it is of the kind {}.", from(&description.name), from(&description.kind)));
    sentences.extend(description.version.as_ref().map(|version| format!("Its version is {}.", from(version))));
    sentences.extend(description.license.as_ref().map(|license| format!("Its license is {}.", from(license))));
    sentences.join(" ")
}

struct Share {
    name: &'static str,
    kind: LanguageKind,
    files: usize,
    bytes: u64,
}

/// The languages of the files that can be read, those with the most bytes first.
fn shares(snapshot: &Snapshot) -> Vec<Share> {
    let mut by_name: BTreeMap<&'static str, Share> = BTreeMap::new();
    for file in snapshot.project.files.iter().filter(|file| file.content_extractable) {
        let Some(language) = Language::of_path(&file.relative_path) else { continue };
        let (name, kind) = (language.name(), language.kind());
        let share = by_name.entry(name).or_insert(Share { name, kind, files: 0, bytes: 0 });
        share.files += 1;
        share.bytes += file.size_bytes;
    }
    let mut shares: Vec<Share> = by_name.into_values().collect();
    shares.sort_by(|a, b| b.bytes.cmp(&a.bytes).then(a.name.cmp(b.name)));
    shares
}

fn shape(snapshot: &Snapshot, survey: &Survey) -> String {
    let project = &snapshot.project;
    let readable = project.files.iter().filter(|file| file.content_extractable);
    let (count, bytes) = readable.fold((0, 0), |(count, bytes), file| (count + 1, bytes + file.size_bytes));
    let languages: Vec<String> = shares(snapshot)
        .iter()
        .map(|share| format!("{} {} with {} bytes", share.name, counted(share.files, "file", "files"), share.bytes))
        .collect();
    let mut sentences = vec![format!(
        "It has {} of text with {bytes} bytes in {}, and {} of other kinds or left out (counted by the scan).",
        counted(count, "file", "files"),
        counted(project.total_directories, "folder", "folders"),
        counted(project.total_files.saturating_sub(count), "file", "files"),
    )];
    if !languages.is_empty() {
        sentences.push(format!("Languages: {} (by the names of the files).", listed(&languages, NAMED)));
    }
    let folders: Vec<String> = structure_summary(&project.files).lines().map(str::to_owned).collect();
    if !folders.is_empty() {
        sentences.push(format!("Folders: {} (counted by the scan).", folders[..folders.len().min(NAMED)].join("; ")));
    }
    let packages: Vec<String> = survey
        .description
        .packages
        .iter()
        .map(|package| format!("{} ({}, from {})", package.name, package.kind, package.manifest))
        .collect();
    if !packages.is_empty() {
        let noun = counted(packages.len(), "package", "packages");
        sentences.push(format!("It has {noun} below the root: {}.", listed(&packages, NAMED)));
    }
    sentences.join(" ")
}

fn making(survey: &Survey) -> String {
    let description = &survey.description;
    let all = |stated: &[Stated<String>]| listed(&stated.iter().map(from).collect::<Vec<_>>(), NAMED);
    let mut sentences = Vec::new();
    sentences.push(match description.build_systems.as_slice() {
        [] => "No build system was recognised (by manifests and names of files).".to_owned(),
        systems => format!("It is built with {}.", all(systems)),
    });
    sentences.push(match description.test_frameworks.as_slice() {
        [] => "No test framework was recognised (by manifests and names of files).".to_owned(),
        frameworks => format!("It is tested with {}.", all(frameworks)),
    });
    let entries: Vec<String> = description
        .entry_points
        .iter()
        .map(|entry| format!("{} ({}, from {})", entry.path, kind_name(entry.kind), entry.evidence))
        .collect();
    sentences.push(if entries.is_empty() {
        "No manifest names where it starts.".to_owned()
    } else {
        format!("It starts at {}.", listed(&entries, NAMED))
    });
    sentences.join(" ")
}

pub(super) fn kind_name(kind: ai_assist_ecosystem::EntryPointKind) -> &'static str {
    use ai_assist_ecosystem::EntryPointKind;
    match kind {
        EntryPointKind::Cli => "a command-line program",
        EntryPointKind::Web => "pages for a browser",
        EntryPointKind::Api => "a service",
        EntryPointKind::Library => "a library",
        EntryPointKind::Script => "a script",
    }
}

/// Languages with their share of the code, then what manifests and names of files speak for.
pub(super) fn technologies(snapshot: &Snapshot, survey: &Survey) -> Vec<String> {
    let mut shares = shares(snapshot);
    shares.retain(|share| matches!(share.kind, LanguageKind::Code | LanguageKind::Markup));
    let total: u64 = shares.iter().map(|share| share.bytes).sum();
    // Below a hundredth of the code, a language is a detail.
    let languages = shares.iter().filter(|share| total > 0 && share.bytes.saturating_mul(100) >= total).map(|share| {
        let percent = share.bytes.saturating_mul(100) / total.max(1);
        let files = counted(share.files, "file", "files");
        format!("{} ({files}, {percent}% of the bytes of code, by the names of the files)", share.name)
    });
    let known = survey.description.technologies.iter().map(from);
    languages.chain(known).take(MAX_TECHNOLOGIES).collect()
}
