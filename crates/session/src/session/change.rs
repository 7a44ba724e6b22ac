//! How every change of a session is made: plan against what is known, write all of it or nothing, plan again if somebody else
//! was faster.

use std::time::Duration;

use ai_assist_identity::{Sha256, jcs};
use ai_assist_store::objects::{
    AsOf, Content, Delta, Expect, Moment, ObjectBatch, ObjectId, ObjectWrite, Op, RequestId, Validity, Written,
};
use ai_assist_store::{Error as StoreError, Seq};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Draft, Histories, How, Session};
use crate::chat::ChatChange;
use crate::error::{Error, Result};
use crate::indexer::{Happened, IndexResult, Known, known, plan};
use crate::object::{FilesystemSource, ObjectKind};
use crate::sets::{SetChange, Step};

/// How often a change is planned anew.
const TRIES: u32 = 20;

impl Session {
    /// Makes a change. `asked` is what tells this request from others; `job` plans it, perhaps more than once.
    pub(crate) fn change<T: Serialize + DeserializeOwned>(
        &mut self,
        how: &How,
        asked: &impl Serialize,
        mut job: impl FnMut(&mut Session) -> Result<T>,
    ) -> Result<T> {
        let fingerprint = match &how.request {
            Some(request) => {
                let fingerprint =
                    Sha256::of(&jcs::to_vec(&(self.name.as_str(), self.born.0, how.at.map(|at| at.0), asked))?);
                if let Some(answer) = self.answered(request, fingerprint)? {
                    return Ok(answer);
                }
                Some(fingerprint)
            }
            None => None,
        };
        if how.at.is_some_and(|at| at > Moment::now()) {
            return Err(Error::InFuture);
        }
        for attempt in 0..TRIES {
            self.refresh()?;
            self.draft = Draft { at: how.at, ..Draft::default() };
            self.histories.refresh(&*self.objects)?;
            let planned = job(self);
            let Draft { writes, needs, met, .. } = std::mem::take(&mut self.draft);
            let answer = match planned {
                Ok(answer) => answer,
                Err(error) => {
                    self.reload()?;
                    return Err(error);
                }
            };
            if writes.is_empty() && how.request.is_none() {
                return Ok(answer);
            }
            let reply = how.request.is_some().then(|| serde_json::to_string(&answer)).transpose();
            let reply = reply.map_err(|error| Error::damaged(&self.id, error))?;
            let shape: Vec<Shape> = writes.iter().map(Shape::of).collect();
            let planned = Histories::planned(&writes);
            let batch = ObjectBatch { request: how.request.clone(), fingerprint, reply, needs, writes };
            match self.objects.write(batch) {
                Ok(written) if written.replayed => {
                    self.reload()?;
                    let request = how.request.as_ref().zip(fingerprint);
                    let answer = request.map(|(request, asked)| self.answered(request, asked)).transpose()?.flatten();
                    return answer.ok_or_else(|| Error::Contended(self.name.to_string()));
                }
                Ok(written) => {
                    self.settle(&shape, &met, &written);
                    self.histories.add(planned, &written);
                    return Ok(answer);
                }
                Err(StoreError::VersionConflict { .. }) => {
                    self.reload()?;
                    // Two that keep meeting must not stay in step.
                    std::thread::sleep(Duration::from_millis(fastrand::u64(0..=u64::from(attempt) * 2)));
                }
                Err(error) => {
                    self.reload()?;
                    return Err(error.into());
                }
            }
        }
        Err(Error::Contended(self.name.to_string()))
    }

    /// Refuses a change of something that is at another version than the caller knows. Asked while a change is planned; the
    /// store asks once more when it is written.
    pub(super) fn must_be_as_expected(&mut self, how: &How, id: &ObjectId) -> Result<()> {
        let Some(expected) = how.expect else { return Ok(()) };
        let last = self.objects.last_of(id)?;
        let found = match [&self.id, &self.chat_id].contains(&id) {
            // Of these every change makes a version.
            true => last,
            // A correction of the past comes later in the sequence than what holds now.
            false => self.objects.get(id, AsOf::default())?.map(|version| version.head.seq),
        };
        if found.unwrap_or_default() != expected {
            let name = self.name_of(id)?;
            return Err(Error::Conflict { name, expected, found: found.unwrap_or_default() });
        }
        self.draft.needs.extend(last.map(|last| (id.clone(), last)));
        Ok(())
    }

