//! Counting tokens with all cores, each text once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ai_assist_identity::Sha256;
use ai_assist_text::{count_tokens, count_tokens_up_to};
use rayon::prelude::*;

/// Texts below this are counted at once; cutting them up costs more than it saves.
const PIECE: usize = 64 * 1024;

/// Counts tokens and remembers the counts by the hash of the text.
#[derive(Debug, Default)]
pub struct TokenCounter {
    known: Mutex<HashMap<Sha256, usize>>,
}

impl TokenCounter {
    /// A counter that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many tokens a text has, exactly as [`count_tokens`] says.
    pub fn count(&self, text: &str) -> usize {
        let key = Sha256::of(text.as_bytes());
        if let Some(&known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known;
        }
        let count = count_parallel(text);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, count);
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

    /// How many tokens each text has.
    pub fn count_all<T: AsRef<str> + Sync>(&self, texts: &[T]) -> Vec<usize> {
        texts.par_iter().map(|text| self.count(text.as_ref())).collect()
    }
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
    let is_safe = |at: &usize| {
        bytes[at - 1] == b'\n' && (bytes[*at].is_ascii_alphabetic() || matches!(bytes[*at], b'<' | b'#' | b'{' | b'"'))
    };
    let mut pieces = Vec::new();
    let mut from = 0;
    while let Some(cut) = (from + size..bytes.len()).find(is_safe) {
        pieces.push(&text[from..cut]);
        from = cut;
    }
    pieces.push(&text[from..]);
    pieces
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
        }
    }

    #[test]
    fn counts_are_remembered_and_right() {
        let counter = TokenCounter::new();
        let text = "fn main() {\n    println!(\"hello\");\n}\n\n".repeat(20_000);
        assert_eq!(counter.count(&text), count_tokens(&text));
        assert_eq!(counter.count_all(&[&*text, "hello world"]), [count_tokens(&text), 2]);
        assert_eq!(counter.known.lock().unwrap().len(), 2);
        for (limit, expected) in [(1, None), (2, Some(2)), (100, Some(2))] {
            assert_eq!(counter.count_up_to("hello world", limit), expected);
        }
    }
}
