//! The language of prose by the marks in it, where its name says nothing.
//!
//! Only what can't be chance counts: a title alone is found in plain text too, so that each language needs a second mark.

use crate::{Language, head};

/// As much of a text as is looked at.
const PROBE: usize = 16 * 1024;

pub(crate) fn language(text: &str) -> Option<Language> {
    let head = head(text, PROBE);
    if is_org(head) {
        Some(Language::ORG)
    } else if is_asciidoc(head) {
        Some(Language::ASCIIDOC)
    } else if is_rst(head) {
        Some(Language::RST)
    } else {
        None
    }
}

/// An underlined title and a directive, a target or a role; or several directives.
fn is_rst(head: &str) -> bool {
    let (mut titles, mut marks, mut directives) = (0, 0, 0);
    let mut before = "";
    for line in head.lines() {
        let line = line.trim_end();
        if is_rule(line) && !before.is_empty() && before.trim().chars().count() == line.len() {
            titles += 1;
        }
        if let Some(explicit) = line.trim_start().strip_prefix(".. ") {
            directives += usize::from(is_directive(explicit));
            marks += usize::from(explicit.starts_with('_') && explicit.ends_with(':'));
        }
        marks += usize::from(has_role(line));
        before = line;
    }
    (titles > 0 && marks + directives > 0) || directives >= 3
}

fn is_rule(line: &str) -> bool {
    let first = line.bytes().next().unwrap_or_default();
    line.len() >= 3 && b"=-~^\"'*+#:._`".contains(&first) && line.bytes().all(|byte| byte == first)
}

fn is_directive(explicit: &str) -> bool {
    let name = explicit.find("::").map_or("", |end| &explicit[..end]);
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:.+".contains(&byte))
}

/// `:func:`name``, with a letter before the second colon.
fn has_role(line: &str) -> bool {
    line.match_indices(":`").any(|(at, _)| {
        let name = line[..at].rsplit(|c: char| !(c.is_ascii_alphanumeric() || "-_:.+".contains(c))).next();
        name.is_some_and(|name| name.len() > 2 && name.starts_with(':'))
    })
}

/// A title `= Title` before any other text, and an attribute or a section.
fn is_asciidoc(head: &str) -> bool {
    let mut lines = head.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("//"));
    let title = lines.find(|line| !is_attribute(line));
    // A wiki closes its titles with the same mark.
    if title.is_none_or(|title| title.strip_prefix("= ").is_none_or(|name| name.trim_end().ends_with('='))) {
        return false;
    }
    head.lines().any(|line| is_attribute(line) || (line.starts_with("== ") && !line.trim_end().ends_with('=')))
}

fn is_attribute(line: &str) -> bool {
    let Some(rest) = line.strip_prefix(':') else { return false };
    let Some((name, value)) = rest.split_once(':') else { return false };
    let named = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_!".contains(&byte));
    named && (value.is_empty() || value.starts_with(' '))
}

/// A setting `#+title:` among the first lines.
fn is_org(head: &str) -> bool {
    let settings = ["#+title:", "#+author:", "#+options:", "#+startup:"];
    head.lines().filter(|line| !line.trim().is_empty()).take(20).any(|line| {
        settings
            .iter()
            .any(|setting| line.get(..setting.len()).is_some_and(|start| start.eq_ignore_ascii_case(setting)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_told_by_its_marks() {
        for (text, expected) in [
            ("=====\nTitle\n=====\n\n.. contents::\n", Some("restructuredtext")),
            ("Title\n=====\n\nSee :doc:`/intro` first.\n", Some("restructuredtext")),
            ("Überschrift\n===========\n\n.. _ziel:\n", Some("restructuredtext")),
            ("Title\n=====\n\nPlain text: `x` and 12:`y`.\n", None),
            ("A list\n------\n\n- a\n- b\n", None),
            (".. a::\n.. b::\n.. c::\n", Some("restructuredtext")),
            ("= Guide\n:toc:\n\nText\n", Some("asciidoc")),
            (":toc:\n= Guide\n\n== First\n", Some("asciidoc")),
            ("= Wiki =\n\n== First ==\n", None),
            ("= alone\n\ntext\n", None),
            ("#+TITLE: Notes\n\n* One\n", Some("org")),
            ("* One\n* Two\n", None),
            ("", None),
            ("é\n=\n", None),
        ] {
            assert_eq!(language(text).map(Language::name), expected, "{text:?}");
        }
    }

    #[test]
    fn a_name_that_says_nothing_leaves_it_to_the_text() {
        let rst = "Title\n=====\n\n.. note:: x\n";
        for (path, expected) in [
            ("docs/intro.txt", "restructuredtext"),
            ("README", "restructuredtext"),
            ("x.md", "markdown"),
            ("a.py", "python"),
        ] {
            assert_eq!(Language::detect(path, rst).name(), expected, "{path}");
        }
    }
}
