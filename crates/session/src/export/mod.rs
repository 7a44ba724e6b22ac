//! A session as lines of JSON, and back.
//!
//! The first line says what it is. Each line after it is an event, in order: a version of an object as its whole document, or a
//! change of the session or its chat. The last two are the documents of the session and its chat as they are now, for
//! readers that don't care how they came about.

mod check;
mod files;
mod lines;
mod restore;

use std::collections::HashMap;
use std::io::{self, Write};

use ai_assist_identity::ContentHash;
use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, Moment, VersionHead, VersionKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::object::document;
use crate::{Error, Result, Session};

pub use restore::restore;

/// What the first line says.
pub const FORMAT: &str = "ai-assist-session";
/// The version of the form of the lines.
pub const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
    session: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    seq: u64,
    event: String,
    system_time: String,
    valid_from: String,
    valid_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doc: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra: Option<Value>,
    #[serde(rename = "xt/id", skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

impl Session {
    /// Writes the session with everything it knows of. How many events there were.
    pub fn export(&self, out: &mut dyn Write) -> Result<usize> {
        let written = |source: io::Error| Error::Io { path: "the export".into(), source };
        let mut line = |value: &Value| writeln!(out, "{value}").map_err(written);
        line(&json!({ "format": FORMAT, "version": VERSION, "session": self.name() }))?;
        let own = [self.id(), self.chat_id(), self.system_prompt_id()];
        let ids = own.into_iter().chain(self.sets().index().map(|member| &member.id));
        let mut events: Vec<VersionHead> = Vec::new();
        for id in ids {
            events.extend(self.objects().history(id)?);
        }
        events.sort_by_key(|head| head.seq);
        let changes = self.changes()?;
        for head in &events {
            line(&self.line(head, &changes)?)?;
        }
        for id in [self.id(), self.chat_id()] {
            if let Some(document) = self.document(id, AsOf::default())? {
                line(&json!({ "event": "now", "doc": document }))?;
            }
        }
        Ok(events.len())
    }

    /// The changes of the session and its chat, with their texts.
    fn changes(&self) -> Result<HashMap<Seq, (Value, Option<String>)>> {
        let mut changes = HashMap::new();
        for id in [self.id(), self.chat_id()] {
            let deltas = self.objects().deltas(id, AsOf::default())?;
            let hashes: Vec<ContentHash> = deltas.iter().filter_map(|delta| delta.content_hash).collect();
            let mut texts = self.objects().texts(&hashes)?.into_iter();
            for delta in deltas {
                let damaged = |error| Error::damaged(format!("change {}", delta.seq), error);
                let body = serde_json::from_str(&delta.body).map_err(damaged)?;
                let text = delta.content_hash.and_then(|_| texts.next()).flatten();
                changes.insert(delta.seq, (body, text));
            }
        }
        Ok(changes)
    }

    fn line(&self, head: &VersionHead, changes: &HashMap<Seq, (Value, Option<String>)>) -> Result<Value> {
        let mut line = Line {
            seq: head.seq.0,
            system_time: head.system.to_string(),
            valid_from: head.valid_from.to_string(),
            valid_to: (head.valid_to != Moment::FOREVER).then(|| head.valid_to.to_string()),
            ..Line::default()
        };
        let damaged = |why: &str| Error::damaged(&head.id, why);
        match head.event {
            VersionKind::Put => {
                let version = self.objects().version(head.seq)?.ok_or_else(|| damaged("a version is gone"))?;
                line.event = "put".to_owned();
                line.extra = version.state.extra.as_deref().and_then(|extra| serde_json::from_str(extra).ok());
                line.doc = Some(document(&version)?);
            }
            VersionKind::Delete => {
                line.event = "delete".to_owned();
                line.id = Some(head.id.to_string());
            }
            VersionKind::Delta => {
                let (change, content) = changes.get(&head.seq).cloned().ok_or_else(|| damaged("a change is gone"))?;
                line.event = "change".to_owned();
                line.id = Some(head.id.to_string());
                (line.change, line.content) = (Some(change), content);
            }
        }
        serde_json::to_value(&line).map_err(|error| damaged(&error.to_string()))
    }
}

/// Whether a file begins like an export.
pub fn is_export(first_line: &str) -> bool {
    serde_json::from_str::<Header>(first_line).is_ok_and(|header| header.format == FORMAT)
}
