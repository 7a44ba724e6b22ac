//! Reading names, literals and calls off a tree, the same way for every grammar.
//!
//! Each look at a node takes bounded steps down from it, so that all looks together stay linear in the text.

use ai_assist_text::head;
use tree_sitter::Node;

use super::nodes::{CALL, COMMENT, Field, INSERT, Kinds, STRING};

/// What is taken from the text is cut to this many bytes.
pub(super) const LONGEST: usize = 200;

/// Names longer than this are compared with nothing.
const LONGEST_NAME: usize = 64;

/// How many arguments of a call are looked at.
const MOST_ARGUMENTS: u32 = 8;

/// A text and what the nodes of its tree are.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub text: &'a str,
    pub kinds: &'static Kinds,
}

/// A call: `receiver.name(arguments)`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a, 't> {
    pub node: Node<'t>,
    pub on: Option<Node<'t>>,
    /// The last name in what it is called on: `app` in `self.app.get()`, `new` in `Router::new().get()`.
    pub receiver: &'a str,
    pub name: &'a str,
    pub arguments: Option<Node<'t>>,
}

impl<'t> Call<'_, 't> {
    /// The node that says where it stands: a chain of calls starts with its first, whichever of them is meant.
    pub(super) fn at(&self) -> Node<'t> {
        self.arguments.unwrap_or(self.node)
    }
}

/// The line of a node, from 1.
pub(super) fn line(node: Node<'_>) -> usize {
    node.start_position().row + 1
}

pub(super) fn kept(text: &str) -> String {
    head(text.trim(), LONGEST).to_owned()
}

impl<'a> Source<'a> {
    pub(super) fn of(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The last name in an expression; empty if it ends in none, or in one that is too long to be in a table.
    pub(super) fn last_name(&self, node: Node<'_>) -> &'a str {
        use Field::{Attribute, Constructor, Function, Member, Method, Name, Property, Type};
        const WAY: &[Field] = &[Property, Attribute, Member, Method, Name, Function, Constructor, Type];
        let mut at = node;
        for _ in 0..6 {
            let Some(next) = self.kinds.any_child(at, WAY) else { break };
            at = next;
        }
        let is_name = at.child_count() == 0 || matches!(at.kind(), "variable_name" | "command_name" | "generic_name");
        if !is_name || self.kinds.is(at, STRING) && at.kind() != "word" {
            return "";
        }
        let name = self.of(at).trim_start_matches(['$', '@', '&', '*', ':']);
        let name = name.split(['<', '(']).next().unwrap_or_default();
        if name.len() > LONGEST_NAME { "" } else { name }
    }

    pub(super) fn call<'t>(&self, node: Node<'t>) -> Option<Call<'a, 't>> {
        use Field::{Argument, Expression, Object, Operand, Path, Receiver, Scope, Value};
        const CALLEE: &[Field] = &[Field::Function, Field::Method, Field::Name, Field::Constructor, Field::Type];
        const ON: &[Field] = &[Receiver, Object, Value, Operand, Path, Expression, Scope, Argument];
        let callee = self.kinds.any_child(node, CALLEE).or_else(|| node.named_child(0))?;
        let callee = match callee.kind() {
            "generic_function" => self.kinds.child(callee, Field::Function).unwrap_or(callee),
            _ => callee,
        };
        // The fields of a type that is made are those of its own name, not of what it is called on.
        let on = match callee.child_count() {
            0 => self.kinds.any_child(node, &[Receiver, Object, Scope]),
            _ => self.kinds.any_child(callee, ON),
        };
        let arguments = self.kinds.child(node, Field::Arguments).or_else(|| self.loose_arguments(node));
        let receiver = on.map_or("", |on| self.last_name(on));
        Some(Call { node, on, receiver, name: self.last_name(callee), arguments })
    }

    /// Arguments that stand in no field, as after PHP's `new`.
    fn loose_arguments<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        (node.kind() == "object_creation_expression")
            .then(|| node.named_child(1).filter(|second| second.kind() == "arguments"))?
    }

