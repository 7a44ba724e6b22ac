use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, statat};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, kill_process_group, setrlimit};

use tempfile::NamedTempFile;

use super::{Facts, Open, PrivateFile};
use crate::FileStamp;

pub use rustix::fs::{FileType, Stat};
pub use rustix::io::Errno;

/// A folder or a file that is held open.
pub type Handle = OwnedFd;

/// A path as bytes.
pub fn path_bytes(path: &(impl AsRef<OsStr> + ?Sized)) -> Cow<'_, [u8]> {
    Cow::Borrowed(path.as_ref().as_bytes())
}

/// The path that bytes stand for.
pub fn path_of(bytes: &[u8]) -> Cow<'_, Path> {
    Cow::Borrowed(Path::new(OsStr::from_bytes(bytes)))
}

/// An absolute path as one below the folder that has no other above it.
pub fn without_root(path: &Path) -> Cow<'_, Path> {
    Cow::Borrowed(path.strip_prefix("/").unwrap_or(path))
}

/// The text that bytes stand for.
pub fn os_string(bytes: Vec<u8>) -> OsString {
    OsString::from_vec(bytes)
}

/// The path with its links resolved.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// Opens a folder, following links.
pub fn open_folder(path: &Path) -> Result<Handle, Errno> {
    openat(CWD, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// Opens a folder, following links, only to ask for what is below it by name. Where the system can tell the two apart, that needs no
/// right to list the folder.
pub fn open_folder_to_stat(path: &Path) -> Result<Handle, Errno> {
    #[cfg(target_os = "linux")]
    let access = OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    let access = OFlags::RDONLY;
    openat(CWD, path, access | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

fn flags(what: Open) -> OFlags {
    let flags = match what {
        Open::Folder => OFlags::RDONLY | OFlags::DIRECTORY,
        Open::File => OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY,
    };
    flags | OFlags::CLOEXEC
}

/// Opens an entry of a folder, which must not be a link.
pub fn open_at(folder: &Handle, name: &[u8], what: Open) -> Result<Handle, Errno> {
    openat(folder, name, flags(what) | OFlags::NOFOLLOW, Mode::empty())
}

/// Opens something below a folder, refusing every link on the way, the last component included.
///
/// The kernel checks the whole path in one step where it can, so there is no moment between check and use.
pub fn open_beneath(folder: &Handle, path: &[u8], what: Open) -> Result<Handle, Errno> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        let confined = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match openat2(folder, path, flags(what), Mode::empty(), confined) {
            // Kernels before 5.6 lack the call, some sandboxes forbid it, and AGAIN reports a rename under way.
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {}
            answer => return answer,
        }
    }
    open_stepwise(folder, path, what)
}

/// The same guarantee component by component: each is opened relative to the one before, and none may be a link.
pub fn open_stepwise(folder: &Handle, path: &[u8], what: Open) -> Result<Handle, Errno> {
    let mut held: Option<Handle> = None;
    let mut rest = path;
    while let Some(slash) = rest.iter().position(|&b| b == b'/') {
        held = Some(open_at(held.as_ref().unwrap_or(folder), &rest[..slash], Open::Folder)?);
        rest = &rest[slash + 1..];
    }
    open_at(held.as_ref().unwrap_or(folder), rest, what)
}

/// What stat says of an entry of a folder, or of something below it; of a link, of the link itself.
pub fn stat_at(folder: &Handle, path: &[u8]) -> Result<Stat, Errno> {
    statat(folder, path, AtFlags::SYMLINK_NOFOLLOW)
}

pub fn stat(handle: &Handle) -> Result<Stat, Errno> {
    rustix::fs::fstat(handle)
}

pub fn stat_file(file: &File) -> Result<Stat, Errno> {
    rustix::fs::fstat(file)
}

/// What stat says of a path; of a link, of the link itself.
pub fn lstat(path: &Path) -> Result<Stat, Errno> {
    rustix::fs::lstat(path)
}

pub fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// Which folder it is, on which disk.
#[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "field widths differ between platforms")]
pub fn identity(stat: &Stat) -> (u64, u64) {
    (stat.st_dev as u64, stat.st_ino as u64)
}

/// Whether its owner may run it.
pub fn may_run(stat: &Stat) -> bool {
    Mode::from_raw_mode(stat.st_mode).contains(Mode::XUSR)
}

impl From<&Stat> for FileStamp {
    // The widths of these fields differ between systems, so `as` is the one spelling that compiles on all of them.
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "field widths differ between platforms")]
    fn from(stat: &Stat) -> Self {
        FileStamp {
            size: stat.st_size as u64,
            mtime_ns: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime_ns: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            inode: stat.st_ino as u64,
        }
    }
}

fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

