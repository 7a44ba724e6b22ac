//! The source as it is read: from front to back, each part once.

/// An argument is not looked for its end beyond this: a brace that is never closed must not take the whole text with it.
const LONGEST_ARGUMENT: usize = 20_000;

pub(super) struct Source<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str) -> Source<'a> {
        Source { text, at: 0 }
    }

    fn ahead(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.ahead().starts_with(text)
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.ahead().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.text.len());
    }

    pub(super) fn rest(&mut self) -> &'a str {
        let rest = self.ahead();
        self.at = self.text.len();
        rest
    }

    /// The text up to one of some marks, which comes next; nothing if none is left.
    pub(super) fn until(&mut self, marks: &[char]) -> Option<&'a str> {
        let found = self.ahead().find(marks)?;
        let text = &self.ahead()[..found];
        self.at += found;
        Some(text)
    }

    /// The text up to a mark, which is taken too. An empty line ends the search.
    pub(super) fn until_text(&mut self, mark: &str) -> (&'a str, bool) {
        let ahead = self.ahead();
        // One search for both: looking for either alone could go over the whole rest for every mark.
        let (marks, bytes) = (mark.as_bytes(), ahead.as_bytes());
        let found = (0..bytes.len()).find(|&at| bytes[at..].starts_with(marks) || bytes[at..].starts_with(b"\n\n"));
        let end = found.unwrap_or(bytes.len());
        let closed = bytes[end..].starts_with(marks);
        self.at += end + if closed { marks.len() } else { 0 };
        (&ahead[..end], closed)
    }

    /// The text up to a mark that stands anywhere after, or all that is left.
    pub(super) fn block(&mut self, mark: &str) -> &'a str {
        let ahead = self.ahead();
        let end = ahead.find(mark);
        self.at += end.map_or(ahead.len(), |end| end + mark.len());
        &ahead[..end.unwrap_or(ahead.len())]
    }

    pub(super) fn skip_line(&mut self) {
        let ahead = self.ahead();
        self.at += ahead.find('\n').map_or(ahead.len(), |end| end + 1);
    }

    /// Spaces and tabs.
    pub(super) fn skip_blanks(&mut self) {
        let ahead = self.ahead();
        self.at += ahead.len() - ahead.trim_start_matches([' ', '\t']).len();
    }

    /// The letters of a command's name.
    pub(super) fn word(&mut self) -> &'a str {
        let ahead = self.ahead();
        let length = ahead.bytes().take_while(|byte| byte.is_ascii_alphabetic() || *byte == b'@').count();
        self.at += length;
        &ahead[..length]
    }

    /// The text between braces, if some come next.
    pub(super) fn group(&mut self) -> Option<&'a str> {
        self.enclosed('{', '}')
    }

    pub(super) fn optional(&mut self) -> Option<&'a str> {
        self.enclosed('[', ']')
    }

    pub(super) fn skip_optional(&mut self) -> bool {
        let mut found = false;
        while self.optional().is_some() {
            found = true;
        }
        found
    }

    fn enclosed(&mut self, open: char, close: char) -> Option<&'a str> {
        let spaces = self.ahead().len() - self.ahead().trim_start_matches([' ', '\t']).len();
        let after = self.ahead()[spaces..].strip_prefix(open)?;
        let start = self.at + spaces + 1;
        let window = &after[..after.floor_char_boundary(LONGEST_ARGUMENT)];
        let mut depth = 0_usize;
        let mut escaped = false;
        for (at, character) in window.char_indices() {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if character == close && depth == 0 => {
                    self.at = start + at + 1;
                    return Some(&self.text[start..start + at]);
                }
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        self.at = start + window.len();
        Some(window)
    }
}
