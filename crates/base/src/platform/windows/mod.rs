//! Windows. What has to be `unsafe` is in here and nowhere else: each call is wrapped where it is made.
#![allow(unsafe_code)]

mod entry;
mod local;
mod process;
mod rights;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::os::windows::io::AsRawHandle;
use std::path::{Component, Path, PathBuf, Prefix};
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{ERROR_ACCESS_DENIED, ERROR_LOCK_VIOLATION, ERROR_SHARING_VIOLATION};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_DELETE_ON_CLOSE, FILE_FLAG_OPEN_REPARSE_POINT, FILE_READ_ATTRIBUTES,
    FILE_TYPE_DISK, GetFileType,
};

use super::{Facts, is_odd_on_windows};

pub use entry::{
    Errno, FileType, Handle, Stat, identity, kind, list, list_portably, may_run, open_at, open_beneath, open_folder,
    open_folder_to_stat, open_stepwise, stat, stat_at, stat_file,
};
pub use local::{LocalStream, Meeting, connect_local};
pub(crate) use process::Group;
pub use process::{give_up_rights, limit_time};
pub(crate) use rights::{create_temporary, private_by_default};
pub use rights::{is_private, make_folder_private, new_private_folder, open_private, private_folder, private_root};

/// How long a file that somebody has open may stand in the way of one that is to take its place: scanners open what is new.
const PATIENCE: Duration = Duration::from_secs(3);

/// A path as bytes, with `/` between the names.
pub fn path_bytes(path: &(impl AsRef<OsStr> + ?Sized)) -> Cow<'_, [u8]> {
    let bytes = path.as_ref().as_encoded_bytes();
    match bytes.contains(&b'\\') {
        true => Cow::Owned(bytes.iter().map(|&b| if b == b'\\' { b'/' } else { b }).collect()),
        false => Cow::Borrowed(bytes),
    }
}

/// The path that bytes stand for. One that is not Unicode does not come back as it was, and is then not found.
pub fn path_of(bytes: &[u8]) -> Cow<'_, Path> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => Cow::Borrowed(Path::new(text)),
        Cow::Owned(text) => Cow::Owned(PathBuf::from(text)),
    }
}

/// An absolute path as a relative one, which begins with the letter of its disk or the names of its share.
pub fn without_root(path: &Path) -> Cow<'_, Path> {
    let mut below = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Prefix(prefix) => match prefix.kind() {
                Prefix::Disk(letter) | Prefix::VerbatimDisk(letter) => {
                    below.push(char::from(letter.to_ascii_lowercase()).to_string());
                }
                Prefix::UNC(server, share) | Prefix::VerbatimUNC(server, share) => {
                    below.push(server);
                    below.push(share);
                }
                _ => return Cow::Borrowed(path),
            },
            Component::RootDir => {}
            part => below.push(part),
        }
    }
    Cow::Owned(below)
}

/// The text that bytes stand for.
pub fn os_string(bytes: Vec<u8>) -> OsString {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()).into()
}

/// The path with its links resolved, in the spelling that other programs understand where there is one.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    // What is joined to a verbatim path is taken as it is, slashes too; so nothing else may stand in it before that either.
    let slashed: PathBuf = path.components().collect();
    slashed.canonicalize().map(plain)
}

/// Without `\\?\`, if the path means the same then.
fn plain(verbatim: PathBuf) -> PathBuf {
    let mut parts = verbatim.components();
    let mut path = match parts.next() {
        Some(Component::Prefix(prefix)) => match prefix.kind() {
            Prefix::VerbatimDisk(letter) => PathBuf::from(format!("{}:", char::from(letter))),
            Prefix::VerbatimUNC(server, share) => {
                let mut unc = OsString::from(r"\\");
                unc.push(server);
                unc.push("\\");
                unc.push(share);
                PathBuf::from(unc)
            }
            _ => return verbatim,
        },
        _ => return verbatim,
    };
    for part in parts {
        match part {
            Component::RootDir => path.push("\\"),
            Component::Normal(name) if !is_odd_on_windows(name.as_encoded_bytes()) => path.push(name),
            _ => return verbatim,
        }
    }
    path
}

/// Opens whatever stands at a path to read it; a link only if it may be followed.
pub(crate) fn open_to_read(path: &Path, follow: bool) -> Result<File, Errno> {
    let link = if follow { 0 } else { FILE_FLAG_OPEN_REPARSE_POINT };
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(FILE_FLAG_BACKUP_SEMANTICS | link);
    let file = options.open(path).map_err(|error| Errno::of(&error))?;
    // SAFETY: the handle is open as long as `file` is.
    if unsafe { GetFileType(file.as_raw_handle()) } != FILE_TYPE_DISK {
        return Err(Errno::NXIO);
    }
    match follow {
        true => Ok(file),
        false => entry::unlinked(file),
    }
}

/// Whether opening failed because it is a link or no file.
pub(crate) fn is_no_file(error: Errno) -> bool {
    matches!(error, Errno::LOOP | Errno::NXIO)
}

