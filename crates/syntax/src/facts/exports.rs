use std::collections::{HashMap, HashSet};

use ai_assist_text::head;
use tree_sitter::Node;

use super::super::languages::{Role, refined};
use super::super::names::{Called, called};
use super::Place;
use super::imports::uses;
use super::nodes::{ATTRIBUTE, CLOSURE, DEFINE, EXPORT, Family, Field, IMPORT, SETTING, WORD};
use super::source::{Source, kept, line};
use crate::{ChunkKind, Export, Facts};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Scope {
    hidden: bool,
    /// It is part of a statement that exports.
    exporting: bool,
    /// Its members are public unless they say otherwise.
    public: bool,
    /// The type it belongs to: one more than its place among the owners, or 0.
    owner: usize,
}

const HIDDEN: Scope = Scope { hidden: true, exporting: false, public: false, owner: 0 };

/// What is known about exports on the way.
#[derive(Debug, Default)]
pub(super) struct Exports {
    owners: Vec<String>,
    /// Definitions that are exported only by name, elsewhere in the file.
    named: HashMap<String, (ChunkKind, usize)>,
    /// The exports whose kind is that of a definition of their name.
    open: Vec<usize>,
    /// Python's `__all__`: its names, as long as they are literals.
    all: Option<Vec<(String, usize)>>,
    /// `__all__` is computed, and says nothing.
    computed: bool,
    /// Bodies of Ruby classes in which what follows is private.
    private: HashSet<usize>,
    macro_export: bool,
    /// Whether a C file is a header, once that was asked.
    header: Option<bool>,
}

impl Exports {
    /// Looks at a node; gives back who sees what is defined in it.
    pub(super) fn enter(&mut self, place: &Place<'_, '_>, facts: &mut Facts) -> Scope {
        let scope = place.parent().map_or(Scope::default(), |parent| parent.scope);
        let family = place.source.kinds.family;
        if family == Family::Script && place.acts & SETTING != 0 {
            self.common_js(place, facts);
        }
        if scope.hidden || place.acts & CLOSURE != 0 {
            return HIDDEN;
        }
        if place.acts & EXPORT != 0 {
            self.script(place, facts);
            return Scope { exporting: true, ..scope };
        }
        match family {
            Family::Rust if place.acts & ATTRIBUTE != 0 => {
                self.macro_export |= place.source.of(place.node).starts_with("#[macro_export");
            }
            Family::Rust if place.acts & IMPORT != 0 && place.node.kind() == "use_declaration" && is_pub(place) => {
                for used in uses(place.source, place.node) {
                    push(facts, &used.name, ChunkKind::Imports, line(used.node));
                }
            }
            Family::Python if place.acts & SETTING != 0 => self.python_assignment(place, facts),
            Family::Ruby if place.acts & WORD != 0 => self.ruby_word(place),
            _ => {}
        }
        if place.acts & DEFINE != 0 { self.define(place, scope, facts) } else { scope }
    }

    fn define(&mut self, place: &Place<'_, '_>, scope: Scope, facts: &mut Facts) -> Scope {
        use ChunkKind::{Class, Enum, Function, Impl, Interface, Method, Module, Struct, Trait};
        let macro_export = std::mem::take(&mut self.macro_export);
        let Role::Define(kind, how) = place.rules.role(place.node.kind()) else { return scope };
        let family = place.source.kinds.family;
        let Some(called) = called(place.source.text, place.node, kind, how) else {
            if scope.exporting {
                destructured(place, facts);
            }
            // `struct { … } x;` has no name, and may hold what has one; an unnamed namespace is seen by nobody.
            let may_lack_one = family == Family::C && !matches!(kind, Module | Function);
            return if may_lack_one { scope } else { HIDDEN };
        };
        // Annotations are part of some definitions; where it stands is where its name does.
        let at = line(place.source.kinds.child(place.node, Field::Name).unwrap_or(place.node));
        let visible = macro_export && called.kind == ChunkKind::Macro || self.is_visible(place, &called, scope);
        let is_path = called.kind == Module && matches!(family, Family::CSharp | Family::C | Family::Php);
        if visible && !is_path && called.kind != Impl {
            let owner = called.owner.clone().or_else(|| self.owners.get(scope.owner.wrapping_sub(1)).cloned());
            let (name, kind) = match owner {
                Some(owner) if matches!(called.kind, Function | Method) => {
                    (format!("{}.{}", head(&owner, 100), called.name), Method)
                }
                _ => (called.name.clone(), called.kind),
            };
            push(facts, &name, kind, at);
        } else if matches!(family, Family::Script | Family::Python) {
            self.named.insert(kept(&called.name), (called.kind, at));
        }
        match (family, called.kind) {
            (Family::Rust, Impl) => self.owned(&called.name, scope, false),
            (Family::Rust, Module) if visible => scope,
            (Family::Java | Family::CSharp, Class | Enum | Interface | Struct | Trait) if visible => {
                self.owned(&called.name, scope, called.kind == Interface)
            }
            (Family::Ruby, Class | Module) => self.owned(&called.name, scope, true),
            (Family::CSharp | Family::C | Family::Php, Module) => scope,
            (Family::Script, Module) if visible => Scope { exporting: false, ..scope },
            // What is declared may be of a type that is defined on the spot.
            (Family::C, ChunkKind::Type | ChunkKind::Constant) => scope,
            _ => HIDDEN,
        }
    }

