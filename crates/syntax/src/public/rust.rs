//! Items of Rust: `pub` and not `pub(crate)`, without what is hidden from documentation or only there for tests.

use ai_assist_text::Language;
use tree_sitter::Node;

use super::{Items, before_body, with};
use crate::{ChunkKind, Program};

/// How often macros that wrap items, such as `cfg_rt! { pub fn … }`, are looked into one in another.
const DEEPEST_MACRO: usize = 3;

/// Modules within modules of one file.
const DEEPEST_MODULE: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Module,
    /// Everything in it is as public as itself.
    Trait,
    Impl,
}

struct Place<'p> {
    path: &'p [String],
    within: Within,
    depth: usize,
    /// How many macros were looked into.
    macros: usize,
}

/// Comments and attributes before an item.
#[derive(Default)]
struct Lead {
    start: Option<usize>,
    documented: bool,
    hidden: bool,
    exported: bool,
}

pub(super) fn collect(root: Node<'_>, items: &mut Items<'_>) {
    let place = Place { path: &[], within: Within::Module, depth: 0, macros: 0 };
    members(root, &place, items);
}

fn members(node: Node<'_>, place: &Place<'_>, items: &mut Items<'_>) {
    let mut lead = Lead::default();
    let mut inner: Option<(usize, usize)> = None;
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "line_comment" | "block_comment" => {
                let text = items.of(child);
                if text.starts_with("//!") || text.starts_with("/*!") {
                    let from = inner.map_or(child.start_byte(), |(start, _)| start);
                    inner = Some((from, child.end_byte()));
                } else if text.starts_with("///") || text.starts_with("/**") {
                    lead.start.get_or_insert(child.start_byte());
                    lead.documented = true;
                }
            }
            "attribute_item" => {
                let text = items.of(child);
                let squeezed: String = text.split_whitespace().collect();
                lead.hidden |= squeezed.contains("doc(hidden)") || squeezed.starts_with("#[cfg(test)]");
                lead.exported |= squeezed.contains("macro_export");
                lead.documented |= squeezed.starts_with("#[doc=");
                lead.start.get_or_insert(child.start_byte());
            }
            _ if !child.is_named() => {}
            _ => item(child, std::mem::take(&mut lead), place, items),
        }
    }
    if let Some((start, end)) = inner {
        items.push(start..end, start, place.path.to_vec(), ChunkKind::Module, true);
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a lead is that of one item")]
fn item(node: Node<'_>, lead: Lead, place: &Place<'_>, items: &mut Items<'_>) {
    use ChunkKind::{Constant, Enum, Function, Macro, Method, Module, Struct, Trait, Type};
    if lead.hidden {
        return;
    }
    let kind = match node.kind() {
        "function_item" | "function_signature_item" if place.within == Within::Module => Function,
        "function_item" | "function_signature_item" => Method,
        "struct_item" | "union_item" => Struct,
        "enum_item" => Enum,
        "trait_item" => Trait,
        "type_item" | "associated_type" => Type,
        "const_item" | "static_item" => Constant,
        "macro_definition" => Macro,
        "mod_item" => Module,
        "impl_item" => return implementation(node, place, items),
        "foreign_mod_item" => return body(node, place, items),
        "macro_invocation" => return wrapped(node, place, items),
        "expression_statement" => {
            let macros = node.named_child(0).filter(|child| child.kind() == "macro_invocation");
            return macros.into_iter().for_each(|node| wrapped(node, place, items));
        }
        _ => return,
    };
    let visible = place.within == Within::Trait || lead.exported || is_pub(node, items);
    let Some(name) = items.field(node, "name").filter(|_| visible) else { return };
    let path = with(place.path, &name);
    let start = lead.start.unwrap_or(node.start_byte());
    let end = match kind {
        Function | Method | Trait | Module => before_body(node),
        Macro => node.child_by_field_name("name").map_or(node.end_byte(), |name| name.end_byte()),
        Constant => node.child_by_field_name("value").map_or(node.end_byte(), |value| value.start_byte()),
        _ => node.end_byte(),
    };
    if kind != Module || lead.documented {
        items.push(start..end, node.start_byte(), path.clone(), kind, lead.documented);
    }
    if place.depth < DEEPEST_MODULE && matches!(kind, Trait | Module) {
        let within = if kind == Trait { Within::Trait } else { Within::Module };
        body(node, &Place { path: &path, within, depth: place.depth + 1, ..*place }, items);
    }
}

fn body(node: Node<'_>, place: &Place<'_>, items: &mut Items<'_>) {
    if let Some(body) = node.child_by_field_name("body") {
        members(body, place, items);
    }
}

/// What a type offers by itself. What it offers as part of a trait is said at the trait.
fn implementation(node: Node<'_>, place: &Place<'_>, items: &mut Items<'_>) {
    if node.child_by_field_name("trait").is_some() {
        return;
    }
    let Some(of) = items.field(node, "type") else { return };
    let name = of.split('<').next().unwrap_or(&of).trim();
    let path = with(place.path, name.rsplit("::").next().unwrap_or(name));
    body(node, &Place { path: &path, within: Within::Impl, depth: place.depth + 1, ..*place }, items);
}

/// Items that a macro passes through: `cfg_rt! { pub fn spawn() … }` as tokio has them.
fn wrapped(node: Node<'_>, place: &Place<'_>, items: &mut Items<'_>) {
    let mut cursor = node.walk();
    let tree = node.children(&mut cursor).find(|child| child.kind() == "token_tree");
    let Some(tree) = tree.filter(|_| place.macros < DEEPEST_MACRO) else { return };
    let (start, end) = (tree.start_byte() + 1, tree.end_byte().saturating_sub(1));
    let Some(text) = items.text.get(start..end).filter(|text| text.contains("pub ")) else { return };
    // In an `impl` there are methods, which are functions to the parser.
    let Some(program) = Program::parse(text, Language::RUST) else { return };
    let mut inner = Items { text, found: Vec::new() };
    members(program.tree.root_node(), &Place { macros: place.macros + 1, ..*place }, &mut inner);
    for mut found in inner.found {
        found.bytes = found.bytes.start + start..found.bytes.end + start;
        found.at += start;
        items.found.push(found);
    }
}

fn is_pub(node: Node<'_>, items: &Items<'_>) -> bool {
    let mut cursor = node.walk();
    let modifier = node.children(&mut cursor).find(|child| child.kind() == "visibility_modifier");
    modifier.is_some_and(|modifier| items.of(modifier) == "pub")
}
