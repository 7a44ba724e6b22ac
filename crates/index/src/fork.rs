//! Another index out of one that is there, sharing every file that neither of them will change.
//!
//! The word index never writes a file in place: segments are new files and the rest is replaced by rename. The vector
//! files are appended to, so an index that is to be written needs its own.

use std::io;
use std::path::Path;

use crate::dense::VECTOR_FILES;
use crate::reader::current_generation;
use crate::{Error, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fork {
    /// Only to be read, as the one it comes from.
    Read,
    /// To be opened by a [`Writer`](crate::Writer); the one it comes from stays as it is.
    Write,
}

/// Makes an index in `to`, a folder that is not there yet, out of the one in `from`, which nobody may be writing.
///
/// Nothing is made durable: whoever needs that syncs the folders, and the files that are not shared.
pub fn fork(from: &Path, to: &Path, purpose: Fork) -> Result<()> {
    let generation = current_generation(from)?;
    let name = generation.file_name().unwrap_or_default();
    let target = to.join(name);
    let words = target.join("words");
    std::fs::create_dir_all(&words).map_err(Error::io("creating", &words))?;
    for entry in std::fs::read_dir(generation.join("words")).map_err(Error::io("reading", &generation))? {
        let entry = entry.map_err(Error::io("reading", &generation))?;
        let is_file = entry.file_type().map_err(Error::io("reading", &entry.path()))?.is_file();
        let is_lock = entry.file_name().as_encoded_bytes().ends_with(b".lock");
        if is_file && !is_lock {
            share(&entry.path(), &words.join(entry.file_name()))?;
        }
    }
    for file in VECTOR_FILES {
        let (from, to) = (generation.join(file), target.join(file));
        match purpose {
            Fork::Read => share(&from, &to)?,
            Fork::Write => copy(&from, &to)?,
        }
    }
    share(&from.join("CURRENT"), &to.join("CURRENT"))
}

/// One file under two names, or two files where the system can't do that.
fn share(from: &Path, to: &Path) -> Result<()> {
    match std::fs::hard_link(from, to) {
        Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists) => {
            copy(from, to)?;
            ai_assist_base::sync_file(to).map_err(Error::io("writing", to))
        }
        linked => linked.map_err(Error::io("linking", from)),
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to).map(drop).map_err(Error::io("copying", from))
}

#[cfg(test)]
mod tests {
    use ai_assist_chunk::ChunkKind;
    use ai_assist_embed::{Embedder, StaticModel};
    use ai_assist_identity::Sha256;
    use ai_assist_text::{Language, LineRange};

    use super::*;
    use crate::{IndexChunk, IndexDocument, Options, Reader, Versions, Writer};

    fn document(key: u64, text: &str) -> IndexDocument {
        let chunks = vec![IndexChunk {
            defines: Vec::new(),
            place: None,
            unseen: Vec::new(),
            lines: LineRange { start: 1, end: 1 },
            bytes: (0, text.len() as u64),
            path: Vec::new(),
            kind: ChunkKind::Text,
            text: text.to_owned(),
        }];
        let vectors = IndexDocument::embed(None, &chunks, StaticModel::bundled(), None).unwrap();
        let (path, hash) = (format!("{key}.md"), Sha256::of(text.as_bytes()));
        IndexDocument { key, path, title: None, language: Language::MARKDOWN, hash, chunks, vectors, kept: None }
    }

    fn texts(folder: &Path) -> Vec<String> {
        let model = StaticModel::bundled();
        let reader = Reader::open(folder, &Versions::current(model.model()), model.dim()).unwrap();
        reader.verify(model).unwrap();
        let mut texts: Vec<String> = reader.live().iter().map(|at| reader.chunk(at).unwrap().text).collect();
        texts.sort();
        texts
    }

    fn bytes(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(bytes(&path));
            } else if !path.display().to_string().ends_with(".lock") {
                found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
            }
        }
        found.sort();
        found
    }

    /// Two forks of one index and the index itself go their own ways, and the files of the first stay as they were to
    /// the last byte.
    #[test]
    fn what_is_written_to_a_fork_is_not_seen_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let model = StaticModel::bundled();
        let (versions, options) = (Versions::current(model.model()), Options::default());
        let mut writer = Writer::rebuild(&at("first"), &versions, model.dim(), options).unwrap();
        for key in 0..20 {
            writer.put(document(key, &format!("text {key}"))).unwrap();
        }
        writer.commit(1, 20, 20).unwrap();
        let before = (texts(&at("first")), bytes(&at("first")));
        let mut from = "first".to_owned();
        for round in 0..15u64 {
            let to = format!("fork {round}");
            fork(&at(&from), &at(&to), Fork::Write).unwrap();
            let mut writer = Writer::open(&at(&to), &versions, model.dim(), options).unwrap();
            writer.put(document(round, &format!("changed {round}"))).unwrap();
            writer.remove(19);
            writer.commit(2 + round, 19, 19).unwrap();
            assert!(texts(&at(&to)).contains(&format!("changed {round}")));
            from = to;
        }
        fork(&at("first"), &at("copy"), Fork::Read).unwrap();
        assert_eq!(texts(&at("copy")), before.0);
        assert_eq!((texts(&at("first")), bytes(&at("first"))), before);
        assert_eq!(texts(&at(&from)).iter().filter(|text| text.starts_with("changed")).count(), 15);
    }
}
