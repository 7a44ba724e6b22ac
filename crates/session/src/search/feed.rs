//! Bringing the index of a session up to date.

use std::path::Path;

use ai_assist_base::{Cancel, read_bounded, replace_file};
use ai_assist_embed::{Embedder, StaticModel};
use ai_assist_identity::Sha256;
use ai_assist_index::{Commit, Error as IndexError, IndexChunk, IndexDocument, Options, Reader, Versions, Writer};
use ai_assist_ingest::{Cut, Named, Vectors, each};
use ai_assist_store::objects::Objects;
use serde::{Deserialize, Serialize};

use super::seen::Seen;
use crate::error::Result;
use crate::object::ObjectKind;

/// So many texts are held in memory at once.
const BATCH: usize = 256;
const COMPLETE: &str = "complete.json";

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

/// An index, and whether it has everything that was seen. It may have more.
pub(crate) struct Fed {
    pub(crate) reader: Reader,
    pub(crate) has_all: bool,
}

impl Fed {
    /// Whether it has what was seen and nothing else.
    pub(crate) fn is_just(&self, seen: &[Seen]) -> bool {
        self.has_all && self.reader.commit().documents == seen.len() as u64
    }
}

/// The index with everything in it that was seen; none if nothing was.
pub(crate) fn up_to_date(
    objects: &dyn Objects,
    seen: &[Seen],
    folder: &Path,
    embedder: &dyn Embedder,
) -> Result<Option<Fed>> {
    let versions = Versions::current(embedder.model());
    let dim = embedder.dim();
    // One that is not there, or can't be read, is made anew.
    let reader = Reader::open(folder, &versions, dim).ok();
    let reader = match reader {
        Some(reader) if Complete::of(seen, reader.commit()).is_in(folder) => {
            return Ok(Some(Fed { reader, has_all: true }));
        }
        other => other,
    };
    let lacks = |reader: &Reader| {
        let known = reader.keys()?;
        Ok::<_, IndexError>(seen.iter().filter(|seen| !known.contains(&seen.seq.0)).collect::<Vec<&Seen>>())
    };
    let has_all = match &reader {
        Some(reader) => lacks(reader)?.is_empty(),
        None => seen.is_empty(),
    };
    if has_all {
        reader.iter().for_each(|reader| Complete::of(seen, reader.commit()).note(folder));
        return Ok(reader.map(|reader| Fed { reader, has_all: true }));
    }
    let mut writer = match Writer::open(folder, &versions, dim, Options::default()) {
        // Another process feeds it: what is there has to do this time.
        Err(IndexError::Busy { .. }) if reader.is_some() => {
            return Ok(reader.map(|reader| Fed { reader, has_all: false }));
        }
        Err(error) if error.rebuild_helps() => Writer::rebuild(folder, &versions, dim, Options::default())?,
        other => other?,
    };
    // Looked at again under the lock: somebody may have fed it meanwhile. A writer that starts anew has none of what was there.
    let reader = if writer.seq() == 0 { None } else { Some(Reader::open(folder, &versions, dim)?) };
    let missing: Vec<&Seen> = match &reader {
        Some(reader) => lacks(reader)?,
        None => seen.iter().collect(),
    };
    let (mut documents, mut chunks) = reader.as_ref().map_or((0, 0), |r| (r.commit().documents, r.commit().chunks));
    let mut lost = false;
    for batch in missing.chunks(BATCH) {
        let hashes: Vec<_> = batch.iter().map(|seen| seen.text).collect();
        let texts = objects.texts(&hashes)?;
        lost |= texts.contains(&None);
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
    let commit = writer.commit(reached, documents, chunks)?;
    // A text that was lost may come back.
    if !lost {
        Complete::of(seen, &commit).note(folder);
    }
    let reader = Reader::open(folder, &versions, dim)?;
    let has_all = !lost && *reader.commit() == commit;
    Ok(Some(Fed { reader, has_all }))
}

/// Says that a commit has everything that was seen. To find that out anew takes a look at every document of the index.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Complete {
    commit: Commit,
    seen: Sha256,
}

impl Complete {
    fn of(seen: &[Seen], commit: &Commit) -> Self {
        let mut keys: Vec<u64> = seen.iter().map(|seen| seen.seq.0).collect();
        keys.sort_unstable();
        let keys: Vec<u8> = keys.into_iter().flat_map(u64::to_le_bytes).collect();
        Complete { commit: commit.clone(), seen: Sha256::of(&keys) }
    }

    fn is_in(&self, folder: &Path) -> bool {
        let found = read_bounded(&folder.join(COMPLETE), 1 << 16).ok();
        found.and_then(|bytes| serde_json::from_slice::<Complete>(&bytes).ok()).as_ref() == Some(self)
    }

    fn note(&self, folder: &Path) {
        // Without it the next one looks again.
        let _ = serde_json::to_vec(self).map(|bytes| replace_file(&folder.join(COMPLETE), &bytes, 0o600));
    }
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
