//! Requests sent twice.

use std::sync::Barrier;
use std::thread;

use ai_assist_identity::Sha256;
use ai_assist_store::objects::{ObjectBatch, Objects, Recorded, RequestId, Written};
use ai_assist_store::{Error, Seq};

use super::Site;
use super::fixture::{add, delta, id, put, requested};

pub(crate) fn done_once<S: Site>() {
    let site = S::new();
    let mut objects = site.open();
    let send = |objects: &mut S::Objects, word: &str| {
        objects.write(requested("r", vec![put("a", word), delta("a", "[1]"), put("b", word)])).unwrap()
    };
    let first = send(&mut objects, "one");
    assert!(!first.replayed && first.seqs.len() == 3);
    let again = Written { replayed: true, ..first.clone() };
    add(&mut objects, put("a", "meanwhile"));
    assert_eq!(send(&mut objects, "one"), again);
    // The fingerprint says what was asked, and these have none.
    assert_eq!(send(&mut site.open(), "two"), again);
    assert_eq!(objects.history(&id("a")).unwrap().len(), 3);
    let recorded = Recorded { fingerprint: None, reply: None, system: first.system, seqs: first.seqs };
    assert_eq!(site.open().recorded(&RequestId("r".to_owned())).unwrap(), Some(recorded));
    assert_eq!(objects.recorded(&RequestId("R".to_owned())).unwrap(), None);
    site.assert_sound();
}

fn fingerprinted(request: &str, asked: Option<&str>) -> ObjectBatch {
    ObjectBatch {
        fingerprint: asked.map(|asked| Sha256::of(asked.as_bytes())),
        ..requested(request, vec![put("a", "x")])
    }
}

pub(crate) fn reused<S: Site>() {
    let mut objects = S::new().open();
    objects.write(fingerprinted("r", Some("this"))).unwrap();
    objects.write(fingerprinted("none", None)).unwrap();
    assert!(objects.write(fingerprinted("r", Some("this"))).unwrap().replayed);
    for (request, asked) in [("r", Some("that")), ("r", None), ("none", Some("this"))] {
        let error = objects.write(fingerprinted(request, asked)).unwrap_err();
        assert!(matches!(&error, Error::RequestReused(of) if of.0 == request), "{error}");
    }
    assert_eq!(objects.history(&id("a")).unwrap().len(), 2);
}

pub(crate) fn without_writes<S: Site>() {
    let site = S::new();
    let mut objects = site.open();
    let first = objects.write(requested("r", Vec::new())).unwrap();
    assert!(first.seqs.is_empty() && !first.replayed);
    let again = site.open().write(requested("r", vec![put("a", "x")])).unwrap();
    assert_eq!(again, Written { replayed: true, ..first.clone() });
    assert_eq!(objects.history(&id("a")).unwrap(), []);
    assert_eq!(objects.last().unwrap(), (Seq(0), first.system));
    site.assert_sound();
}

/// What failed was not done, so it may be tried again under the same name.
pub(crate) fn that_fail<S: Site>() {
    let mut objects = S::new().open();
    objects.write(requested("r", vec![put("a", "x"), delta("b", "{}")])).unwrap_err();
    assert_eq!(objects.recorded(&RequestId("r".to_owned())).unwrap(), None);
    assert!(!objects.write(requested("r", vec![put("a", "x")])).unwrap().replayed);
}

pub(crate) fn with_a_reply<S: Site>() {
    let site = S::new();
    let answered = |reply: &str| ObjectBatch { reply: Some(reply.to_owned()), ..fingerprinted("r", Some("q")) };
    let large = "[\"ü\",\"and again\"]".repeat(5_000);
    let other = ObjectBatch { reply: Some(large.clone()), ..requested("large", Vec::new()) };
    site.open().write(other).unwrap();
    let recorded = site.open().recorded(&RequestId("large".to_owned())).unwrap().unwrap();
    assert_eq!(recorded.reply, Some(large));
    site.open().write(answered("{\"ü\":1}")).unwrap();
    site.open().write(answered("another")).unwrap();
    let recorded = site.open().recorded(&RequestId("r".to_owned())).unwrap().unwrap();
    assert_eq!(recorded.reply.as_deref(), Some("{\"ü\":1}"));
    assert_eq!(recorded.fingerprint, Some(Sha256::of(b"q")));
}

pub(crate) fn raced<S: Site>() {
    let site = S::new();
    let barrier = Barrier::new(6);
    let answers: Vec<Vec<Written>> = thread::scope(|scope| {
        let race = || {
            let mut objects = site.open();
            barrier.wait();
            (0..20).map(|n| objects.write(requested(&format!("r{n}"), vec![put("a", "x")])).unwrap()).collect()
        };
        let runners: Vec<_> = (0..6).map(|_| scope.spawn(race)).collect();
        runners.into_iter().map(|runner| runner.join().unwrap()).collect()
    });
    for n in 0..20 {
        let round: Vec<_> = answers.iter().map(|answers| &answers[n]).collect();
        assert_eq!(round.iter().filter(|written| !written.replayed).count(), 1);
        assert!(round.iter().all(|written| written.seqs == round[0].seqs && written.system == round[0].system));
    }
    assert_eq!(site.open().history(&id("a")).unwrap().len(), 20);
    site.assert_sound();
}
