//! Maps from the codes of a font to characters, or to glyphs.

use super::object::{Lexer, Object, Token};

/// Entries of one map; a font has at most 65,536 glyphs.
const MAX_ENTRIES: usize = 1 << 17;

#[derive(Debug, Default)]
pub(super) struct CMap {
    /// Length in bytes, first and last code.
    spaces: Vec<(usize, u32, u32)>,
    /// First and last code, and what the first one stands for; sorted by the first code.
    texts: Vec<(u32, u32, Box<[u16]>)>,
    /// First and last code, and the glyph of the first one.
    glyphs: Vec<(u32, u32, u32)>,
}

impl CMap {
    pub(super) fn parse(data: &[u8]) -> CMap {
        let mut map = CMap::default();
        let mut lexer = Lexer::new(data, 0);
        loop {
            match lexer.token() {
                Token::Word(b"begincodespacerange") => map.read_spaces(&mut lexer),
                Token::Word(b"beginbfchar") => map.read_chars(&mut lexer),
                Token::Word(b"beginbfrange") => map.read_ranges(&mut lexer),
                Token::Word(b"begincidchar") => map.read_glyphs(&mut lexer, false),
                Token::Word(b"begincidrange") => map.read_glyphs(&mut lexer, true),
                Token::End => break,
                _ => {}
            }
        }
        // Where ranges overlap the later one counts: a stable sort keeps it behind.
        map.texts.sort_by_key(|(first, ..)| *first);
        map.glyphs.sort_by_key(|(first, ..)| *first);
        map
    }

    fn read_spaces(&mut self, lexer: &mut Lexer) {
        while let (Some((low, length)), Some((high, _))) = (code(lexer), code(lexer)) {
            if self.spaces.len() < 256 {
                self.spaces.push((length, low, high));
            }
        }
    }

    fn read_chars(&mut self, lexer: &mut Lexer) {
        while let Some((code, _)) = code(lexer) {
            let text = match lexer.token() {
                Token::Value(Object::Str(text)) => utf16(&text),
                Token::Value(_) => continue,
                _ => return,
            };
            self.enter(code, code, text);
        }
    }

    fn read_ranges(&mut self, lexer: &mut Lexer) {
        while let (Some((low, _)), Some((high, _))) = (code(lexer), code(lexer)) {
            match lexer.token() {
                Token::Value(Object::Str(text)) => self.enter(low, high, utf16(&text)),
                Token::ArrayStart => {
                    let mut code = low;
                    while let Token::Value(value) = lexer.token() {
                        if let Object::Str(text) = value {
                            self.enter(code, code, utf16(&text));
                        }
                        code = code.saturating_add(1);
                    }
                }
                Token::Value(_) => {}
                _ => return,
            }
        }
    }

    fn read_glyphs(&mut self, lexer: &mut Lexer, range: bool) {
        while let Some((low, _)) = code(lexer) {
            let high = if range { code(lexer).map(|(high, _)| high) } else { Some(low) };
            let (Some(high), Token::Value(glyph)) = (high, lexer.token()) else { return };
            if let Some(glyph) = glyph.int()
                && self.glyphs.len() < MAX_ENTRIES
            {
                self.glyphs.push((low, high, glyph as u32));
            }
        }
    }

    fn enter(&mut self, low: u32, high: u32, text: Box<[u16]>) {
        if self.texts.len() < MAX_ENTRIES && !text.is_empty() {
            self.texts.push((low, high, text));
        }
    }

    pub(super) fn has_texts(&self) -> bool {
        !self.texts.is_empty()
    }

    pub(super) fn text(&self, code: u32) -> Option<String> {
        let after = self.texts.partition_point(|(first, ..)| *first <= code);
        let (first, _, text) = self.texts[..after].iter().rev().take(4).find(|(_, last, _)| *last >= code)?;
        let mut units = text.to_vec();
        let last = units.last_mut()?;
        *last = last.wrapping_add((code - first) as u16);
        let text = String::from_utf16_lossy(&units);
        // Zero and U+FFFD say that the writer did not know either.
        let known = text.chars().all(|c| c != '\0' && c != '\u{fffd}');
        known.then_some(text)
    }

    pub(super) fn glyph(&self, code: u32) -> u32 {
        let after = self.glyphs.partition_point(|(first, ..)| *first <= code);
        let range = self.glyphs[..after].iter().rev().take(4).find(|(_, last, _)| *last >= code);
        range.map_or(code, |(first, _, glyph)| glyph.wrapping_add(code - first))
    }

    /// The first code of a text, and how many bytes it has.
    pub(super) fn next_code(&self, bytes: &[u8]) -> (u32, usize) {
        let mut code = 0;
        for (at, &byte) in bytes.iter().take(4).enumerate() {
            code = code << 8 | u32::from(byte);
            let within = |&&(length, low, high): &&(usize, u32, u32)| length == at + 1 && (low..=high).contains(&code);
            if self.spaces.iter().any(|space| within(&space)) {
                return (code, at + 1);
            }
        }
        let length = self.spaces.iter().map(|(length, ..)| *length).min().unwrap_or(2).clamp(1, 4).min(bytes.len());
        (bytes[..length].iter().fold(0, |code, &byte| code << 8 | u32::from(byte)), length)
    }
}

fn code(lexer: &mut Lexer) -> Option<(u32, usize)> {
    match lexer.token() {
        Token::Value(Object::Str(bytes)) => {
            Some((bytes.iter().take(4).fold(0, |code, &byte| code << 8 | u32::from(byte)), bytes.len()))
        }
        _ => None,
    }
}

fn utf16(bytes: &[u8]) -> Box<[u16]> {
    // One byte is no UTF-16, but is written for ASCII. A ligature is at most some letters long.
    match bytes {
        [byte] => [u16::from(*byte)].into(),
        _ => bytes.chunks_exact(2).take(32).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_become_text() {
        let map = CMap::parse(
            b"1 begincodespacerange <00> <7F> <8000> <FFFF> endcodespacerange
              2 beginbfchar <01> <00660069> <02> <D835DC00> endbfchar
              2 beginbfrange <10> <12> <0041> <20> <21> [<0061> <007A>] endbfrange
              1 begincidrange <8000> <80FF> 100 endcidrange",
        );
        let text = |code| map.text(code).unwrap_or_default();
        assert_eq!([text(1), text(2), text(0x12), text(0x21), text(0x22)], ["fi", "𝐀", "C", "z", ""]);
        assert_eq!(map.glyph(0x8002), 102);
        assert_eq!(map.next_code(&[0x41, 0x80]), (0x41, 1));
        assert_eq!(map.next_code(&[0x80, 0x02]), (0x8002, 2));
    }
}
