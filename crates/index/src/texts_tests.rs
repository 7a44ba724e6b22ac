use std::collections::BTreeMap;
use std::sync::Mutex;

use ai_assist_chunk::ChunkKind;
use ai_assist_embed::{ModelId, Quantised};
use ai_assist_identity::Sha256;
use ai_assist_text::{Language, LineRange};
use tantivy::schema::Value;

use super::*;
use crate::{Filter, IndexChunk, IndexDocument, Options, PathGlobs, Versions, Writer};

/// A document whose chunks tell it, the round and their number.
fn document(key: u64, round: u64, chunks: u64) -> IndexDocument {
    let chunk = |number: u64| IndexChunk {
        defines: Vec::new(),
        place: None,
        unseen: Vec::new(),
        lines: LineRange { start: 1, end: 1 },
        bytes: (0, 0),
        path: Vec::new(),
        kind: ChunkKind::Text,
        text: format!("{key}.{round}.{number} ßé\n"),
    };
    let rows = chunks as usize;
    IndexDocument {
        key,
        path: format!("{}/{key}.md", key % 2),
        title: None,
        language: Language::MARKDOWN,
        hash: Sha256::of(&key.to_le_bytes()),
        chunks: (0..chunks).map(chunk).collect(),
        vectors: Quantised::from_parts(2, vec![1.0; rows], vec![1; rows * 2]).unwrap(),
        kept: None,
    }
}

fn text(key: u64, round: u64, chunks: u64) -> String {
    (0..chunks).map(|number| format!("{key}.{round}.{number} ßé\n")).collect()
}

fn texts(reader: &Reader, keys: Option<&[u64]>, mask: &Mask) -> BTreeMap<u64, String> {
    let found = Mutex::new(BTreeMap::new());
    let count = reader.texts(keys, mask, |document| {
        assert_eq!(document.record(0).unwrap().key, document.key);
        for (chunk, text) in document.chunks().enumerate() {
            let record = document.record(chunk).unwrap();
            assert_eq!((record.ordinal as usize, record.text.as_str()), (chunk, text));
        }
        assert!(document.record(document.chunks().count()).is_err());
        let parts: String = document.chunks().collect();
        assert_eq!(parts, document.text);
        assert!(found.lock().unwrap().insert(document.key, parts).is_none());
        Ok::<(), Error>(())
    });
    let found = found.into_inner().unwrap();
    assert_eq!(count.unwrap(), found.len());
    found
}

#[test]
fn documents_come_whole_and_in_order_however_their_chunks_lie() {
    let folder = tempfile::tempdir().unwrap();
    let versions = Versions::current(&ModelId::new("test", 1));
    let chunks = |key: u64| key % 7 * (1 + key % 40) + 1;
    let mut expected = BTreeMap::new();
    for round in 0..14u64 {
        // The first round leaves several segments with the chunks of each document in all of them.
        let options = Options { threads: if round == 0 { 4 } else { 1 }, ..Options::default() };
        let open = if round == 0 { Writer::rebuild } else { Writer::open };
        let mut writer = open(folder.path(), &versions, 2, options).unwrap();
        for key in (0..400).filter(|key| round == 0 || key % 50 == round) {
            writer.put(document(key, round, chunks(key))).unwrap();
            expected.insert(key, text(key, round, chunks(key)));
        }
        let gone = round * 3 + 1;
        writer.remove(gone);
        expected.remove(&gone);
        writer.commit(round, expected.len() as u64, 0).unwrap();
    }
    let reader = Reader::open(folder.path(), &versions, 2).unwrap();
    let all = Mask::all(reader.len());
    assert_eq!(texts(&reader, None, &all), expected);
    let some = |keys: &[u64]| -> BTreeMap<u64, String> {
        keys.iter().filter_map(|key| Some((*key, expected.get(key)?.clone()))).collect()
    };
    let many: Vec<u64> = (0..500).step_by(2).collect();
    for keys in [&[][..], &[5, 17, 300, 4000], &many] {
        assert_eq!(texts(&reader, Some(keys), &all), some(keys));
    }
    let filter = Filter { paths: Some(PathGlobs::new(&["1/**".to_owned()]).unwrap()), ..Filter::default() };
    let odd = texts(&reader, Some(&[4, 5, 6, 17]), &reader.select(&filter).unwrap());
    assert_eq!(odd, some(&[5, 17]));
}

#[test]
fn what_looking_fails_with_is_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let versions = Versions::current(&ModelId::new("test", 1));
    let mut writer = Writer::rebuild(folder.path(), &versions, 2, Options::default()).unwrap();
    (0..9).for_each(|key| writer.put(document(key, 0, 3)).unwrap());
    writer.commit(1, 9, 27).unwrap();
    let reader = Reader::open(folder.path(), &versions, 2).unwrap();
    let failed = |document: &DocumentText<'_>| {
        if document.key == 4 { Err(Error::Missing("here".into())) } else { Ok(()) }
    };
    assert!(matches!(reader.texts(None, reader.live(), failed), Err(Error::Missing(_))));
}

/// Texts by key and put.
#[derive(Default)]
struct Kept(Mutex<BTreeMap<(u64, u64), String>>);

impl crate::Texts for Kept {
    fn text(&self, place: &crate::TextPlace) -> Result<Option<String>, Box<dyn std::error::Error + Send + Sync>> {
        assert_eq!(place.hash, Sha256::of(&place.key.to_le_bytes()));
        let text = self.0.lock().unwrap().get(&(place.key, place.put)).cloned();
        if text.as_deref() == Some("broken") { Err("the store is broken".into()) } else { Ok(text) }
    }
}

