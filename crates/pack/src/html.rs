//! A pack as a page to look at: where the tokens go, what was left out and why.
//!
//! One file that asks nothing of anybody: its policy allows only its own script and style, by their hashes. File names are
//! hostile; they are text in the page and strings in its data, and nothing else. Folders are summed up here, so that the
//! page lays out only what is seen of tens of thousands of files.

mod escape;
mod sums;

use std::fmt::Write as _;

use ai_assist_identity::Sha256;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::Serialize;

use crate::Snapshot;
use crate::types::{ContextPack, PackType};
use escape::{json_in_html, text, visible};
use sums::{Folder, folders_of};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// How many folders the page shows to a browser without scripts.
const TOP_FOLDERS: usize = 25;

#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    pub title: &'a str,
    pub pack: &'a ContextPack,
    pub snapshot: &'a Snapshot,
    pub files: &'a [PageFile],
    /// The tokens of the pack as it was written, if they were counted.
    pub tokens: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFile {
    pub path: String,
    /// How many tokens of it are in the pack.
    pub tokens: usize,
    pub bytes: u64,
    pub state: PageState,
    /// The reason or rule; never any content.
    pub note: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum PageState {
    /// It is in the pack as it is.
    Included,
    Truncated,
    /// Secret values were taken out.
    Redacted,
    Outlined,
    Excluded,
}

impl PageState {
    /// All of them, in the order of the page's legend.
    pub const ALL: [PageState; 5] =
        [PageState::Included, PageState::Truncated, PageState::Redacted, PageState::Outlined, PageState::Excluded];

    fn label(self) -> &'static str {
        match self {
            PageState::Included => "included",
            PageState::Truncated => "truncated",
            PageState::Redacted => "secrets taken out",
            PageState::Outlined => "outline only",
            PageState::Excluded => "left out",
        }
    }
}

/// What the script reads. Arrays instead of objects keep the page of 31,000 files small.
#[derive(Serialize)]
struct Data<'a> {
    states: [&'static str; 5],
    /// The folder it is in, its name, the tokens by state, the bytes left out, the files. The first is the root.
    folders: Vec<(usize, &'a str, [usize; 5], u64, usize)>,
    /// The folder it is in, its name, tokens, bytes, state, note.
    files: Vec<(usize, String, usize, u64, usize, usize)>,
    notes: Vec<String>,
}

pub fn html(page: &Page<'_>) -> String {
    let (folders, places) = folders_of(page.files);
    let mut out = String::with_capacity(64 * 1024 + page.files.len() * 96);
    let title = text(page.title);
    // Writing to a string can't fail; this holds for all of this file.
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
        policy()
    );
    headline(&mut out, page);
    out.push_str(include_str!("html/body.html"));
    top_folders(&mut out, &folders);
    let _ = write!(
        out,
        "<script type=\"application/json\" id=\"data\">{}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        json_in_html(&data(page.files, &folders, &places))
    );
    out
}

/// What the page may do: run this script and use this style. Whatever else gets into it does nothing.
fn policy() -> String {
    let hash = |text: &str| BASE64_STANDARD.encode(Sha256::of(text.as_bytes()).as_bytes());
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    )
}

fn headline(out: &mut String, page: &Page<'_>) {
    let metadata = page.pack.metadata();
    let kind = match metadata.pack_type {
        PackType::Full => "full",
        PackType::Summary => "summary",
    };
    let counted: usize = page.files.iter().map(|file| file.tokens).sum();
    let redactions: usize = metadata.redactions.values().sum();
    let numbers = [
        ("kind of pack", kind.to_owned()),
        ("tokens", grouped(&page.tokens.unwrap_or(counted))),
        ("bytes of text", grouped(&metadata.total_content_bytes)),
        ("files sent", grouped(&metadata.files_included)),
        ("files left out", grouped(&metadata.files_excluded)),
        ("truncated", grouped(&metadata.truncated_files)),
        ("secrets taken out", grouped(&redactions)),
    ];
    let _ = writeln!(out, "<p class=\"root\">{}</p>\n<dl class=\"numbers\">", text(&page.snapshot.project.root_path));
    for (name, value) in numbers {
        let _ = writeln!(out, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    }
    out.push_str("</dl>\n");
}

/// The folders below the root with the most tokens, for browsers without scripts.
fn top_folders(out: &mut String, folders: &[Folder<'_>]) {
    let mut top: Vec<&Folder<'_>> = folders.iter().skip(1).filter(|folder| folder.parent == 0).collect();
    top.sort_by_key(|folder| (std::cmp::Reverse(folder.sent_tokens()), folder.name));
    out.push_str(
        "<noscript>\n<h2>Top folders</h2>\n<table>\n<thead><tr><th>Folder</th><th>Tokens</th><th>Files</th>\
         <th>Bytes left out</th></tr></thead>\n<tbody>\n",
    );
    for folder in top.iter().take(TOP_FOLDERS) {
        let (name, tokens) = (text(folder.name), grouped(&folder.sent_tokens()));
        let (files, left_out) = (grouped(&folder.files), grouped(&folder.left_out));
        let _ = writeln!(out, "<tr><td>{name}/</td><td>{tokens}</td><td>{files}</td><td>{left_out}</td></tr>");
    }
    out.push_str("</tbody>\n</table>\n</noscript>\n");
}

fn data(files: &[PageFile], folders: &[Folder<'_>], places: &[usize]) -> String {
    let mut notes: Vec<String> = Vec::new();
    let mut known = std::collections::HashMap::new();
    let listed = files.iter().zip(places).map(|(file, &folder)| {
        let note = *known.entry(file.note.as_str()).or_insert_with(|| {
            notes.push(visible(&file.note).into_owned());
            notes.len() - 1
        });
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        (folder, visible(name).into_owned(), file.tokens, file.bytes, file.state as usize, note)
    });
    let listed = listed.collect();
    let names: Vec<_> = folders.iter().map(|folder| visible(folder.name)).collect();
    let rows = folders.iter().zip(&names);
    let data = Data {
        states: PageState::ALL.map(PageState::label),
        folders: rows.map(|(f, name)| (f.parent, &**name, f.tokens, f.left_out, f.files)).collect(),
        files: listed,
        notes,
    };
    // Strings and numbers always have a JSON.
    serde_json::to_string(&data).unwrap_or_default()
}

/// A number with spaces between the thousands.
fn grouped(number: &impl ToString) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
#[path = "html/tests.rs"]
mod tests;
