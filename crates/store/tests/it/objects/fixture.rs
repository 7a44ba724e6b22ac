//! Objects to try with.

use ai_assist_store::Seq;
use ai_assist_store::objects::{
    AsOf, Content, Expect, Moment, NewState, ObjectBatch, ObjectId, ObjectWrite, Objects, Op, RequestId, System, Valid,
    Validity, Version, Written,
};

pub(crate) fn id(text: &str) -> ObjectId {
    text.parse().unwrap()
}

pub(crate) fn state(fields: &str, text: Option<&str>) -> NewState {
    let content = text.map(Content::new);
    NewState { fields: fields.to_owned(), extra: None, file_hash: None, content }
}

pub(crate) fn write(at: &str, op: Op) -> ObjectWrite {
    let (valid, expect) = (Validity::default(), Expect::Any);
    ObjectWrite { id: id(at), kind: "file", source: None, valid, expect, op }
}

/// A state whose fields are this word.
pub(crate) fn put(at: &str, word: &str) -> ObjectWrite {
    write(at, Op::Put(state(&format!("\"{word}\""), None)))
}

pub(crate) fn delete(at: &str) -> ObjectWrite {
    write(at, Op::Delete)
}

pub(crate) fn delta(at: &str, body: &str) -> ObjectWrite {
    write(at, Op::Delta { body: body.to_owned(), content: None })
}

pub(crate) fn valid(mut write: ObjectWrite, from: i64, to: Option<i64>) -> ObjectWrite {
    write.valid = Validity { from: Some(Moment(from)), to: to.map(Moment) };
    write
}

pub(crate) fn expecting(mut write: ObjectWrite, expect: Expect) -> ObjectWrite {
    write.expect = expect;
    write
}

pub(crate) fn batch(writes: Vec<ObjectWrite>) -> ObjectBatch {
    ObjectBatch { writes, ..ObjectBatch::default() }
}

pub(crate) fn requested(request: &str, writes: Vec<ObjectWrite>) -> ObjectBatch {
    ObjectBatch { request: Some(RequestId(request.to_owned())), ..batch(writes) }
}

pub(crate) fn add(objects: &mut impl Objects, write: ObjectWrite) -> (Seq, Moment) {
    let Written { system, seqs, replayed } = objects.write(batch(vec![write])).unwrap();
    assert!(!replayed && seqs.len() == 1);
    (seqs[0], system)
}

pub(crate) fn at_valid(time: i64) -> AsOf {
    AsOf { system: System::Now, valid: Valid::Time(Moment(time)) }
}

pub(crate) fn at_seq(seq: Seq) -> AsOf {
    AsOf { system: System::Seq(seq), valid: Valid::Now }
}

pub(crate) fn at(seq: Seq, time: i64) -> AsOf {
    AsOf { system: System::Seq(seq), valid: Valid::Time(Moment(time)) }
}

pub(crate) fn now(objects: &impl Objects, of: &str) -> Option<Version> {
    objects.get(&id(of), AsOf::default()).unwrap()
}

/// The word that [`put`] gave.
pub(crate) fn word(objects: &impl Objects, of: &str, at: AsOf) -> Option<String> {
    let version = objects.get(&id(of), at).unwrap()?;
    Some(version.state.fields.trim_matches('"').to_owned())
}

pub(crate) fn bodies(objects: &impl Objects, of: &str, at: AsOf) -> Vec<String> {
    objects.deltas(&id(of), at).unwrap().into_iter().map(|delta| delta.body).collect()
}
