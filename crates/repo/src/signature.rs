//! The signature of an index: what its files are, without reading them.
//!
//! Every file counts with its name, size, time of change and inode, so that an index that was changed in place is seen even
//! if its build kept its id. Locks don't count, because readers make them. `index_state.json` counts with its text.

use std::fmt;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ai_assist_base::FileStamp;
use ai_assist_base::platform::{self, Facts, Handle, Stat};
use ai_assist_identity::Sha1;

use crate::layout::STATE_FILE;
use crate::text_id;

/// An index has some dozens of files in three levels of folders.
const MAX_FILES: usize = 100_000;
const MAX_DEPTH: usize = 8;

text_id! {
    IndexSignature, "is1-", "the signature of an index"
}

#[derive(Debug)]
pub struct Artefacts {
    files: Vec<Artefact>,
    /// The folders that they are in; the one of the index itself has no name.
    folders: Vec<Artefact>,
    last_change: Option<SystemTime>,
}

/// A file or a folder; or a link, which is not followed.
#[derive(Debug)]
struct Artefact {
    name: Vec<u8>,
    is_file: bool,
    size: u64,
    identity: Identity,
}

impl Artefact {
    fn new(name: Vec<u8>, path: &Path, metadata: &Metadata) -> io::Result<Self> {
        let identity = Identity::of(path, metadata)?;
        Ok(Artefact { name, is_file: metadata.is_file(), size: metadata.len(), identity })
    }
}

impl Artefacts {
    pub fn of(folder: &Path) -> io::Result<Self> {
        let mut files = Vec::new();
        let mut all = Artefacts::in_folder(folder)?;
        let mut folders: Vec<(PathBuf, Vec<u8>, usize)> = vec![(folder.to_owned(), Vec::new(), 0)];
        while let Some((folder, prefix, depth)) = folders.pop() {
            for entry in std::fs::read_dir(&folder)? {
                let entry = entry?;
                let file_name = entry.file_name();
                let file_name = platform::path_bytes(&file_name);
                let name = [prefix.as_slice(), &file_name].concat();
                let metadata = entry.metadata()?;
                if metadata.is_dir() {
                    if depth >= MAX_DEPTH {
                        return Err(io::Error::other("its folders are nested too deeply"));
                    }
                    let prefix = [name.as_slice(), b"/"].concat();
                    all.add_folder(name, &entry.path(), &metadata)?;
                    folders.push((entry.path(), prefix, depth + 1));
                } else if !file_name.ends_with(b".lock") {
                    all.changed(&metadata);
                    files.push(Artefact::new(name, &entry.path(), &metadata)?);
                }
                if files.len() + folders.len() > MAX_FILES {
                    return Err(io::Error::other("it has too many files"));
                }
            }
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        all.folders.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Artefacts { files, ..all })
    }

    fn in_folder(folder: &Path) -> io::Result<Self> {
        let mut all = Artefacts { files: Vec::new(), folders: Vec::new(), last_change: None };
        all.add_folder(Vec::new(), folder, &folder.symlink_metadata()?)?;
        Ok(all)
    }

    fn add_folder(&mut self, name: Vec<u8>, path: &Path, metadata: &Metadata) -> io::Result<()> {
        self.changed(metadata);
        self.folders.push(Artefact::new(name, path, metadata)?);
        Ok(())
    }

    fn changed(&mut self, metadata: &Metadata) {
        self.last_change = self.last_change.max(metadata.modified().ok());
    }

    /// When a file or a folder was last written to.
    pub fn last_change(&self) -> Option<SystemTime> {
        self.last_change
    }

    /// What tells this state of the folders and the files from any other that has the same [names](Self::all_names).
    pub fn digest(&self) -> Sha1 {
        digest_of(self.folders.iter().chain(&self.files).map(|one| one.identity))
    }

    /// The names of the folders, that of the index first and empty, and of the files; none if one of them is no text.
    pub fn all_names(&self) -> Option<Vec<&str>> {
        let all = self.folders.iter().chain(&self.files);
        all.map(|one| std::str::from_utf8(&one.name).ok()).collect()
    }

    /// What an index must have and this one has not: the pointer to a generation, one that is whole, and the
    /// list of grams.
    pub fn missing(&self) -> Option<&'static str> {
        if !self.has(b"CURRENT") {
            return Some("CURRENT");
        }
        if !self.has(b"grams/segments") {
            return Some("grams/segments");
        }
        let generations = self.files.iter().filter_map(|file| generation(&file.name));
        let mut lacking = Some("words/meta.json");
        for folder in generations {
            let part = |name: &&str| !self.has(&[folder, b"/", name.as_bytes()].concat());
            lacking = ["words/meta.json", "vectors.i8", "scales.f32"].into_iter().find(part);
            if lacking.is_none() {
                break;
            }
        }
        lacking
    }

    /// The first of them that is not a plain file, in the folder they are of.
    pub fn odd(&self, folder: &Path) -> Option<PathBuf> {
        let odd = self.files.iter().find(|file| !file.is_file)?;
        Some(folder.join(platform::path_of(&odd.name)))
    }

    fn has(&self, name: &[u8]) -> bool {
        self.size(name).is_some()
    }

    /// The size of a file; none if it is not there.
    pub fn size(&self, name: &[u8]) -> Option<u64> {
        let found = self.files.binary_search_by(|file| file.name.as_slice().cmp(name)).ok()?;
        Some(&self.files[found]).filter(|file| file.is_file).map(|file| file.size)
    }

    /// The names of the files, as far as an index has such names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter_map(|file| std::str::from_utf8(&file.name).ok())
    }

    /// The signature, given the text of the state file if it was read.
    pub fn signature(&self, state: Option<&[u8]>) -> IndexSignature {
        let mut text = b"v1\n".to_vec();
        for file in &self.files {
            text.extend_from_slice(&file.name);
            text.push(0);
            text.extend_from_slice(file.identity.to_string().as_bytes());
            text.push(0);
            if let Some(state) = state.filter(|_| file.name == STATE_FILE.as_bytes()) {
                text.extend_from_slice(Sha1::of(state).as_bytes());
            }
            text.push(b'\n');
        }
        IndexSignature::of(&text)
    }
}

