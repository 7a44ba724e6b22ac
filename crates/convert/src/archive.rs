//! Zip archives in memory: what EPUB and office documents are packed in.
//!
//! A small reader of its own, because these formats use two methods (stored and deflate), no volumes and no encryption, and
//! because every byte that is unpacked has to count against one budget of the whole archive: an archive whose entries
//! share the same packed bytes would pass a limit that holds for each entry alone.

use std::collections::HashMap;
use std::io::Read;

use flate2::Crc;
use flate2::read::DeflateDecoder;

use crate::{ConvertError, Limits};

/// Documents pack about 5 to 50 times smaller; a sheet of equal cells reaches 150. Deflate ends at 1032.
const MAX_RATIO: u64 = 250;
/// What may be unpacked before the ratio counts, so that a small file of blanks is no bomb.
const RATIO_FREE: u64 = 4 << 20;

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;
const END_LEN: usize = 22;

/// A zip archive, and how much may still be unpacked from it.
pub(crate) struct Archive<'a> {
    bytes: &'a [u8],
    entries: Vec<Entry>,
    by_name: HashMap<String, usize>,
    max_unpacked: u64,
    left: u64,
}

struct Entry {
    name: String,
    encrypted: bool,
    method: u16,
    crc: u32,
    packed: u64,
    offset: u64,
}

/// Where the directory of an archive stands.
struct Directory {
    start: u64,
    len: u64,
    /// Bytes that stand before the archive, as the stub of one that unpacks itself; offsets don't count them.
    shift: u64,
}

impl<'a> Archive<'a> {
    /// Whether bytes begin as an archive with at least one entry does.
    pub(crate) fn is(bytes: &[u8]) -> bool {
        u32_at(bytes, 0) == Some(LOCAL)
    }

    pub(crate) fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self, ConvertError> {
        let directory = find_directory(bytes).ok_or_else(|| malformed("it has no directory at its end"))?;
        let entries = read_directory(bytes, &directory).ok_or_else(|| malformed("its directory is damaged"))?;
        // As unzip does, the last of two entries with one name counts.
        let by_name = entries.iter().enumerate().map(|(at, entry)| (entry.name.clone(), at)).collect();
        Ok(Archive { bytes, entries, by_name, max_unpacked: limits.max_unpacked, left: limits.max_unpacked })
    }

    /// The names of all entries in the order of the directory, with `/` between folders.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The bytes of an entry, or nothing if the archive has none of that name. Each call costs of the archive's budget.
    pub(crate) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, ConvertError> {
        let Some(entry) = self.by_name.get(name).and_then(|&at| self.entries.get(at)) else { return Ok(None) };
        if entry.encrypted {
            return Err(ConvertError::Encrypted);
        }
        let packed = packed_bytes(self.bytes, entry).ok_or_else(|| damaged(name))?;
        let by_ratio = (packed.len() as u64).saturating_mul(MAX_RATIO).max(RATIO_FREE);
        let unpacked = match entry.method {
            0 => read_within(packed, self.left),
            8 => read_within(DeflateDecoder::new(packed), self.left.min(by_ratio)),
            other => return Err(malformed(&format!("{name:?} is packed with method {other}, which is not read"))),
        };
        let unpacked = match unpacked {
            Some(Ok(unpacked)) => unpacked,
            Some(Err(_)) => return Err(damaged(name)),
            None if self.left <= by_ratio => {
                return Err(ConvertError::TooLarge { what: "bytes unpacked", limit: self.max_unpacked });
            }
            None => return Err(ConvertError::TooLarge { what: "times its packed size", limit: MAX_RATIO }),
        };
        let mut crc = Crc::new();
        crc.update(&unpacked);
        if crc.sum() != entry.crc {
            return Err(damaged(name));
        }
        self.left -= unpacked.len() as u64;
        Ok(Some(unpacked))
    }
}

/// All that a reader gives, or nothing if that is more than `limit` or than there is memory for.
fn read_within(reader: impl Read, limit: u64) -> Option<std::io::Result<Vec<u8>>> {
    let mut unpacked = Vec::new();
    if let Err(error) = reader.take(limit.saturating_add(1)).read_to_end(&mut unpacked) {
        return (error.kind() != std::io::ErrorKind::OutOfMemory).then_some(Err(error));
    }
    (unpacked.len() as u64 <= limit).then_some(Ok(unpacked))
}

fn packed_bytes<'a>(bytes: &'a [u8], entry: &Entry) -> Option<&'a [u8]> {
    let start = usize::try_from(entry.offset).ok()?;
    if u32_at(bytes, start)? != LOCAL {
        return None;
    }
    // Name and extra field may differ in length from those of the directory.
    let names = usize::from(u16_at(bytes, start + 26)?) + usize::from(u16_at(bytes, start + 28)?);
    let start = start + 30 + names;
    bytes.get(start..start.checked_add(usize::try_from(entry.packed).ok()?)?)
}

