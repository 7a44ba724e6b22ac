//! Finding the spans to be redacted, in time linear in the text.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};
use regex::bytes::{Regex, RegexBuilder};

use super::filters::{entropy, is_mixed, is_placeholder};
use super::pem;
use super::rules::{Doubt, Gate, RULES, Rule};

/// The number that stands for the PEM rule, behind those of the table.
const PEM: usize = RULES.len();

/// A value to be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rule: usize,
}

impl Span {
    pub(super) fn rule_id(self) -> &'static str {
        rule_id(self.rule)
    }
}

/// The id of a rule by its number.
pub(super) fn rule_id(rule: usize) -> &'static str {
    RULES.get(rule).map_or(pem::ID, |rule| rule.id)
}

/// All keywords in one automaton, and which rule each belongs to.
struct Keywords {
    automaton: Option<AhoCorasick>,
    owners: Vec<(usize, &'static str)>,
}

static KEYWORDS: LazyLock<Keywords> = LazyLock::new(|| {
    let mut owners: Vec<(usize, &'static str)> =
        RULES.iter().enumerate().flat_map(|(rule, r)| r.keywords.iter().map(move |&k| (rule, k))).collect();
    owners.push((PEM, pem::KEYWORD));
    let automaton = AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(owners.iter().map(|(_, keyword)| keyword))
        .ok();
    Keywords { automaton, owners }
});

/// Compiled when a keyword of theirs is first met: most runs need a few of them.
static PATTERNS: LazyLock<Vec<OnceLock<Option<Regex>>>> =
    LazyLock::new(|| RULES.iter().map(|_| OnceLock::new()).collect());

fn pattern(rule: usize) -> Option<&'static Regex> {
    // That every pattern compiles is a test; one that did not would be a rule without effect, not a crash.
    PATTERNS[rule].get_or_init(|| RegexBuilder::new(RULES[rule].pattern).unicode(false).build().ok()).as_ref()
}

/// The spans of all secret values, in order and apart from each other.
pub(super) fn find(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let keywords = &*KEYWORDS;
    let Some(automaton) = &keywords.automaton else { return Vec::new() };
    let mut windows: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut spans = Vec::new();
    let mut pem_until = 0;
    for hit in automaton.find_overlapping_iter(bytes) {
        let (rule, keyword) = keywords.owners[hit.pattern().as_usize()];
        if rule == PEM {
            if hit.start() >= pem_until
                && &bytes[hit.start()..hit.end()] == keyword.as_bytes()
                && let Some((start, end)) = pem::body(bytes, hit.start())
            {
                spans.push(Span { start, end, rule });
                pem_until = end;
            }
            continue;
        }
        let candidate = &RULES[rule];
        if !candidate.ignores_case() && &bytes[hit.start()..hit.end()] != keyword.as_bytes() {
            continue;
        }
        if !passes(candidate.gate, bytes, hit.end()) {
            continue;
        }
        if windows.is_empty() {
            windows.resize(RULES.len(), Vec::new());
        }
        let start = hit.start().saturating_sub(candidate.before);
        let end = hit.end().saturating_add(candidate.behind).min(bytes.len());
        match windows[rule].last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => windows[rule].push((start, end)),
        }
    }
    for (rule, windows) in windows.iter().enumerate() {
        search(rule, bytes, windows, &mut spans);
    }
    settle(text, spans)
}

/// Runs one pattern over the places its keywords were found. The windows lie apart, so all of them together are no longer
/// than the text.
fn search(rule: usize, bytes: &[u8], windows: &[(usize, usize)], spans: &mut Vec<Span>) {
    let mut done = 0;
    for &(start, end) in windows {
        let Some(pattern) = pattern(rule) else { return };
        let mut at = start.max(done);
        while at < end {
            // Cut at the end only: what stands before must be seen for a word boundary to be one.
            let Some(found) = pattern.captures_at(&bytes[..end], at) else { break };
            let Some(value) = found.get(1) else { break };
            if is_secret(&RULES[rule], value.as_bytes()) {
                let end = token_end(bytes, value.end());
                spans.push(Span { start: value.start(), end, rule });
                at = end.max(at + 1);
            } else {
                at = value.end().max(at + 1);
            }
            done = at;
        }
    }
}

fn is_secret(rule: &Rule, value: &[u8]) -> bool {
    match rule.doubt {
        Doubt::Placeholder if is_placeholder(value) => return false,
        Doubt::Name if is_placeholder(value) || !is_mixed(value) => return false,
        Doubt::Placeholder | Doubt::Name => {}
    }
    rule.entropy == 0.0 || entropy(value) >= rule.entropy
}

/// Patterns and windows have a longest match; the rest of a longer token goes with it.
fn token_end(bytes: &[u8], end: usize) -> usize {
    let is_token = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+' | b'/' | b'=');
    end + bytes[end..].iter().take_while(is_token).count()
}

fn passes(gate: Gate, bytes: &[u8], behind: usize) -> bool {
    let rest = &bytes[behind..];
    match gate {
        Gate::Open => true,
        Gate::Assignment => {
            let name =
                |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'"' | b'\'' | b']' | b' ' | b'\t');
            rest.iter().take(40).find(|b| !name(b)).is_some_and(|b| matches!(b, b'=' | b':'))
        }
        Gate::UserInfo => {
            let stops =
                |b: &u8| b.is_ascii_whitespace() || matches!(b, b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'@');
            rest.iter().take(300).find(|b| stops(b)) == Some(&b'@')
        }
    }
}

/// Sorts the spans and joins those that overlap under the name of the more specific rule.
fn settle(text: &str, mut spans: Vec<Span>) -> Vec<Span> {
    for span in &mut spans {
        // A bounded repetition of bytes may end inside a character.
        span.start = text.floor_char_boundary(span.start);
        span.end = text.ceil_char_boundary(span.end);
    }
    spans.sort_unstable_by_key(|span| (span.start, span.rule, span.end));
    let mut settled: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match settled.last_mut() {
            Some(last) if span.start < last.end => {
                last.end = last.end.max(span.end);
                last.rule = last.rule.min(span.rule);
            }
            _ => settled.push(span),
        }
    }
    settled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_compile() {
        assert!(KEYWORDS.automaton.is_some());
        for (number, rule) in RULES.iter().enumerate() {
            assert!(pattern(number).is_some(), "{} does not compile", rule.id);
        }
    }
}