    /// What was answered to the same request before.
    fn answered<T: DeserializeOwned>(&self, request: &RequestId, fingerprint: Sha256) -> Result<Option<T>> {
        let Some(recorded) = self.objects.recorded(request)? else { return Ok(None) };
        if recorded.fingerprint != Some(fingerprint) {
            return Err(StoreError::RequestReused(request.clone()).into());
        }
        let reply = recorded.reply.unwrap_or_default();
        serde_json::from_str(&reply).map(Some).map_err(|error| Error::damaged(&request.0, error))
    }

    /// Notes how far the sets and the chat have come by our own writes.
    fn settle(&mut self, shape: &[Shape], met: &[(usize, Vec<ObjectId>)], written: &Written) {
        let seqs = &written.seqs;
        for (n, ids) in met {
            let Some(seq) = seqs.get(*n) else { continue };
            ids.iter().for_each(|id| self.sets.met(id, *seq));
        }
        for (Shape { id, .. }, &seq) in shape.iter().zip(seqs) {
            if *id == self.id {
                self.reached = seq;
            } else if *id == self.chat_id {
                self.chat.reached = seq;
            }
        }
        // The numbers of what was said in this change were not known when it was planned.
        let is_turn = |(shape, _): &(&Shape, &Seq)| shape.has_text && shape.id == self.chat_id;
        let turns: Vec<_> = shape.iter().zip(seqs).filter(is_turn).map(|(shape, seq)| (shape.from, *seq)).collect();
        let new = self.chat.said.iter_mut().rev().take_while(|said| said.seq == Seq::default());
        for (said, (from, seq)) in new.zip(turns.into_iter().rev()) {
            said.seq = seq;
            said.at = from.unwrap_or(written.system);
        }
    }

    /// The state of a file after what is planned already.
    fn known(&mut self, id: &ObjectId) -> Result<Option<Known>> {
        if let Some(known) = self.draft.known.get(id) {
            return Ok(known.clone());
        }
        known(&*self.objects, id, AsOf::default())
    }

    /// Plans what is to be written about a file.
    pub(super) fn file(&mut self, source: &FilesystemSource, happened: Happened) -> Result<IndexResult> {
        let id = self.file_id(source)?;
        if let Some(at) = self.draft.at {
            return self.file_then(&id, source, happened, at);
        }
        let known = self.known(&id)?;
        let plan = plan(known.as_ref(), id.clone(), source, happened)?;
        match plan.write {
            Some(write) => {
                self.remember(&id, &write);
                self.push(write);
            }
            // It may be cleaned up before this is written.
            None => {
                let last = known.map(|known| known.last).filter(|last| *last > Seq::default());
                self.draft.needs.extend(last.map(|last| (id, last)));
            }
        }
        Ok(plan.result)
    }

    /// The id of a file. A replay comes to the same few hundred files thousands of times, and the hash of stable JSON that it is takes
    /// longer than all else that is planned for one of them.
    fn file_id(&mut self, source: &FilesystemSource) -> Result<ObjectId> {
        if let Some(id) = self.file_ids.get(source) {
            return Ok(id.clone());
        }
        let id = source.object_id()?;
        self.file_ids.insert(source.clone(), id.clone());
        Ok(id)
    }

    /// The same for a file as it was at another time: a correction that ends where something later is known.
    fn file_then(
        &mut self,
        id: &ObjectId,
        source: &FilesystemSource,
        happened: Happened,
        at: Moment,
    ) -> Result<IndexResult> {
        // What was known of it at that time.
        let (then, later) = self.histories.at(&*self.objects, id, at)?;
        let known = self.draft.known.get(id).cloned().unwrap_or(then);
        let plan = plan(known.as_ref(), id.clone(), source, happened)?;
        if let Some(write) = plan.write {
            self.remember(id, &write);
            let valid = Validity { from: Some(at), to: later };
            self.push(ObjectWrite { valid, ..write });
        }
        Ok(plan.result)
    }

