//! Finding the spans to be redacted, in time linear in the text.
//!
//! One pass with all keywords; at each hit a cheap look at the bytes around it, and only then a pattern, on a number of
//! bytes that does not depend on the text. Patterns that look around their keyword are collected and run over the joined
//! windows, each byte once.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};
use ai_assist_base::stopped;
use regex::bytes::{Regex, RegexBuilder};

use super::assign::{self, Assignment, Style};
use super::filters::{
    basic_password, entropy, is_generated, is_key, is_key_bytes, is_password, is_set_password, is_weak,
};
use super::naming::{self, Promise};
use super::place::Place;
use super::placeholders::is_placeholder;
use super::published::is_published;
use super::rule::{Doubt, Form, Rule};
use super::rules::{RULES, number};
use super::words::{is_identifier, is_mash, is_name};
use super::{pem, url};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rule: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Rule(usize),
    Pem,
    Url,
    Name,
}

/// As much of a text as is copied at once. It stays in the cache nearest to a core.
const PIECE: usize = 16 << 10;

/// All keywords in one automaton, and who each belongs to.
struct Keywords {
    automaton: Option<AhoCorasick>,
    longest: usize,
    owners: Vec<(Asked, &'static str)>,
}

static KEYWORDS: LazyLock<Keywords> = LazyLock::new(|| {
    let of_rules = RULES.iter().enumerate().flat_map(|(n, r)| r.keywords.iter().map(move |&k| (Asked::Rule(n), k)));
    let mut owners: Vec<(Asked, &'static str)> = of_rules.collect();
    owners.extend([(Asked::Pem, pem::KEYWORD), (Asked::Url, url::KEYWORD)]);
    owners.extend(naming::KEYWORDS.iter().map(|&keyword| (Asked::Name, keyword)));
    let automaton = AhoCorasickBuilder::new()
        .prefilter(false)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(owners.iter().map(|(_, keyword)| keyword.to_ascii_lowercase()))
        .ok();
    let longest = owners.iter().map(|(_, keyword)| keyword.len()).max().unwrap_or_default();
    Keywords { automaton, longest, owners }
});

/// Compiled when a keyword of theirs is first met: most runs need a few of them.
static PATTERNS: LazyLock<Vec<OnceLock<Option<Regex>>>> =
    LazyLock::new(|| RULES.iter().map(|_| OnceLock::new()).collect());

/// The largest automaton a pattern may build while it runs. Two hundred of them share the memory.
const PATTERN_BYTES: usize = 256 << 10;

fn pattern(rule: usize) -> Option<&'static Regex> {
    let compile = || {
        let text = match RULES[rule].form {
            Form::Token(pattern) | Form::Long(pattern) => format!("^(?:{pattern})"),
            Form::Assigned(pattern) => format!("^(?:{pattern})$"),
            Form::Near(pattern) => pattern.to_owned(),
            Form::Code => return None,
        };
        RegexBuilder::new(&text).unicode(false).dfa_size_limit(PATTERN_BYTES).build().ok()
    };
    // That every pattern compiles is a test; one that did not would be a rule without effect, not a crash.
    PATTERNS[rule].get_or_init(compile).as_ref()
}

/// The spans of all secret values, in order and apart from each other.
pub(super) fn find(text: &str, place: Place) -> Vec<Span> {
    let keywords = &*KEYWORDS;
    let Some(automaton) = &keywords.automaton else { return Vec::new() };
    let mut scan = Scan {
        bytes: text.as_bytes(),
        place,
        spans: Vec::new(),
        windows: Vec::new(),
        pem_until: 0,
        token_until: 0,
        named: None,
    };
    // Copied piece by piece in small letters: an automaton that knows capitals has twice the table, which no cache holds.
    let mut small = Vec::with_capacity(text.len().min(PIECE) + keywords.longest);
    for from in (0..text.len()).step_by(PIECE) {
        if stopped() {
            return unread(text);
        }
        let start = from.saturating_sub(keywords.longest);
        small.clear();
        small.extend_from_slice(&scan.bytes[start..text.len().min(from + PIECE)]);
        small.make_ascii_lowercase();
        for hit in automaton.find_overlapping_iter(&small) {
            // What ends before this piece was met in the one before.
            if start + hit.end() > from {
                let (asked, keyword) = keywords.owners[hit.pattern().as_usize()];
                scan.hit(asked, keyword, start + hit.start()..start + hit.end());
            }
        }
    }
    let windows = std::mem::take(&mut scan.windows);
    for (rule, windows) in windows.iter().enumerate() {
        scan.search(rule, windows);
    }
    if stopped() {
        return unread(text);
    }
    settle(text, scan.spans)
}

/// What is found in a text that nobody wants any more: all of it, because what was not looked at must not get out.
fn unread(text: &str) -> Vec<Span> {
    vec![Span { start: 0, end: text.len(), rule: number(pem::ID) }]
}

struct Scan<'t> {
    bytes: &'t [u8],
    place: Place,
    spans: Vec<Span>,
    /// By rule, the places around its keywords.
    windows: Vec<Vec<(usize, usize)>>,
    pem_until: usize,
    /// Where the last token ends: what starts inside it is part of it.
    token_until: usize,
    /// The last name that was read, which several keywords may stand in.
    named: Option<Range<usize>>,
}