    fn owned(&mut self, name: &str, scope: Scope, public: bool) -> Scope {
        let name = name.rsplit(" for ").next().unwrap_or(name);
        self.owners.push(kept(name));
        Scope { owner: self.owners.len(), public, ..scope }
    }

    fn is_visible(&mut self, place: &Place<'_, '_>, called: &Called, scope: Scope) -> bool {
        let capital = |name: &str| name.chars().next().is_some_and(char::is_uppercase);
        match place.source.kinds.family {
            Family::Rust => is_pub(place),
            Family::Python => !called.name.starts_with('_'),
            Family::Script => scope.exporting,
            Family::Go => capital(&called.name) && called.owner.as_deref().is_none_or(capital),
            Family::Java => match place.node.named_child(0).filter(|first| first.kind() == "modifiers") {
                Some(modifiers) => {
                    let mut cursor = modifiers.walk();
                    let says = |word: &str| modifiers.children(&mut cursor).any(|child| child.kind() == word);
                    let mut says = says;
                    says("public") || scope.public && !says("private")
                }
                None => scope.public,
            },
            Family::CSharp => {
                let modifiers = || first_children(place.node).filter(|child| child.kind() == "modifier");
                let says = |word: &str| modifiers().any(|modifier| place.source.of(modifier) == word);
                called.kind == ChunkKind::Module || says("public") || scope.public && !says("private")
            }
            Family::C => self.is_c_visible(place, called),
            Family::Ruby => !self.is_private(place),
            Family::Php | Family::Bash => true,
        }
    }

    fn is_c_visible(&mut self, place: &Place<'_, '_>, called: &Called) -> bool {
        let is_static = || {
            let mut storage = first_children(place.node).filter(|child| child.kind() == "storage_class_specifier");
            storage.any(|word| place.source.of(word) == "static")
        };
        match place.node.kind() {
            "function_definition" => called.owner.is_none() && called.name != "main" && !is_static(),
            "declaration" => {
                let text = place.source.text;
                let is_header = *self.header.get_or_insert_with(|| is_header(text));
                called.kind == ChunkKind::Function && called.owner.is_none() && is_header && !is_static()
            }
            "type_definition" | "alias_declaration" | "concept_definition" | "namespace_definition" => true,
            "preproc_def" | "preproc_function_def" => false,
            _ => place.source.kinds.child(place.node, Field::Body).is_some(),
        }
    }

    /// `private` on a line of its own, which holds for what follows it.
    fn ruby_word(&mut self, place: &Place<'_, '_>) {
        let Some(parent) = place.parent().filter(|parent| parent.node.kind() == "body_statement") else { return };
        match place.source.of(place.node) {
            "private" | "protected" => drop(self.private.insert(parent.node.id())),
            "public" => drop(self.private.remove(&parent.node.id())),
            _ => {}
        }
    }

