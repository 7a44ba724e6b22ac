//! Entries of folders, opened relative to the folder they are in.
//!
//! `NtCreateFile` takes a folder's handle and a name below it, as `openat` does. Each name is opened by itself, a link as the link that
//! it is, and is then asked what it really is called: Windows finds a file by other cases of its letters and by its short
//! name (`GIT~1`) too, which no rule of ours knows.

use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle};
use std::path::Path;

use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_DIRECTORY_FILE, FILE_OPEN, FILE_OPEN_FOR_BACKUP_INTENT, FILE_OPEN_REPARSE_POINT, FILE_SYNCHRONOUS_IO_NONALERT,
    NtCreateFile,
};
use windows_sys::Win32::Foundation::{
    ERROR_BAD_NETPATH, ERROR_BAD_PATHNAME, ERROR_CANT_RESOLVE_FILENAME, ERROR_DELETE_PENDING, ERROR_DIRECTORY,
    ERROR_FILE_NOT_FOUND, ERROR_INVALID_NAME, ERROR_MORE_DATA, ERROR_NO_MORE_FILES, ERROR_NOT_SAME_DEVICE,
    ERROR_NOT_SUPPORTED, ERROR_PATH_NOT_FOUND, HANDLE, INVALID_HANDLE_VALUE, OBJ_CASE_INSENSITIVE,
    RtlNtStatusToDosError, UNICODE_STRING,
};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_ACCESS_RIGHTS, FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_REPARSE_POINT,
    FILE_ATTRIBUTE_TAG_INFO, FILE_BASIC_INFO, FILE_FLAG_BACKUP_SEMANTICS, FILE_GENERIC_READ, FILE_ID_BOTH_DIR_INFO,
    FILE_LIST_DIRECTORY, FILE_NAME_NORMALIZED, FILE_READ_ATTRIBUTES, FILE_SHARE_DELETE, FILE_SHARE_READ,
    FILE_SHARE_WRITE, FILE_TRAVERSE, FileAttributeTagInfo, FileBasicInfo, FileIdBothDirectoryInfo,
    FileIdBothDirectoryRestartInfo, GetFileInformationByHandle, GetFileInformationByHandleEx,
    GetFinalPathNameByHandleW, SYNCHRONIZE, VOLUME_NAME_NONE,
};
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

use crate::FileStamp;
use crate::platform::Open;

/// A folder or a file that is held open.
pub type Handle = File;

/// An error of the system, by its number. Several numbers that say the same are one here.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Errno(i32);

impl Errno {
    pub const NOENT: Errno = Errno(ERROR_FILE_NOT_FOUND.cast_signed());
    pub const NOTDIR: Errno = Errno(ERROR_DIRECTORY.cast_signed());
    /// A link stands where none is followed, or leads in a circle.
    pub const LOOP: Errno = Errno(ERROR_CANT_RESOLVE_FILENAME.cast_signed());
    pub const XDEV: Errno = Errno(ERROR_NOT_SAME_DEVICE.cast_signed());
    /// It is neither a file nor a folder.
    pub const NXIO: Errno = Errno(ERROR_NOT_SUPPORTED.cast_signed());

    fn from_code(code: u32) -> Errno {
        match code {
            ERROR_PATH_NOT_FOUND | ERROR_INVALID_NAME | ERROR_BAD_PATHNAME | ERROR_BAD_NETPATH
            | ERROR_DELETE_PENDING => Errno::NOENT,
            code => Errno(code.cast_signed()),
        }
    }

    pub(super) fn of(error: &io::Error) -> Errno {
        Errno::from_io_error(error).unwrap_or(Errno::NXIO)
    }

    pub(super) fn last() -> Errno {
        Errno::of(&io::Error::last_os_error())
    }

    pub fn from_io_error(error: &io::Error) -> Option<Errno> {
        error.raw_os_error().map(|code| Errno::from_code(code.cast_unsigned()))
    }

    pub fn raw_os_error(self) -> i32 {
        self.0
    }
}

impl std::fmt::Debug for Errno {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        io::Error::from(*self).fmt(f)
    }
}

impl std::fmt::Display for Errno {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        io::Error::from(*self).fmt(f)
    }
}

impl std::error::Error for Errno {}