impl Scan<'_> {
    fn hit(&mut self, asked: Asked, keyword: &str, at: Range<usize>) {
        match asked {
            Asked::Rule(rule) => self.ask_rule(rule, keyword, at),
            Asked::Pem => self.ask_pem(keyword, at.start),
            Asked::Url => {
                if let Some(found) = url::password(self.bytes, at.end) {
                    self.spans.push(Span { start: found.start, end: found.end, rule: number("url-password") });
                }
            }
            Asked::Name => self.ask_name(at),
        }
    }

    fn ask_pem(&mut self, keyword: &str, start: usize) {
        if start >= self.pem_until
            && self.bytes[start..].starts_with(keyword.as_bytes())
            && let Some((start, end)) = pem::body(self.bytes, start)
        {
            self.spans.push(Span { start, end, rule: number(pem::ID) });
            self.pem_until = end;
        }
    }

    fn ask_rule(&mut self, number: usize, keyword: &str, at: Range<usize>) {
        let rule = &RULES[number];
        if !rule.ignores_case() && &self.bytes[at.clone()] != keyword.as_bytes() {
            return;
        }
        match rule.form {
            Form::Token(_) | Form::Long(_) => self.ask_token(number, rule, at),
            Form::Assigned(_) => self.ask_assigned(number, rule, at),
            Form::Near(_) => {
                if !rule.gated || assigns(self.bytes, at.end) {
                    self.open_window(number, rule, at);
                }
            }
            Form::Code => {}
        }
    }

    /// A pattern that starts where its keyword does.
    fn ask_token(&mut self, number: usize, rule: &Rule, at: Range<usize>) {
        /// Longer than any token whose end is known.
        const LONGEST: usize = 400;
        if at.start < self.token_until || !starts_token(self.bytes, at.start) || !goes_on(self.bytes, at.end) {
            return;
        }
        if rule.fixed.is_some_and(|(offset, byte)| self.bytes.get(at.start + offset) != Some(&byte)) {
            return;
        }
        let Some(pattern) = pattern(number) else { return };
        let end = self.bytes.len().min(at.start + LONGEST);
        let Some(found) = pattern.find(&self.bytes[at.start..end]) else { return };
        let end = at.start + found.end();
        let is_long = matches!(rule.form, Form::Long(_));
        let touches = self.bytes.get(end).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        // The rest is masked: `-572331691188-########`.
        let masked = [&b"###"[..], b"***", b"..."].iter().any(|mask| self.bytes[end..].starts_with(mask));
        let named = is_identifier(&self.bytes[at.end..end]) || is_in_file_name(self.bytes, at.start..end);
        let written = masked || named;
        if (is_long || !touches) && !written && is_secret(rule, found.as_bytes()) {
            let end = if is_long { token_end(self.bytes, at.start..end) } else { end };
            self.spans.push(Span { start: at.start, end, rule: number });
            if is_long {
                self.token_until = end;
            }
        }
    }

    fn ask_assigned(&mut self, number: usize, rule: &Rule, at: Range<usize>) {
        if !may_assign(self.bytes, at.end) {
            return;
        }
        let name = assign::name_around(self.bytes, at);
        let Some(found) = assign::read(self.bytes, name) else { return };
        if !naming::speaks_of_credential(found.name) || !is_secret(rule, &found.value) {
            return;
        }
        if pattern(number).is_some_and(|pattern| pattern.is_match(&found.value)) {
            self.spans.push(Span { start: found.span.start, end: found.span.end, rule: number });
        }
    }

    /// A value that only its name gives away.
    fn ask_name(&mut self, at: Range<usize>) {
        if self.named.as_ref().is_some_and(|named| at.start < named.end) || !may_assign(self.bytes, at.end) {
            return;
        }
        let name = assign::name_around(self.bytes, at);
        self.named = Some(name.clone());
        let Some(promise) = naming::promise(&self.bytes[name.clone()]) else { return };
        let Some(found) = assign::read(self.bytes, name) else { return };
        if is_promised(promise, self.place, &found) && !is_numbered(self.bytes, &found) {
            let rule = number(match found.style {
                Style::Quoted => "quoted-secret",
                Style::Setting | Style::Bare if is_environment(found.name) => "environment-secret",
                Style::Setting => "setting-secret",
                Style::Bare => "inline-secret",
                Style::Markup => "markup-secret",
                Style::Spaced => "option-secret",
                Style::Bytes => "byte-array-secret",
            });
            self.spans.push(Span { start: found.span.start, end: found.span.end, rule });
        }
    }

    fn open_window(&mut self, number: usize, rule: &Rule, at: Range<usize>) {
        if self.windows.is_empty() {
            self.windows.resize(RULES.len(), Vec::new());
        }
        let start = at.start.saturating_sub(rule.reach.0);
        let end = at.end.saturating_add(rule.reach.1).min(self.bytes.len());
        match self.windows[number].last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => self.windows[number].push((start, end)),
        }
    }

    /// Runs one pattern over the places its keywords were found. The windows lie apart, so all of them together are no
    /// longer than the text.
    fn search(&mut self, rule: usize, windows: &[(usize, usize)]) {
        let mut done = 0;
        for &(start, end) in windows {
            if stopped() {
                return;
            }
            let Some(pattern) = pattern(rule) else { return };
            let mut at = start.max(done);
            while at < end && !stopped() {
                // Cut at the end only: what stands before must be seen for a word boundary to be one.
                let Some(found) = pattern.captures_at(&self.bytes[..end], at) else { break };
                let Some(value) = found.get(1) else { break };
                at = value.end().max(at + 1);
                if is_secret(RULES[rule], value.as_bytes()) {
                    let end = token_end(self.bytes, value.start()..value.end());
                    self.spans.push(Span { start: value.start(), end, rule });
                    at = end.max(at);
                }
                done = at;
            }
        }
    }
}

