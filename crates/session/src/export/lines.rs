//! Lines of bounded length and number.

use std::io::{BufRead, Read};

use crate::error::{Error, Result};

/// What an export may at most be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The bytes of a line.
    pub(super) line: u64,
    /// The bytes of all.
    pub(super) total: u64,
    pub(super) lines: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { line: 64 << 20, total: 1 << 30, lines: 1_000_000 }
    }
}

pub(super) struct Lines<'i> {
    input: &'i mut dyn BufRead,
    limits: Limits,
    read: u64,
    /// The number of the line that was read last.
    pub(super) number: usize,
}

impl<'i> Lines<'i> {
    pub(super) fn new(input: &'i mut dyn BufRead, limits: Limits) -> Self {
        Lines { input, limits, read: 0, number: 0 }
    }

    /// The next line; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<String>> {
        let mut bytes = Vec::new();
        let failed = |source| Error::Io { path: "the import".into(), source };
        let mut limited = Read::take(&mut *self.input, self.limits.line + 1);
        let read = limited.read_until(b'\n', &mut bytes).map_err(failed)? as u64;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.read += read;
        let Limits { line, total, lines } = self.limits;
        if read > line {
            return Err(self.bad(format!("it is longer than {line} bytes")));
        }
        if self.read > total {
            return Err(self.bad(format!("the export is larger than {total} bytes")));
        }
        if self.number > lines {
            return Err(self.bad(format!("the export has more than {lines} lines")));
        }
        String::from_utf8(bytes).map(Some).map_err(|_| self.bad("it is not UTF-8"))
    }

    /// The error that the line that was read last is not what it should be.
    pub(super) fn bad(&self, why: impl Into<String>) -> Error {
        Error::BadLine { line: self.number.max(1), why: why.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8], limits: Limits) -> Result<Vec<String>> {
        let mut input = text;
        let mut lines = Lines::new(&mut input, limits);
        let mut found = Vec::new();
        while let Some(line) = lines.next()? {
            found.push(line);
        }
        Ok(found)
    }

    #[test]
    fn nothing_larger_than_allowed_is_read() {
        let limits = Limits { line: 6, total: 10, lines: 3 };
        assert_eq!(all(b"12345\n789\n", limits).unwrap(), ["12345\n", "789\n"]);
        let cases: [(&[u8], &str); 4] = [
            (b"123456\n", "line 1: it is longer than 6 bytes"),
            (b"12345\n7890\n", "line 2: the export is larger than 10 bytes"),
            (b"\n\n\n\n", "line 4: the export has more than 3 lines"),
            (b"a\n\xff\n", "line 2: it is not UTF-8"),
        ];
        for (text, expected) in cases {
            assert_eq!(all(text, limits).unwrap_err().to_string(), expected);
        }
    }
}
