//! Any sequence of changes gives what a map would give.

use std::collections::{BTreeMap, HashSet};

use ai_assist_identity::{CollectionId, Sha256};
use ai_assist_store::{Applied, Change, Changed, CollectionState, DocumentId, NewDocument, Seq, Store};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::Site;
use super::fixture::{all_changes, assert_same, assert_sound, document, folder, path, stamp};
use super::sequence::Index;

const COLLECTIONS: usize = 2;

#[derive(Debug, Clone)]
enum Step {
    Batch(usize, Vec<Small>),
    Prune(usize, u64),
    Drop(usize),
    /// Notes an index as it is, to be brought up to date at the end.
    Snapshot(usize),
    Reopen,
}

#[derive(Debug, Clone)]
enum Small {
    Put(u8, u8, bool),
    Touch(u8, u64),
    Remove(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let small = prop_oneof![
        5 => (0..6u8, 0..5u8, any::<bool>()).prop_map(|(at, text, stamped)| Small::Put(at, text, stamped)),
        1 => (0..6u8, any::<u64>()).prop_map(|(at, size)| Small::Touch(at, size)),
        3 => (0..6u8).prop_map(Small::Remove),
    ];
    let which = 0..COLLECTIONS;
    let step = prop_oneof![
        10 => (which.clone(), vec(small, 0..6)).prop_map(|(which, batch)| Step::Batch(which, batch)),
        2 => (which.clone(), 0..40u64).prop_map(|(which, upto)| Step::Prune(which, upto)),
        1 => which.clone().prop_map(Step::Drop),
        3 => which.prop_map(Step::Snapshot),
        1 => Just(Step::Reopen),
    ];
    vec(step, 1..25)
}

fn name(at: u8) -> String {
    ["a", "a/b", "ab", "b", "ü", "z z"][at as usize].to_owned()
}

fn text(n: u8) -> String {
    ["", "one line", "two\nlines\n", &"long and the same\n".repeat(30), "three\nof\nthem"][n as usize].to_owned()
}

#[derive(Default)]
struct Model {
    documents: BTreeMap<String, (DocumentId, Seq, NewDocument)>,
    removals: Vec<(Seq, DocumentId, String)>,
    /// What was there before a change, with the change's number, and what is forgotten of it.
    replaced: Vec<(Seq, (DocumentId, Seq, NewDocument))>,
    forgotten: Vec<(DocumentId, Seq, NewDocument)>,
    seq: Seq,
    pruned: Seq,
}

impl Model {
    fn apply(&mut self, small: &Small, applied: Applied, used: &mut HashSet<DocumentId>, last: &mut Seq) {
        let mut after = |seq: Seq| {
            assert!(seq > *last, "{seq} after {last}");
            *last = seq;
            seq
        };
        match (small, applied) {
            (Small::Put(at, ..), Applied::Put { id, seq }) => {
                match self.documents.get(&name(*at)) {
                    Some(present) => assert_eq!(present.0, id),
                    None => assert!(used.insert(id), "{id} again"),
                }
                self.seq = after(seq);
                let before = self.documents.insert(name(*at), (id, seq, small.document()));
                self.replaced.extend(before.map(|before| (seq, before)));
            }
            (Small::Touch(at, size), Applied::Touched { id, seq }) => {
                let present = self.documents.get_mut(&name(*at)).unwrap();
                assert_eq!((present.0, present.1), (id, seq));
                present.2.stamp = Some(stamp(*size));
            }
            (Small::Remove(at), Applied::Removed { id, seq }) => {
                let before = self.documents.remove(&name(*at)).unwrap();
                assert_eq!(before.0, id);
                self.seq = after(seq);
                self.replaced.push((seq, before));
                self.removals.push((seq, id, name(*at)));
            }
            (Small::Touch(at, _) | Small::Remove(at), Applied::Absent) => {
                assert!(!self.documents.contains_key(&name(*at)));
            }
            other => panic!("{other:?}"),
        }
    }

    fn state(&self) -> CollectionState {
        let all = || self.documents.values().map(|(.., document)| document);
        CollectionState {
            documents: self.documents.len() as u64,
            chunks: all().map(|document| document.chunks.len() as u64).sum(),
            bytes: all().map(|document| document.text.len() as u64).sum(),
            seq: self.seq,
            pruned: self.pruned,
        }
    }

