//! Small files that others may have written: read without surprises, and replaced whole.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};

use crate::platform::{self, RealPath};

/// What stands in the way of reading a small file.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("it is not there")]
    Missing,
    /// A folder, a pipe or a device; or a link where none is followed.
    #[error("it is not a regular file")]
    NotAFile,
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
    #[error(transparent)]
    Io(io::Error),
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Missing => io::Error::new(ErrorKind::NotFound, ReadError::Missing),
            ReadError::Io(error) => error,
            other => io::Error::other(other),
        }
    }
}

/// A small file, with what the system says of the very file that was read.
#[derive(Debug)]
pub struct PlainFile {
    pub bytes: Vec<u8>,
    pub metadata: std::fs::Metadata,
}

/// Opens a regular file to read it. Whatever stands there, this neither follows a link nor waits for a pipe.
pub fn open_plain(path: &Path) -> Result<(File, std::fs::Metadata), ReadError> {
    open(path, false)
}

fn open(path: &Path, follow: bool) -> Result<(File, std::fs::Metadata), ReadError> {
    let file = match platform::open_to_read(path, follow) {
        Ok(file) => file,
        Err(error) if platform::is_no_file(error) => return Err(ReadError::NotAFile),
        Err(error) => {
            let error = io::Error::from(error);
            let missing = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
            return Err(if missing { ReadError::Missing } else { ReadError::Io(error) });
        }
    };
    let metadata = file.metadata().map_err(ReadError::Io)?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(ReadError::NotAFile) }
}

/// Reads a regular file of at most `limit` bytes, which must not be a link.
pub fn read_plain(path: &Path, limit: u64) -> Result<PlainFile, ReadError> {
    let (file, metadata) = open_plain(path)?;
    let bytes = read_sized(file, metadata.len(), limit)?;
    Ok(PlainFile { bytes, metadata })
}

/// Reads a regular file of at most `limit` bytes; links are followed.
pub fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let (file, metadata) = open(path, true)?;
    read_sized(file, metadata.len(), limit)
}

/// Reads to the end, if that comes within `limit` bytes.
pub fn read_all(from: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    read_sized(from, 0, limit)
}

/// The same of what is likely to have a size: a small file takes two calls of the system then, where it would take one for each
/// doubling of the buffer.
fn read_sized(from: impl Read, size: u64, limit: u64) -> Result<Vec<u8>, ReadError> {
    /// With less room than this left, the standard library looks for the end with reads of its own.
    const ROOM: usize = 64;
    let mut bytes = match usize::try_from(size.min(limit)) {
        Ok(size) if size > 0 => Vec::with_capacity(size.saturating_add(ROOM)),
        _ => Vec::new(),
    };
    from.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    if bytes.len() as u64 <= limit { Ok(bytes) } else { Err(ReadError::TooLarge(limit)) }
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
    let mut resolved = existing.real_path()?;
    resolved.extend(missing.iter().rev());
    Ok(resolved)
}

/// What [`resolve`] says of a path below a folder whose own links are resolved. Where no link stands, which is nearly always, this asks
/// for each name once instead of for each name from the root of the disk on.
pub fn resolve_below(resolved: &Path, below: impl AsRef<Path>) -> io::Result<PathBuf> {
    let mut path = resolved.to_owned();
    for part in below.as_ref().components() {
        let plain = match part {
            Component::Normal(name) => {
                path.push(name);
                path.symlink_metadata().is_ok_and(|found| !found.is_symlink())
            }
            _ => false,
        };
        if !plain {
            return resolve(&resolved.join(below));
        }
    }
    Ok(path)
}

/// A path as it reads best in a configuration: relative if it lies in the folder of the configuration or beside it, so that both can be moved;
/// none if it is not UTF-8.
pub fn portable_path(path: &Path, root: &Path) -> Option<String> {
    let is_deep = root.components().filter(|part| matches!(part, Component::Normal(_))).count() > 1;
    let written = match (path.strip_prefix(root), root.parent().map(|above| path.strip_prefix(above))) {
        (Ok(below), _) if below.as_os_str().is_empty() => PathBuf::from("."),
        (Ok(below), _) => Path::new(".").join(below),
        // Beside it, and not just somewhere on the same disk.
        (_, Some(Ok(beside))) if is_deep => Path::new("..").join(beside),
        _ => path.to_owned(),
    };
    Some(written.to_str()?.replace('\\', "/"))
}

/// A path as seen from a folder, with `..` for each level that has to be left. Nothing if it is not UTF-8, or not absolute.
pub fn relative_path(path: &Path, root: &Path) -> Option<String> {
    if !path.is_absolute() || !root.is_absolute() {
        return None;
    }
    let shared = path.components().zip(root.components()).take_while(|(a, b)| a == b).count();
    let up = root.components().skip(shared).map(|_| Component::ParentDir);
    let written: PathBuf = up.chain(path.components().skip(shared)).collect();
    // Elsewhere than on Windows a backslash is part of a name.
    let written = if cfg!(windows) { written.to_str()?.replace('\\', "/") } else { written.to_str()?.to_owned() };
    Some(if written.starts_with("..") { written } else { format!("./{written}") })
}

/// From now on whatever this process makes can be read by its user alone: databases and indexes hold the text of everything that
/// was ever looked at. Only [`Replacement`] still gives a file the mode that it is asked for, less what the user's mask takes.
pub fn private_by_default() {
    platform::private_by_default();
}

/// What the name of a file that is being written has in it.
const UNFINISHED: &str = ".tmp.";

/// A file that is being written beside the one it will replace.
#[derive(Debug)]
pub struct Replacement {
    temporary: tempfile::NamedTempFile,
    target: PathBuf,
}