    fn is_private(&self, place: &Place<'_, '_>) -> bool {
        let Some(parent) = place.parent() else { return false };
        let is_hiding = |call: Node<'_>| matches!(place.source.last_name(call), "private" | "protected");
        let argued = place.kind_around(0) == "argument_list" && place.kind_around(1) == "call";
        let call = place.frames.len().checked_sub(2).and_then(|index| place.frames.get(index));
        let is_method = matches!(place.node.kind(), "method");
        is_method && self.private.contains(&parent.node.id()) || argued && call.is_some_and(|call| is_hiding(call.node))
    }

    fn python_assignment(&mut self, place: &Place<'_, '_>, facts: &mut Facts) {
        let child = |field| place.source.kinds.child(place.node, field);
        let (Some(left), Some(right)) = (child(Field::Left), child(Field::Right)) else { return };
        let name = place.source.of(left);
        if place.kind_around(0) != "expression_statement" || left.kind() != "identifier" {
            return;
        }
        if name == "__all__" {
            self.python_all(place.source, right);
        } else if place.node.kind() == "assignment" {
            let is_constant = name.bytes().any(|byte| byte.is_ascii_uppercase()) && name == name.to_ascii_uppercase();
            if is_constant && !name.starts_with('_') {
                push(facts, name, ChunkKind::Constant, line(place.node));
            } else {
                self.named.insert(kept(name), (ChunkKind::Constant, line(place.node)));
            }
        }
    }

    fn python_all(&mut self, source: Source<'_>, right: Node<'_>) {
        let all = self.all.get_or_insert_default();
        self.computed |= !matches!(right.kind(), "list" | "tuple");
        let mut cursor = right.walk();
        for item in right.named_children(&mut cursor).filter(|item| item.kind() != "comment") {
            match source.literal(item) {
                Some(name) => all.push((kept(name), line(item))),
                None => self.computed = true,
            }
        }
    }

    /// `export …` but for definitions in it, which are met on the way down.
    fn script(&mut self, place: &Place<'_, '_>, facts: &mut Facts) {
        let (source, node) = (place.source, place.node);
        let child = |field| source.kinds.child(node, field);
        let is_from = child(Field::Source).is_some();
        let mut is_all = is_from;
        let mut cursor = node.walk();
        for clause in node.named_children(&mut cursor) {
            match clause.kind() {
                "export_clause" => {
                    is_all = false;
                    let mut cursor = clause.walk();
                    for specifier in
                        clause.named_children(&mut cursor).filter(|child| child.kind() == "export_specifier")
                    {
                        let name = source.kinds.any_child(specifier, &[Field::Alias, Field::Name]);
                        let inner = source.kinds.child(specifier, Field::Name).map_or("", |name| source.of(name));
                        self.by_name(facts, name.map_or("", |name| source.of(name)), inner, is_from, specifier);
                    }
                }
                "namespace_export" => {
                    is_all = false;
                    let name = clause.named_child(0).map_or("", |name| source.of(name));
                    self.by_name(facts, name, "", true, clause);
                }
                _ => {}
            }
        }
        if is_all {
            push(facts, "*", ChunkKind::Imports, line(node));
        }
        if let Some(value) = child(Field::Value) {
            self.value(source, facts, value, node);
        }
    }

    /// The one value that a file exports: under its name if it has one.
    fn value(&mut self, source: Source<'_>, facts: &mut Facts, value: Node<'_>, at: Node<'_>) {
        if value.kind() == "identifier" {
            return self.by_name(facts, source.of(value), source.of(value), false, at);
        }
        let name = source.kinds.child(value, Field::Name).map_or("default", |name| source.of(name));
        let kind = refined(value.kind()).unwrap_or(ChunkKind::Constant);
        push(facts, name, kind, line(at));
    }

    /// An export whose kind is that of what has the name `inner` here.
    fn by_name(&mut self, facts: &mut Facts, name: &str, inner: &str, is_from: bool, at: Node<'_>) {
        let name = name.trim_matches(['"', '\'']);
        if name.is_empty() {
            return;
        }
        if is_from {
            return push(facts, name, ChunkKind::Imports, line(at));
        }
        match self.named.get(inner) {
            Some(&(kind, _)) => push(facts, name, kind, line(at)),
            None => {
                self.open.push(facts.exports.len());
                push(facts, name, ChunkKind::Constant, line(at));
            }
        }
    }

