//! A write made ready for its row, before any lock is taken.

use ai_assist_identity::Sha256;

use crate::error::{Error, Result};
use crate::objects::{Content, Expect, Moment, NewState, ObjectId, ObjectWrite, Op, Validity, VersionKind};

use super::json::Json;

pub(super) struct Event {
    pub(super) id: ObjectId,
    pub(super) kind: &'static str,
    pub(super) source: Option<String>,
    pub(super) valid: Validity,
    pub(super) expect: Expect,
    pub(super) sort: VersionKind,
    /// Of a delta: the change.
    pub(super) fields: Option<Json>,
    pub(super) extra: Option<Json>,
    pub(super) file_hash: Option<Sha256>,
    pub(super) content: Option<Content>,
}

impl Event {
    pub(super) fn prepare(write: ObjectWrite) -> Result<Self> {
        let ObjectWrite { id, kind, source, valid, expect, op } = write;
        let (sort, state) = match op {
            Op::Put(state) => (VersionKind::Put, Some(state)),
            Op::Delete => (VersionKind::Delete, None),
            Op::Delta { body, content } => {
                (VersionKind::Delta, Some(NewState { fields: body, extra: None, file_hash: None, content }))
            }
        };
        let (fields, extra, file_hash, content) = match state {
            None => (None, None, None, None),
            Some(NewState { fields, extra, file_hash, content }) => {
                (Some(Json::pack(fields)?), extra.map(Json::pack).transpose()?, file_hash, content)
            }
        };
        Ok(Event { id, kind, source, valid, expect, sort, fields, extra, file_hash, content })
    }

    /// From when to when it holds, if written at this time.
    pub(super) fn span(&self, system: Moment) -> Result<(Moment, Moment)> {
        let from = self.valid.from.unwrap_or(system);
        let to = self.valid.to.unwrap_or(Moment::FOREVER);
        if from < to { Ok((from, to)) } else { Err(Error::BadValidity { id: self.id.clone(), from, to }) }
    }
}
