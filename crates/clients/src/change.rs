//! Changes to the text of a settings file.

use serde::Serialize;
use serde_json::Value;

use crate::client::Client;
use crate::{Error, json, toml};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Nothing: the text is as it should be.
    Unchanged,
    /// There was no entry of this name.
    Added,
    /// There was another entry of this name.
    Replaced,
    Removed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub text: String,
    pub kind: Kind,
}

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong. Says nothing of the values in the text.
    pub message: String,
}

impl Fault {
    pub(crate) fn at(text: &str, byte: usize, message: impl Into<String>) -> Fault {
        let before = text.get(..text.floor_char_boundary(byte)).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        Fault { line: before.matches('\n').count() + 1, column, message: message.into() }
    }
}

/// Makes `name` in a client's settings be `entry`, and keeps everything else.
pub fn put(client: Client, text: &str, name: &str, entry: &Value) -> Result<Change, Fault> {
    behind_mark(text, |text| match client {
        Client::Codex => toml::put(text, client.list(), name, entry),
        _ => json::put(text, client.list(), name, entry),
    })
}

/// Takes `name` out of a client's settings, and keeps everything else. A list of servers that has nothing else in it goes too.
pub fn take_out(client: Client, text: &str, name: &str) -> Result<Change, Fault> {
    behind_mark(text, |text| match client {
        Client::Codex => toml::take_out(text, client.list(), name),
        _ => json::take_out(text, client.list(), name),
    })
}

/// The settings of a client that has nothing but our entry.
pub fn snippet(client: Client, name: &str, entry: &Value) -> Result<String, Error> {
    check_name(name)?;
    let made = put(client, "", name, entry);
    made.map(|change| change.text).map_err(|_| Error::BadName(name.to_owned()))
}

/// Clients put the name of a server in front of those of its tools, so it has to be short and plain.
fn check_name(name: &str) -> Result<(), Error> {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if plain && (1..=30).contains(&name.len()) { Ok(()) } else { Err(Error::BadName(name.to_owned())) }
}

/// Changes a text that may begin with a byte order mark, which stays.
pub(crate) fn behind_mark(text: &str, change: impl FnOnce(&str) -> Result<Change, Fault>) -> Result<Change, Fault> {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => change(rest).map(|change| Change { text: format!("\u{feff}{}", change.text), ..change }),
        None => change(text),
    }
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;