impl From<Errno> for io::Error {
    fn from(errno: Errno) -> io::Error {
        io::Error::from_raw_os_error(errno.0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileType {
    RegularFile,
    Directory,
    /// A symbolic link or a junction, to a file or a folder.
    Symlink,
    /// A reparse point that is no link: what it holds is not in the file.
    Other,
    /// What Unix calls it when a listing leaves the kind out; here none does.
    Unknown,
}

impl FileType {
    pub fn is_file(self) -> bool {
        self == FileType::RegularFile
    }

    pub fn is_dir(self) -> bool {
        self == FileType::Directory
    }

    fn of(attributes: u32, tag: u32) -> FileType {
        /// Set in the tags of reparse points that stand for something else.
        const SURROGATE: u32 = 0x2000_0000;
        match (attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0, attributes & FILE_ATTRIBUTE_DIRECTORY != 0) {
            (true, _) if tag & SURROGATE != 0 => FileType::Symlink,
            (true, _) => FileType::Other,
            (false, true) => FileType::Directory,
            (false, false) => FileType::RegularFile,
        }
    }
}

/// What the system says of something that is open.
#[derive(Debug, Clone, Copy)]
pub struct Stat {
    kind: FileType,
    device: u64,
    inode: u64,
    size: u64,
    pub(super) links: u64,
    pub(super) mtime_ns: i64,
    pub(super) ctime_ns: i64,
}

pub fn kind(stat: &Stat) -> FileType {
    stat.kind
}

/// Which folder it is, on which disk.
pub fn identity(stat: &Stat) -> (u64, u64) {
    (stat.device, stat.inode)
}

/// Whether its owner may run it: nothing is marked so.
pub fn may_run(_stat: &Stat) -> bool {
    false
}

impl From<&Stat> for FileStamp {
    fn from(stat: &Stat) -> Self {
        FileStamp { size: stat.size, mtime_ns: stat.mtime_ns, ctime_ns: stat.ctime_ns, inode: stat.inode }
    }
}

/// From ticks of 100 ns since 1601 to nanoseconds since 1970.
pub(super) fn since_1970(ticks: i64) -> i64 {
    const TICKS: i64 = 116_444_736_000_000_000;
    ticks.saturating_sub(TICKS).saturating_mul(100)
}

/// Asks one thing of something that is open.
fn ask<T: Default>(file: &File, class: i32) -> Result<T, Errno> {
    let mut answer = T::default();
    let size = u32::try_from(size_of::<T>()).unwrap_or(0);
    // SAFETY: the handle is open, and the answer has the size that is said.
    let done = unsafe { GetFileInformationByHandleEx(file.as_raw_handle(), class, (&raw mut answer).cast(), size) };
    if done == 0 { Err(Errno::last()) } else { Ok(answer) }
}

/// What is open, if it is no link.
pub(super) fn unlinked(file: File) -> Result<File, Errno> {
    let tag: FILE_ATTRIBUTE_TAG_INFO = ask(&file, FileAttributeTagInfo)?;
    match FileType::of(tag.FileAttributes, tag.ReparseTag) {
        FileType::Symlink => Err(Errno::LOOP),
        FileType::Other | FileType::Unknown => Err(Errno::NXIO),
        FileType::RegularFile | FileType::Directory => Ok(file),
    }
}

pub fn stat(handle: &Handle) -> Result<Stat, Errno> {
    stat_file(handle)
}

pub fn stat_file(file: &File) -> Result<Stat, Errno> {
    let mut known = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open, and the answer is written to a value of its own.
    if unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut known) } == 0 {
        return Err(Errno::last());
    }
    let times: FILE_BASIC_INFO = ask(file, FileBasicInfo)?;
    let tag = match known.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT {
        0 => 0,
        _ => ask::<FILE_ATTRIBUTE_TAG_INFO>(file, FileAttributeTagInfo)?.ReparseTag,
    };
    let wide = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    Ok(Stat {
        kind: FileType::of(known.dwFileAttributes, tag),
        device: u64::from(known.dwVolumeSerialNumber),
        inode: wide(known.nFileIndexHigh, known.nFileIndexLow),
        size: wide(known.nFileSizeHigh, known.nFileSizeLow),
        links: u64::from(known.nNumberOfLinks),
        mtime_ns: since_1970(times.LastWriteTime),
        ctime_ns: since_1970(times.ChangeTime),
    })
}

/// Opens a folder, following links.
pub fn open_folder(path: &Path) -> Result<Handle, Errno> {
    let opened = File::options()
        .access_mode(FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES | SYNCHRONIZE)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS)
        .open(path);
    let folder = opened.map_err(|error| Errno::of(&error))?;
    if stat(&folder)?.kind.is_dir() { Ok(folder) } else { Err(Errno::NOTDIR) }
}

