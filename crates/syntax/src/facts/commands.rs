//! The commands that a program for the command line declares.

use tree_sitter::Node;

use super::Place;
use super::imports::Known;
use super::nodes::{ATTRIBUTE, CALL, COMMENT, Family, Field, VARIANT};
use super::source::{Call, Source, kept, line};
use crate::{Command, Facts};

/// Names of what JavaScript programs declare commands on, where no library was seen.
const PROGRAMS: &[&str] = &["program", "yargs", "cli", "prog"];

/// Go types that declare a command, and the field that holds its name.
const GO_TYPES: &[(&str, &str)] = &[("cobra.Command", "Use"), ("cli.Command", "Name")];

/// What was said before the thing it belongs to.
#[derive(Debug, Default)]
pub(super) struct Leads {
    /// Rust: the variants of the enumeration that follows are commands.
    follows: bool,
    /// Rust: the variants of the last definition are commands.
    commands: bool,
    /// Rust: the name that an attribute gives to the variant that follows.
    name: Option<String>,
}

fn push(facts: &mut Facts, name: &str, node: Node<'_>) {
    let name = kept(name);
    if !name.is_empty() {
        facts.commands.push(Command { name, line: line(node) });
    }
}

/// The command's own word in `serve [options] <dir>`.
fn first_word(usage: &str) -> &str {
    usage.split_whitespace().next().filter(|word| !word.starts_with(['<', '[', '$', '*'])).unwrap_or_default()
}

pub(super) fn call(place: &Place<'_, '_>, call: &Call<'_, '_>, known: &Known, facts: &mut Facts) {
    let source = place.source;
    let literal = || source.first_literal(call);
    let name = match (source.kinds.family, call.name) {
        (Family::Rust, "new" | "with_name") if is_clap(source, call, known) => {
            // A program's title has spaces, a command has none.
            literal().filter(|name| !name.contains(char::is_whitespace))
        }
        (Family::Python, "add_parser") if call.on.is_some() => literal(),
        (Family::Script, "command") if known.cli || PROGRAMS.contains(&call.receiver) => {
            literal().filter(|_| call.on.is_some()).map(first_word)
        }
        (Family::Ruby, "desc") if call.on.is_none() => {
            let both = source.arguments(call.arguments);
            let described = both.get(1).is_some_and(|second| source.literal(*second).is_some());
            literal().filter(|_| described).map(first_word)
        }
        _ => None,
    };
    if let Some(name) = name {
        push(facts, name, call.at());
    }
}

/// Whether `Command::new` or `SubCommand::with_name` is clap's.
fn is_clap(source: Source<'_>, call: &Call<'_, '_>, known: &Known) -> bool {
    let path = call.on.and_then(|on| source.kinds.child(on, Field::Path)).map(|path| source.last_name(path));
    match (call.receiver, path) {
        ("Command", None) => known.clap,
        ("Command", Some(path)) => path == "clap",
        ("SubCommand", _) => call.name == "with_name",
        _ => false,
    }
}

/// Takes the command that an attribute, or what an attribute belongs to, declares.
pub(super) fn attribute(place: &Place<'_, '_>, leads: &mut Leads, facts: &mut Facts) {
    let (source, node) = (place.source, place.node);
    let is_attribute = place.acts & ATTRIBUTE != 0;
    match source.kinds.family {
        Family::Rust if place.acts & VARIANT != 0 => variant(place, leads, facts),
        Family::Rust if is_attribute => lead(source, node, leads),
        Family::Rust => *leads = Leads { commands: leads.follows, ..Leads::default() },
        Family::Python if is_attribute => click(place, facts),
        Family::Go => go(place, facts),
        Family::Php | Family::Java if is_attribute => {
            let name = source.kinds.child(node, Field::Name).or_else(|| node.named_child(0));
            let is_command = name.is_some_and(|name| matches!(source.last_name(name), "AsCommand" | "Command"));
            let list = source.kinds.any_child(node, &[Field::Parameters, Field::Arguments]);
            let arguments = source.arguments(list.filter(|_| is_command));
            let first = || arguments.first().copied().filter(|_| source.kinds.family == Family::Php);
            let name = source.named_argument(&arguments, "name").or_else(first);
            name.and_then(|name| source.literal(name)).iter().for_each(|name| push(facts, first_word(name), node));
        }
        _ => {}
    }
}

