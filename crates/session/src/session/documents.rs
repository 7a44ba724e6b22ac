//! The documents of a session and its objects, at any time.

use ai_assist_identity::jcs;
use ai_assist_store::objects::{AsOf, ObjectId, Version};
use serde_json::{Map, Value};

use super::{Session, load_chat, load_sets};
use crate::error::{Error, Result};
use crate::object::{FilesystemSource, ObjectKind, SessionFields, document, document_of};
use crate::sets::{Member, WorkingSet};

impl Session {
    /// The document of an object at some time; none if it was not there.
    pub fn document(&self, id: &ObjectId, at: AsOf) -> Result<Option<Map<String, Value>>> {
        let Some(version) = self.objects.get(id, at)? else { return Ok(None) };
        if *id == self.id {
            let (sets, _) = load_sets(&*self.objects, id, at)?;
            return self.own_document(&version, &sets).map(Some);
        }
        if *id == self.chat_id {
            return self.chat_document(at).map(Some);
        }
        if version.source.is_some() {
            let source = FilesystemSource::from_json(id, version.source.as_deref())?;
            if let Some(error) = self.kept_back(&source) {
                return Err(error);
            }
        }
        document(&version).map(Some)
    }

    /// The document of the session with these sets.
    pub(crate) fn own_document(&self, base: &Version, sets: &WorkingSet) -> Result<Map<String, Value>> {
        let ids = |members: Vec<&Member>| members.iter().map(|member| member.id.to_string()).collect::<Vec<_>>();
        let fields = SessionFields {
            session_id: self.name.to_string(),
            chat_ref: self.chat_id.to_string(),
            system_prompt_ref: self.prompt_id.to_string(),
            session_index: ids(sets.index().collect()),
            metadata_pool: ids(sets.pool()),
            active_set: ids(sets.active()),
            pinned_set: ids(sets.pinned()),
        };
        let mut document = document_of(self.id.as_str(), ObjectKind::Session, &jcs::to_string(&fields)?, None)?;
        if let Some(about) = &base.state.extra {
            let about = serde_json::from_str(about).map_err(|error| Error::damaged(&self.id, error))?;
            document.insert("ai_assist".to_owned(), about);
        }
        Ok(document)
    }

    fn chat_document(&self, at: AsOf) -> Result<Map<String, Value>> {
        let chat = load_chat(&*self.objects, &self.chat_id, at)?;
        let (fields, content) = chat.document(&*self.objects, &self.id)?;
        document_of(self.chat_id.as_str(), ObjectKind::Chat, &fields, Some(&content))
    }
}
