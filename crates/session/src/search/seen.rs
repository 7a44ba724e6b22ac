//! What a session has seen, version by version.

use std::collections::HashMap;

use ai_assist_identity::ContentHash;
use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, Moment, ObjectId, VersionHead, VersionKind};
use ai_assist_text::Language;

use crate::error::Result;
use crate::object::{FilesystemSource, ObjectKind, ToolcallFields, fields};
use crate::session::Session;
use crate::sets::{SetChange, Step};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub seq: Seq,
    pub id: ObjectId,
    pub kind: ObjectKind,
    /// What a search calls it, and `path:` filters go by.
    pub path: String,
    pub label: String,
    pub at: Moment,
    /// Whether it is what there is now.
    pub current: bool,
    pub text: ContentHash,
}

impl Seen {
    pub fn language(&self, text: &str) -> Language {
        match self.kind {
            ObjectKind::File => Language::detect(&self.path, text),
            ObjectKind::Chat => Language::MARKDOWN,
            _ => Language::TEXT,
        }
    }
}

impl Session {
    /// The text of something that was seen; none if it was lost to damage.
    pub fn text(&self, hash: ContentHash) -> Result<Option<String>> {
        Ok(self.objects().texts(&[hash])?.pop().flatten())
    }

    /// Every version with a text that the session has seen: of its objects, the one that there was when it met them and all that
    /// came after; and what was said.
    pub fn seen(&self) -> Result<Vec<Seen>> {
        let mut seen = Vec::new();
        let met = self.met()?;
        let ids: Vec<ObjectId> = self.sets().index().map(|member| member.id.clone()).collect();
        // One after the other, as they were asked for; of an object that is not there is none.
        let mut histories = self.objects().histories(&ids)?.into_iter().peekable();
        for (id, version) in ids.iter().zip(self.objects().get_many(&ids, AsOf::default(), false)?) {
            let history: Vec<VersionHead> = std::iter::from_fn(|| histories.next_if(|head| head.id == *id)).collect();
            let Some(version) = version else { continue };
            let (kind, path, label) = match ObjectKind::of(&version.head.kind) {
                Some(ObjectKind::File) => {
                    let source = FilesystemSource::from_json(id, version.source.as_deref())?;
                    if !self.may_show(&source) {
                        continue;
                    }
                    let path = self.shown(&source);
                    (ObjectKind::File, path.trim_start_matches('/').to_owned(), path)
                }
                Some(ObjectKind::Toolcall) => {
                    let call: ToolcallFields = fields(&version)?;
                    let label = match &call.args_display {
                        Some(display) => format!("{}: {display}", call.tool),
                        None => call.tool.clone(),
                    };
                    (ObjectKind::Toolcall, format!("toolcall/{}", call.tool), label)
                }
                _ => continue,
            };
            for head in since(history, met.get(id).copied().unwrap_or_default()) {
                let Some(text) = head.content_hash else { continue };
                let (seq, at, current) = (head.seq, head.valid_from, head.seq == version.head.seq);
                let (id, path, label) = (id.clone(), path.clone(), label.clone());
                seen.push(Seen { seq, id, kind, path, label, at, current, text });
            }
        }
        seen.extend(self.turns_seen());
        Ok(seen)
    }

    fn turns_seen(&self) -> impl Iterator<Item = Seen> {
        self.chat().said.iter().enumerate().map(|(n, said)| Seen {
            seq: said.seq,
            id: self.chat_id().clone(),
            kind: ObjectKind::Chat,
            path: format!("chat/{}", said.role.as_str()),
            label: format!("chat, turn {} ({})", n + 1, said.role.as_str()),
            at: said.at,
            current: true,
            text: said.text,
        })
    }

    /// When each object was met, as a place in the sequence.
    fn met(&self) -> Result<HashMap<ObjectId, Seq>> {
        let mut met = HashMap::new();
        for delta in self.objects().deltas(self.id(), AsOf::default())? {
            let Ok(change) = serde_json::from_str::<SetChange>(&delta.body) else { continue };
            if matches!(change.step, Step::Hold | Step::Meet) {
                for id in change.ids {
                    met.entry(id.parse()?).or_insert(delta.seq);
                }
            }
        }
        Ok(met)
    }
}

/// The puts from the one that counted at a place of the sequence on.
fn since(history: Vec<VersionHead>, met: Seq) -> Vec<VersionHead> {
    let mut puts: Vec<VersionHead> = history.into_iter().filter(|head| head.event == VersionKind::Put).collect();
    let first = puts.iter().rposition(|head| head.seq <= met).unwrap_or(0);
    puts.split_off(first)
}
