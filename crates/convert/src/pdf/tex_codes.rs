//! What codes mean in the fonts of TeX that are embedded as dots: nothing in the file says so.

/// `OT1`, of 128 codes. A blank is a code without a character.
const OLD_LOW: &str = "ΓΔΘΛΞΠΣΥΦΨΩ\u{fb00}\u{fb01}\u{fb02}\u{fb03}\u{fb04}ıȷ`´ˇ˘¯˚¸ßæœøÆŒØ";
/// `T1`, of 256 codes.
const CORK_LOW: &str = "`´ˆ˜¨˝˚ˇ˘¯˙¸˛‚‹›“”„«»–— ‰ıȷ\u{fb00}\u{fb01}\u{fb02}\u{fb03}\u{fb04}";
const CORK_HIGH: &str = "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£\
     ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖŒØÙÚÛÜÝÞẞàáâãäåæçèéêëìíîïðñòóôõöœøùúûüýþß";
/// Of `TS1`, whose fonts have signs only.
const BULLET: u8 = 136;

/// What each code of a font means, guessed from the codes that it uses.
pub(super) fn encoding(used: &[u8]) -> impl Fn(u8) -> Option<char> + use<> {
    let has_letters = used.iter().any(u8::is_ascii_alphanumeric);
    // Letters from the first code on without a gap are numbered as they come, whatever they are.
    let is_by_order = (0..9).all(|code| used.contains(&code));
    let has = |codes: std::ops::RangeInclusive<u8>| used.iter().any(|code| codes.contains(code));
    // The ligatures stand at other codes; accents, which stand at those, are hardly ever drawn alone.
    let is_cork = has(27..=31) && !has(11..=15) || has(21..=22) || has(128..=255);
    move |code| {
        let character = |text: &str, at: u8| text.chars().nth(usize::from(at)).filter(|c| *c != ' ');
        match code {
            _ if is_by_order => None,
            BULLET if !has_letters => Some('•'),
            0..=31 if is_cork => character(CORK_LOW, code),
            0..=31 => character(OLD_LOW, code),
            b'\'' => Some('’'),
            b'`' => Some('‘'),
            b'"' if !is_cork => Some('”'),
            b'\\' if !is_cork => Some('“'),
            b'{' if !is_cork => Some('–'),
            b'|' if !is_cork => Some('—'),
            32..=126 => Some(char::from(code)),
            127 => Some('-'),
            _ => character(CORK_HIGH, code - 128),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ligatures_tell_the_encodings_apart() {
        let old = encoding(b"\x0cle");
        assert_eq!([old(12), old(b'l'), old(b'{'), old(34)], [Some('\u{fb01}'), Some('l'), Some('–'), Some('”')]);
        let cork = encoding(b"\x1cle\xe9");
        assert_eq!([cork(28), cork(b'{'), cork(0xe9), cork(23)], [Some('\u{fb01}'), Some('{'), Some('é'), None]);
        assert_eq!(encoding(&[136])(136), Some('•'));
        assert_eq!(OLD_LOW.chars().count(), 32);
        assert_eq!(CORK_LOW.chars().count(), 32);
        assert_eq!(CORK_HIGH.chars().count(), 128);
    }
}
