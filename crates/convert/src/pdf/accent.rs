//! Letters and accents that are drawn one over the other, as TeX does with its older fonts.

use unicode_normalization::char::compose;

/// Accents that stand alone, and those that go with a letter.
const ACCENTS: [(char, char); 12] = [
    ('`', '\u{300}'),
    ('´', '\u{301}'),
    ('ˆ', '\u{302}'),
    ('˜', '\u{303}'),
    ('¯', '\u{304}'),
    ('˘', '\u{306}'),
    ('˙', '\u{307}'),
    ('¨', '\u{308}'),
    ('˚', '\u{30a}'),
    ('˝', '\u{30b}'),
    ('ˇ', '\u{30c}'),
    ('¸', '\u{327}'),
];

fn of(accent: char) -> Option<char> {
    ACCENTS.iter().find(|(alone, _)| *alone == accent).map(|(_, combining)| *combining)
}

/// Puts a glyph that is drawn over the last one of a word together with it, if one is an accent and the other a letter.
pub(super) fn join(word: &mut String, glyph: &str) -> bool {
    let mut chars = glyph.chars();
    let (Some(last), Some(next), None) = (word.chars().next_back(), chars.next(), chars.next()) else { return false };
    let (letter, accent) = match (of(last), of(next)) {
        (Some(accent), None) => (next, accent),
        (None, Some(accent)) => (last, accent),
        _ => return false,
    };
    // The dot of an i gives way to its accent.
    let letter = if letter == 'ı' { 'i' } else { letter };
    let Some(whole) = compose(letter, accent) else { return false };
    word.pop();
    word.push(whole);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_and_an_accent_are_one_character() {
        for (word, glyph, joined) in
            [("veˇ", "c", "več"), ("ve", "´", "vé"), ("na¨", "ı", "naï"), ("a", "b", "a"), ("`", "´", "`")]
        {
            let mut text = word.to_owned();
            assert_eq!(join(&mut text, glyph), word != joined);
            assert_eq!(text, joined);
        }
    }
}
