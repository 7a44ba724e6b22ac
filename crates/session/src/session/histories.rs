//! What is known of files at all times, kept from one look to the next.
//!
//! A replay asks for the same files again and again, each time as they were at another time. Their states are read once, and hold for as
//! long as nobody else writes to the store; what is written here is added.

use std::collections::HashMap;

use ai_assist_identity::{ContentHash, Sha256};
use ai_assist_store::Seq;
use ai_assist_store::objects::{
    Content, Moment, ObjectId, ObjectWrite, Objects, Op, Stamp, VersionHead, VersionKind, Written,
};

use crate::error::Result;
use crate::indexer::Known;
use crate::object::ObjectKind;

#[derive(Debug, Default)]
pub(super) struct Histories {
    /// The state of the store that they are of.
    stamp: Stamp,
    of: HashMap<ObjectId, Vec<State>>,
}

/// A state of a file: a put or a deletion.
#[derive(Debug, Clone)]
struct State {
    seq: Seq,
    is_put: bool,
    from: Moment,
    to: Moment,
    file_hash: Option<Sha256>,
    content_hash: Option<ContentHash>,
    gone: bool,
}

/// A state that is to be written, but for its number and, if that is not said, its time.
pub(super) struct Planned(usize, ObjectId, Option<Moment>, State);

impl Histories {
    /// Forgets everything, if somebody else has written since.
    pub(super) fn refresh(&mut self, objects: &dyn Objects) -> Result<()> {
        let stamp = objects.stamp()?;
        if stamp != self.stamp {
            *self = Histories { stamp, of: HashMap::new() };
        }
        Ok(())
    }

    /// What is known of a file at a time, and from when on something later is; nothing of one that nobody has seen.
    pub(super) fn at(
        &mut self,
        objects: &dyn Objects,
        id: &ObjectId,
        at: Moment,
    ) -> Result<(Option<Known>, Option<Moment>)> {
        if !self.of.contains_key(id) {
            let states = objects.history(id)?.iter().filter_map(State::of).collect();
            self.of.insert(id.clone(), states);
        }
        let states = self.of.get(id).map(Vec::as_slice).unwrap_or_default();
        let later = states.iter().filter(|state| state.is_put && state.from > at).map(|state| state.from).min();
        let Some(last) = states.last().map(|state| state.seq) else { return Ok((None, later)) };
        let then = states.iter().rev().find(|state| state.from <= at && at < state.to);
        let known = match then.filter(|state| state.is_put) {
            Some(state) => {
                let State { file_hash, content_hash, gone, .. } = *state;
                Known { last, file_hash, content_hash, gone }
            }
            None => Known { last, file_hash: None, content_hash: None, gone: true },
        };
        Ok((Some(known), later))
    }

    /// The states of files among some writes.
    pub(super) fn planned(writes: &[ObjectWrite]) -> Vec<Planned> {
        let planned = |(n, write): (usize, &ObjectWrite)| {
            let Op::Put(state) = &write.op else { return None };
            let state = State {
                seq: Seq::default(),
                is_put: true,
                from: Moment::default(),
                to: write.valid.to.unwrap_or(Moment::FOREVER),
                file_hash: state.file_hash,
                content_hash: state.content.as_ref().map(Content::hash),
                gone: state.extra.is_some(),
            };
            (write.kind == ObjectKind::File.as_str()).then(|| Planned(n, write.id.clone(), write.valid.from, state))
        };
        writes.iter().enumerate().filter_map(planned).collect()
    }

    /// Adds what was written. If somebody else has written meanwhile, everything is read again.
    pub(super) fn add(&mut self, planned: Vec<Planned>, written: &Written) {
        let (Some(first), Some(last)) = (written.seqs.first(), written.seqs.last()) else { return };
        if first.0 != self.stamp.sequence.0 + 1 {
            *self = Histories::default();
            return;
        }
        self.stamp.sequence = *last;
        for Planned(n, id, from, state) in planned {
            let Some(seq) = written.seqs.get(n).copied() else { continue };
            if let Some(states) = self.of.get_mut(&id) {
                states.push(State { seq, from: from.unwrap_or(written.system), ..state });
            }
        }
    }
}

impl State {
    fn of(head: &VersionHead) -> Option<Self> {
        let VersionHead {
            seq, event, valid_from: from, valid_to: to, file_hash, content_hash, has_extra: gone, ..
        } = *head;
        let is_put = event == VersionKind::Put;
        (event != VersionKind::Delta).then_some(State { seq, is_put, from, to, file_hash, content_hash, gone })
    }
}
