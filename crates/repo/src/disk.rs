//! Small files that others may have written: read without surprises, replaced whole, and edited one at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};

/// What stands in the way of reading a small file.
#[derive(Debug, thiserror::Error)]
pub enum SmallFileError {
    /// There is nothing of that name.
    #[error("it is not there")]
    Missing,
    /// A folder, a link, a pipe or a device.
    #[error("it is not a plain file")]
    NotAFile,
    /// More than anything of the kind has.
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
    /// The system's word.
    #[error(transparent)]
    Io(io::Error),
}

impl From<SmallFileError> for io::Error {
    fn from(error: SmallFileError) -> Self {
        match error {
            SmallFileError::Missing => io::Error::new(ErrorKind::NotFound, SmallFileError::Missing),
            SmallFileError::Io(error) => error,
            other => io::Error::other(other),
        }
    }
}

/// A small file, with what the system says of the very file that was read.
#[derive(Debug)]
pub struct SmallFile {
    pub bytes: Vec<u8>,
    pub metadata: std::fs::Metadata,
}

/// Opens a plain file to read it. Whatever stands there, this neither follows a link nor waits for a pipe.
pub fn open_plain(path: &Path) -> Result<(File, std::fs::Metadata), SmallFileError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(rustix::io::Errno::LOOP | rustix::io::Errno::MLINK) => return Err(SmallFileError::NotAFile),
        Err(error) => {
            let error = io::Error::from(error);
            let missing = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
            return Err(if missing { SmallFileError::Missing } else { SmallFileError::Io(error) });
        }
    };
    let metadata = file.metadata().map_err(SmallFileError::Io)?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(SmallFileError::NotAFile) }
}

/// Reads a plain file of at most `limit` bytes.
pub fn read_small(path: &Path, limit: u64) -> Result<SmallFile, SmallFileError> {
    let (file, metadata) = open_plain(path)?;
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(SmallFileError::Io)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) {
        Ok(SmallFile { bytes, metadata })
    } else {
        Err(SmallFileError::TooLarge(limit))
    }
}

/// A path with the links of its existing part resolved. The rest, which is not there yet, stays as it is written.
///
/// A link that leads nowhere is there, and can't be resolved: that is an error, because what it will lead to is open.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        match existing.symlink_metadata() {
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let (Some(parent), Some(name)) = (existing.parent(), existing.file_name()) else { break };
        missing.push(name);
        existing = parent;
    }
    let mut resolved = existing.canonicalize()?;
    resolved.extend(missing.iter().rev());
    Ok(resolved)
}

/// Milliseconds since 1970, with a fraction, as JavaScript's `mtimeMs`.
pub fn mtime_ms(metadata: &std::fs::Metadata) -> f64 {
    use std::os::unix::fs::MetadataExt;
    #[expect(clippy::cast_precision_loss, reason = "a double holds microseconds of this century exactly")]
    let (seconds, nanos) = (metadata.mtime() as f64, metadata.mtime_nsec() as f64);
    seconds * 1e3 + nanos / 1e6
}

/// Writes a file so that a reader, or a crash, sees the old or the new one, whole.
///
/// A new file gets `mode`; one that is there keeps its own.
pub fn replace_file(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default();
    let there = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file);
    let mode = there.map_or(mode, |found| found.permissions().mode() & 0o777);
    let mut prefix = name.to_owned();
    prefix.push(format!(".tmp.{}.", std::process::id()));
    let mut temporary = tempfile::Builder::new()
        .prefix(&prefix)
        .permissions(std::fs::Permissions::from_mode(mode))
        .tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}

/// An advisory lock on a file of its own. The operating system drops it with the process.
#[derive(Debug)]
pub struct FileLock {
    _file: File,
}

impl FileLock {
    /// Takes the lock, waiting for another holder at most as long as said; none if that was too short.
    pub fn take(path: &Path, patience: Duration) -> io::Result<Option<Self>> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(FileLock { _file: file })),
                Err(TryLockError::WouldBlock) if start.elapsed() < patience => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_small_plain_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "12345").unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        symlink(at("file"), at("link")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), Mode::RWXU).unwrap();
        assert_eq!(read_small(&at("file"), 5).unwrap().bytes, b"12345");
        assert!(matches!(read_small(&at("file"), 4), Err(SmallFileError::TooLarge(4))));
        assert!(matches!(read_small(&at("none"), 5), Err(SmallFileError::Missing)));
        assert!(matches!(read_small(&at("file/below"), 5), Err(SmallFileError::Missing)));
        for odd in ["folder", "link", "pipe"] {
            assert!(matches!(read_small(&at(odd), 5), Err(SmallFileError::NotAFile)), "{odd}");
        }
    }

    #[test]
    fn a_path_is_resolved_as_far_as_it_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::fs::create_dir(top.join("real")).unwrap();
        symlink(top.join("real"), top.join("link")).unwrap();
        symlink(top.join("nowhere"), top.join("dangling")).unwrap();
        assert_eq!(resolve(&top.join("link/a/b")).unwrap(), top.join("real/a/b"));
        assert_eq!(resolve(&top.join("link")).unwrap(), top.join("real"));
        assert!(resolve(&top.join("dangling/a")).is_err());
        assert!(resolve(&top.join("dangling")).is_err());
    }
}
