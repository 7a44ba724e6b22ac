//! A pattern, ready to be planned and run.

use regex_automata::meta::{self, Regex};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, Look};

use crate::strip::for_lines;
use crate::{Error, Plan, Result};

/// The longest pattern. Beyond any that is meant, and short enough that classes in it can't fill the memory.
const LONGEST_PATTERN: usize = 16 * 1024;

/// The largest compiled pattern, as the `regex` crate has it.
const LARGEST_PROGRAM: usize = 10 << 20;

/// How a pattern is to be taken. The default is what `rg` does without flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PatternOptions {
    /// Upper and lower case are equal, by the simple case folding of Unicode.
    pub ignore_case: bool,
    /// The pattern is a text, not a regular expression.
    pub fixed: bool,
    /// A match must begin and end at a word's edge.
    pub word: bool,
    /// A match may run over line ends, if the pattern says so. `.` still does not match one, unless under `(?s)`.
    pub multiline: bool,
    /// `\r\n` ends a line too: `$` matches before it, and nothing else does. Otherwise `\r` is a character like others,
    /// so that `a$` does not match in `a\r\n`.
    pub crlf: bool,
}

/// A pattern that finds lines, and the plan that finds the documents to look into.
#[derive(Debug, Clone)]
pub struct Pattern {
    pub plan: Plan,
    pub(crate) regex: Regex,
    pub(crate) multiline: bool,
}

impl Pattern {
    pub fn new(pattern: &str, options: PatternOptions) -> Result<Self> {
        let hir = parse(pattern, options)?;
        let plan = Plan::of(&hir);
        let regex = compile(&hir)?;
        Ok(Pattern { plan, regex, multiline: options.multiline })
    }
}

fn parse(pattern: &str, options: PatternOptions) -> Result<Hir> {
    if pattern.len() > LONGEST_PATTERN {
        return Err(Error::PatternTooLong { length: pattern.len(), limit: LONGEST_PATTERN });
    }
    let escaped = options.fixed.then(|| regex_syntax::escape(pattern));
    let mut parser = ParserBuilder::new();
    parser.multi_line(true).case_insensitive(options.ignore_case).crlf(options.crlf);
    let hir = parser.build().parse(escaped.as_deref().unwrap_or(pattern)).map_err(|e| Error::Syntax(Box::new(e)))?;
    let hir = if options.multiline { hir } else { for_lines(hir, options.crlf)? };
    if !options.word {
        return Ok(hir);
    }
    Ok(Hir::concat(vec![Hir::look(Look::WordStartHalfUnicode), hir, Hir::look(Look::WordEndHalfUnicode)]))
}

fn compile(hir: &Hir) -> Result<Regex> {
    let config = Regex::config()
        .nfa_size_limit(Some(LARGEST_PROGRAM))
        // Only where a match begins and ends is asked for.
        .which_captures(regex_automata::nfa::thompson::WhichCaptures::Implicit);
    Regex::builder().configure(config).build_from_hir(hir).map_err(too_large)
}

fn too_large(error: meta::BuildError) -> Error {
    match error.size_limit() {
        Some(limit) => Error::PatternTooLarge { limit },
        None => Error::Compile(Box::new(error)),
    }
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;
