//! Bringing the index of a session up to date.

use std::path::Path;

use ai_assist_base::Cancel;
use ai_assist_embed::{Embedder, StaticModel};
use ai_assist_index::{Error as IndexError, IndexChunk, IndexDocument, Options, Reader, Versions, Writer};
use ai_assist_ingest::{Cut, Named, Vectors, each};
use ai_assist_store::objects::Objects;

use super::seen::Seen;
use crate::error::Result;
use crate::object::ObjectKind;

/// So many texts are held in memory at once.
const BATCH: usize = 256;

/// What is wrong with the index in a folder; none if it is sound, or not there.
pub fn index_damage(folder: &Path) -> Option<String> {
    let model = StaticModel::bundled();
    let checked =
        Reader::open(folder, &Versions::current(model.model()), model.dim()).and_then(|reader| reader.verify(model));
    match checked {
        Ok(()) | Err(IndexError::Missing(_) | IndexError::Incompatible { .. }) => None,
        Err(error) => Some(ai_assist_base::chain(&error)),
    }
}

/// The index with everything in it that was seen; none if nothing was.
pub(crate) fn up_to_date(
    objects: &dyn Objects,
    seen: &[Seen],
    folder: &Path,
    embedder: &dyn Embedder,
) -> Result<Option<Reader>> {
    let versions = Versions::current(embedder.model());
    let dim = embedder.dim();
    // One that is not there, or can't be read, is made anew.
    let reader = Reader::open(folder, &versions, dim).ok();
    let known = reader.as_ref().map(Reader::keys).transpose()?.unwrap_or_default();
    let missing: Vec<&Seen> = seen.iter().filter(|seen| !known.contains(&seen.seq.0)).collect();
    if missing.is_empty() {
        return Ok(reader);
    }
    let mut writer = match Writer::open(folder, &versions, dim, Options { threads: 1 }) {
        // Another process feeds it: what is there has to do this time.
        Err(IndexError::Busy { .. }) if reader.is_some() => return Ok(reader),
        Err(error) if error.rebuild_helps() => Writer::rebuild(folder, &versions, dim, Options { threads: 1 })?,
        other => other?,
    };
    let (mut documents, mut chunks) = reader.as_ref().map_or((0, 0), |r| (r.commit().documents, r.commit().chunks));
    // A writer that starts anew has none of what a reader of the old one knew.
    let missing: Vec<&Seen> = if writer.seq() == 0 { seen.iter().collect() } else { missing };
    if writer.seq() == 0 {
        (documents, chunks) = (0, 0);
    }
    for batch in missing.chunks(BATCH) {
        let hashes: Vec<_> = batch.iter().map(|seen| seen.text).collect();
        let texts = objects.texts(&hashes)?;
        let jobs = batch.iter().zip(texts).filter_map(|(seen, text)| Some((*seen, text?)));
        let worker = || |(seen, text): (&Seen, String)| document(seen, &text, embedder);
        each(jobs, &Cancel::default(), worker, |document| {
            let document = document?;
            documents += 1;
            chunks += document.chunks.len() as u64;
            Ok::<(), crate::error::Error>(writer.put(document)?)
        })?;
    }
    let reached = seen.iter().map(|seen| seen.seq.0).max().unwrap_or(1).max(1);
    writer.commit(reached, documents, chunks)?;
    Ok(Some(Reader::open(folder, &versions, dim)?))
}

fn document(seen: &Seen, text: &str, embedder: &dyn Embedder) -> Result<IndexDocument> {
    let language = seen.language(text);
    let mut cut = Cut::whole(text, language);
    if seen.kind != ObjectKind::File {
        cut.title = Some(seen.label.clone());
    }
    if cut.chunks.is_empty() {
        // An empty result is found by what was asked, and its key must be known, or it would be looked at every time.
        cut.chunks.push(IndexChunk {
            lines: ai_assist_text::LineRange { start: 1, end: 1 },
            bytes: (0, 0),
            path: Vec::new(),
            kind: ai_assist_chunk::ChunkKind::Text,
            text: String::new(),
            defines: Vec::new(),
            place: None,
            unseen: Vec::new(),
        });
    }
    let named = Named { key: seen.seq.0, path: &seen.path, language, hash: seen.text.0 };
    Ok(cut.document(named, &Vectors::new(embedder, None))?)
}
