//! The vocabulary: words to pieces, the longest first.

use crate::EmbedError;
use crate::words::Word;

/// The number of a piece: its line in the vocabulary.
pub(crate) type PieceId = u16;

/// How a piece that continues a word is marked in the file.
const CONTINUES: &str = "##";
/// The longest piece, in bytes, that lengths can be noted for.
const LONGEST_PIECE: usize = 31;
/// A slot of the table without a piece. No piece has this key, because no piece is empty.
const EMPTY: u64 = 0;

/// The pieces and an open-addressing table over them.
///
/// It is built at every start of the program, so it is made to be built fast, in one to two milliseconds: the text of the
/// vocabulary stays where it is. And it is asked for every word of every text, so most questions are answered by one
/// comparison in one place: a piece of up to seven bytes, as most are, is its own key.
pub(crate) struct Vocab {
    text: &'static str,
    /// Where each line starts, and where one after the last would.
    starts: Vec<u32>,
    /// Keys, as many as a power of two that is at least twice the number of pieces.
    keys: Vec<u64>,
    ids: Vec<PieceId>,
    /// For words and continuations, by their first byte: bit `n` is set if there is a piece of `n` bytes.
    lengths: [[u32; 256]; 2],
    /// Words of one ASCII character, which are about half of all words in code and in Markdown.
    single: [PieceId; 128],
    unknown: PieceId,
}

impl Vocab {
    pub(crate) fn new(text: &'static str, unknown: PieceId) -> Result<Self, EmbedError> {
        let bad = |reason: String| EmbedError::BadModel { file: "vocab.txt", reason };
        let lines = text.bytes().filter(|&b| b == b'\n').count();
        if lines >= usize::from(PieceId::MAX) || usize::from(unknown) >= lines {
            return Err(bad(format!("{lines} lines")));
        }
        let slots = (lines * 2).next_power_of_two();
        let mut vocab = Vocab {
            text,
            starts: Vec::with_capacity(lines + 1),
            keys: vec![EMPTY; slots],
            ids: vec![0; slots],
            lengths: [[0; 256]; 2],
            single: [unknown; 128],
            unknown,
        };
        // A vocabulary of fewer than 65,535 short lines is far below 4 GiB.
        vocab.starts.push(0);
        for (end, _) in text.bytes().enumerate().filter(|&(_, b)| b == b'\n') {
            let id = vocab.len() as PieceId;
            vocab.starts.push(end as u32 + 1);
            vocab.insert(id).map_err(bad)?;
        }
        if vocab.starts.last() != Some(&(text.len() as u32)) {
            return Err(bad("the last line has no end".to_owned()));
        }
        Ok(vocab)
    }

    fn insert(&mut self, id: PieceId) -> Result<(), String> {
        let line = self.line(id);
        let (start, continued) = match line {
            [b'#', b'#', _, ..] => (CONTINUES.len(), true),
            _ => (0, false),
        };
        let bytes = &line[start..];
        if bytes.is_empty() || bytes.len() > LONGEST_PIECE {
            return Err(format!("piece {id} has {} bytes; 1 to {LONGEST_PIECE} are supported", bytes.len()));
        }
        let key = key(&self.text.as_bytes()[self.starts[usize::from(id)] as usize + start..], bytes.len(), continued);
        let mut at = self.slot(key);
        while self.keys[at] != EMPTY {
            if self.keys[at] == key && self.is(self.ids[at], bytes) {
                return Err(format!("piece `{}` occurs twice", self.piece(id)));
            }
            at = (at + 1) & (self.keys.len() - 1);
        }
        self.keys[at] = key;
        self.ids[at] = id;
        self.lengths[usize::from(continued)][usize::from(bytes[0])] |= 1 << bytes.len();
        if let ([byte @ 0..128], false) = (bytes, continued) {
            self.single[usize::from(*byte)] = id;
        }
        Ok(())
    }

    /// Where the search for a key starts.
    fn slot(&self, key: u64) -> usize {
        fold(key) as usize & (self.keys.len() - 1)
    }

    /// The piece of the first `length` bytes.
    fn find(&self, bytes: &[u8], length: usize, continued: bool) -> Option<PieceId> {
        let key = key(bytes, length, continued);
        let mut at = self.slot(key);
        loop {
            let found = self.keys[at];
            if found == key && (length <= SHORT || self.is(self.ids[at], &bytes[..length])) {
                return Some(self.ids[at]);
            }
            if found == EMPTY {
                return None;
            }
            at = (at + 1) & (self.keys.len() - 1);
        }
    }

    /// Whether a piece has these bytes, its mark aside. The key has told whether it continues a word.
    fn is(&self, id: PieceId, bytes: &[u8]) -> bool {
        let line = self.line(id);
        line.ends_with(bytes) && matches!(line.len() - bytes.len(), 0 | 2)
    }

    fn range(&self, id: PieceId) -> std::ops::Range<usize> {
        let id = usize::from(id);
        self.starts[id] as usize..self.starts[id + 1] as usize - 1
    }

