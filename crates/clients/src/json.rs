//! Changes to JSON with comments that touch nothing but the entry.
//!
//! The text is cut and joined by the places that the parser reports, and is not printed anew: so what was put in can be
//! taken out again to the byte. Every outcome is parsed and compared with what it should say before it is handed out.

use std::ops::Range;

use ai_assist_base::json::options;
use jsonc_parser::CollectOptions;
use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::change::{Change, Fault, Kind};

fn parse(text: &str) -> Result<Option<Node<'_>>, Fault> {
    let parsed = jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &options());
    let fault = |error: jsonc_parser::errors::ParseError| {
        Fault::at(text, error.range().start, error.kind().to_string().to_lowercase())
    };
    parsed.map(|parsed| parsed.value).map_err(fault)
}

/// What a text says; an object with nothing in it, if there is nothing.
pub(crate) fn value(text: &str) -> Result<Value, Fault> {
    Ok(parse(text)?.map_or_else(|| Value::Object(Map::new()), Value::from))
}

/// Makes `list.name` be `entry`.
pub(crate) fn put(text: &str, list: &str, name: &str, entry: &Value) -> Result<Change, Fault> {
    let Some(root) = parse(text)? else {
        return Ok(Change { text: fresh(text, list, name, entry), kind: Kind::Added });
    };
    let root = object(text, &root, "the file")?;
    let servers = match only(text, root, list)? {
        Some(property) => object(text, &property.value, &format!("`{list}`"))?,
        None => {
            let value = Value::Object(Map::from_iter([(name.to_owned(), entry.clone())]));
            return checked(text, [insert(text, root, list, &value)], list, name, Some(entry), Kind::Added);
        }
    };
    match only(text, servers, name)? {
        None => checked(text, [insert(text, servers, name, entry)], list, name, Some(entry), Kind::Added),
        Some(property) if Value::from(property.value.clone()) == *entry => {
            Ok(Change { text: text.to_owned(), kind: Kind::Unchanged })
        }
        Some(property) => {
            let value = property.value.range();
            let new = if is_one_line(text, servers) {
                entry.to_string()
            } else {
                Style::of(text).render(entry, indent(text, property.range.start))
            };
            let replaced = join(&[part(text, 0..value.start), &new, part(text, value.end..text.len())]);
            checked(text, [replaced], list, name, Some(entry), Kind::Replaced)
        }
    }
}

/// Takes `list.name` out, and `list` if nothing is left in it.
pub(crate) fn take_out(text: &str, list: &str, name: &str) -> Result<Change, Fault> {
    let unchanged = || Ok(Change { text: text.to_owned(), kind: Kind::Unchanged });
    let Some(root) = parse(text)? else { return unchanged() };
    let root = object(text, &root, "the file")?;
    let Some(outer) = only(text, root, list)? else { return unchanged() };
    let servers = object(text, &outer.value, &format!("`{list}`"))?;
    let Some(property) = only(text, servers, name)? else { return unchanged() };
    let whole = servers.properties.len() == 1 && nothing_around(text, servers, property);
    let (object, property) = if whole { (root, outer) } else { (servers, property) };
    // The first way leaves no empty line. Where it would put something behind a `//`, the second does not.
    let ways = [without(text, object, property, true), without(text, object, property, false)];
    checked(text, ways, list, name, None, Kind::Removed)
}

/// A file of its own; what there is can only be comments.
fn fresh(text: &str, list: &str, name: &str, entry: &Value) -> String {
    let style = Style::of(text);
    let servers = Map::from_iter([(name.to_owned(), entry.clone())]);
    let root = Value::Object(Map::from_iter([(list.to_owned(), Value::Object(servers))]));
    let above = text.trim_end();
    let gap = if above.is_empty() { "" } else { style.newline };
    join(&[above, gap, &style.render(&root, ""), style.newline])
}

