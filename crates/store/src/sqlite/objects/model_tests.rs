//! Any sequence of writes gives the answers that a list of events gives when it is scanned by hand, with a clock that jumps.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;

use ai_assist_identity::{ContentHash, Sha256};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tempfile::TempDir;

use super::{Durability, SqliteObjects};
use crate::objects::{
    AsOf, Content, Delta, Expect, Moment, NewState, ObjectBatch, ObjectId, ObjectWrite, Objects, Op, State, System,
    Valid, Validity, Version, VersionHead, VersionKind,
};
use crate::{Error, Seq, SqliteStore, Store};

const OBJECTS: usize = 2;

thread_local! {
    static NOW: Cell<i64> = const { Cell::new(0) };
}

fn clock() -> Moment {
    Moment(NOW.get())
}

#[derive(Debug, Clone)]
enum Step {
    Clock(i64),
    Batch(Vec<Small>),
    Gap(u64),
    Forget(usize),
    Reopen,
}

#[derive(Debug, Clone)]
struct Small {
    object: usize,
    sort: VersionKind,
    from: Option<i64>,
    to: Option<i64>,
    text: Option<u8>,
    expect: u8,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let sort = prop_oneof![6 => Just(VersionKind::Put), 2 => Just(VersionKind::Delete), 4 => Just(VersionKind::Delta)];
    let from = option::weighted(0.5, prop_oneof![20 => -3..45i64, 1 => Just(i64::MIN), 1 => Just(i64::MAX)]);
    let to = option::weighted(0.25, prop_oneof![20 => 0..50i64, 1 => Just(i64::MAX)]);
    let small = (0..OBJECTS, sort, from, to, option::of(0..4u8), 0..12u8)
        .prop_map(|(object, sort, from, to, text, expect)| Small { object, sort, from, to, text, expect });
    let step = prop_oneof![
        6 => (-2..40i64).prop_map(Step::Clock),
        14 => vec(small, 0..4).prop_map(Step::Batch),
        2 => (1..4u64).prop_map(Step::Gap),
        1 => (0..OBJECTS).prop_map(Step::Forget),
        1 => Just(Step::Reopen),
    ];
    vec(step, 1..30)
}

fn name(object: usize) -> ObjectId {
    ["file-a", "file-ü"][object].parse().unwrap()
}

fn text(n: u8) -> String {
    ["", "short", &"long and the same\n".repeat(40), "ünï"][n as usize].to_owned()
}

/// Some are large enough to be packed.
fn fields(seq: Seq) -> String {
    format!("{{\"n\":{seq},\"x\":\"{}\"}}", "y".repeat(if seq.0.is_multiple_of(3) { 2000 } else { 3 }))
}

#[derive(Default)]
struct Model {
    seq: u64,
    system: i64,
    events: Vec<VersionHead>,
}

#[derive(Debug, PartialEq)]
enum Refusal {
    Validity,
    Conflict,
    Unknown,
}

impl Model {
    fn present(&self) -> i64 {
        self.system.max(NOW.get())
    }

    fn of(&self, object: usize) -> impl DoubleEndedIterator<Item = &VersionHead> {
        self.events.iter().filter(move |event| event.id == name(object))
    }

    fn state(&self, object: usize, known: impl Fn(&VersionHead) -> bool, valid: i64) -> Option<&VersionHead> {
        let holds = |event: &&VersionHead| event.valid_from.0 <= valid && valid < event.valid_to.0;
        let last = self.of(object).rfind(|event| event.event != VersionKind::Delta && known(event) && holds(event));
        last.filter(|event| event.event == VersionKind::Put)
    }

    /// Everything is done or nothing is.
    fn write(&mut self, batch: &[Small]) -> Result<Vec<Seq>, Refusal> {
        let (before, seq) = (self.events.len(), self.seq);
        let system = self.present();
        for small in batch {
            if let Err(refusal) = self.add(small, system) {
                self.events.truncate(before);
                self.seq = seq;
                return Err(refusal);
            }
        }
        if !batch.is_empty() {
            self.system = system;
        }
        Ok((seq + 1..=self.seq).map(Seq).collect())
    }

