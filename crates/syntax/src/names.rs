use tree_sitter::Node;

use super::languages::{Name, refined};
use crate::ChunkKind;

/// A signature's longest form, in bytes.
const LONGEST_SIGNATURE: usize = 240;

/// How far down a C declarator its name is looked for: `(*(*f)(void))[3]` is as deep as people write.
const DEEPEST_DECLARATOR: usize = 16;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Called {
    pub name: String,
    /// The type it belongs to, where that is part of the name rather than of the place.
    pub owner: Option<String>,
    pub kind: ChunkKind,
}

/// The name of a definition; `None` if it has none, as `const { a, b } = c` has not.
pub(super) fn called(text: &str, node: Node<'_>, kind: ChunkKind, how: Name) -> Option<Called> {
    let of = |node: Node<'_>| text.get(node.byte_range());
    let field = |name: &str| node.child_by_field_name(name);
    let plain = |name: String, kind: ChunkKind| Called { name, owner: None, kind };
    let found = match how {
        Name::Field => {
            if is_mention(node) {
                return None;
            }
            let name = of(field("name")?)?.trim_matches(['"', '\'']);
            let (owner, name) = qualified(name);
            Called { name: name.to_owned(), owner, kind: refine(node, kind) }
        }
        Name::Child => {
            let mut cursor = node.walk();
            let name = node.named_children(&mut cursor).find(|child| child.kind() == "name")?;
            plain(of(name)?.to_owned(), kind)
        }
        Name::TraitAndType => {
            let of_type = without_generics(of(field("type")?)?);
            match field("trait").and_then(of) {
                Some(of_trait) => plain(format!("{} for {of_type}", without_generics(of_trait)), kind),
                None => plain(of_type.to_owned(), kind),
            }
        }
        Name::Receiver => {
            let receiver = of(field("receiver")?)?.trim_matches(['(', ')']);
            let receiver = without_generics(receiver.rsplit([' ', '*']).find(|word| !word.is_empty())?);
            let receiver = receiver.split('[').next().unwrap_or(receiver);
            Called { owner: Some(receiver.to_owned()), ..plain(of(field("name")?)?.to_owned(), kind) }
        }
        Name::Declarator => {
            let (name, is_function) = declared(node)?;
            let kind = if is_function && kind == ChunkKind::Constant { ChunkKind::Function } else { kind };
            let (owner, name) = qualified(of(name)?);
            let kind = if owner.is_some() && kind == ChunkKind::Function { ChunkKind::Method } else { kind };
            Called { name: name.to_owned(), owner, kind: refine(node, kind) }
        }
    };
    let unfit = found.name.is_empty() || found.name.contains(['\n', '{', '[']);
    (!unfit).then_some(found)
}

/// Whether it only says that there is a type, as `struct device;` does. Hundreds of headers may say so of one that matters.
fn is_mention(node: Node<'_>) -> bool {
    let is_type = matches!(node.kind(), "struct_specifier" | "union_specifier" | "enum_specifier" | "class_specifier");
    is_type && node.child_by_field_name("body").is_none()
}

/// The leaf that is the name of a definition; `None` if it is called after other things, as an `impl` is.
pub(super) fn name_leaf(node: Node<'_>, how: Name) -> Option<Node<'_>> {
    let mut at = match how {
        Name::Field | Name::Receiver => node.child_by_field_name("name")?,
        Name::Child => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).find(|child| child.kind() == "name")?
        }
        Name::TraitAndType => return None,
        Name::Declarator => declared(node)?.0,
    };
    // `A::B::c` and `c<T>` have the name in a field; `~c` and `A\B\c` have it last.
    for _ in 0..DEEPEST_DECLARATOR {
        let last = || u32::try_from(at.named_child_count()).ok()?.checked_sub(1).and_then(|last| at.named_child(last));
        match at.child_by_field_name("name").or_else(last) {
            Some(inner) => at = inner,
            None => break,
        }
    }
    Some(at)
}

/// The name at the end of a chain of C declarators, and whether the chain declares a function.
fn declared(node: Node<'_>) -> Option<(Node<'_>, bool)> {
    let mut at = node.child_by_field_name("declarator")?;
    let mut is_function = false;
    for _ in 0..DEEPEST_DECLARATOR {
        is_function |= at.kind() == "function_declarator";
        let inner = at.child_by_field_name("declarator").or_else(|| {
            // Reference and parenthesised declarators hold the next one without a field.
            let last = u32::try_from(at.named_child_count()).ok()?.checked_sub(1)?;
            at.kind().ends_with("_declarator").then(|| at.named_child(last)).flatten()
        });
        match inner {
            Some(inner) => at = inner,
            None => break,
        }
    }
    Some((at, is_function))
}

/// `const f = () => …` is a function, `type T struct` a struct.
fn refine(node: Node<'_>, kind: ChunkKind) -> ChunkKind {
    let field = match kind {
        ChunkKind::Constant => "value",
        ChunkKind::Type => "type",
        _ => return kind,
    };
    node.child_by_field_name(field).and_then(|made_of| refined(made_of.kind())).unwrap_or(kind)
}

/// Splits `A::B::c` into its owner `A::B` and its name.
fn qualified(name: &str) -> (Option<String>, &str) {
    match name.rsplit_once("::") {
        Some((owner, name)) if !owner.is_empty() && !owner.contains("operator") => {
            (Some(without_generics(owner).to_owned()), name)
        }
        _ => (None, name),
    }
}

fn without_generics(name: &str) -> &str {
    match name.split_once('<') {
        Some((before, _)) if !before.is_empty() => before.trim_end(),
        _ => name,
    }
}

/// The definition's text up to its body, on one line.
pub(super) fn signature(text: &str, node: Node<'_>) -> Option<String> {
    let start = node.start_byte();
    let body = node.child_by_field_name("body").map(|body| body.start_byte());
    let cut = text.floor_char_boundary(body.unwrap_or(node.end_byte()).min(start + LONGEST_SIGNATURE));
    let mut source = text.get(start..cut)?;
    if body.is_none() {
        source = source.lines().next()?;
    }
    let line = source.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches(['{', ':', ' ']);
    (!line.is_empty()).then(|| line.to_owned())
}
