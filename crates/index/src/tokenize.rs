//! Text to terms, for documents and queries alike.
//!
//! A word is a run of letters, digits and `_`. An identifier gives its parts and itself: `parseHttpRequest` and
//! `parse_http_request` both give `parsehttprequest`, `pars`, `http`, `request`. Parts are lower-cased, stripped of accents
//! and stemmed (Snowball, English); a compound as a whole is not stemmed. A word that says nothing by itself, such as `the`,
//! gives no term but keeps its place, so that a phrase around it still matches. Chinese, Japanese and Korean text gives
//! overlapping pairs of characters.

use ai_assist_base::Cancel;
use frostem::{Algorithm, Stemmer};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Raised whenever one text may give other terms than before.
pub const TOKENIZER_VERSION: u32 = 1;

pub(crate) const TOKENIZER_NAME: &str = "ai-assist";

/// Longer runs are hashes, keys or encoded data: nobody searches for them by word.
const MAX_TERM: usize = 64;

/// The terms of a text with their positions, each as often as it occurs.
pub fn terms_of(text: &str) -> Vec<(String, usize)> {
    TOKENIZER.with_borrow_mut(|tokenizer| {
        let mut stream = tokenizer.token_stream(text);
        let mut terms = Vec::new();
        while stream.advance() {
            terms.push((stream.token().text.clone(), stream.token().position));
        }
        terms
    })
}

thread_local! {
    /// Kept for its memory of stems: a snippet asks for the terms of every single word.
    static TOKENIZER: std::cell::RefCell<CodeTokenizer> = std::cell::RefCell::default();
}

fn is_stop_word(lower_case: &str) -> bool {
    lower_case.len() <= LONGEST_STOP_WORD && STOP_WORDS.binary_search(&lower_case).is_ok()
}

const LONGEST_STOP_WORD: usize = 7;

/// Sorted, for the binary search.
const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been", "being", "but", "by",
    "can", "could", "did", "do", "does", "doing", "for", "from", "had", "has", "have", "having", "he", "her", "here",
    "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "me", "my", "of", "on", "or", "our",
    "she", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "to", "too", "us", "very", "was", "we", "were", "what", "when", "where", "which", "while", "who",
    "whom", "why", "will", "with", "would", "you", "your",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Underscore,
    /// A character that is a word by itself: Chinese, Japanese, Korean.
    Ideograph,
    Outside,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        '_' => Class::Underscore,
        _ if c.is_ascii() => Class::Outside,
        _ if is_ideograph(c) => Class::Ideograph,
        _ if c.is_uppercase() => Class::Upper,
        _ if c.is_numeric() => Class::Digit,
        _ if c.is_alphabetic() || is_combining_mark(c) => Class::Lower,
        _ => Class::Outside,
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c),
        0x3040..=0x30ff | 0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff
        | 0xff66..=0xff9f | 0x20000..=0x3ffff)
}

/// How a byte is looked at when the next word is sought.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Outside,
    Word,
    /// Part of a character that is not ASCII: what class that has decides.
    Wide,
}

const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Wide; 256];
    let mut byte = 0;
    while byte < 128 {
        let word = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        kinds[byte] = if word { Kind::Word } else { Kind::Outside };
        byte += 1;
    }
    kinds
};

/// The first byte from `at` on that is not of a kind, or the end.
fn end_of(kind: Kind, bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&byte| KINDS[usize::from(byte)] != kind).map_or(bytes.len(), |more| at + more)
}

/// One term of a word: where it stands in the buffer, in the word, and in the order of words, from the word's first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Piece {
    buffer: (usize, usize),
    text: (usize, usize),
    place: usize,
}

/// What a word gives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Terms {
    buffer: String,
    pieces: Vec<Piece>,
    /// How many places it takes in the order of words.
    places: usize,
}

impl Terms {
    fn clear(&mut self) {
        self.buffer.clear();
        self.pieces.clear();
        self.places = 0;
    }

