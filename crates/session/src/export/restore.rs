//! An export on its way back. It may come from anybody: whatever could not have been exported is refused, and what it says of
//! files that are known here changes nothing about what holds now.

use std::collections::{HashMap, HashSet};
use std::io::BufRead;

use ai_assist_identity::jcs;
use ai_assist_store::objects::{
    Content, Expect, Moment, NewState, ObjectBatch, ObjectId, ObjectWrite, Objects, Op, Validity, VersionHead,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::check::{self, Doc, Fault, exactly};
use super::lines::{Limits, Lines};
use super::{FORMAT, Header, Line, VERSION};
use crate::chat::ChatChange;
use crate::object::{ChatFields, ObjectKind, SessionFields, SystemPromptFields, ToolcallFields};
use crate::redact::Keep;
use crate::sets::SetChange;
use crate::{Error, Result, SessionName};

/// The length of what tells a call from others.
const KEY: usize = 16;

/// What is known of the events of an export is over: these lines say how it is now, twice.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Now {
    event: String,
    #[serde(rename = "doc")]
    _doc: IgnoredAny,
}

/// Reads an export back, in one write. The name of the session. Secrets are taken out, unless `raw` is set; then it must be a
/// session that keeps everything as it is. `here` is the filesystem of this machine: the files of a session from another one are
/// not those that lie at the same paths here. If anything is wrong, nothing is written.
pub fn restore(objects: &mut dyn Objects, input: &mut dyn BufRead, raw: bool, here: &str) -> Result<String> {
    let mut lines = Lines::new(input, Limits::default());
    let name = header(&mut lines)?;
    let mut restore = Restore::new(objects, &name, raw, here)?;
    let mut ends = 0;
    while let Some(text) = lines.next()? {
        if serde_json::from_str::<Now>(&text).is_ok_and(|now| now.event == "now") {
            ends += 1;
            continue;
        }
        if ends > 0 {
            return Err(lines.bad("an event after the end"));
        }
        let line = serde_json::from_str::<Line>(&text)
            .map_err(|error| lines.bad(format!("it is no event (column {})", error.column())))?;
        restore.take(line).map_err(|fault| match fault {
            Fault::Bad(why) => lines.bad(why),
            Fault::Other(error @ (Error::Store(_) | Error::Io { .. })) => error,
            Fault::Other(_) => lines.bad("it is no event"),
        })?;
    }
    if ends != 2 || !restore.is_whole() {
        return Err(lines.bad("the export is not whole"));
    }
    let writes = restore.writes;
    let is_file = |id: &ObjectId| id.as_str().starts_with("sha256:");
    match objects.write(ObjectBatch { writes, ..ObjectBatch::default() }) {
        // Somebody has written about a file since it was looked at.
        Err(ai_assist_store::Error::VersionConflict { id, .. }) if is_file(&id) => {
            Err(Error::Contended(name.to_string()))
        }
        Err(ai_assist_store::Error::VersionConflict { .. }) => Err(Error::SessionExists(name.to_string())),
        other => other.map(|_| name.to_string()).map_err(Error::from),
    }
}

fn header(lines: &mut Lines<'_>) -> Result<SessionName> {
    let first = lines.next()?.unwrap_or_default();
    let header: Header = serde_json::from_str(&first).map_err(|_| lines.bad("it is no export of a session"))?;
    if header.format != FORMAT || header.version != VERSION {
        return Err(lines.bad(format!("it is in another form than `{FORMAT}` {VERSION}")));
    }
    header.session.parse().map_err(|_| lines.bad("its name can't be that of a session"))
}

/// What is read of an export so far.
pub(super) struct Restore<'r> {
    pub(super) objects: &'r dyn Objects,
    name: &'r SessionName,
    session: ObjectId,
    chat: ObjectId,
    prompt: ObjectId,
    pub(super) raw: bool,
    here: &'r str,
    pub(super) now: Moment,
    /// Everything of which a version was taken.
    put: HashSet<ObjectId>,
    /// Those of them that can be in sets.
    pub(super) members: HashSet<String>,
    /// What the store knows of files already.
    pub(super) histories: HashMap<ObjectId, Vec<VersionHead>>,
    pub(super) written: HashSet<ObjectId>,
    pub(super) writes: Vec<ObjectWrite>,
}

