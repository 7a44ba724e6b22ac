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

/// One term of the word at hand: where it stands in the scratch buffer, in the text, and in the order of words.
#[derive(Clone)]
struct Piece {
    buffer: (usize, usize),
    text: (usize, usize),
    position: usize,
}

/// The tokenizer of every word field.
#[derive(Clone)]
pub(crate) struct CodeTokenizer {
    stems: Stems,
    buffer: String,
    pieces: Vec<Piece>,
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
        CodeTokenizer { stems: Stems::new(), buffer: String::new(), pieces: Vec::new(), cancel }
    }
}

impl Tokenizer for CodeTokenizer {
    type TokenStream<'a> = CodeTokenStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> CodeTokenStream<'a> {
        self.pieces.clear();
        let text = if self.cancel.is_cancelled() { "" } else { text };
        CodeTokenStream { text, at: 0, position: 0, next: 0, tokenizer: self, token: Token::default() }
    }
}

pub(crate) struct CodeTokenStream<'a> {
    text: &'a str,
    at: usize,
    position: usize,
    next: usize,
    tokenizer: &'a mut CodeTokenizer,
    token: Token,
}

impl TokenStream for CodeTokenStream<'_> {
    fn advance(&mut self) -> bool {
        while self.next >= self.tokenizer.pieces.len() {
            if !self.read_word() {
                return false;
            }
        }
        let piece = &self.tokenizer.pieces[self.next];
        self.next += 1;
        self.token.text.clear();
        self.token.text.push_str(&self.tokenizer.buffer[piece.buffer.0..piece.buffer.1]);
        (self.token.offset_from, self.token.offset_to) = piece.text;
        self.token.position = piece.position;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

impl CodeTokenStream<'_> {
    /// Reads the next word and queues its terms. False at the end of the text.
    fn read_word(&mut self) -> bool {
        self.next = 0;
        self.tokenizer.pieces.clear();
        self.tokenizer.buffer.clear();
        let rest = &self.text[self.at..];
        let Some((start, first)) = rest.char_indices().find(|&(_, c)| class(c) != Class::Outside) else {
            self.at = self.text.len();
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
        let from = self.at + start;
        self.at = from + length;
        if ideographs {
            self.queue_pairs(from);
        } else {
            self.queue_identifier(from);
        }
        true
    }

    fn queue_pairs(&mut self, from: usize) {
        let word = &self.text[from..self.at];
        let mut before: Option<(usize, char)> = None;
        let mut pairs = 0;
        for (offset, c) in word.char_indices() {
            if let Some((start, first)) = before {
                self.push_chars(&[first, c], (from + start, from + offset + c.len_utf8()));
                pairs += 1;
            }
            before = Some((offset, c));
        }
        if pairs == 0
            && let Some((start, c)) = before
        {
            self.push_chars(&[c], (from + start, self.at));
        }
    }

    fn push_chars(&mut self, chars: &[char], text: (usize, usize)) {
        let start = self.tokenizer.buffer.len();
        self.tokenizer.buffer.extend(chars);
        let buffer = (start, self.tokenizer.buffer.len());
        self.tokenizer.pieces.push(Piece { buffer, text, position: self.position });
        self.position += 1;
    }

    fn queue_identifier(&mut self, from: usize) {
        let word = &self.text[from..self.at];
        let mut parts = Parts { word, at: 0 }.peekable();
        let Some((start, end)) = parts.next() else { return };
        if parts.peek().is_none() {
            self.push_part((from + start, from + end), true);
            return;
        }
        // The whole goes first, at the position of its first part, so that a phrase of its parts matches too.
        let whole = self.tokenizer.buffer.len();
        for part in word.split('_') {
            fold_into(part, &mut self.tokenizer.buffer);
            if self.tokenizer.buffer.len() - whole > MAX_TERM {
                break;
            }
        }
        let length = self.tokenizer.buffer.len() - whole;
        if (1..=MAX_TERM).contains(&length) {
            let buffer = (whole, whole + length);
            self.tokenizer.pieces.push(Piece { buffer, text: (from, self.at), position: self.position });
        } else {
            self.tokenizer.buffer.truncate(whole);
        }
        self.push_part((from + start, from + end), false);
        for (start, end) in parts {
            self.push_part((from + start, from + end), false);
        }
    }

    /// Queues a part. One that stands `alone`, outside an identifier, may be a stop word.
    fn push_part(&mut self, text: (usize, usize), alone: bool) {
        if text.1 - text.0 <= MAX_TERM {
            let CodeTokenizer { stems, buffer, pieces, .. } = &mut *self.tokenizer;
            let start = buffer.len();
            fold_into(&self.text[text.0..text.1], buffer);
            if alone && is_stop_word(&buffer[start..]) {
                buffer.truncate(start);
            } else if buffer[start..].bytes().all(|b| b.is_ascii_lowercase()) {
                stems.stem_end_of(buffer, start);
            }
            if buffer.len() > start {
                pieces.push(Piece { buffer: (start, buffer.len()), text, position: self.position });
            }
        }
        self.position += 1;
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

        #[test]
        fn camel_and_snake_are_one_word(parts in proptest::collection::vec("[a-z]{2,8}", 2..5)) {
            let snake = parts.join("_");
            let camel: String = parts.iter().map(|p| format!("{}{}", p[..1].to_uppercase(), &p[1..])).collect();
            proptest::prop_assert_eq!(terms_of(&snake), terms_of(&camel));
        }
    }
}
