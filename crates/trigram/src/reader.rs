//! Reading a segment. Every byte is checked against its checksum before it is used, and every number against its bounds
//! after that, so that neither a failing disk nor a forged file can bring more than an error.

use std::fs::File;
use std::path::{Path, PathBuf};

use ai_assist_base::platform;

use crate::codec::{decode, take_varint};
use crate::fold::{Gram, fold_stamp};
use crate::segment::{BlockEntry, FORMAT, Footer};
use crate::{Error, Result};

/// One open segment. Reads by place, not through a map, so that a file cut short under it is an error and not a signal.
#[derive(Debug)]
pub(crate) struct SegmentReader {
    pub(crate) path: PathBuf,
    file: File,
    /// The checksum over the footer, which holds all other checksums' checksums: names the content.
    pub(crate) fingerprint: u32,
    pub(crate) length: u64,
    pub(crate) keys: Vec<u64>,
    directory: Vec<BlockEntry>,
}

/// The documents of one gram, not yet decoded.
#[derive(Debug)]
pub(crate) struct Postings {
    pub(crate) count: u32,
    /// The bytes of its block, shared with no one, and where in them the list is.
    block: Vec<u8>,
    list: std::ops::Range<usize>,
}

impl SegmentReader {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::io("opening", path))?;
        let length = file.metadata().map_err(Error::io("reading", path))?.len();
        let damaged = |why| Error::damaged(path, why);
        let footer_at = length.checked_sub(Footer::SIZE as u64).ok_or_else(|| damaged("it is too short"))?;
        let footer = read_at(&file, path, footer_at, Footer::SIZE)?;
        let (footer, fingerprint) = Footer::read(&footer).ok_or_else(|| damaged("its end is not what was written"))?;
        check_versions(&footer, path)?;
        let keys_length = u64::from(footer.docs) * 8;
        let directory_length = u64::from(footer.blocks) * BlockEntry::SIZE as u64;
        let fits = footer.file_length == length
            && footer.keys_at.checked_add(keys_length) == Some(footer.directory_at)
            && footer.directory_at.checked_add(directory_length) == Some(footer_at);
        if !fits {
            return Err(damaged("its parts do not fit its length"));
        }
        // Both lie within the file, so nothing larger than the file is reserved.
        let keys = read_at(&file, path, footer.keys_at, keys_length as usize)?;
        let directory = read_at(&file, path, footer.directory_at, directory_length as usize)?;
        if crc32fast::hash(&keys) != footer.keys_checksum || crc32fast::hash(&directory) != footer.directory_checksum {
            return Err(damaged("a checksum differs"));
        }
        let keys = keys.chunks_exact(8).map(|key| key.try_into().map_or(0, u64::from_le_bytes)).collect();
        let directory: Vec<_> = directory.chunks_exact(BlockEntry::SIZE).filter_map(BlockEntry::read).collect();
        if !directory_is_sound(&directory, footer.keys_at) {
            return Err(damaged("its directory is out of order"));
        }
        Ok(SegmentReader { path: path.to_owned(), file, fingerprint, length, keys, directory })
    }

    /// How many documents there are, deleted or not.
    pub(crate) fn docs(&self) -> u32 {
        self.keys.len() as u32
    }

    /// The documents of a gram, `None` when there are none.
    pub(crate) fn postings(&self, gram: Gram) -> Result<Option<Postings>> {
        let Some(at) = self.directory.partition_point(|block| block.first_gram <= gram).checked_sub(1) else {
            return Ok(None);
        };
        let block = self.read_block(at)?;
        let found = self.lists(at, &block)?.into_iter().find(|list| list.gram == gram);
        Ok(found.map(|list| Postings { count: list.count, list: list.bytes, block }))
    }

    /// Decodes a list into `out`, emptying it first.
    pub(crate) fn decode(&self, postings: &Postings, out: &mut Vec<u32>) -> Result<()> {
        self.decode_list(&postings.block[postings.list.clone()], postings.count, out)
    }

    fn decode_list(&self, bytes: &[u8], count: u32, out: &mut Vec<u32>) -> Result<()> {
        out.clear();
        decode(bytes, count, self.docs(), out).map_err(|_| Error::damaged(&self.path, "a list of documents is not one"))
    }

    pub(crate) fn cursor(&self) -> Cursor<'_> {
        Cursor { reader: self, next_block: 0, block: Vec::new(), lists: Vec::new().into_iter() }
    }

    fn read_block(&self, at: usize) -> Result<Vec<u8>> {
        let entry = &self.directory[at];
        let bytes = read_at(&self.file, &self.path, entry.offset, entry.length as usize)?;
        if crc32fast::hash(&bytes) != entry.checksum {
            return Err(Error::damaged(&self.path, "a checksum differs"));
        }
        Ok(bytes)
    }

    fn lists(&self, at: usize, block: &[u8]) -> Result<Vec<List>> {
        read_heads(block, self.directory[at].first_gram)
            .ok_or_else(|| Error::damaged(&self.path, "a block of grams is not one"))
    }
}