    fn pairs(&mut self, word: &str) {
        let mut before: Option<(usize, char)> = None;
        for (offset, c) in word.char_indices() {
            if let Some((start, first)) = before {
                self.chars(&[first, c], (start, offset + c.len_utf8()));
            }
            before = Some((offset, c));
        }
        if self.pieces.is_empty()
            && let Some((start, c)) = before
        {
            self.chars(&[c], (start, word.len()));
        }
    }

    fn chars(&mut self, chars: &[char], text: (usize, usize)) {
        let start = self.buffer.len();
        self.buffer.extend(chars);
        self.pieces.push(Piece { buffer: (start, self.buffer.len()), text, place: self.places });
        self.places += 1;
    }

    fn identifier(&mut self, word: &str, stems: &mut Stems) {
        let mut parts = Parts { word, at: 0 }.peekable();
        let Some(first) = parts.next() else { return };
        if parts.peek().is_none() {
            self.part(word, first, true, stems);
            return;
        }
        // The whole goes first, at the place of its first part, so that a phrase of its parts matches too.
        for part in word.split('_') {
            fold_into(part, &mut self.buffer);
            if self.buffer.len() > MAX_TERM {
                break;
            }
        }
        let length = self.buffer.len();
        if (1..=MAX_TERM).contains(&length) {
            self.pieces.push(Piece { buffer: (0, length), text: (0, word.len()), place: 0 });
        } else {
            self.buffer.clear();
        }
        self.part(word, first, false, stems);
        for part in parts {
            self.part(word, part, false, stems);
        }
    }

    /// Adds a part. One that stands `alone`, outside an identifier, may be a stop word.
    fn part(&mut self, word: &str, text: (usize, usize), alone: bool, stems: &mut Stems) {
        if text.1 - text.0 <= MAX_TERM {
            let start = self.buffer.len();
            fold_into(&word[text.0..text.1], &mut self.buffer);
            if alone && is_stop_word(&self.buffer[start..]) {
                self.buffer.truncate(start);
            } else if self.buffer[start..].bytes().all(|b| b.is_ascii_lowercase()) {
                stems.stem_end_of(&mut self.buffer, start);
            }
            if self.buffer.len() > start {
                self.pieces.push(Piece { buffer: (start, self.buffer.len()), text, place: self.places });
            }
        }
        self.places += 1;
    }
}

/// The tokenizer of every word field.
#[derive(Clone)]
pub(crate) struct CodeTokenizer {
    stems: Stems,
    known: Known,
    terms: Terms,
    token: Token,
    cancel: Cancel,
}

impl Default for CodeTokenizer {
    fn default() -> Self {
        CodeTokenizer::until(Cancel::default())
    }
}

impl CodeTokenizer {
    /// One to which every text is empty once the work is cancelled: thousands of them may wait for the engine's threads, which
    /// hear nothing else.
    pub(crate) fn until(cancel: Cancel) -> Self {
        let (known, terms, token) = (Known::default(), Terms::default(), Token::default());
        CodeTokenizer { stems: Stems::new(), known, terms, token, cancel }
    }

    fn read_ascii(&mut self, word: &str) {
        let CodeTokenizer { stems, known, terms, .. } = self;
        match Key::of(word) {
            Some(key) => {
                if !known.recall(&key, terms) {
                    terms.identifier(word, stems);
                    known.keep(&key, terms);
                }
            }
            None => terms.identifier(word, stems),
        }
    }
}

impl Tokenizer for CodeTokenizer {
    type TokenStream<'a> = CodeTokenStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> CodeTokenStream<'a> {
        self.terms.clear();
        let text = if self.cancel.is_cancelled() { "" } else { text };
        CodeTokenStream { text, word: (0, 0), place: 0, next: 0, tokenizer: self }
    }
}

