//! Documents go in and come out as they were.

use ai_assist_identity::Sha256;
use ai_assist_store::{Applied, Change, Chunk, Error, Seq, Store};
use ai_assist_text::{Language, LineRange};

use super::Site;
use super::fixture::{
    all_changes, apply, apply_one, assert_same, assert_sound, document, folder, path, put, stamp, with_folder,
};

pub(crate) fn read_back<S: Site>() {
    let (site, mut store, id) = with_folder::<S>();
    let new = document("guide/start.md", "# Start\n\nfn main() {}\nlast ünd ß\n");
    let applied = apply_one(&mut store, &id, Change::put(new.clone()).unwrap());
    let stored = site.open().document(&id, &new.path).unwrap().unwrap();
    assert_eq!(applied, Applied::Put { id: stored.id, seq: stored.seq });
    assert_same(&stored, &new);
    let heads = store.heads(&id).unwrap();
    assert_eq!(heads.len(), 1);
    let head = &heads[0];
    assert_eq!(
        (head.id, &head.path, head.hash, head.stamp, head.seq),
        (stored.id, &new.path, new.hash, new.stamp, stored.seq)
    );
    let state = store.state(&id).unwrap().unwrap();
    assert_eq!((state.documents, state.chunks, state.bytes, state.seq), (1, 4, new.text.len() as u64, stored.seq));
    assert_sound(&store);
}

pub(crate) fn replaced<S: Site>() {
    let (_site, mut store, id) = with_folder::<S>();
    let first = apply(&mut store, &id, vec![put("a", "one\ntwo\nthree\n"), put("b", "other")])[0];
    let mut new = document("a", "new\n");
    new.stamp = None;
    let second = apply_one(&mut store, &id, Change::put(new.clone()).unwrap()).document().unwrap();
    assert_eq!(second.0, first.0);
    assert!(second.1 > first.1);
    let stored = store.document(&id, &new.path).unwrap().unwrap();
    assert_same(&stored, &new);
    let state = store.state(&id).unwrap().unwrap();
    assert_eq!((state.documents, state.chunks, state.bytes, state.seq), (2, 2, 9, second.1));
    // The same again is a change too: a forced sync must reach the index.
    assert!(apply_one(&mut store, &id, Change::put(new).unwrap()).document().unwrap().1 > second.1);
    assert_sound(&store);
}

pub(crate) fn removed<S: Site>() {
    let (_site, mut store, id) = with_folder::<S>();
    let added = apply(&mut store, &id, vec![put("a", "one\ntwo\n"), put("b", "other")]);
    let gone = apply_one(&mut store, &id, Change::Remove(path("a")));
    assert!(matches!(gone, Applied::Removed { id, seq } if id == added[0].0 && seq > added[1].1), "{gone:?}");
    assert_eq!(apply_one(&mut store, &id, Change::Remove(path("a"))), Applied::Absent);
    assert_eq!(store.document(&id, &path("a")).unwrap(), None);
    let state = store.state(&id).unwrap().unwrap();
    assert_eq!((state.documents, state.chunks, state.bytes), (1, 1, 5));
    assert_eq!(state.seq, gone.document().unwrap().1);
    assert_sound(&store);
}

pub(crate) fn touched<S: Site>() {
    let (_site, mut store, id) = with_folder::<S>();
    let added = apply(&mut store, &id, vec![put("a", "one")])[0];
    let before = store.state(&id).unwrap();
    for new in [Some(stamp(77)), None, Some(stamp(78))] {
        let change = Change::Touch { path: path("a"), stamp: new };
        assert_eq!(apply_one(&mut store, &id, change), Applied::Touched { id: added.0, seq: added.1 });
        assert_eq!(store.heads(&id).unwrap()[0].stamp, new);
    }
    assert_eq!(store.state(&id).unwrap(), before);
    assert_eq!(all_changes(&store, &id, added.1, 10), []);
    let absent = Change::Touch { path: path("b"), stamp: None };
    assert_eq!(apply_one(&mut store, &id, absent), Applied::Absent);
}