/// `@cli.command("x")`; without a name, the function has it.
fn click(place: &Place<'_, '_>, facts: &mut Facts) {
    let (source, node) = (place.source, place.node);
    let Some(inner) = node.named_child(0) else { return };
    let call = source.call(inner).filter(|_| source.kinds.is(inner, CALL));
    let (name, has_receiver) = match call {
        Some(call) => (call.name, call.on.is_some()),
        None => (source.last_name(inner), inner.kind() == "attribute"),
    };
    if !has_receiver || !matches!(name, "command" | "group") {
        return;
    }
    let arguments = source.arguments(call.and_then(|call| call.arguments));
    let first = arguments.first().copied();
    let said = source.named_argument(&arguments, "name").or(first).and_then(|name| source.literal(name));
    if let Some(said) = said {
        return push(facts, said, node);
    }
    let definition = place.parent().and_then(|parent| source.kinds.child(parent.node, Field::Definition));
    if let Some(name) = definition.and_then(|definition| source.kinds.child(definition, Field::Name)) {
        push(facts, &kept(source.of(name)).replace('_', "-"), node);
    }
}

/// A Rust attribute: `#[derive(Subcommand)]` or `#[command(name = "x")]`.
fn lead(source: Source<'_>, node: Node<'_>, leads: &mut Leads) {
    let Some(attribute) = node.named_child(0) else { return };
    let Some(tokens) = source.kinds.child(attribute, Field::Arguments) else { return };
    let mut cursor = tokens.walk();
    match attribute.named_child(0).map_or("", |name| source.last_name(name)) {
        "derive" => {
            let mut derived = tokens.named_children(&mut cursor);
            leads.follows |= derived.any(|token| source.of(token) == "Subcommand");
        }
        "command" | "clap" => {
            let mut is_name = false;
            for token in tokens.named_children(&mut cursor).filter(|token| !source.kinds.is(*token, COMMENT)) {
                if let Some(name) = source.literal(token).filter(|_| is_name) {
                    leads.name = Some(kept(name));
                }
                is_name = source.of(token) == "name";
            }
        }
        _ => {}
    }
}

fn variant(place: &Place<'_, '_>, leads: &mut Leads, facts: &mut Facts) {
    let said = leads.name.take();
    if !leads.commands {
        return;
    }
    if let Some(name) = place.source.kinds.child(place.node, Field::Name) {
        push(facts, &said.unwrap_or_else(|| kebab(&kept(place.source.of(name)))), place.node);
    }
}

/// `DryRun` to `dry-run`.
fn kebab(name: &str) -> String {
    let mut out = String::new();
    let mut before = '_';
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() && (before.is_lowercase() || before.is_ascii_digit()) {
            out.push('-');
        }
        out.extend(if c == '_' { '-' } else { c }.to_lowercase());
        before = c;
    }
    out
}

/// `cobra.Command{Use: "x"}`.
fn go(place: &Place<'_, '_>, facts: &mut Facts) {
    let source = place.source;
    let inner = |field| source.kinds.child(place.node, field).and_then(|element| element.named_child(0));
    let (Some(key), Some(value)) = (inner(Field::Key), inner(Field::Value)) else { return };
    let Some(&(of_type, _)) = GO_TYPES.iter().find(|(_, field)| *field == source.of(key)) else { return };
    let literal = place.frames.len().checked_sub(2).and_then(|index| place.frames.get(index));
    let made = literal.and_then(|literal| source.kinds.child(literal.node, Field::Type));
    if made.is_some_and(|made| source.of(made) == of_type)
        && let Some(usage) = source.literal(value)
    {
        push(facts, first_word(usage), place.node);
    }
}

#[cfg(test)]
mod tests {
    use super::kebab;

    #[test]
    fn variants_are_named_as_they_are_typed() {
        for (variant, expected) in
            [("DryRun", "dry-run"), ("Add", "add"), ("LsV2", "ls-v2"), ("A", "a"), ("in_it", "in-it")]
        {
            assert_eq!(kebab(variant), expected);
        }
    }
}
