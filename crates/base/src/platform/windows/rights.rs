//! Who may read a file. Where Unix has modes of three digits, Windows has lists of who may do what; a private file or folder
//! gets a list of its own, with this user, the system and its administrators in it, and takes nothing over from above.

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::Path;

use windows_sys::Win32::Foundation::{ERROR_SUCCESS, GENERIC_READ, GENERIC_WRITE, INVALID_HANDLE_VALUE, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    ConvertSecurityDescriptorToStringSecurityDescriptorW, ConvertSidToStringSidW,
    ConvertStringSecurityDescriptorToSecurityDescriptorW, ConvertStringSidToSidW, GetNamedSecurityInfoW,
    SDDL_REVISION_1, SE_FILE_OBJECT, SetNamedSecurityInfoW,
};
use windows_sys::Win32::Security::{
    ACL, DACL_SECURITY_INFORMATION, GetSecurityDescriptorDacl, GetTokenInformation,
    PROTECTED_DACL_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, SECURITY_ATTRIBUTES, SID_AND_ATTRIBUTES,
    SetTokenInformation, TOKEN_ADJUST_DEFAULT, TOKEN_MANDATORY_LABEL, TOKEN_QUERY, TOKEN_USER, TokenIntegrityLevel,
    TokenUser,
};
use windows_sys::Win32::Storage::FileSystem::{
    CREATE_NEW, CreateDirectoryW, CreateFileW, FILE_APPEND_DATA, FILE_ATTRIBUTE_NORMAL, FILE_FLAG_OPEN_REPARSE_POINT,
    FILE_READ_ATTRIBUTES, FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE, OPEN_ALWAYS, SYNCHRONIZE,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

use tempfile::NamedTempFile;

use super::entry::wide;
use crate::platform::PrivateFile;

/// Memory that the system has given and that is to be given back.
struct Local<T>(*mut T);

impl<T> Drop for Local<T> {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: it came from a call whose memory is to be given back in this way, and is given back once.
            unsafe { LocalFree(self.0.cast()) };
        }
    }
}

impl Local<u16> {
    fn text(&self) -> String {
        // SAFETY: a text that the system gives ends with a zero.
        let length = (0..).take_while(|&at| unsafe { *self.0.add(at) } != 0).count();
        // SAFETY: as long as was just counted.
        String::from_utf16_lossy(unsafe { std::slice::from_raw_parts(self.0, length) })
    }
}

type Descriptor = Local<c_void>;

/// The id of the user that this process runs for.
fn user() -> io::Result<String> {
    let mut token = std::ptr::null_mut();
    // SAFETY: a process may always open its own token.
    if unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was just opened, and is nobody else's.
    let token = unsafe { OwnedHandle::from_raw_handle(token) };
    // In words, so that it is aligned; no id is longer than 68 bytes.
    let mut words = [0u64; 32];
    let mut length = 0;
    // SAFETY: the token is open, and the pointer and the length are those of one array.
    let done = unsafe {
        GetTokenInformation(token.as_raw_handle(), TokenUser, words.as_mut_ptr().cast(), 256, &raw mut length)
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    let mut text = Local(std::ptr::null_mut());
    // SAFETY: the call above has written a user there, which points into the same words.
    let done = unsafe { ConvertSidToStringSidW((*words.as_ptr().cast::<TOKEN_USER>()).User.Sid, &raw mut text.0) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(text.text()) }
}

/// The list of a private file or folder.
fn private() -> io::Result<Descriptor> {
    let user = user()?;
    let text = format!("D:P(A;OICI;FA;;;{user})(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)");
    let mut descriptor: PSECURITY_DESCRIPTOR = std::ptr::null_mut();
    // SAFETY: the text ends with a zero, and the answer has a place of its own.
    let done = unsafe {
        ConvertStringSecurityDescriptorToSecurityDescriptorW(
            wide(text.as_ref()).as_ptr(),
            SDDL_REVISION_1,
            &raw mut descriptor,
            std::ptr::null_mut(),
        )
    };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(Local(descriptor)) }
}

fn attributes(descriptor: &Descriptor) -> SECURITY_ATTRIBUTES {
    SECURITY_ATTRIBUTES {
        nLength: u32::try_from(size_of::<SECURITY_ATTRIBUTES>()).unwrap_or(0),
        lpSecurityDescriptor: descriptor.0,
        bInheritHandle: 0,
    }
}