    /// `module.exports = …` and `exports.x = …`.
    fn common_js(&mut self, place: &Place<'_, '_>, facts: &mut Facts) {
        let (source, node) = (place.source, place.node);
        let child = |field| source.kinds.child(node, field);
        if node.kind() != "assignment_expression" {
            return;
        }
        let (Some(left), Some(right)) = (child(Field::Left), child(Field::Right)) else { return };
        let (Some(object), Some(property)) =
            (source.kinds.child(left, Field::Object), source.kinds.child(left, Field::Property))
        else {
            return;
        };
        if matches!(source.of(object), "exports" | "module.exports") {
            let kind = refined(right.kind()).unwrap_or(ChunkKind::Constant);
            return push(facts, source.of(property), kind, line(node));
        }
        if source.of(object) != "module" || source.of(property) != "exports" {
            return;
        }
        if right.kind() != "object" {
            return self.value(source, facts, right, node);
        }
        let mut cursor = right.walk();
        for member in right.named_children(&mut cursor) {
            match member.kind() {
                "shorthand_property_identifier" => {
                    self.by_name(facts, source.of(member), source.of(member), false, member);
                }
                "pair" => {
                    let key = source.kinds.child(member, Field::Key).map_or("", |key| source.of(key));
                    let inner = source.kinds.child(member, Field::Value).map_or("", |value| source.of(value));
                    self.by_name(facts, key, head(inner, 100), false, member);
                }
                "method_definition" => {
                    let name = source.kinds.child(member, Field::Name).map_or("", |name| source.of(name));
                    push(facts, name, ChunkKind::Function, line(member));
                }
                _ => {}
            }
        }
    }

    /// Settles what only the whole file tells.
    pub(super) fn finish(self, facts: &mut Facts) {
        for index in self.open {
            if let Some(export) = facts.exports.get_mut(index)
                && let Some(&(kind, _)) = self.named.get(&export.name)
            {
                export.kind = kind;
            }
        }
        let Some(all) = self.all.filter(|_| !self.computed) else { return };
        let mut seen = self.named;
        seen.extend(facts.exports.drain(..).map(|export| (export.name, (export.kind, export.line))));
        for (name, at) in all {
            // A name that is listed and not defined here was imported.
            let (kind, line) = seen.get(&name).copied().unwrap_or((ChunkKind::Imports, at));
            facts.exports.push(Export { name, kind, line });
        }
        facts.exports.sort_by_key(|export| export.line);
    }
}

fn push(facts: &mut Facts, name: &str, kind: ChunkKind, line: usize) {
    let name = kept(name);
    if !name.is_empty() {
        facts.exports.push(Export { name, kind, line });
    }
}

/// `pub`, not `pub(crate)`.
fn is_pub(place: &Place<'_, '_>) -> bool {
    let first = place.node.named_child(0).filter(|first| first.kind() == "visibility_modifier");
    first.is_some_and(|first| place.source.of(first) == "pub")
}

/// Modifiers stand before anything else.
fn first_children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    (0..12).map_while(move |index| node.named_child(index))
}

/// The names that `export const { a, b: c } = …` gives.
fn destructured(place: &Place<'_, '_>, facts: &mut Facts) {
    let Some(pattern) = place.source.kinds.child(place.node, Field::Name) else { return };
    let mut cursor = pattern.walk();
    for part in pattern.named_children(&mut cursor) {
        let name = place.source.kinds.any_child(part, &[Field::Value, Field::Left]).unwrap_or(part);
        if name.named_child_count() == 0 {
            push(facts, place.source.of(name), ChunkKind::Constant, line(part));
        }
    }
}

/// Whether a C file guards against being included twice.
fn is_header(text: &str) -> bool {
    let mut lines = head(text, 16 << 10).lines().map(str::trim).filter(|line| !line.is_empty());
    let mut guard = None;
    lines.any(|line| {
        let defines = line.strip_prefix("#define ").map(|rest| rest.split_whitespace().next());
        let guarded = guard.is_some() && defines == guard;
        guard = line.strip_prefix("#ifndef ").map(|rest| rest.split_whitespace().next());
        guarded || line.starts_with("#pragma once")
    })
}
