//! The entries of a zip archive, one after the other as the list at its end has them, and their bytes.
//!
//! A reader of our own, because libraries read the whole list into memory first, which a hostile one makes as long as it likes. Two
//! methods (stored and deflate), no volumes. Every entry must be in the archive as the list has it: programs that go by the one
//! see what programs that go by the other do not.

use std::io::{self, Read, Seek, SeekFrom, Take};

use flate2::Crc;
use flate2::read::DeflateDecoder;

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;

const LOCAL_LEN: usize = 30;
const CENTRAL_LEN: usize = 46;
const END_LEN: usize = 22;
const END_64_LEN: usize = 56;
const LOCATOR_64_LEN: u64 = 20;

/// The extra field that has the numbers which are too large for the record.
const EXTRA_64: u16 = 1;

const ENCRYPTED: u16 = 1;
/// Sizes and checksum stand behind the bytes, and in the list.
const SIZES_FOLLOW: u16 = 8;

/// The characters 128 to 255 of the first PCs, in which names are that are no UTF-8.
const PC_CHARACTERS: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

pub(super) struct ZipEntries<R> {
    archive: R,
    /// Where the next record of the list is, and where the list ends.
    next: u64,
    end: u64,
    left: u64,
}

#[derive(Debug)]
pub(super) struct ZipEntry {
    name: Vec<u8>,
    flags: u16,
    method: u16,
    crc: u32,
    pub(super) packed: u64,
    pub(super) size: u64,
    offset: u64,
    /// As Unix has it; zero if another system wrote the archive.
    pub(super) mode: u32,
}

impl<R: Read + Seek> ZipEntries<R> {
    pub(super) fn open(mut archive: R) -> io::Result<Self> {
        let length = archive.seek(SeekFrom::End(0))?;
        let tail = length.min((END_LEN + usize::from(u16::MAX)) as u64);
        let bytes = read_at(&mut archive, length - tail, tail as usize)?;
        // The comment behind the record goes to the end of the file, so that two readers can't take two records for it.
        let is_end = |at: &usize| {
            u32_at(&bytes, *at) == END && *at + END_LEN + usize::from(u16_at(&bytes, *at + 20)) == bytes.len()
        };
        let last = bytes.len().checked_sub(END_LEN).ok_or_else(|| bad("it has no list at its end"))?;
        let at = (0..=last).rev().find(is_end).ok_or_else(|| bad("it has no list at its end"))?;
        let place = length - tail + at as u64;
        let (mut left, mut size, mut start) = (
            u64::from(u16_at(&bytes, at + 10)),
            u64::from(u32_at(&bytes, at + 12)),
            u64::from(u32_at(&bytes, at + 16)),
        );
        let mut before = place;
        if left == u64::from(u16::MAX) || size == u64::from(u32::MAX) || start == u64::from(u32::MAX) {
            let locator = place.checked_sub(LOCATOR_64_LEN).ok_or_else(|| bad("its list is damaged"))?;
            let record = read_at(&mut archive, locator, LOCATOR_64_LEN as usize)?;
            if u32_at(&record, 0) == LOCATOR_64 {
                before = u64_at(&record, 8);
                let record = read_at(&mut archive, before, END_64_LEN)?;
                if u32_at(&record, 0) != END_64 {
                    return Err(bad("its list is damaged"));
                }
                (left, size, start) = (u64_at(&record, 32), u64_at(&record, 40), u64_at(&record, 48));
            }
        }
        let end = start.checked_add(size).filter(|end| *end == before);
        // What stands between, or before all of it, is read by some programs and not by others.
        let end = end.ok_or_else(|| bad("its list is not where it says"))?;
        Ok(ZipEntries { archive, next: start, end, left })
    }

