//! The folder that files of strangers are written into, and the limits that hold there.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use ai_assist_base::platform::{self, PrivateFile};
use ai_assist_identity::{DocPath, PathError, Sha256};

use crate::Limits;
use crate::staging::StagingWriter;

/// How many of the files that were too large are named; the rest are counted.
const NAMED_TOO_LARGE: usize = 100;
const MAX_PATH_BYTES: usize = 4096;
/// What the usual file systems take.
const MAX_NAME_BYTES: usize = 255;
const MAX_DEPTH: usize = 128;

/// What was written into a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unpacked {
    pub files: usize,
    pub bytes: u64,
    /// The first of the files that were left out because they are larger than a file may be.
    pub too_large: Vec<DocPath>,
    /// How many were left out for that, named above or not.
    pub too_large_count: usize,
    /// The one folder that everything lay in, if it was taken away.
    pub top: Option<String>,
}

/// A file that can't be written, or one too many.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    #[error("there is an entry whose name can't be used: {0}")]
    Name(#[from] PathError),
    #[error(
        "the path `{0}` is too long; a path may have {MAX_PATH_BYTES} bytes and {MAX_DEPTH} folders, a name in it \
         {MAX_NAME_BYTES} bytes"
    )]
    TooLong(String),
    #[error("there are more than {limit} files, which is the limit for one package")]
    Files { limit: usize },
    #[error("there are more than {limit} entries, counting folders and records about entries, which is the limit")]
    Entries { limit: usize },
    #[error("there are more than {limit} bytes, which is the limit for one package")]
    Bytes { limit: u64 },
    #[error("`{0}` has a name in it that Windows takes for something else")]
    Reserved(DocPath),
    #[error("the file `{0}` is there twice")]
    Twice(DocPath),
    #[error("`{0}` is both a file and a folder")]
    FileAndFolder(DocPath),
    #[error("`{path}` can't be written")]
    Write { path: DocPath, source: io::Error },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
}

/// Where files go.
enum Target<'a> {
    Folder(&'a Path),
    /// All into one file, one after the other.
    Staging(&'a mut StagingWriter),
}

/// Takes files in: each once, never through a link, never more than the limits allow.
pub(crate) struct Extractor<'a> {
    target: Target<'a>,
    limits: &'a Limits,
    /// Keyed by the hash of the path, because the paths themselves may be long and there may be very many.
    seen: HashMap<Sha256, Kind>,
    entries: usize,
    counted: u64,
    files: usize,
    unpacked: Unpacked,
}

impl<'a> Extractor<'a> {
    /// Into an empty folder.
    pub(crate) fn new(root: &'a Path, limits: &'a Limits) -> Self {
        Self::at(Target::Folder(root), limits)
    }

    pub(crate) fn onto(staging: &'a mut StagingWriter, limits: &'a Limits) -> Self {
        Self::at(Target::Staging(staging), limits)
    }

    fn at(target: Target<'a>, limits: &'a Limits) -> Self {
        Extractor {
            target,
            limits,
            seen: HashMap::new(),
            entries: 0,
            counted: 0,
            files: 0,
            unpacked: Unpacked::default(),
        }
    }

    pub(crate) fn finish(self) -> Unpacked {
        self.unpacked
    }

    /// Counts an entry of any kind. A file may have a folder of its own and two records about it.
    pub(crate) fn count_entry(&mut self) -> Result<(), ExtractError> {
        let limit = self.limits.max_files.saturating_mul(4).saturating_add(64);
        self.entries += 1;
        if self.entries > limit { Err(ExtractError::Entries { limit }) } else { Ok(()) }
    }

    /// Counts bytes that came out of the source, written or not.
    pub(crate) fn count_bytes(&mut self, bytes: usize) -> Result<(), ExtractError> {
        let limit = self.limits.max_total_bytes;
        self.counted = self.counted.saturating_add(bytes as u64);
        if self.counted > limit { Err(ExtractError::Bytes { limit }) } else { Ok(()) }
    }

