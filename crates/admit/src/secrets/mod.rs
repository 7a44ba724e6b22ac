//! Secret values in text: found by rules, replaced in place, never shown.
//!
//! A pass with all keywords at once says where a rule is worth trying; only there do regular expressions run. Text without a
//! keyword is handed back as it came. The rules stand in `rules/`, by the kind of service; what only its name gives away
//! (`password = ...`) is read by `assign`, named by `naming` and judged by `filters`.

mod assign;
mod filters;
mod naming;
mod pem;
mod place;
mod placeholders;
mod published;
mod rule;
mod rules;
mod scan;
mod trigrams;
mod url;
mod words;

#[cfg(test)]
mod examples_tests;

use std::ops::Range;

use serde::Serialize;

use place::Place;

/// Where a secret value stands in a text. It says nothing of the value itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub rule: &'static str,
    /// The bytes of the value, without its name, quotes or prefix.
    pub span: Range<usize>,
}

/// How many values one rule took out of a text, and where they stood. The values themselves are gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Redaction {
    /// The rule's id, which also stands in the marker.
    pub rule: &'static str,
    pub count: usize,
    /// The line on which each of them starts, counted from one. Lines keep their numbers.
    pub lines: Vec<usize>,
}

/// What a rule took out of one file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RedactedAt {
    pub path: String,
    pub rule: &'static str,
    pub lines: Vec<usize>,
}

impl RedactedAt {
    pub fn of(path: &str, redactions: &[Redaction]) -> impl Iterator<Item = RedactedAt> {
        redactions.iter().map(move |it| RedactedAt { path: path.to_owned(), rule: it.rule, lines: it.lines.clone() })
    }
}

/// Whether there is a rule of this id.
pub fn is_secret_rule(id: &str) -> bool {
    rules::RULES.iter().any(|rule| rule.id == id)
}

#[derive(Clone, PartialEq, Eq)]
pub struct Redacted {
    /// The text, with `[redacted:RULE]` where a value stood. Lines keep their numbers.
    pub text: String,
    /// What was taken out, in the order of the rules.
    pub redactions: Vec<Redaction>,
    /// What was found and left in, because somebody allowed its rule.
    pub allowed: Vec<Redaction>,
}

impl std::fmt::Debug for Redacted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redacted").field("redactions", &self.redactions).finish_non_exhaustive()
    }
}

/// The secret values of a text, in order; none overlaps another.
pub fn find(text: &str) -> Vec<Found> {
    found(&scan::find(text, Place::Other))
}

/// The same of a text of which the path is known: in a file of settings, weak passwords are found too.
pub fn find_in(path: &str, text: &str) -> Vec<Found> {
    found(&scan::find(text, Place::of(path)))
}

fn found(spans: &[scan::Span]) -> Vec<Found> {
    spans.iter().map(|span| Found { rule: rules::RULES[span.rule].id, span: span.start..span.end }).collect()
}

/// Replaces the secret values in a text. A text without any is returned without being copied.
pub fn redact(text: String) -> Redacted {
    let spans = scan::find(&text, Place::Other);
    replace(text, &spans, &[])
}

/// The same for a text of which the path is known: in a file of settings, weak passwords are replaced too.
pub fn redact_in(path: &str, text: String) -> Redacted {
    redact_except(path, text, &[])
}

/// The same, save that what some rules find stays.
pub(crate) fn redact_except(path: &str, text: String, allowed: &[String]) -> Redacted {
    let spans = scan::find(&text, Place::of(path));
    replace(text, &spans, allowed)
}

fn replace(text: String, spans: &[scan::Span], allowed: &[String]) -> Redacted {
    if spans.is_empty() {
        return Redacted { text, redactions: Vec::new(), allowed: Vec::new() };
    }
    let mut lines: Vec<Vec<usize>> = vec![Vec::new(); rules::RULES.len()];
    let stays = |rule: usize| allowed.iter().any(|id| id == rules::RULES[rule].id);
    let mut out = String::with_capacity(text.len());
    let (mut at, mut line, mut counted) = (0, 1, 0);
    for span in spans {
        line += text[counted..span.start].matches('\n').count();
        counted = span.start;
        lines[span.rule].push(line);
        if stays(span.rule) {
            continue;
        }
        out.push_str(&text[at..span.start]);
        out.push_str("[redacted:");
        out.push_str(rules::RULES[span.rule].id);
        out.push(']');
        // Line numbers must not move, so the breaks inside a value stay.
        let breaks = text[span.start..span.end].bytes().filter(|b| matches!(b, b'\n' | b'\r'));
        out.extend(breaks.map(char::from));
        at = span.end;
    }
    out.push_str(&text[at..]);
    let found = lines.into_iter().enumerate().filter(|(_, lines)| !lines.is_empty());
    let (kept, taken): (Vec<_>, Vec<_>) = found.partition(|(rule, _)| stays(*rule));
    let listed = |found: Vec<(usize, Vec<usize>)>| {
        let each = found.into_iter();
        each.map(|(rule, lines)| Redaction { rule: rules::RULES[rule].id, count: lines.len(), lines }).collect()
    };
    Redacted { text: out, redactions: listed(taken), allowed: listed(kept) }
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
