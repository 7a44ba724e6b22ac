//! The README and the license file, for what no manifest says.

use super::{Findings, Stated, words};

/// A longer title is a sentence.
const MAX_TITLE: usize = 80;
/// Lines looked at, and how much of each: brackets that open nothing would cost the square of its length.
const MAX_LINES: usize = 400;
const MAX_LINE: usize = 2_000;

pub(super) fn readme(findings: &mut Findings<'_>, path: &str, text: &str) {
    let (title, paragraph) = opening(text);
    if let (None, Some(title)) = (&findings.title, title) {
        findings.title = Some(Stated::new(title, format!("{path}: title")));
    }
    if let (None, Some(paragraph)) = (&findings.paragraph, paragraph) {
        findings.paragraph = Some(Stated::new(paragraph, format!("{path}: first paragraph")));
    }
}

/// The title and the first paragraph of prose.
fn opening(text: &str) -> (Option<String>, Option<String>) {
    let mut title = None;
    let mut paragraph = String::new();
    let mut fenced = false;
    let lines: Vec<&str> = text.lines().take(MAX_LINES).map(cut).collect();
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
        }
        let underlined = lines.get(at + 1).is_some_and(|next| is_rule(next.trim()));
        let heading = line.strip_prefix("# ").or(Some(line).filter(|line| underlined && !line.is_empty()));
        if let Some(heading) = heading.filter(|_| !fenced && paragraph.is_empty()) {
            if title.is_none() {
                title = words::short(&plain(heading)).filter(|title| title.chars().count() <= MAX_TITLE);
            }
            continue;
        }
        let prose = plain(line);
        let is_prose =
            !fenced && !line.starts_with(['#', '|', '>', '-', '*', '`', '=', '~']) && !is_markup(line, &prose);
        if is_prose {
            paragraph.push_str(&prose);
            paragraph.push('\n');
        } else if !paragraph.is_empty() {
            break;
        }
    }
    (title, words::prose(&paragraph))
}

fn cut(line: &str) -> &str {
    line.get(..line.floor_char_boundary(MAX_LINE)).unwrap_or(line)
}

fn is_rule(line: &str) -> bool {
    line.len() >= 3 && (line.bytes().all(|b| b == b'=') || line.bytes().all(|b| b == b'-'))
}

/// Whether a line has nothing to read: badges, tags, directives.
fn is_markup(line: &str, prose: &str) -> bool {
    prose.trim().is_empty()
        || line.starts_with(".. ")
        || line.starts_with(':')
        || (line.starts_with('[') && line.contains("]:"))
}

/// A line without images and tags, and with links as what they are shown as.
fn plain(line: &str) -> String {
    let mut plain = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['<', '!', '[']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("![").and_then(after_link) {
            rest = after;
        } else if let Some((_, after)) = rest.strip_prefix('<').and_then(|inside| inside.split_once('>')) {
            rest = after;
        } else if let Some((shown, after)) = rest.strip_prefix('[').and_then(link) {
            plain.push_str(shown);
            rest = after;
        } else {
            let length = rest.chars().next().map_or(0, char::len_utf8);
            // A bracket that opens nothing: around badges it is left by their images.
            if !rest.starts_with('[') {
                plain.push_str(&rest[..length]);
            }
            rest = &rest[length..];
        }
    }
    plain.push_str(rest);
    // What is left of a badge inside a link.
    if let Some((before, _)) = plain.split_once("](") {
        plain = before.to_owned();
    }
    plain
}

/// What is shown of `text](address)`, and what follows.
fn link(inside: &str) -> Option<(&str, &str)> {
    let (shown, after) = inside.split_once("](")?;
    let (_, after) = after.split_once(')')?;
    (!shown.contains(['[', '!'])).then_some((shown, after))
}

fn after_link(inside: &str) -> Option<&str> {
    let (_, after) = inside.split_once("](")?;
    Some(after.split_once(')')?.1)
}

/// Titles of licenses, as their texts open, in lower case.
const LICENSES: [(&str, &str); 15] = [
    ("mit license", "MIT"),
    ("apache license version 2.0", "Apache-2.0"),
    ("gnu affero general public license version 3", "AGPL-3.0"),
    ("gnu lesser general public license version 3", "LGPL-3.0"),
    ("gnu lesser general public license version 2.1", "LGPL-2.1"),
    ("gnu general public license version 3", "GPL-3.0"),
    ("gnu general public license version 2", "GPL-2.0"),
    ("mozilla public license version 2.0", "MPL-2.0"),
    ("mozilla public license, version 2.0", "MPL-2.0"),
    ("bsd 3-clause license", "BSD-3-Clause"),
    ("bsd 2-clause license", "BSD-2-Clause"),
    ("isc license", "ISC"),
    ("boost software license - version 1.0", "BSL-1.0"),
    ("eclipse public license - v 2.0", "EPL-2.0"),
    ("this is free and unencumbered software released into the public domain", "Unlicense"),
];

pub(super) fn license(findings: &mut Findings<'_>, path: &str, text: &str) {
    let opening: Vec<&str> = text.split_whitespace().take(40).collect();
    let opening = opening.join(" ").to_ascii_lowercase();
    let found = LICENSES.iter().find(|(title, _)| opening.contains(title));
    if let Some((title, name)) = found {
        let other = findings.license_file.take();
        // Two files that say different things are a choice between both.
        findings.license_file = Some(match other {
            Some(other) if other.value != *name => {
                Stated::new(format!("{} OR {name}", other.value), format!("{}, {path}: `{title}`", other.evidence))
            }
            Some(other) => other,
            None => Stated::new((*name).to_owned(), format!("{path}: `{title}`")),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_and_the_first_paragraph_are_found() {
        let text = "<h1 align=\"center\">\n<img src=\"x\">\n</h1>\n\n[![CI](a)](b) ![x](y)\n\n# My *App*\n\n> note\n\n```sh\nrun\n```\n\nIt does [things](http://x) and\nmore.\n\nNext.";
        let (title, paragraph) = opening(text);
        assert_eq!(title.as_deref(), Some("My *App*"));
        assert_eq!(paragraph.as_deref(), Some("It does things and more."));
        let (title, paragraph) = opening("Name\n====\n\n.. image:: x\n\nText here.\n");
        assert_eq!((title.as_deref(), paragraph.as_deref()), (Some("Name"), Some("Text here.")));
        assert_eq!(opening(""), (None, None));
        assert_eq!(opening("# a\n[x]: http://y\n"), (Some("a".to_owned()), None));
    }

    #[test]
    fn odd_lines_never_panic() {
        for line in ["[", "![", "<", "![](", "[](", "[a](b", "é![é](é)é", "](", "!é", "[[[[", "<<<>"] {
            plain(line);
        }
    }
}
