//! Counting tokens with all cores, each text once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ai_assist_identity::Sha256;
use ai_assist_text::{count_tokens, count_tokens_up_to};
use rayon::prelude::*;

use crate::token_cache::{Key, TokenCache};

/// Texts below this are counted at once; cutting them up costs more than it saves.
const PIECE: usize = 64 * 1024;

/// How many bytes of a text in pieces are held before they are counted.
const MEASURED_AT_ONCE: usize = 4 << 20;

/// Texts below this are counted in the time it takes to remember them.
const SMALL: usize = 256;

/// Counts tokens and remembers the counts by the hash of the text.
#[derive(Debug, Default)]
pub struct TokenCounter {
    known: Mutex<HashMap<Key, u32>>,
    learned: Mutex<Vec<(Key, u32)>>,
    cache: Option<TokenCache>,
}

impl TokenCounter {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn with_cache(cache: TokenCache) -> Self {
        TokenCounter { known: Mutex::new(cache.load()), learned: Mutex::default(), cache: Some(cache) }
    }

    /// Tells the cache what was learned, if there is one.
    pub fn save(&self) -> std::io::Result<()> {
        let learned = std::mem::take(&mut *self.learned.lock().unwrap_or_else(PoisonError::into_inner));
        self.cache.as_ref().map_or(Ok(()), |cache| cache.add(&learned))
    }

    /// How many tokens a text has, exactly as [`count_tokens`] says.
    pub fn count(&self, text: &str) -> usize {
        if text.len() <= SMALL {
            return count_tokens(text);
        }
        let key = key_of(text);
        if let Some(&known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known as usize;
        }
        let count = count_parallel(text);
        // A text of more than four billion tokens is counted every time.
        if let Ok(small) = u32::try_from(count) {
            self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, small);
            if self.cache.is_some() {
                self.learned.lock().unwrap_or_else(PoisonError::into_inner).push((key, small));
            }
        }
        count
    }

    /// How many tokens a text has, or nothing as soon as there are more than `limit`: then not all of it is looked at.
    pub fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        // So short that it is not worth stopping early.
        if text.len() <= limit.saturating_mul(2) {
            return Some(self.count(text)).filter(|count| *count <= limit);
        }
        count_tokens_up_to(text, limit)
    }

    pub fn count_all<T: AsRef<str> + Sync>(&self, texts: &[T]) -> Vec<usize> {
        texts.par_iter().map(|text| self.count(text.as_ref())).collect()
    }
}

/// Counts a text that comes in pieces, of which it holds few.
pub(crate) struct Meter<'c> {
    counter: &'c TokenCounter,
    /// What came since the last place where the tokenizer cuts in any case.
    open: String,
    /// What lies between two such places, to be counted on all cores.
    closed: Vec<String>,
    bytes: usize,
    tokens: usize,
}

impl<'c> Meter<'c> {
    pub(crate) fn new(counter: &'c TokenCounter) -> Self {
        Meter { counter, open: String::new(), closed: Vec::new(), bytes: 0, tokens: 0 }
    }

    pub(crate) fn add(&mut self, piece: &str) {
        if self.open.ends_with('\n') && piece.bytes().next().is_some_and(starts_a_token) {
            self.bytes += self.open.len();
            self.closed.push(std::mem::take(&mut self.open));
        }
        self.open.push_str(piece);
        if self.bytes > MEASURED_AT_ONCE {
            self.measure();
        }
    }

    pub(crate) fn finish(mut self) -> usize {
        self.closed.push(std::mem::take(&mut self.open));
        self.measure();
        self.tokens
    }

    fn measure(&mut self) {
        self.tokens += self.counter.count_all(&self.closed).into_iter().sum::<usize>();
        self.closed.clear();
        self.bytes = 0;
    }
}

fn key_of(text: &str) -> Key {
    let hash = Sha256::of(text.as_bytes());
    std::array::from_fn(|at| hash.as_bytes()[at])
}

/// Cuts a text where the tokenizer cuts in any case, so that the counts of the pieces add up to that of the whole.
fn count_parallel(text: &str) -> usize {
    if text.len() <= 2 * PIECE {
        return count_tokens(text);
    }
    pieces(text, PIECE).into_par_iter().map(count_tokens).sum()
}

/// Pieces of at least `size` bytes, but for the last.
///
/// No token goes beyond the last line break before a letter or one of a few marks: o200k takes line breaks only at the
/// end of a token, after white space or punctuation, and goes on after them only with more breaks or `/`.
fn pieces(text: &str, size: usize) -> Vec<&str> {
    let bytes = text.as_bytes();
    let is_safe = |at: &usize| bytes[at - 1] == b'\n' && starts_a_token(bytes[*at]);
    let mut pieces = Vec::new();
    let mut from = 0;
    while let Some(cut) = (from + size..bytes.len()).find(is_safe) {
        pieces.push(&text[from..cut]);
        from = cut;
    }
    pieces.push(&text[from..]);
    pieces
}

/// Whether a token starts at this byte in any case if a line break stands before it.
fn starts_a_token(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'<' | b'#' | b'{' | b'"')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_add_up(
            words in prop::collection::vec("[a-z]{1,4}|[ \t]{0,3}|\r?\n{1,3}|[<#{\"/'.;-]{1,3}|[0-9]{1,4}|\\PC", 0..200),
            size in 1usize..60,
        ) {
            let text = words.concat();
            let pieces = pieces(&text, size);
            prop_assert_eq!(pieces.concat(), text.clone());
            prop_assert_eq!(pieces.into_iter().map(count_tokens).sum::<usize>(), count_tokens(&text));
            let counter = TokenCounter::new();
            let mut meter = Meter::new(&counter);
            words.iter().for_each(|word| meter.add(word));
            prop_assert_eq!(meter.finish(), count_tokens(&text));
        }
    }

    #[test]
    fn counts_outlive_the_counter() {
        let folder = tempfile::tempdir().unwrap();
        let cache = || TokenCache::new(folder.path().join("tokens"));
        let text = "let x = 1;\n".repeat(100);
        let first = TokenCounter::with_cache(cache());
        let count = first.count(&text);
        first.save().unwrap();
        let second = TokenCounter::with_cache(cache());
        assert_eq!(second.known.lock().unwrap().get(&key_of(&text)), Some(&u32::try_from(count).unwrap()));
        assert_eq!(second.count(&text), count_tokens(&text));
        second.save().unwrap();
        assert!(second.learned.lock().unwrap().is_empty());
    }

    #[test]
    fn counts_are_remembered_and_right() {
        let counter = TokenCounter::new();
        let text = "fn main() {\n    println!(\"hello\");\n}\n\n".repeat(20_000);
        assert_eq!(counter.count(&text), count_tokens(&text));
        assert_eq!(counter.count_all(&[&*text, "hello world"]), [count_tokens(&text), 2]);
        assert_eq!(counter.known.lock().unwrap().len(), 1, "short texts are not worth remembering");
        for (limit, expected) in [(1, None), (2, Some(2)), (100, Some(2))] {
            assert_eq!(counter.count_up_to("hello world", limit), expected);
        }
    }
}
