//! Changes to a settings file on disk.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use ai_assist_base::{ReadError, RealPath, Replacement, read_bounded};

use crate::change::{Change, Fault, Kind, take_out};
use crate::client::Client;
use crate::{Error, Result};

/// No settings file that a person has is larger.
const MAX_BYTES: u64 = 64 << 20;

/// How often a file that changes meanwhile is read again.
const ATTEMPTS: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file, links resolved.
    pub file: PathBuf,
    pub kind: Kind,
    /// The copy of what was there before, if something was and it was changed.
    pub backup: Option<PathBuf>,
}

/// Reads a settings file, changes its text and replaces it, with a backup beside it. A file that is not there counts as
/// empty. Links are followed; with `within`, only inside that folder.
pub fn change_file(
    file: &Path,
    within: Option<&Path>,
    change: impl Fn(&str) -> std::result::Result<Change, Fault>,
) -> Result<Written> {
    let target = resolve(file, within)?;
    for _ in 0..ATTEMPTS {
        let before = read(&target)?;
        let text = text_of(file, before.as_deref().unwrap_or_default())?;
        let changed = change(text).map_err(|fault| Error::Broken { file: file.to_owned(), fault })?;
        if changed.kind == Kind::Unchanged {
            return Ok(Written { file: target, kind: changed.kind, backup: None });
        }
        if let Some(backup) = replace(&target, before.as_deref(), changed.text.as_bytes())? {
            return Ok(Written { file: target, kind: changed.kind, backup: backup.path });
        }
    }
    Err(Error::Busy { file: file.to_owned() })
}

/// Whether a settings file has an entry of this name. A file that is not there has none.
pub fn is_set_up(client: Client, file: &Path, name: &str) -> Result<bool> {
    let bytes = read(file)?.unwrap_or_default();
    let change = take_out(client, text_of(file, &bytes)?, name);
    change.map(|change| change.kind == Kind::Removed).map_err(|fault| Error::Broken { file: file.to_owned(), fault })
}

fn text_of<'b>(file: &Path, bytes: &'b [u8]) -> Result<&'b str> {
    str::from_utf8(bytes).map_err(|error| {
        let good = String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default());
        Error::Broken { file: file.to_owned(), fault: Fault::at(&good, good.len(), "a byte here is not UTF-8") }
    })
}

/// The file that is really meant. Of one that is not there yet, the folders that are count.
fn resolve(file: &Path, within: Option<&Path>) -> Result<PathBuf> {
    let mut target = file.to_owned();
    // As many links as the kernel would follow.
    for _ in 0..40 {
        match fs::read_link(&target) {
            Ok(link) => target = target.parent().unwrap_or(Path::new("/")).join(link),
            Err(_) => break,
        }
    }
    let mut rest = PathBuf::new();
    let mut there = target.as_path();
    while !there.exists() {
        let (Some(parent), Some(name)) = (there.parent(), there.file_name()) else { break };
        rest = if rest.as_os_str().is_empty() { PathBuf::from(name) } else { Path::new(name).join(&rest) };
        there = parent;
    }
    let mut real = there.real_path().map_err(Error::io("reading", there))?;
    if !rest.as_os_str().is_empty() {
        real.push(rest);
    }
    if let Some(folder) = within {
        let folder = folder.real_path().map_err(Error::io("reading", folder))?;
        if !real.starts_with(&folder) {
            return Err(Error::LeavesProject { link: file.to_owned(), target: real });
        }
    }
    Ok(real)
}

/// The bytes of a file, or none if it is not there.
fn read(file: &Path) -> Result<Option<Vec<u8>>> {
    match read_bounded(file, MAX_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(ReadError::Missing) => Ok(None),
        Err(ReadError::TooLarge(limit)) => Err(Error::TooLarge { file: file.to_owned(), limit }),
        Err(error) => Err(Error::io("reading", file)(error.into())),
    }
}

/// That a file was replaced, and where its former bytes are.
struct Replaced {
    path: Option<PathBuf>,
}

/// Replaces a file whole, unless it no longer has the bytes it had.
fn replace(file: &Path, before: Option<&[u8]>, after: &[u8]) -> Result<Option<Replaced>> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).map_err(Error::io("making", folder))?;
    let writing = |error| Error::io("writing", file)(error);
    // A new file is readable for its owner alone: it may get secrets.
    let mut new = Replacement::begin(file, 0o600).map_err(Error::io("making a file in", folder))?;
    new.write_all(after).map_err(writing)?;
    let permissions = before.and_then(|_| fs::metadata(file).ok()).map(|metadata| metadata.permissions());
    if read(file)?.as_deref() != before {
        return Ok(None);
    }
    let backup = before.map(|bytes| back_up(file, bytes, permissions)).transpose()?;
    new.finish().map_err(writing)?;
    Ok(Some(Replaced { path: backup }))
}

/// Writes bytes to `FILE.bak`, or to the first of `FILE.bak.1`, `FILE.bak.2` and so on that is not there.
fn back_up(file: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> Result<PathBuf> {
    let mut number = 0_u64;
    let (path, mut backup) = loop {
        let mut name = file.as_os_str().to_owned();
        name.push(if number == 0 { ".bak".to_owned() } else { format!(".bak.{number}") });
        let path = PathBuf::from(name);
        match create_new(&path) {
            Ok(backup) => break (path, backup),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(Error::io("writing", path)(error)),
        }
    };
    let writing = |error| Error::io("writing", &path)(error);
    backup.write_all(bytes).map_err(writing)?;
    if let Some(permissions) = permissions {
        backup.set_permissions(permissions).map_err(writing)?;
    }
    backup.sync_all().map_err(writing)?;
    Ok(path)
}

/// A new file that nobody else can read, as the one it is a copy of may hold secrets.
fn create_new(path: &Path) -> std::io::Result<File> {
    ai_assist_base::platform::open_private(path, ai_assist_base::platform::PrivateFile::New)
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
