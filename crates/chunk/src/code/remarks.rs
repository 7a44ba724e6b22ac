//! What programs say to people: comments, and the docstrings of Python.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::languages::Rules;
use crate::Remark;

/// The nodes that are comments or docstrings, in order.
pub(super) fn collect(text: &str, tree: &Tree, rules: &Rules) -> Vec<Remark> {
    let mut found: Vec<Remark> = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_remark = is_comment(node) || (rules.docstrings && is_docstring(node));
        if is_remark {
            add(text, &mut found, node.byte_range());
        }
        // What lies in a comment is the comment again, in pieces.
        if !is_remark && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

fn is_comment(node: Node<'_>) -> bool {
    node.is_named() && node.kind().ends_with("comment")
}

/// A string that is the first statement of a body.
fn is_docstring(node: Node<'_>) -> bool {
    let is_first = |node: Node<'_>| {
        let mut before = node.prev_named_sibling();
        while before.is_some_and(is_comment) {
            before = before.and_then(|node| node.prev_named_sibling());
        }
        before.is_none()
    };
    let statement = node.parent().filter(|parent| node.kind() == "string" && parent.kind() == "expression_statement");
    let body = statement.filter(|statement| is_first(*statement)).and_then(|statement| statement.parent());
    body.is_some_and(|body| {
        let owner = body.parent().map(|owner| owner.kind());
        body.kind() == "module" || matches!(owner, Some("function_definition" | "class_definition"))
    })
}

/// Adds a comment, or makes the one before longer if they stand on neighbouring lines with nothing between.
fn add(text: &str, found: &mut Vec<Remark>, bytes: Range<usize>) {
    let bytes = text.floor_char_boundary(bytes.start)..text.floor_char_boundary(bytes.end);
    if let Some(last) = found.last_mut() {
        let between = text.get(last.bytes.end..bytes.start).unwrap_or("x");
        // Some grammars count the line's end in, so the line before may have ended already.
        let ended = text[last.bytes.clone()].ends_with('\n');
        let ends = between.bytes().filter(|&byte| byte == b'\n').count() + usize::from(ended);
        if between.trim().is_empty() && ends <= 1 {
            last.bytes.end = bytes.end;
            return;
        }
    }
    if !bytes.is_empty() {
        found.push(Remark { bytes });
    }
}