    fn add(&mut self, small: &Small, system: i64) -> Result<(), Refusal> {
        let (from, to) = (small.from.unwrap_or(system), small.to.unwrap_or(i64::MAX));
        if from >= to {
            return Err(Refusal::Validity);
        }
        let last = self.of(small.object).next_back().map(|event| event.seq);
        let fits = match small.expect(self.seq) {
            Expect::Any => true,
            Expect::Absent => last.is_none(),
            Expect::At(seq) => last == Some(seq),
        };
        if !fits {
            return Err(Refusal::Conflict);
        }
        let is_there = |valid| self.state(small.object, |_| true, valid).is_some();
        if small.sort == VersionKind::Delta && !is_there(from) && !is_there(system) {
            return Err(Refusal::Unknown);
        }
        self.seq += 1;
        let text = small.text().map(text);
        self.events.push(VersionHead {
            seq: Seq(self.seq),
            id: name(small.object),
            kind: "file".to_owned(),
            event: small.sort,
            system: Moment(system),
            valid_from: Moment(from),
            valid_to: Moment(to),
            file_hash: small.file_hash(),
            content_hash: text.as_deref().map(ContentHash::of),
            size: text.map_or(0, |text| text.len() as u64),
            has_extra: small.sort == VersionKind::Put && small.object == 0,
        });
        Ok(())
    }
}

impl Small {
    fn text(&self) -> Option<u8> {
        self.text.filter(|_| self.sort != VersionKind::Delete)
    }

    fn file_hash(&self) -> Option<Sha256> {
        (self.sort == VersionKind::Put && self.object == 1).then(|| Sha256::of(b"bytes"))
    }

    /// Mostly anything; sometimes the number before this one, which is right if it was of the same object.
    fn expect(&self, last: u64) -> Expect {
        match self.expect {
            0 => Expect::Absent,
            1 | 2 => Expect::At(Seq(last)),
            _ => Expect::Any,
        }
    }

    fn write(&self, seq: Seq) -> ObjectWrite {
        let content = self.text().map(|n| Content::new(text(n)));
        let op = match self.sort {
            VersionKind::Put => {
                let extra = (self.object == 0).then(|| fields(Seq(seq.0 + 1)));
                Op::Put(NewState { fields: fields(seq), extra, file_hash: self.file_hash(), content })
            }
            VersionKind::Delete => Op::Delete,
            VersionKind::Delta => Op::Delta { body: fields(seq), content },
        };
        ObjectWrite {
            id: name(self.object),
            kind: "file",
            source: Some("{}".to_owned()),
            valid: Validity { from: self.from.map(Moment), to: self.to.map(Moment) },
            expect: self.expect(seq.0 - 1),
            op,
        }
    }
}

/// What a put of the model reads back as.
fn version(head: &VersionHead, with_text: bool) -> Version {
    let text = (0..4).map(text).find(|text| with_text && head.content_hash == Some(ContentHash::of(text)));
    let extra = (head.id == name(0)).then(|| fields(Seq(head.seq.0 + 1)));
    let state = State { fields: fields(head.seq), extra, text };
    Version { head: head.clone(), source: Some("{}".to_owned()), state }
}

fn delta(head: &VersionHead) -> Delta {
    Delta {
        seq: head.seq,
        system: head.system,
        valid_from: head.valid_from,
        body: fields(head.seq),
        content_hash: head.content_hash,
    }
}

fn around(times: impl Iterator<Item = i64>) -> BTreeSet<i64> {
    times.flat_map(|time| [time.saturating_sub(1), time, time.saturating_add(1)]).collect()
}

/// Every question at every time that could make a difference.
fn compare(model: &Model, objects: &SqliteObjects) {
    let events = &model.events;
    let mut systems = vec![System::Now];
    systems.extend((0..=model.seq + 1).map(|seq| System::Seq(Seq(seq))));
    systems
        .extend(around(events.iter().map(|event| event.system.0)).into_iter().map(|time| System::Time(Moment(time))));
    let mut valids = vec![Valid::Now];
    let boundaries = around(events.iter().flat_map(|event| [event.valid_from.0, event.valid_to.0]));
    valids.extend(boundaries.into_iter().map(|time| Valid::Time(Moment(time))));
    let ids: Vec<_> = (0..OBJECTS).map(name).collect();
    for system in &systems {
        for valid in &valids {
            compare_at(model, objects, &ids, AsOf { system: *system, valid: *valid });
        }
    }
}

