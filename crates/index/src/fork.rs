//! Another index out of one that is there, sharing every file that neither of them will change.
//!
//! The word index never writes a file in place: segments are new files and the rest is replaced by rename. The vector
//! files are appended to, so an index that is to be written needs its own.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::dense::VECTOR_FILES;
use crate::reader::current_generation;
use crate::{Error, Result};

/// What a fork is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fork {
    /// Only to be read, as the one it comes from.
    Read,
    /// To be opened by a [`Writer`](crate::Writer); the one it comes from stays as it is.
    Write,
}

/// Makes an index in `to`, a folder that is not there yet, out of the one in `from`, which nobody may be writing.
///
/// Nothing is made durable: whoever needs that syncs the folders, and the files that are not shared.
///
/// # Errors
///
/// If there is no index in `from`, or a file can't be linked or copied.
pub fn fork(from: &Path, to: &Path, purpose: Fork) -> Result<()> {
    let generation = current_generation(from)?;
    let name = generation.file_name().unwrap_or_default();
    let target = to.join(name);
    let words = target.join("words");
    std::fs::create_dir_all(&words).map_err(Error::io("creating", &words))?;
    for entry in std::fs::read_dir(generation.join("words")).map_err(Error::io("reading", &generation))? {
        let entry = entry.map_err(Error::io("reading", &generation))?;
        let is_file = entry.file_type().map_err(Error::io("reading", &entry.path()))?.is_file();
        let is_lock = entry.file_name().as_encoded_bytes().ends_with(b".lock");
        if is_file && !is_lock {
            share(&entry.path(), &words.join(entry.file_name()))?;
        }
    }
    for file in VECTOR_FILES {
        let (from, to) = (generation.join(file), target.join(file));
        match purpose {
            Fork::Read => share(&from, &to)?,
            Fork::Write => copy(&from, &to)?,
        }
    }
    share(&from.join("CURRENT"), &to.join("CURRENT"))
}

/// One file under two names, or two files where the system can't do that.
fn share(from: &Path, to: &Path) -> Result<()> {
    match std::fs::hard_link(from, to) {
        Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists) => {
            copy(from, to)?;
            File::open(to).and_then(|file| file.sync_all()).map_err(Error::io("writing", to))
        }
        linked => linked.map_err(Error::io("linking", from)),
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to).map(drop).map_err(Error::io("copying", from))
}