/// Tells the entries of an open folder, in as few system calls as there can be. `buffer` is kept from folder to folder.
#[cfg(target_os = "linux")]
pub fn list(folder: &Handle, buffer: &mut Vec<u8>, each: &mut dyn FnMut(&[u8], FileType)) -> Result<(), Errno> {
    /// Large enough that a folder of a thousand names takes one or two calls.
    const BUFFER: usize = 64 * 1024;
    buffer.clear();
    buffer.reserve(BUFFER);
    let mut raw = rustix::fs::RawDir::new(folder, buffer.spare_capacity_mut());
    while let Some(entry) = raw.next() {
        let entry = entry?;
        each(entry.file_name().to_bytes(), entry.file_type());
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub fn list(folder: &Handle, _buffer: &mut Vec<u8>, each: &mut dyn FnMut(&[u8], FileType)) -> Result<(), Errno> {
    list_portably(folder, each)
}

/// The same by what every Unix has.
pub fn list_portably(folder: &Handle, each: &mut dyn FnMut(&[u8], FileType)) -> Result<(), Errno> {
    for entry in rustix::fs::Dir::read_from(folder)? {
        let entry = entry?;
        each(entry.file_name().to_bytes(), entry.file_type());
    }
    Ok(())
}

/// Opens whatever stands at a path to read it, without waiting for a pipe; a link only if it may be followed.
pub(crate) fn open_to_read(path: &Path, follow: bool) -> Result<File, Errno> {
    let more = if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
    rustix::fs::open(path, flags(Open::File) | more, Mode::empty()).map(File::from)
}

/// Whether opening failed because it is a link or no file.
pub(crate) fn is_no_file(error: Errno) -> bool {
    matches!(error, Errno::LOOP | Errno::MLINK | Errno::NXIO)
}

/// What tells whether a file is the one that was looked at before. `metadata` is that of the file at `path`.
pub fn facts(_path: &Path, metadata: &Metadata) -> io::Result<Facts> {
    Ok(facts_of(metadata))
}

pub fn file_facts(file: &File) -> io::Result<Facts> {
    Ok(facts_of(&file.metadata()?))
}

fn facts_of(metadata: &Metadata) -> Facts {
    Facts {
        device: metadata.dev(),
        inode: metadata.ino(),
        links: metadata.nlink(),
        mtime: (metadata.mtime(), metadata.mtime_nsec()),
        ctime: (metadata.ctime(), metadata.ctime_nsec()),
    }
}

/// The last change of content, in seconds since the epoch and nanoseconds.
pub fn mtime(metadata: &Metadata) -> (i64, i64) {
    (metadata.mtime(), metadata.mtime_nsec())
}

pub fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(bytes, at)
}

/// Fills bytes with what nobody can guess.
pub fn fill_random(bytes: &mut [u8]) -> io::Result<()> {
    io::Read::read_exact(&mut File::open("/dev/urandom")?, bytes)
}

/// Makes a folder, and those above it, for this user alone.
pub fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes one folder for this user alone. One that is there is an error.
pub fn new_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Opens a file to write it. If it is made, it is for this user alone.
pub fn open_private(path: &Path, how: PrivateFile) -> io::Result<File> {
    let mut options = OpenOptions::new();
    match how {
        PrivateFile::New => options.write(true).create_new(true),
        PrivateFile::Append => options.append(true).create(true),
        PrivateFile::Kept => options.write(true).create(true).truncate(false),
    };
    options.mode(0o600).open(path)
}

/// Makes a folder readable by this user alone.
pub fn make_folder_private(folder: &Path) -> io::Result<()> {
    std::fs::set_permissions(folder, Permissions::from_mode(0o700))
}

/// Sees to it that what is kept below a folder is private. Here each file is made so.
pub fn private_root(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a file that is not there, which others may read and, if so, run, as far as the user's mask lets them.
pub fn new_file(path: &Path, executable: bool) -> io::Result<File> {
    let mode = if executable { 0o777 } else { 0o666 };
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
}

/// Makes a temporary file that others may read once it is in its place.
pub fn temporary_for_all(folder: &Path, prefix: &str) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(prefix).permissions(Permissions::from_mode(0o644)).tempfile_in(folder)
}

/// Whether this user is denied to make files in a folder. What keeps one from finding out is no denial.
pub fn is_read_only(folder: &Path) -> bool {
    let denied = rustix::fs::access(folder, rustix::fs::Access::WRITE_OK);
    matches!(denied, Err(Errno::ACCESS | Errno::PERM | Errno::ROFS))
}

/// Whether this user alone can read it.
pub fn is_private(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 == 0)
}

/// Whether a file is a program that can be started.
pub fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// What the user's mask takes from a new file, once files are private unless something else is said.
static USERS_MASK: OnceLock<u32> = OnceLock::new();

pub(crate) fn private_by_default() {
    USERS_MASK.get_or_init(|| rustix::process::umask(Mode::RWXG | Mode::RWXO).bits());
}

