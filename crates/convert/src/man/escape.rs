//! What stands within a line of roff: fonts, named characters, strings, motions.

use super::glyphs::glyph;
use super::reader::{Reader, name_of};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Font {
    #[default]
    Roman,
    Bold,
    Italic,
}

/// The font in force and the one before it, which `\fP` goes back to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Fonts {
    now: Font,
    before: Font,
}

impl Fonts {
    pub(super) fn set(&mut self, name: &str) {
        let font = match name {
            "B" | "3" | "CB" | "BI" | "4" | "CBI" | "SB" => Font::Bold,
            "I" | "2" | "CI" => Font::Italic,
            "P" | "" => self.before,
            _ => Font::Roman,
        };
        (self.before, self.now) = (self.now, font);
    }
}

/// Text in one font.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub font: Font,
    pub text: String,
}

/// A line that was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Inline {
    pub runs: Vec<Run>,
    /// Whether what follows belongs to the last word: the line ended in `\c`.
    pub goes_on: bool,
}

/// How deep strings may stand in strings.
const DEEPEST: usize = 8;

pub(super) fn read(raw: &str, reader: &mut Reader<'_>, fonts: &mut Fonts) -> Inline {
    let mut inline = Inline::default();
    read_into(raw, reader, fonts, &mut inline, 0);
    inline
}

/// A line without its fonts.
pub(super) fn plain(raw: &str, reader: &mut Reader<'_>) -> String {
    let mut fonts = Fonts::default();
    read(raw, reader, &mut fonts).runs.into_iter().map(|run| run.text).collect()
}

impl Inline {
    pub(super) fn push(&mut self, font: Font, text: &str) {
        match self.runs.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if last.font == font => last.text.push_str(text),
            _ => self.runs.push(Run { font, text: text.to_owned() }),
        }
    }

    pub(super) fn plain(&self) -> String {
        self.runs.iter().map(|run| run.text.as_str()).collect()
    }

    /// The text with marks for its fonts, wherever Markdown would read them as such.
    pub(super) fn marked(&self) -> String {
        let mut out = String::new();
        for (index, run) in self.runs.iter().enumerate() {
            let words = run.text.trim();
            let next = run.text[run.text.trim_end().len()..].chars().next();
            let next = next.or_else(|| self.runs.get(index + 1).and_then(|next| next.text.chars().next()));
            let lead = &run.text[..run.text.len() - run.text.trim_start().len()];
            out.push_str(lead);
            let before = out.chars().next_back();
            let mark = match run.font {
                _ if words.is_empty() || words.contains(['*', '`']) => "",
                _ if !before.is_none_or(opens) || !next.is_none_or(closes) => "",
                Font::Roman => "",
                Font::Bold => "**",
                Font::Italic => "*",
            };
            out.push_str(mark);
            out.push_str(words);
            out.push_str(mark);
            if !words.is_empty() {
                out.push_str(&run.text[run.text.trim_end().len()..]);
            }
        }
        out
    }
}

fn opens(character: char) -> bool {
    character.is_whitespace() || "([{<\"'|,=/:".contains(character)
}

fn closes(character: char) -> bool {
    character.is_whitespace() || ")]}>\"'|,=/:.;!?([".contains(character)
}