pub(crate) struct CodeTokenStream<'a> {
    text: &'a str,
    /// Where the word at hand stands, and its first place among all words.
    word: (usize, usize),
    place: usize,
    next: usize,
    tokenizer: &'a mut CodeTokenizer,
}

impl TokenStream for CodeTokenStream<'_> {
    fn advance(&mut self) -> bool {
        loop {
            let CodeTokenizer { terms, token, .. } = &mut *self.tokenizer;
            if let Some(piece) = terms.pieces.get(self.next) {
                self.next += 1;
                token.text.clear();
                token.text.push_str(&terms.buffer[piece.buffer.0..piece.buffer.1]);
                (token.offset_from, token.offset_to) = (self.word.0 + piece.text.0, self.word.0 + piece.text.1);
                token.position = self.place + piece.place;
                return true;
            }
            if !self.read_word() {
                return false;
            }
        }
    }

    fn token(&self) -> &Token {
        &self.tokenizer.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokenizer.token
    }
}

impl CodeTokenStream<'_> {
    /// Reads the terms of the next word. False at the end of the text.
    fn read_word(&mut self) -> bool {
        self.next = 0;
        self.place += self.tokenizer.terms.places;
        self.tokenizer.terms.clear();
        let bytes = self.text.as_bytes();
        let from = end_of(Kind::Outside, bytes, self.word.1);
        let end = end_of(Kind::Word, bytes, from);
        if from < end && bytes.get(end).is_none_or(|&byte| byte.is_ascii()) {
            self.word = (from, end);
            self.tokenizer.read_ascii(&self.text[from..end]);
            return true;
        }
        let rest = &self.text[from..];
        let Some((start, first)) = rest.char_indices().find(|&(_, c)| class(c) != Class::Outside) else {
            self.word = (self.text.len(), self.text.len());
            return false;
        };
        let ideographs = class(first) == Class::Ideograph;
        let length = rest[start..]
            .char_indices()
            .find(|&(_, c)| {
                let class = class(c);
                class == Class::Outside || (class == Class::Ideograph) != ideographs
            })
            .map_or(rest.len() - start, |(end, _)| end);
        self.word = (from + start, from + start + length);
        let word = &self.text[self.word.0..self.word.1];
        let CodeTokenizer { terms, stems, .. } = &mut *self.tokenizer;
        if ideographs {
            terms.pairs(word);
        } else {
            terms.identifier(word, stems);
        }
        true
    }
}

/// A short word of ASCII, with zeros behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key([u64; Key::LONGEST / 8]);

impl Key {
    const LONGEST: usize = 24;

    fn of(word: &str) -> Option<Key> {
        let mut bytes = [0; Key::LONGEST];
        bytes.get_mut(..word.len())?.copy_from_slice(word.as_bytes());
        let (eights, _) = bytes.as_chunks::<8>();
        let mut key = [0; Key::LONGEST / 8];
        key.iter_mut().zip(eights).for_each(|(part, eight)| *part = u64::from_le_bytes(*eight));
        Some(Key(key))
    }

