//! The same changes to TOML.

use serde_json::Value;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

use crate::change::{Change, Fault, Kind};

fn parse(text: &str) -> Result<DocumentMut, Fault> {
    // The error's own form quotes the line, which may hold a secret.
    text.parse().map_err(|error: toml_edit::TomlError| {
        let message = error.message().lines().next().unwrap_or("can't be read").to_owned();
        Fault::at(text, error.span().map_or(0, |span| span.start), message)
    })
}

/// Makes `list.name` be `entry`.
pub(crate) fn put(text: &str, list: &str, name: &str, entry: &Value) -> Result<Change, Fault> {
    let is_empty = text.trim().is_empty();
    let mut document = if is_empty { DocumentMut::new() } else { parse(text)? };
    let there = servers(text, &mut document, list)?;
    let there = there.and_then(|servers| servers.get(name));
    let kind = match there {
        Some(item) if as_json(item).as_ref() == Some(entry) => {
            return Ok(Change { text: text.to_owned(), kind: Kind::Unchanged });
        }
        Some(_) => Kind::Replaced,
        None => Kind::Added,
    };
    if document.get(list).is_none() {
        let mut table = Table::new();
        table.set_implicit(true);
        document.insert(list, Item::Table(table));
    }
    match document.get_mut(list) {
        Some(Item::Table(servers)) => put_table(servers, name, table(entry), is_empty),
        Some(Item::Value(toml_edit::Value::InlineTable(servers))) => {
            servers.insert(name, table(entry).into_inline_table().into());
        }
        _ => return Err(wrong(text, list)),
    }
    checked(text, &document, list, name, Some(entry), kind)
}

/// Puts a table into another, at the place and with the comments of the one that it replaces.
fn put_table(servers: &mut Table, name: &str, mut table: Table, is_empty: bool) {
    match servers.get(name).and_then(Item::as_table) {
        Some(old) => {
            *table.decor_mut() = old.decor().clone();
            table.set_position(old.position());
        }
        None => table.decor_mut().set_prefix(if is_empty { "" } else { "\n" }),
    }
    servers.insert(name, Item::Table(table));
}

/// Takes `list.name` out, and `list` if nothing is left in it.
pub(crate) fn take_out(text: &str, list: &str, name: &str) -> Result<Change, Fault> {
    let mut document = parse(text)?;
    let removed = match servers(text, &mut document, list)? {
        Some(servers) => servers.remove(name).is_some(),
        None => false,
    };
    if !removed {
        return Ok(Change { text: text.to_owned(), kind: Kind::Unchanged });
    }
    checked(text, &document, list, name, None, Kind::Removed)
}

fn servers<'d>(text: &str, document: &'d mut DocumentMut, list: &str) -> Result<Option<&'d mut dyn TableLike>, Fault> {
    match document.get_mut(list) {
        None => Ok(None),
        Some(item) => item.as_table_like_mut().map(Some).ok_or_else(|| wrong(text, list)),
    }
}

fn wrong(text: &str, list: &str) -> Fault {
    let span = toml_edit::Document::parse(text).ok().and_then(|document| document.get(list)?.span());
    Fault::at(text, span.map_or(0, |span| span.start), format!("`{list}` must be a table"))
}

/// The text of a document, if it says what it should.
fn checked(
    text: &str,
    document: &DocumentMut,
    list: &str,
    name: &str,
    entry: Option<&Value>,
    kind: Kind,
) -> Result<Change, Fault> {
    let rest = |text: &str| {
        let mut document = parse(text).ok()?;
        let servers = document.get_mut(list).and_then(Item::as_table_like_mut);
        let found = servers.and_then(|servers| servers.remove(name)).and_then(|item| as_json(&item));
        let is_empty = document.get(list).and_then(Item::as_table_like).is_some_and(TableLike::is_empty);
        if is_empty {
            document.remove(list);
        }
        Some((as_json(document.as_item()), found))
    };
    let outcome = with_line_ends_of(text, document.to_string());
    let expected = rest(text).map(|(rest, _)| (rest, entry.cloned()));
    if rest(&outcome) == expected {
        return Ok(Change { text: outcome, kind });
    }
    let message = format!("`{list}` is written in a way that can't be edited here; add or remove `{name}` by hand");
    Err(Fault::at(text, 0, message))
}

/// The parser makes every line end one byte; a file that has two throughout keeps them.
fn with_line_ends_of(text: &str, outcome: String) -> String {
    let ends = text.matches('\n').count();
    if ends > 0 && ends == text.matches("\r\n").count() {
        outcome.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        outcome
    }
}

fn table(entry: &Value) -> Table {
    let mut table = Table::new();
    for (key, value) in entry.as_object().into_iter().flatten() {
        table.insert(key, Item::Value(value_of(value)));
    }
    table
}

fn value_of(value: &Value) -> toml_edit::Value {
    match value {
        Value::String(text) => text.as_str().into(),
        Value::Bool(flag) => (*flag).into(),
        Value::Array(values) => values.iter().map(value_of).collect::<Array>().into(),
        Value::Object(object) => {
            object.iter().map(|(key, value)| (key.as_str(), value_of(value))).collect::<InlineTable>().into()
        }
        // No entry has any of these.
        Value::Null | Value::Number(_) => value.to_string().into(),
    }
}

/// An item as JSON, to be compared. Times are texts, and numbers are what they are written as.
fn as_json(item: &Item) -> Option<Value> {
    match item {
        Item::None => None,
        Item::Value(value) => Some(value_as_json(value)),
        Item::Table(table) => Some(object_of(table)),
        Item::ArrayOfTables(tables) => Some(tables.iter().map(|table| object_of(table)).collect()),
    }
}

fn object_of(table: &dyn TableLike) -> Value {
    let pairs = table.iter().filter_map(|(key, item)| Some((key.to_owned(), as_json(item)?)));
    Value::Object(pairs.collect())
}

fn value_as_json(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Boolean(flag) => (*flag.value()).into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Float(number) => number.value().to_bits().into(),
        toml_edit::Value::Datetime(time) => time.value().to_string().into(),
        toml_edit::Value::Array(values) => values.iter().map(value_as_json).collect(),
        toml_edit::Value::InlineTable(table) => object_of(table),
    }
}