fn find_directory(bytes: &[u8]) -> Option<Directory> {
    // A comment of up to 64 KiB may follow the end record.
    let last = bytes.len().checked_sub(END_LEN)?;
    let end = (last.saturating_sub(usize::from(u16::MAX))..=last).rev().find(|&at| u32_at(bytes, at) == Some(END))?;
    let len = u64::from(u32_at(bytes, end + 12)?);
    let start = u64::from(u32_at(bytes, end + 16)?);
    let large = start == u64::from(u32::MAX) || len == u64::from(u32::MAX) || u16_at(bytes, end + 10)? == u16::MAX;
    let locator = end.checked_sub(20).filter(|&at| large && u32_at(bytes, at) == Some(LOCATOR_64));
    if let Some(locator) = locator {
        let end = usize::try_from(u64_at(bytes, locator + 8)?).ok()?;
        if u32_at(bytes, end)? != END_64 {
            return None;
        }
        let (len, start) = (u64_at(bytes, end.checked_add(40)?)?, u64_at(bytes, end.checked_add(48)?)?);
        return Some(Directory { start, len, shift: 0 });
    }
    let shift = (end as u64).checked_sub(start.checked_add(len)?)?;
    Some(Directory { start: start + shift, len, shift })
}

fn read_directory(bytes: &[u8], directory: &Directory) -> Option<Vec<Entry>> {
    let start = usize::try_from(directory.start).ok()?;
    let mut rest = bytes.get(start..start.checked_add(usize::try_from(directory.len).ok()?)?)?;
    let mut entries = Vec::new();
    while !rest.is_empty() {
        if u32_at(rest, 0)? != CENTRAL {
            return None;
        }
        let name_len = usize::from(u16_at(rest, 28)?);
        let extra_len = usize::from(u16_at(rest, 30)?);
        let comment_len = usize::from(u16_at(rest, 32)?);
        let name = String::from_utf8_lossy(rest.get(46..46 + name_len)?).replace('\\', "/");
        let extra = rest.get(46 + name_len..46 + name_len + extra_len)?;
        let (packed, offset) = large_sizes(rest, extra)?;
        entries.push(Entry {
            name,
            encrypted: u16_at(rest, 8)? & 1 != 0,
            method: u16_at(rest, 10)?,
            crc: u32_at(rest, 16)?,
            packed,
            offset: offset.checked_add(directory.shift)?,
        });
        rest = rest.get(46 + name_len + extra_len + comment_len..)?;
    }
    Some(entries)
}

/// Packed size and offset of an entry; what does not fit into 32 bits stands in the extra field, in a fixed order.
fn large_sizes(entry: &[u8], extra: &[u8]) -> Option<(u64, u64)> {
    let [packed, unpacked, offset] = [u32_at(entry, 20)?, u32_at(entry, 24)?, u32_at(entry, 42)?];
    let mut large = extra_field(extra, 1).unwrap_or_default();
    let mut take = |small: u32| {
        if small != u32::MAX || large.len() < 8 {
            return u64::from(small);
        }
        let value = u64_at(large, 0).unwrap_or_default();
        large = &large[8..];
        value
    };
    take(unpacked);
    let packed = take(packed);
    Some((packed, take(offset)))
}