fn is_secret(rule: &Rule, value: &[u8]) -> bool {
    if is_published(value) {
        return false;
    }
    let placeholder = match rule.doubt {
        Doubt::Placeholder => is_placeholder(value),
        Doubt::Name => is_placeholder(value) || !is_generated(value),
        Doubt::Weak => is_weak(value),
        Doubt::Login => {
            let password = value.iter().position(|&b| b == b':').map_or(value, |colon| &value[colon + 1..]);
            !is_password(password, true)
        }
        Doubt::Basic => basic_password(value).is_none_or(|password| is_weak(&password)),
    };
    !placeholder && (rule.entropy == 0.0 || entropy(value) >= rule.entropy)
}

fn is_promised(promise: Promise, place: Place, found: &Assignment) -> bool {
    let quoted = matches!(found.style, Style::Quoted | Style::Markup);
    // `password "v"` is a setting where a line starts with it; anywhere else it is prose.
    let prose = found.style == Style::Spaced && !found.leads;
    let value = &found.value;
    if found.style == Style::Bytes {
        return is_key_bytes(value);
    }
    if is_published(value) {
        return false;
    }
    // What a program compares with is a name more often than a password.
    let plain = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-' | b'.');
    if found.compared && (value.iter().all(plain) || is_name(value)) {
        return false;
    }
    match promise {
        Promise::Password if place == Place::Settings && !found.compared && !prose && is_set(found.style) => {
            is_set_password(value, quoted) || is_password(value, quoted)
        }
        Promise::Password => is_password(value, quoted),
        // In code a mashed key is an example. In settings it is what somebody took for random, and it opens something.
        Promise::Key => is_key(value, quoted) && (place == Place::Settings || !is_mash(value)),
    }
}

