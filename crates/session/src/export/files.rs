//! Versions of files, which other sessions may know as well: what holds now for them stays.

use ai_assist_identity::jcs;
use ai_assist_store::objects::{
    Content, Expect, Moment, NewState, ObjectId, ObjectWrite, Op, Validity, VersionHead, VersionKind,
};
use serde_json::{Value, json};

use super::check::{self, Doc, Fault};
use super::restore::{Restore, When};
use crate::object::{FileFields, ObjectKind};

impl Restore<'_> {
    pub(super) fn file(&mut self, doc: Doc, extra: Option<&Value>, when: When) -> Result<(), Fault> {
        let gone = json!({ "deleted": true });
        if extra.is_some_and(|extra| *extra != gone) {
            return Err(Fault::Bad("it has something beside its document"));
        }
        let (source, fields) = check::file(&doc, extra.is_some(), self.raw)?;
        let content = self.keep().optional(doc.content);
        let fields = FileFields { char_count: check::chars(content.as_deref()), ..fields };
        let content = content.map(Content::new);
        let extra = extra.map(jcs::to_string).transpose()?;
        let state = NewState { fields: jcs::to_string(&fields)?, extra, file_hash: doc.file_hash, content };
        self.members.insert(doc.id.to_string());
        let Some((valid, expect)) = self.place(&doc.id, &state, when)? else { return Ok(()) };
        let write = ObjectWrite::new(doc.id, ObjectKind::File.as_str(), Op::Put(state));
        self.writes.push(ObjectWrite { source: Some(source.to_json()?), valid, expect, ..write });
        Ok(())
    }

    /// When a version is to hold, and after which one it comes; nothing if there is nothing to be written.
    fn place(&mut self, id: &ObjectId, state: &NewState, when: When) -> Result<Option<(Validity, Expect)>, Fault> {
        if !self.histories.contains_key(id) {
            self.histories.insert(id.clone(), self.objects.history(id)?);
        }
        let history = self.histories.get(id).map(Vec::as_slice).unwrap_or_default();
        let Some(last) = history.last() else {
            let expect = if self.written.insert(id.clone()) { Expect::Absent } else { Expect::Any };
            return Ok(Some((Validity { from: Some(when.from), to: when.to }, expect)));
        };
        let later = history.iter().map(|head| head.valid_from).filter(|at| *at > when.from).min();
        let to = [when.to, later].into_iter().flatten().fold(self.now, Moment::min);
        if to <= when.from || self.is_known(history, state, when.from)? {
            return Ok(None);
        }
        let expect = if self.written.insert(id.clone()) { Expect::At(last.seq) } else { Expect::Any };
        Ok(Some((Validity { from: Some(when.from), to: Some(to) }, expect)))
    }

    /// Whether the store has the same version already.
    fn is_known(&self, history: &[VersionHead], state: &NewState, from: Moment) -> Result<bool, Fault> {
        let content_hash = state.content.as_ref().map(Content::hash);
        for head in history.iter().filter(|head| head.event == VersionKind::Put && head.valid_from == from) {
            if (head.file_hash, head.content_hash) == (state.file_hash, content_hash)
                && self.objects.version(head.seq)?.is_some_and(|version| version.state.extra == state.extra)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
