//! Indexes made of small documents.

use std::path::Path;

use ai_assist_chunk::ChunkKind;
use ai_assist_embed::{Embedder, StaticModel};
use ai_assist_identity::Sha256;
use ai_assist_index::{IndexChunk, IndexDocument, Options, Reader, Versions, Writer};
use ai_assist_search::{Mode, Query, Request, search};
use ai_assist_text::{Language, LineRange};

/// A document: its path, and the text of each of its chunks.
pub(crate) type Doc = (String, Vec<String>);

pub(crate) fn versions() -> Versions {
    Versions::current(StaticModel::bundled().model())
}

pub(crate) fn index_document(key: u64, (path, texts): &Doc) -> IndexDocument {
    let language = Language::detect(path, "");
    let chunks: Vec<IndexChunk> = texts
        .iter()
        .zip(1..)
        .map(|(text, line)| IndexChunk {
            lines: LineRange { start: line, end: line },
            bytes: (0, text.len() as u64),
            path: vec![text.split(' ').next().unwrap_or_default().to_owned()],
            kind: if language == Language::RUST { ChunkKind::Function } else { ChunkKind::Section },
            text: text.clone(),
        })
        .collect();
    let vectors = IndexDocument::embed(None, &chunks, StaticModel::bundled(), None).unwrap();
    IndexDocument { key, path: path.clone(), title: None, language, hash: Sha256::of(path.as_bytes()), chunks, vectors }
}

/// One commit of puts and removals on the index in a folder.
pub(crate) fn commit(folder: &Path, puts: &[(u64, Doc)], removals: &[u64], living: u64) {
    let dim = StaticModel::DIM;
    let options = Options { threads: 1 };
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

/// Path, lines and the exact bits of all scores of every hit, in order.
pub(crate) fn ranking(readers: &[&Reader], query: &str, mode: Mode) -> Vec<(String, u32, [u32; 3])> {
    let query: Query = query.parse().unwrap();
    let mut request = Request::new(&query);
    (request.mode, request.limit) = (mode, 50);
    let found = search(readers, &request, StaticModel::bundled()).unwrap();
    let bits = |hit: &ai_assist_search::Hit| [hit.score, hit.words, hit.cosine].map(f32::to_bits);
    found.hits.iter().map(|hit| (hit.chunk.document.clone(), hit.chunk.lines.start, bits(hit))).collect()
}
