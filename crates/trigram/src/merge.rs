//! Several segments into one, without the deleted documents and without the texts.

use std::path::Path;

use crate::Result;
use crate::fold::Gram;
use crate::reader::{Cursor, SegmentReader};
use crate::segment::SegmentWriter;

/// A segment to be merged, and its deleted documents in rising order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input<'a> {
    pub(crate) reader: &'a SegmentReader,
    pub(crate) deleted: &'a [u32],
}

/// Writes one segment with the live documents of all, in the order given.
pub(crate) fn merge(inputs: &[Input<'_>], path: &Path) -> Result<()> {
    let mut writer = SegmentWriter::create(path)?;
    let mut keys = Vec::new();
    let mut sources = Vec::with_capacity(inputs.len());
    for input in inputs {
        let numbers = renumber(input, &mut keys);
        let mut source = Source { cursor: input.reader.cursor(), numbers, gram: None, docs: Vec::new() };
        source.advance()?;
        sources.push(source);
    }
    let mut docs = Vec::new();
    while let Some(gram) = sources.iter().filter_map(|source| source.gram).min() {
        docs.clear();
        for source in sources.iter_mut().filter(|source| source.gram == Some(gram)) {
            let live = source.docs.iter().filter_map(|&doc| source.numbers.get(doc as usize).copied().flatten());
            docs.extend(live);
            source.advance()?;
        }
        writer.push(gram, &docs)?;
    }
    writer.finish(&keys)
}

/// The new number of each document, and its key appended in that place.
fn renumber(input: &Input<'_>, keys: &mut Vec<u64>) -> Vec<Option<u32>> {
    let mut deleted = input.deleted.iter().copied().peekable();
    (0..input.reader.docs())
        .zip(&input.reader.keys)
        .map(|(doc, &key)| {
            if deleted.next_if_eq(&doc).is_some() {
                return None;
            }
            keys.push(key);
            Some(keys.len() as u32 - 1)
        })
        .collect()
}

struct Source<'a> {
    cursor: Cursor<'a>,
    numbers: Vec<Option<u32>>,
    gram: Option<Gram>,
    docs: Vec<u32>,
}

impl Source<'_> {
    fn advance(&mut self) -> Result<()> {
        self.gram = self.cursor.next(&mut self.docs)?;
        Ok(())
    }
}
