//! Items of JavaScript: what has a JSDoc comment. Which names a module gives away is often only known once it runs; that somebody
//! has written a comment for users is the better sign.

use tree_sitter::Node;

use super::Items;
use crate::ChunkKind;

const DEEPEST: usize = 8;

/// Marks of comments that are not for users.
const PRIVATE: [&str; 4] = ["@private", "@api private", "@internal", "@ignore"];

pub(super) fn collect(root: Node<'_>, items: &mut Items<'_>) {
    members(root, &[], 0, items);
}

fn members(node: Node<'_>, path: &[String], depth: usize, items: &mut Items<'_>) {
    let mut comment: Option<Node<'_>> = None;
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if child.kind() == "comment" {
            comment = Some(child);
            continue;
        }
        let said = comment.take().filter(|comment| {
            let text = items.of(*comment);
            let near = child.start_position().row <= comment.end_position().row + 2;
            near && text.starts_with("/**") && !PRIVATE.iter().any(|mark| text.contains(mark))
        });
        member(child, said, path, depth, items);
    }
}

fn member(node: Node<'_>, said: Option<Node<'_>>, path: &[String], depth: usize, items: &mut Items<'_>) {
    let declared = match node.kind() {
        "export_statement" => {
            match node.child_by_field_name("declaration").or_else(|| node.child_by_field_name("value")) {
                Some(declaration) => declaration,
                None => return,
            }
        }
        "expression_statement" => match node.named_child(0) {
            Some(expression) => expression,
            None => return,
        },
        _ => node,
    };
    let (name, value, kind) = named(declared, items);
    let own = name.map(|name| {
        let parts = name.split('.').filter(|part| !matches!(*part, "exports" | "module" | "prototype" | "this"));
        path.iter().cloned().chain(parts.map(str::to_owned)).collect::<Vec<String>>()
    });
    let own = own.filter(|own| !own.is_empty()).unwrap_or_else(|| path.to_vec());
    let is_import = value.is_some_and(|value| items.of(value).starts_with("require("));
    // `/** Expose `Router`. */ module.exports = Router`: what is handed on is said where it is made.
    let is_handed_on = declared.kind() == "assignment_expression"
        && items.of(declared).trim_start_matches("module.").starts_with("exports")
        && value.is_some_and(|value| matches!(value.kind(), "identifier" | "member_expression"));
    if let Some(said) = said.filter(|said| !is_import && (!is_handed_on || items.of(*said).contains('@'))) {
        let body = value.unwrap_or(declared).child_by_field_name("body").map(|body| body.start_byte());
        let line = items.text[declared.start_byte()..].find('\n').map(|at| declared.start_byte() + at);
        let end = body.unwrap_or_else(|| line.unwrap_or(node.end_byte()).min(node.end_byte()));
        items.push(said.start_byte()..end.max(said.end_byte()), declared.start_byte(), own.clone(), kind, true);
    }
    if depth < DEEPEST
        && let Some(within) = value.unwrap_or(declared).child_by_field_name("body").or(value)
        && matches!(within.kind(), "class_body" | "object")
    {
        members(within, &own, depth + 1, items);
    }
}

/// What a declaration is called, what it is made of, and what it is.
fn named<'n>(node: Node<'n>, items: &Items<'_>) -> (Option<String>, Option<Node<'n>>, ChunkKind) {
    use ChunkKind::{Class, Code, Constant, Function, Method};
    let of_value = |value: Option<Node<'_>>| match value.map(|value| value.kind()) {
        Some("function_expression" | "arrow_function" | "generator_function" | "function") => Function,
        Some("class") => Class,
        _ => Constant,
    };
    match node.kind() {
        "function_declaration" | "generator_function_declaration" => (items.field(node, "name"), None, Function),
        "class_declaration" => (items.field(node, "name"), None, Class),
        "method_definition" => (items.field(node, "name"), None, Method),
        "field_definition" => (items.field(node, "property"), node.child_by_field_name("value"), Constant),
        "lexical_declaration" | "variable_declaration" => match node.named_child(0) {
            Some(declarator) => {
                let value = declarator.child_by_field_name("value");
                (items.field(declarator, "name"), value, of_value(value))
            }
            None => (None, None, Code),
        },
        "pair" => {
            let value = node.child_by_field_name("value");
            (items.field(node, "key"), value, of_value(value))
        }
        "assignment_expression" => {
            let mut value = node.child_by_field_name("right");
            // `req.get = req.header = function …`
            while let Some(inner) = value.filter(|value| value.kind() == "assignment_expression") {
                value = inner.child_by_field_name("right");
            }
            (items.field(node, "left"), value, of_value(value))
        }
        _ => (None, None, Code),
    }
}
