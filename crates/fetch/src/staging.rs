//! The files of an archive in one file: making thousands of files and taking them away again takes longer than all the rest of
//! a sync.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

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
        self.file.read_exact_at(&mut bytes, start)?;
        Ok(Some(bytes))
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
