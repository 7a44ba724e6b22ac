//! Packages as one file: `.tar.gz`, `.tar.zst` and `.zip`.

mod pax;
mod records;
mod write;
mod zip_entries;
mod zipped;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::extract::{self, ExtractError, Extractor};
use crate::staging::{Staging, StagingWriter};
use crate::{Limits, Unpacked};
use ai_assist_base::Cancel;
use records::{Entry, Records};

pub use write::BundleWriter;

/// Unpacking needs a window of this many bits (128 MiB) for an archive of `zstd --ultra -22`, and is not given more.
const ZSTD_WINDOW_LOG: u32 = 27;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BundleKind {
    TarGz,
    TarZst,
    /// Read, never written: there is no way to write one that every program reads as the same bytes.
    Zip,
}

impl BundleKind {
    /// The kind that a file name, path or path of a URL ends in.
    pub fn of(path_or_name: &str) -> Option<Self> {
        let name = path_or_name.to_ascii_lowercase();
        let ends_in = |endings: [&str; 2]| endings.iter().any(|ending| name.ends_with(ending));
        if ends_in([".tar.gz", ".tgz"]) {
            Some(Self::TarGz)
        } else if ends_in([".tar.zst", ".tzst"]) {
            Some(Self::TarZst)
        } else if name.ends_with(".zip") {
            Some(Self::Zip)
        } else {
            None
        }
    }

    /// The ending that we give such a file, with the dot in front.
    pub fn extension(self) -> &'static str {
        match self {
            Self::TarGz => ".tar.gz",
            Self::TarZst => ".tar.zst",
            Self::Zip => ".zip",
        }
    }

    /// Whether we write such files.
    pub fn is_written(self) -> bool {
        self != Self::Zip
    }
}

type Result<T, E = BundleError> = std::result::Result<T, E>;

