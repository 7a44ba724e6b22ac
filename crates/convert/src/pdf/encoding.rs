//! The encodings of simple fonts: from a byte, or a glyph's name, to characters.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Names of glyphs and their characters, as Adobe's lists have them: Latin, Greek, punctuation and mathematics. Fonts of
/// other scripts carry a map to Unicode.
static GLYPHS: LazyLock<HashMap<&'static str, char>> = LazyLock::new(|| {
    let lines = include_str!("glyphs.txt").lines();
    lines.filter_map(|line| line.split_once(' ')).filter_map(|(name, code)| Some((name, scalar(code)?))).collect()
});

fn scalar(hex: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(hex, 16).ok()?)
}

/// The text of a glyph by its name; empty if the name says nothing.
pub(super) fn of_name(name: &str) -> String {
    if let Some(&c) = GLYPHS.get(name) {
        return c.to_string();
    }
    // `Ga7` is the byte in the font that this one was made of.
    if let Some(code) = name.strip_prefix('G').filter(|code| code.len() == 2)
        && let Ok(code) = usize::from_str_radix(code, 16)
    {
        return win_ansi()[code].map(String::from).unwrap_or_default();
    }
    // `a.alt` is a shape of `a`, `f_i` a ligature.
    let base = name.split_once('.').map_or(name, |(base, _)| base);
    let parts = base.split('_').map(|part| {
        let by_code = || {
            let code = part.strip_prefix("uni").or_else(|| part.strip_prefix('u'))?;
            if (4..=6).contains(&code.len()) { scalar(code) } else { None }
        };
        GLYPHS.get(part).copied().or_else(by_code)
    });
    parts.collect::<Option<String>>().unwrap_or_default()
}

/// Whether a name is nothing but the code it stands at, such as `a65`.
pub(super) fn is_number_of(name: &str, code: u8) -> bool {
    let number = name.strip_prefix(|c: char| c.is_ascii_lowercase());
    number.and_then(|number| number.parse().ok()) == Some(code)
}

/// The upper half of MacRoman.
const MAC: &str = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{a0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";
/// WinAnsi from 128 to 159; above it is Latin-1.
const WIN: &str = "€•‚ƒ„…†‡ˆ‰Š‹Œ•Ž••‘’“”•–—˜™š›œ•žŸ";
/// Adobe's standard encoding from 161 on. A blank is a byte without a character.
const STANDARD: &str =
    "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß    ";
const SYMBOL: &str = "!∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼";
const SYMBOL_HIGH: &str = "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|—↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑";

pub(super) type Table = [Option<char>; 256];

fn table(ascii: bool, parts: &[(usize, &str)]) -> Table {
    let mut table = [None; 256];
    if ascii {
        (0x20..0x7f).for_each(|code| table[code] = char::from_u32(code as u32));
    }
    for (start, text) in parts {
        for (slot, c) in table.iter_mut().skip(*start).zip(text.chars()) {
            *slot = (c != ' ').then_some(c);
        }
    }
    table
}

pub(super) fn mac_roman() -> Table {
    table(true, &[(128, MAC)])
}

pub(super) fn win_ansi() -> Table {
    let mut table = table(true, &[(128, WIN)]);
    (0xa0..=0xff).for_each(|code| table[code] = char::from_u32(code as u32));
    table
}

pub(super) fn standard() -> Table {
    table(true, &[(39, "’"), (96, "‘"), (161, STANDARD)])
}

pub(super) fn symbol() -> Table {
    let mut table = table(false, &[(33, SYMBOL), (161, SYMBOL_HIGH)]);
    table[32] = Some(' ');
    table
}

/// Ornaments; Unicode took them over in the order of the font.
pub(super) fn dingbats() -> Table {
    let mut table = table(true, &[]);
    (0x21..0x7f).for_each(|code| table[code] = char::from_u32(0x2700 + code as u32 - 0x20));
    table[usize::from(b'l')] = Some('●');
    table[usize::from(b'n')] = Some('■');
    table
}

/// Widths of printable ASCII in Helvetica and Times, for the files that count on every reader knowing them.
pub(super) const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];
pub(super) const TIMES: [u16; 95] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500, 500, 500, 500, 500,
    500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889,
    722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500,
    444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480,
    200, 480, 541,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_glyphs_are_read() {
        let cases = [
            ("eacute", "é"),
            ("uni0041", "A"),
            ("u1D400", "𝐀"),
            ("f_f_i", "ffi"),
            ("a.sc", "a"),
            ("fi", "ﬁ"),
            ("g123", ""),
            (".notdef", ""),
        ];
        for (name, text) in cases {
            assert_eq!(of_name(name), text, "{name}");
        }
    }

    #[test]
    fn tables_have_each_character_at_its_byte() {
        assert_eq!((win_ansi()[0x80], win_ansi()[0x9f], win_ansi()[0xe9]), (Some('€'), Some('Ÿ'), Some('é')));
        assert_eq!((mac_roman()[0x80], mac_roman()[0xde], mac_roman()[0xff]), (Some('Ä'), Some('ﬁ'), Some('ˇ')));
        assert_eq!((standard()[174], standard()[208], standard()[225]), (Some('ﬁ'), Some('—'), Some('Æ')));
        assert_eq!((standard()[251], standard()[245], standard()[232]), (Some('ß'), Some('ı'), Some('Ł')));
        assert_eq!(
            (symbol()[97], symbol()[183], symbol()[126], symbol()[229]),
            (Some('α'), Some('•'), Some('∼'), Some('∑'))
        );
    }
}
