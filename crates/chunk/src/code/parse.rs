//! Parsing with bounded effort.
//!
//! Grammars are made for programs. On text that is none, the parser's error recovery takes time that grows with the square
//! of the nesting, or worse, so three guards stand around it: nesting no program has is not parsed at all; the parser's
//! steps are counted; and the clock stops what is slow within a step.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::languages::Rules;

/// More brackets than this, one in another, and the text is not parsed. Generated programs reach a few hundred.
const DEEPEST: usize = 1000;

/// How much text the parser is given at a time: it asks for more often enough to be stopped in time.
const PORTION: usize = 1024;

/// Parses, or gives up on a text that takes far more work than programs do, because it is none.
///
/// Depth and steps are properties of the text: the same text gives the same answer on a slow or busy machine. The clock
/// is the last resort and wide of what any program takes.
pub(super) fn parse(text: &str, rules: &Rules) -> Option<Tree> {
    if is_too_deep(text) {
        return None;
    }
    let shown = if rules.ascii_only { masked(text) } else { Cow::Borrowed(text.as_bytes()) };
    let mut parser = Parser::new();
    // A grammar of an unknown ABI is a build with mismatched crates; the tests parse every language, so it shows there.
    parser.set_language(&(rules.grammar)()).ok()?;

    // The callback comes once in a hundred steps, so this is four steps a byte; of 1,500 real files the worst took 2.7.
    // It must not be much more: what takes more is about to take forever, and at the end of a text in a single step.
    let mut left = 50 + text.len() / 25;
    let started = Instant::now();
    let patience = Duration::from_secs(1) + Duration::from_micros(text.len() as u64);
    let gave_up = Cell::new(false);
    let is_late = || {
        gave_up.set(gave_up.get() || started.elapsed() > patience);
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

/// Whether brackets are nested deeper than in any program. Those in strings and comments are counted too: they come in
/// pairs nearly always, and a wrong answer only costs the symbols of one file.
fn is_too_deep(text: &str) -> bool {
    let (mut depth, mut deepest) = (0usize, 0usize);
    // `<` is a bracket in some places and an operator in others; as one it is closed before the statement ends.
    let (mut angles, mut most_angles) = (0usize, 0usize);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
                angles = if byte == b'{' { 0 } else { angles };
            }
            b')' | b']' => depth = depth.saturating_sub(1),
            b'}' => (depth, angles) = (depth.saturating_sub(1), 0),
            b'<' => {
                angles += 1;
                most_angles = most_angles.max(angles);
            }
            b'>' => angles = angles.saturating_sub(1),
            b';' => angles = 0,
            _ => {}
        }
    }
    deepest > DEEPEST || most_angles > DEEPEST
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
            ("(".repeat(1001), true),
            ("()".repeat(5000), false),
            ("a<".repeat(1001), true),
            ("a<b;".repeat(5000), false),
            ("A<B>".repeat(5000), false),
            (format!("{}{}", "[".repeat(900), "]".repeat(900)), false),
        ] {
            assert_eq!(is_too_deep(&text), expected, "{}…", &text[..8]);
        }
    }
}
