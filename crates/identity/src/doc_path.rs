//! Paths of documents, relative to the root they were found under.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::PathError;
use crate::escape::{escape, unescape};
use crate::path::path_of;
use crate::text_type;

/// A document's path relative to its root: `/` between names, never empty, never absolute, no `.` or `..`.
///
/// The text form is escaped like that of [`CanonicalPath`](crate::CanonicalPath). On top of that, a path that Windows
/// would take for an absolute one (`C:\x`, `\x`), which is a legal name elsewhere, has that one character escaped, so
/// that its text is harmless wherever it is read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocPath(String);

impl DocPath {
    /// The path of a file as the system spells it.
    pub fn from_relative(path: &Path) -> Result<Self, PathError> {
        let bytes = path.as_os_str().as_encoded_bytes();
        if cfg!(windows) {
            let slashed: Vec<u8> = bytes.iter().map(|&b| if b == b'\\' { b'/' } else { b }).collect();
            return Self::from_bytes(&slashed, true);
        }
        Self::from_bytes(bytes, false)
    }

    /// Reads a text form: what [`as_str`](Self::as_str) gave, or what a person wrote in a manifest. A `.` component or a
    /// slash too many is taken away.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        Self::parse_for(text, cfg!(windows))
    }

    fn parse_for(text: &str, windows: bool) -> Result<Self, PathError> {
        if is_plain(text, windows) {
            return Ok(DocPath(text.to_owned()));
        }
        if guarded_character(text).is_some() {
            return Err(PathError::NotRelative(text.to_owned()));
        }
        let path = Self::from_bytes(&unescape(text), windows)?;
        let plain: Vec<&str> = text.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        // Anything that differs beyond those is an escape that hides something, such as `%2E%2E` or `%2F`.
        if plain.join("/") != path.0 {
            return Err(PathError::NotNormal { text: text.to_owned(), normal: path.0 });
        }
        Ok(path)
    }

    fn from_bytes(path: &[u8], windows: bool) -> Result<Self, PathError> {
        if let Ok(text) = std::str::from_utf8(path)
            && is_plain(text, windows)
        {
            return Ok(DocPath(text.to_owned()));
        }
        if path.contains(&0) {
            return Err(PathError::Nul(escape(path)));
        }
        if path.starts_with(b"/") {
            return Err(PathError::NotRelative(escape(path)));
        }
        let mut names: Vec<&[u8]> = Vec::new();
        for name in path.split(|&b| b == b'/') {
            match name {
                b"" | b"." => {}
                b".." => return Err(PathError::Parent(escape(path))),
                // There they would be a separator, a drive or a stream: the path could leave its root.
                name if windows && name.iter().any(|b| matches!(b, b'\\' | b':')) => {
                    return Err(PathError::WindowsName(escape(path)));
                }
                name => names.push(name),
            }
        }
        if names.is_empty() {
            return Err(PathError::NoName(escape(path)));
        }
        let mut text = escape(&names.join(&b'/'));
        if let Some((at, escaped)) = guarded_character(&text) {
            text.replace_range(at..=at, escaped);
        }
        Ok(DocPath(text))
    }

    /// The path, to be joined to its root. On Unix exactly the bytes it was made from.
    pub fn to_path_buf(&self) -> PathBuf {
        path_of(&self.0)
    }

    /// The last name, in its text form.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        unescape(&self.0).into_owned()
    }
}

/// Whether a text is its own normal form, as nearly every path is: a sync makes tens of thousands of them, and the rest of
/// this file takes several allocations for each.
fn is_plain(text: &str, windows: bool) -> bool {
    let odd = |b: u8| matches!(b, b'%' | 0 | b'\\') || (windows && b == b':');
    !text.bytes().any(odd)
        && guarded_character(text).is_none()
        && text.split('/').all(|name| !matches!(name, "" | "." | ".."))
}

/// Where a text would be absolute on Windows: the place of the character that makes it so, and its escape.
fn guarded_character(text: &str) -> Option<(usize, &'static str)> {
    match text.as_bytes() {
        [b'\\', ..] => Some((0, "%5C")),
        [letter, b':'] | [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic() => Some((1, "%3A")),
        _ => None,
    }
}

impl FromStr for DocPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        Self::parse(text)
    }
}

