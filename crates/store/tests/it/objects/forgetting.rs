//! Cleaning up.

use std::collections::HashSet;

use ai_assist_identity::ContentHash;
use ai_assist_store::objects::{AsOf, Content, Expect, Forgotten, Objects, Op, RequestId};

use super::Site;
use super::fixture::{add, batch, delta, expecting, id, now, put, requested, state, write};

pub(crate) fn with_all_history<S: Site>() {
    let site = S::new();
    let mut objects = site.open();
    let text = |at: &str, text: &str| write(at, Op::Put(state("{}", Some(text))));
    let said = Op::Delta { body: "{}".to_owned(), content: Some(Content::new("said")) };
    objects.write(batch(vec![text("a", "mine"), text("a", "ours"), write("a", said), text("b", "ours")])).unwrap();
    objects.write(batch(vec![text("c", "theirs"), delta("c", "{}")])).unwrap();
    let kept = now(&objects, "b");
    let forgotten = objects.forget(&[id("a"), id("c"), id("a"), id("nothing")], None).unwrap();
    assert_eq!(forgotten, Forgotten { objects: 2, events: 5, texts: 3, bytes: 4 + 4 + 6 });
    for gone in ["a", "c"] {
        assert_eq!(objects.get(&id(gone), AsOf::default()).unwrap(), None);
        assert_eq!(objects.history(&id(gone)).unwrap(), []);
        assert_eq!(objects.last_of(&id(gone)).unwrap(), None);
    }
    assert_eq!(now(&objects, "b"), kept);
    assert_eq!(objects.of_kind("file").unwrap(), [id("b")]);
    let left = objects.texts(&["mine", "ours", "said"].map(ContentHash::of)).unwrap();
    assert_eq!(left, [None, Some("ours".to_owned()), None]);
    site.assert_sound();
    // The name is free again, for whatever kind.
    let mut other = expecting(put("a", "new"), Expect::Absent);
    other.kind = "chat";
    add(&mut objects, other);
    assert_eq!(objects.history(&id("a")).unwrap().len(), 1);
    site.assert_sound();
}

pub(crate) fn numbers_are_never_given_twice<S: Site>() {
    let site = S::new();
    let (mut seen, mut last) = (HashSet::new(), None);
    for _ in 0..5 {
        let mut objects = site.open();
        let (seq, system) = add(&mut objects, put("a", "x"));
        assert!(seen.insert(seq));
        assert!(last < Some((seq, system)));
        last = Some((seq, system));
        objects.forget(&[id("a")], None).unwrap();
        // The last time stands, though the event is gone.
        assert_eq!(objects.last().unwrap().1, system);
    }
}

pub(crate) fn requests_are_still_known<S: Site>() {
    let mut objects = S::new().open();
    let first = objects.write(requested("r", vec![put("a", "x"), put("b", "y")])).unwrap();
    objects.forget(&[id("a")], None).unwrap();
    assert_eq!(objects.recorded(&RequestId("r".to_owned())).unwrap().unwrap().seqs, first.seqs);
    assert!(objects.write(requested("r", vec![put("a", "x")])).unwrap().replayed);
    assert_eq!(now(&objects, "a"), None);
}

pub(crate) fn a_stamp_tells_every_change<S: Site>() {
    let site = S::new();
    let (mut objects, mut other) = (site.open(), site.open());
    let mut known = HashSet::from([objects.stamp().unwrap()]);
    let mut is_new = |objects: &S::Objects, what: &str| {
        let stamp = objects.stamp().unwrap();
        assert!(known.insert(stamp), "{what}");
        assert_eq!(objects.stamp().unwrap(), stamp, "{what}");
    };
    add(&mut objects, put("a", "x"));
    is_new(&objects, "a put");
    add(&mut other, delta("a", "{}"));
    is_new(&objects, "a change by somebody else");
    add(&mut other, put("b", "y"));
    is_new(&objects, "a second put");
    other.forget(&[id("b")], None).unwrap();
    is_new(&objects, "a removal");
    other.forget(&[id("a")], None).unwrap();
    is_new(&objects, "another removal");
    let stamp = objects.stamp().unwrap();
    objects.get(&id("a"), AsOf::default()).unwrap();
    objects.write(batch(Vec::new())).unwrap();
    assert_eq!(other.stamp().unwrap(), stamp, "nothing");
}