    fn compare(&self, store: &impl Store, id: &CollectionId) {
        assert_eq!(store.state(id).unwrap(), Some(self.state()));
        let heads = store.heads(id).unwrap();
        let listed = store.list_documents(id).unwrap();
        assert_eq!((heads.len(), listed.len()), (self.documents.len(), self.documents.len()));
        for ((head, info), (name, (number, seq, new))) in heads.iter().zip(&listed).zip(&self.documents) {
            assert_eq!((head.path.as_str(), head.id, head.seq), (name.as_str(), *number, *seq));
            assert_eq!((head.hash, head.stamp), (new.hash, new.stamp));
            assert_eq!((info.path.as_str(), info.size), (name.as_str(), new.text.len() as u64));
            let stored = store.document(id, &head.path).unwrap().unwrap();
            assert_eq!((stored.id, stored.seq), (*number, *seq));
            assert_same(&stored, new);
        }
        let text_of = |(id, seq, new): &(DocumentId, Seq, NewDocument)| store.text_at(*id, *seq, &new.hash).unwrap();
        for there in self.documents.values().chain(self.replaced.iter().map(|(_, before)| before)) {
            assert_eq!(text_of(there).as_deref(), Some(&*there.2.text));
            assert_eq!(store.text_at(there.0, there.1, &Sha256::of(b"another")).unwrap(), None);
        }
        assert!(self.forgotten.iter().all(|gone| text_of(gone).is_none()));
        for after in [Seq(0), Seq(self.seq.0 / 2), self.pruned] {
            let puts = self.documents.values().map(|(number, seq, _)| (*seq, *number, true));
            let removals = self.removals.iter().map(|(seq, number, _)| (*seq, *number, false));
            let mut expected: Vec<_> = puts.chain(removals).filter(|change| change.0 > after).collect();
            expected.sort_unstable();
            let changes = all_changes(store, id, after, 3);
            let found = changes.iter().map(|change| match change {
                Changed::Put(document) => (document.seq, document.id, true),
                Changed::Removed { id, seq, .. } => (*seq, *id, false),
            });
            assert_eq!(found.collect::<Vec<_>>(), expected);
        }
    }
}

impl Small {
    fn document(&self) -> NewDocument {
        let Small::Put(at, n, stamped) = self else { panic!("only a put has one") };
        let mut new = document(&name(*at), &text(*n));
        new.stamp = stamped.then(|| stamp(u64::from(*n)));
        new
    }

    fn change(&self) -> Change {
        match self {
            Small::Put(..) => Change::put(self.document()).unwrap(),
            Small::Touch(at, size) => Change::Touch { path: path(&name(*at)), stamp: Some(stamp(*size)) },
            Small::Remove(at) => Change::Remove(path(&name(*at))),
        }
    }
}

fn run<S: Site>(steps: &[Step]) {
    let site = S::new();
    let mut store = site.open();
    let ids: Vec<_> = (0..COLLECTIONS).map(|i| store.ensure_collection(&folder(&i.to_string())).unwrap().id).collect();
    let mut models: Vec<Model> = ids.iter().map(|_| Model::default()).collect();
    let (mut used, mut last, mut snapshots) = (HashSet::new(), Seq(0), Vec::new());
    for step in steps {
        match step {
            Step::Batch(which, batch) => {
                let applied = store.apply(&ids[*which], batch.iter().map(Small::change).collect()).unwrap();
                assert_eq!(applied.len(), batch.len());
                for (small, applied) in batch.iter().zip(applied) {
                    models[*which].apply(small, applied, &mut used, &mut last);
                }
            }
            Step::Prune(which, upto) => {
                store.prune_tombstones(&ids[*which], Seq(*upto)).unwrap();
                let model = &mut models[*which];
                let before = model.pruned;
                model.pruned = before.max(Seq(*upto).min(model.seq));
                if model.pruned == before {
                    continue;
                }
                let (gone, kept) = std::mem::take(&mut model.replaced).into_iter().partition(|(at, _)| *at <= before);
                model.replaced = kept;
                let gone: Vec<_> = gone;
                model.forgotten.extend(gone.into_iter().map(|(_, document)| document));
                let pruned = model.pruned;
                model.removals.retain(|(seq, ..)| *seq > pruned);
            }
            Step::Drop(which) => {
                assert!(store.drop_collection(&ids[*which]).unwrap());
                store.ensure_collection(&folder(&which.to_string())).unwrap();
                let state = store.state(&ids[*which]).unwrap().unwrap();
                assert!(state.pruned > models[*which].seq && state.seq == state.pruned);
                last = last.max(state.seq);
                let Model { documents, replaced, mut forgotten, .. } = std::mem::take(&mut models[*which]);
                forgotten.extend(documents.into_values().chain(replaced.into_iter().map(|(_, document)| document)));
                models[*which] = Model { seq: state.seq, pruned: state.pruned, forgotten, ..Model::default() };
            }
            Step::Snapshot(which) => {
                let mut index = Index { reached: Seq(0), documents: BTreeMap::new() };
                index.catch_up(&store, &ids[*which]);
                snapshots.push((*which, index));
            }
            Step::Reopen => store = site.open(),
        }
    }
    let reader = site.open();
    for (model, id) in models.iter().zip(&ids) {
        model.compare(&reader, id);
    }
    for (which, mut index) in snapshots {
        index.catch_up(&reader, &ids[which]);
        index.assert_current(&reader, &ids[which]);
    }
    assert_sound(&reader);
}

pub(crate) fn any_sequence_of_changes<S: Site>() {
    let config = Config { cases: 96, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&steps(), |steps| {
            run::<S>(&steps);
            Ok(())
        })
        .unwrap();
}
