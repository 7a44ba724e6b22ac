//! Markdown: texts stand in fences longer than any run of backticks inside them, names in code spans on one line.

use std::fmt::Write;

use ai_assist_text::Language;

use super::{FileRef, PackRef, Sink, blocks, put, word};
use crate::PackError;
use crate::format::json;
use crate::types::{FileIndexEntry, Manifest, SummaryPack};

pub(super) fn pack(pack: PackRef<'_>, sink: Sink<'_>) -> Result<(), PackError> {
    let mut out = String::new();
    match pack {
        PackRef::Full(pack) => {
            manifest(&mut out, &pack.manifest);
            index(&mut out, &pack.file_index);
            sink(&out)?;
            section(sink, "Key files", &pack.key_files, FileRef::Key)?;
            section(sink, "Contents", &pack.contents, FileRef::Content)?;
            section(sink, "Outlines", &pack.outlines, FileRef::Outline)?;
            sink("## About this pack\n\n")?;
            sink(&fenced("json", &json::line(&pack.metadata)?))
        }
        PackRef::Summary(pack) => {
            summary(&mut out, pack)?;
            sink(&out)
        }
    }
}

fn section<'a, T: Sync>(
    sink: Sink<'_>,
    title: &str,
    files: &'a [T],
    as_file: impl Fn(&'a T) -> FileRef<'a> + Sync,
) -> Result<(), PackError> {
    if files.is_empty() {
        return Ok(());
    }
    sink(&format!("## {title}\n\n"))?;
    blocks(sink, files, as_file, file)
}

fn summary(out: &mut String, pack: &SummaryPack) -> Result<(), PackError> {
    manifest(out, &pack.manifest);
    index(out, &pack.file_index);
    let mut block = |title: &str, text: Result<String, PackError>| -> Result<(), PackError> {
        put!(out, "## {title}\n\n");
        out.push_str(&fenced("json", &text?));
        Ok(())
    };
    block("Summary", json::line(&pack.repo_summary))?;
    block("Key files", json::line(&pack.key_files_summary))?;
    block("Entry points", json::line(&pack.entrypoints))?;
    block("Risks", json::line(&pack.risk_hotspots))?;
    block("About this pack", json::line(&pack.metadata))
}

fn manifest(out: &mut String, manifest: &Manifest) {
    put!(out, "# {}\n\n", span(&manifest.project_name));
    let mut item = |name: &str, value: &str| {
        if !value.is_empty() {
            put!(out, "- {name}: {}\n", span(value));
        }
    };
    item("type", &manifest.project_type);
    item("purpose", &manifest.purpose_guess);
    item("build system", manifest.build_system.as_deref().unwrap_or_default());
    item("test framework", manifest.test_framework.as_deref().unwrap_or_default());
    manifest.entry_points.iter().for_each(|path| item("entry point", path));
    for dependency in &manifest.dependencies {
        let version = dependency.version.as_deref().unwrap_or_default();
        let kind = word(&dependency.dependency_type);
        put!(out, "- {kind} dependency: {}\n", span(format!("{} {version}", dependency.name).trim_end()));
    }
    if !manifest.structure_summary.is_empty() {
        out.push('\n');
        out.push_str(&fenced("text", &manifest.structure_summary));
    }
    out.push('\n');
}

fn index(out: &mut String, entries: &[FileIndexEntry]) {
    if entries.is_empty() {
        return;
    }
    out.push_str("## Files\n\n");
    entries.iter().for_each(|entry| out.push_str(&index_entry(entry)));
    out.push('\n');
}

pub(super) fn index_entry(entry: &FileIndexEntry) -> String {
    let state = match &entry.exclusion_reason {
        // Nothing of a folder is included, nor meant to be.
        None if entry.included || entry.files.is_some() => String::new(),
        None => ", not included".to_owned(),
        Some(reason) => format!(", not included: {}", word(reason)),
    };
    let (path, files) = match entry.files {
        Some(1) => (format!("{}/", entry.path), "1 file, ".to_owned()),
        Some(files) => (format!("{}/", entry.path), format!("{files} files, ")),
        None => (entry.path.clone(), String::new()),
    };
    format!("- {} ({}, {files}{} bytes{state})\n", span(&path), word(&entry.category), entry.size_bytes)
}

pub(super) fn file(file: FileRef<'_>) -> String {
    let mut out = format!("### {}", span(file.path()));
    match file {
        FileRef::Key(file) => {
            put!(out, " ({}, {})", word(&file.category), word(&file.importance));
        }
        FileRef::Outline(file) => {
            put!(out, " (outline of {} bytes)", file.original_size_bytes);
        }
        FileRef::Content(_) => {}
    }
    out.push_str(if file.truncated() { " (truncated)\n\n" } else { "\n\n" });
    let language = Language::of_path(file.path()).map_or("", Language::name);
    out.push_str(&fenced(language, file.content()));
    out.push('\n');
    out
}

/// A text between fences that do not occur in it.
fn fenced(language: &str, text: &str) -> String {
    let longest = text.as_bytes().split(|byte| *byte != b'`').map(<[u8]>::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// A name on one line that nothing in it can end: line breaks, other control and direction marks, and backticks are
/// written as numbers.
fn span(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('`');
    for c in text.chars() {
        let hidden = matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if c.is_control() || c == '`' || hidden {
            put!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out.push('`');
    out
}
