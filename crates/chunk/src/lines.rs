//! Lines as the scanners see them: their text without its end, and where they start and end.

use ai_assist_base::Rounds;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// Byte offset of its first character.
    pub start: usize,
    /// Byte offset after its line end.
    pub end: usize,
    /// Its text without `\n` or `\r\n`.
    pub text: &'a str,
}

impl<'a> Line<'a> {
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim_ascii_start().is_empty()
    }

    /// The column of its first character that is not white space, a tab going on to the next multiple of four, and the
    /// text from there.
    pub(crate) fn indented(&self) -> (usize, &'a str) {
        indented(self.text)
    }
}

pub(crate) fn indented(text: &str) -> (usize, &str) {
    let mut column = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b' ' => column += 1,
            b'\t' => column = (column / 4 + 1) * 4,
            _ => return (column, &text[at..]),
        }
    }
    (column, "")
}

/// The lines of `text` from the byte offset `from`, which must be the start of one. They end where the work is stopped.
pub(crate) fn lines_from(text: &str, from: usize) -> impl Iterator<Item = Line<'_>> + Clone {
    let mut start = from;
    let mut rounds = Rounds::default();
    let wanted = move |_: &&str| !rounds.stopped();
    text[from..].split_inclusive('\n').take_while(wanted).map(move |whole| {
        let line = Line { start, end: start + whole.len(), text: without_end(whole) };
        start = line.end;
        line
    })
}

fn without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// If a line is nothing but one ASCII punctuation character, at least `least` times: that character.
pub(crate) fn rule_of(text: &str, least: usize) -> Option<u8> {
    let text = text.trim_ascii_end().as_bytes();
    let &first = text.first()?;
    (text.len() >= least && first.is_ascii_punctuation() && text.iter().all(|&byte| byte == first)).then_some(first)
}
