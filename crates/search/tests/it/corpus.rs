//! Indexes made of small documents.

use std::path::Path;
use std::sync::Arc;

use ai_assist_base::Cancel;
use ai_assist_chunk::{ChunkKind, Defined};
use ai_assist_embed::{Embedder, StaticModel};
use ai_assist_identity::Sha256;
use ai_assist_index::{IndexChunk, IndexDocument, KeptText, Options, Reader, Texts, Versions, Writer};
use ai_assist_search::{Hit, Origin, Outcome, Question, Source, search};
use ai_assist_text::{Language, LineRange};

/// A document: its path, and the text of each of its chunks.
pub(crate) type Doc = (String, Vec<String>);

pub(crate) fn versions() -> Versions {
    Versions::current(StaticModel::bundled().model())
}

/// What a text defines: what stands after `fn` and `struct`, with a parent as in `Type::method`, and what stands after `#`.
fn defines(text: &str) -> Vec<Defined> {
    let words: Vec<&str> = text.split(' ').collect();
    let definition = |pair: &[&str]| {
        let kind = match pair[0] {
            "fn" => ChunkKind::Function,
            "struct" => ChunkKind::Struct,
            _ => return None,
        };
        let name = pair[1].split('(').next().unwrap_or_default();
        let (parent, name) = name.rsplit_once("::").map_or((None, name), |(parent, name)| (Some(parent), name));
        Some(Defined { name: name.to_owned(), parent: parent.map(str::to_owned), kind })
    };
    let heading = heading(text).map(|name| Defined { name, parent: None, kind: ChunkKind::Section });
    words.windows(2).filter_map(definition).chain(heading).collect()
}

fn heading(text: &str) -> Option<String> {
    text.lines().next()?.strip_prefix("# ").map(str::to_owned)
}

pub(crate) fn index_document(key: u64, (path, texts): &Doc) -> IndexDocument {
    let language = Language::detect(path, "");
    let chunks: Vec<IndexChunk> = texts
        .iter()
        .zip(1..)
        .map(|(text, line)| IndexChunk {
            defines: defines(text),
            place: None,
            unseen: Vec::new(),
            lines: LineRange { start: line, end: line },
            bytes: (0, text.len() as u64),
            path: vec![text.split(' ').next().unwrap_or_default().to_owned()],
            kind: if language == Language::RUST { ChunkKind::Function } else { ChunkKind::Section },
            text: text.clone(),
        })
        .collect();
    let title = texts.first().and_then(|text| heading(text));
    let vectors = IndexDocument::embed(title.as_deref(), &chunks, StaticModel::bundled(), None).unwrap();
    let (path, hash) = (path.clone(), Sha256::of(path.as_bytes()));
    IndexDocument { key, path, title, language, hash, chunks, vectors, kept: None }
}

/// One commit of puts and removals on the index in a folder.
pub(crate) fn commit(folder: &Path, puts: &[(u64, Doc)], removals: &[u64], living: u64) {
    let dim = StaticModel::DIM;
    let options = Options::default();
    let mut writer = match Writer::open(folder, &versions(), dim, options) {
        Ok(writer) => writer,
        Err(error) if error.rebuild_helps() => Writer::rebuild(folder, &versions(), dim, options).unwrap(),
        Err(error) => panic!("{error}"),
    };
    for (key, doc) in puts {
        writer.put(index_document(*key, doc)).unwrap();
    }
    removals.iter().for_each(|&key| writer.remove(key));
    let seq = writer.seq() + 1;
    writer.commit(seq, 0, living).unwrap();
}

pub(crate) fn open(folder: &Path) -> Reader {
    Reader::open(folder, &versions(), StaticModel::DIM).unwrap()
}

/// An index over documents of a few chunks each, with keys from 1.
pub(crate) fn index_of(folder: &Path, docs: &[(&str, &[&str])]) -> Arc<Reader> {
    let doc = |(path, chunks): &(&str, &[&str])| -> Doc {
        ((*path).to_owned(), chunks.iter().map(|text| (*text).to_owned()).collect())
    };
    let puts: Vec<(u64, Doc)> = (1..).zip(docs.iter().map(doc)).collect();
    commit(folder, &puts, &[], docs.iter().map(|(_, chunks)| chunks.len() as u64).sum());
    Arc::new(open(folder))
}

/// An index that does not keep its texts.
pub(crate) fn with_texts_elsewhere(folder: &Path, docs: &[(&str, &[&str])], texts: Arc<dyn Texts>) -> Reader {
    let options = Options { texts_elsewhere: true, ..Options::default() };
    let mut writer = Writer::rebuild(folder, &versions(), StaticModel::DIM, options).unwrap();
    for (key, (path, chunks)) in (1..).zip(docs) {
        let doc = ((*path).to_owned(), chunks.iter().map(|text| (*text).to_owned()).collect());
        let kept = KeptText { put: 1, text: chunks[0].into() };
        writer.put(IndexDocument { kept: Some(kept), ..index_document(key, &doc) }).unwrap();
    }
    writer.commit(1, 0, docs.len() as u64).unwrap();
    open(folder).with_texts(texts)
}

/// An index of an owner of its own.
pub(crate) fn source(reader: &Arc<Reader>, owner: usize) -> Source {
    let origin = Origin::Session { session: owner.to_string() };
    Source::new(Arc::clone(reader) as _, origin, None, owner)
}

pub(crate) fn sources(readers: &[Arc<Reader>]) -> Vec<Source> {
    readers.iter().enumerate().map(|(owner, reader)| source(reader, owner)).collect()
}

pub(crate) fn question(query: &str) -> Question {
    Question::new(query.parse().unwrap())
}

pub(crate) fn answer(sources: &[Source], question: &Question) -> Outcome {
    let outcome = search(sources, question, StaticModel::bundled(), &Cancel::default()).unwrap();
    assert!(outcome.lost.is_empty(), "{:?}", outcome.lost);
    outcome
}

/// Path, line and the exact bits of all scores of a hit.
pub(crate) fn identity(hit: &Hit) -> (String, u32, [u32; 3]) {
    (hit.document.clone(), hit.lines.start, [hit.score, hit.words, hit.cosine].map(f32::to_bits))
}

/// `path:line` of every hit, in order.
pub(crate) fn places(outcome: &Outcome) -> Vec<String> {
    outcome.hits.iter().map(|hit| format!("{}:{}", hit.document, hit.lines)).collect()
}