/// The same to ask for what is below it by name.
pub fn open_folder_to_stat(path: &Path) -> Result<Handle, Errno> {
    open_folder(path)
}

/// Opens a name in a folder, a link as the link that it is. The folder itself is `.`.
fn open_name(folder: &Handle, name: &[u8], access: FILE_ACCESS_RIGHTS, options: u32) -> Result<File, Errno> {
    // A name with one of these would be a path, or a stream of a file.
    if name.iter().any(|b| b"/\\:\0".contains(b)) || matches!(name, b"" | b"..") {
        return Err(Errno::NOENT);
    }
    let own: &[u8] = if name == b"." { b"" } else { name };
    let mut wide: Vec<u16> = std::str::from_utf8(own).map_err(|_| Errno::NOENT)?.encode_utf16().collect();
    let length = u16::try_from(wide.len() * 2).map_err(|_| Errno::NOENT)?;
    let text = UNICODE_STRING { Length: length, MaximumLength: length, Buffer: wide.as_mut_ptr() };
    let object = OBJECT_ATTRIBUTES {
        Length: u32::try_from(size_of::<OBJECT_ATTRIBUTES>()).unwrap_or(0),
        RootDirectory: folder.as_raw_handle(),
        ObjectName: &raw const text,
        Attributes: OBJ_CASE_INSENSITIVE,
        ..OBJECT_ATTRIBUTES::default()
    };
    let mut handle: HANDLE = INVALID_HANDLE_VALUE;
    let mut done = IO_STATUS_BLOCK::default();
    // SAFETY: everything pointed to lives until the call returns, and the folder is open.
    let status = unsafe {
        NtCreateFile(
            &raw mut handle,
            access | SYNCHRONIZE,
            &raw const object,
            &raw mut done,
            std::ptr::null(),
            0,
            FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
            FILE_OPEN,
            options | FILE_OPEN_REPARSE_POINT | FILE_OPEN_FOR_BACKUP_INTENT | FILE_SYNCHRONOUS_IO_NONALERT,
            std::ptr::null(),
            0,
        )
    };
    if status < 0 {
        // SAFETY: it only looks a number up.
        return Err(Errno::from_code(unsafe { RtlNtStatusToDosError(status) }));
    }
    // SAFETY: the call has succeeded, so the handle is open and nobody else's.
    let file = unsafe { File::from_raw_handle(handle) };
    if !wide.is_empty() && last_name(&file)? != wide {
        return Err(Errno::NOENT);
    }
    Ok(file)
}

/// What a file is called in its folder.
fn last_name(file: &File) -> Result<Vec<u16>, Errno> {
    let mut path = vec![0u16; 512];
    loop {
        let room = u32::try_from(path.len()).unwrap_or(u32::MAX);
        // SAFETY: the handle is open, and the pointer and the length are those of one vector.
        let length = unsafe {
            GetFinalPathNameByHandleW(
                file.as_raw_handle(),
                path.as_mut_ptr(),
                room,
                FILE_NAME_NORMALIZED | VOLUME_NAME_NONE,
            )
        } as usize;
        match length {
            0 => return Err(Errno::last()),
            length if length < path.len() => {
                path.truncate(length);
                let start = path.iter().rposition(|&unit| unit == u16::from(b'\\')).map_or(0, |at| at + 1);
                return Ok(path.split_off(start));
            }
            length => path.resize(length + 1, 0),
        }
    }
}

/// Opens an entry of a folder, which must not be a link.
pub fn open_at(folder: &Handle, name: &[u8], what: Open) -> Result<Handle, Errno> {
    let (access, options) = match what {
        Open::Folder => (FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES, FILE_DIRECTORY_FILE),
        Open::File => (FILE_GENERIC_READ, 0),
    };
    match open_name(folder, name, access, options) {
        Ok(file) => unlinked(file),
        // A link to a file is no folder, and yet it is a link.
        Err(Errno::NOTDIR) if what == Open::Folder => {
            unlinked(open_name(folder, name, FILE_READ_ATTRIBUTES, 0)?)?;
            Err(Errno::NOTDIR)
        }
        Err(errno) => Err(errno),
    }
}

