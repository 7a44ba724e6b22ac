//! From a text to its grams: one case, runs of three bytes, each once.

/// A run of three folded bytes, the first in the highest place.
pub(crate) type Gram = u32;

const GRAMS: usize = 1 << 24;

/// Changed when the folding or the cutting below changes; the tables of Unicode are accounted for on their own.
pub(crate) const FOLD_VERSION: u8 = 1;

/// What decides the grams of a text, packed to be compared: files with another value have to be rebuilt.
pub(crate) fn fold_stamp() -> u32 {
    let (major, minor, patch) = char::UNICODE_VERSION;
    u32::from_be_bytes([FOLD_VERSION, major, minor, patch])
}

/// The one character that stands for all that patterns seldom tell apart.
///
/// Case goes through the upper case and back, so that `ſ` and `s`, `K` (Kelvin) and `k`, `ς` and `σ` fall together; only
/// characters with a single counterpart are mapped. White space other than a line end is one character, and so are the
/// digits beyond ASCII (as `0`): that makes `\s` one string and `\d` ten, few enough for a pattern to be planned by them.
/// No correctness hangs on any of this, only that texts and patterns are folded alike.
pub(crate) fn fold_char(c: char) -> char {
    if c.is_ascii() {
        return char::from(FOLDED[c as usize]);
    }
    if c.is_whitespace() {
        return ' ';
    }
    if c.is_numeric() {
        return '0';
    }
    let upper = single(c.to_uppercase(), c);
    single(upper.to_lowercase(), upper)
}

/// The same for ASCII.
pub(crate) const FOLDED: [u8; 128] = {
    let mut folded = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        folded[byte] = match byte as u8 {
            b'\t' | 0x0b | 0x0c | b'\r' => b' ',
            other => other.to_ascii_lowercase(),
        };
        byte += 1;
    }
    folded
};

fn single(mut mapped: impl Iterator<Item = char>, otherwise: char) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => one,
        _ => otherwise,
    }
}

pub(crate) fn fold_str(text: &str) -> Vec<u8> {
    let mut folded = Vec::with_capacity(text.len());
    for c in text.chars() {
        folded.extend_from_slice(fold_char(c).encode_utf8(&mut [0; 4]).as_bytes());
    }
    folded
}

/// In place of a gram: the text holds a character beyond ASCII. No gram has this value, because it has a line end in it.
pub(crate) const BEYOND_ASCII: Gram = 0x000a_0aff;

/// The grams of folded bytes, sorted, each once. Grams across a line end are in no index, because no match by lines can
/// need them.
pub(crate) fn grams_of_folded(folded: &[u8]) -> Vec<Gram> {
    let mut grams: Vec<Gram> = folded
        .windows(3)
        .map(|w| Gram::from_be_bytes([0, w[0], w[1], w[2]]))
        .filter(|&gram| !crosses_line(gram))
        .collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}

fn crosses_line(gram: Gram) -> bool {
    gram.to_be_bytes().contains(&b'\n')
}

/// The grams of one text, each once, to be handed to [`Update::add_grams`](crate::Update::add_grams).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grams(pub(crate) Vec<Gram>);

/// A length known when compiling: no place of a gram needs to be checked against it.
type Seen = [u64; GRAMS / 64];

/// Cuts texts into grams. Keeps two megabytes of notes, so make one per thread and use it for many texts.
#[derive(Debug)]
pub struct Extractor {
    /// One bit per possible gram: seen in this text. All clear between texts.
    seen: Box<Seen>,
}

impl Default for Extractor {
    fn default() -> Self {
        Extractor::new()
    }
}

impl Extractor {
    pub fn new() -> Self {
        // By way of a vector, because an array of this size would first be built on the stack.
        let seen = vec![0; GRAMS / 64].into_boxed_slice().try_into();
        Extractor { seen: seen.unwrap_or_else(|_| Box::new([0; GRAMS / 64])) }
    }

    /// The grams of a text, in the order in which they first occur.
    pub fn grams(&mut self, text: &str) -> Grams {
        // Distinct grams grow much slower than the text; this is enough for most source files.
        let mut cut =
            Cut { seen: &mut self.seen, found: Vec::with_capacity((text.len() / 4).min(4096)), window: LINE_ENDS };
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if let Some(&folded) = FOLDED.get(usize::from(byte)) {
                cut.push(folded);
                at += 1;
            } else {
                let Some(c) = text[at..].chars().next() else { break };
                for &byte in fold_char(c).encode_utf8(&mut [0; 4]).as_bytes() {
                    cut.push(byte);
                }
                at += c.len_utf8();
            }
        }
        let mut found = cut.found;
        for &gram in &found {
            self.seen[gram as usize / 64] = 0;
        }
        found.retain(|&gram| !crosses_line(gram));
        if !text.is_ascii() {
            found.push(BEYOND_ASCII);
        }
        Grams(found)
    }
}

/// What stands before a text: grams that reach into it are dropped like those across a line end.
const LINE_ENDS: Gram = 0x000a_0a0a;

struct Cut<'a> {
    seen: &'a mut Seen,
    found: Vec<Gram>,
    window: Gram,
}

impl Cut<'_> {
    #[inline]
    fn push(&mut self, byte: u8) {
        self.window = (self.window << 8 | Gram::from(byte)) & 0x00ff_ffff;
        let word = &mut self.seen[self.window as usize / 64];
        let bit = 1u64 << (self.window % 64);
        if *word & bit == 0 {
            *word |= bit;
            self.found.push(self.window);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_patterns_seldom_tell_apart_folds_alike() {
        for (a, b) in [('S', 'ſ'), ('k', '\u{212A}'), ('ς', 'Σ'), ('µ', 'μ'), ('Ä', 'ä'), ('ẞ', 'ß'), ('Å', '\u{212B}')]
        {
            assert_eq!(fold_char(a), fold_char(b), "{a} {b}");
        }
    }

    #[test]
    fn no_gram_reaches_across_a_line_end_or_out_of_the_text() {
        let mut extractor = Extractor::new();
        assert_eq!(extractor.grams("ab\ncd"), Grams(vec![]));
        assert_eq!(extractor.grams("abc\nxyz"), Grams(vec![0x61_6263, 0x78_797a]));
        assert_eq!(extractor.grams(""), Grams(vec![]));
        assert_eq!(extractor.grams("aaaaaaa"), Grams(vec![0x61_6161]));
    }

    proptest! {
        /// The fast way over a text and the plain way over folded bytes agree, and one text leaves nothing for the next.
        #[test]
        fn the_fast_way_agrees_with_the_plain_way(texts in proptest::collection::vec("[a-cA-CſKςäß\n€ ]{0,40}|\\PC{0,20}", 1..4)) {
            let mut extractor = Extractor::new();
            for text in texts {
                let mut fast = extractor.grams(&text).0;
                fast.sort_unstable();
                prop_assert_eq!(fast.contains(&BEYOND_ASCII), !text.is_ascii());
                fast.retain(|&gram| gram != BEYOND_ASCII);
                prop_assert_eq!(fast, grams_of_folded(&fold_str(&text)));
            }
        }
    }
}
