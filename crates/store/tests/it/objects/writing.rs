//! Puts, deletions and deltas, and what is refused.

use ai_assist_identity::{ContentHash, Sha256};
use ai_assist_store::objects::{AsOf, Content, Expect, Moment, NewState, ObjectBatch, Objects, Op, VersionKind};
use ai_assist_store::{Error, Expected, Seq};

use super::Site;
use super::fixture::{add, batch, bodies, delete, delta, expecting, id, now, put, state, valid, word, write};

pub(crate) fn read_back<S: Site>() {
    let site = S::new();
    let mut objects = site.open();
    let before = Moment::now();
    let mut first = write("file-1", Op::Put(state("{\"a\":1}", Some("the text\n"))));
    first.source = Some("{\"path\":\"/a\"}".to_owned());
    if let Op::Put(state) = &mut first.op {
        state.extra = Some("{\"b\":2}".to_owned());
        state.file_hash = Some(Sha256::of(b"raw"));
    }
    let (seq, system) = add(&mut objects, first);
    assert!(system >= before && system <= Moment::now());
    for objects in [objects, site.open()] {
        let version = now(&objects, "file-1").unwrap();
        assert_eq!((version.head.seq, version.head.system), (seq, system));
        assert_eq!((version.head.valid_from, version.head.valid_to), (system, Moment::FOREVER));
        assert_eq!((&version.head.id, version.head.kind.as_str()), (&id("file-1"), "file"));
        assert_eq!(version.head.event, VersionKind::Put);
        assert_eq!(version.head.file_hash, Some(Sha256::of(b"raw")));
        assert_eq!(version.head.content_hash, Some(ContentHash::of("the text\n")));
        assert_eq!(version.head.size, 9);
        assert_eq!(version.source.as_deref(), Some("{\"path\":\"/a\"}"));
        assert_eq!(version.state.fields, "{\"a\":1}");
        assert_eq!(version.state.extra.as_deref(), Some("{\"b\":2}"));
        assert_eq!(version.state.text.as_deref(), Some("the text\n"));
        assert_eq!(objects.version(seq).unwrap().as_ref(), Some(&version));
        assert_eq!(objects.history(&id("file-1")).unwrap(), [version.head]);
    }
    site.assert_sound();
}

pub(crate) fn deleted<S: Site>() {
    let mut objects = S::new().open();
    let (first, _) = add(&mut objects, put("a", "one"));
    let (second, _) = add(&mut objects, delete("a"));
    assert_eq!(now(&objects, "a"), None);
    assert_eq!(objects.last_of(&id("a")).unwrap(), Some(second));
    assert_eq!(objects.version(second).unwrap(), None);
    assert_eq!(objects.version(first).unwrap().unwrap().state.fields, "\"one\"");
    add(&mut objects, put("a", "two"));
    assert_eq!(now(&objects, "a").unwrap().state.fields, "\"two\"");
    let events: Vec<_> = objects.history(&id("a")).unwrap().into_iter().map(|head| head.event).collect();
    assert_eq!(events, [VersionKind::Put, VersionKind::Delete, VersionKind::Put]);
    // A deletion of what never was is noted too.
    add(&mut objects, delete("b"));
    assert_eq!((now(&objects, "b"), objects.history(&id("b")).unwrap().len()), (None, 1));
}

pub(crate) fn changed_by_deltas<S: Site>() {
    let site = S::new();
    let mut objects = site.open();
    let (base, _) = add(&mut objects, put("s", "base"));
    let content = Some(Content::new("said"));
    let (first, system) = add(&mut objects, write("s", Op::Delta { body: "[1]".to_owned(), content }));
    let (second, _) = add(&mut objects, delta("s", "[2]"));
    let version = now(&objects, "s").unwrap();
    assert_eq!((version.head.seq, version.state.fields.as_str()), (base, "\"base\""));
    let deltas = objects.deltas(&id("s"), AsOf::default()).unwrap();
    assert_eq!(deltas.iter().map(|delta| delta.seq).collect::<Vec<_>>(), [first, second]);
    assert_eq!((deltas[0].system, deltas[0].valid_from), (system, system));
    assert_eq!((deltas[0].body.as_str(), deltas[0].content_hash), ("[1]", Some(ContentHash::of("said"))));
    assert_eq!((deltas[1].body.as_str(), deltas[1].content_hash), ("[2]", None));
    assert_eq!(objects.texts(&[ContentHash::of("said")]).unwrap(), [Some("said".to_owned())]);
    assert_eq!(objects.version(first).unwrap(), None);
    assert_eq!(objects.last_of(&id("s")).unwrap(), Some(second));
    // A new state starts anew.
    add(&mut objects, put("s", "again"));
    assert_eq!(bodies(&objects, "s", AsOf::default()), Vec::<String>::new());
    site.assert_sound();
}

