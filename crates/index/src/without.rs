//! A reader without some of its documents, for when another index has them too.

use std::collections::BTreeSet;

use crate::filter::narrow_by;
use crate::reader::{Reader, new_lengths};
use crate::schema::PATH;
use crate::{Error, Result};

impl Reader {
    /// The paths of the documents that have a chunk, each once.
    pub fn paths(&self) -> Result<BTreeSet<String>> {
        let mut paths = BTreeSet::new();
        for segment in &self.segments {
            let column = segment.reader.fast_fields().str(PATH).map_err(Error::engine(&self.folder))?;
            let Some(column) = column else { continue };
            let mut known = vec![false; column.num_terms()];
            for doc in 0..segment.reader.max_doc() {
                let number = column.ords().first(doc).filter(|_| self.live.contains(segment.base + doc as usize));
                let Some(number) = number else { continue };
                let Some(known) = known.get_mut(number as usize).filter(|known| !**known) else { continue };
                *known = true;
                let mut path = String::new();
                column.ord_to_str(number, &mut path).map_err(Error::engine(&self.folder))?;
                paths.insert(path);
            }
        }
        Ok(paths)
    }

    /// Leaves documents out of everything this reader says from now on, its statistics included, as if they were deleted.
    pub fn leave_out(&mut self, hides: impl Fn(&str) -> bool) -> Result<()> {
        let Reader { opened, live, .. } = self;
        for segment in &opened.segments {
            narrow_by(segment, PATH, segment.base, live, |path| !hides(path)).map_err(Error::engine(&opened.folder))?;
        }
        self.lengths = new_lengths(&self.opened.segments);
        self.narrowed = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ai_assist_chunk::ChunkKind;
    use ai_assist_embed::{ModelId, Quantised};
    use ai_assist_identity::Sha256;
    use ai_assist_text::{Language, LineRange};

    use crate::{Filter, IndexChunk, IndexDocument, Options, Reader, Terms, Versions, Writer};

    fn document(key: u64, path: &str, text: &str) -> IndexDocument {
        let chunk = IndexChunk {
            defines: Vec::new(),
            place: None,
            unseen: Vec::new(),
            text: text.to_owned(),
            bytes: (0, text.len() as u64),
            lines: LineRange { start: 1, end: 1 },
            path: Vec::new(),
            kind: ChunkKind::Text,
        };
        IndexDocument {
            key,
            path: path.to_owned(),
            title: None,
            language: Language::MARKDOWN,
            hash: Sha256::of(text.as_bytes()),
            chunks: vec![chunk],
            vectors: Quantised::from_parts(2, vec![1.0], vec![1, 2]).unwrap(),
            kept: None,
        }
    }

    const TEXTS: [(&str, &str); 3] = [("a.md", "one lease"), ("b.md", "one more lease here"), ("c.md", "three")];

    fn index(folder: &std::path::Path, keep: impl Fn(&str) -> bool) -> Reader {
        let versions = Versions::current(&ModelId::new("test", 1));
        let mut writer = Writer::rebuild(folder, &versions, 2, Options::default()).unwrap();
        for (key, (path, text)) in TEXTS.iter().enumerate().filter(|(_, (path, _))| keep(path)) {
            writer.put(document(key as u64, path, text)).unwrap();
        }
        writer.commit(1, 1, 1).unwrap();
        Reader::open(folder, &versions, 2).unwrap()
    }

    #[test]
    fn what_is_left_out_counts_nowhere() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let mut all = index(folders[0].path(), |_| true);
        let some = index(folders[1].path(), |path| path != "b.md");
        let terms = Terms {
            words: vec!["one".to_owned(), "leas".to_owned(), "lease".to_owned()],
            counts: vec![1.0; 3],
            phrases: vec![vec![("one".to_owned(), 0), ("more".to_owned(), 1)]],
        };
        let said = |reader: &Reader| {
            let phrases = reader.phrases(&terms).unwrap();
            (
                reader.statistics(&terms, &reader.find(&terms).unwrap(), &phrases).unwrap(),
                reader.select(&Filter::default()).unwrap().count(),
            )
        };
        assert_ne!(said(&all), said(&some));
        all.leave_out(|path| path == "b.md").unwrap();
        assert_eq!(said(&all), said(&some));
        assert_eq!(all.paths().unwrap().into_iter().collect::<Vec<_>>(), ["a.md", "c.md"]);
    }

    #[test]
    fn documents_are_chosen_by_key() {
        let folder = tempfile::tempdir().unwrap();
        index(folder.path(), |_| true);
        let versions = Versions::current(&ModelId::new("test", 1));
        let mut writer = Writer::open(folder.path(), &versions, 2, Options::default()).unwrap();
        writer.remove(0);
        writer.put(document(u64::MAX, "d.md", "four")).unwrap();
        writer.commit(2, 1, 1).unwrap();
        let reader = Reader::open(folder.path(), &versions, 2).unwrap();
        assert_eq!(reader.keys().unwrap(), [1, 2, u64::MAX].into());
        let chosen = |keys: &[u64]| {
            let keys = Some(std::sync::Arc::new(keys.iter().copied().collect()));
            let mask = reader.select(&Filter { keys, ..Filter::default() }).unwrap();
            let mut paths: Vec<String> = mask.iter().map(|at| reader.chunk(at).unwrap().document).collect();
            paths.sort();
            paths
        };
        assert_eq!(chosen(&[0, 1, u64::MAX]), ["b.md", "d.md"]);
        assert!(chosen(&[]).is_empty());
    }
}
