//! Items of Java: what is `public` or `protected`, of types that are so themselves. Javadoc is told as text.

use tree_sitter::Node;

use super::{Items, before_body, javadoc, with};
use crate::ChunkKind;

/// Types within types.
const DEEPEST: usize = 16;

#[derive(Clone, Copy)]
struct Place<'p> {
    path: &'p [String],
    depth: usize,
    /// In an interface everything is public that is not private.
    open: bool,
}

pub(super) fn collect(root: Node<'_>, items: &mut Items<'_>) {
    members(root, Place { path: &[], depth: 0, open: false }, items);
}

fn members(node: Node<'_>, place: Place<'_>, items: &mut Items<'_>) {
    let mut comment: Option<Node<'_>> = None;
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "block_comment" if items.of(child).starts_with("/**") => comment = Some(child),
            "block_comment" | "line_comment" => {}
            "enum_body_declarations" => members(child, Place { open: false, ..place }, items),
            _ => member(child, comment.take(), place, items),
        }
    }
}

fn member(node: Node<'_>, comment: Option<Node<'_>>, place: Place<'_>, items: &mut Items<'_>) {
    use ChunkKind::{Class, Constant, Enum, Interface, Method, Module};
    let kind = match node.kind() {
        "class_declaration" | "record_declaration" => Class,
        "interface_declaration" | "annotation_type_declaration" => Interface,
        "enum_declaration" => Enum,
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "annotation_type_element_declaration" => Method,
        "enum_constant" | "constant_declaration" | "field_declaration" => Constant,
        // What a package says of itself, in `package-info.java`.
        "package_declaration" if comment.is_some() => Module,
        _ => return,
    };
    let modifiers = node.child(0).filter(|first| first.kind() == "modifiers").map_or("", |first| items.of(first));
    let has = |word: &str| modifiers.split_whitespace().any(|own| own == word);
    let visible = kind == Module
        || node.kind() == "enum_constant"
        || has("public")
        || has("protected")
        || place.open && !has("private");
    if !visible {
        return;
    }
    let name = match kind {
        Module => None,
        Constant if node.kind() != "enum_constant" => {
            node.child_by_field_name("declarator").and_then(|declarator| items.field(declarator, "name"))
        }
        _ => items.field(node, "name"),
    };
    let path = match (&name, kind) {
        (Some(name), _) => with(place.path, name),
        (None, Module) => Vec::new(),
        (None, _) => return,
    };
    let end = match kind {
        // A constant's value is worth knowing if it is short.
        Constant if node.end_byte() - node.start_byte() > 200 => {
            let declarator = node.child_by_field_name("declarator");
            let value = declarator.and_then(|declarator| declarator.child_by_field_name("value"));
            value.map_or(node.end_byte(), |value| value.start_byte())
        }
        _ => before_body(node),
    };
    let said = comment.map(|comment| javadoc::text(items.of(comment)));
    let documented = said.as_ref().is_some_and(|said| !said.trim().is_empty());
    let start = comment.filter(|_| documented).map_or(node.start_byte(), |comment| comment.start_byte());
    let signature = javadoc::signature(items.text.get(node.start_byte()..end).unwrap_or_default());
    items.push(start..end, node.start_byte(), path.clone(), kind, documented);
    if let (Some(said), Some(item)) = (said.filter(|_| documented), items.found.last_mut()) {
        item.readable = Some(format!("{signature}\n\n{}", said.trim()));
    }
    if place.depth < DEEPEST
        && matches!(kind, Class | Interface | Enum)
        && let Some(body) = node.child_by_field_name("body")
    {
        members(body, Place { path: &path, depth: place.depth + 1, open: kind == Interface }, items);
    }
}
