//! Lock files in TOML, read one package at a time.
//!
//! The parser keeps the whole document and needs some seventy times its size for the worst of them, so it is never given
//! one of many megabytes. The programs that write these files put each `[[package]]` on a line of its own.

use serde::de::DeserializeOwned;

use crate::lock_error::{LockError, from_toml};

/// No package of a real lock file comes near this; nor does what stands before and after the packages.
pub(crate) const MAX_PIECE: usize = 4 * 1024 * 1024;

/// Parses what stands before the first package, and then each package with all its tables; what follows the last package
/// is in its piece.
pub(crate) fn pieces<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, LockError> {
    let mut pieces = Vec::new();
    let (mut from, mut from_line) = (0, 0);
    let (mut at, mut line) = (0, 0);
    for text_line in text.split_inclusive('\n') {
        if text_line.trim() == "[[package]]" && at > from {
            pieces.push(piece(&text[from..at], from_line)?);
            (from, from_line) = (at, line);
        }
        at += text_line.len();
        line += 1;
    }
    pieces.push(piece(&text[from..], from_line)?);
    Ok(pieces)
}

fn piece<T: DeserializeOwned>(text: &str, lines_before: usize) -> Result<T, LockError> {
    from_toml(text).map_err(|error| match error {
        LockError::Toml { line } => LockError::Toml { line: line + lines_before },
        LockError::LargePiece { line, limit } => LockError::LargePiece { line: line + lines_before, limit },
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize, PartialEq)]
    struct Names {
        #[serde(default)]
        package: Vec<Name>,
    }

    #[derive(Debug, serde::Deserialize, PartialEq)]
    struct Name {
        name: String,
    }

    fn names(text: &str) -> Result<Vec<String>, String> {
        let pieces = pieces::<Names>(text).map_err(|error| error.to_string())?;
        Ok(pieces.into_iter().flat_map(|piece| piece.package).map(|package| package.name).collect())
    }

    #[test]
    fn every_package_is_read_once() {
        assert_eq!(names(""), Ok(vec![]));
        assert_eq!(names("version = 4"), Ok(vec![]));
        let text =
            "[[package]]\r\nname = 'a'\r\n[package.x]\r\ny = 1\r\n  [[package]]\nname = 'b'\n[metadata]\nname = 'c'";
        assert_eq!(names(text), Ok(vec!["a".to_owned(), "b".to_owned()]));
    }

    #[test]
    fn errors_name_the_line_in_the_file() {
        let text = "version = 1\n\n[[package]]\nname = 'a'\n\n[[package]]\nname = 5\n";
        assert_eq!(names(text), Err("line 7 is not the TOML that was expected".to_owned()));
        let large = format!("version = 1\n[[package]]\nname = '{}'\n", "a".repeat(MAX_PIECE));
        assert_eq!(names(&large), Err("what starts at line 2 is larger than 4 MiB".to_owned()));
    }
}
