//! What was said, as a list that only grows. The texts stay in the store; here are their hashes.

use std::collections::HashSet;

use ai_assist_identity::{ContentHash, jcs};
use ai_assist_store::Seq;
use ai_assist_store::objects::{Delta, Moment, ObjectId, Objects};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::object::{ChatFields, Role, Turn};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", untagged)]
pub(crate) enum ChatChange {
    /// Somebody spoke; the text comes with the change.
    Turn {
        turn: Role,
        /// The name of the event in the transcript it was replayed from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// A tool was called.
    Toolcall { toolcall: String },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub role: Role,
    pub text: ContentHash,
    pub seq: Seq,
    pub at: Moment,
    pub toolcalls: Vec<ObjectId>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chat {
    /// Calls before anything was said.
    pub before: Vec<ObjectId>,
    pub said: Vec<Said>,
    /// The names of turns that were replayed.
    pub(crate) keys: HashSet<String>,
    pub(crate) reached: Seq,
}

impl Chat {
    pub(crate) fn apply(&mut self, delta: &Delta) -> Result<()> {
        let damaged = |why: &dyn ToString| Error::damaged(format!("change {}", delta.seq), why.to_string());
        let change: ChatChange = serde_json::from_str(&delta.body).map_err(|error| damaged(&error))?;
        match change {
            ChatChange::Turn { turn: role, key } => {
                self.keys.extend(key);
                let text = delta.content_hash.ok_or_else(|| damaged(&"a turn without its text"))?;
                self.said.push(Said { role, text, seq: delta.seq, at: delta.valid_from, toolcalls: Vec::new() });
            }
            ChatChange::Toolcall { toolcall } => {
                let id = toolcall.parse::<ObjectId>()?;
                self.said.last_mut().map_or(&mut self.before, |said| &mut said.toolcalls).push(id);
            }
        }
        self.reached = delta.seq;
        Ok(())
    }

    /// Whether a turn of this name was replayed.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    pub fn toolcalls(&self) -> impl Iterator<Item = &ObjectId> {
        self.before.iter().chain(self.said.iter().flat_map(|said| &said.toolcalls))
    }

    pub(crate) fn texts(&self, objects: &dyn Objects) -> Result<Vec<String>> {
        let hashes: Vec<ContentHash> = self.said.iter().map(|said| said.text).collect();
        let texts = objects.texts(&hashes)?;
        let found = |(said, text): (&Said, Option<String>)| {
            text.ok_or_else(|| Error::damaged(format!("change {}", said.seq), "its text is gone"))
        };
        self.said.iter().zip(texts).map(found).collect()
    }

    /// The fields and the content of the chat's document.
    pub(crate) fn document(&self, objects: &dyn Objects, session: &ObjectId) -> Result<(String, String)> {
        let texts = self.texts(objects)?;
        let names = |ids: &[ObjectId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
        let content: Vec<String> =
            self.said.iter().zip(&texts).map(|(said, text)| format!("{}: {text}", said.role.as_str())).collect();
        let turn = |(Said { role, toolcalls, .. }, content): (&Said, String)| Turn {
            role: *role,
            content,
            toolcall_refs: names(toolcalls),
        };
        let turns: Vec<Turn> = self.said.iter().zip(texts).map(turn).collect();
        let fields = ChatFields {
            turn_count: turns.len() as u64,
            turns,
            session_ref: session.to_string(),
            toolcall_refs: self.toolcalls().map(ToString::to_string).collect(),
        };
        Ok((jcs::to_string(&fields)?, content.join("\n\n")))
    }
}