/// A document of which the index keeps nothing but the chunk that is no piece of it.
fn kept_document(key: u64, put: u64, chunks: u64) -> (IndexDocument, String) {
    let mut document = document(key, put, chunks);
    let mut text = String::new();
    for chunk in &mut document.chunks {
        let start = text.len();
        text.push_str(&chunk.text);
        chunk.bytes = (start as u64, text.len() as u64);
    }
    if let Some(last) = document.chunks.last_mut().filter(|_| chunks > 2) {
        last.text = "put together\n".to_owned();
    }
    document.kept = Some(crate::KeptText { put, text: text.as_str().into() });
    (document, text)
}

/// What the index itself keeps of all its documents, as far as it can be read as text.
fn all_that_is_stored(reader: &Reader) -> String {
    let index = tantivy::Index::open_in_dir(reader.folder.join("g1/words")).unwrap();
    let searcher = index.reader().unwrap().searcher();
    let mut all = String::new();
    for segment in searcher.segment_readers() {
        for stored in segment.get_store_reader(1).unwrap().iter::<tantivy::TantivyDocument>(None) {
            let stored = stored.unwrap();
            for field in [reader.fields.record, reader.fields.whole] {
                let Some(value) = stored.get_first(field) else { continue };
                all.push_str(value.as_str().unwrap_or_default());
                all.push_str(&String::from_utf8_lossy(value.as_bytes().unwrap_or_default()));
                all.push('\n');
            }
        }
    }
    all
}

#[test]
fn texts_that_are_kept_elsewhere_are_read_from_there() {
    let folder = tempfile::tempdir().unwrap();
    let versions = Versions::current(&ModelId::new("test", 1));
    let options = Options { threads: 3, texts_elsewhere: true };
    let kept = std::sync::Arc::new(Kept::default());
    let (mut expected, mut chunks) = (BTreeMap::new(), 0);
    for round in 1..=2u64 {
        let open = if round == 1 { Writer::rebuild } else { Writer::open };
        let mut writer = open(folder.path(), &versions, 2, options).unwrap();
        for key in (0..60u64).filter(|key| round == 1 || key % 4 == 0) {
            let (document, text) = kept_document(key, round, key % 5 + 1);
            let shown: String = document.chunks.iter().map(|chunk| chunk.text.as_str()).collect();
            chunks += document.chunks.len() * usize::from(round == 1);
            expected.insert(key, shown);
            kept.0.lock().unwrap().insert((key, round), text);
            writer.put(document).unwrap();
        }
        // One whose text is kept nowhere else.
        writer.put(document(100, round, 2)).unwrap();
        expected.insert(100, text(100, round, 2));
        writer.commit(round, expected.len() as u64, (chunks + 2) as u64).unwrap();
    }
    let reader = Reader::open(folder.path(), &versions, 2).unwrap().with_texts(kept.clone());
    let stored = all_that_is_stored(&reader);
    // Not as the end of another's, whose number has more digits.
    let is_stored = |text: &str| {
        stored.match_indices(text).any(|(at, _)| !stored[..at].ends_with(|before: char| before.is_ascii_digit()))
    };
    assert!(is_stored("100.2.0 ßé") && is_stored("put together"), "{stored}");
    for ((key, put), text) in &*kept.0.lock().unwrap() {
        let first = text.lines().next().unwrap();
        assert!(!is_stored(first), "document {key} of put {put} is kept twice");
    }
    let all = Mask::all(reader.len());
    assert_eq!(texts(&reader, None, &all), expected);
    assert_eq!(texts(&reader, Some(&[4, 100]), &all).len(), 2);
    let mut at_once = reader.chunks();
    for position in reader.live().iter() {
        let chunk = at_once.read(position).unwrap();
        assert_eq!(chunk, reader.chunk(position).unwrap());
        assert!(expected[&chunk.key].contains(&chunk.text) && !chunk.text.is_empty());
    }
    // Gone, cut off, broken, and never given.
    let position_of =
        |key: u64| reader.live().iter().find(|&at| reader.chunk(at).is_ok_and(|it| it.key == key)).unwrap();
    let (gone, short, broken) = (position_of(8), position_of(12), position_of(16));
    let said = |reader: &Reader, position| ai_assist_base::chain(&reader.chunk(position).unwrap_err());
    kept.0.lock().unwrap().remove(&(8, 2));
    kept.0.lock().unwrap().insert((12, 2), String::new());
    kept.0.lock().unwrap().insert((16, 2), "broken".to_owned());
    assert!(said(&reader, gone).contains("nothing has the text of document 8"), "{}", said(&reader, gone));
    assert!(said(&reader, short).contains("a chunk is no piece of the text of document 12"));
    assert!(said(&reader, broken).ends_with("could not be read: the store is broken"), "{}", said(&reader, broken));
    assert!(!reader.chunk(broken).unwrap_err().rebuild_helps() && reader.chunk(gone).unwrap_err().rebuild_helps());
    assert!(reader.texts(None, &all, |_| Ok::<(), Error>(())).is_err());
    let bare = Reader::open(folder.path(), &versions, 2).unwrap();
    assert!(said(&bare, gone).contains("nobody has given it the text of document 8"));
    assert_eq!(texts(&bare, Some(&[100]), &all).len(), 1);
}