impl Replacement {
    /// Begins a file that will stand at `target`, in a folder that exists. One that is there keeps its permissions; a new
    /// one gets `mode`.
    pub fn begin(target: &Path, mode: u32) -> io::Result<Self> {
        let mut prefix = std::ffi::OsString::from(".");
        prefix.push(target.file_name().unwrap_or_default());
        prefix.push(UNFINISHED);
        let mut builder = tempfile::Builder::new();
        let temporary = platform::create_temporary(builder.prefix(&prefix), folder_of(target), target, mode)?;
        Ok(Replacement { temporary, target: target.to_owned() })
    }

    /// Where the bytes are until they are in their place.
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Puts it in its place, and on the disk. A reader, or a crash, sees the old file or the new one, whole.
    pub fn finish(self) -> io::Result<()> {
        self.temporary.as_file().sync_all()?;
        platform::persist(self.temporary, &self.target)?;
        sync_folder(folder_of(&self.target))
    }

    /// Like [`finish`](Self::finish), unless there is a file by then: false.
    pub fn finish_new(self) -> io::Result<bool> {
        self.temporary.as_file().sync_all()?;
        match self.temporary.persist_noclobber(&self.target) {
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.error),
            Ok(_) => sync_folder(folder_of(&self.target)).map(|()| true),
        }
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.as_file_mut().flush()
    }
}

/// Writes a file so that a reader, or a crash, sees the old or the new one, whole. One that is there keeps its
/// permissions, a new one gets `mode`; a link is replaced, not followed.
pub fn replace_file(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut file = Replacement::begin(path, mode)?;
    file.write_all(bytes)?;
    file.finish()
}

/// Removes what killed processes have left in a folder of files they were about to replace. Only for whoever holds a lock
/// that every writer in the folder takes.
pub fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let unfinished =
            name.starts_with(b".") && name.windows(UNFINISHED.len()).any(|part| part == UNFINISHED.as_bytes());
        if unfinished && entry.file_type()?.is_file() {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Makes what was written to a file durable, whoever has written it.
pub fn sync_file(path: &Path) -> io::Result<()> {
    platform::open_to_sync(path)?.sync_all()
}

/// Makes the names in a folder durable.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    platform::sync_folder(folder)
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    #[test]
    fn paths_are_told_from_a_folder() {
        for (path, root, expected) in [
            ("/a/b/c", "/a/b", "./c"),
            ("/a/shared", "/a/b", "../shared"),
            ("/shared/x", "/a/b/c", "../../../shared/x"),
            ("/a", "/a/b", ".."),
            ("/a/b", "/a/b", "./"),
        ] {
            assert_eq!(relative_path(Path::new(path), Path::new(root)).as_deref(), Some(expected), "{path}");
        }
        assert_eq!(relative_path(Path::new("a"), Path::new("/a")), None);
    }
    #[test]
    fn a_path_below_a_resolved_folder_is_what_resolving_it_whole_gives() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("file"), "").unwrap();
        symlink("a", root.join("link")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        symlink("/", root.join("a/out")).unwrap();
        for below in
            ["", "a", "a/b", "a/b/new/er", "link/b", "link/new", "a/../link", "./a", "a/out/tmp", "/tmp", "file"]
        {
            let whole = resolve(&root.join(below)).unwrap();
            assert_eq!(resolve_below(&root, below).unwrap(), whole, "{below}");
        }
        for below in ["dangling", "file/below", "dangling/x"] {
            assert!(resolve(&root.join(below)).is_err() && resolve_below(&root, below).is_err(), "{below}");
        }
    }

    #[test]
    fn only_small_plain_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "12345").unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        symlink(at("file"), at("link")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RWXU).unwrap();
        assert_eq!(read_plain(&at("file"), 5).unwrap().bytes, b"12345");
        assert!(matches!(read_plain(&at("file"), 4), Err(ReadError::TooLarge(4))));
        assert!(matches!(read_plain(&at("none"), 5), Err(ReadError::Missing)));
        assert!(matches!(read_plain(&at("file/below"), 5), Err(ReadError::Missing)));
        for odd in ["folder", "link", "pipe"] {
            assert!(matches!(read_plain(&at(odd), 5), Err(ReadError::NotAFile)), "{odd}");
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
    #[test]
    fn links_are_followed_where_they_may_be() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "12345").unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink(at("link"), at("file-to-itself")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RWXU).unwrap();
        symlink(at("pipe"), at("link-to-pipe")).unwrap();
        assert_eq!(read_bounded(&at("link"), 5).unwrap(), b"12345");
        assert!(matches!(read_bounded(&at("link"), 4), Err(ReadError::TooLarge(4))));
        assert!(matches!(read_bounded(&at("link-to-pipe"), 4), Err(ReadError::NotAFile)));
        assert!(matches!(read_bounded(folder.path(), 4), Err(ReadError::NotAFile)));
    }
    #[test]
    fn a_replaced_file_keeps_its_permissions_and_leaves_nothing_beside_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        let mode = || std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        replace_file(&file, b"one", 0o640).unwrap();
        assert_eq!((std::fs::read(&file).unwrap(), mode()), (b"one".to_vec(), 0o640));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
        replace_file(&file, b"two", 0o644).unwrap();
        assert_eq!((std::fs::read(&file).unwrap(), mode()), (b"two".to_vec(), 0o666));
        let mut given_up = Replacement::begin(&file, 0o644).unwrap();
        given_up.write_all(b"three").unwrap();
        drop(given_up);
        assert!(!Replacement::begin(&file, 0o644).unwrap().finish_new().unwrap());
        assert!(Replacement::begin(&folder.path().join("new"), 0o644).unwrap().finish_new().unwrap());
        assert_eq!(std::fs::read(&file).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        std::mem::forget(Replacement::begin(&file, 0o644).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
        remove_unfinished(folder.path()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
