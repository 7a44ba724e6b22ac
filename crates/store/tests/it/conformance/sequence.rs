//! The order of changes, and how an index follows it.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use ai_assist_identity::Sha256;
use ai_assist_store::{Change, Changed, DocumentId, Seq, Store};

use super::Site;
use super::fixture::{all_changes, apply, assert_sound, folder, path, put, with_folder};

pub(crate) fn pages<S: Site>() {
    let (_site, mut store, id) = with_folder::<S>();
    let other = store.ensure_collection(&folder("other")).unwrap().id;
    for i in 0..10 {
        apply(&mut store, &id, vec![put(&format!("{i}"), "first\n")]);
        apply(&mut store, &other, vec![put(&format!("{i}"), "noise")]);
    }
    apply(&mut store, &id, vec![put("3", "second\ntime"), Change::Remove(path("5")), put("1", "third")]);
    let whole = all_changes(&store, &id, Seq(0), 100);
    let names: Vec<_> = whole
        .iter()
        .map(|change| match change {
            Changed::Put(document) => document.path.as_str().to_owned(),
            Changed::Removed { path, .. } => format!("-{}", path.as_str()),
        })
        .collect();
    assert_eq!(names, ["0", "2", "4", "6", "7", "8", "9", "3", "-5", "1"]);
    assert!(whole.windows(2).all(|pair| pair[0].seq() < pair[1].seq()));
    assert_eq!(whole.last().unwrap().seq(), store.state(&id).unwrap().unwrap().seq);
    for page in 1..=11 {
        assert_eq!(all_changes(&store, &id, Seq(0), page), whole, "{page}");
    }
    for (at, change) in whole.iter().enumerate() {
        assert_eq!(all_changes(&store, &id, change.seq(), 3), whole[at + 1..]);
    }
    assert_eq!(store.changes_since(&id, Seq(u64::MAX), 3).unwrap(), []);
    assert_eq!(store.changes_since(&id, Seq(0), 0).unwrap(), []);
    assert_eq!(store.changes_since(&id, Seq(0), usize::MAX).unwrap(), whole);
    for change in whole {
        if let Changed::Put(document) = change {
            assert_eq!(store.document(&id, &document.path).unwrap().unwrap(), document);
        }
    }
}

pub(crate) fn removals_in_order<S: Site>() {
    let (_site, mut store, id) = with_folder::<S>();
    let mut expected = Vec::new();
    for _ in 0..3 {
        let added = apply(&mut store, &id, vec![put("a", "again")])[0];
        let gone = apply(&mut store, &id, vec![Change::Remove(path("a"))])[0];
        assert_eq!(gone.0, added.0);
        expected.push(Changed::Removed { id: gone.0, path: path("a"), seq: gone.1 });
    }
    assert_eq!(all_changes(&store, &id, Seq(0), 2), expected);
}

pub(crate) fn pruned<S: Site>() {
    let (_site, mut store, id) = with_folder::<S>();
    let other = store.ensure_collection(&folder("other")).unwrap().id;
    for id in [&id, &other] {
        apply(&mut store, id, vec![put("a", "1"), put("b", "2"), put("c", "3")]);
        apply(&mut store, id, vec![Change::Remove(path("a")), Change::Remove(path("b"))]);
    }
    let first = all_changes(&store, &id, Seq(0), 10)[1].seq();
    let last = store.state(&id).unwrap().unwrap().seq;
    store.prune_tombstones(&id, first).unwrap();
    assert_eq!(store.state(&id).unwrap().unwrap().pruned, first);
    assert_eq!(all_changes(&store, &id, first, 10).len(), 1);
    // Never back, and never past the last change.
    store.prune_tombstones(&id, Seq(0)).unwrap();
    assert_eq!(store.state(&id).unwrap().unwrap().pruned, first);
    store.prune_tombstones(&id, Seq(u64::MAX)).unwrap();
    let state = store.state(&id).unwrap().unwrap();
    assert_eq!((state.pruned, state.seq), (last, last));
    assert_eq!(all_changes(&store, &id, Seq(0), 10).len(), 1);
    assert_eq!(all_changes(&store, &other, Seq(0), 10).len(), 3);
    assert_sound(&store);
}

pub(crate) fn numbers_are_never_given_twice<S: Site>() {
    let (site, mut store, id) = with_folder::<S>();
    let (mut ids, mut last) = (HashSet::new(), Seq(0));
    for round in 0..5 {
        let (document, seq) = apply(&mut store, &id, vec![put("a", "x")])[0];
        assert!(ids.insert(document) && seq > last, "{round}");
        last = apply(&mut store, &id, vec![Change::Remove(path("a"))])[0].1;
        assert!(last > seq);
        store.prune_tombstones(&id, last).unwrap();
        if round == 2 {
            store.drop_collection(&id).unwrap();
            store.ensure_collection(&folder("docs")).unwrap();
        }
        store = site.open();
    }
}

/// The protocol of the trait's documentation, followed to the letter by an index that is a map.
pub(crate) struct Index {
    pub(crate) reached: Seq,
    pub(crate) documents: BTreeMap<DocumentId, (String, String)>,
}

