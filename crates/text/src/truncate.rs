//! Exact truncation: never more bytes than asked for, never half a character.

/// The largest character boundary that is not after `at`.
pub fn floor_boundary(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

/// The longest beginning of `text` that has at most `max` bytes.
pub fn head(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// The longest end of `text` that has at most `max` bytes.
pub fn tail(text: &str, max: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(max))..]
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn cuts_are_exact(text in "\\PC{0,40}", max in 0usize..60) {
            for (part, joined) in [
                (head(&text, max), text.starts_with(head(&text, max))),
                (tail(&text, max), text.ends_with(tail(&text, max))),
            ] {
                proptest::prop_assert!(part.len() <= max);
                proptest::prop_assert!(joined);
                // One more character would not have fitted.
                proptest::prop_assert!(part.len() == text.len() || part.len() + 4 > max);
            }
        }
    }
}
