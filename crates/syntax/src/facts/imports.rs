use tree_sitter::Node;

use super::Place;
use super::nodes::{EXPORT, Family, Field};
use super::source::{Call, LONGEST, Source, kept, line};
use crate::{Facts, Import};

/// Libraries by which a name means one thing or another: `Command::new` starts a program or declares one.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Rust: `Command` is the one of the standard library, or one that follows it.
    pub process: bool,
    /// Rust: `Command` is clap's.
    pub clap: bool,
    /// JavaScript: functions such as `exec` start programs.
    pub child_process: bool,
    /// A library whose `command` declares one.
    pub cli: bool,
}

/// JavaScript's libraries for command lines.
const CLI_LIBRARIES: &[&str] = &["commander", "yargs", "cac", "sade", "caporal", "@caporal/core", "vorpal"];

impl Known {
    fn note(&mut self, module: &str) {
        self.process |= module.ends_with("process::Command") || module.ends_with("process::*");
        self.clap |= module.starts_with("clap") && (module.ends_with("::Command") || module.ends_with("::*"));
        self.child_process |= matches!(module, "child_process" | "node:child_process");
        self.cli |= CLI_LIBRARIES
            .iter()
            .any(|library| module.strip_prefix(library).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
    }
}

fn push(facts: &mut Facts, known: &mut Known, module: &str, node: Node<'_>) {
    let module = kept(module);
    if !module.is_empty() {
        known.note(&module);
        facts.imports.push(Import { module, line: line(node) });
    }
}

/// Takes the imports of a statement; whether there is nothing else in it.
pub(super) fn take(place: &Place<'_, '_>, known: &mut Known, facts: &mut Facts) -> bool {
    let (source, node) = (place.source, place.node);
    let child = |field| source.kinds.child(node, field);
    let mut add = |module: &str, node: Node<'_>| push(facts, known, module, node);
    match source.kinds.family {
        Family::Rust => match node.kind() {
            "use_declaration" => uses(source, node).iter().for_each(|used| add(&used.path, used.node)),
            "mod_item" if child(Field::Body).is_some() => return false,
            "mod_item" => child(Field::Name).iter().for_each(|name| add(&format!("self::{}", source.of(*name)), *name)),
            _ => child(Field::Name).iter().for_each(|name| add(source.of(*name), *name)),
        },
        Family::Python => python(source, node, &mut add),
        Family::Script => {
            let clause = || node.named_child(0).and_then(|first| source.kinds.child(first, Field::Source));
            let from = child(Field::Source).or_else(clause);
            from.iter().for_each(|from| add(source.literal(*from).unwrap_or_default(), node));
            return place.acts & EXPORT == 0;
        }
        Family::Go => child(Field::Path).iter().for_each(|path| add(source.literal(*path).unwrap_or_default(), *path)),
        Family::Java => {
            let all = if node.named_child(1).is_some_and(|second| second.kind() == "asterisk") { ".*" } else { "" };
            node.named_child(0).iter().for_each(|name| add(&format!("{}{all}", kept(source.of(*name))), node));
        }
        Family::C => {
            child(Field::Path).iter().for_each(|path| add(source.literal(*path).unwrap_or(source.of(*path)), node));
        }
        Family::CSharp => last_named(node).iter().for_each(|name| add(source.of(*name), node)),
        Family::Php => return php(source, node, &mut add),
        Family::Ruby | Family::Bash => return false,
    }
    true
}

pub(super) fn call(place: &Place<'_, '_>, call: &Call<'_, '_>, known: &mut Known, facts: &mut Facts) {
    let source = place.source;
    if call.on.is_some() {
        return;
    }
    let module = match (source.kinds.family, call.name) {
        (Family::Script, "require" | "import") | (Family::Ruby, "require" | "load") => {
            source.first_literal(call).map(kept)
        }
        (Family::Ruby, "require_relative") => source.first_literal(call).map(|path| kept(&beside(path))),
        (Family::Bash, "source" | ".") => {
            source.kinds.child(call.node, Field::Argument).and_then(|first| source.literal(first)).map(kept)
        }
        _ => None,
    };
    if let Some(module) = module {
        push(facts, known, &module, call.node);
    }
}

/// A path beside the file it stands in.
fn beside(path: &str) -> String {
    if path.starts_with('.') { path.to_owned() } else { format!("./{}", path.trim_start_matches('/')) }
}

fn last_named(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?)
}