pub(crate) fn a_batch_that_fails_leaves_nothing<S: Site>() {
    let site = S::new();
    let mut objects = site.open();
    add(&mut objects, put("a", "one"));
    let before = (objects.last().unwrap(), objects.events_since(Seq(0), 9).unwrap());
    let text = write("b", Op::Put(state("{}", Some("left behind"))));
    for bad in [delta("nothing", "{}"), expecting(put("a", "x"), Expect::Absent), valid(put("a", "x"), 7, Some(7))] {
        objects.write(batch(vec![put("a", "two"), text.clone(), bad])).unwrap_err();
        assert_eq!((objects.last().unwrap(), objects.events_since(Seq(0), 9).unwrap()), before);
        assert_eq!(objects.of_kind("file").unwrap(), [id("a")]);
        assert_eq!(objects.texts(&[ContentHash::of("left behind")]).unwrap(), [None]);
    }
    // The number that was not used is given to the next.
    assert_eq!(add(&mut objects, put("a", "three")).0, Seq(before.0.0.0 + 1));
    site.assert_sound();
}

pub(crate) fn kinds_and_sources<S: Site>() {
    let mut objects = S::new().open();
    let with = |kind: &'static str, source: Option<&str>| {
        let mut write = put("a", "x");
        (write.kind, write.source) = (kind, source.map(str::to_owned));
        write
    };
    add(&mut objects, with("file", Some("{\"path\":\"/a\"}")));
    add(&mut objects, with("file", Some("{\"path\":\"/a\"}")));
    add(&mut objects, with("file", None));
    for (bad, offered) in [(with("chat", None), "chat"), (with("file", Some("{\"path\":\"/b\"}")), "/b")] {
        let error = objects.write(batch(vec![bad])).unwrap_err();
        assert!(matches!(&error, Error::AnotherObject { id: of, .. } if *of == id("a")), "{error}");
        assert!(error.to_string().contains(offered), "{error}");
    }
    assert_eq!(now(&objects, "a").unwrap().source.as_deref(), Some("{\"path\":\"/a\"}"));
    assert_eq!(objects.history(&id("a")).unwrap().len(), 3);
    add(&mut objects, put("b", "x"));
    let mut late = put("b", "x");
    late.source = Some("{}".to_owned());
    assert!(matches!(objects.write(batch(vec![late])), Err(Error::AnotherObject { .. })));
}

pub(crate) fn spans_that_end_before_they_begin<S: Site>() {
    let mut objects = S::new().open();
    for (from, to) in [(5, Some(5)), (5, Some(4)), (i64::MAX, None), (i64::MIN, Some(i64::MIN))] {
        let error = objects.write(batch(vec![valid(put("a", "x"), from, to)])).unwrap_err();
        assert!(matches!(error, Error::BadValidity { .. }), "{error}");
    }
    let mut ended = put("a", "x");
    ended.valid.to = Some(Moment(5));
    assert!(matches!(objects.write(batch(vec![ended])), Err(Error::BadValidity { .. })));
    add(&mut objects, valid(put("a", "x"), i64::MIN, Some(i64::MAX)));
}

pub(crate) fn expected_versions<S: Site>() {
    let mut objects = S::new().open();
    let conflict = |result, expected, found| {
        let Err(Error::VersionConflict { id: of, expected: wanted, found: there }) = result else {
            panic!("{result:?}");
        };
        assert_eq!((of, wanted, there), (id("a"), Expected(expected), Expected(found)));
    };
    conflict(objects.write(batch(vec![expecting(put("a", "x"), Expect::At(Seq(1)))])), Some(Seq(1)), None);
    let (first, _) = add(&mut objects, expecting(put("a", "one"), Expect::Absent));
    conflict(objects.write(batch(vec![expecting(put("a", "x"), Expect::Absent)])), None, Some(first));
    let (second, _) = add(&mut objects, expecting(delta("a", "{}"), Expect::At(first)));
    conflict(objects.write(batch(vec![expecting(delete("a"), Expect::At(first))])), Some(first), Some(second));
    let (third, _) = add(&mut objects, expecting(delete("a"), Expect::At(second)));
    // Deleted is not the same as never written.
    conflict(objects.write(batch(vec![expecting(put("a", "x"), Expect::Absent)])), None, Some(third));
    add(&mut objects, put("b", "other"));
    add(&mut objects, expecting(put("a", "two"), Expect::At(third)));
    assert_eq!(objects.history(&id("a")).unwrap().len(), 4);
}

