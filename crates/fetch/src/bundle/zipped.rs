//! Zip archives, unpacked within what an archive of documents may come to.

use std::fs::File;
use std::io::{self, BufReader, Read};

use ai_assist_base::Cancel;

use super::zip_entries::{ZipEntries, ZipEntry};
use super::{BundleError, BundleKind, Result, Stoppable, is_here};
use crate::extract::{Extractor, doc_path, shown};

const PIECE: usize = 64 << 10;

/// Documents shrink to a third or a tenth. What grows more than this on unpacking was made to be large.
const MAX_RATIO: u64 = 200;
/// So many bytes may come out of any archive, whatever its size: small files of one letter are no harm.
const FREE_BYTES: u64 = 64 << 20;

/// The bits of a mode that say what a file is.
const KIND_BITS: u32 = 0o170_000;

pub(super) fn unpack(archive: File, extract: &mut Extractor<'_>, cancel: &Cancel) -> Result<()> {
    let packed = archive.metadata().map_err(unreadable)?.len();
    let mut budget = Budget { packed, claimed: 0, unpacked: 0 };
    let reader = BufReader::new(Stoppable { inner: archive, cancel });
    let mut entries = ZipEntries::open(reader).map_err(|error| failed(error, cancel))?;
    let mut number = 0;
    while let Some(entry) = entries.next().map_err(|error| failed(error, cancel))? {
        number += 1;
        extract.count_entry()?;
        budget.claim(entry.packed, number)?;
        let name = entry.name();
        check_kind(&entry, &name)?;
        if name.ends_with(b"/") {
            if entry.size > 0 {
                return Err(BundleError::Damaged { entry: number, reason: "it is a folder with content" });
            }
            if !is_here(&name) {
                extract.folder(&doc_path(&name)?)?;
            }
            continue;
        }
        let (path, size) = (doc_path(&name)?, entry.size);
        let Some(mut landed) = extract.file(&path, size)? else { continue };
        let mut content = entries.content(&entry).map_err(|error| failed(error, cancel))?;
        let mut piece = vec![0; PIECE];
        let mut read = 0_u64;
        loop {
            let count = match content.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(failed(error, cancel)),
            };
            read += count as u64;
            if read > size {
                return Err(BundleError::Damaged { entry: number, reason: "it is longer than it says" });
            }
            budget.unpack(count as u64)?;
            extract.write(&mut landed, &piece[..count])?;
        }
        if read < size {
            return Err(BundleError::Damaged { entry: number, reason: "it is shorter than it says" });
        }
    }
    Ok(())
}

/// What an archive may unpack to, by its own size.
struct Budget {
    packed: u64,
    /// What its entries say that they take up of it.
    claimed: u64,
    unpacked: u64,
}

impl Budget {
    /// Entries that together are longer than the archive share bytes: a bomb in which each holds all that follow.
    fn claim(&mut self, bytes: u64, entry: usize) -> Result<()> {
        self.claimed = self.claimed.saturating_add(bytes);
        if self.claimed > self.packed {
            return Err(BundleError::Damaged { entry, reason: "it shares its bytes with another entry" });
        }
        Ok(())
    }

    fn unpack(&mut self, bytes: u64) -> Result<()> {
        self.unpacked += bytes;
        let limit = self.packed.saturating_mul(MAX_RATIO).max(FREE_BYTES);
        if self.unpacked > limit { Err(BundleError::Ratio { packed: self.packed, limit }) } else { Ok(()) }
    }
}

fn check_kind(entry: &ZipEntry, name: &[u8]) -> Result<()> {
    let what = match entry.mode & KIND_BITS {
        _ if entry.is_encrypted() => "encrypted",
        0 | 0o100_000 | 0o040_000 => return Ok(()),
        0o120_000 => "a symbolic link",
        0o020_000 => "a character device",
        0o060_000 => "a block device",
        0o010_000 => "a named pipe",
        _ => "of an unknown kind",
    };
    Err(BundleError::Kind { name: shown(name), what: what.to_owned() })
}

fn failed(error: io::Error, cancel: &Cancel) -> BundleError {
    if cancel.is_cancelled() { BundleError::Stopped } else { unreadable(error) }
}

fn unreadable(source: io::Error) -> BundleError {
    BundleError::Unreadable { kind: BundleKind::Zip, source }
}
