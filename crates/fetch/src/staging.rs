//! The files of an archive in one file: making thousands of files and taking them away again takes longer than all the rest of
//! a sync.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use ai_assist_base::platform;
use ai_assist_identity::DocPath;

use crate::extract::{ExtractError, Extractor};
use crate::{Limits, Unpacked};

/// Where a file stands: from which byte on, and how many.
type Span = (u64, u64);

/// Files laid one after the other.
#[derive(Debug)]
pub struct Staging {
    file: File,
    places: BTreeMap<DocPath, Span>,
}

impl Staging {
    /// The paths of the files, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &DocPath> {
        self.places.keys()
    }

    pub fn contains(&self, path: &DocPath) -> bool {
        self.places.contains_key(path)
    }

    /// The bytes of a file; nothing if there is none of this path.
    pub fn read(&self, path: &DocPath) -> io::Result<Option<Vec<u8>>> {
        let Some(&(start, length)) = self.places.get(path) else { return Ok(None) };
        // What was written has been counted, so this is no stranger's number.
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        platform::read_exact_at(&self.file, &mut bytes, start)?;
        Ok(Some(bytes))
    }

    /// Lays files that are at hand one after the other into an empty file.
    pub fn of(into: File, files: impl IntoIterator<Item = (DocPath, Vec<u8>)>) -> io::Result<Self> {
        let mut writer = StagingWriter::new(into);
        for (path, bytes) in files {
            writer.begin(&path);
            writer.write(&path, &bytes)?;
        }
        writer.finish()
    }

    /// How many bytes a file has; nothing if there is none of this path.
    pub fn size(&self, path: &DocPath) -> Option<u64> {
        self.places.get(path).map(|(_, length)| *length)
    }

    /// Takes away the folder that everything lies in, files that were left out included, and says what it was called.
    pub(crate) fn strip_top(&mut self, left_out: &mut [DocPath]) -> Option<String> {
        let first = self.places.keys().chain(left_out.iter()).next()?;
        let (top, _) = first.as_str().split_once('/')?;
        let top = top.to_owned();
        let below = |path: &DocPath| {
            let rest = path.as_str().strip_prefix(&top)?.strip_prefix('/')?;
            DocPath::parse(rest).ok()
        };
        let stripped: Option<BTreeMap<DocPath, Span>> =
            self.places.iter().map(|(path, span)| Some((below(path)?, *span))).collect();
        let left: Option<Vec<DocPath>> = left_out.iter().map(below).collect();
        let (stripped, left) = (stripped?, left?);
        self.places = stripped;
        left_out.clone_from_slice(&left);
        Some(top)
    }

    /// Writes every file below an empty folder.
    pub fn write_out(&self, folder: &Path, limits: &Limits) -> Result<Unpacked, ExtractError> {
        let mut extract = Extractor::new(folder, limits);
        for (path, &(_, length)) in &self.places {
            let failed = |source| ExtractError::Write { path: path.clone(), source };
            let bytes = self.read(path).map_err(failed)?.unwrap_or_default();
            if let Some(mut landed) = extract.file(path, length)? {
                extract.write(&mut landed, &bytes)?;
            }
        }
        Ok(extract.finish())
    }
}

/// A staging being laid.
pub(crate) struct StagingWriter {
    file: BufWriter<File>,
    places: BTreeMap<DocPath, Span>,
    end: u64,
}

impl StagingWriter {
    pub(crate) fn new(file: File) -> Self {
        StagingWriter { file: BufWriter::with_capacity(1 << 18, file), places: BTreeMap::new(), end: 0 }
    }

    pub(crate) fn begin(&mut self, path: &DocPath) {
        self.places.insert(path.clone(), (self.end, 0));
    }

    pub(crate) fn write(&mut self, path: &DocPath, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.end += bytes.len() as u64;
        if let Some((_, length)) = self.places.get_mut(path) {
            *length += bytes.len() as u64;
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> io::Result<Staging> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Staging { file, places: self.places })
    }
}