fn extra_field(mut extra: &[u8], wanted: u16) -> Option<&[u8]> {
    loop {
        let (id, len) = (u16_at(extra, 0)?, usize::from(u16_at(extra, 2)?));
        let field = extra.get(4..4 + len)?;
        if id == wanted {
            return Some(field);
        }
        extra = &extra[4 + len..];
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

fn malformed(detail: &str) -> ConvertError {
    ConvertError::Malformed { format: "zip", detail: detail.to_owned() }
}

fn damaged(name: &str) -> ConvertError {
    malformed(&format!("{name:?} is damaged"))
}

/// Archives made for tests, so that each format's tests needn't keep binary files.
#[cfg(test)]
pub(crate) mod make {
    use std::io::Write;

    /// A zip of deflated entries; one called `mimetype` is stored, as EPUB and OpenDocument want it.
    pub(crate) fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (name, content) in entries {
            let stored = *name == "mimetype";
            let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
            packer.write_all(content).unwrap();
            let packed = if stored { content.to_vec() } else { packer.finish().unwrap() };
            let mut crc = flate2::Crc::new();
            crc.update(content);

            let mut head = vec![20, 0, 0, 0];
            head.extend(if stored { 0_u16 } else { 8 }.to_le_bytes());
            head.extend([0; 4]);
            head.extend(crc.sum().to_le_bytes());
            head.extend((packed.len() as u32).to_le_bytes());
            head.extend((content.len() as u32).to_le_bytes());
            head.extend((name.len() as u16).to_le_bytes());
            head.extend([0; 2]);

            directory.extend(super::CENTRAL.to_le_bytes());
            directory.extend([20, 0]);
            directory.extend(&head);
            directory.extend([0; 10]);
            directory.extend((bytes.len() as u32).to_le_bytes());
            directory.extend(name.as_bytes());

            bytes.extend(super::LOCAL.to_le_bytes());
            bytes.extend(&head);
            bytes.extend(name.as_bytes());
            bytes.extend(packed);
        }
        let start = bytes.len() as u32;
        let count = (entries.len() as u16).to_le_bytes();
        bytes.extend(&directory);
        bytes.extend(super::END.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(count);
        bytes.extend(count);
        bytes.extend((directory.len() as u32).to_le_bytes());
        bytes.extend(start.to_le_bytes());
        bytes.extend([0; 2]);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn limits(max_unpacked: u64) -> Limits {
        Limits { max_unpacked, ..Limits::default() }
    }

    #[test]
    fn entries_come_back_as_they_went_in() {
        let bytes = make::zip(&[("mimetype", b"application/epub+zip"), ("a/b.xml", b"<a/>"), ("empty", b"")]);
        let mut archive = Archive::open(&bytes, &Limits::default()).unwrap();
        assert!(Archive::is(&bytes) && archive.contains("a/b.xml") && !archive.contains("b.xml"));
        assert_eq!(archive.names().collect::<Vec<_>>(), ["mimetype", "a/b.xml", "empty"]);
        assert_eq!(archive.read("mimetype").unwrap().unwrap(), b"application/epub+zip");
        assert_eq!(archive.read("a/b.xml").unwrap().unwrap(), b"<a/>");
        assert_eq!(archive.read("empty").unwrap().unwrap(), b"");
        assert_eq!(archive.read("absent").unwrap(), None);
    }

    #[test]
    fn an_archive_behind_a_stub_and_before_a_comment_is_read() {
        let mut bytes = b"#!/bin/sh stub".to_vec();
        bytes.extend(make::zip(&[("a", b"text")]));
        bytes.extend(b"comment after the end");
        let mut archive = Archive::open(&bytes, &Limits::default()).unwrap();
        assert_eq!(archive.read("a").unwrap().unwrap(), b"text");
    }

    #[test]
    fn an_archive_made_by_another_program_is_read() {
        // Python's zipfile: deflated, stored with a name that is not ASCII, and with a 64-bit extra field.
        let python = include_bytes!("../tests/archives/python.zip");
        let mut archive = Archive::open(python, &Limits::default()).unwrap();
        assert_eq!(archive.read("folder/hello.txt").unwrap().unwrap(), b"hello ".repeat(100));
        assert_eq!(archive.read("ünïcode.txt").unwrap().unwrap(), b"stored");
        assert_eq!(archive.read("large.txt").unwrap().unwrap(), b"with 64-bit sizes");
    }

    #[test]
    fn a_bomb_is_stopped_by_ratio_and_by_budget() {
        let blanks = vec![b' '; 8 << 20];
        let bytes = make::zip(&[("a", &blanks)]);
        assert_eq!(
            Archive::open(&bytes, &limits(1 << 30)).unwrap().read("a"),
            Err(ConvertError::TooLarge { what: "times its packed size", limit: MAX_RATIO })
        );
        let bytes = make::zip(&[("a", &blanks[..1000]), ("b", &blanks[..1000])]);
        let mut archive = Archive::open(&bytes, &limits(1500)).unwrap();
        assert!(archive.read("a").is_ok());
        assert_eq!(archive.read("b"), Err(ConvertError::TooLarge { what: "bytes unpacked", limit: 1500 }));
    }

    #[test]
    fn encrypted_and_damaged_entries_are_refused() {
        let good = make::zip(&[("a", b"text of an entry")]);
        let central = good.windows(4).position(|window| window == CENTRAL.to_le_bytes()).unwrap();
        let with = |at: usize, value: u8| {
            let mut bytes = good.clone();
            bytes[at] = value;
            Archive::open(&bytes, &Limits::default()).and_then(|mut archive| archive.read("a"))
        };
        assert_eq!(with(central + 8, 1), Err(ConvertError::Encrypted));
        for (at, value) in [(central + 10, 12), (central + 16, 0), (central + 42, 9), (central, 0), (32, 0xff)] {
            assert!(matches!(with(at, value), Err(ConvertError::Malformed { .. })), "byte {at}");
        }
        assert!(Archive::open(b"PK\x03\x04 and no more", &Limits::default()).is_err());
        assert!(Archive::open(b"", &Limits::default()).is_err());
    }

    proptest! {
        #[test]
        fn broken_bytes_never_panic(at in 0_usize..200, value: u8, cut in 0_usize..200) {
            let mut bytes = make::zip(&[("a", b"text of an entry"), ("b", b"more")]);
            let at = at % bytes.len();
            bytes[at] = value;
            bytes.truncate(bytes.len().max(cut + 1) - cut % bytes.len());
            if let Ok(mut archive) = Archive::open(&bytes, &limits(1 << 20)) {
                let names: Vec<String> = archive.names().map(str::to_owned).collect();
                for name in names {
                    let _ = archive.read(&name);
                }
            }
        }
    }
}