/// The first of some outcomes that says what it should: what the text said, but with `list.name` being `entry`.
fn checked(
    text: &str,
    outcomes: impl IntoIterator<Item = String>,
    list: &str,
    name: &str,
    entry: Option<&Value>,
    kind: Kind,
) -> Result<Change, Fault> {
    let value = |text: &str| parse(text).ok().flatten().map_or(Value::Null, Value::from);
    let rest = |mut value: Value| {
        let servers = value.get_mut(list).and_then(Value::as_object_mut);
        let found = servers.and_then(|servers| servers.shift_remove(name));
        let is_empty = value.get(list).and_then(Value::as_object).is_some_and(Map::is_empty);
        if let Some(root) = value.as_object_mut().filter(|_| is_empty) {
            root.shift_remove(list);
        }
        (value, found)
    };
    let expected = (rest(value(text)).0, entry.cloned());
    let right = outcomes.into_iter().find(|outcome| rest(value(outcome)) == expected);
    right.map(|text| Change { text, kind }).ok_or_else(|| {
        Fault::at(
            text,
            0,
            format!("`{list}` is written in a way that can't be edited here; add or remove `{name}` by hand"),
        )
    })
}

fn object<'v, 'a>(text: &str, value: &'v Node<'a>, what: &str) -> Result<&'v Object<'a>, Fault> {
    let found = match value {
        Node::Object(object) => return Ok(object),
        Node::Array(_) => "a list",
        Node::StringLit(_) => "a text",
        Node::NumberLit(_) => "a number",
        Node::BooleanLit(_) => "a boolean",
        Node::NullKeyword(_) => "null",
    };
    Err(Fault::at(text, value.range().start, format!("{what} must be an object, and is {found}")))
}

/// The property of a name. Two of one name are an error: which of them counts depends on the client.
fn only<'v, 'a>(text: &str, object: &'v Object<'a>, name: &str) -> Result<Option<&'v ObjectProp<'a>>, Fault> {
    let mut found = object.properties.iter().filter(|property| property.name.as_str() == name);
    let first = found.next();
    match found.next() {
        Some(second) => Err(Fault::at(text, second.range.start, format!("`{name}` stands here a second time"))),
        None => Ok(first),
    }
}

/// The text with a property more in an object, behind all others.
fn insert(text: &str, object: &Object<'_>, name: &str, value: &Value) -> String {
    let style = Style::of(text);
    let outer = indent(text, object.range.start);
    let Some(last) = object.properties.last() else {
        let inner = join(&[outer, &style.unit]);
        let property = style.property(name, value, &inner);
        let head = part(text, 0..object.range.end.saturating_sub(1)).trim_end();
        let tail = part(text, object.range.end.saturating_sub(1)..text.len());
        return join(&[head, style.newline, &inner, &property, style.newline, outer, tail]);
    };
    let (separator, property) = if is_one_line(text, object) {
        (" ".to_owned(), join(&[&Value::from(name).to_string(), ": ", &value.to_string()]))
    } else {
        let own = indent(text, last.range.start);
        let starts_line = part(text, 0..last.range.start).ends_with(&join(&["\n", own]));
        let inner = if starts_line { own.to_owned() } else { join(&[outer, &style.unit]) };
        (join(&[style.newline, &inner]), style.property(name, value, &inner))
    };
    let end = last.range.end;
    let comma = comma_after(text, end);
    let from = comma.map_or(end, |comma| comma + 1);
    let to = behind_comments(text, from);
    let (before, after) = if comma.is_some() { ("", ",") } else { (",", "") };
    let (head, tail) = (part(text, 0..from), part(text, to..text.len()));
    join(&[head, before, part(text, from..to), &separator, &property, after, tail])
}

