//! Reads off a syntax tree what a program says about itself.
//!
//! Each node is looked at once, by what its kind is to us (`nodes`), and each look takes bounded steps from it (`source`).
//! The files beside this one each collect one fact; most hold a table to which a framework or a library is a row.

mod commands;
mod exports;
mod imports;
mod measures;
mod nodes;
mod risky;
mod routes;
mod source;
mod sql;
mod types;

use ai_assist_text::Language;
use tree_sitter::Node;

use self::exports::{Exports, Scope};
use self::imports::Known;
use self::measures::Measures;
use self::nodes::{ATTRIBUTE, Acts, CALL, DEFINE, EXPORT, IMPORT, SETTING, VARIANT};
use self::source::Source;
pub use self::types::*;
use super::languages::Rules;
use super::visit::Visitor;

struct Frame<'t> {
    node: Node<'t>,
    /// How deep forks are nested around its children.
    nest: usize,
    is_function: bool,
    /// Who sees what is defined in it.
    scope: Scope,
}

struct Place<'a, 't> {
    source: Source<'a>,
    node: Node<'t>,
    acts: Acts,
    /// The nodes it lies in, outermost first.
    frames: &'a [Frame<'t>],
    rules: &'a Rules,
}

impl<'t> Place<'_, 't> {
    fn parent(&self) -> Option<&Frame<'t>> {
        self.frames.last()
    }

    /// The kind of the node `levels` around it, 0 being its parent.
    fn kind_around(&self, levels: usize) -> &'t str {
        let frame = self.frames.len().checked_sub(levels + 1).and_then(|index| self.frames.get(index));
        frame.map_or("", |frame| frame.node.kind())
    }
}

/// Everything but the definitions.
pub(super) struct Collector<'a, 't> {
    walk: Walk<'a, 't>,
    frames: Vec<Frame<'t>>,
    facts: Facts,
}

impl<'a> Collector<'a, '_> {
    pub(super) fn new(text: &'a str, rules: &'a Rules, language: Language) -> Option<Self> {
        let walk = Walk {
            source: Source { text, kinds: nodes::kinds(language, rules)? },
            rules,
            measures: Measures::default(),
            exports: Exports::default(),
            known: Known::default(),
            leads: commands::Leads::default(),
        };
        Some(Collector { walk, frames: Vec::new(), facts: Facts::default() })
    }

    pub(super) fn finish(self) -> Facts {
        let mut facts = self.facts;
        self.walk.exports.finish(&mut facts);
        // The last call of a chain is met first.
        facts.routes.sort_by_key(|route| route.line);
        facts.commands.sort_by_key(|command| command.line);
        facts.risky.sort_by_key(|risky| risky.line);
        facts
    }
}

impl<'t> Visitor<'t> for Collector<'_, 't> {
    fn enter(&mut self, node: Node<'t>) -> bool {
        let inner = self.walk.enter(node, &self.frames, &mut self.facts);
        let matter = inner.is_some();
        self.frames.extend(inner);
        matter
    }

    fn leave(&mut self) {
        if self.frames.pop().is_some_and(|frame| frame.is_function) {
            self.walk.measures.leave(self.walk.source, self.walk.rules, &mut self.facts);
        }
    }
}

struct Walk<'a, 't> {
    source: Source<'a>,
    rules: &'a Rules,
    measures: Measures<'t>,
    exports: Exports,
    /// Libraries that were imported, where a call means one thing or another by them.
    known: Known,
    leads: commands::Leads,
}

impl<'t> Walk<'_, 't> {
    /// Looks at a node; gives back how to look at its children, if they matter.
    fn enter(&mut self, node: Node<'t>, frames: &[Frame<'t>], facts: &mut Facts) -> Option<Frame<'t>> {
        let acts = self.source.kinds.acts(node);
        let place = Place { source: self.source, node, acts, frames, rules: self.rules };
        if acts == 0 {
            let (nest, scope) = place.parent().map_or((0, Scope::default()), |parent| (parent.nest, parent.scope));
            return Some(Frame { node, nest, is_function: false, scope });
        }
        let scope = self.exports.enter(&place, facts);
        if acts & (IMPORT | EXPORT) != 0 && imports::take(&place, &mut self.known, facts) {
            return None;
        }
        if acts & CALL != 0
            && let Some(call) = self.source.call(node)
        {
            imports::call(&place, &call, &mut self.known, facts);
            routes::call(&place, &call, facts);
            commands::call(&place, &call, &self.known, facts);
            risky::call(&place, &call, &self.known, facts);
        }
        if acts & (ATTRIBUTE | VARIANT | SETTING | DEFINE) != 0 {
            routes::attribute(&place, facts);
            commands::attribute(&place, &mut self.leads, facts);
        }
        risky::node(&place, facts);
        let (nest, is_function) = self.measures.enter(&place, facts);
        Some(Frame { node, nest, is_function, scope })
    }
}