    fn slot(&self) -> usize {
        let hash =
            self.0.iter().fold(0_u64, |hash, part| (hash.rotate_left(23) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        (hash >> (64 - Known::BITS)) as usize
    }
}

/// What short words gave. Text repeats its words, and to look one up costs a fraction of what it costs to take it apart.
#[derive(Clone, Default)]
struct Known {
    /// By the word's hash; a clash replaces. Empty until the first word.
    words: Vec<KnownWord>,
    /// Their buffers, [`Known::ROOM`] bytes each.
    buffers: String,
}

#[derive(Clone, Copy)]
struct KnownWord {
    key: Key,
    /// Each as its bounds in the buffer, its bounds in the word, its place.
    pieces: [[u8; 5]; Known::PIECES],
    count: u8,
    length: u8,
    places: u8,
}

impl Known {
    const BITS: u32 = 12;
    const ROOM: usize = 48;
    const PIECES: usize = 6;

    /// Whether a word is known; then its terms are set.
    fn recall(&self, key: &Key, terms: &mut Terms) -> bool {
        let slot = key.slot();
        let Some(word) = self.words.get(slot).filter(|word| word.key == *key) else { return false };
        let start = slot * Self::ROOM;
        terms.buffer.push_str(&self.buffers[start..start + usize::from(word.length)]);
        terms.pieces.extend(word.pieces.iter().take(usize::from(word.count)).map(|piece| {
            let [buffer_start, buffer_end, start, end, place] = piece.map(usize::from);
            Piece { buffer: (buffer_start, buffer_end), text: (start, end), place }
        }));
        terms.places = usize::from(word.places);
        true
    }

    fn keep(&mut self, key: &Key, terms: &Terms) {
        if terms.buffer.len() > Self::ROOM || terms.pieces.len() > Self::PIECES {
            return;
        }
        if self.words.is_empty() {
            let nothing = KnownWord { key: Key([0; 3]), pieces: Default::default(), count: 0, length: 0, places: 0 };
            self.words = vec![nothing; 1 << Self::BITS];
            self.buffers = "\0".repeat(Self::ROOM << Self::BITS);
        }
        let slot = key.slot();
        // Nothing of a short word is longer than a byte can say.
        let byte = |number: usize| u8::try_from(number).unwrap_or(u8::MAX);
        let mut pieces = [[0; 5]; Self::PIECES];
        for (kept, Piece { buffer, text, place }) in pieces.iter_mut().zip(&terms.pieces) {
            *kept = [buffer.0, buffer.1, text.0, text.1, *place].map(byte);
        }
        let (count, length) = (byte(terms.pieces.len()), byte(terms.buffer.len()));
        self.words[slot] = KnownWord { key: *key, pieces, count, length, places: byte(terms.places) };
        let start = slot * Self::ROOM;
        self.buffers.replace_range(start..start + terms.buffer.len(), &terms.buffer);
    }
}

/// Appends a part lower-cased and without accents.
fn fold_into(part: &str, buffer: &mut String) {
    if part.is_ascii() {
        let start = buffer.len();
        buffer.push_str(part);
        buffer[start..].make_ascii_lowercase();
    } else {
        buffer.extend(part.nfkd().filter(|&c| !is_combining_mark(c)).flat_map(char::to_lowercase));
    }
}

/// The parts of an identifier as byte ranges: cut at `_`, from lower to upper case, before the last capital of a run that a
/// small letter follows (`HTTPServer`), and between letters and digits.
struct Parts<'a> {
    word: &'a str,
    at: usize,
}

impl Iterator for Parts<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let rest = self.word[self.at..].trim_start_matches('_');
        let start = self.word.len() - rest.len();
        let mut chars = rest.char_indices().peekable();
        let (_, first) = chars.next()?;
        let mut previous = class(first);
        let mut end = rest.len();
        while let Some((offset, c)) = chars.next() {
            let current = class(c);
            let next = chars.peek().map(|&(_, c)| class(c));
            let cut = match (previous, current) {
                (_, Class::Underscore) | (Class::Lower, Class::Upper) => true,
                (Class::Upper, Class::Upper) => next == Some(Class::Lower),
                (Class::Digit, current) => current != Class::Digit,
                (previous, Class::Digit) => previous != Class::Digit,
                _ => false,
            };
            if cut {
                end = offset;
                break;
            }
            previous = current;
        }
        self.at = start + end;
        Some((start, start + end))
    }
}

/// A stemmer that remembers. Text repeats its words, and stemming one costs many times what looking it up does.
#[derive(Clone)]
struct Stems {
    stemmer: Stemmer,
    /// Word and stem by the word's hash; a clash replaces. Empty until the first word.
    table: Vec<(String, String)>,
}

const STEM_SLOTS: usize = 4096;

impl Stems {
    fn new() -> Self {
        Stems { stemmer: Stemmer::new(Algorithm::English), table: Vec::new() }
    }