    fn line(&self, id: PieceId) -> &'static [u8] {
        &self.text.as_bytes()[self.range(id)]
    }

    /// The text of a piece, with its mark if it continues a word.
    pub(crate) fn piece(&self, id: PieceId) -> &'static str {
        &self.text[self.range(id)]
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn unknown(&self) -> PieceId {
        self.unknown
    }

    pub(crate) fn split(&self, word: &Word, pieces: &mut Vec<PieceId>) {
        let Some((mut bytes, mut length)) = word.bytes() else {
            pieces.push(self.unknown);
            return;
        };
        if let ([byte @ 0..128, ..], 1) = (bytes, length) {
            pieces.push(self.single[usize::from(*byte)]);
            return;
        }
        let mark = pieces.len();
        while length > 0 {
            let Some((id, taken)) = self.longest(bytes, length, pieces.len() > mark) else {
                pieces.truncate(mark);
                pieces.push(self.unknown);
                return;
            };
            pieces.push(id);
            bytes = &bytes[taken..];
            length -= taken;
        }
    }

    /// The longest piece at the start, and its length. Pieces are of bounded length, so this takes constant time.
    ///
    /// A piece is a whole number of characters, so a cut inside a character never equals one.
    fn longest(&self, bytes: &[u8], length: usize, continued: bool) -> Option<(PieceId, usize)> {
        let at_most = u32::MAX >> (LONGEST_PIECE - length.min(LONGEST_PIECE));
        let mut lengths = self.lengths[usize::from(continued)][usize::from(bytes[0])] & at_most;
        while lengths != 0 {
            let length = lengths.ilog2() as usize;
            if let Some(id) = self.find(bytes, length, continued) {
                return Some((id, length));
            }
            lengths &= !(1 << length);
        }
        None
    }
}

/// The longest piece that is its own key.
const SHORT: usize = 7;

/// A key for the first `length` bytes: for short ones the bytes themselves, for longer ones a hash, to be confirmed by
/// comparison. The top byte keeps lengths, continuations and hashes apart.
///
/// What lies behind those bytes does not matter, but it is good to have some: then eight can be read at a time.
fn key(bytes: &[u8], length: usize, continued: bool) -> u64 {
    if length <= SHORT {
        let mask = (1 << (8 * length)) - 1;
        return eight(bytes) & mask | ((length as u64) << 1 | u64::from(continued)) << 56;
    }
    let mut hash = length as u64;
    for at in (0..length - 8).step_by(8) {
        hash = fold(hash ^ eight(&bytes[at..]));
    }
    // The last eight bytes, which may overlap those before.
    hash = fold(hash ^ eight(&bytes[length - 8..]));
    hash >> 8 | (0x80 | u64::from(continued)) << 56
}

/// The first eight bytes, or all there are.
fn eight(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => bytes.iter().rev().fold(0, |eight, &byte| eight << 8 | u64::from(byte)),
    }
}

/// The two halves of a full product, so that every bit of the input reaches the low bits of the result.
fn fold(value: u64) -> u64 {
    let product = u128::from(value ^ 0x2d35_8dcc_aa6c_78a5) * 0x9e37_79b9_7f4a_7c15;
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(vocab: &Vocab, word: &str) -> Vec<&'static str> {
        let mut pieces = Vec::new();
        vocab.split(&Word::of(word), &mut pieces);
        pieces.into_iter().map(|id| vocab.piece(id)).collect()
    }

    #[test]
    fn the_longest_piece_is_taken_and_a_remainder_spoils_the_word() {
        let vocab =
            Vocab::new("[UNK]\na\nab\nabc\n##c\n##cd\n##é\n#\n##\nlongest-\n##pieces\nlonger-than-sixteen\n", 0)
                .unwrap();
        assert_eq!(vocab.len(), 12);
        for (word, pieces) in [
            ("a", &["a"][..]),
            ("abc", &["abc"]),
            ("abcd", &["[UNK]"]),
            ("abcc", &["abc", "##c"]),
            ("aé", &["a", "##é"]),
            ("abé", &["ab", "##é"]),
            ("abccdé", &["abc", "##cd", "##é"]),
            ("c", &["[UNK]"]),
            ("é", &["[UNK]"]),
            ("#", &["#"]),
            ("ax", &["[UNK]"]),
            ("longest-pieces", &["longest-", "##pieces"]),
            ("longestxpieces", &["[UNK]"]),
            ("longer-than-sixteen", &["longer-than-sixteen"]),
            ("longer-than-sixteenc", &["longer-than-sixteen", "##c"]),
            ("lÖnger-than-sixteen", &["[UNK]"]),
            ("c", &["[UNK]"]),
        ] {
            assert_eq!(split(&vocab, word), pieces, "{word}");
        }
    }

    #[test]
    fn damaged_vocabularies_are_refused() {
        let long = format!("{}\n", "x".repeat(32)).leak();
        for (text, message) in [
            ("", "0 lines"),
            ("a\n\nb\n", "piece 1 has 0 bytes"),
            ("a\nb\na\n", "`a` occurs twice"),
            ("a\nb", "the last line has no end"),
            (long, "has 32 bytes"),
        ] {
            let error = Vocab::new(text, 0).err().unwrap().to_string();
            assert!(error.contains(message), "{text:?}: {error}");
        }
    }
}