    /// Makes a folder and those above it. One that is there already is fine.
    pub(crate) fn folder(&mut self, path: &DocPath) -> Result<(), ExtractError> {
        self.refuse_odd(path)?;
        self.folders(&path.to_path_buf(), path)
    }

    /// Names that would not become files of these names.
    fn refuse_odd(&self, path: &DocPath) -> Result<(), ExtractError> {
        let on_disk = matches!(self.target, Target::Folder(_));
        if on_disk && path.as_str().split('/').any(|name| platform::is_refused_name(name.as_bytes())) {
            return Err(ExtractError::Reserved(path.clone()));
        }
        Ok(())
    }

    /// Makes an empty file to be written to, or none if it would be larger than a file may be.
    pub(crate) fn file(&mut self, path: &DocPath, size: u64) -> Result<Option<Landed>, ExtractError> {
        let limit = self.limits.max_files;
        self.files += 1;
        if self.files > limit {
            return Err(ExtractError::Files { limit });
        }
        let relative = path.to_path_buf();
        self.refuse_odd(path)?;
        if let Some(parent) = relative.parent() {
            self.folders(parent, path)?;
        }
        match self.seen.insert(key(&relative), Kind::File) {
            Some(Kind::File) => return Err(ExtractError::Twice(path.clone())),
            Some(Kind::Folder) => return Err(ExtractError::FileAndFolder(path.clone())),
            None => {}
        }
        if size > self.limits.max_file_bytes {
            self.unpacked.too_large_count += 1;
            if self.unpacked.too_large.len() < NAMED_TOO_LARGE {
                self.unpacked.too_large.push(path.clone());
            }
            return Ok(None);
        }
        self.unpacked.files += 1;
        let file = match &mut self.target {
            Target::Folder(root) => {
                let created = create_file(&root.join(&relative)).map_err(|source| match source.kind() {
                    // Two names that this file system takes for one, such as `a` and `A`.
                    io::ErrorKind::AlreadyExists => ExtractError::Twice(path.clone()),
                    _ => ExtractError::Write { path: path.clone(), source },
                });
                Some(created?)
            }
            Target::Staging(staging) => {
                staging.begin(path);
                None
            }
        };
        Ok(Some(Landed { file, path: path.clone() }))
    }

    /// Writes the next bytes of a file, counting them.
    pub(crate) fn write(&mut self, landed: &mut Landed, bytes: &[u8]) -> Result<(), ExtractError> {
        self.count_bytes(bytes.len())?;
        self.unpacked.bytes += bytes.len() as u64;
        let written = match (&mut landed.file, &mut self.target) {
            (Some(file), _) => io::Write::write_all(file, bytes),
            (None, Target::Staging(staging)) => staging.write(&landed.path, bytes),
            (None, Target::Folder(_)) => Err(io::Error::other("there is no file")),
        };
        written.map_err(|source| ExtractError::Write { path: landed.path.clone(), source })
    }

    fn folders(&mut self, folder: &Path, wanted: &DocPath) -> Result<(), ExtractError> {
        let mut missing = Vec::new();
        for ancestor in folder.ancestors().filter(|a| !a.as_os_str().is_empty()) {
            match self.seen.get(&key(ancestor)) {
                Some(Kind::Folder) => break,
                Some(Kind::File) => return Err(ExtractError::FileAndFolder(wanted.clone())),
                None => missing.push(ancestor),
            }
        }
        for ancestor in missing.into_iter().rev() {
            if let Target::Folder(root) = self.target {
                create_folder(&root.join(ancestor))
                    .map_err(|source| ExtractError::Write { path: wanted.clone(), source })?;
            }
            self.seen.insert(key(ancestor), Kind::Folder);
        }
        Ok(())
    }
}

/// A file being written.
pub(crate) struct Landed {
    file: Option<File>,
    path: DocPath,
}

/// The path of an entry that came as bytes.
pub(crate) fn doc_path(name: &[u8]) -> Result<DocPath, ExtractError> {
    check_length(name)?;
    Ok(DocPath::from_relative(&platform::path_of(name))?)
}

