//! A segment's file: how it is laid out and written.
//!
//! ```text
//! blocks      each: count, then per gram (step from the gram before, documents, bytes of its list), then the lists
//! keys        8 bytes per document: the caller's key of document 0, 1, 2 …
//! directory   20 bytes per block: first gram, length, offset, checksum
//! footer      where keys and directory are, their checksums, counts, versions, the file's length, its own checksum
//! ```
//!
//! Blocks are small, so that one list can be read and checked without the others; a long list has a block of its own.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::codec::{encode, put_varint, take};
use crate::fold::{Gram, fold_stamp};
use crate::{Error, Result};

pub(crate) const FORMAT: u32 = 1;

/// A block is closed when it has grown to this: about what one read from a disk brings in anyway.
const BLOCK_BYTES: usize = 4096;

const MAGIC: [u8; 8] = *b"aagrams\n";

/// One block, as the directory knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockEntry {
    pub(crate) first_gram: Gram,
    pub(crate) length: u32,
    pub(crate) offset: u64,
    pub(crate) checksum: u32,
}

impl BlockEntry {
    pub(crate) const SIZE: usize = 20;

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.first_gram.to_le_bytes());
        out.extend_from_slice(&self.length.to_le_bytes());
        out.extend_from_slice(&self.offset.to_le_bytes());
        out.extend_from_slice(&self.checksum.to_le_bytes());
    }

    pub(crate) fn read(mut bytes: &[u8]) -> Option<Self> {
        Some(BlockEntry {
            first_gram: u32::from_le_bytes(take(&mut bytes)?),
            length: u32::from_le_bytes(take(&mut bytes)?),
            offset: u64::from_le_bytes(take(&mut bytes)?),
            checksum: u32::from_le_bytes(take(&mut bytes)?),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Footer {
    pub(crate) format: u32,
    pub(crate) fold: u32,
    pub(crate) docs: u32,
    pub(crate) blocks: u32,
    pub(crate) keys_at: u64,
    pub(crate) directory_at: u64,
    pub(crate) file_length: u64,
    pub(crate) keys_checksum: u32,
    pub(crate) directory_checksum: u32,
}

impl Footer {
    pub(crate) const SIZE: usize = 48 + 4 + MAGIC.len();

    fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        for number in [self.format, self.fold, self.docs, self.blocks] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for number in [self.keys_at, self.directory_at, self.file_length] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for number in [self.keys_checksum, self.directory_checksum] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        let checksum = crc32fast::hash(&out[start..]);
        out.extend_from_slice(&checksum.to_le_bytes());
        out.extend_from_slice(&MAGIC);
    }

    /// The footer in these bytes and its checksum, which serves as the segment's fingerprint.
    pub(crate) fn read(mut bytes: &[u8]) -> Option<(Self, u32)> {
        let computed = crc32fast::hash(bytes.get(..48)?);
        let rest = &mut bytes;
        let footer = Footer {
            format: u32::from_le_bytes(take(rest)?),
            fold: u32::from_le_bytes(take(rest)?),
            docs: u32::from_le_bytes(take(rest)?),
            blocks: u32::from_le_bytes(take(rest)?),
            keys_at: u64::from_le_bytes(take(rest)?),
            directory_at: u64::from_le_bytes(take(rest)?),
            file_length: u64::from_le_bytes(take(rest)?),
            keys_checksum: u32::from_le_bytes(take(rest)?),
            directory_checksum: u32::from_le_bytes(take(rest)?),
        };
        let checksum = u32::from_le_bytes(take(rest)?);
        (checksum == computed && take(rest)? == MAGIC && rest.is_empty()).then_some((footer, checksum))
    }
}

/// Writes one segment, gram by gram in rising order.
#[derive(Debug)]
pub(crate) struct SegmentWriter {
    path: PathBuf,
    file: BufWriter<File>,
    written: u64,
    block: Block,
    directory: Vec<BlockEntry>,
}

#[derive(Debug, Default)]
struct Block {
    first: Gram,
    last: Gram,
    count: u32,
    heads: Vec<u8>,
    lists: Vec<u8>,
}

impl SegmentWriter {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let file = File::create(path).map_err(Error::io("creating", path))?;
        Ok(SegmentWriter {
            path: path.to_owned(),
            file: BufWriter::with_capacity(1 << 18, file),
            written: 0,
            block: Block::default(),
            directory: Vec::new(),
        })
    }

    /// Adds a gram, larger than the one before, with its rising list of documents.
    pub(crate) fn push(&mut self, gram: Gram, docs: &[u32]) -> Result<()> {
        if docs.is_empty() {
            return Ok(());
        }
        let block = &mut self.block;
        if block.count == 0 {
            (block.first, block.last) = (gram, gram);
        }
        let start = block.lists.len();
        encode(docs, &mut block.lists);
        put_varint(gram - block.last, &mut block.heads);
        put_varint(docs.len() as u32, &mut block.heads);
        put_varint((block.lists.len() - start) as u32, &mut block.heads);
        block.last = gram;
        block.count += 1;
        if block.heads.len() + block.lists.len() >= BLOCK_BYTES { self.close_block() } else { Ok(()) }
    }

    fn close_block(&mut self) -> Result<()> {
        if self.block.count == 0 {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(self.block.heads.len() + self.block.lists.len() + 5);
        put_varint(self.block.count, &mut bytes);
        bytes.append(&mut self.block.heads);
        bytes.append(&mut self.block.lists);
        self.directory.push(BlockEntry {
            first_gram: self.block.first,
            length: bytes.len() as u32,
            offset: self.written,
            checksum: crc32fast::hash(&bytes),
        });
        self.block.count = 0;
        self.write(&bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.written += bytes.len() as u64;
        self.file.write_all(bytes).map_err(Error::io("writing", &self.path))
    }

    /// Writes what stands after the blocks. Making the file durable is left to whoever keeps it.
    pub(crate) fn finish(mut self, keys: &[u64]) -> Result<()> {
        self.close_block()?;
        let keys_at = self.written;
        let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
        let keys_checksum = crc32fast::hash(&bytes);
        self.write(&bytes)?;

        let directory_at = self.written;
        let mut bytes = Vec::with_capacity(self.directory.len() * BlockEntry::SIZE + Footer::SIZE);
        for entry in &self.directory {
            entry.write(&mut bytes);
        }
        let footer = Footer {
            format: FORMAT,
            fold: fold_stamp(),
            docs: keys.len() as u32,
            blocks: self.directory.len() as u32,
            keys_at,
            directory_at,
            file_length: directory_at + (bytes.len() + Footer::SIZE) as u64,
            keys_checksum,
            directory_checksum: crc32fast::hash(&bytes),
        };
        footer.write(&mut bytes);
        self.write(&bytes)?;
        self.file.flush().map_err(Error::io("writing", &self.path))
    }
}
