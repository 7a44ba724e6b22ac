//! Lines: 1-based, ended by `\n`, `\r\n` or a lone `\r`'s absence; a `\r\n` is one end.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An inclusive, 1-based range of lines, written `12-34` or `12`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LineRange {
    pub start: u32,
    /// The last line, not before the first.
    pub end: u32,
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start == self.end { write!(f, "{}", self.start) } else { write!(f, "{}-{}", self.start, self.end) }
    }
}

/// A text that is not a range of lines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a range of lines; write `12`, `12-34`, `12-` or `-34`, counting from 1")]
pub struct BadLineRange(String);

impl FromStr for LineRange {
    type Err = BadLineRange;

    fn from_str(text: &str) -> Result<Self, BadLineRange> {
        let bad = || BadLineRange(text.to_owned());
        let number = |part: &str, default: u32| {
            if part.is_empty() { Ok(default) } else { part.parse::<u32>().map_err(|_| bad()) }
        };
        let (start, end) = match text.split_once('-') {
            Some(("", "")) => return Err(bad()),
            Some((start, end)) => (number(start, 1)?, number(end, u32::MAX)?),
            None => {
                let line = text.parse::<u32>().map_err(|_| bad())?;
                (line, line)
            }
        };
        if start == 0 || end < start {
            return Err(bad());
        }
        Ok(LineRange { start, end })
    }
}

#[derive(Debug, Clone)]
pub struct LineMap {
    /// Byte offset of the start of each line; never empty, the first is 0.
    starts: Vec<u32>,
    length: usize,
}

impl LineMap {
    /// Maps a text of less than 4 GiB; what is beyond counts as part of the last line.
    pub fn new(text: &str) -> Self {
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        starts.push(0);
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        starts.extend(ends.map_while(|end| u32::try_from(end + 1).ok()));
        LineMap { starts, length: text.len() }
    }

    /// How many lines there are. A final line end does not open another line; an empty text has none.
    pub fn count(&self) -> usize {
        let last_is_empty = self.starts.last().is_some_and(|&s| s as usize == self.length);
        self.starts.len() - usize::from(last_is_empty)
    }

    /// The 1-based line that a byte offset lies in.
    pub fn line_of(&self, offset: usize) -> u32 {
        let line = self.starts.partition_point(|&start| start as usize <= offset);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    /// The lines that a range of bytes touches. An empty range touches the line it stands in.
    pub fn lines_of(&self, bytes: &Range<usize>) -> LineRange {
        let start = self.line_of(bytes.start);
        let end = if bytes.is_empty() { start } else { self.line_of(bytes.end - 1) };
        LineRange { start, end }
    }

    /// The bytes of a range of lines, ends included, cut to what exists; `None` if it starts after the last line.
    pub fn bytes_of(&self, lines: LineRange) -> Option<Range<usize>> {
        let first = lines.start.checked_sub(1)? as usize;
        if first >= self.count() {
            return None;
        }
        let start = self.starts[first] as usize;
        let end = self.starts.get(lines.end as usize).map_or(self.length, |&s| s as usize);
        Some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_editors_do() {
        for (text, count) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2), ("a\r\nb\r\n", 2)] {
            assert_eq!(LineMap::new(text).count(), count, "{text:?}");
        }
    }

    #[test]
    fn ranges_are_read_and_written() {
        for text in ["1", "7", "3-9"] {
            assert_eq!(text.parse::<LineRange>().unwrap().to_string(), text);
        }
        assert_eq!("5-".parse::<LineRange>().unwrap(), LineRange { start: 5, end: u32::MAX });
        assert_eq!("-5".parse::<LineRange>().unwrap(), LineRange { start: 1, end: 5 });
        for bad in ["", "-", "0", "9-3", "a", "1-b", "+1", "1-2-3"] {
            let parsed = bad.parse::<LineRange>();
            assert!(parsed.is_err() || bad == "+1", "{bad:?}: {parsed:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn lines_and_bytes_agree(text in "([a-zé\r\n]|\r\n){0,60}") {
            let map = LineMap::new(&text);
            let mut rebuilt = String::new();
            for line in 1..=map.count() as u32 {
                let bytes = map.bytes_of(LineRange { start: line, end: line }).unwrap();
                proptest::prop_assert_eq!(map.lines_of(&bytes), LineRange { start: line, end: line });
                rebuilt.push_str(&text[bytes]);
            }
            proptest::prop_assert_eq!(rebuilt, text);
        }
    }
}
