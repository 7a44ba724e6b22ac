//! Absolute paths in their normal form.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::DocPath;
use crate::escape::{escape, unescape};
use crate::text_type;

/// A path that has no normal form, or is not in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("`{0}` is not an absolute path")]
    NotAbsolute(String),
    #[error("`{0}` names a device, not a file or folder")]
    Device(String),
    #[error("`{0}` is absolute; the path of a document is relative to its root")]
    NotRelative(String),
    #[error("`{0}` has a `..` component; the path of a document stays inside its root")]
    Parent(String),
    #[error("`{0}` names no file")]
    NoName(String),
    #[error("`{0}` has a NUL character, which no path can have")]
    Nul(String),
    #[error("`{0}` has a `\\` or `:` in a name, which Windows does not allow")]
    WindowsName(String),
    #[error(
        "`{text}` is not in normal form; it would be written `{normal}` (a literal `%` before two hex digits is `%25`)"
    )]
    NotNormal { text: String, normal: String },
}

/// An absolute path in its normal form: forward slashes, no slash at the end, no `.`, `..` or empty components.
///
/// Its text, which is what is shown, stored and written to JSON, is the path itself, except that bytes that are not UTF-8
/// are escaped as `%XX`, and a literal `%` before two hex digits as `%25`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CanonicalPath(String);

impl CanonicalPath {
    /// The normal form of an absolute path in which the caller has resolved symbolic links already: `..` is taken away by
    /// the letter here, which is only right when there are none.
    pub fn from_absolute(path: &Path) -> Result<Self, PathError> {
        Self::from_bytes(path.as_os_str().as_encoded_bytes())
    }

    pub(crate) fn from_bytes(path: &[u8]) -> Result<Self, PathError> {
        let normal = if cfg!(windows) { normal_windows(path) } else { normal_unix(path) }?;
        Ok(CanonicalPath(escape(&normal)))
    }

    /// The path, to open it with. On Unix exactly the bytes it was made from, normalised.
    pub fn to_path_buf(&self) -> PathBuf {
        path_of(&self.0)
    }

    #[must_use]
    pub fn join(&self, document: &DocPath) -> CanonicalPath {
        // Decoded and escaped again, because a document's text may have an escape more at its start.
        let mut path = self.to_bytes();
        if !path.ends_with(b"/") {
            path.push(b'/');
        }
        path.extend_from_slice(&document.to_bytes());
        CanonicalPath(escape(&path))
    }

    /// The name of the file or folder, in its text form; `None` for a root.
    pub fn file_name(&self) -> Option<&str> {
        self.0.rsplit('/').next().filter(|name| !name.is_empty())
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        unescape(&self.0).into_owned()
    }

    /// What goes into a hash: the path as it is when it is UTF-8, so that anyone can compute the same value with
    /// `sha256sum`, and the escaped form otherwise.
    pub(crate) fn hash_text(&self) -> String {
        String::from_utf8(self.to_bytes()).unwrap_or_else(|_| self.0.clone())
    }
}

impl FromStr for CanonicalPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        let path = Self::from_bytes(&unescape(text))?;
        if path.0 != text {
            return Err(PathError::NotNormal { text: text.to_owned(), normal: path.0 });
        }
        Ok(path)
    }
}

text_type!(CanonicalPath);

/// The system's path for a text form.
pub(crate) fn path_of(text: &str) -> PathBuf {
    let bytes = unescape(text);
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        PathBuf::from(std::ffi::OsString::from_vec(bytes.into_owned()))
    }
    // Elsewhere names are UTF-16; one with a lone surrogate is the only thing that does not come back.
    #[cfg(not(unix))]
    // With the separator of Windows throughout, so that one file has one spelling wherever it is joined together.
    PathBuf::from(String::from_utf8_lossy(&bytes).replace('/', "\\"))
}

fn normal_unix(path: &[u8]) -> Result<Vec<u8>, PathError> {
    refuse_nul(path)?;
    let below = path.strip_prefix(b"/").ok_or_else(|| PathError::NotAbsolute(escape(path)))?;
    Ok(below_root(b"/".to_vec(), below))
}

fn normal_windows(path: &[u8]) -> Result<Vec<u8>, PathError> {
    refuse_nul(path)?;
    let slashed: Vec<u8> = path.iter().map(|&b| if b == b'\\' { b'/' } else { b }).collect();
    let error = |kind: fn(String) -> PathError| kind(escape(path));
    let (unc, rest) = if let Some(verbatim) = slashed.strip_prefix(b"//?/") {
        match verbatim {
            [b'U' | b'u', b'N' | b'n', b'C' | b'c', b'/', share @ ..] => (true, share),
            drive => (false, drive),
        }
    } else if slashed.starts_with(b"//./") {
        return Err(error(PathError::Device));
    } else if let Some(share) = slashed.strip_prefix(b"//") {
        (true, share)
    } else {
        (false, &slashed[..])
    };
    if unc {
        // The root is `//server/share`: no `..` climbs above it.
        let mut parts = rest.splitn(3, |&b| b == b'/');
        let (server, share) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if server.is_empty() || share.is_empty() {
            return Err(error(PathError::NotAbsolute));
        }
        let root = [b"//", server, b"/", share, b"/"].concat();
        return Ok(below_root(root, parts.next().unwrap_or_default()));
    }
    match rest {
        [letter, b':', b'/', below @ ..] if letter.is_ascii_alphabetic() => {
            Ok(below_root(vec![letter.to_ascii_lowercase(), b':', b'/'], below))
        }
        // `C:x` is relative to that drive's own current folder, `\x` to the current drive.
        _ if slashed.starts_with(b"//?/") => Err(error(PathError::Device)),
        _ => Err(error(PathError::NotAbsolute)),
    }
}

