//! What differs between operating systems, in one place and with one shape.
//!
//! Nothing else in the workspace names a system call. On Unix this is a thin layer over `rustix`, and its types are
//! those of `rustix`; on Windows the same names stand for the nearest thing that gives the same guarantee. Where there
//! is no such thing the operation fails rather than going on without its guard.
//!
//! Paths below a folder go through here as bytes with `/` between the names, on every system.

use std::path::{Path, PathBuf};

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

/// What is opened below a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    Folder,
    /// To be read; whatever stands there, opening it does not wait.
    File,
}

/// How a file for this user alone is opened to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrivateFile {
    /// It must not be there yet.
    New,
    /// At the end of what is there.
    Append,
    /// What is there is kept.
    Kept,
}

/// The links of a path resolved. Elsewhere than on Unix the standard library answers with a spelling that many programs,
/// and `Path::join` with a slash in it, don't understand; so this is asked instead.
pub trait RealPath {
    fn real_path(&self) -> std::io::Result<PathBuf>;
}

impl RealPath for Path {
    fn real_path(&self) -> std::io::Result<PathBuf> {
        canonicalize(self)
    }
}

/// What tells whether a file is the one that was looked at before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Facts {
    pub device: u64,
    pub inode: u64,
    pub links: u64,
    /// Last change of content, in seconds since the epoch and nanoseconds.
    pub mtime: (i64, i64),
    /// Last change of content or attributes.
    pub ctime: (i64, i64),
}

/// Names that Windows gives to devices, whatever follows behind a dot.
const DEVICES: [&str; 10] = ["con", "prn", "aux", "nul", "conin$", "conout$", "com", "lpt", "clock$", "keybd$"];

/// Whether Windows would take a name for another one, for a device or for a stream of a file. Such a name in a package is
/// refused there, since what was checked and what is opened would not be the same.
pub fn is_odd_on_windows(name: &[u8]) -> bool {
    let odd = |b: &u8| *b < b' ' || b"<>:\"|?*\\/".contains(b);
    if name.iter().any(odd) || matches!(name.last(), Some(b'.' | b' ')) || name.is_empty() {
        return true;
    }
    let stem = name.split(|&b| b == b'.').next().unwrap_or_default();
    let stem = String::from_utf8_lossy(stem).trim_end().to_lowercase();
    let numbered = |device: &str| {
        let number = stem.strip_prefix(device).unwrap_or_default();
        matches!(number, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
    };
    DEVICES.contains(&stem.as_str()) && !matches!(stem.as_str(), "com" | "lpt") || numbered("com") || numbered("lpt")
}

/// Whether a name is refused for a file that somebody else has named.
pub fn is_refused_name(name: &[u8]) -> bool {
    cfg!(windows) && is_odd_on_windows(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_and_streams_are_known() {
        for name in
            ["CON", "con.txt", "Nul", "aux .md", "COM1", "lpt9.log", "com¹", "a.", "a ", "a:b", "a\\b", "a?", ""]
        {
            assert!(is_odd_on_windows(name.as_bytes()), "{name}");
        }
        for name in ["console", "com", "com10", "lpt", "nullable.md", ".con", "a.con", "a b", "..a", "é.md"] {
            assert!(!is_odd_on_windows(name.as_bytes()), "{name}");
        }
    }
}