/// The text without a property of an object; if `close`, without the space before it too.
fn without(text: &str, object: &Object<'_>, property: &ObjectProp<'_>, close: bool) -> String {
    let Range { start, end } = property.range.start..property.range.end;
    let (inner, closing) = (object.range.start + 1, object.range.end.saturating_sub(1));
    if object.properties.len() == 1 && nothing_around(text, object, property) {
        return join(&[part(text, 0..inner), part(text, closing..text.len())]);
    }
    let from = if close { part(text, 0..start).trim_end().len() } else { start };
    let own_comma = comma_after(text, end);
    let at = object.properties.iter().position(|other| other.range.start == start);
    let before = at.and_then(|at| at.checked_sub(1)).and_then(|at| object.properties.get(at));
    let comma_before = before.and_then(|before| comma_after(text, before.range.end)).filter(|_| own_comma.is_none());
    let cut = |range: Range<usize>, comma: Option<usize>| match comma {
        Some(comma) => join(&[part(text, range.start..comma), part(text, comma + 1..range.end)]),
        None => part(text, range).to_owned(),
    };
    join(&[&cut(0..from, comma_before), &cut(end..text.len(), own_comma)])
}

/// Whether an object holds nothing but a property: no comment either.
fn nothing_around(text: &str, object: &Object<'_>, property: &ObjectProp<'_>) -> bool {
    let before = part(text, object.range.start + 1..property.range.start);
    let after = part(text, property.range.end..object.range.end.saturating_sub(1));
    before.trim().is_empty() && matches!(after.trim(), "" | ",")
}

fn is_one_line(text: &str, object: &Object<'_>) -> bool {
    !object.properties.is_empty() && !part(text, object.range.start..object.range.end).contains('\n')
}

/// Where the comma after a value is, if there is one before the next property or bracket.
fn comma_after(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = part(text, at..text.len());
        let space = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        at += space;
        match comment(rest) {
            Some(length) => at += length,
            None => return rest.starts_with(',').then_some(at),
        }
    }
}

/// The end of the comments that follow on the same line.
fn behind_comments(text: &str, from: usize) -> usize {
    let mut end = from;
    loop {
        let rest = part(text, end..text.len());
        let trimmed = rest.trim_start_matches([' ', '\t']);
        match comment(trimmed) {
            Some(length) if !part(trimmed, 0..length).contains('\n') => end += rest.len() - trimmed.len() + length,
            _ => return end,
        }
    }
}

/// The length of the comment that a text begins with, the end of its line not included.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        let line = text.split('\n').next().unwrap_or(text);
        Some(line.strip_suffix('\r').unwrap_or(line).len())
    } else if text.starts_with("/*") {
        Some(text.find("*/").map_or(text.len(), |end| end + 2))
    } else {
        None
    }
}

/// The white space at the beginning of the line that a byte is in.
fn indent(text: &str, byte: usize) -> &str {
    let start = part(text, 0..byte).rfind('\n').map_or(0, |at| at + 1);
    let line = part(text, start..byte);
    part(line, 0..line.len() - line.trim_start_matches([' ', '\t']).len())
}

fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

fn join(parts: &[&str]) -> String {
    parts.concat()
}

/// How a text is laid out.
struct Style {
    newline: &'static str,
    unit: String,
}

impl Style {
    fn of(text: &str) -> Style {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        // The first property on a line of its own is one step in.
        let first = text.lines().find(|line| line.starts_with([' ', '\t']) && line.trim_start().starts_with('"'));
        let unit = first.map(|line| indent(line, line.len())).filter(|indent| indent.len() <= 8);
        Style { newline, unit: unit.unwrap_or("  ").to_owned() }
    }

    fn property(&self, name: &str, value: &Value, indent: &str) -> String {
        join(&[&Value::from(name).to_string(), ": ", &self.render(value, indent)])
    }

    /// A value over several lines, all but the first of them indented.
    fn render(&self, value: &Value, indent: &str) -> String {
        let mut bytes = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(self.unit.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        // Writing a value to memory does not fail, and if it did, the check of the outcome would see it.
        let _ = value.serialize(&mut serializer);
        // A text in JSON holds no line ends, so these are all between values.
        String::from_utf8_lossy(&bytes).replace('\n', &join(&[self.newline, indent]))
    }
}