fn compare_at(model: &Model, objects: &SqliteObjects, ids: &[ObjectId], at: AsOf) {
    let known = |event: &VersionHead| match at.system {
        System::Now => true,
        System::Seq(seq) => event.seq <= seq,
        System::Time(time) => event.system <= time,
    };
    let valid = match at.valid {
        Valid::Now => model.present(),
        Valid::Time(time) => time.0,
    };
    let mut expected = Vec::new();
    for (object, id) in ids.iter().enumerate() {
        let state = model.state(object, known, valid);
        assert_eq!(objects.get(id, at).unwrap(), state.map(|head| version(head, true)), "{id} {at:?}");
        let deltas = model.of(object).filter(|event| {
            let after = state.is_some_and(|state| event.seq > state.seq) && event.event == VersionKind::Delta;
            after && known(event) && event.valid_from.0 <= valid && valid < event.valid_to.0
        });
        assert_eq!(objects.deltas(id, at).unwrap(), deltas.map(delta).collect::<Vec<_>>(), "{id} {at:?}");
        expected.push(state.map(|head| version(head, false)));
    }
    assert_eq!(objects.get_many(ids, at, false).unwrap(), expected);
}

fn compare_lists(model: &Model, objects: &SqliteObjects) {
    for object in 0..OBJECTS {
        let history: Vec<_> = model.of(object).cloned().collect();
        assert_eq!(objects.last_of(&name(object)).unwrap(), history.last().map(|event| event.seq));
        assert_eq!(objects.history(&name(object)).unwrap(), history);
    }
    let names: Vec<_> = (0..OBJECTS).map(name).collect();
    let all: Vec<_> = (0..OBJECTS).flat_map(|object| model.of(object).cloned()).collect();
    assert_eq!(objects.histories(&names).unwrap(), all);
    for after in 0..=model.seq + 1 {
        let expected: Vec<_> = model.events.iter().filter(|event| event.seq.0 > after).take(3).cloned().collect();
        assert_eq!(objects.events_since(Seq(after), 3).unwrap(), expected);
        let put = model.events.iter().find(|event| event.seq.0 == after && event.event == VersionKind::Put);
        assert_eq!(objects.version(Seq(after)).unwrap(), put.map(|head| version(head, true)));
    }
    let last = model.events.last().map_or(Seq(0), |event| event.seq);
    assert_eq!(objects.last().unwrap(), (last, Moment(model.system)));
    let texts: BTreeSet<_> = model.events.iter().filter_map(|event| event.content_hash).collect();
    let stored: i64 =
        objects.store.connection.query_row("SELECT count(*) FROM contents", [], |row| row.get(0)).unwrap();
    assert_eq!(stored, texts.len() as i64);
}

fn open(path: &Path) -> SqliteObjects {
    SqliteObjects::open_at(path, Durability::Normal, clock).unwrap()
}

fn apply(model: &mut Model, objects: &mut SqliteObjects, batch: &[Small]) {
    let writes = (model.seq + 1..).zip(batch).map(|(seq, small)| small.write(Seq(seq))).collect();
    let written = objects.write(ObjectBatch { writes, ..ObjectBatch::default() });
    let written = written.map(|written| (written.system.0, written.seqs)).map_err(|error| match error {
        Error::BadValidity { .. } => Refusal::Validity,
        Error::VersionConflict { .. } => Refusal::Conflict,
        Error::UnknownObject(_) => Refusal::Unknown,
        other => panic!("{other}"),
    });
    let system = model.present();
    assert_eq!(written, model.write(batch).map(|seqs| (system, seqs)));
}

fn run(steps: &[Step]) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("assist.db");
    NOW.set(5);
    let (mut model, mut objects) = (Model::default(), open(&path));
    for step in steps {
        match step {
            Step::Clock(time) => NOW.set(*time),
            Step::Batch(batch) => apply(&mut model, &mut objects, batch),
            Step::Gap(by) => {
                let sql = format!("UPDATE sequence SET value = value + {by}");
                objects.store.connection.execute_batch(&sql).unwrap();
                model.seq += by;
            }
            Step::Forget(object) => {
                let forgotten = objects.forget(&[name(*object)], None).unwrap();
                assert_eq!(forgotten.events, model.of(*object).count() as u64);
                model.events.retain(|event| event.id != name(*object));
            }
            Step::Reopen => objects = open(&path),
        }
    }
    compare(&model, &objects);
    compare_lists(&model, &objects);
    assert_eq!(SqliteStore::open(&path).unwrap().check().unwrap(), []);
}

#[test]
fn any_sequence_of_writes() {
    let config = Config { cases: 200, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&steps(), |steps| {
            run(&steps);
            Ok(())
        })
        .unwrap();
}
