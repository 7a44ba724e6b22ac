//! A session as lines of JSON, and back.
//!
//! The first line says what it is. Each line after it is an event, in order: a version of an object as its whole document, or a
//! change of the session or its chat. The last two are the documents of the session and its chat as they are now, for
//! readers that don't care how they came about.

use std::collections::HashSet;
use std::io::{self, BufRead, Write};

use ai_assist_identity::{ContentHash, Sha256, jcs};
use ai_assist_store::Seq;
use ai_assist_store::objects::{
    AsOf, Content, Expect, Moment, NewState, ObjectBatch, ObjectId, ObjectWrite, Objects, Op, Validity, VersionHead,
    VersionKind,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::{Error, Result};
use crate::object::{FilesystemSource, ObjectKind, document};
use crate::session::{About, Session, SessionName};

/// What the first line says.
pub const FORMAT: &str = "ai-assist-session";
/// The version of the form of the lines.
pub const VERSION: u32 = 1;
/// No line that is read may be longer.
const LONGEST: u64 = 64 * 1024 * 1024;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
    session: String,
}

/// A line of an event.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    seq: u64,
    event: String,
    system_time: String,
    valid_from: String,
    valid_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doc: Option<Map<String, Value>>,
    /// What is kept beside the document.
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
    ///
    /// # Errors
    ///
    /// If the store fails, or `out` does.
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
    fn changes(&self) -> Result<std::collections::HashMap<Seq, (Value, Option<String>)>> {
        let mut changes = std::collections::HashMap::new();
        for id in [self.id(), self.chat_id()] {
            let deltas = self.objects().deltas(id, AsOf::default())?;
            let hashes: Vec<ContentHash> = deltas.iter().filter_map(|delta| delta.content_hash).collect();
            let mut texts = self.objects().texts(&hashes)?.into_iter();
            for delta in deltas {
                let damaged = |error: serde_json::Error| Error::Damaged {
                    id: format!("change {}", delta.seq),
                    why: error.to_string(),
                };
                let body = serde_json::from_str(&delta.body).map_err(damaged)?;
                let text = delta.content_hash.and_then(|_| texts.next()).flatten();
                changes.insert(delta.seq, (body, text));
            }
        }
        Ok(changes)
    }

    fn line(
        &self,
        head: &VersionHead,
        changes: &std::collections::HashMap<Seq, (Value, Option<String>)>,
    ) -> Result<Value> {
        let mut line = Line {
            seq: head.seq.0,
            event: String::new(),
            system_time: head.system.to_string(),
            valid_from: head.valid_from.to_string(),
            valid_to: (head.valid_to != Moment::FOREVER).then(|| head.valid_to.to_string()),
            doc: None,
            extra: None,
            id: None,
            change: None,
            content: None,
        };
        let damaged = |why: &str| Error::Damaged { id: head.id.to_string(), why: why.to_owned() };
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

/// Reads an export back, in one write. The name of the session.
///
/// # Errors
///
/// If a line is not what an export has, if it names objects that are not the session's, or if there is a session of that name
/// already. Then nothing is written.
pub fn restore(objects: &mut dyn Objects, input: &mut dyn BufRead) -> Result<String> {
    let mut lines = Lines { input, number: 0 };
    let first = lines.next()?.unwrap_or_default();
    let bad = |line: usize, why: String| Error::BadLine { line, why };
    let header: Header = serde_json::from_str(&first).map_err(|_| bad(1, "it is no export of a session".to_owned()))?;
    if header.format != FORMAT || header.version != VERSION {
        return Err(bad(
            1,
            format!("the form is `{}` {}, known is `{FORMAT}` {VERSION}", header.format, header.version),
        ));
    }
    let name: SessionName = header.session.parse()?;
    let mut restore = Restore { objects, name: &name, raw: false, known: HashSet::new(), writes: Vec::new() };
    while let Some(text) = lines.next()? {
        if text.contains("\"event\":\"now\"") && serde_json::from_str::<Line>(&text).is_err() {
            continue;
        }
        let line: Line = serde_json::from_str(&text).map_err(|error| bad(lines.number, error.to_string()))?;
        restore.take(line).map_err(|error| match error {
            Error::Store(_) => error,
            error => bad(lines.number, error.to_string()),
        })?;
    }
    let writes = restore.writes;
    match objects.write(ObjectBatch { writes, ..ObjectBatch::default() }) {
        Err(ai_assist_store::Error::VersionConflict { .. }) => Err(Error::SessionExists(name.to_string())),
        other => other.map(|_| name.to_string()).map_err(Error::from),
    }
}

/// Lines of bounded length.
struct Lines<'i> {
    input: &'i mut dyn BufRead,
    number: usize,
}

impl Lines<'_> {
    fn next(&mut self) -> Result<Option<String>> {
        self.number += 1;
        let mut bytes = Vec::new();
        let failed = |source| Error::Io { path: "the import".into(), source };
        let read = io::Read::take(&mut *self.input, LONGEST).read_until(b'\n', &mut bytes).map_err(failed)?;
        if read as u64 == LONGEST {
            return Err(Error::BadLine { line: self.number, why: format!("it is longer than {LONGEST} bytes") });
        }
        let not_text = |_| Error::BadLine { line: self.number, why: "it is not UTF-8".to_owned() };
        let text = String::from_utf8(bytes).map_err(not_text)?;
        Ok((read > 0).then_some(text))
    }
}

