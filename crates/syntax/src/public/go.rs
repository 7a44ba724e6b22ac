//! Items of Go: names that begin with a capital.

use tree_sitter::Node;

use super::{Items, before_body, with};
use crate::ChunkKind;

pub(super) fn collect(root: Node<'_>, items: &mut Items<'_>) {
    // The comments right before what comes next.
    let mut lead: Option<(usize, usize)> = None;
    let mut cursor = root.walk();
    for child in root.named_children(&mut cursor) {
        let (start, row) = (child.start_byte(), child.start_position().row);
        if child.kind() == "comment" {
            let (from, _) = lead.filter(|&(_, last)| last + 1 >= row).unwrap_or((start, row));
            lead = Some((from, child.end_position().row));
            continue;
        }
        let said = lead.take().filter(|&(_, last)| last + 1 >= row).map(|(from, _)| from);
        let from = said.unwrap_or(start);
        let documented = said.is_some();
        match child.kind() {
            "package_clause" if documented => {
                items.push(from..child.end_byte(), start, Vec::new(), ChunkKind::Module, true);
            }
            "function_declaration" => {
                if let Some(name) = items.field(child, "name").filter(|name| is_exported(name)) {
                    items.push(from..before_body(child), start, vec![name], ChunkKind::Function, documented);
                }
            }
            "method_declaration" => method(child, from, documented, items),
            "type_declaration" | "const_declaration" | "var_declaration" => group(child, from, documented, items),
            _ => {}
        }
    }
}

fn method(node: Node<'_>, from: usize, documented: bool, items: &mut Items<'_>) {
    let (Some(name), Some(receiver)) = (items.field(node, "name"), items.field(node, "receiver")) else { return };
    let of = receiver.trim_matches(['(', ')']).rsplit([' ', '*']).find(|word| !word.is_empty()).unwrap_or_default();
    let of = of.split('[').next().unwrap_or_default();
    if is_exported(&name) && is_exported(of) {
        let path = vec![of.to_owned(), name];
        items.push(from..before_body(node), node.start_byte(), path, ChunkKind::Method, documented);
    }
}

/// `type T …` and `type ( … )`, and constants and variables, of which a group is one item.
fn group(node: Node<'_>, from: usize, documented: bool, items: &mut Items<'_>) {
    let mut specs = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "type_spec" | "type_alias" | "const_spec" | "var_spec" => specs.push(child),
                "var_spec_list" => open.push(child),
                _ => {}
            }
        }
    }
    let exported = specs.iter().filter_map(|spec| {
        let name = items.field(*spec, "name").filter(|name| is_exported(name))?;
        Some((*spec, name))
    });
    let exported: Vec<(Node<'_>, String)> = exported.collect();
    let Some((first, name)) = exported.first() else { return };
    if node.kind() == "type_declaration" {
        let is_one = specs.len() == 1;
        for (spec, name) in &exported {
            let kind = match spec.child_by_field_name("type").map(|of| of.kind()) {
                Some("struct_type") => ChunkKind::Struct,
                Some("interface_type") => ChunkKind::Interface,
                _ => ChunkKind::Type,
            };
            let bytes = if is_one { from..node.end_byte() } else { spec.byte_range() };
            items.push(bytes, spec.start_byte(), with(&[], name), kind, documented && is_one);
        }
        return;
    }
    items.push(from..node.end_byte(), first.start_byte(), vec![name.clone()], ChunkKind::Constant, documented);
}

fn is_exported(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}