/// Whether a value is one of a series that stands around it, `ATT589914` and `ATT589879`, or a bare number between the ones
/// before and after it: numbers of things.
fn is_numbered(bytes: &[u8], found: &Assignment) -> bool {
    const AROUND: usize = 240;
    const OTHERS: usize = 3;
    let letters = found.value.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let (letters, number) = found.value.split_at(letters);
    if number.len() < 3 || !number.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let around = &bytes[found.span.start.saturating_sub(AROUND)..bytes.len().min(found.span.end + AROUND)];
    if letters.is_empty() && found.style != Style::Quoted {
        let number = std::str::from_utf8(number).ok().and_then(|number| number.parse::<u64>().ok());
        let counts = |other: u64| around.split(|b| !b.is_ascii_digit()).any(|run| run == other.to_string().as_bytes());
        return number.is_some_and(|it| it > 0 && counts(it - 1) && it.checked_add(1).is_some_and(counts));
    }
    if letters.len() < 2 {
        return false;
    }
    let alike = |window: &&[u8]| {
        let (head, tail) = window.split_at(letters.len());
        head == letters && tail != number && tail.iter().all(u8::is_ascii_digit)
    };
    around.windows(found.value.len()).filter(alike).count() >= OTHERS
}

/// Whether a style is one of settings. Bare values elsewhere are prose as often.
fn is_set(style: Style) -> bool {
    matches!(style, Style::Quoted | Style::Setting | Style::Markup | Style::Spaced)
}

/// `LIKE_THIS`.
fn is_environment(name: &[u8]) -> bool {
    name.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
}

/// Whether a token may start here: not inside a word, unless the word is a break or byte written out.
fn starts_token(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    let Some(last) = before.last() else { return true };
    if !last.is_ascii_alphanumeric() && *last != b'_' {
        return true;
    }
    let escape = |marks: &[u8]| before.len() >= 2 && before[before.len() - 2] == b'\\' && marks.contains(last);
    let percent = before.len() >= 3
        && before[before.len() - 3] == b'%'
        && before[before.len() - 2..].iter().all(u8::is_ascii_hexdigit);
    escape(b"nrtbf") || percent
}