    fn remember(&mut self, id: &ObjectId, write: &ObjectWrite) {
        if let Op::Put(state) = &write.op {
            let known = Known {
                last: Seq::default(),
                file_hash: state.file_hash,
                content_hash: state.content.as_ref().map(Content::hash),
                gone: state.extra.is_some(),
            };
            self.draft.known.insert(id.clone(), Some(known));
        }
    }

    /// Plans a write. The first one about an object in a change goes by the version that was read, those after it by nothing.
    pub(super) fn push(&mut self, mut write: ObjectWrite) {
        if !self.draft.about.insert(write.id.clone()) {
            write.expect = Expect::Any;
        }
        self.draft.writes.push(write);
    }

    /// Plans a step of the working set, for those objects with which it changes something.
    pub(super) fn step(&mut self, step: Step, ids: &[ObjectId]) -> Result<Vec<ObjectId>> {
        let changed: Vec<ObjectId> = ids.iter().filter(|id| self.sets.apply(step, id)).cloned().collect();
        if !changed.is_empty() {
            self.set_change(step, &changed)?;
        }
        Ok(changed)
    }

    fn set_change(&mut self, step: Step, ids: &[ObjectId]) -> Result<()> {
        self.sets.note(step);
        let change = SetChange { step, ids: ids.iter().map(ToString::to_string).collect() };
        let delta = self.delta(&self.id, ObjectKind::Session, self.reached, &change, None)?;
        self.draft.met.push((self.draft.writes.len(), ids.to_vec()));
        self.push(delta);
        Ok(())
    }

    /// Closes the session, or opens it again. False if it is so already.
    pub(super) fn set_closed(&mut self, step: Step, how: &How) -> Result<bool> {
        self.change(how, &step, |session| {
            session.must_be_as_expected(how, &session.id.clone())?;
            if session.sets.is_closed() == (step == Step::Close) {
                return Ok(false);
            }
            session.set_change(step, &[]).map(|()| true)
        })
    }

    pub(super) fn chat_change(&mut self, change: &ChatChange, text: Option<Content>) -> Result<()> {
        let content_hash = text.as_ref().map(Content::hash);
        let reached = self.chat.reached;
        let write = self.delta(&self.chat_id, ObjectKind::Chat, reached, change, text)?;
        let at = self.draft.at.unwrap_or_else(Moment::now);
        let Op::Delta { body, .. } = &write.op else { return Ok(()) };
        let (seq, body) = (Seq::default(), body.clone());
        self.push(write);
        self.chat.apply(&Delta { seq, system: at, valid_from: at, body, content_hash })?;
        self.chat.reached = reached;
        Ok(())
    }

    fn delta(
        &self,
        id: &ObjectId,
        kind: ObjectKind,
        reached: Seq,
        change: &impl Serialize,
        content: Option<Content>,
    ) -> Result<ObjectWrite> {
        let write = ObjectWrite::new(id.clone(), kind.as_str(), Op::Delta { body: jcs::to_string(change)?, content });
        Ok(ObjectWrite { valid: self.validity(), expect: Expect::At(reached), ..write })
    }

    /// What is planned from here on happened then; now, if that is not known.
    pub(crate) fn set_time(&mut self, at: Option<Moment>) {
        self.draft.at = at.map(|at| at.min(Moment::now()));
    }

    /// When the change that is being planned happened, if that is known.
    pub(crate) fn time(&self) -> Option<Moment> {
        self.draft.at
    }

    /// When the change that is being planned happened.
    pub(super) fn validity(&self) -> Validity {
        Validity { from: self.draft.at, to: None }
    }
}

/// What is left of a planned write once it is on its way.
struct Shape {
    id: ObjectId,
    has_text: bool,
    /// From when on it holds; from the time of writing on, if that is not said.
    from: Option<Moment>,
}

impl Shape {
    fn of(write: &ObjectWrite) -> Self {
        let has_text = matches!(&write.op, Op::Delta { content: Some(_), .. });
        Shape { id: write.id.clone(), has_text, from: write.valid.from }
    }
}
