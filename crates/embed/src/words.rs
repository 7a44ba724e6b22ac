//! Text to words: camelCase boundaries, BERT's uncased normalisation, white space and punctuation.
//!
//! Most text is ASCII, where all of this is one look into a table per byte. What is not ASCII goes, a run of it at a time,
//! through the general steps. That is exact, because an ASCII character is never changed, moved or joined by any of them,
//! so nothing reaches across one.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

/// A word of more characters than this is not looked up.
const LONGEST_WORD: usize = 100;

/// A normalised word, or as much of it as is needed to know that it is too long.
pub(crate) struct Word {
    /// Room for the longest word in four-byte characters.
    buffer: [u8; LONGEST_WORD * 4],
    length: usize,
    characters: usize,
}

impl Word {
    pub(crate) fn new() -> Self {
        Word { buffer: [0; LONGEST_WORD * 4], length: 0, characters: 0 }
    }

    /// Bytes that start with the word, and how many of them are the word; `None` if it is too long.
    ///
    /// What lies behind the word is left in, so that its last bytes can be read with the same instruction as any.
    pub(crate) fn bytes(&self) -> Option<(&[u8], usize)> {
        (self.characters <= LONGEST_WORD).then_some((&self.buffer[..], self.length))
    }

    fn clear(&mut self) {
        self.length = 0;
        self.characters = 0;
    }

    fn push_ascii(&mut self, run: &[u8]) {
        self.characters += run.len();
        if self.characters <= LONGEST_WORD {
            let room = &mut self.buffer[self.length..self.length + run.len()];
            for (lower, byte) in room.iter_mut().zip(run) {
                *lower = byte.to_ascii_lowercase();
            }
            self.length += run.len();
        }
    }

    fn push(&mut self, c: char) {
        self.characters += 1;
        if self.characters <= LONGEST_WORD {
            self.length += c.encode_utf8(&mut self.buffer[self.length..]).len();
        }
    }

    #[cfg(test)]
    pub(crate) fn of(text: &str) -> Self {
        let mut word = Word::new();
        text.chars().for_each(|c| word.push(c));
        word
    }
}

/// What a byte does to the word it stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// `[a-z0-9]`: part of a word, after which a capital starts a new one.
    Small,
    /// `[A-Z]`.
    Capital,
    Space,
    Punctuation,
    /// A control character: not there.
    Dropped,
    /// Part of a character that is not ASCII.
    Wide,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Wide; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'0'..=b'9' => Class::Small,
            b'A'..=b'Z' => Class::Capital,
            b' ' | b'\t' | b'\n' | b'\r' => Class::Space,
            c if c.is_ascii_punctuation() => Class::Punctuation,
            _ => Class::Dropped,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> Class {
    CLASSES[usize::from(byte)]
}

/// Calls `emit` with each word of a text, in order.
pub(crate) fn words(text: &str, word: &mut Word, mut emit: impl FnMut(&Word)) {
    let bytes = text.as_bytes();
    word.clear();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match class(bytes[at]) {
            Class::Small | Class::Capital => {
                // Up to a camelCase boundary: capitals, then what is small. A capital behind something small can only
                // stand at the start of such a run.
                if class(bytes[at]) == Class::Capital && at > 0 && class(bytes[at - 1]) == Class::Small {
                    end_word(word, &mut emit);
                }
                while at < bytes.len() && class(bytes[at]) == Class::Capital {
                    at += 1;
                }
                while at < bytes.len() && class(bytes[at]) == Class::Small {
                    at += 1;
                }
                word.push_ascii(&bytes[start..at]);
            }
            Class::Space => {
                end_word(word, &mut emit);
                at += 1;
            }
            Class::Punctuation => {
                end_word(word, &mut emit);
                at += 1;
                word.push_ascii(&bytes[start..at]);
                end_word(word, &mut emit);
            }
            Class::Dropped => at += 1,
            Class::Wide => {
                // A control character is taken along: it is dropped before accents are put in order, so order may
                // reach across it.
                while at < bytes.len() && matches!(class(bytes[at]), Class::Wide | Class::Dropped) {
                    at += 1;
                }
                wide_run(&text[start..at], word, &mut emit);
            }
        }
    }
    end_word(word, &mut emit);
}

fn end_word(word: &mut Word, emit: &mut impl FnMut(&Word)) {
    if word.characters > 0 {
        emit(word);
        word.clear();
    }
}