#[derive(Clone, Copy)]
pub(super) struct When {
    pub(super) from: Moment,
    pub(super) to: Option<Moment>,
}

impl<'r> Restore<'r> {
    fn new(objects: &'r dyn Objects, name: &'r SessionName, raw: bool, here: &'r str) -> Result<Self> {
        Ok(Restore {
            name,
            session: name.object(ObjectKind::Session)?,
            chat: name.object(ObjectKind::Chat)?,
            prompt: name.object(ObjectKind::SystemPrompt)?,
            raw,
            here,
            now: Moment::now().max(objects.last()?.1),
            objects,
            put: HashSet::new(),
            members: HashSet::new(),
            histories: HashMap::new(),
            written: HashSet::new(),
            writes: Vec::new(),
        })
    }

    fn is_whole(&self) -> bool {
        [&self.session, &self.chat, &self.prompt].into_iter().all(|id| self.put.contains(id))
    }

    fn take(&mut self, line: Line) -> Result<(), Fault> {
        let when = self.when(&line)?;
        match line {
            Line { event, doc: Some(doc), extra, id: None, change: None, content: None, .. } if event == "put" => {
                let doc = check::document(doc)?;
                if doc.kind == ObjectKind::File {
                    return self.file(doc, extra.as_ref(), when);
                }
                let (id, kind) = (doc.id.clone(), doc.kind);
                let state = self.state(doc, extra.as_ref())?;
                self.push(id, kind, when, Op::Put(state))
            }
            Line { event, doc: None, extra: None, id: Some(id), change: Some(change), content, .. }
                if event == "change" =>
            {
                self.change(&id, &change, content, when)
            }
            _ => Err(Fault::Bad("it is no event that a session has")),
        }
    }

    /// What has not happened yet is taken as happening now.
    fn when(&self, line: &Line) -> Result<When, Fault> {
        let moment = |text: &str| text.parse::<Moment>().map_err(|_| Fault::Bad("a time of it is none"));
        let from = moment(&line.valid_from)?;
        let to = line.valid_to.as_deref().map(moment).transpose()?;
        if from == Moment::FOREVER || to.is_some_and(|to| to <= from) {
            return Err(Fault::Bad("it ends before it begins"));
        }
        Ok(When { from: from.min(self.now), to })
    }

    /// A version of what belongs to the session alone.
    fn state(&mut self, doc: Doc, extra: Option<&Value>) -> Result<NewState, Fault> {
        if doc.source.is_some() || doc.file_hash.is_some() {
            return Err(Fault::Bad("it has a source and is no file"));
        }
        let first = self.put.insert(doc.id.clone());
        if !first && doc.kind != ObjectKind::SystemPrompt {
            return Err(Fault::Bad("there is one already"));
        }
        if doc.kind == ObjectKind::Session {
            return self.of_session(&doc, extra);
        }
        if extra.is_some() {
            return Err(Fault::Bad("it has something beside its document"));
        }
        let fields = match doc.kind {
            ObjectKind::Toolcall => self.of_toolcall(&doc)?,
            ObjectKind::Chat => self.of_chat(&doc)?,
            _ if doc.id == self.prompt => {
                jcs::to_string(&exactly::<SystemPromptFields>(&doc.fields, "a system prompt has no fields")?)?
            }
            _ => return Err(Fault::Bad("it is not of this session")),
        };
        let content = doc.content.ok_or(Fault::Bad("it has no content"))?;
        Ok(NewState { fields, extra: None, file_hash: None, content: Some(self.content(content)) })
    }

    fn of_session(&self, doc: &Doc, extra: Option<&Value>) -> Result<NewState, Fault> {
        let about = check::about(extra, self.raw, self.here)?;
        let fresh = SessionFields {
            session_id: self.name.to_string(),
            chat_ref: self.chat.to_string(),
            system_prompt_ref: self.prompt.to_string(),
            ..SessionFields::default()
        };
        let fields: SessionFields = exactly(&doc.fields, "its fields are not those of a session")?;
        if doc.id != self.session || fields != fresh || doc.content.is_some() {
            return Err(Fault::Bad("it is not how this session begins"));
        }
        let extra = serde_json::to_string(&about).map_err(|_| Fault::Bad("it has no stable form"))?;
        Ok(NewState { fields: jcs::to_string(&fields)?, extra: Some(extra), file_hash: None, content: None })
    }

