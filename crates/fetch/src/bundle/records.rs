//! The records of a tar archive, read one after the other.
//!
//! The `tar` crate reads headers for us, but not the archive: it would keep a long name of any size in memory, takes an
//! archive that ends early for a whole one, and knows kinds of entries that we refuse.

use std::io::{self, Read};

use ai_assist_base::Cancel;
use tar::Header;

use super::pax::{self, Pax};
use super::{BundleError, BundleKind, Result};
use crate::extract::{Extractor, shown};

const BLOCK: usize = 512;
/// The longest name, or set of attributes, of one entry.
const MAX_EXTENSION: u64 = 1 << 20;
const PIECE: usize = 64 << 10;

/// An entry that we unpack.
pub(super) enum Entry {
    File { name: Vec<u8>, size: u64 },
    Folder { name: Vec<u8> },
}

/// What records in front of an entry said about it.
#[derive(Default)]
struct Ahead {
    long_name: Option<Vec<u8>>,
    long_link: bool,
    pax: Option<Pax>,
}

/// Reads the archive. The content of a file must be taken before the next entry is asked for.
pub(super) struct Records<'a> {
    tar: &'a mut dyn Read,
    kind: BundleKind,
    cancel: &'a Cancel,
    count: usize,
    piece: Vec<u8>,
}

impl<'a> Records<'a> {
    pub(super) fn new(tar: &'a mut dyn Read, kind: BundleKind, cancel: &'a Cancel) -> Self {
        Records { tar, kind, cancel, count: 0, piece: vec![0; PIECE] }
    }

    /// The next file or folder, or none at the mark of the end.
    pub(super) fn next(&mut self, extract: &mut Extractor<'_>) -> Result<Option<Entry>> {
        let mut ahead = Ahead::default();
        loop {
            let mut block = [0; BLOCK];
            if self.fill(&mut block)? < BLOCK {
                return Err(BundleError::Cut { entries: self.count });
            }
            if block == [0; BLOCK] {
                let told = ahead.long_name.is_some() || ahead.long_link || ahead.pax.is_some();
                return if told { Err(self.damaged("it is missing behind a record about it")) } else { Ok(None) };
            }
            self.count += 1;
            extract.count_entry()?;
            let header = Header::from_byte_slice(&block);
            self.check_sum(header)?;
            let size = header.entry_size().map_err(|_| self.damaged("its size is no number"))?;
            match header.entry_type().as_byte() {
                b'L' if ahead.long_name.is_none() => ahead.long_name = Some(self.long_name(size, extract)?),
                // It belongs to a link, which is what will be refused.
                b'K' if !ahead.long_link => {
                    self.extension(size, extract)?;
                    ahead.long_link = true;
                }
                b'x' if ahead.pax.is_none() => {
                    let bytes = self.extension(size, extract)?;
                    ahead.pax = Some(pax::parse(&bytes).map_err(|reason| self.damaged(reason))?);
                }
                b'L' | b'K' | b'x' => return Err(self.damaged("it has two records of the same kind in front")),
                b'g' => self.attributes_of_all(size, extract)?,
                _ => return self.entry(header, size, ahead).map(Some),
            }
        }
    }

    fn entry(&self, header: &Header, size: u64, ahead: Ahead) -> Result<Entry> {
        let pax = ahead.pax.unwrap_or_default();
        let name = match (pax.path, ahead.long_name) {
            (Some(_), Some(_)) => return Err(self.damaged("it has two long names")),
            (Some(name), None) | (None, Some(name)) => name,
            (None, None) => header.path_bytes().into_owned(),
        };
        let size = pax.size.unwrap_or(size);
        let what = match header.entry_type().as_byte() {
            _ if pax.sparse => "a sparse file",
            // Old programs write a folder as a file whose name ends in a slash.
            b'0' | 0 if name.ends_with(b"/") => return self.folder(name, size),
            b'0' | 0 => return Ok(Entry::File { name, size }),
            b'5' => return self.folder(name, size),
            b'1' => "a hard link",
            b'2' => "a symbolic link",
            b'3' => "a character device",
            b'4' => "a block device",
            b'6' => "a named pipe",
            b'7' => "a contiguous file",
            b'S' => "a sparse file",
            other => {
                let what = format!("an entry of the unknown type `{}`", other.escape_ascii());
                return Err(BundleError::Kind { name: shown(&name), what });
            }
        };
        Err(BundleError::Kind { name: shown(&name), what: what.to_owned() })
    }