/// A path as the system takes it, however long it is.
fn system_path(path: &Path) -> io::Result<Vec<u16>> {
    let full = std::path::absolute(path)?;
    let text = full.as_os_str();
    // Only a path with this in front may be long, and a path of a share has another one.
    let is_disk = text.as_encoded_bytes().get(1) == Some(&b':');
    let mut long = std::ffi::OsString::from(if is_disk { r"\\?\" } else { "" });
    long.push(text);
    Ok(wide(&long))
}

/// Makes one folder for this user alone. One that is there is an error.
pub fn new_private_folder(path: &Path) -> io::Result<()> {
    let descriptor = private()?;
    let attributes = attributes(&descriptor);
    // SAFETY: the path ends with a zero, and the list lives until the call returns.
    let made = unsafe { CreateDirectoryW(system_path(path)?.as_ptr(), &raw const attributes) };
    if made == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Makes a folder, and those above it, for this user alone.
pub fn private_folder(path: &Path) -> io::Result<()> {
    match new_private_folder(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let above = path.parent().filter(|above| !above.as_os_str().is_empty()).ok_or(error)?;
            private_folder(above)?;
            private_folder(path)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made,
    }
}

/// Sees to it that what is kept below a folder is private: what is made in it takes its rights over from it.
pub fn private_root(folder: &Path) -> io::Result<()> {
    private_folder(folder)
}

/// Opens a file to write it. If it is made, it is for this user alone.
pub fn open_private(path: &Path, how: PrivateFile) -> io::Result<File> {
    let descriptor = private()?;
    let attributes = attributes(&descriptor);
    let (access, disposition) = match how {
        PrivateFile::New => (GENERIC_READ | GENERIC_WRITE, CREATE_NEW),
        PrivateFile::Append => (FILE_APPEND_DATA | FILE_READ_ATTRIBUTES | SYNCHRONIZE, OPEN_ALWAYS),
        PrivateFile::Kept => (GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS),
    };
    // What is new can't be a link.
    let flags = match how {
        PrivateFile::New => FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT,
        PrivateFile::Append | PrivateFile::Kept => FILE_ATTRIBUTE_NORMAL,
    };
    // SAFETY: the path ends with a zero, and the list lives until the call returns.
    let handle = unsafe {
        CreateFileW(
            system_path(path)?.as_ptr(),
            access,
            FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
            &raw const attributes,
            disposition,
            flags,
            std::ptr::null_mut(),
        )
    };
    if handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was just opened, and is nobody else's.
    Ok(unsafe { File::from_raw_handle(handle) })
}

/// Lowers the integrity of this process to that of nobody, whom nothing lets write.
pub(super) fn trust_nothing() -> io::Result<()> {
    let mut token = std::ptr::null_mut();
    // SAFETY: a process may always open its own token.
    if unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY | TOKEN_ADJUST_DEFAULT, &raw mut token) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was just opened, and is nobody else's.
    let token = unsafe { OwnedHandle::from_raw_handle(token) };
    let mut untrusted = Local(std::ptr::null_mut());
    // SAFETY: the text ends with a zero, and the answer has a place of its own.
    if unsafe { ConvertStringSidToSidW(wide("S-1-16-0".as_ref()).as_ptr(), &raw mut untrusted.0) } == 0 {
        return Err(io::Error::last_os_error());
    }
    /// Says that the id is a level of integrity.
    const INTEGRITY: u32 = 0x20;
    let label = TOKEN_MANDATORY_LABEL { Label: SID_AND_ATTRIBUTES { Sid: untrusted.0, Attributes: INTEGRITY } };
    let size = u32::try_from(size_of_val(&label)).unwrap_or(0);
    // SAFETY: the token is open, and the label and its id live until the call returns.
    let done =
        unsafe { SetTokenInformation(token.as_raw_handle(), TokenIntegrityLevel, (&raw const label).cast(), size) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn set(path: &Path, descriptor: &Descriptor, more: u32) -> io::Result<()> {
    let (mut present, mut defaulted) = (0, 0);
    let mut list: *mut ACL = std::ptr::null_mut();
    // SAFETY: the descriptor is whole, and each answer has a place of its own.
    let done = unsafe { GetSecurityDescriptorDacl(descriptor.0, &raw mut present, &raw mut list, &raw mut defaulted) };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the path ends with a zero, and the list is part of the descriptor, which lives on.
    let code = unsafe {
        SetNamedSecurityInfoW(
            system_path(path)?.as_mut_ptr(),
            SE_FILE_OBJECT,
            DACL_SECURITY_INFORMATION | more,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            list,
            std::ptr::null(),
        )
    };
    if code == ERROR_SUCCESS { Ok(()) } else { Err(io::Error::from_raw_os_error(code.cast_signed())) }
}

/// Makes a folder readable by this user alone.
pub fn make_folder_private(path: &Path) -> io::Result<()> {
    set(path, &private()?, PROTECTED_DACL_SECURITY_INFORMATION)
}

fn of(path: &Path) -> io::Result<Descriptor> {
    let mut descriptor: PSECURITY_DESCRIPTOR = std::ptr::null_mut();
    // SAFETY: the path ends with a zero, and the answer has a place of its own.
    let code = unsafe {
        GetNamedSecurityInfoW(
            system_path(path)?.as_ptr(),
            SE_FILE_OBJECT,
            DACL_SECURITY_INFORMATION,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            &raw mut descriptor,
        )
    };
    if code == ERROR_SUCCESS { Ok(Local(descriptor)) } else { Err(io::Error::from_raw_os_error(code.cast_signed())) }
}

fn text_of(descriptor: &Descriptor) -> io::Result<String> {
    let mut text = Local(std::ptr::null_mut());
    // SAFETY: the descriptor is whole, and the answer has a place of its own.
    let done = unsafe {
        ConvertSecurityDescriptorToStringSecurityDescriptorW(
            descriptor.0,
            SDDL_REVISION_1,
            DACL_SECURITY_INFORMATION,
            &raw mut text.0,
            std::ptr::null_mut(),
        )
    };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(text.text()) }
}

/// Whether this user alone can read it, beside the system and its administrators.
pub fn is_private(path: &Path) -> bool {
    let list = of(path).and_then(|descriptor| text_of(&descriptor));
    matches!((list, user()), (Ok(list), Ok(user)) if allows_only(&list, &user))
}

/// Whether a list, as text, lets nobody in but a user, the system and its administrators.
fn allows_only(list: &str, user: &str) -> bool {
    let entries = list.split('(').skip(1).filter_map(|entry| entry.split(')').next());
    let mut any = false;
    let alone = entries.into_iter().all(|entry| {
        any = true;
        let fields: Vec<&str> = entry.split(';').collect();
        match (fields.first(), fields.get(5)) {
            (Some(&"D"), _) => true,
            (Some(&"A"), Some(who)) => {
                *who == user || matches!(*who, "SY" | "BA" | "OW" | "CO") || *who == "LA" && user.ends_with("-500")
            }
            _ => false,
        }
    });
    // No list at all lets everybody in.
    any && alone
}

/// Gives a file the list of another one that it is to replace, if there is one.
pub(super) fn take_over(from: &Path, to: &Path) -> io::Result<()> {
    if !from.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return Ok(());
    }
    let kept = of(from)?;
    // One that takes over from its folder does so in its new place as well.
    if text_of(&kept)?.starts_with("D:P") { set(to, &kept, PROTECTED_DACL_SECURITY_INFORMATION) } else { Ok(()) }
}

/// Nothing like a mask for new files is there: what a file gets is decided by the folder that it is in, and the folders of this
/// program are made by [`private_root`].
pub(crate) fn private_by_default() {}

/// Makes the file that will take the place of `target`.
pub(crate) fn create_temporary(
    builder: &mut tempfile::Builder<'_, '_>,
    folder: &Path,
    _target: &Path,
    mode: u32,
) -> io::Result<NamedTempFile> {
    builder.make_in(folder, |path| match mode & 0o077 {
        0 => open_private(path, PrivateFile::New),
        _ => File::options().read(true).write(true).create_new(true).open(path),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let me = "S-1-5-21-1-2-3-1000";
        for (list, alone) in [
            ("D:P(A;OICI;FA;;;S-1-5-21-1-2-3-1000)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)", true),
            ("D:(D;;FA;;;WD)(A;;FA;;;S-1-5-21-1-2-3-1000)", true),
            ("D:(A;;FA;;;S-1-5-21-1-2-3-1000)(A;;FR;;;WD)", false),
            ("D:(A;;FR;;;BU)", false),
            ("D:(XA;;FR;;;SY)", false),
            ("D:NO_ACCESS_CONTROL", false),
            ("", false),
        ] {
            assert_eq!(allows_only(list, me), alone, "{list}");
        }
    }

    #[test]
    fn what_is_private_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        private_folder(&path).unwrap();
        private_folder(&path).unwrap();
        assert!(new_private_folder(&path).is_err());
        let file = path.join("file");
        drop(open_private(&file, PrivateFile::New).unwrap());
        assert!(open_private(&file, PrivateFile::New).is_err());
        assert!(is_private(&file), "{:?}", of(&file).and_then(|list| text_of(&list)));
    }
}
