//! XML: every text and every name escaped, so that `</file>` inside a file is never a tag.
//!
//! The line break after `<file …>` and the one before `</file>` are not part of the text.

use std::fmt::Write;

use super::{FileRef, PackRef, Sink, blocks, put, word};
use crate::PackError;
use crate::format::json;
use crate::types::{FileIndexEntry, Manifest, SummaryPack};

pub(super) fn pack(pack: PackRef<'_>, sink: Sink<'_>) -> Result<(), PackError> {
    let mut out = String::new();
    match pack {
        PackRef::Full(pack) => {
            out.push_str("<context_pack type=\"full\">\n");
            manifest(&mut out, &pack.manifest);
            index(&mut out, &pack.file_index);
            sink(&out)?;
            section(sink, "key_files", &pack.key_files, FileRef::Key)?;
            section(sink, "contents", &pack.contents, FileRef::Content)?;
            if !pack.outlines.is_empty() {
                section(sink, "outlines", &pack.outlines, FileRef::Outline)?;
            }
            sink(&format!("<metadata>{}</metadata>\n", escape(&json::line(&pack.metadata)?)))?;
        }
        PackRef::Summary(pack) => {
            summary(&mut out, pack)?;
            sink(&out)?;
        }
    }
    sink("</context_pack>\n")
}

fn section<'a, T: Sync>(
    sink: Sink<'_>,
    name: &str,
    files: &'a [T],
    as_file: impl Fn(&'a T) -> FileRef<'a> + Sync,
) -> Result<(), PackError> {
    sink(&format!("<{name}>\n"))?;
    blocks(sink, files, as_file, file)?;
    sink(&format!("</{name}>\n"))
}

fn summary(out: &mut String, pack: &SummaryPack) -> Result<(), PackError> {
    out.push_str("<context_pack type=\"summary\">\n");
    manifest(out, &pack.manifest);
    index(out, &pack.file_index);
    let mut element = |name: &str, text: Result<String, PackError>| -> Result<(), PackError> {
        put!(out, "<{name}>{}</{name}>\n", escape(&text?));
        Ok(())
    };
    element("repo_summary", json::line(&pack.repo_summary))?;
    pack.key_files_summary.iter().try_for_each(|key| element("key_file_summary", json::line(key)))?;
    pack.entrypoints.iter().try_for_each(|entry| element("entrypoint", json::line(entry)))?;
    pack.risk_hotspots.iter().try_for_each(|risk| element("risk_hotspot", json::line(risk)))?;
    element("metadata", json::line(&pack.metadata))
}

fn manifest(out: &mut String, manifest: &Manifest) {
    out.push_str("<manifest>\n");
    let mut element = |name: &str, value: &str| {
        if !value.is_empty() {
            put!(out, "<{name}>{}</{name}>\n", escape(value));
        }
    };
    element("project_name", &manifest.project_name);
    element("project_type", &manifest.project_type);
    element("purpose_guess", &manifest.purpose_guess);
    element("structure_summary", &manifest.structure_summary);
    element("build_system", manifest.build_system.as_deref().unwrap_or_default());
    element("test_framework", manifest.test_framework.as_deref().unwrap_or_default());
    manifest.entry_points.iter().for_each(|path| element("entry_point", path));
    for dependency in &manifest.dependencies {
        put!(out, "<dependency name=\"{}\"", attribute(&dependency.name));
        if let Some(version) = &dependency.version {
            put!(out, " version=\"{}\"", attribute(version));
        }
        put!(out, " type=\"{}\"/>\n", word(&dependency.dependency_type));
    }
    out.push_str("</manifest>\n");
}

fn index(out: &mut String, entries: &[FileIndexEntry]) {
    out.push_str("<file_index>\n");
    entries.iter().for_each(|entry| out.push_str(&index_entry(entry)));
    out.push_str("</file_index>\n");
}

pub(super) fn index_entry(entry: &FileIndexEntry) -> String {
    let mut out = format!(
        "<entry path=\"{}\" type=\"{}\" category=\"{}\" size_bytes=\"{}\" included=\"{}\"",
        attribute(&entry.path),
        word(&entry.file_type),
        word(&entry.category),
        entry.size_bytes,
        entry.included
    );
    if let Some(files) = entry.files {
        put!(out, " files=\"{files}\"");
    }
    if let Some(reason) = &entry.exclusion_reason {
        put!(out, " exclusion_reason=\"{}\"", word(reason));
    }
    out.push_str("/>\n");
    out
}

pub(super) fn file(file: FileRef<'_>) -> String {
    let tag = if matches!(file, FileRef::Outline(_)) { "outline" } else { "file" };
    let mut out = format!("<{tag} path=\"{}\"", attribute(file.path()));
    match file {
        FileRef::Key(file) => {
            put!(out, " category=\"{}\" importance=\"{}\"", word(&file.category), word(&file.importance));
        }
        FileRef::Outline(file) => {
            put!(
                out,
                " language=\"{}\" original_size_bytes=\"{}\"",
                attribute(&file.language),
                file.original_size_bytes
            );
        }
        FileRef::Content(_) => {}
    }
    if file.truncated() {
        out.push_str(" truncated=\"true\"");
    }
    out.push_str(">\n");
    out.push_str(&escape(file.content()));
    put!(out, "\n</{tag}>\n");
    out
}

/// An attribute's value. A reader of XML would make a blank of a line break or tab in it, so both are written as numbers.
fn attribute(value: &str) -> String {
    escape(value).replace('\n', "&#10;").replace('\t', "&#9;")
}

/// Text or an attribute's value. What XML can't hold at all becomes U+FFFD; a carriage return, which a reader of XML would
/// drop, is written as a number.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\r' => out.push_str("&#13;"),
            '\n' | '\t' => out.push(c),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