    /// Programs disagree on whether the size of a folder is one of content.
    fn folder(&self, name: Vec<u8>, size: u64) -> Result<Entry> {
        if size == 0 { Ok(Entry::Folder { name }) } else { Err(self.damaged("it is a folder with content")) }
    }

    fn long_name(&mut self, size: u64, extract: &mut Extractor<'_>) -> Result<Vec<u8>> {
        let mut name = self.extension(size, extract)?;
        // The NUL at its end is not part of it; any other will be refused.
        let end = name.iter().rposition(|&b| b != 0).map_or(0, |at| at + 1);
        name.truncate(end);
        Ok(name)
    }

    /// Attributes of all entries behind: `git archive` writes the commit there. Those that would change what an entry is
    /// are refused, because programs disagree on them.
    fn attributes_of_all(&mut self, size: u64, extract: &mut Extractor<'_>) -> Result<()> {
        let bytes = self.extension(size, extract)?;
        let pax = pax::parse(&bytes).map_err(|reason| self.damaged(reason))?;
        if pax != Pax::default() {
            return Err(self.damaged("it gives a name, size or holes to all entries"));
        }
        Ok(())
    }

    /// The whole content of a record about an entry.
    fn extension(&mut self, size: u64, extract: &mut Extractor<'_>) -> Result<Vec<u8>> {
        if size > MAX_EXTENSION {
            return Err(BundleError::LongRecord { entry: self.count, limit: MAX_EXTENSION });
        }
        let mut bytes = Vec::new();
        self.content(size, |piece| {
            extract.count_bytes(piece.len())?;
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(bytes)
    }

    /// Hands out the content of an entry in pieces, and passes over the padding behind it.
    pub(super) fn content(&mut self, size: u64, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut left = size;
        while left > 0 {
            let wanted = left.min(PIECE as u64) as usize;
            self.piece_of(wanted)?;
            take(&self.piece[..wanted])?;
            left -= wanted as u64;
        }
        let over = (size % BLOCK as u64) as usize;
        self.piece_of(if over == 0 { 0 } else { BLOCK - over })
    }

    /// Reads on behind the mark of the end, where there may only be zeros, so that a cut or damaged stream is noticed.
    pub(super) fn end(&mut self, extract: &mut Extractor<'_>) -> Result<()> {
        loop {
            let mut piece = std::mem::take(&mut self.piece);
            let count = self.fill(&mut piece)?;
            extract.count_bytes(count)?;
            if piece[..count].iter().any(|&b| b != 0) {
                return Err(BundleError::BehindEnd);
            }
            if count < piece.len() {
                return Ok(());
            }
            self.piece = piece;
        }
    }

    /// Fills the first bytes of the piece.
    fn piece_of(&mut self, wanted: usize) -> Result<()> {
        let mut piece = std::mem::take(&mut self.piece);
        let count = self.fill(&mut piece[..wanted])?;
        self.piece = piece;
        if count < wanted { Err(BundleError::Cut { entries: self.count }) } else { Ok(()) }
    }

    /// Reads until the buffer is full or the archive at its end.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut count = 0;
        while count < buffer.len() {
            if self.cancel.is_cancelled() {
                return Err(BundleError::Stopped);
            }
            match self.tar.read(&mut buffer[count..]) {
                Ok(0) => break,
                Ok(n) => count += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) if self.cancel.is_cancelled() => return Err(BundleError::Stopped),
                Err(source) => return Err(BundleError::Unreadable { kind: self.kind, source }),
            }
        }
        Ok(count)
    }

    fn check_sum(&self, header: &Header) -> Result<()> {
        let bytes = header.as_bytes();
        let field = 148..156;
        // The field itself counts as spaces.
        let sum: u32 =
            bytes.iter().enumerate().map(|(at, &byte)| u32::from(if field.contains(&at) { b' ' } else { byte })).sum();
        match header.cksum() {
            Ok(stored) if stored == sum => Ok(()),
            _ => Err(self.damaged("its checksum is wrong, or this is no tar archive")),
        }
    }

    fn damaged(&self, reason: &'static str) -> BundleError {
        BundleError::Damaged { entry: self.count, reason }
    }
}