    /// The next entry, if there is one more.
    pub(super) fn next(&mut self) -> io::Result<Option<ZipEntry>> {
        if self.left == 0 {
            return if self.next == self.end { Ok(None) } else { Err(bad("its list is longer than it says")) };
        }
        let record = read_at(&mut self.archive, self.next, CENTRAL_LEN)?;
        if u32_at(&record, 0) != CENTRAL {
            return Err(bad("its list is damaged"));
        }
        let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(u16_at(&record, at)));
        let behind = read_at(&mut self.archive, self.next + CENTRAL_LEN as u64, name + extra)?;
        self.next += (CENTRAL_LEN + name + extra + comment) as u64;
        self.left -= 1;
        if self.next > self.end {
            return Err(bad("its list is damaged"));
        }
        let is_unix = u16_at(&record, 4) >> 8 == 3;
        let mut entry = ZipEntry {
            name: behind[..name].to_vec(),
            flags: u16_at(&record, 8),
            method: u16_at(&record, 10),
            crc: u32_at(&record, 16),
            packed: u64::from(u32_at(&record, 20)),
            size: u64::from(u32_at(&record, 24)),
            offset: u64::from(u32_at(&record, 42)),
            mode: if is_unix { u32_at(&record, 38) >> 16 } else { 0 },
        };
        widen(&behind[name..], &mut [&mut entry.size, &mut entry.packed, &mut entry.offset])?;
        Ok(Some(entry))
    }

    /// The bytes of an entry, unpacked. Their checksum is looked at when the last has come.
    pub(super) fn content(&mut self, entry: &ZipEntry) -> io::Result<Content<'_, R>> {
        let record = read_at(&mut self.archive, entry.offset, LOCAL_LEN)?;
        if u32_at(&record, 0) != LOCAL {
            return Err(bad("an entry is not where the list says"));
        }
        let (name, extra) = (usize::from(u16_at(&record, 26)), usize::from(u16_at(&record, 28)));
        let behind = read_at(&mut self.archive, entry.offset + LOCAL_LEN as u64, name + extra)?;
        let (mut packed, mut size) = (u64::from(u32_at(&record, 18)), u64::from(u32_at(&record, 22)));
        widen(&behind[name..], &mut [&mut size, &mut packed])?;
        let is_same = behind[..name] == entry.name[..]
            && u16_at(&record, 8) == entry.method
            && u16_at(&record, 6) & ENCRYPTED == entry.flags & ENCRYPTED
            && (u16_at(&record, 6) & SIZES_FOLLOW != 0
                || (u32_at(&record, 14), packed, size) == (entry.crc, entry.packed, entry.size));
        if !is_same {
            return Err(bad("an entry is inconsistent with the list"));
        }
        // After the records that were just read, so here.
        let bytes = (&mut self.archive).take(entry.packed);
        let bytes = match entry.method {
            0 => Unpacking::Stored(bytes),
            8 => Unpacking::Deflated(DeflateDecoder::new(bytes)),
            other => return Err(bad(&format!("an entry is packed with method {other}, which is not read"))),
        };
        Ok(Content { bytes, crc: Crc::new(), expected: entry.crc })
    }
}

impl ZipEntry {
    /// Names are UTF-8 in most archives, whether or not they say so.
    pub(super) fn name(&self) -> Vec<u8> {
        if std::str::from_utf8(&self.name).is_ok() {
            return self.name.clone();
        }
        let character = |byte: &u8| match byte.checked_sub(128) {
            Some(at) => PC_CHARACTERS.chars().nth(usize::from(at)).unwrap_or('?'),
            None => char::from(*byte),
        };
        self.name.iter().map(character).collect::<String>().into_bytes()
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.flags & ENCRYPTED != 0
    }
}

/// The bytes of an entry as they come.
pub(super) struct Content<'c, R> {
    bytes: Unpacking<'c, R>,
    crc: Crc,
    expected: u32,
}

enum Unpacking<'c, R> {
    Stored(Take<&'c mut R>),
    Deflated(DeflateDecoder<Take<&'c mut R>>),
}

impl<R: Read> Read for Content<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match &mut self.bytes {
            Unpacking::Stored(bytes) => bytes.read(buffer)?,
            Unpacking::Deflated(bytes) => bytes.read(buffer)?,
        };
        self.crc.update(&buffer[..count]);
        if count == 0 && !buffer.is_empty() && self.crc.sum() != self.expected {
            return Err(bad("an entry has another checksum than the list says"));
        }
        Ok(count)
    }
}

/// Takes the numbers that were too large for a record from its extra fields, in their order.
fn widen(mut extra: &[u8], numbers: &mut [&mut u64]) -> io::Result<()> {
    let mut large = numbers.iter_mut().filter(|number| ***number == u64::from(u32::MAX)).peekable();
    if large.peek().is_none() {
        return Ok(());
    }
    while extra.len() >= 4 {
        let (kind, length) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
        let field = extra.get(4..4 + length).ok_or_else(|| bad("an extra field is damaged"))?;
        if kind == EXTRA_64 {
            // A file of exactly this size has no more than it says.
            large.zip(field.chunks_exact(8)).for_each(|(number, bytes)| **number = u64_at(bytes, 0));
            return Ok(());
        }
        extra = &extra[4 + length..];
    }
    Ok(())
}

fn read_at(archive: &mut (impl Read + Seek), at: u64, length: usize) -> io::Result<Vec<u8>> {
    archive.seek(SeekFrom::Start(at))?;
    let mut bytes = vec![0; length];
    archive.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// A number at a place that is known to be there.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

fn bad(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_are_read_in_the_characters_of_their_time() {
        assert_eq!(PC_CHARACTERS.chars().count(), 128);
        let entry = |name: &[u8]| ZipEntry {
            name: name.to_vec(),
            flags: 0,
            method: 0,
            crc: 0,
            packed: 0,
            size: 0,
            offset: 0,
            mode: 0,
        };
        assert_eq!(entry("ä.md".as_bytes()).name(), "ä.md".as_bytes());
        assert_eq!(entry(b"\x84\xe1.md").name(), "äß.md".as_bytes());
    }

    #[test]
    fn large_numbers_come_from_the_extra_field() {
        let max = u64::from(u32::MAX);
        let (mut size, mut packed, mut offset) = (max, 7, max);
        let extra = [&[9, 0, 1, 0, 0xff][..], &[1, 0, 16, 0], &5_000_000_000_u64.to_le_bytes(), &6_u64.to_le_bytes()];
        widen(&extra.concat(), &mut [&mut size, &mut packed, &mut offset]).unwrap();
        assert_eq!((size, packed, offset), (5_000_000_000, 7, 6));
        assert!(widen(&[1, 0, 99, 0, 0], &mut [&mut { max }]).is_err());
    }
}
