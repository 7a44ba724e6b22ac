//! Code by its syntax tree: definitions with their doc comments and attributes, members of large types, statements of
//! large functions.
//!
//! Trees are walked with a cursor and a stack on the heap: source text can nest deeper than a thread's stack.

mod languages;
mod names;
mod walk;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use ai_assist_text::Language;
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use crate::Limits;
use crate::structure::Structure;

/// Larger files are data or generated: cut by lines, because their trees take some twenty times their size in memory.
const LARGEST: usize = 4 << 20;

/// Whether there is a grammar for a language.
pub(crate) fn is_code(language: Language) -> bool {
    languages::rules(language).is_some()
}

/// The structure of a program; `None` if the language has no grammar or the text can't be parsed with bounded effort.
pub(crate) fn scan(text: &str, language: Language, limits: &Limits) -> Option<Structure> {
    if text.len() > LARGEST {
        return None;
    }
    let rules = languages::rules(language)?;
    let tree = parse(text, &(rules.grammar)())?;
    Some(walk::walk(text, &tree, &rules, limits))
}

/// Parses, or gives up on a text that takes far more work than programs do, because it is none.
///
/// Steps are counted first: the same text should give the same chunks on a slow or busy machine. The clock is for texts
/// on which single steps are slow, such as a hundred thousand open here-documents, and is wide of what any program takes.
fn parse(text: &str, grammar: &tree_sitter::Language) -> Option<Tree> {
    let mut parser = Parser::new();
    // A grammar of an unknown ABI is a build with mismatched crates; the tests parse every language, so it shows there.
    parser.set_language(grammar).ok()?;
    // The callback comes once in a hundred steps, so this is five steps a byte; of 1,500 real files the worst took 2.7.
    let mut left = 1000 + text.len() / 20;
    let started = Instant::now();
    let patience = Duration::from_secs(1) + Duration::from_micros(text.len() as u64);
    let mut go_on = |_: &ParseState| match left.checked_sub(1) {
        Some(fewer) if started.elapsed() < patience => {
            left = fewer;
            ControlFlow::Continue(())
        }
        _ => ControlFlow::Break(()),
    };
    let bytes = text.as_bytes();
    let options = ParseOptions::new().progress_callback(&mut go_on);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}
