//! Items of Python: names without a leading underscore, or in `__all__`.

use std::collections::HashSet;

use tree_sitter::Node;

use super::{Items, with};
use crate::ChunkKind;

/// Classes within classes, and definitions within `if` and `try`.
const DEEPEST: usize = 8;

struct Place<'p> {
    path: &'p [String],
    in_class: bool,
    depth: usize,
    all: &'p HashSet<String>,
}

pub(super) fn collect(root: Node<'_>, items: &mut Items<'_>) {
    if let Some(docstring) = docstring(root) {
        items.push(docstring.byte_range(), docstring.start_byte(), Vec::new(), ChunkKind::Module, true);
    }
    let all = exported(root, items);
    members(root, &Place { path: &[], in_class: false, depth: 0, all: &all }, items);
}

fn members(node: Node<'_>, place: &Place<'_>, items: &mut Items<'_>) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "function_definition" | "class_definition" => item(child, child.start_byte(), place, items),
            "decorated_definition" => {
                if let Some(definition) = child.child_by_field_name("definition") {
                    item(definition, child.start_byte(), place, items);
                }
            }
            "if_statement" | "try_statement" | "block" | "else_clause" | "except_clause" | "elif_clause"
                if place.depth < DEEPEST =>
            {
                members(child, &Place { depth: place.depth + 1, ..*place }, items);
            }
            _ => {}
        }
    }
}

fn item(node: Node<'_>, start: usize, place: &Place<'_>, items: &mut Items<'_>) {
    let (Some(name), Some(body)) = (items.field(node, "name"), node.child_by_field_name("body")) else { return };
    let said = docstring(body);
    let is_special = name.starts_with("__") && name.ends_with("__");
    let visible = match is_special {
        true => name == "__init__" || said.is_some(),
        false => !name.starts_with('_') || !place.in_class && place.all.contains(&name),
    };
    if !visible {
        return;
    }
    let is_class = node.kind() == "class_definition";
    let kind = match (is_class, place.in_class) {
        (true, _) => ChunkKind::Class,
        (false, true) => ChunkKind::Method,
        (false, false) => ChunkKind::Function,
    };
    let end = said.map_or_else(|| signature_end(node, body, items), |said| said.end_byte());
    let path = with(place.path, &name);
    items.push(start..end, node.start_byte(), path.clone(), kind, said.is_some());
    if is_class && place.depth < DEEPEST {
        members(body, &Place { path: &path, in_class: true, depth: place.depth + 1, all: place.all }, items);
    }
}

/// After the colon. A body that is `...`, as in a stub, goes with it.
fn signature_end(node: Node<'_>, body: Node<'_>, items: &Items<'_>) -> usize {
    if items.of(body).trim() == "..." {
        return node.end_byte();
    }
    let head = items.text.get(node.start_byte()..body.start_byte()).unwrap_or_default();
    // A comment may stand between the colon and the body.
    head.rfind(':').map_or(body.start_byte(), |colon| node.start_byte() + colon + 1)
}

/// The string that opens a body.
fn docstring(body: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = body.walk();
    let first = body.named_children(&mut cursor).find(|child| child.kind() != "comment")?;
    let string = first.named_child(0).filter(|_| first.kind() == "expression_statement")?;
    (string.kind() == "string").then_some(string)
}

/// The names in `__all__`.
fn exported(root: Node<'_>, items: &Items<'_>) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut cursor = root.walk();
    for statement in root.named_children(&mut cursor) {
        let Some(assignment) = statement.named_child(0) else { continue };
        let is_all = assignment.child_by_field_name("left").is_some_and(|left| items.of(left) == "__all__");
        let Some(right) = assignment.child_by_field_name("right").filter(|_| is_all) else { continue };
        let mut cursor = right.walk();
        let strings = right.named_children(&mut cursor).filter(|item| item.kind() == "string");
        names.extend(strings.map(|item| items.of(item).trim_matches(['"', '\'']).to_owned()));
    }
    names
}
