//! Collections and documents to try with.

use ai_assist_base::FileStamp;
use ai_assist_identity::{CollectionId, ContentHash, DocPath, Sha256};
use ai_assist_store::{Applied, Change, Changed, Chunk, Document, DocumentId, NewCollection, NewDocument, Seq, Store};
use ai_assist_text::{Language, LineMap};

pub(crate) fn folder(name: &str) -> NewCollection {
    let (path, glob) = (format!("/work/{name}"), "**/*.md".to_owned());
    let id = format!("file:{}", Sha256::of(format!("{path}{glob}").as_bytes()).hex());
    NewCollection { id: id.parse().unwrap(), path: Some(path), glob: Some(glob), url: None }
}

/// A store with one empty collection.
pub(crate) fn with_folder<S: super::Site>() -> (S, S::Store, CollectionId) {
    let site = S::new();
    let mut store = site.open();
    let id = store.ensure_collection(&folder("docs")).unwrap().id;
    (site, store, id)
}

pub(crate) fn path(text: &str) -> DocPath {
    DocPath::parse(text).unwrap()
}

pub(crate) fn stamp(n: u64) -> FileStamp {
    FileStamp { size: n, mtime_ns: -5, ctime_ns: i64::MAX, inode: u64::MAX - n }
}

/// A document of one chunk for each line.
pub(crate) fn document(at: &str, text: &str) -> NewDocument {
    let map = LineMap::new(text);
    let mut start = 0;
    let chunks = text.split_inclusive('\n').map(|line| {
        let bytes = start..start + line.len();
        start = bytes.end;
        let nth = map.line_of(bytes.start);
        Chunk {
            lines: map.lines_of(&bytes),
            path: (1..nth % 4).map(|depth| format!("§{depth} \"{at}\"")).collect(),
            kind: if nth.is_multiple_of(2) { "section" } else { "code" }.to_owned(),
            language: if nth.is_multiple_of(2) { Language::MARKDOWN } else { Language::RUST },
            hash: nth.is_multiple_of(3).then(|| ContentHash::of(line)),
            bytes,
        }
    });
    NewDocument {
        path: path(at),
        hash: Sha256::of(text.as_bytes()),
        source_size: text.len() as u64 + 3,
        stamp: Some(stamp(text.len() as u64)),
        title: (text.len() % 2 == 1).then(|| format!("On {at}")),
        language: Language::MARKDOWN,
        encoding: "utf-8".to_owned(),
        converter: Some("text/1".to_owned()),
        replaced: 1,
        redacted: 2,
        chunks: chunks.collect(),
        text: text.into(),
    }
}

pub(crate) fn put(at: &str, text: &str) -> Change {
    Change::put(document(at, text)).unwrap()
}

pub(crate) fn apply(store: &mut impl Store, id: &CollectionId, changes: Vec<Change>) -> Vec<(DocumentId, Seq)> {
    store.apply(id, changes).unwrap().into_iter().map(|applied| applied.document().unwrap()).collect()
}

pub(crate) fn apply_one(store: &mut impl Store, id: &CollectionId, change: Change) -> Applied {
    store.apply(id, vec![change]).unwrap()[0]
}

pub(crate) fn assert_same(stored: &Document, new: &NewDocument) {
    let back = NewDocument {
        path: stored.path.clone(),
        hash: stored.hash,
        source_size: stored.source_size,
        stamp: stored.stamp,
        title: stored.title.clone(),
        language: stored.language,
        encoding: stored.encoding.clone(),
        converter: stored.converter.clone(),
        replaced: stored.replaced,
        redacted: stored.redacted,
        text: stored.text.as_str().into(),
        chunks: stored.chunks.clone(),
    };
    assert_eq!(&back, new);
}

/// All changes after a point, in pages of the given size.
pub(crate) fn all_changes(store: &impl Store, id: &CollectionId, after: Seq, page: usize) -> Vec<Changed> {
    let mut changes: Vec<Changed> = Vec::new();
    loop {
        let reached = changes.last().map_or(after, Changed::seq);
        let more = store.changes_since(id, reached, page).unwrap();
        assert!(more.len() <= page);
        if more.is_empty() {
            return changes;
        }
        changes.extend(more);
    }
}

pub(crate) fn assert_sound(store: &impl Store) {
    assert_eq!(store.check().unwrap(), []);
}