pub(crate) fn expected_within_a_batch<S: Site>() {
    let mut objects = S::new().open();
    let twice = vec![expecting(put("a", "one"), Expect::Absent), expecting(put("a", "two"), Expect::Absent)];
    assert!(matches!(objects.write(batch(twice)), Err(Error::VersionConflict { .. })));
    let written = objects.write(batch(vec![put("a", "one"), delta("a", "[1]"), put("b", "two")])).unwrap();
    assert_eq!(written.seqs.len(), 3);
    assert!(written.seqs.windows(2).all(|pair| pair[0] < pair[1]));
    let heads = objects.events_since(Seq(0), 9).unwrap();
    assert!(heads.iter().all(|head| head.system == written.system));
}

pub(crate) fn deltas_to_nothing<S: Site>() {
    let mut objects = S::new().open();
    let unknown = |result| assert!(matches!(result, Err(Error::UnknownObject(of)) if of == id("s")));
    unknown(objects.write(batch(vec![delta("s", "{}")])));
    add(&mut objects, put("s", "one"));
    // What happened before the object was noted may still be told of it.
    add(&mut objects, valid(delta("s", "[1]"), 5, None));
    assert_eq!(bodies(&objects, "s", AsOf::default()), ["[1]"]);
    add(&mut objects, delete("s"));
    unknown(objects.write(batch(vec![delta("s", "{}")])));
    add(&mut objects, put("s", "two"));
    add(&mut objects, delta("s", "[2]"));
    assert_eq!(bodies(&objects, "s", AsOf::default()), ["[2]"]);
}

pub(crate) fn nothing_to_write<S: Site>() {
    let mut objects = S::new().open();
    let written = objects.write(ObjectBatch::default()).unwrap();
    assert!(written.seqs.is_empty() && !written.replayed);
    assert_eq!(objects.last().unwrap(), (Seq(0), Moment(0)));
}

pub(crate) fn large_and_odd<S: Site>() {
    let site = S::new();
    let mut objects = site.open();
    let noise: String = (0..300_000u32).map(|i| format!("{:x}", i.wrapping_mul(2_654_435_761))).collect();
    let texts = ["", "\u{0}", "a\u{0}b", "ü\r\n\u{10ffff}", &"same ".repeat(1_000_000), &noise];
    for (at, text) in texts.iter().enumerate() {
        let name = format!("o/{at}/ü");
        let state = NewState { extra: Some((*text).to_owned()), ..state(text, Some(text)) };
        add(&mut objects, write(&name, Op::Put(state)));
        let content = Some(Content::new(*text));
        add(&mut objects, write(&name, Op::Delta { body: (*text).to_owned(), content }));
        let version = now(&objects, &name).unwrap();
        assert!(version.state.fields == *text && version.state.extra.as_deref() == Some(text), "{at}");
        assert!(version.state.text.as_deref() == Some(text), "{at}");
        assert_eq!(version.head.size, text.len() as u64);
        assert!(bodies(&objects, &name, AsOf::default()) == [*text], "{at}");
    }
    let longest = "x".repeat(200);
    add(&mut objects, put(&longest, "y"));
    assert_eq!(word(&objects, &longest, AsOf::default()).as_deref(), Some("y"));
    site.assert_sound();
}

/// A thousand versions that alternate between two texts hold two texts.
pub(crate) fn texts_are_shared<S: Site>() {
    let site = S::new();
    let mut objects = site.open();
    let texts = ["one text\n".repeat(100), "another text\n".repeat(100)];
    let put = |n: usize| write("a", Op::Put(state("{}", Some(&texts[n % 2]))));
    objects.write(batch((0..500).map(put).collect())).unwrap();
    objects.write(batch((500..1000).map(put).collect())).unwrap();
    assert_eq!(objects.history(&id("a")).unwrap().len(), 1000);
    let forgotten = objects.forget(&[id("a")], None).unwrap();
    assert_eq!((forgotten.events, forgotten.texts), (1000, 2));
    assert!(forgotten.bytes < 200, "{forgotten:?}");
    site.assert_sound();
}
