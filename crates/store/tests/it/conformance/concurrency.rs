//! Several connections at once.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ai_assist_identity::Sha256;
use ai_assist_store::{Change, Store};

use super::Site;
use super::fixture::{assert_sound, document, folder, path};

/// Documents in each batch.
const BATCH: u64 = 12;

/// All documents of a batch carry its round, so that a reader can tell a torn one. One path comes and goes.
pub(crate) fn round(round: u64) -> Vec<Change> {
    let mut changes: Vec<Change> = (0..BATCH)
        .map(|i| {
            // Another number of chunks each time, so that a document can't be read half old, half new.
            let mut new =
                document(&format!("d{i:02}"), &format!("round {round}\n{}", "more\n".repeat((round % 5) as usize)));
            new.stamp = Some(super::fixture::stamp(round));
            Change::put(new).unwrap()
        })
        .collect();
    if round % 2 == 1 {
        changes.push(Change::Remove(path("d00")));
    }
    changes
}

/// What holds after any whole number of rounds.
pub(crate) fn assert_whole(store: &impl Store, id: &ai_assist_identity::CollectionId) -> Option<u64> {
    let heads = store.heads(id).unwrap();
    let seen = heads.first()?.stamp.unwrap().size;
    assert!(heads.iter().all(|head| head.stamp.unwrap().size == seen), "a torn batch: {heads:?}");
    assert_eq!(heads.len() as u64, BATCH - seen % 2, "round {seen}");
    for head in heads {
        // It may have been replaced since, or be away for a round.
        if let Some(found) = store.document(id, &head.path).unwrap() {
            assert_eq!(found.hash, Sha256::of(found.text.as_bytes()));
            assert_eq!(found.chunks.len(), found.text.lines().count());
        }
    }
    Some(seen)
}

pub(crate) fn whole_batches_only<S: Site>() {
    let site = S::new();
    let ids = [folder("one"), folder("two")].map(|new| site.open().ensure_collection(&new).unwrap().id);
    let (done, reads) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        for reader in 0..3 {
            let (site, done, reads, id) = (&site, &done, &reads, &ids[reader % 2]);
            scope.spawn(move || {
                let store = site.open();
                let mut last = 0;
                while !done.load(Ordering::Relaxed) {
                    let seen = assert_whole(&store, id).unwrap_or(0);
                    assert!(seen >= last, "back from {last} to {seen}");
                    last = seen;
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let writers = ids.each_ref().map(|id| {
            let (site, reads) = (&site, &reads);
            scope.spawn(move || {
                let mut store = site.open();
                for number in 0..60 {
                    // On a busy machine all writes could be over before a reader has its turn.
                    let waiting = Instant::now();
                    while reads.load(Ordering::Relaxed) < number && waiting.elapsed() < Duration::from_secs(10) {
                        thread::sleep(Duration::from_millis(1));
                    }
                    store.apply(id, round(number)).unwrap();
                }
            })
        });
        // Readers end even when a writer fails, or the failure would be a hang.
        let written = writers.map(thread::ScopedJoinHandle::join);
        done.store(true, Ordering::Relaxed);
        assert!(written.iter().all(Result::is_ok));
    });
    assert!(reads.into_inner() > 10);
    let store = site.open();
    assert_eq!(ids.each_ref().map(|id| assert_whole(&store, id)), [Some(59), Some(59)]);
    assert_sound(&store);
}

pub(crate) fn many_open_at_once<S: Site>() {
    for _ in 0..5 {
        let site = S::new();
        let barrier = Barrier::new(8);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    barrier.wait();
                    site.open().ensure_collection(&folder("docs")).unwrap();
                });
            }
        });
        assert_eq!(site.open().collections().unwrap().len(), 1);
        assert_sound(&site.open());
    }
}