/// Where in its block a gram's list is.
#[derive(Debug)]
struct List {
    gram: Gram,
    count: u32,
    bytes: std::ops::Range<usize>,
}

fn read_heads(block: &[u8], first: Gram) -> Option<Vec<List>> {
    let mut rest = block;
    let count = take_varint(&mut rest)?;
    // Each head takes three bytes at least, which bounds what a forged count can reserve.
    let mut lists = Vec::with_capacity((count as usize).min(block.len() / 3));
    let (mut gram, mut end) = (first, 0usize);
    for at in 0..count {
        let step = take_varint(&mut rest)?;
        if (step == 0) != (at == 0) {
            return None;
        }
        gram = gram.checked_add(step)?;
        let count = take_varint(&mut rest)?;
        let start = end;
        end = start.checked_add(take_varint(&mut rest)? as usize)?;
        lists.push(List { gram, count, bytes: start..end });
    }
    if end != rest.len() {
        return None;
    }
    let base = block.len() - end;
    for list in &mut lists {
        list.bytes = base + list.bytes.start..base + list.bytes.end;
    }
    Some(lists)
}

/// Walks a segment's grams in order.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    reader: &'a SegmentReader,
    next_block: usize,
    block: Vec<u8>,
    lists: std::vec::IntoIter<List>,
}

impl Cursor<'_> {
    /// The next gram, its documents decoded into `docs`.
    pub(crate) fn next(&mut self, docs: &mut Vec<u32>) -> Result<Option<Gram>> {
        loop {
            if let Some(list) = self.lists.next() {
                self.reader.decode_list(&self.block[list.bytes], list.count, docs)?;
                return Ok(Some(list.gram));
            }
            if self.next_block == self.reader.directory.len() {
                return Ok(None);
            }
            self.block = self.reader.read_block(self.next_block)?;
            self.lists = self.reader.lists(self.next_block, &self.block)?.into_iter();
            self.next_block += 1;
        }
    }
}

fn check_versions(footer: &Footer, path: &Path) -> Result<()> {
    if (footer.format, footer.fold) == (FORMAT, fold_stamp()) {
        return Ok(());
    }
    let name = |format: u32, fold: u32| format!("{format}/{fold:08x}");
    Err(Error::Incompatible {
        path: path.to_owned(),
        found: name(footer.format, footer.fold),
        expected: name(FORMAT, fold_stamp()),
    })
}

fn directory_is_sound(directory: &[BlockEntry], end: u64) -> bool {
    let mut next = 0u64;
    let contiguous = directory.iter().all(|block| {
        let here = block.offset == next;
        next = block.offset.saturating_add(u64::from(block.length));
        here
    });
    contiguous && next == end && directory.is_sorted_by(|a, b| a.first_gram < b.first_gram)
}

fn read_at(file: &File, path: &Path, offset: u64, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    platform::read_exact_at(file, &mut bytes, offset).map_err(|error| {
        if error.kind() == std::io::ErrorKind::UnexpectedEof {
            return Error::damaged(path, "it has been cut short");
        }
        Error::io("reading", path)(error)
    })?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::codec::put_varint;

    proptest! {
        /// What a checksum would let through, because it was forged too.
        #[test]
        fn any_bytes_are_read_as_a_block_without_harm(
            numbers in proptest::collection::vec(prop_oneof![0..5u32, any::<u32>()], 0..12),
            rest in proptest::collection::vec(any::<u8>(), 0..20),
            first in 0..1u32 << 24,
        ) {
            let mut block = Vec::new();
            numbers.iter().for_each(|&number| put_varint(number, &mut block));
            block.extend(rest);
            for list in read_heads(&block, first).unwrap_or_default() {
                prop_assert!(block.get(list.bytes).is_some());
            }
        }
    }
}
