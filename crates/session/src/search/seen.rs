//! What a session has seen, version by version.

use ai_assist_identity::ContentHash;
use ai_assist_store::Seq;
use ai_assist_store::objects::{Moment, ObjectId};
use ai_assist_text::Language;

use crate::error::Result;
use crate::object::ObjectKind;
use crate::session::Session;

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

    pub(super) fn turns_seen(&self) -> impl Iterator<Item = Seen> {
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
}