/// A bundle that can't be unpacked or written.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    #[error("unpacking was stopped")]
    Stopped,
    #[error("the bundle can't be read as `{}`; it is damaged, cut off or something else", kind.extension())]
    Unreadable { kind: BundleKind, source: io::Error },
    #[error("the bundle is cut off: it ends after {entries} entries without the mark at its end")]
    Cut { entries: usize },
    #[error("entry {entry} of the bundle is damaged: {reason}")]
    Damaged { entry: usize, reason: &'static str },
    #[error("`{name}` in the bundle is {what}; a bundle holds files and folders only")]
    Kind { name: String, what: String },
    #[error("entry {entry} of the bundle has a name or attributes of more than {limit} bytes")]
    LongRecord { entry: usize, limit: u64 },
    #[error("the bundle has more content behind its end")]
    BehindEnd,
    #[error("the bundle of {packed} bytes unpacks to more than {limit} bytes, which no archive of documents does")]
    Ratio { packed: u64, limit: u64 },
    #[error("bundles are written as `.tar.gz` or `.tar.zst`, not as `{}`", .0.extension())]
    NotWritten(BundleKind),
    #[error(transparent)]
    Extractor(#[from] ExtractError),
    #[error("the bundle can't be written")]
    Write(#[source] io::Error),
}

/// Unpacks an archive, which may be hostile, into an empty folder that exists, while it is being read.
///
/// Whatever is wrong with it makes all of it fail; the folder may then hold a part, which the caller deletes. A file
/// larger than [`Limits::max_file_bytes`] is not wrong: it is left out and reported.
pub fn unpack(archive: impl Read, kind: BundleKind, into: &Path, limits: &Limits, cancel: &Cancel) -> Result<Unpacked> {
    let mut extract = Extractor::new(into, limits);
    match kind {
        BundleKind::Zip => zipped::unpack(spooled(archive, limits)?, &mut extract, cancel)?,
        kind => unpack_onto(archive, kind, &mut extract, cancel)?,
    }
    Ok(extract.finish())
}

/// Unpacks an archive, as [`unpack`] does, into one empty file. Where everything lies in one folder, as in the archives that
/// `git archive --prefix` and GitHub make, that folder is taken away.
pub fn unpack_heap(
    archive: File,
    kind: BundleKind,
    into: File,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<(Staging, Unpacked)> {
    let mut staging = StagingWriter::new(into);
    let mut extract = Extractor::onto(&mut staging, limits);
    match kind {
        BundleKind::Zip => zipped::unpack(archive, &mut extract, cancel)?,
        kind => unpack_onto(archive, kind, &mut extract, cancel)?,
    }
    let mut unpacked = extract.finish();
    let mut staging = staging.finish().map_err(BundleError::Write)?;
    unpacked.top = staging.strip_top(&mut unpacked.too_large);
    Ok((staging, unpacked))
}

/// The list of what is in a zip is at its end, so the whole of it has to be at hand.
fn spooled(archive: impl Read, limits: &Limits) -> Result<File> {
    let limit = limits.max_total_bytes;
    let mut file = tempfile::tempfile().map_err(BundleError::Write)?;
    let copied = io::copy(&mut archive.take(limit.saturating_add(1)), &mut file).map_err(BundleError::Write)?;
    if copied > limit { Err(ExtractError::Bytes { limit }.into()) } else { Ok(file) }
}

fn unpack_onto(archive: impl Read, kind: BundleKind, extract: &mut Extractor<'_>, cancel: &Cancel) -> Result<()> {
    let archive = Stoppable { inner: archive, cancel };
    match kind {
        BundleKind::TarGz => unpack_tar(flate2::read::MultiGzDecoder::new(archive), kind, extract, cancel),
        BundleKind::TarZst => {
            let unreadable = |source| BundleError::Unreadable { kind, source };
            let mut decoder = zstd::Decoder::new(archive).map_err(unreadable)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG).map_err(unreadable)?;
            unpack_tar(decoder, kind, extract, cancel)
        }
        // Not a stream; both callers have seen to it.
        BundleKind::Zip => Err(BundleError::NotWritten(kind)),
    }
}

fn unpack_tar(mut tar: impl Read, kind: BundleKind, extract: &mut Extractor<'_>, cancel: &Cancel) -> Result<()> {
    let mut records = Records::new(&mut tar, kind, cancel);
    while let Some(entry) = records.next(extract)? {
        match entry {
            Entry::Folder { name } if is_here(&name) => {}
            Entry::Folder { name } => extract.folder(&extract::doc_path(&name)?)?,
            Entry::File { name, size } => {
                let path = extract::doc_path(&name)?;
                match extract.file(&path, size)? {
                    Some(mut file) => records.content(size, |bytes| Ok(extract.write(&mut file, bytes)?))?,
                    None => records.content(size, |bytes| Ok(extract.count_bytes(bytes.len())?))?,
                }
            }
        }
    }
    records.end(extract)
}

/// Whether a name is `.` or `./`, as that of the first entry in an archive of the current folder.
fn is_here(name: &[u8]) -> bool {
    name.starts_with(b".") && name.split(|&b| b == b'/').all(|part| matches!(part, b"" | b"."))
}

/// Asks before every read, because input that decodes to nothing (empty members, skippable frames) never gets further.
struct Stoppable<'a, R> {
    inner: R,
    cancel: &'a Cancel,
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("stopped"));
        }
        self.inner.read(buffer)
    }
}

impl<R: Seek> Seek for Stoppable<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_their_ending() {
        for (name, kind) in [
            ("a.tar.gz", Some(BundleKind::TarGz)),
            ("/x/A.TGZ", Some(BundleKind::TarGz)),
            ("https://x/y/b.tar.zst", Some(BundleKind::TarZst)),
            ("b.Tzst", Some(BundleKind::TarZst)),
            ("o-n-0a1b2c.ZIP", Some(BundleKind::Zip)),
            ("zip", None),
            ("a.gz", None),
            ("a.tar", None),
            ("tgz", None),
            ("manifest.json", None),
            ("", None),
        ] {
            assert_eq!(BundleKind::of(name), kind, "{name}");
        }
        for kind in [BundleKind::TarGz, BundleKind::TarZst, BundleKind::Zip] {
            assert_eq!(BundleKind::of(kind.extension()), Some(kind));
        }
    }
}