/// Opens something below a folder, refusing every link on the way, the last component included.
pub fn open_beneath(folder: &Handle, path: &[u8], what: Open) -> Result<Handle, Errno> {
    open_stepwise(folder, path, what)
}

/// The same guarantee component by component: each is opened relative to the one before, and none may be a link.
pub fn open_stepwise(folder: &Handle, path: &[u8], what: Open) -> Result<Handle, Errno> {
    let (held, last) = above(folder, path)?;
    open_at(held.as_ref().unwrap_or(folder), last, what)
}

/// The folder that the last name of a path is in, if that is another one.
fn above<'p>(folder: &Handle, path: &'p [u8]) -> Result<(Option<Handle>, &'p [u8]), Errno> {
    let mut held: Option<Handle> = None;
    let mut rest = path;
    while let Some(slash) = rest.iter().position(|&b| b == b'/') {
        held = Some(open_at(held.as_ref().unwrap_or(folder), &rest[..slash], Open::Folder)?);
        rest = &rest[slash + 1..];
    }
    Ok((held, rest))
}

/// What the system says of an entry of a folder, or of something below it; of a link, of the link itself.
pub fn stat_at(folder: &Handle, path: &[u8]) -> Result<Stat, Errno> {
    let (held, last) = above(folder, path)?;
    stat_file(&open_name(held.as_ref().unwrap_or(folder), last, FILE_READ_ATTRIBUTES, 0)?)
}

/// Tells the entries of an open folder. `buffer` is kept from folder to folder.
pub fn list(folder: &Handle, buffer: &mut Vec<u8>, each: &mut dyn FnMut(&[u8], FileType)) -> Result<(), Errno> {
    const WORDS: usize = 64 * 1024 / 8;
    // Entries begin at multiples of eight bytes, so the memory is one of words.
    let mut words = vec![0u64; WORDS];
    buffer.clear();
    let mut class = FileIdBothDirectoryRestartInfo;
    loop {
        let room = u32::try_from(WORDS * 8).unwrap_or(0);
        // SAFETY: the handle is open, and the pointer and the length are those of one vector.
        let done =
            unsafe { GetFileInformationByHandleEx(folder.as_raw_handle(), class, words.as_mut_ptr().cast(), room) };
        if done == 0 {
            let error = io::Error::last_os_error();
            return match error.raw_os_error().map(i32::cast_unsigned) {
                Some(ERROR_NO_MORE_FILES | ERROR_FILE_NOT_FOUND) => Ok(()),
                // No name is that long.
                Some(ERROR_MORE_DATA) => Err(Errno::NXIO),
                _ => Err(Errno::of(&error)),
            };
        }
        class = FileIdBothDirectoryInfo;
        tell(&words, each)?;
    }
}

/// Tells the entries in one piece of a listing.
fn tell(words: &[u64], each: &mut dyn FnMut(&[u8], FileType)) -> Result<(), Errno> {
    let bytes = size_of_val(words);
    let head = std::mem::offset_of!(FILE_ID_BOTH_DIR_INFO, FileName);
    let mut at = 0;
    loop {
        if at % 8 != 0 || at + size_of::<FILE_ID_BOTH_DIR_INFO>() > bytes {
            return Err(Errno::NXIO);
        }
        // SAFETY: it is aligned and lies within the words, as was just checked, and every pattern of bits is an entry.
        let entry = unsafe { &*words.as_ptr().cast::<u8>().add(at).cast::<FILE_ID_BOTH_DIR_INFO>() };
        let length = entry.FileNameLength as usize;
        if at + head + length > bytes {
            return Err(Errno::NXIO);
        }
        // SAFETY: the name lies within the words, as was just checked, and is aligned as its entry is.
        let name =
            unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>().add(at + head).cast::<u16>(), length / 2) };
        let name = std::ffi::OsString::from_wide(name);
        // Where there is a reparse point its tag stands in this field.
        each(name.as_encoded_bytes(), FileType::of(entry.FileAttributes, entry.EaSize));
        if entry.NextEntryOffset == 0 {
            return Ok(());
        }
        at += entry.NextEntryOffset as usize;
    }
}

/// The same by what the standard library has.
pub fn list_portably(folder: &Handle, each: &mut dyn FnMut(&[u8], FileType)) -> Result<(), Errno> {
    list(folder, &mut Vec::new(), each)
}

/// A text as the system takes it.
pub(super) fn wide(text: &std::ffi::OsStr) -> Vec<u16> {
    text.encode_wide().chain([0]).collect()
}