/// Whether a token is the middle of the name of a file: `box.ico-7a38c0.png`.
fn is_in_file_name(bytes: &[u8], token: Range<usize>) -> bool {
    let before = bytes[..token.start].iter().rev();
    let joined = before.clone().next().is_some_and(|b| matches!(b, b'.' | b'-' | b'_' | b'/'))
        && before.clone().nth(1).is_some_and(u8::is_ascii_alphanumeric);
    let Some(rest) = bytes[token.end..].strip_prefix(b".") else { return false };
    let ending = rest.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    joined && (2..=5).contains(&ending) && rest[..ending].iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

/// Whether a keyword is followed by more of a token, not by prose.
fn goes_on(bytes: &[u8], at: usize) -> bool {
    const LEAST: usize = 8;
    let is_token = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.+/=%:~$!".contains(b);
    bytes[at..].iter().take(LEAST).take_while(is_token).count() == LEAST
}

/// Patterns and windows have a longest match; the rest of a longer token goes with it.
fn token_end(bytes: &[u8], value: Range<usize>) -> usize {
    let end = value.end;
    // A slash goes on with a value in base64, but ends one in an address.
    let slashed = bytes[value].iter().any(|b| matches!(b, b'+' | b'/'));
    let is_token =
        |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'=') || slashed && matches!(b, b'+' | b'/');
    end + bytes[end..].iter().take_while(is_token).count()
}

/// Whether `=` or `:` follows, after at most the rest of a name, a quote and blanks.
fn assigns(bytes: &[u8], behind: usize) -> bool {
    let name =
        |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'"' | b'\'' | b']' | b' ' | b'\t' | b'\\');
    bytes[behind..].iter().take(40).find(|b| !name(b)).is_some_and(|b| matches!(b, b'=' | b':'))
}

/// Whether what follows a keyword could be the rest of a name and an assignment, rather than the next word of prose.
fn may_assign(bytes: &[u8], behind: usize) -> bool {
    let rest = &bytes[behind..];
    let name =
        rest.iter().take(64).take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')).count();
    match rest.get(name) {
        None => false,
        Some(b' ' | b'\t') => {
            let blanks = rest[name..].iter().take(48).take_while(|b| matches!(b, b' ' | b'\t')).count();
            let next = rest.get(name + blanks).copied().unwrap_or(b'\n');
            matches!(next, b'=' | b':' | b'"' | b'\'' | b'|' | b'?' | b'!' | b'\\' | b'{')
                || next.is_ascii_alphanumeric()
        }
        Some(byte) => {
            matches!(
                byte,
                b'=' | b':'
                    | b'"'
                    | b'\''
                    | b'`'
                    | b'\\'
                    | b'['
                    | b']'
                    | b'('
                    | b'>'
                    | b'<'
                    | b'{'
                    | b'\n'
                    | b'\r'
                    | b'|'
            )
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

    /// A keyword on the seam of two pieces is met once, wherever the seam cuts it.
    #[test]
    fn pieces_hide_nothing_between_them() {
        let token = ["ghp_", "x7Kq2mVbN9sLdF4hJ6tRwYzC3pGaE8uQ1iXo"].concat();
        for before in PIECE - 50..PIECE + 2 {
            let text = format!("{} {token} {}", "-".repeat(before), "-".repeat(PIECE));
            let found = find(&text, Place::Other);
            let expected = Span { start: before + 1, end: before + 1 + token.len(), rule: number("github-token") };
            assert_eq!(found, [expected], "{before}");
        }
    }

    /// 16.1: nothing of a text leaves that was not looked at to its end.
    #[test]
    fn a_text_that_is_not_looked_at_is_no_text_without_secrets() {
        let cancel = ai_assist_base::Cancel::default();
        let text = "password = nothing to see\n".repeat(PIECE);
        assert!(cancel.during(|| find(&text, Place::Other)).is_empty());
        cancel.cancel();
        let found = cancel.during(|| find(&text, Place::Other));
        assert_eq!((found[0].start, found[0].end, found.len()), (0, text.len(), 1));
    }

    #[test]
    fn the_tables_compile() {
        assert!(KEYWORDS.automaton.is_some());
        for (number, rule) in RULES.iter().enumerate() {
            assert!(matches!(rule.form, Form::Code) || pattern(number).is_some(), "{} does not compile", rule.id);
        }
    }
}