/// The folder `g<number>` that a file is in.
fn generation(name: &[u8]) -> Option<&[u8]> {
    let folder = name.split(|&b| b == b'/').next().filter(|folder| folder.len() < name.len())?;
    let digits = folder.strip_prefix(b"g")?;
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(folder)
}

/// What changes with a file. Not the time of the inode itself: that also changes with the number of a file's links, and
/// builds share files by links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    /// A file, a folder, or something other.
    kind: char,
    size: u64,
    /// In seconds since 1970 and nanoseconds.
    mtime: (i64, i64),
    inode: u64,
}

impl Identity {
    pub(crate) fn of(path: &Path, metadata: &Metadata) -> io::Result<Self> {
        let Facts { mtime, inode, .. } = platform::facts(path, metadata)?;
        Ok(Identity { kind: kind(metadata.is_file(), metadata.is_dir()), size: metadata.len(), mtime, inode })
    }

    fn of_stat(stat: &Stat) -> Self {
        let (file_type, FileStamp { size, mtime_ns, inode, .. }) = (platform::kind(stat), FileStamp::from(stat));
        Identity { kind: kind(file_type.is_file(), file_type.is_dir()), size, mtime: parts(mtime_ns), inode }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Identity { kind, size, mtime: (seconds, nanos), inode } = self;
        write!(f, "{kind}:{size}:{seconds}.{nanos:09}:{inode}")
    }
}

fn kind(is_file: bool, is_folder: bool) -> char {
    match (is_file, is_folder) {
        (true, _) => 'f',
        (_, true) => 'd',
        _ => 'o',
    }
}

fn parts(mtime_ns: i64) -> (i64, i64) {
    (mtime_ns.div_euclid(1_000_000_000), mtime_ns.rem_euclid(1_000_000_000))
}

/// What identities come to, one after the other.
fn digest_of(all: impl Iterator<Item = Identity>) -> Sha1 {
    let mut bytes = Vec::with_capacity(1024);
    for Identity { kind, size, mtime: (seconds, nanos), inode } in all {
        bytes.push(kind as u8);
        for number in [size, inode, seconds.cast_unsigned(), nanos.cast_unsigned()] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
    }
    Sha1::of(&bytes)
}

/// The folder of a build, held open: asked below it, the system need not walk there from the root of the disk for each file.
#[derive(Debug)]
pub struct BuildFolder(Handle);

impl BuildFolder {
    pub fn open(root: &Path) -> io::Result<Self> {
        Ok(BuildFolder(platform::open_folder_to_stat(root)?))
    }

    fn stat(&self, path: &[u8]) -> Option<Stat> {
        platform::stat_at(&self.0, path).ok()
    }

    /// Whether a name is that of a folder, and of no link to one.
    pub fn has_folder(&self, name: &str) -> bool {
        self.stat(name.as_bytes()).is_some_and(|found| platform::kind(&found).is_dir())
    }

    /// What [`Artefacts::digest`] would say of an index, given the names of its folders and files. Nothing is listed: another file shows
    /// in the time of its folder. None if the index is no folder of this one, or something of it is gone.
    pub fn digest<'n>(&self, index: &str, names: impl Iterator<Item = &'n str>) -> Option<Sha1> {
        let mut path = index.as_bytes().to_vec();
        let mut identities = Vec::with_capacity(32);
        for name in names {
            path.truncate(index.len());
            if !name.is_empty() {
                path.push(b'/');
                path.extend_from_slice(name.as_bytes());
            }
            identities.push(Identity::of_stat(&self.stat(&path)?));
        }
        identities.first().filter(|index| index.kind == 'd')?;
        Some(digest_of(identities.into_iter()))
    }

    /// `<size>:<mtimeMs>` of a database, and the same of its write-ahead log if that holds anything. None if there is no such
    /// file.
    pub fn db_signature(&self, db: &str) -> io::Result<Option<String>> {
        let stat = |path: &str| match platform::stat_at(&self.0, path.as_bytes()).map_err(io::Error::from) {
            Ok(found) => Ok(Some(found).filter(|found| platform::kind(found).is_file()).map(|it| FileStamp::from(&it))),
            Err(error) if is_absence(&error) => Ok(None),
            Err(error) => Err(error),
        };
        let found = |stamp: &FileStamp| format!("{}:{}", stamp.size, milliseconds(parts(stamp.mtime_ns)));
        let Some(main) = stat(db)? else { return Ok(None) };
        let log = stat(&format!("{db}-wal"))?.filter(|log| log.size > 0);
        Ok(Some(log.map_or_else(|| found(&main), |log| format!("{}+{}", found(&main), found(&log)))))
    }
}

/// Whether an error only says that there is no such thing.
pub fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Milliseconds since 1970, with a fraction, as JavaScript's `mtimeMs`.
pub(crate) fn mtime_ms(metadata: &Metadata) -> f64 {
    milliseconds(platform::mtime(metadata))
}

fn milliseconds((seconds, nanos): (i64, i64)) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a double holds microseconds of this century exactly")]
    let (seconds, nanos) = (seconds as f64, nanos as f64);
    seconds * 1e3 + nanos / 1e6
}

#[cfg(test)]
#[path = "signature_tests.rs"]
mod tests;
