//! Parsing with bounded effort.
//!
//! Grammars are made for programs. On text that is none, the parser's error recovery takes time that grows with the square
//! of the nesting, or worse, so three guards stand around it: nesting no program has is not parsed at all; the parser's
//! steps are counted; and the clock stops what is slow within a step.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ai_assist_base::stopped;
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::languages::Rules;

/// More brackets than this, one in another, and the text is not parsed. A choice, not a measured bound: the worst text
/// found took .8 s at 1,000 and its time grows with the square.
const DEEPEST: usize = 500;

/// How much text the parser is given at a time: it asks for more often enough to be stopped in time.
const PORTION: usize = 1024;

static PARSES: AtomicU64 = AtomicU64::new(0);

/// How often this process parsed a text: what is cached is not parsed again, and this shows it.
pub fn parses() -> u64 {
    PARSES.load(Ordering::Relaxed)
}

/// Parses, or gives up on a text that takes far more work than programs do, because it is none.
///
/// Depth and steps are properties of the text: the same text gives the same answer on a slow or busy machine. The clock
/// is the last resort and wide of what any program takes.
pub(super) fn parse(text: &str, rules: &Rules) -> Option<Tree> {
    if is_too_deep(text, rules.lines_end_statements) {
        return None;
    }
    PARSES.fetch_add(1, Ordering::Relaxed);
    let shown = if rules.ascii_only { masked(text) } else { Cow::Borrowed(text.as_bytes()) };
    let mut parser = Parser::new();
    // A grammar of an unknown ABI is a build with mismatched crates; the tests parse every language, so it shows there.
    parser.set_language(&(rules.grammar)()).ok()?;

    // The callback comes once in a hundred steps, so this is four steps a byte. Of 1,483 real files the worst took 2.7,
    // but they were Python and Rust mostly, with none of Java, C++, C#, Ruby, PHP or TypeScript.
    // It must not be much more: what takes more is about to take forever, and at the end of a text in a single step.
    let mut left = 50 + text.len() / 25;
    let started = Instant::now();
    let patience = Duration::from_secs(1) + Duration::from_micros(text.len() as u64);
    let gave_up = Cell::new(false);
    let is_late = || {
        gave_up.set(gave_up.get() || started.elapsed() > patience || stopped());
        gave_up.get()
    };
    let mut go_on = |_: &ParseState| match left.checked_sub(1) {
        Some(fewer) if !is_late() => {
            left = fewer;
            ControlFlow::Continue(())
        }
        _ => ControlFlow::Break(()),
    };
    // A hundred steps can take long where each has an error to recover from. To end the text is the way to end those.
    let mut portion = |at: usize, _| {
        let rest = shown.get(at..).unwrap_or_default();
        if is_late() { &[] } else { &rest[..rest.len().min(PORTION)] }
    };
    let options = ParseOptions::new().progress_callback(&mut go_on);
    let tree = parser.parse_with_options(&mut portion, None, Some(options))?;
    (!gave_up.get()).then_some(tree)
}

/// Whether brackets are nested deeper, or operators chained longer, than in any program. What is in strings and comments
/// counts too: it is balanced nearly always, and a wrong answer only costs the symbols of one file.
fn is_too_deep(text: &str, lines_end_statements: bool) -> bool {
    let mut depth = 0usize;
    // Operators that nest to the right, or may: `a = b = c`, `a ? b : c ? d : e`, `A<B<C`. They end with the statement.
    let mut chain = 0usize;
    let mut before = 0;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' => depth += 1,
            b'{' => (depth, chain) = (depth + 1, 0),
            b')' | b']' | b'}' => (depth, chain) = (depth.saturating_sub(1), 0),
            b';' => chain = 0,
            // A list in angle brackets goes on after its comma; any other chain ends there.
            b',' if before != b'<' && !before.is_ascii_uppercase() => chain = 0,
            b'\n' if lines_end_statements => chain = 0,
            // A run of one character is one operator, or a rule in a comment.
            b'=' | b'|' | b'?' | b'<' if byte != before => chain += 1,
            _ => {}
        }
        if depth > DEEPEST || chain > DEEPEST {
            return true;
        }
        before = byte;
    }
    false
}

/// The text with a letter for each byte that is not ASCII: another text with the same tree and the same offsets.
fn masked(text: &str) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    text.bytes().map(|byte| if byte.is_ascii() { byte } else { b'x' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_told_from_length() {
        for (text, expected) in [
            ("(".repeat(501), true),
            ("()".repeat(5000), false),
            ("a<".repeat(501), true),
            ("A<B,".repeat(501), true),
            ("a<b;".repeat(5000), false),
            ("a=>".repeat(501), true),
            ("A = 1,\n".repeat(5000), false),
            (format!("// {}\n", "=".repeat(90)).repeat(300), false),
            (format!("{}{}", "[".repeat(400), "]".repeat(400)), false),
        ] {
            assert_eq!(is_too_deep(&text, false), expected, "{}…", &text[..8]);
        }
        assert!(is_too_deep(&"a = 1\n".repeat(501), false));
        assert!(!is_too_deep(&"a = 1\n".repeat(5000), true));
    }
}