text_type!(DocPath);

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    fn raw(bytes: &[u8]) -> Result<DocPath, PathError> {
        DocPath::from_relative(Path::new(OsStr::from_bytes(bytes)))
    }

    #[test]
    fn system_paths_become_text() {
        for (path, text) in [
            (&b"a/b.md"[..], "a/b.md"),
            (b"./a//b.md", "a/b.md"),
            (b"a/b/", "a/b"),
            (b"100%.md", "100%.md"),
            (b"a%20b.md", "a%2520b.md"),
            (b"caf\xe9/x\ny", "caf%E9/x\ny"),
            (b"a\\b", "a\\b"),
            (b"C:\\x", "C%3A\\x"),
            (b"C:/x", "C%3A/x"),
            (b"C:x", "C:x"),
            (b"\\\\srv\\x", "%5C\\srv\\x"),
            (b"...", "..."),
        ] {
            let document = raw(path).unwrap();
            assert_eq!(document.as_str(), text);
            assert_eq!(DocPath::parse(text).unwrap(), document, "{text}");
        }
        assert_eq!(raw(b"a/caf\xe9").unwrap().file_name(), "caf%E9");
        assert_eq!(raw(b"x.md").unwrap().file_name(), "x.md");
    }

    #[test]
    fn what_leaves_the_root_is_refused() {
        for (text, wanted) in [
            ("", "names no file"),
            (".", "names no file"),
            ("./", "names no file"),
            ("/etc/passwd", "is absolute"),
            ("//x", "is absolute"),
            ("../x", "`..`"),
            ("a/../../x", "`..`"),
            ("a/..", "`..`"),
            ("C:\\x", "is absolute"),
            ("c:/x", "is absolute"),
            ("\\\\srv\\share", "is absolute"),
            ("a\0b", "NUL"),
            ("a%00b", "NUL"),
            ("%2e%2e/x", "`..`"),
            ("a/%2E%2E/x", "`..`"),
            ("%2Fetc", "is absolute"),
            ("a%2Fb", "not in normal form; it would be written `a/b`"),
            ("a%20b", "not in normal form; it would be written `a b`"),
            ("a%ff", "not in normal form; it would be written `a%FF`"),
        ] {
            let error = DocPath::parse(text).unwrap_err().to_string();
            assert!(error.contains(wanted), "{text}: {error}");
        }
        for text in ["a\\..\\..\\x", "a/C:x", "C%3A\\x", "a:stream"] {
            assert!(DocPath::parse_for(text, false).is_ok(), "{text}");
            assert!(matches!(DocPath::parse_for(text, true), Err(PathError::WindowsName(_))), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_path_comes_back(
            names in proptest::collection::vec(
                prop_oneof![
                    proptest::collection::vec(1u8..=255, 1..8),
                    "[C%:\\\\3A5.]{1,6}".prop_map(String::into_bytes),
                ]
                .prop_filter("a name", |n| !n.contains(&b'/') && n != b"." && n != b".."),
                1..4,
            )
        ) {
            let path = names.join(&b'/');
            let document = raw(&path).unwrap();
            let system = document.to_path_buf();
            prop_assert_eq!(system.as_os_str().as_bytes(), &path[..]);
            prop_assert_eq!(&DocPath::parse(document.as_str()).unwrap(), &document);
            let json = serde_json::to_string(&document).unwrap();
            prop_assert_eq!(serde_json::from_str::<DocPath>(&json).unwrap(), document);
        }

        #[test]
        fn nothing_read_leaves_its_root(text in "([a%./\\\\:]|%2E|%2F|%5C|\\.\\.|C:){0,10}") {
            if let Ok(document) = DocPath::parse(&text) {
                let path = document.to_path_buf();
                prop_assert!(path.components().all(|c| matches!(c, std::path::Component::Normal(_))));
                prop_assert_eq!(DocPath::parse(document.as_str()).unwrap(), document);
            }
        }
    }
}
