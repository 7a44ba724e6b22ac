//! How much there is: functions, forks, and the largest of them.

use tree_sitter::Node;

use super::super::languages::{Role, Rules};
use super::super::names::called;
use super::nodes::{BRANCH, CLOSURE, FUNCTION, Family, Field, NEST};
use super::source::{Source, kept, line};
use super::{Frame, Place};
use crate::{Facts, Measured};

pub(super) struct Function<'t> {
    node: Node<'t>,
    parent: Option<Node<'t>>,
    deepest: usize,
}

/// The functions that are being walked through, outermost first.
#[derive(Default)]
pub(super) struct Measures<'t> {
    open: Vec<Function<'t>>,
}

impl<'t> Measures<'t> {
    /// Counts a node; says how deep its children are nested and whether it is a function.
    pub(super) fn enter(&mut self, place: &Place<'_, 't>, facts: &mut Facts) -> (usize, bool) {
        facts.branches += usize::from(place.acts & BRANCH != 0);
        let nest = place.parent().map_or(0, |parent| parent.nest);
        if place.acts & NEST != 0 && !goes_on(place) {
            if let Some(function) = self.open.last_mut() {
                function.deepest = function.deepest.max(nest + 1);
            }
            return (nest + 1, false);
        }
        if !is_function(place) {
            return (nest, false);
        }
        facts.functions += 1;
        self.open.push(Function { node: place.node, parent: place.parent().map(|parent| parent.node), deepest: 0 });
        (0, true)
    }

    pub(super) fn leave(&mut self, source: Source<'_>, rules: &Rules, facts: &mut Facts) {
        let Some(function) = self.open.pop() else { return };
        // Where the parser stumbled, it guesses where a function ends: rather none is named than a wrong one.
        if function.node.has_error() {
            return;
        }
        let lines = function.node.end_position().row + 1 - function.node.start_position().row;
        let deepest = function.deepest;
        let measured = |value| Measured { name: name(source, rules, &function), line: line(function.node), value };
        // An inner function is left before the one around it: of two alike, the one that starts first is kept.
        let beats = |value: usize, best: &Option<Measured>| {
            best.as_ref()
                .is_none_or(|best| value > best.value || value == best.value && line(function.node) < best.line)
        };
        if beats(lines, &facts.longest_function) {
            facts.longest_function = Some(measured(lines));
        }
        if deepest > 0 && beats(deepest, &facts.deepest_nesting) {
            facts.deepest_nesting = Some(measured(deepest));
        }
    }
}

/// Whether a node is a function with a body and a name.
fn is_function(place: &Place<'_, '_>) -> bool {
    let (source, node) = (place.source, place.node);
    let is_named = match place.acts & (FUNCTION | CLOSURE) {
        0 => return false,
        CLOSURE => given_name(source, place.parent().map(|parent| parent.node)).is_some(),
        _ => true,
    };
    // An empty method of Ruby has no node for its body.
    let has_body = || source.kinds.child(node, Field::Body).is_some() || source.kinds.family == Family::Ruby;
    is_named && has_body()
}

/// Whether a condition is the `else if` of the one around it, which nests nothing.
fn goes_on(place: &Place<'_, '_>) -> bool {
    let Some(Frame { node: parent, .. }) = place.parent() else { return false };
    if parent.kind() == "else_clause" {
        return place.node.kind().starts_with("if_");
    }
    let is_alternative = parent.kind_id() == place.node.kind_id()
        && place.source.kinds.child(*parent, Field::Alternative).is_some_and(|other| other.id() == place.node.id());
    is_alternative && place.node.kind() == "if_statement"
}

fn name(source: Source<'_>, rules: &Rules, function: &Function<'_>) -> String {
    if let Role::Define(kind, how) = rules.role(function.node.kind())
        && let Some(called) = called(source.text, function.node, kind, how)
    {
        let whole = called.owner.map_or(called.name.clone(), |owner| format!("{}.{}", kept(&owner), called.name));
        return kept(&whole);
    }
    given_name(source, function.parent).map(kept).unwrap_or_default()
}

/// The name that a function without one is given where it stands.
fn given_name<'a>(source: Source<'a>, parent: Option<Node<'_>>) -> Option<&'a str> {
    let parent = parent?;
    let field = match parent.kind() {
        "variable_declarator" | "public_field_definition" => Field::Name,
        "field_definition" => Field::Property,
        "pair" => Field::Key,
        "assignment_expression" => Field::Left,
        _ => return None,
    };
    let name = source.last_name(source.kinds.child(parent, field)?);
    (!name.is_empty()).then_some(name)
}
