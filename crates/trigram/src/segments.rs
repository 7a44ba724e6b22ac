//! The file `segments`: which segments make up an index, and which of their documents are deleted.

use std::fs;
use std::path::{Path, PathBuf};

use ai_assist_base::{remove_unfinished, replace_file};

use crate::codec::{decode, encode, put_varint, take, take_varint};
use crate::reader::SegmentReader;
use crate::{Error, Result};

pub(crate) const LIST: &str = "segments";
const ENDING: &str = "grams";
const MAGIC: [u8; 8] = *b"aasegm1\n";

#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) number: u32,
    pub(crate) reader: SegmentReader,
    /// Rising numbers of documents that are no more.
    pub(crate) deleted: Vec<u32>,
}

impl Segment {
    pub(crate) fn live(&self) -> u64 {
        u64::from(self.reader.docs()) - self.deleted.len() as u64
    }
}

pub(crate) fn segment_path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{number:08}.{ENDING}"))
}

/// A number that no segment's file in a folder has.
pub(crate) fn next_number(folder: &Path) -> Result<u32> {
    let mut next = 0;
    for entry in fs::read_dir(folder).map_err(Error::io("reading", folder))? {
        let path = entry.map_err(Error::io("reading", folder))?.path();
        let number = path.file_stem().and_then(|stem| stem.to_str()?.parse::<u32>().ok());
        if path.extension().is_some_and(|ending| ending == ENDING)
            && let Some(number) = number
        {
            next = next.max(number.saturating_add(1));
        }
    }
    Ok(next)
}

/// Opens what the list of a folder names.
pub(crate) fn open_all(folder: &Path) -> Result<Vec<Segment>> {
    // An update in place may remove a merged segment between our reading of the list and the opening of its files; the
    // list then already names others.
    for _ in 0..3 {
        match try_open(folder) {
            Err(error) if error.is_not_found() => {}
            other => return other,
        }
    }
    try_open(folder)
}

fn try_open(folder: &Path) -> Result<Vec<Segment>> {
    let path = folder.join(LIST);
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(Error::Missing(folder.to_owned())),
        other => other.map_err(Error::io("reading", &path))?,
    };
    let mut segments = Vec::new();
    for entry in parse(&bytes).ok_or_else(|| Error::damaged(&path, "its bytes are not what was written"))? {
        let reader = SegmentReader::open(&segment_path(folder, entry.number))?;
        if (reader.fingerprint, reader.docs()) != (entry.fingerprint, entry.docs) {
            return Err(Error::damaged(&reader.path, "it is not the segment that the list names"));
        }
        segments.push(Segment { number: entry.number, reader, deleted: entry.deleted });
    }
    Ok(segments)
}

struct Entry {
    number: u32,
    docs: u32,
    fingerprint: u32,
    deleted: Vec<u32>,
}

fn parse(bytes: &[u8]) -> Option<Vec<Entry>> {
    let (body, checksum) = bytes.split_last_chunk::<4>()?;
    if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let mut rest = body;
    if take::<8>(&mut rest)? != MAGIC {
        return None;
    }
    let mut entries = Vec::new();
    for _ in 0..take_varint(&mut rest)? {
        let number = take_varint(&mut rest)?;
        let docs = take_varint(&mut rest)?;
        let fingerprint = u32::from_le_bytes(take(&mut rest)?);
        let count = take_varint(&mut rest)?;
        let length = take_varint(&mut rest)? as usize;
        let (list, after) = rest.split_at_checked(length)?;
        rest = after;
        let mut deleted = Vec::new();
        // Each number takes a bit at least, which bounds what a forged count can reserve.
        if count as usize > length * 8 {
            return None;
        }
        decode(list, count, docs, &mut deleted).ok()?;
        entries.push(Entry { number, docs, fingerprint, deleted });
    }
    rest.is_empty().then_some(entries)
}

/// Makes these the segments of a folder, all at once.
pub(crate) fn write_list(folder: &Path, segments: &[Segment]) -> Result<()> {
    let mut bytes = MAGIC.to_vec();
    put_varint(segments.len() as u32, &mut bytes);
    for segment in segments {
        put_varint(segment.number, &mut bytes);
        put_varint(segment.reader.docs(), &mut bytes);
        bytes.extend_from_slice(&segment.reader.fingerprint.to_le_bytes());
        let mut list = Vec::new();
        encode(&segment.deleted, &mut list);
        put_varint(segment.deleted.len() as u32, &mut bytes);
        put_varint(list.len() as u32, &mut bytes);
        bytes.append(&mut list);
    }
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());

    let path = folder.join(LIST);
    replace_file(&path, &bytes, 0o600).map_err(Error::io("replacing", &path))
}

/// Removes the files of an earlier update that was killed or that were merged away. Only names of ours are touched.
pub(crate) fn clear_away(folder: &Path, segments: &[Segment]) -> Result<()> {
    remove_unfinished(folder).map_err(Error::io("cleaning", folder))?;
    for entry in fs::read_dir(folder).map_err(Error::io("reading", folder))? {
        let path = entry.map_err(Error::io("reading", folder))?.path();
        let ours = path.extension().is_some_and(|ending| ending == ENDING || ending == "run");
        if ours && !segments.iter().any(|segment| segment.reader.path == path) {
            fs::remove_file(&path).map_err(Error::io("removing", &path))?;
        }
    }
    Ok(())
}