/// The general steps, for a run without ASCII letters, digits, punctuation or spaces.
fn wide_run(run: &str, word: &mut Word, emit: &mut impl FnMut(&Word)) {
    let cleaned = run.chars().filter(|&c| !is_dropped(c));
    let spaced = cleaned.flat_map(|c| {
        let space = is_cjk(c).then_some(' ');
        [space, Some(c), space].into_iter().flatten()
    });
    for c in spaced.nfd() {
        if c.is_whitespace() {
            end_word(word, emit);
            continue;
        }
        match get_general_category(c) {
            GeneralCategory::NonspacingMark => {}
            category if c.is_ascii_punctuation() || category.abbreviation().starts_with('P') => {
                end_word(word, emit);
                word.push(c);
                end_word(word, emit);
            }
            _ => c.to_lowercase().for_each(|c| word.push(c)),
        }
    }
}

/// Control, format and private-use characters, and the mark of a broken encoding. White space is not among them, except
/// for the control characters that Unicode calls white space (U+0085).
fn is_dropped(c: char) -> bool {
    c == '\u{fffd}'
        || matches!(
            get_general_category(c),
            GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse
        )
}

/// The blocks of ideographs, each of which is a word. Kana and Hangul are written in words and not among them.
fn is_cjk(c: char) -> bool {
    matches!(
        u32::from(c),
        0x4e00..=0x9fff
            | 0x3400..=0x4dbf
            | 0x2_0000..=0x2_a6df
            | 0x2_a700..=0x2_b73f
            | 0x2_b740..=0x2_b81f
            | 0x2_b820..=0x2_ceaf
            | 0xf900..=0xfaff
            | 0x2_f800..=0x2_fa1f
    )
}

#[cfg(test)]
#[path = "words_tests.rs"]
pub(crate) mod slow;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fast(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        words(text, &mut Word::new(), |word| {
            let bytes = word.bytes().map(|(bytes, length)| bytes[..length].to_vec());
            found.push(bytes.map_or("too long".to_owned(), |bytes| String::from_utf8(bytes).unwrap()));
        });
        found
    }

    fn expected(text: &str) -> Vec<String> {
        let cut = |word: String| if word.chars().count() > LONGEST_WORD { "too long".to_owned() } else { word };
        slow::words(text).into_iter().map(cut).collect()
    }

    #[test]
    fn words_are_cut_and_normalised() {
        for (text, expected) in [
            ("getUserById2X", "get user by id2 x"),
            ("HTTPServer aB", "httpserver a b"),
            ("snake_case-x", "snake _ case - x"),
            ("naïve CAFÉ — Straße", "naive cafe — straße"),
            ("a\u{c}B c\u{0}D", "ab cd"),
            ("x\u{a0}y\u{2028}z\u{85}w", "x y zw"),
            ("日本語 ドキュ", "日 本 語 トキュ"),
            ("K\u{212a}\u{37e}a", "kk ; a"),
            ("éA aé", "ea ae"),
            ("soft\u{ad}hyphen zero\u{200b}width \u{feff}bom", "softhyphen zerowidth bom"),
            ("«quoted» “x”…", "« quoted » “ x ” …"),
            ("İI", "ii"),
            ("", ""),
        ] {
            assert_eq!(fast(text).join(" "), expected, "{text:?}");
        }
    }

    #[test]
    fn the_limit_counts_characters() {
        for (letter, other) in [("x", "y"), ("ж", "x"), ("\u{1f680}", "x")] {
            assert_eq!(fast(&letter.repeat(100)), [letter.repeat(100)]);
            assert_eq!(fast(&format!("{} {other}", letter.repeat(101))), ["too long", other]);
            assert_eq!(fast(&format!("{}{other}", letter.repeat(100))), ["too long"]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn fast_equals_slow(text in any::<String>()) {
            prop_assert_eq!(fast(&text), expected(&text));
        }

        #[test]
        fn fast_equals_slow_where_things_meet(
            text in "([a-cA-C0-1 ,_\u{0}\u{1}\u{c}\n\u{7f}]|[\u{300}-\u{330}\u{302e}\u{1b44}\u{3099}éÉßİǅΣ\u{37e}\u{1fef}\u{2000}\u{212a}]|[一\u{f900}\u{2f800}がハ한—«\u{200d}\u{ad}\u{fffd}\u{e000}\u{85}🚀]){0,40}"
        ) {
            prop_assert_eq!(fast(&text), expected(&text));
        }

        #[test]
        fn fast_equals_slow_around_the_limit(parts in proptest::collection::vec("[aBé]{1}[a-z]{0,60}|[ж]{90,110}", 1..5)) {
            let text = parts.concat();
            prop_assert_eq!(fast(&text), expected(&text));
        }
    }
}