pub(crate) fn odd_paths<S: Site>() {
    let (_site, mut store, id) = with_folder::<S>();
    let names = [
        "a b/c d.md", "ü/ß.md", "u\u{308}/ß.md", "line\nbreak", "tab\tand\u{1b}[31mred", "quote'\"`;--", "%00",
        "%FF%FE.md", "back\\slash", "日本語/文書.md", "🦀", "A", "a", "a.md", "a/b", "a-b", "-rf", "*?[x]", "NULL",
        "0x10",
    ];
    // What the path type refuses or respells never comes here.
    let mut kept: Vec<&str> =
        names.into_iter().filter(|name| ai_assist_identity::DocPath::parse(name).is_ok()).collect();
    assert!(kept.len() >= 12, "{kept:?}");
    apply(&mut store, &id, kept.iter().map(|name| put(name, &format!("text of {name}\nend"))).collect());
    kept.sort_unstable();
    let heads = store.heads(&id).unwrap();
    assert_eq!(heads.iter().map(|head| head.path.as_str()).collect::<Vec<_>>(), kept);
    for name in &kept {
        let stored = store.document(&id, &path(name)).unwrap().unwrap();
        assert_same(&stored, &document(name, &format!("text of {name}\nend")));
    }
    apply(&mut store, &id, kept.iter().map(|name| Change::Remove(path(name))).collect());
    assert_eq!(store.heads(&id).unwrap(), []);
    assert_eq!(all_changes(&store, &id, Seq(0), 7).len(), kept.len());
    assert_sound(&store);
}

pub(crate) fn odd_texts<S: Site>() {
    let (_site, mut store, id) = with_folder::<S>();
    let long_line = "x".repeat(70_000);
    let texts = ["", "\n", "\0\0nul\0", "\r\n\r", "\u{feff}bom", "no end", "e\u{301}\u{10ffff}\u{200b}", &long_line];
    let new: Vec<_> = texts.iter().enumerate().map(|(i, text)| document(&format!("{i}"), text)).collect();
    apply(&mut store, &id, new.iter().map(|new| Change::put(new.clone()).unwrap()).collect());
    for new in &new {
        assert_same(&store.document(&id, &new.path).unwrap().unwrap(), new);
    }
    let state = store.state(&id).unwrap().unwrap();
    assert_eq!(state.bytes, texts.iter().map(|text| text.len() as u64).sum::<u64>());
    assert_sound(&store);
}

pub(crate) fn a_large_text<S: Site>() {
    let (_site, mut store, id) = with_folder::<S>();
    // Not one repeated line: that would compress to nothing.
    let mut text = String::new();
    let mut word = 0x9e37_79b9_u32;
    while text.len() < 40 << 20 {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.push_str(&format!("{word:x} "));
    }
    let mut new = document("large", &text);
    new.chunks = vec![Chunk {
        bytes: 0..text.len(),
        lines: LineRange { start: 1, end: 1 },
        path: Vec::new(),
        kind: "text".into(),
        language: Language::TEXT,
        hash: None,
    }];
    apply(&mut store, &id, vec![Change::put(new.clone()).unwrap(), put("small", "after it")]);
    assert_same(&store.document(&id, &new.path).unwrap().unwrap(), &new);
    // A page ends after a large text rather than growing without bound, and the rest is not lost.
    assert_eq!(store.changes_since(&id, Seq(0), 100).unwrap().len(), 1);
    assert_eq!(all_changes(&store, &id, Seq(0), 100).len(), 2);
}

pub(crate) fn one_path_twice_in_a_batch<S: Site>() {
    let (_site, mut store, id) = with_folder::<S>();
    let done = store
        .apply(
            &id,
            vec![put("a", "one"), put("a", "two\nlines"), Change::Remove(path("a")), put("a", "three"), put("b", "b")],
        )
        .unwrap();
    let [
        Applied::Put { id: one, .. },
        Applied::Put { id: two, .. },
        Applied::Removed { id: gone, .. },
        Applied::Put { id: new, seq },
        _,
    ] = done[..]
    else {
        panic!("{done:?}")
    };
    assert_eq!((one, one), (two, gone));
    assert_ne!(one, new);
    let stored = store.document(&id, &path("a")).unwrap().unwrap();
    assert_eq!((stored.id, stored.seq, stored.text.as_str()), (new, seq, "three"));
    assert_eq!(store.state(&id).unwrap().unwrap().bytes, 6);
    assert_sound(&store);
}