/// Checked before anything is made of a name, which may be as long as a record of an archive.
pub(crate) fn check_length(name: &[u8]) -> Result<(), ExtractError> {
    let fits = name.len() <= MAX_PATH_BYTES
        && name.split(|&b| b == b'/').all(|part| part.len() <= MAX_NAME_BYTES)
        && name.split(|&b| b == b'/').filter(|part| !matches!(*part, b"" | b".")).count() <= MAX_DEPTH;
    if fits { Ok(()) } else { Err(ExtractError::TooLong(shown(name))) }
}

/// The start of a name, for a message.
pub(crate) fn shown(name: &[u8]) -> String {
    const SHOWN: usize = 120;
    let text = String::from_utf8_lossy(&name[..name.len().min(SHOWN)]).into_owned();
    if name.len() > SHOWN { text + "…" } else { text }
}

fn key(path: &Path) -> Sha256 {
    Sha256::of(path.as_os_str().as_encoded_bytes())
}

/// `create_new` is `O_EXCL`, which follows no link in the last place; above it are only folders that we made.
fn create_file(path: &Path) -> io::Result<File> {
    platform::open_private(path, PrivateFile::New)
}

fn create_folder(path: &Path) -> io::Result<()> {
    match platform::new_private_folder(path) {
        // A file system that takes `a` and `A` for one.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && fs::symlink_metadata(path)?.is_dir() => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> DocPath {
        DocPath::parse(text).unwrap()
    }

    #[test]
    fn a_path_is_one_thing() {
        let folder = tempfile::tempdir().unwrap();
        let limits = Limits { max_file_bytes: 10, ..Limits::default() };
        let mut extract = Extractor::new(folder.path(), &limits);
        assert!(extract.file(&path("a/b"), 1).unwrap().is_some());
        assert!(extract.file(&path("big"), 11).unwrap().is_none());
        extract.folder(&path("a")).unwrap();
        extract.folder(&path("a")).unwrap();
        for (again, wanted) in [("a/b", "twice"), ("a", "both"), ("a/b/c", "both"), ("big", "twice"), ("big/x", "both")]
        {
            let error = extract.file(&path(again), 1).err().unwrap().to_string();
            assert!(error.contains(wanted), "{again}: {error}");
        }
        assert!(matches!(extract.folder(&path("a/b")), Err(ExtractError::FileAndFolder(_))));
        let done = extract.finish();
        assert_eq!((done.files, done.too_large, done.too_large_count), (1, vec![path("big")], 1));
    }

    #[test]
    #[cfg(unix)]
    fn links_that_are_there_already_are_not_followed() {
        let outside = tempfile::tempdir().unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("down")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("new"), folder.path().join("file")).unwrap();
        let limits = Limits::default();
        let mut extract = Extractor::new(folder.path(), &limits);
        assert!(extract.file(&path("down/x"), 0).is_err());
        assert!(extract.file(&path("file"), 0).is_err());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_list_of_large_files_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let limits = Limits { max_file_bytes: 0, ..Limits::default() };
        let mut extract = Extractor::new(folder.path(), &limits);
        for at in 0..NAMED_TOO_LARGE + 5 {
            extract.file(&path(&format!("f{at}")), 1).unwrap();
        }
        let done = extract.finish();
        assert_eq!((done.too_large.len(), done.too_large_count), (NAMED_TOO_LARGE, NAMED_TOO_LARGE + 5));
    }

    #[test]
    fn long_names_are_refused() {
        let deep = "d/".repeat(MAX_DEPTH) + "f";
        for name in ["n".repeat(256), "n/".repeat(3000), deep] {
            let error = doc_path(name.as_bytes()).unwrap_err();
            assert!(matches!(error, ExtractError::TooLong(_)), "{error}");
            assert!(error.to_string().len() < 400, "{error}");
        }
        assert!(doc_path(&vec![b'n'; 255]).is_ok());
        assert!(doc_path(("d/".repeat(MAX_DEPTH - 1) + "f").as_bytes()).is_ok());
    }
}