/// Makes the file that will take the place of `target`, with the permissions that it will have.
pub(crate) fn create_temporary(
    builder: &mut tempfile::Builder<'_, '_>,
    folder: &Path,
    target: &Path,
    mode: u32,
) -> io::Result<NamedTempFile> {
    let there = std::fs::symlink_metadata(target).ok().filter(Metadata::is_file);
    let kept = there.map(|found| Permissions::from_mode(found.permissions().mode() & 0o777));
    // What is private stays so from the first byte; the umask takes what it takes of a new file.
    let users_mask = USERS_MASK.get();
    let first = kept.clone().unwrap_or_else(|| Permissions::from_mode(mode & !users_mask.unwrap_or(&0)));
    let temporary = builder.permissions(first.clone()).tempfile_in(folder)?;
    if kept.is_some() || users_mask.is_some() {
        temporary.as_file().set_permissions(first)?;
    }
    Ok(temporary)
}

/// Moves a finished file to its place, over what is there.
pub(crate) fn persist(file: NamedTempFile, target: &Path) -> io::Result<()> {
    file.persist(target).map(drop).map_err(|error| error.error)
}

/// Opens a file to make it durable.
pub(crate) fn open_to_sync(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Locks a folder; none if somebody holds it.
pub(crate) fn lock_folder(folder: &Path) -> io::Result<Option<File>> {
    let folder = File::open(folder)?;
    match folder.try_lock() {
        Ok(()) => Ok(Some(folder)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether an error says that folders can't be locked: NFS locks only what is open for writing, which no folder is.
pub(crate) fn cannot_lock_folders(error: &io::Error) -> bool {
    let bad_descriptor = Errno::BADF.raw_os_error();
    error.kind() == io::ErrorKind::Unsupported || error.raw_os_error() == Some(bad_descriptor)
}

/// A connection to a program of this user on this machine.
pub type LocalStream = std::os::unix::net::UnixStream;

/// Connects to the program that listens at a file.
pub fn connect_local(file: &Path) -> io::Result<LocalStream> {
    LocalStream::connect(file)
}

/// Takes all the open files that the system lets a process have.
pub fn raise_open_files() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // Where it is not allowed, most workspaces fit all the same, and the others are told which file could not be opened.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

/// Bounds the memory of this process, and takes away opening files and sockets, writing files, new processes, more rights. What
/// is open stays open. A limit that the system refuses is one less; the others hold all the same.
pub fn give_up_rights(memory: u64) -> io::Result<()> {
    let limits = [
        // Memory that can be written; the program's own text and tables don't count.
        (Resource::Data, memory),
        (Resource::Core, 0),
        (Resource::Fsize, 0),
        // What is open stays open.
        (Resource::Nofile, 0),
        (Resource::Nproc, 0),
    ];
    for (resource, limit) in limits {
        let _ = setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) });
    }
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_no_new_privs(true);
    Ok(())
}

/// Bounds the processor time of this process from now on.
pub fn limit_time(time: Duration) -> io::Result<()> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).tv_sec;
    let until = u64::try_from(used).unwrap_or(0) + time.as_secs() + 1;
    let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(until), maximum: None });
    Ok(())
}

/// Whether this user, or the one who may do everything, is at the other end.
pub fn is_own_user(user: u32) -> bool {
    user == rustix::process::geteuid().as_raw() || user == 0
}

/// A process and what it starts, to be ended together.
#[derive(Debug)]
pub(crate) struct Group {
    own: bool,
}

/// How long a process that was asked to end has for it.
const GRACE: Duration = Duration::from_millis(500);

impl Group {
    /// Starts a process, in a group of its own unless it may ask somebody at the terminal: no other group may read there.
    pub(crate) fn spawn(command: &mut Command, own: bool) -> io::Result<(Child, Group)> {
        if own {
            command.process_group(0);
        }
        Ok((command.spawn()?, Group { own }))
    }

    /// Ends the process, which has not been waited for, and all that it has started.
    pub(crate) fn kill(&self, child: &mut Child) {
        let pid = Pid::from_child(child);
        if self.own {
            // It has not been waited for, so the id of the group is still its own.
            let _ = kill_process_group(pid, Signal::KILL);
        } else {
            // Asked to, not forced: they put the terminal back as it was, which may be hiding a password.
            for process in family(pid.as_raw_nonzero().get()) {
                let _ = Pid::from_raw(process).map(|process| kill_process(process, Signal::TERM));
            }
            let deadline = Instant::now() + GRACE;
            while Instant::now() < deadline && matches!(child.try_wait(), Ok(None)) {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// A process and all that it has started, as far as the system tells.
fn family(process: i32) -> Vec<i32> {
    let mut found = vec![process];
    let mut at = 0;
    while let Some(&next) = found.get(at).filter(|_| found.len() < 1000) {
        let children = std::fs::read_to_string(format!("/proc/{next}/task/{next}/children")).unwrap_or_default();
        found.extend(children.split_whitespace().filter_map(|id| id.parse::<i32>().ok()));
        at += 1;
    }
    found
}
