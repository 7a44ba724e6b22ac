//! A program that is parsed once and asked several things: parsing is what takes the time.
//!
//! Trees are walked with a cursor and a stack on the heap: source text can nest deeper than a thread's stack.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ai_assist_text::Language;
use serde::{Deserialize, Serialize};
use tree_sitter::Tree;

use crate::facts::Collector;
use crate::languages::{self, Rules};
use crate::references::Uses;
use crate::remarks::Remarks;
use crate::structure::{Structure, outline};
use crate::visit::{Visitor, visit};
use crate::{Facts, OutlineEntry, Reference, Remark, has_grammar, parse, walk};

/// Larger files are data or generated: cut by lines, because their trees take some twenty times their size in memory.
const LARGEST: usize = 4 << 20;

/// A pragma stands in the first comment, below the licence.
const FLOW_IS_SAID_IN: usize = 4096;

pub struct Program<'t> {
    pub text: &'t str,
    pub language: Language,
    /// The language whose grammar it was parsed with.
    grammar: Language,
    rules: Rules,
    pub(crate) tree: Tree,
}

/// From which sizes on, in bytes, places to cut are looked for within a node.
#[derive(Debug, Clone, Copy)]
pub struct CutFrom {
    pub definition: usize,
    pub statement: usize,
}

impl CutFrom {
    /// Sections alone are wanted.
    pub const NEVER: CutFrom = CutFrom { definition: usize::MAX, statement: usize::MAX };
}

impl<'t> Program<'t> {
    /// Parses a text; `None` if its language has no grammar or it can't be parsed with bounded effort.
    pub fn parse(text: &'t str, language: Language) -> Option<Self> {
        if text.len() > LARGEST {
            return None;
        }
        let grammar = if language == Language::JAVASCRIPT && is_flow(text) { Language::TSX } else { language };
        let rules = languages::rules(grammar)?;
        let tree = parse::parse(text, &rules)?;
        Some(Program { text, language, grammar, rules, tree })
    }

    /// Its sections and places to cut.
    pub fn structure(&self, cut_from: CutFrom) -> Structure {
        walk::walk(self.text, &self.tree, &self.rules, cut_from)
    }

    /// Its definitions in order, with their nesting.
    pub fn definitions(&self) -> Vec<OutlineEntry> {
        outline(self.text, self.structure(CutFrom::NEVER))
    }

    /// What it says about itself, read off in one walk. Of a walk that was stopped, nothing.
    pub fn read(&self, wanted: Wanted) -> Said {
        let mut facts = wanted.analysis.then(|| Collector::new(self.text, &self.rules, self.grammar)).flatten();
        let mut uses = wanted.analysis.then(|| Uses::new(self.text, &self.rules, self.grammar));
        let mut remarks = wanted.remarks.then(|| Remarks::new(self.text, self.grammar));
        let mut visitors: Vec<&mut dyn Visitor<'_>> = Vec::new();
        visitors.extend(facts.as_mut().map(|it| it as _));
        visitors.extend(uses.as_mut().map(|it| it as _));
        visitors.extend(remarks.as_mut().map(|it| it as _));
        if !visit(&self.tree, &mut visitors) {
            return Said::default();
        }
        Said {
            facts: facts.map(|facts| Facts { definitions: self.definitions(), ..facts.finish() }),
            references: uses.map(Uses::finish).unwrap_or_default(),
            remarks: remarks.map(Remarks::finish).unwrap_or_default(),
        }
    }

    pub fn facts(&self) -> Option<Facts> {
        self.read(Wanted { analysis: true, remarks: false }).facts
    }

    /// Everything but its comments.
    pub fn analysis(&self) -> Option<Analysis> {
        let said = self.read(Wanted { analysis: true, remarks: false });
        Some(Analysis { facts: said.facts?, references: said.references })
    }

    pub fn remarks(&self) -> Vec<Remark> {
        self.read(Wanted { analysis: false, remarks: true }).remarks
    }

    pub fn references(&self) -> Vec<Reference> {
        self.read(Wanted { analysis: true, remarks: false }).references
    }
}

/// What of a program is to be read off its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Facts and references.
    pub analysis: bool,
    pub remarks: bool,
}

/// What a program says, as far as it was wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    pub facts: Option<Facts>,
    pub references: Vec<Reference>,
    pub remarks: Vec<Remark>,
}

/// Whether JavaScript has the types of Flow: the grammar of TSX knows nearly all of them, that of JavaScript none, and takes
/// whole files for one function where it stumbles over them.
fn is_flow(text: &str) -> bool {
    let head = ai_assist_text::head(text, FLOW_IS_SAID_IN);
    head.contains("@flow") && !head.contains("@noflow") || head.contains("\nimport type ")
}

/// What a program says about itself and what it uses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis {
    pub facts: Facts,
    pub references: Vec<Reference>,
}

/// Why nothing is known of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unparsed {
    NoGrammar,
    /// It takes more effort than programs do.
    GivenUp,
    Panicked,
}

impl Analysis {
    /// Parses a text. A parser that panics costs what this text says, no more.
    pub fn of(text: &str, language: Language) -> Result<Self, Unparsed> {
        if !has_grammar(language) {
            return Err(Unparsed::NoGrammar);
        }
        let parsed = catch_unwind(AssertUnwindSafe(|| Program::parse(text, language)?.analysis()));
        parsed.map_err(|_| Unparsed::Panicked)?.ok_or(Unparsed::GivenUp)
    }
}

impl fmt::Debug for Program<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (language, bytes) = (self.language, self.text.len());
        f.debug_struct("Program").field("language", &language).field("bytes", &bytes).finish_non_exhaustive()
    }
}