    /// The first arguments of a call, without the nodes some grammars wrap them in.
    pub(super) fn arguments<'t>(&self, list: Option<Node<'t>>) -> Vec<Node<'t>> {
        let Some(list) = list else { return Vec::new() };
        let children = (0..MOST_ARGUMENTS).map_while(|index| list.named_child(index));
        children.filter(|child| !self.kinds.is(*child, COMMENT)).map(unwrapped).collect()
    }

    /// The text of a string literal in which nothing is computed, without its quotes.
    pub(super) fn literal(&self, node: Node<'_>) -> Option<&'a str> {
        (self.kinds.is(node, STRING) && !self.has_insert(node)).then(|| bare(self.of(node)))
    }

    /// The text of the first argument if that is a literal.
    pub(super) fn first_literal(&self, call: &Call<'a, '_>) -> Option<&'a str> {
        let first = call.arguments?.named_child(0).map(unwrapped)?;
        self.literal(first)
    }

    pub(super) fn has_insert(&self, string: Node<'_>) -> bool {
        if string.child_count() < 2 {
            return false;
        }
        let mut cursor = string.walk();
        string.named_children(&mut cursor).any(|part| self.kinds.is(part, INSERT))
    }

    /// The value of the named argument `name` among arguments, whatever the grammar calls that.
    pub(super) fn named_argument<'t>(&self, arguments: &[Node<'t>], name: &str) -> Option<Node<'t>> {
        arguments.iter().find_map(|&argument| {
            let key = self.kinds.any_child(argument, &[Field::Key, Field::Name])?;
            if self.of(key).trim_matches([':', '"', '\'']) != name || self.kinds.is(argument, CALL) {
                return None;
            }
            let last = argument.named_child_count().checked_sub(1).and_then(|last| u32::try_from(last).ok());
            self.kinds.child(argument, Field::Value).or_else(|| argument.named_child(last?))
        })
    }

    /// The literals in a literal, in a list of them, or in nothing else.
    pub(super) fn literals(&self, node: Node<'_>) -> Vec<&'a str> {
        if let Some(literal) = self.literal(node) {
            return vec![literal];
        }
        let items = (0..MOST_ARGUMENTS).map_while(|index| node.named_child(index));
        items.filter_map(|item| self.literal(unwrapped(item))).collect()
    }
}

/// The expression in a node that some grammars put around an argument or an element, unless it has a name.
fn unwrapped(node: Node<'_>) -> Node<'_> {
    const WRAPS: [&str; 4] = ["argument", "attribute_argument", "literal_element", "array_element_initializer"];
    let wraps = WRAPS.contains(&node.kind()) || node.kind() == "parenthesized_expression";
    match node.named_child(0) {
        Some(inner) if wraps && node.named_child_count() == 1 => inner,
        _ => node,
    }
}

/// A literal without its prefix and quotes: `r#"x"#`, `@"x"`, `'''x'''`.
fn bare(literal: &str) -> &str {
    let quoted = literal.trim_start_matches(|c: char| c.is_ascii_alphabetic() || matches!(c, '@' | '$' | '#'));
    match quoted.chars().next() {
        Some(quote @ ('"' | '\'' | '`')) => {
            quoted.trim_start_matches(quote).trim_end_matches('#').trim_end_matches(quote)
        }
        // A word without quotes, as in a shell.
        _ => literal,
    }
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn literals_lose_their_prefix_and_quotes() {
        for (literal, expected) in [
            ("\"a b\"", "a b"),
            ("'x'", "x"),
            ("r#\"x\"#", "x"),
            ("rb'''x'''", "x"),
            ("@\"x\"", "x"),
            ("`x`", "x"),
            ("\"\"", ""),
            ("word", "word"),
            ("\"", ""),
            ("\"é", "é"),
        ] {
            assert_eq!(bare(literal), expected, "{literal}");
        }
    }
}
