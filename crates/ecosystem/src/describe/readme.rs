//! The README and the license file, for what no manifest says.

use super::{Findings, Stated, words};

/// A longer title is a sentence.
const MAX_TITLE: usize = 80;
/// Lines looked at, and how much of each: brackets that open nothing would cost the square of its length.
const MAX_LINES: usize = 400;
const MAX_LINE: usize = 2_000;
const LONGEST_ENTITY: usize = 10;

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
    let shown: Vec<&str> = text.lines().take(MAX_LINES).map(cut).collect();
    let shown = without_tags(&shown.join("\n"));
    let lines: Vec<&str> = shown.lines().collect();
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
        let is_item = ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark));
        let is_prose = !fenced && !is_item && !line.starts_with(['#', '|', '>', '`', '=', '~']) && !is_rule(line);
        if is_prose && !is_markup(line, &prose) {
            paragraph.push_str(&prose.replace("**", ""));
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

/// A text without comments and tags, which may go over many lines; headings stay headings.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let inside = &rest[1..];
        let is_tag = inside.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        let close = if inside.starts_with("!--") { "-->" } else { ">" };
        match inside.find(close).filter(|_| is_tag) {
            Some(end) => {
                plain.push_str(match inside[..end].trim_end_matches('/') {
                    tag if tag == "h1" || tag.starts_with("h1 ") => "\n# ",
                    tag if tag == "br" || tag.starts_with("/h") || tag == "/p" => "\n",
                    _ => "",
                });
                rest = &inside[end + close.len()..];
            }
            // Nothing closes it, nor anything after it.
            None if is_tag => break,
            None => {
                plain.push('<');
                rest = inside;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// A line without images, with links as what they are shown as and characters for their entities.
fn plain(line: &str) -> String {
    let mut plain = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['!', '[']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = image(rest).or_else(|| badge(rest)) {
            rest = after;
        } else if let Some((shown, after)) = link(rest) {
            plain.push_str(shown);
            rest = after;
        } else {
            plain.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    plain.push_str(rest);
    decoded(&plain)
}

fn decoded(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(LONGEST_ENTITY).position(|byte| byte == b';').map_or(1, |end| end + 1);
        // An ampersand may be one.
        let shown = quick_xml::escape::unescape_with(&rest[..end], entity);
        plain.push_str(shown.as_deref().unwrap_or(&rest[..end]));
        rest = &rest[end..];
    }
    plain.push_str(rest);
    plain
}

/// The entities that people write in a README.
fn entity(name: &str) -> Option<&'static str> {
    Some(match name {
        "nbsp" => " ",
        "mdash" => "—",
        "ndash" => "–",
        "hellip" => "…",
        "copy" => "©",
        "reg" => "®",
        "trade" => "™",
        "middot" | "bull" => "·",
        "rarr" => "→",
        "lsquo" | "rsquo" => "'",
        "ldquo" | "rdquo" => "\"",
        name => return quick_xml::escape::resolve_xml_entity(name),
    })
}

/// What follows `![text](address)` or `![text][reference]`.
fn image(rest: &str) -> Option<&str> {
    after_target(rest.strip_prefix("![")?.split_once(']')?.1)
}

/// What follows an image that is a link.
fn badge(rest: &str) -> Option<&str> {
    after_target(image(rest.strip_prefix('[')?)?.strip_prefix(']')?)
}

/// What is shown of a link, and what follows it.
fn link(rest: &str) -> Option<(&str, &str)> {
    let (shown, after) = rest.strip_prefix('[')?.split_once(']')?;
    (!shown.contains(['[', '!'])).then_some((shown, after_target(after)?))
}

/// What follows `(address)` or `[reference]`.
fn after_target(rest: &str) -> Option<&str> {
    let close = match rest.chars().next()? {
        '(' => ')',
        '[' => ']',
        _ => return None,
    };
    Some(rest.split_once(close)?.1)
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
    fn badges_and_entities_are_no_purpose() {
        let cases = [
            ("# Q&amp;A\n\nAsk &lt;b&gt; &#39;now&#39; &amp; later.", "Q&A", "Ask <b> 'now' & later."),
            ("# x\n\n[![NPM][npm-image]][npm-url] [![B](b)](c)\n\n**Fast**, small.\n", "x", "Fast, small."),
            (
                "<h1 align=\"center\">Tool</h1>\n\n<a href=\"x\"><img\n  src=\"badge.svg\"\n  alt=\"build passing\"\n></a>\n\nDoes it.",
                "Tool",
                "Does it.",
            ),
            ("# x\n<!-- badges: start -->\n<!--\nhidden words\n-->\n![a][b] It [is][c] R&D.", "x", "It is R&D."),
            (
                "The x\n=====\n\n|pypi| |docs|\n\nWords.\n\n.. |pypi| image:: https://x\n   :target: y\n",
                "The x",
                "Words.",
            ),
        ];
        for (text, title, paragraph) in cases {
            assert_eq!(opening(text), (Some(title.to_owned()), Some(paragraph.to_owned())), "{text}");
        }
    }

    #[test]
    fn odd_lines_never_panic() {
        for line in [
            "[", "![", "<", "![](", "[](", "[a](b", "é![é](é)é", "](", "!é", "[[[[", "<<<>", "<!--", "<a", "é<é", "&",
            "&#x;",
        ] {
            opening(line);
        }
    }
}