fn read_into(raw: &str, reader: &mut Reader<'_>, fonts: &mut Fonts, inline: &mut Inline, depth: usize) {
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        inline.push(fonts.now, &rest[..at]);
        rest = &rest[at + 1..];
        let Some(first) = rest.chars().next() else { break };
        let after = &rest[first.len_utf8()..];
        rest = after;
        match first {
            'f' => {
                let (name, length) = name_of(after);
                fonts.set(name);
                rest = &after[length..];
            }
            '(' | '[' => {
                let (name, length) = name_of(&raw[raw.len() - after.len() - 1..]);
                inline.push(fonts.now, &glyph(name));
                rest = &after[length - 1..];
            }
            '*' => {
                let (name, length) = name_of(after);
                rest = &after[length..];
                let name = name.split(' ').next().unwrap_or(name);
                if depth < DEEPEST
                    && let Some(value) = reader.string(name)
                {
                    read_into(&value, reader, fonts, inline, depth + 1);
                }
            }
            'n' => {
                let (name, length) = name_of(after);
                let value = reader.registers.get(name).copied().unwrap_or(0);
                inline.push(fonts.now, &value.to_string());
                rest = &after[length..];
            }
            's' => rest = after_size(after),
            'C' | 'N' | 'Z' | 'o' | 'b' => {
                let (inside, length) = quoted(after);
                rest = &after[length..];
                match first {
                    'C' => inline.push(fonts.now, &glyph(inside)),
                    'N' => inline.push(fonts.now, &glyph(&format!("char{inside}"))),
                    'o' => inline.push(fonts.now, &inside.chars().take(1).collect::<String>()),
                    _ if depth < DEEPEST => read_into(inside, reader, fonts, inline, depth + 1),
                    _ => {}
                }
            }
            'h' | 'v' | 'w' | 'l' | 'L' | 'D' | 'x' | 'X' | 'A' | 'B' | 'H' | 'S' | 'R' => {
                let (inside, length) = quoted(after);
                rest = &after[length..];
                // A step to the right stands for a space; steps back and overlays for nothing.
                if first == 'h' && !inside.starts_with('-') && !inside.is_empty() && inside != "0" {
                    inline.push(fonts.now, " ");
                }
            }
            'm' | 'M' | 'F' | 'g' | 'k' | 'V' | 'Y' | 'O' => rest = &after[name_of(after).1..],
            'z' => {}
            'c' => {
                inline.goes_on = true;
                return;
            }
            '"' | '#' => return,
            'e' | '\\' => inline.push(fonts.now, "\\"),
            ' ' | '~' | '0' => inline.push(fonts.now, " "),
            't' => inline.push(fonts.now, "\t"),
            '&' | '|' | '^' | '/' | ',' | ')' | '%' | ':' | 'd' | 'u' | 'r' | 'p' | 'a' | '{' | '}' | '!' | '?'
            | 'E' => {}
            '\'' => inline.push(fonts.now, "'"),
            other => inline.push(fonts.now, other.encode_utf8(&mut [0; 4])),
        }
    }
    inline.push(fonts.now, rest);
}

/// The text between delimiters, and how many bytes it takes with them.
fn quoted(text: &str) -> (&str, usize) {
    let Some(delimiter) = text.chars().next() else { return ("", 0) };
    let width = delimiter.len_utf8();
    let mut escaped = false;
    for (at, character) in text[width..].char_indices() {
        if character == delimiter && !escaped {
            return (&text[width..width + at], width + at + width);
        }
        escaped = character == '\\' && !escaped;
    }
    // Without an end only the delimiter is taken, so that no text is lost.
    ("", width)
}

/// What follows a size: `\s-2`, `\s+(10`, `\s'10'`, `\s[10]`.
fn after_size(text: &str) -> &str {
    let unsigned = text.trim_start_matches(['+', '-']);
    match unsigned.chars().next() {
        Some('\'') => &unsigned[quoted(unsigned).1..],
        Some('(' | '[') => &unsigned[name_of(unsigned).1..],
        Some('1'..='3') if unsigned.len() == text.len() && unsigned[1..].starts_with(|c: char| c.is_ascii_digit()) => {
            &unsigned[2..]
        }
        Some('0'..='9') => &unsigned[1..],
        _ => unsigned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        for (raw, expected) in [
            (r"a\-b \(em \[bu] \e \&.x \'x\'", "a-b — • \\ .x 'x'"),
            (r"\fBbold\fP and \fIit\fR \f[B]x\f[] y", "**bold** and *it* **x** y"),
            (r"\fB\-a\fR[=\fIfile\fR]", "**-a**[=*file*]"),
            (r"\fBa\fIb\fRc", "abc"),
            (r"\s-2small\s0 \s'10'x\s+(10y", "small xy"),
            (r#"\*(L"q\*(R" \*(Aq \*[nope]z"#, "\"q\" ' z"),
            (r"a\h'4'b\v'-1'c\w'x'd \n(.g", "a bcd 1"),
            (r"x\|y\^z\ w\~v\0u \N'65' \C'em'", "xyz w v u A —"),
            ("tail\\\" comment", "tail"),
            (r"**\fBa*\fR", "**a*"),
            (r"\", ""),
            (r"\f", ""),
            (r"\(", ""),
            (r"\[é", ""),
            (r"\(é", "é"),
            (r"\h'é", "é"),
        ] {
            let mut reader = Reader::new("", |_| false);
            let mut fonts = Fonts::default();
            assert_eq!(read(raw, &mut reader, &mut fonts).marked(), expected, "{raw}");
        }
    }
}