    /// Replaces what stands in the buffer from `start` on by its stem.
    fn stem_end_of(&mut self, buffer: &mut String, start: usize) {
        let word = &buffer[start..];
        if word.len() < 3 {
            return;
        }
        let hash = word
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        if self.table.is_empty() {
            self.table.resize_with(STEM_SLOTS, Default::default);
        }
        let slot = &mut self.table[(hash >> 40) as usize % STEM_SLOTS];
        if slot.0 != word {
            let stem = self.stemmer.stem(word);
            slot.1.clear();
            slot.1.push_str(&stem);
            slot.0.clear();
            slot.0.push_str(word);
        }
        buffer.truncate(start);
        buffer.push_str(&slot.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        terms_of(text).into_iter().map(|(term, position)| format!("{term}@{position}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn terms_are_as_documented() {
        for (text, expected) in [
            ("", ""),
            ("  ... !!", ""),
            ("Reading files", "read@0 file@1"),
            ("The end of THE file", "end@1 file@4"),
            ("is_valid", "isvalid@0 is@0 valid@1"),
            ("parseHttpRequest now", "parsehttprequest@0 pars@0 http@1 request@2 now@3"),
            ("parse_http_request", "parsehttprequest@0 pars@0 http@1 request@2"),
            ("HTTPServer", "httpserver@0 http@0 server@1"),
            ("utf8", "utf8@0 utf@0 8@1"),
            ("__init__", "init@0"),
            ("___", ""),
            ("std::fs::read", "std@0 fs@1 read@2"),
            ("Café CAFÉ", "cafe@0 cafe@1"),
            ("日本語", "日本@0 本語@1"),
            ("語", "語@0"),
            ("Rust日本語x", "rust@0 日本@1 本語@2 x@3"),
        ] {
            assert_eq!(words(text), expected, "{text:?}");
        }
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert_eq!(STOP_WORDS.iter().map(|word| word.len()).max(), Some(LONGEST_STOP_WORD));
    }

    #[test]
    fn a_blob_gives_no_term_and_costs_linear_time() {
        assert_eq!(terms_of(&"a".repeat(1 << 22)).len(), 0);
        assert!(terms_of(&"aB".repeat(1 << 20)).len() <= 1 << 21);
        assert!(terms_of(&"_".repeat(1 << 22)).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn offsets_point_into_the_text_in_order(text in "\\PC{0,80}") {
            let mut tokenizer = CodeTokenizer::default();
            let mut stream = tokenizer.token_stream(&text);
            let mut last = 0;
            while stream.advance() {
                let token = stream.token();
                proptest::prop_assert!(text.get(token.offset_from..token.offset_to).is_some());
                proptest::prop_assert!(token.position >= last);
                proptest::prop_assert!(!token.text.is_empty());
                last = token.position;
            }
        }

        /// A tokenizer that has read other texts gives what a new one gives.
        #[test]
        fn what_was_read_before_changes_nothing(texts in proptest::collection::vec("[a-cA-C0-1_ é日]{0,60}", 1..30)) {
            let mut old = CodeTokenizer::default();
            for text in &texts {
                let mut tokens = Vec::new();
                old.token_stream(text).process(&mut |token| tokens.push(token.clone()));
                let mut fresh = Vec::new();
                CodeTokenizer::default().token_stream(text).process(&mut |token| fresh.push(token.clone()));
                proptest::prop_assert_eq!(&tokens, &fresh);
            }
        }

        #[test]
        fn camel_and_snake_are_one_word(parts in proptest::collection::vec("[a-z]{2,8}", 2..5)) {
            let snake = parts.join("_");
            let camel: String = parts.iter().map(|p| format!("{}{}", p[..1].to_uppercase(), &p[1..])).collect();
            proptest::prop_assert_eq!(terms_of(&snake), terms_of(&camel));
        }
    }
}