fn python(source: Source<'_>, node: Node<'_>, add: &mut impl FnMut(&str, Node<'_>)) {
    let names = |each: &mut dyn FnMut(Node<'_>)| {
        let mut cursor = node.walk();
        for name in node.children_by_field_name("name", &mut cursor) {
            each(source.kinds.child(name, Field::Name).unwrap_or(name));
        }
    };
    match node.kind() {
        "import_statement" => names(&mut |name| add(source.of(name), name)),
        "import_from_statement" => {
            let Some(module) = source.kinds.child(node, Field::ModuleName) else { return };
            let from = source.of(module);
            // `from . import x` takes a file beside this one.
            if from.bytes().all(|byte| byte == b'.') && !from.is_empty() && node.named_child_count() > 1 {
                names(&mut |name| add(&format!("{}{}", kept(from), source.of(name)), name));
            } else {
                add(from, node);
            }
        }
        _ => {}
    }
}

fn php(source: Source<'_>, node: Node<'_>, add: &mut impl FnMut(&str, Node<'_>)) -> bool {
    if node.kind() != "namespace_use_declaration" {
        let Some(mut path) = node.named_child(0) else { return false };
        if path.kind() == "parenthesized_expression" {
            path = path.named_child(0).unwrap_or(path);
        }
        let here = source.kinds.child(path, Field::Left).is_some_and(|left| source.of(left) == "__DIR__");
        match source.kinds.child(path, Field::Right).and_then(|right| source.literal(right)) {
            Some(right) if here => add(&beside(right), node),
            _ => add(source.literal(path).unwrap_or_default(), node),
        }
        return false;
    }
    let mut cursor = node.walk();
    let (group, prefix) = match source.kinds.child(node, Field::Body) {
        Some(group) => (group, node.named_child(0).map(|prefix| format!("{}\\", kept(source.of(prefix))))),
        None => (node, None),
    };
    for clause in group.named_children(&mut cursor).filter(|child| child.kind() == "namespace_use_clause") {
        if let Some(name) = clause.named_child(0) {
            add(&format!("{}{}", prefix.as_deref().unwrap_or_default(), source.of(name)), clause);
        }
    }
    true
}

pub(super) struct Used<'t> {
    pub path: String,
    pub name: String,
    pub node: Node<'t>,
}

/// The paths of a Rust `use`, in order, each cut to what is kept of it: a prefix is repeated for each of them.
pub(super) fn uses<'t>(source: Source<'_>, node: Node<'t>) -> Vec<Used<'t>> {
    let mut found = Vec::new();
    let mut left: Vec<(Node<'t>, String)> = Vec::new();
    left.extend(source.kinds.child(node, Field::Argument).map(|tree| (tree, String::new())));
    while let Some((node, prefix)) = left.pop() {
        let child = |field| source.kinds.child(node, field);
        match node.kind() {
            "scoped_use_list" | "use_list" => {
                let prefix = child(Field::Path).map_or(prefix.clone(), |path| joined(&prefix, source.of(path)));
                let list = if node.kind() == "use_list" { Some(node) } else { child(Field::List) };
                let Some(list) = list else { continue };
                let first = left.len();
                let mut cursor = list.walk();
                left.extend(list.named_children(&mut cursor).map(|child| (child, prefix.clone())));
                left[first..].reverse();
            }
            "use_as_clause" => {
                let path = child(Field::Path).map_or(String::new(), |path| joined(&prefix, source.of(path)));
                let name = child(Field::Alias).map_or(String::new(), |alias| kept(source.of(alias)));
                found.push(Used { path, name, node });
            }
            "use_wildcard" => {
                let path = joined(&prefix, source.of(node));
                found.push(Used { name: path.clone(), path, node });
            }
            "self" => {
                let name = prefix.rsplit("::").next().unwrap_or_default().to_owned();
                found.push(Used { path: prefix, name, node });
            }
            "identifier" | "scoped_identifier" | "crate" | "super" | "metavariable" => {
                let path = joined(&prefix, source.of(node));
                let name = path.rsplit("::").next().unwrap_or_default().to_owned();
                found.push(Used { path, name, node });
            }
            // Comments, and what is no path.
            _ => {}
        }
    }
    found
}

fn joined(prefix: &str, path: &str) -> String {
    let path: String = path.chars().take(LONGEST).filter(|c| !c.is_whitespace()).collect();
    kept(&if prefix.is_empty() { path } else { format!("{prefix}::{path}") })
}