impl Index {
    pub(crate) fn catch_up(&mut self, store: &impl Store, id: &ai_assist_identity::CollectionId) {
        let state = store.state(id).unwrap().unwrap();
        if self.reached < state.pruned {
            *self = Index { reached: Seq(0), documents: BTreeMap::new() };
        }
        let changes = all_changes(store, id, self.reached, 2);
        self.reached = changes.last().map_or(Seq(0), Changed::seq).max(state.seq);
        for change in changes {
            match change {
                Changed::Put(new) => {
                    self.documents.insert(new.id, (new.path.as_str().to_owned(), new.text));
                }
                Changed::Removed { id, .. } => {
                    self.documents.remove(&id);
                }
            }
        }
    }

    pub(crate) fn assert_current(&self, store: &impl Store, id: &ai_assist_identity::CollectionId) {
        let current = store.heads(id).unwrap().into_iter().map(|head| {
            let text = store.document(id, &head.path).unwrap().unwrap().text;
            (head.id, (head.path.as_str().to_owned(), text))
        });
        assert_eq!(self.documents, current.collect());
    }
}

pub(crate) fn an_index_follows<S: Site>() {
    let (_site, mut store, id) = with_folder::<S>();
    let mut index = Index { reached: Seq(0), documents: BTreeMap::new() };
    apply(&mut store, &id, vec![put("a", "1"), put("b", "2")]);
    index.catch_up(&store, &id);
    index.assert_current(&store, &id);
    apply(&mut store, &id, vec![Change::Remove(path("b")), put("c", "3"), Change::Remove(path("c"))]);
    // Pruned before the index saw it: it starts over, and does so once.
    store.prune_tombstones(&id, Seq(u64::MAX)).unwrap();
    index.catch_up(&store, &id);
    index.assert_current(&store, &id);
    assert!(index.reached >= store.state(&id).unwrap().unwrap().pruned);
    store.drop_collection(&id).unwrap();
    store.ensure_collection(&folder("docs")).unwrap();
    index.catch_up(&store, &id);
    index.assert_current(&store, &id);
    assert!(index.documents.is_empty());
}

pub(crate) fn texts_as_they_were<S: Site>() {
    let (_site, mut store, id) = with_folder::<S>();
    let other = store.ensure_collection(&folder("other")).unwrap().id;
    let text_of = |store: &S::Store, (document, put): (DocumentId, Seq), text: &str| {
        store.text_at(document, put, &Sha256::of(text.as_bytes())).unwrap()
    };
    let first = apply(&mut store, &id, vec![put("a", "first"), put("b", "to go")]);
    // The same text in another collection, which goes its own way.
    let shared = apply(&mut store, &other, vec![put("a", "first")])[0];
    let index = store.state(&id).unwrap().unwrap().seq;
    store.prune_tombstones(&id, index).unwrap();
    let second = apply(&mut store, &id, vec![put("a", "second"), Change::Remove(path("b")), put("a", "third")]);
    let is_whole = |store: &S::Store| {
        assert_eq!(text_of(store, first[0], "first").as_deref(), Some("first"));
        assert_eq!(text_of(store, first[1], "to go").as_deref(), Some("to go"));
        assert_eq!(text_of(store, second[0], "second").as_deref(), Some("second"));
        assert_eq!(text_of(store, second[2], "third").as_deref(), Some("third"));
    };
    is_whole(&store);
    // The index has followed, but somebody may have the one before open.
    store.prune_tombstones(&id, second[2].1).unwrap();
    is_whole(&store);
    // An index that is built anew as it was says so again.
    store.prune_tombstones(&id, second[2].1).unwrap();
    is_whole(&store);
    assert_eq!(text_of(&store, (first[0].0, second[0].1), "first"), None);
    assert_sound(&store);
    apply(&mut store, &id, vec![put("c", "more")]);
    store.prune_tombstones(&id, Seq(u64::MAX)).unwrap();
    for (gone, text) in [(first[0], "first"), (first[1], "to go"), (second[0], "second")] {
        assert_eq!(text_of(&store, gone, text), None, "{text}");
    }
    assert_eq!(text_of(&store, second[2], "third").as_deref(), Some("third"));
    assert_eq!(text_of(&store, shared, "first").as_deref(), Some("first"));
    assert_sound(&store);
    // Nothing more changes.
    let fourth = apply(&mut store, &id, vec![put("a", "fourth")])[0];
    let third = |store: &S::Store| text_of(store, second[2], "third");
    store.forget_replaced(&id, Duration::ZERO).unwrap();
    assert_eq!(third(&store).as_deref(), Some("third"), "the index has not followed");
    store.prune_tombstones(&id, fourth.1).unwrap();
    store.forget_replaced(&id, Duration::from_secs(600)).unwrap();
    assert_eq!(third(&store).as_deref(), Some("third"), "somebody may have the index of before open");
    store.forget_replaced(&id, Duration::ZERO).unwrap();
    assert_eq!(third(&store), None);
    assert_eq!(text_of(&store, fourth, "fourth").as_deref(), Some("fourth"));
    assert_eq!(text_of(&store, shared, "first").as_deref(), Some("first"));
    store.forget_replaced(&id, Duration::ZERO).unwrap();
    store.forget_replaced(&folder("none").id, Duration::ZERO).unwrap();
    assert_sound(&store);
    // Dropped with what it had before.
    let gone = apply(&mut store, &other, vec![put("a", "else")])[0];
    assert!(store.drop_collection(&other).unwrap());
    assert_eq!((text_of(&store, shared, "first"), text_of(&store, gone, "else")), (None, None));
    assert_sound(&store);
}