    fn of_chat(&self, doc: &Doc) -> Result<String, Fault> {
        let fresh = ChatFields { session_ref: self.session.to_string(), ..ChatFields::default() };
        let fields: ChatFields = exactly(&doc.fields, "its fields are not those of a chat")?;
        if doc.id != self.chat || fields != fresh || doc.content.as_deref() != Some("") {
            return Err(Fault::Bad("it is not how this chat begins"));
        }
        Ok(jcs::to_string(&fields)?)
    }

    fn of_toolcall(&mut self, doc: &Doc) -> Result<String, Fault> {
        let own = self.name.toolcall("")?;
        let key = doc.id.as_str().strip_prefix(own.as_str()).unwrap_or_default();
        if key.len() != KEY || !key.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(Fault::Bad("it is no call of this session"));
        }
        let call: ToolcallFields = exactly(&doc.fields, "its fields are not those of a call")?;
        let files = call.file_refs.iter().flatten();
        if call.chat_ref != self.chat.as_str() || !self.are_known(files) {
            return Err(Fault::Bad("it refers to what the export does not have"));
        }
        self.members.insert(doc.id.to_string());
        let keep = self.keep();
        Ok(jcs::to_string(&ToolcallFields {
            tool: keep.text(call.tool),
            args: keep.arguments(call.args),
            args_display: keep.optional(call.args_display),
            ..call
        })?)
    }

    fn are_known<'a>(&self, mut ids: impl Iterator<Item = &'a String>) -> bool {
        ids.all(|id| self.members.contains(id))
    }

    fn change(&mut self, id: &str, change: &Value, content: Option<String>, when: When) -> Result<(), Fault> {
        let (id, kind, body) = if id == self.session.as_str() {
            (self.session.clone(), ObjectKind::Session, self.of_sets(change, content.is_some())?)
        } else if id == self.chat.as_str() {
            (self.chat.clone(), ObjectKind::Chat, self.of_talk(change, content.is_some())?)
        } else {
            return Err(Fault::Bad("it is a change of something else than this session and its chat"));
        };
        if !self.put.contains(&id) {
            return Err(Fault::Bad("it is a change of what is not there yet"));
        }
        let content = content.map(|text| self.content(text));
        self.push(id, kind, when, Op::Delta { body, content })
    }

    fn of_sets(&self, change: &Value, has_content: bool) -> Result<String, Fault> {
        let change: SetChange = exactly(change, "it is no change of a set")?;
        if has_content || !self.are_known(change.ids.iter()) {
            return Err(Fault::Bad("it refers to what the export does not have"));
        }
        Ok(jcs::to_string(&change)?)
    }

    fn of_talk(&self, change: &Value, has_content: bool) -> Result<String, Fault> {
        let change = match exactly(change, "it is no change of a chat")? {
            ChatChange::Turn { turn, key } if has_content => ChatChange::Turn { turn, key: self.keep().optional(key) },
            ChatChange::Toolcall { toolcall } if !has_content => {
                let own = self.name.toolcall("")?;
                if !toolcall.starts_with(own.as_str()) || !self.members.contains(&toolcall) {
                    return Err(Fault::Bad("it refers to what the export does not have"));
                }
                ChatChange::Toolcall { toolcall }
            }
            _ => return Err(Fault::Bad("a turn has its text, a call has none")),
        };
        Ok(jcs::to_string(&change)?)
    }

    /// Plans a write about what belongs to the session alone.
    fn push(&mut self, id: ObjectId, kind: ObjectKind, when: When, op: Op) -> Result<(), Fault> {
        if when.to.is_some() {
            return Err(Fault::Bad("it has an end, which only a version of a file has"));
        }
        let expect = if self.written.insert(id.clone()) { Expect::Absent } else { Expect::Any };
        let valid = Validity { from: Some(when.from), to: None };
        self.writes.push(ObjectWrite { valid, expect, ..ObjectWrite::new(id, kind.as_str(), op) });
        Ok(())
    }

    pub(super) fn keep(&self) -> Keep {
        Keep { raw: self.raw }
    }

    fn content(&self, text: String) -> Content {
        Content::new(self.keep().text(text))
    }
}
