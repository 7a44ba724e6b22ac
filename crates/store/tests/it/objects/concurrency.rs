//! Several connections at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ai_assist_store::objects::{AsOf, Expect, ObjectId, Objects};
use ai_assist_store::{Error, Seq};

use super::Site;
use super::fixture::{batch, delta, expecting, id, put, word};

/// Adds one to a number that others add to as well, as often as asked: read, write what was expected, or start over.
pub(crate) fn count(objects: &mut impl Objects, times: u64) {
    let mut done = 0;
    while done < times {
        // The version first: what is read after it is that old or newer, and if newer the write is refused.
        let expect = objects.last_of(&id("counter")).unwrap().map_or(Expect::Absent, Expect::At);
        let number: u64 = word(objects, "counter", AsOf::default()).map_or(0, |word| word.parse().unwrap());
        let next = expecting(put("counter", &(number + 1).to_string()), expect);
        match objects.write(batch(vec![next])) {
            Ok(_) => done += 1,
            Err(Error::VersionConflict { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

/// Every number once, in order.
pub(crate) fn assert_counted(objects: &impl Objects, times: u64) {
    let history = objects.history(&id("counter")).unwrap();
    assert_eq!(history.len() as u64, times);
    for (n, head) in (1..).zip(history) {
        assert_eq!(objects.version(head.seq).unwrap().unwrap().state.fields, format!("\"{n}\""));
    }
}

pub(crate) fn counted_by_many<S: Site>() {
    let site = S::new();
    thread::scope(|scope| {
        for _ in 0..5 {
            scope.spawn(|| count(&mut site.open(), 30));
        }
    });
    assert_counted(&site.open(), 150);
    site.assert_sound();
}

const WIDTH: usize = 8;

fn ids() -> Vec<ObjectId> {
    (0..WIDTH).map(|n| id(&format!("o{n}"))).collect()
}

/// Readers meet all of a batch or nothing of it, and never go back.
pub(crate) fn whole_batches_only<S: Site>() {
    let site = S::new();
    let (done, reads) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let (objects, mut last) = (site.open(), Seq(0));
                while !done.load(Ordering::Relaxed) {
                    let found = objects.get_many(&ids(), AsOf::default(), true).unwrap();
                    let mut words: Vec<_> = found.iter().map(|v| v.as_ref().map(|v| &v.state.fields)).collect();
                    words.dedup();
                    assert_eq!(words.len(), 1, "a torn batch: {found:?}");
                    let (reached, _) = objects.last().unwrap();
                    assert!(reached >= last);
                    last = reached;
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let writers = [0, 1].map(|writer| {
            let (site, reads) = (&site, &reads);
            scope.spawn(move || {
                let mut objects = site.open();
                for round in 0..40 {
                    // On a busy machine all writes could be over before a reader has its turn.
                    let waiting = Instant::now();
                    while reads.load(Ordering::Relaxed) < round && waiting.elapsed() < Duration::from_secs(10) {
                        thread::sleep(Duration::from_millis(1));
                    }
                    let mut writes: Vec<_> =
                        ids().iter().map(|id| put(id.as_str(), &format!("{writer}-{round}"))).collect();
                    writes.push(delta("o0", "{}"));
                    objects.write(batch(writes)).unwrap();
                }
            })
        });
        // Readers end even when a writer fails, or the failure would be a hang.
        let written = writers.map(thread::ScopedJoinHandle::join);
        done.store(true, Ordering::Relaxed);
        assert!(written.iter().all(Result::is_ok));
    });
    assert!(reads.into_inner() > 10);
    assert_eq!(site.open().events_since(Seq(0), 10_000).unwrap().len(), 80 * (WIDTH + 1));
    site.assert_sound();
}