/// An export on its way back.
struct Restore<'r> {
    objects: &'r dyn Objects,
    name: &'r SessionName,
    raw: bool,
    /// Objects of which something was taken already.
    known: HashSet<ObjectId>,
    writes: Vec<ObjectWrite>,
}

impl Restore<'_> {
    fn take(&mut self, line: Line) -> Result<()> {
        let from: Moment = line.valid_from.parse()?;
        let to: Option<Moment> = line.valid_to.as_deref().map(str::parse).transpose()?;
        let damaged = |why: &str| Error::Damaged { id: "the line".to_owned(), why: why.to_owned() };
        let write = match (line.event.as_str(), line.doc) {
            ("put", Some(doc)) => self.put(&doc, line.extra)?,
            ("change", None) => {
                let id: ObjectId = line.id.as_deref().unwrap_or_default().parse()?;
                let kind = self.kind_of(&id)?;
                let body = jcs::to_string(&line.change.ok_or_else(|| damaged("a change without its words"))?)?;
                let content = line.content.map(|text| self.content(text)).transpose()?;
                self.write(id, kind, None, Op::Delta { body, content })
            }
            ("delete", None) => {
                let id: ObjectId = line.id.as_deref().unwrap_or_default().parse()?;
                let kind = self.kind_of(&id)?;
                self.write(id, kind, None, Op::Delete)
            }
            (event, _) => return Err(damaged(&format!("the event `{}`", event.chars().take(20).collect::<String>()))),
        };
        if write.kind == ObjectKind::File.as_str() {
            return self.file(write, from, to);
        }
        self.writes.push(ObjectWrite { valid: Validity { from: Some(from), to }, ..write });
        Ok(())
    }

    /// A version of a file, which other sessions may know as well: what they know stays.
    fn file(&mut self, write: ObjectWrite, from: Moment, to: Option<Moment>) -> Result<()> {
        let history = self.objects.history(&write.id)?;
        let Op::Put(state) = &write.op else { return Ok(()) };
        let same = |head: &VersionHead| head.valid_from == from && head.file_hash == state.file_hash;
        if history.iter().any(same) {
            return Ok(());
        }
        let later = history.iter().map(|head| head.valid_from).filter(|at| *at > from).min();
        let to = [to, later].into_iter().flatten().min();
        self.writes.push(ObjectWrite { valid: Validity { from: Some(from), to }, expect: Expect::Any, ..write });
        Ok(())
    }

    fn put(&mut self, doc: &Map<String, Value>, extra: Option<Value>) -> Result<ObjectWrite> {
        let text = |key: &str| doc.get(key).and_then(Value::as_str).unwrap_or_default();
        let id: ObjectId = text("xt/id").parse()?;
        let damaged = |why: &str| Error::Damaged { id: id.to_string(), why: why.to_owned() };
        let kind = ObjectKind::of(text("type")).ok_or_else(|| damaged("it has no type"))?;
        let source = match kind {
            ObjectKind::File => {
                let source: FilesystemSource = serde_json::from_value(doc.get("source").cloned().unwrap_or_default())
                    .map_err(|error| damaged(&error.to_string()))?;
                if source.object_id()? != id {
                    return Err(damaged("its id is not that of its source"));
                }
                Some(source.to_json()?)
            }
            kind if self.kind_of(&id)? == kind => None,
            _ => return Err(damaged("its id is of another kind")),
        };
        if kind == ObjectKind::Session {
            let about: About = serde_json::from_value(extra.clone().unwrap_or_default())
                .map_err(|error| damaged(&error.to_string()))?;
            self.raw = about.raw;
        }
        let mut fields = doc.clone();
        for key in [
            "xt/id",
            "type",
            "source",
            "identity_hash",
            "file_hash",
            "content_hash",
            "metadata_hash",
            "object_hash",
            "content",
        ] {
            fields.remove(key);
        }
        let file_hash: Option<Sha256> = match doc.get("file_hash").and_then(Value::as_str) {
            Some(hash) => Some(hash.parse().map_err(|_| damaged("its file_hash is none"))?),
            None => None,
        };
        let content =
            doc.get("content").and_then(Value::as_str).map(|text| self.content(text.to_owned())).transpose()?;
        let extra = extra.map(|extra| jcs::to_string(&extra)).transpose()?;
        let state = NewState { fields: jcs::to_string(&fields)?, extra, file_hash, content };
        Ok(ObjectWrite { source, ..self.write(id, kind, None, Op::Put(state)) })
    }

    /// What an export brings is looked at like anything else that comes in.
    fn content(&self, text: String) -> Result<Content> {
        Ok(Content::new(crate::redact::Keep { raw: self.raw }.text(text))?)
    }

    fn write(&mut self, id: ObjectId, kind: ObjectKind, source: Option<String>, op: Op) -> ObjectWrite {
        let expect = if self.known.insert(id.clone()) { Expect::Absent } else { Expect::Any };
        ObjectWrite { id, kind: kind.as_str(), source, valid: Validity::default(), expect, op }
    }

    /// The kind of an object that belongs to the session, by its id.
    fn kind_of(&self, id: &ObjectId) -> Result<ObjectKind> {
        for kind in [ObjectKind::Session, ObjectKind::Chat, ObjectKind::SystemPrompt] {
            if self.name.object(kind)? == *id {
                return Ok(kind);
            }
        }
        let calls = format!("{}:{}:", ObjectKind::Toolcall.as_str(), self.name);
        if id.as_str().starts_with(&calls) {
            return Ok(ObjectKind::Toolcall);
        }
        Err(Error::UnknownObject { session: self.name.to_string(), name: id.to_string() })
    }
}