fn refuse_nul(path: &[u8]) -> Result<(), PathError> {
    if path.contains(&0) { Err(PathError::Nul(escape(path))) } else { Ok(()) }
}

/// Appends components to a root that ends with a slash, which stays only if nothing comes behind it, and then only
/// where the root would be another thing without it (`/`, `c:/`).
fn below_root(root: Vec<u8>, below: &[u8]) -> Vec<u8> {
    let mut components: Vec<&[u8]> = Vec::new();
    for component in below.split(|&b| b == b'/') {
        match component {
            b"" | b"." => {}
            b".." => {
                components.pop();
            }
            name => components.push(name),
        }
    }
    let mut path = root;
    path.extend_from_slice(&components.join(&b'/'));
    if components.is_empty() && path.starts_with(b"//") {
        path.pop();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn windows(path: &str) -> Result<String, PathError> {
        normal_windows(path.as_bytes()).map(|p| escape(&p))
    }

    #[test]
    fn unix_paths() {
        for (path, normal) in [
            ("/", "/"),
            ("/a/b", "/a/b"),
            ("/a/b/", "/a/b"),
            ("//a///b//", "/a/b"),
            ("/a/./b/../c", "/a/c"),
            ("/../..", "/"),
            ("/a/..", "/"),
            ("/a/...", "/a/..."),
            ("/a\\b", "/a\\b"),
            ("/100%/x%20y", "/100%/x%2520y"),
        ] {
            assert_eq!(normal_unix(path.as_bytes()).map(|p| escape(&p)).unwrap(), normal, "{path}");
        }
        assert!(matches!(normal_unix(b"a/b"), Err(PathError::NotAbsolute(_))));
        assert!(matches!(normal_unix(b""), Err(PathError::NotAbsolute(_))));
        assert!(matches!(normal_unix(b"/a\0b"), Err(PathError::Nul(_))));
    }

    #[test]
    fn windows_paths() {
        for (path, normal) in [
            (r"C:\A\b\", "c:/A/b"),
            (r"c:/A\.\x\..\b", "c:/A/b"),
            (r"D:\", "d:/"),
            (r"D:\..", "d:/"),
            (r"\\srv\share", "//srv/share"),
            (r"\\srv\share\", "//srv/share"),
            (r"\\srv\share\a\..\..\b", "//srv/share/b"),
            (r"\\?\C:\x", "c:/x"),
            (r"\\?\UNC\srv\share\x", "//srv/share/x"),
        ] {
            assert_eq!(windows(path).unwrap(), normal, "{path}");
            assert_eq!(windows(normal).unwrap(), normal, "{normal} again");
        }
        for bad in [r"C:x", r"\x", r"x\y", r"\\srv", r"\\", ""] {
            assert!(matches!(windows(bad), Err(PathError::NotAbsolute(_))), "{bad}");
        }
        for device in [r"\\.\COM1", r"\\?\Volume{1}\x"] {
            assert!(matches!(windows(device), Err(PathError::Device(_))), "{device}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf8_come_back() {
        use std::os::unix::ffi::OsStrExt;
        let raw = std::ffi::OsStr::from_bytes(b"/srv/caf\xe9/a%FF");
        let path = CanonicalPath::from_absolute(Path::new(raw)).unwrap();
        assert_eq!(path.as_str(), "/srv/caf%E9/a%25FF");
        assert_eq!(path.to_path_buf().as_os_str(), raw);
        assert_eq!(path.hash_text(), path.as_str());
        let json = serde_json::to_string(&path).unwrap();
        assert_eq!(serde_json::from_str::<CanonicalPath>(&json).unwrap(), path);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_normal_text_is_read() {
        for text in ["/a/", "/a/../b", "/a%41", "/a%2Fb", "//a"] {
            assert!(matches!(text.parse::<CanonicalPath>(), Err(PathError::NotNormal { .. })), "{text}");
        }
        assert!("a".parse::<CanonicalPath>().is_err());
        let root: CanonicalPath = "/".parse().unwrap();
        let document = DocPath::parse("a/b.md").unwrap();
        assert_eq!(root.join(&document).as_str(), "/a/b.md");
        assert_eq!(root.join(&document).join(&document).as_str(), "/a/b.md/a/b.md");
        assert_eq!(root.file_name(), None);
        assert_eq!(root.join(&document).file_name(), Some("b.md"));
    }

    proptest! {
        #[test]
        fn normal_forms_are_stable(path in "(/|\\.|\\.\\.|[a-c%]|é){0,16}") {
            let once = normal_unix(format!("/{path}").as_bytes()).unwrap();
            prop_assert_eq!(normal_unix(&once).unwrap(), once);
        }

        #[test]
        fn windows_normal_forms_are_stable(path in r"(C:|\\\\|\\|\\\\\?\\|/|\.|\.\.|[a-c]){0,12}") {
            if let Ok(once) = normal_windows(path.as_bytes()) {
                prop_assert_eq!(normal_windows(&once).unwrap(), once);
            }
        }
    }
}