pub(crate) fn a_batch_that_fails_leaves_nothing<S: Site>() {
    let (site, mut store, id) = with_folder::<S>();
    apply(&mut store, &id, vec![put("a", "one")]);
    let before = (store.heads(&id).unwrap(), store.state(&id).unwrap());
    let unknown = folder("else").id;
    let error = store.apply(&unknown, vec![put("a", "two"), Change::Remove(path("a"))]).unwrap_err();
    assert!(matches!(error, Error::UnknownCollection(id) if id == unknown));
    assert!(matches!(store.prune_tombstones(&unknown, Seq(1)), Err(Error::UnknownCollection(_))));
    assert_eq!((site.open().heads(&id).unwrap(), store.state(&id).unwrap()), before);
    assert_eq!(store.apply(&id, Vec::new()).unwrap(), []);
    assert_eq!(store.state(&id).unwrap(), before.1);
    assert_sound(&store);
}

pub(crate) fn listed_in_order<S: Site>() {
    let (_site, mut store, id) = with_folder::<S>();
    let names = ["z", "a/b", "a", "a.md", "Z", "ä"];
    apply(&mut store, &id, names.iter().map(|name| put(name, "# T\nx\n")).collect());
    let listed = store.list_documents(&id).unwrap();
    let mut sorted = names;
    sorted.sort_unstable();
    assert_eq!(listed.iter().map(|info| info.path.as_str()).collect::<Vec<_>>(), sorted);
    let info = &listed[0];
    assert_eq!((info.size, info.lines, info.chunks, info.language), (6, 2, 2, Language::MARKDOWN));
    assert_eq!(info.hash, Sha256::of(b"# T\nx\n"));
    assert_eq!(store.document(&id, &info.path).unwrap().unwrap().updated_at, info.updated_at);
}

pub(crate) fn texts_are_shared<S: Site>() {
    let (_site, mut store, id) = with_folder::<S>();
    let other = store.ensure_collection(&folder("other")).unwrap().id;
    let text = "the same text everywhere\n".repeat(20);
    apply(&mut store, &id, vec![put("a", &text), put("b", &text)]);
    apply(&mut store, &other, vec![put("c", &text)]);
    apply(&mut store, &id, vec![put("a", "now different"), Change::Remove(path("b"))]);
    assert_sound(&store);
    assert_eq!(store.document(&other, &path("c")).unwrap().unwrap().text, text);
    apply(&mut store, &other, vec![Change::Remove(path("c"))]);
    assert_sound(&store);
    // Freed and written again.
    apply(&mut store, &other, vec![put("c", &text)]);
    assert_eq!(store.document(&other, &path("c")).unwrap().unwrap().text, text);
    assert_sound(&store);
}

pub(crate) fn chunks_outside_the_text<S: Site>() {
    let chunk = document("a", "aß\n").chunks.remove(0);
    #[expect(clippy::reversed_empty_ranges, reason = "that is one of the ways to be wrong")]
    let ranges = [0..5, 9..9, 2..3, 3..2];
    for bytes in ranges {
        let mut new = document("a", "aß\n");
        new.chunks = vec![chunk.clone(), Chunk { bytes: bytes.clone(), ..chunk.clone() }];
        let error = new.prepare().unwrap_err();
        assert!(matches!(error, Error::BadChunk { ordinal: 1, .. }), "{bytes:?}");
    }
    for lines in [LineRange { start: 0, end: 1 }, LineRange { start: 3, end: 2 }] {
        let mut new = document("a", "aß\n");
        new.chunks = vec![Chunk { lines, ..chunk.clone() }];
        assert!(matches!(new.prepare(), Err(Error::BadChunk { ordinal: 0, .. })));
    }
    // An empty chunk and one that overlaps another are the chunker's business.
    let mut new = document("a", "aß\n");
    new.chunks = vec![Chunk { bytes: 4..4, hash: None, ..chunk.clone() }, chunk.clone(), chunk];
    let (_site, mut store, id) = with_folder::<S>();
    apply(&mut store, &id, vec![Change::put(new.clone()).unwrap()]);
    assert_same(&store.document(&id, &new.path).unwrap().unwrap(), &new);
}

pub(crate) fn what_is_not_there<S: Site>() {
    let store = S::new();
    let (store, id) = (store.open(), folder("docs").id);
    assert_eq!(store.state(&id).unwrap(), None);
    assert_eq!(store.heads(&id).unwrap(), []);
    assert_eq!(store.list_documents(&id).unwrap(), []);
    assert_eq!(store.document(&id, &path("a")).unwrap(), None);
    assert_eq!(store.changes_since(&id, Seq(0), 10).unwrap(), []);
    assert_sound(&store);
}