/// Opens what stands at a path to ask about it.
fn open_to_ask(path: &Path, follow: bool) -> io::Result<File> {
    let link = if follow { 0 } else { FILE_FLAG_OPEN_REPARSE_POINT };
    OpenOptions::new().access_mode(FILE_READ_ATTRIBUTES).custom_flags(FILE_FLAG_BACKUP_SEMANTICS | link).open(path)
}

/// What the system says of a path; of a link, of the link itself.
pub fn lstat(path: &Path) -> Result<Stat, Errno> {
    let file = open_to_ask(path, false).map_err(|error| Errno::of(&error))?;
    stat_file(&file)
}

/// What tells whether a file is the one that was looked at before. `metadata` is that of the file at `path`.
pub fn facts(path: &Path, metadata: &Metadata) -> io::Result<Facts> {
    file_facts(&open_to_ask(path, !metadata.is_symlink())?)
}

pub fn file_facts(file: &File) -> io::Result<Facts> {
    let stat = stat_file(file)?;
    let (device, inode) = identity(&stat);
    Ok(Facts { device, inode, links: stat.links, mtime: parts(stat.mtime_ns), ctime: parts(stat.ctime_ns) })
}

/// The last change of content, in seconds since the epoch and nanoseconds.
pub fn mtime(metadata: &Metadata) -> (i64, i64) {
    parts(entry::since_1970(metadata.last_write_time().cast_signed()))
}

fn parts(ns: i64) -> (i64, i64) {
    (ns.div_euclid(1_000_000_000), ns.rem_euclid(1_000_000_000))
}

pub fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_read(bytes, at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                bytes = &mut bytes[read..];
                at += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Fills bytes with what nobody can guess.
pub fn fill_random(bytes: &mut [u8]) -> io::Result<()> {
    use windows_sys::Win32::Security::Cryptography::{BCRYPT_USE_SYSTEM_PREFERRED_RNG, BCryptGenRandom};
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    // SAFETY: the pointer and the length are those of one slice that may be written.
    let status =
        unsafe { BCryptGenRandom(std::ptr::null_mut(), bytes.as_mut_ptr(), length, BCRYPT_USE_SYSTEM_PREFERRED_RNG) };
    if status == 0 { Ok(()) } else { Err(io::Error::other("the system gives no random numbers")) }
}

/// Makes a file that is not there. Nothing is marked as one that may be run.
pub fn new_file(path: &Path, _executable: bool) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Makes a temporary file. Who may read it is decided by its folder.
pub fn temporary_for_all(folder: &Path, prefix: &str) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new()
        .prefix(prefix)
        .make_in(folder, |path| OpenOptions::new().read(true).write(true).create_new(true).open(path))
}

/// Whether this user is denied to make files in a folder. What keeps one from finding out is no denial.
pub fn is_read_only(folder: &Path) -> bool {
    let made = tempfile::NamedTempFile::new_in(folder);
    made.is_err_and(|error| matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem))
}

/// Whether a file is a program that can be started.
pub fn is_program(path: &Path) -> bool {
    let runs = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("exe"));
    runs && path.is_file()
}

/// Moves a finished file to its place, over what is there.
pub(crate) fn persist(file: tempfile::NamedTempFile, target: &Path) -> io::Result<()> {
    // What is there keeps who may read it.
    rights::take_over(target, file.path())?;
    // Open, it could not be moved by systems older than Windows 10.
    let temporary = file.into_temp_path();
    let start = Instant::now();
    loop {
        match std::fs::rename(&temporary, target) {
            Ok(()) => {
                // It is not there any more, so there is nothing to be removed.
                let _ = temporary.keep();
                return Ok(());
            }
            Err(error) if is_in_use(&error) && start.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(error) => return Err(error),
        }
    }
}

/// Whether somebody has a file open in a way that does not let it be replaced.
fn is_in_use(error: &io::Error) -> bool {
    let code = error.raw_os_error().and_then(|code| u32::try_from(code).ok());
    matches!(code, Some(ERROR_SHARING_VIOLATION | ERROR_ACCESS_DENIED | ERROR_LOCK_VIOLATION))
}

/// Opens a file to make it durable, which only who may write to it can.
pub(crate) fn open_to_sync(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

/// The file system writes names to its log before it answers; a folder can't be flushed.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(crate) fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// What stands for the lock of a folder, which can't be locked itself. Nobody else can open it, and it goes with the process.
const FOLDER_LOCK: &str = ".ai-assist.lock";

/// Locks a folder; none if somebody holds it.
pub(crate) fn lock_folder(folder: &Path) -> io::Result<Option<File>> {
    let path = folder.join(FOLDER_LOCK);
    let opened = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .share_mode(0)
        .custom_flags(FILE_FLAG_DELETE_ON_CLOSE)
        .open(&path);
    match opened {
        Ok(file) => Ok(Some(file)),
        // A file that is being removed answers like one that may not be opened.
        Err(error)
            if is_in_use(&error) && (path.exists() || error.raw_os_error() != Some(ERROR_ACCESS_DENIED as i32)) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Whether an error says that folders can't be locked; here they are not locked themselves.
pub(crate) fn cannot_lock_folders(_error: &io::Error) -> bool {
    false
}

/// Takes all the open files that the system lets a process have: here there is no limit to be raised.
pub fn raise_open_files() {}

#[cfg(test)]
mod tests;
