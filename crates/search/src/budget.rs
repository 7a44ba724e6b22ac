//! Answers that fit: a token budget, and a cursor to what was left out.

use std::fmt;
use std::str::FromStr;

use ai_assist_identity::Sha256;
use ai_assist_text::{LineRange, count_tokens, count_tokens_up_to};

/// Where an answer stopped. It names the question it belongs to, so that it can't be used with another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    offset: usize,
    question: String,
}

/// A text that is not a cursor, or not one of this question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    #[error("`{0}` is not a cursor; give the one that the answer before printed, unchanged")]
    Malformed(String),
    /// The question is another, or the indexes have changed since.
    #[error("the cursor belongs to another question, or the documents have changed since; ask again without it")]
    Stale,
}

impl Cursor {
    /// A cursor to hit number `offset` of a question. `question` is everything that decides the answer.
    pub fn new(offset: usize, question: &str) -> Self {
        Cursor { offset, question: fingerprint(question) }
    }

    /// The number of hits before it. Whoever goes by it still has to ask whether it belongs to the question.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The number of hits before it, if it belongs to the question.
    ///
    /// # Errors
    ///
    /// [`CursorError::Stale`] if it does not.
    pub fn offset_in(&self, question: &str) -> Result<usize, CursorError> {
        if self.question == fingerprint(question) { Ok(self.offset) } else { Err(CursorError::Stale) }
    }
}

fn fingerprint(question: &str) -> String {
    Sha256::of(question.as_bytes()).hex()[..16].to_owned()
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.offset, self.question)
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let malformed = || CursorError::Malformed(text.to_owned());
        let (offset, question) = text.split_once('-').ok_or_else(malformed)?;
        let well_formed = question.len() == 16 && question.bytes().all(|b| b.is_ascii_hexdigit());
        let offset = offset.parse().map_err(|_| malformed())?;
        if !well_formed {
            return Err(malformed());
        }
        Ok(Cursor { offset, question: question.to_owned() })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budgeted {
    pub taken: usize,
    /// If the last one taken had to be cut, how many of its bytes are kept.
    pub cut: Option<usize>,
    pub tokens: usize,
}

/// How many of some texts, in order, fit into `budget` tokens. The first is cut at a line end if it alone is too long, so
/// that an answer is never empty for being too good.
pub fn fit<'t>(texts: impl Iterator<Item = &'t str>, budget: usize) -> Budgeted {
    let mut fitted = Budgeted { taken: 0, cut: None, tokens: 0 };
    for text in texts {
        match count_tokens_up_to(text, budget - fitted.tokens) {
            Some(tokens) => {
                fitted.tokens += tokens;
                fitted.taken += 1;
            }
            None if fitted.taken == 0 => {
                let kept = longest_beginning(text, budget);
                let tokens = count_tokens(&text[..kept]);
                return Budgeted { taken: 1, cut: Some(kept), tokens };
            }
            None => break,
        }
    }
    fitted
}

/// Shortens a chunk to its first `kept` bytes, and says which lines it still has.
pub fn cut(text: &mut String, lines: &mut LineRange, kept: usize) {
    text.truncate(kept);
    let left = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    lines.end = lines.start.saturating_add(left.saturating_sub(1));
}

/// The longest beginning that has at most `budget` tokens: whole lines, or characters if the first line is too long.
fn longest_beginning(text: &str, budget: usize) -> usize {
    let fits = |end: usize| count_tokens_up_to(&text[..end], budget).is_some();
    let longest = |ends: &[usize]| ends.partition_point(|&end| fits(end)).checked_sub(1).map_or(0, |at| ends[at]);
    let lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    match longest(&lines) {
        0 => longest(&text.char_indices().map(|(at, _)| at).collect::<Vec<_>>()),
        end => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_bound_to_their_question() {
        let cursor = Cursor::new(10, "q1");
        let read: Cursor = cursor.to_string().parse().unwrap();
        assert_eq!(read.offset_in("q1"), Ok(10));
        assert_eq!(read.offset_in("q2"), Err(CursorError::Stale));
        for bad in ["", "x", "10", "10-", "-1-0123456789abcdef", "10-0123456789abcdeg"] {
            assert!(bad.parse::<Cursor>().is_err(), "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_budget_is_never_exceeded(texts in proptest::collection::vec("([a-z ]|\n|é){1,60}", 0..6), budget in 0usize..40) {
            let fitted = fit(texts.iter().map(String::as_str), budget);
            let mut tokens = 0;
            for (at, text) in texts.iter().take(fitted.taken).enumerate() {
                let last = at + 1 == fitted.taken;
                let text = match fitted.cut { Some(kept) if last => &text[..kept], _ => text };
                tokens += count_tokens(text);
            }
            proptest::prop_assert!(tokens <= budget);
            proptest::prop_assert_eq!(tokens, fitted.tokens);
            proptest::prop_assert!(fitted.taken > 0 || texts.is_empty());
        }
    }
}
