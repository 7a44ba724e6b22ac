//! Decoding: byte order mark, then UTF-8, then UTF-16 and UTF-32 by their NUL patterns, then a detector for legacy
//! encodings, Latin-1 last.

use std::borrow::Cow;

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};
use serde::{Deserialize, Serialize};

/// How many bytes are looked at to tell binary from text, and UTF-16 from both.
const PROBE: usize = 8 * 1024;

/// The encoding a text was read in, by its WHATWG name, such as `UTF-8` or `Shift_JIS`; UTF-32, which has none there, by
/// that of IANA.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Encoding(Cow<'static, str>);

impl Encoding {
    /// Plain UTF-8, the case in which no decision has to be recorded.
    pub const UTF_8: Encoding = Encoding(Cow::Borrowed("UTF-8"));

    const UTF_32LE: Encoding = Encoding(Cow::Borrowed("UTF-32LE"));
    const UTF_32BE: Encoding = Encoding(Cow::Borrowed("UTF-32BE"));

    pub fn name(&self) -> &str {
        &self.0
    }
}

impl From<&'static encoding_rs::Encoding> for Encoding {
    fn from(encoding: &'static encoding_rs::Encoding) -> Self {
        Encoding(Cow::Borrowed(encoding.name()))
    }
}

/// A decoded text and what it took to decode it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text, without a byte order mark.
    pub text: Cow<'a, str>,
    pub encoding: Encoding,
    pub bom: bool,
    pub replaced: usize,
}

/// The bytes are not text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the file is binary, not text")]
pub struct NotText;

/// Whether bytes look like something that is not text in any encoding we read.
///
/// A NUL settles it unless the NULs lie as they do in UTF-16 or UTF-32; without a NUL, a tenth of control characters does.
pub fn looks_binary(bytes: &[u8]) -> bool {
    let probe = &bytes[..bytes.len().min(PROBE)];
    if utf32(bytes).is_some()
        || encoding_rs::Encoding::for_bom(probe).is_some()
        || utf16_by_nul_pattern(probe).is_some()
    {
        return false;
    }
    if probe.contains(&0) {
        return true;
    }
    let controls = probe.iter().filter(|&&b| is_control(b)).count();
    controls * 10 > probe.len()
}

fn is_control(byte: u8) -> bool {
    byte == 0x7f || (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x08 | 0x0c | 0x1b))
}

pub fn decode(bytes: &[u8]) -> Result<Decoded<'_>, NotText> {
    // Before UTF-16, whose little-endian mark is the first half of this one's.
    if let Some((big, bom)) = utf32(bytes) {
        return Ok(decode_utf32(&bytes[if bom { 4 } else { 0 }..], big, bom));
    }
    if let Some((encoding, length)) = encoding_rs::Encoding::for_bom(bytes) {
        return Ok(decode_as(encoding, &bytes[length..], true));
    }
    if looks_binary(bytes) {
        return Err(NotText);
    }
    // A NUL far into otherwise valid UTF-8 is still text: only the probe decides what is binary.
    if let Ok(text) = std::str::from_utf8(bytes)
        && utf16_by_nul_pattern(bytes).is_none()
    {
        return Ok(Decoded { text: Cow::Borrowed(text), encoding: Encoding::UTF_8, bom: false, replaced: 0 });
    }
    if let Some(encoding) = utf16_by_nul_pattern(bytes) {
        return Ok(decode_as(encoding, bytes, false));
    }
    Ok(decode_as(detect(bytes), bytes, false))
}

/// Whether bytes are UTF-32, big-endian or not, with a byte order mark or not.
///
/// Without a mark every four bytes must be a character, nearly all below U+10000 and a quarter of them ASCII: tables of
/// numbers are in the range of characters too.
fn utf32(bytes: &[u8]) -> Option<(bool, bool)> {
    let (big, bom) = match bytes {
        [0, 0, 0xfe, 0xff, ..] => (true, true),
        [0xff, 0xfe, 0, 0, ..] => (false, true),
        [0, 0, ..] => (true, false),
        [_, _, 0, 0, ..] => (false, false),
        _ => return None,
    };
    let probe = &bytes[if bom { 4 } else { 0 }..bytes.len().min(PROBE) & !3];
    let (mut units, mut low, mut ascii) = (0usize, 0usize, 0usize);
    for unit in utf32_units(probe, big) {
        let c = unit.filter(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\x0c' | '\x1b'))?;
        units += 1;
        low += usize::from(c < '\u{10000}');
        ascii += usize::from(c.is_ascii());
    }
    let plausible = bom || (units >= 2 && low * 10 >= units * 9 && ascii * 4 >= units);
    (plausible && bytes.len().is_multiple_of(4)).then_some((big, bom))
}

fn utf32_units(bytes: &[u8], big: bool) -> impl Iterator<Item = Option<char>> {
    bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(move |unit| char::from_u32(if big { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) }))
}

fn decode_utf32(bytes: &[u8], big: bool, bom: bool) -> Decoded<'static> {
    let mut replaced = 0;
    let mut text = String::with_capacity(bytes.len() / 4);
    for unit in utf32_units(bytes, big) {
        replaced += usize::from(unit.is_none());
        text.push(unit.unwrap_or('\u{fffd}'));
    }
    let encoding = if big { Encoding::UTF_32BE } else { Encoding::UTF_32LE };
    Decoded { text: Cow::Owned(text), encoding, bom, replaced }
}

/// UTF-16 of mostly Latin text has a NUL in every second byte, always on the same side.
fn utf16_by_nul_pattern(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let probe = &bytes[..bytes.len().min(PROBE) & !1];
    if probe.len() < 4 {
        return None;
    }
    let mut even = 0;
    let mut odd = 0;
    for pair in probe.chunks_exact(2) {
        even += usize::from(pair[0] == 0);
        odd += usize::from(pair[1] == 0);
    }
    let pairs = probe.len() / 2;
    let (encoding, other) = if odd * 10 >= pairs * 4 && odd > even {
        (UTF_16LE, even)
    } else if even * 10 >= pairs * 4 {
        (UTF_16BE, odd)
    } else {
        return None;
    };
    // A NUL on the wrong side is U+0000 or a character of the form U+xx00: rare in text, common in binary.
    if other * 50 > pairs {
        return None;
    }
    let (text, malformed) = encoding.decode_without_bom_handling(probe);
    let controls = text.chars().filter(|c| c.is_control() && !c.is_whitespace()).count();
    (!malformed && controls * 10 <= pairs).then_some(encoding)
}

fn detect(bytes: &[u8]) -> &'static encoding_rs::Encoding {
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    let guess = detector.guess(None, chardetng::Utf8Detection::Allow);
    // Mostly valid UTF-8 with a few broken bytes reads better with replacement marks than as mojibake.
    if guess == WINDOWS_1252 && mostly_utf8(bytes) {
        return encoding_rs::UTF_8;
    }
    guess
}

/// Whether valid multi-byte sequences outnumber the broken ones.
fn mostly_utf8(bytes: &[u8]) -> bool {
    let mut multibyte = 0usize;
    let mut broken = 0usize;
    for chunk in bytes.utf8_chunks() {
        multibyte += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    multibyte > broken
}

fn decode_as<'a>(encoding: &'static encoding_rs::Encoding, bytes: &'a [u8], bom: bool) -> Decoded<'a> {
    let (text, malformed) = encoding.decode_without_bom_handling(bytes);
    let replaced = if malformed { text.matches('\u{fffd}').count() } else { 0 };
    Decoded { text, encoding: encoding.into(), bom, replaced }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, little: bool) -> Vec<u8> {
        let unit = |u: u16| if little { u.to_le_bytes() } else { u.to_be_bytes() };
        text.encode_utf16().flat_map(unit).collect()
    }

    fn utf32(text: &str, little: bool) -> Vec<u8> {
        let unit = |c: char| if little { u32::from(c).to_le_bytes() } else { u32::from(c).to_be_bytes() };
        text.chars().flat_map(unit).collect()
    }

    #[test]
    fn encodings_are_told_apart() {
        let cases: Vec<(&str, Vec<u8>, &str, &str, bool)> = vec![
            ("utf-8", "naïve\n".into(), "naïve\n", "UTF-8", false),
            ("utf-8 with bom", b"\xef\xbb\xbfhi".to_vec(), "hi", "UTF-8", true),
            ("utf-16le with bom", [b"\xff\xfe".to_vec(), utf16("hé\r\n", true)].concat(), "hé\r\n", "UTF-16LE", true),
            ("utf-16be with bom", [b"\xfe\xff".to_vec(), utf16("hé", false)].concat(), "hé", "UTF-16BE", true),
            ("utf-16le bare", utf16("# Title\r\nSome text\r\n", true), "# Title\r\nSome text\r\n", "UTF-16LE", false),
            ("utf-16be bare", utf16("# Title\nSome text\n", false), "# Title\nSome text\n", "UTF-16BE", false),
            ("utf-32le with bom", [b"\xff\xfe\0\0".to_vec(), utf32("hé\n", true)].concat(), "hé\n", "UTF-32LE", true),
            ("utf-32be with bom", [b"\0\0\xfe\xff".to_vec(), utf32("日本", false)].concat(), "日本", "UTF-32BE", true),
            ("utf-32le bare", utf32("# Title\n", true), "# Title\n", "UTF-32LE", false),
            ("utf-32be bare", utf32("日本: ok\n", false), "日本: ok\n", "UTF-32BE", false),
            ("empty", vec![], "", "UTF-8", false),
            ("latin-1", b"caf\xe9 au lait, d\xe9j\xe0 vu".to_vec(), "café au lait, déjà vu", "windows-1252", false),
        ];
        for (name, bytes, text, encoding, bom) in cases {
            let decoded = decode(&bytes).unwrap_or_else(|_| panic!("{name} was called binary"));
            assert_eq!(decoded.text, text, "{name}");
            assert_eq!(decoded.encoding.name(), encoding, "{name}");
            assert_eq!(decoded.bom, bom, "{name}");
            assert_eq!(decoded.replaced, 0, "{name}");
        }
    }

    #[test]
    fn shift_jis_is_detected() {
        let (bytes, _, _) = encoding_rs::SHIFT_JIS.encode("これは日本語の文章です。設定ファイルを読み込みます。");
        let decoded = decode(&bytes).unwrap();
        assert_eq!(decoded.encoding.name(), "Shift_JIS");
        assert!(decoded.text.contains("設定ファイル"));
    }

    #[test]
    fn broken_utf8_keeps_its_good_parts() {
        let decoded = decode(
            "größer – viel größer ".as_bytes().iter().chain(b"\xff end").copied().collect::<Vec<_>>().as_slice(),
        )
        .map(|d| (d.text.into_owned(), d.replaced))
        .unwrap();
        assert_eq!(decoded, ("größer – viel größer \u{fffd} end".to_owned(), 1));
    }

    #[test]
    fn binary_is_refused() {
        let elf: Vec<u8> =
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0".iter().copied().cycle().take(400).collect();
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0".to_vec();
        let noise: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let numbers: Vec<u8> = (0..200u32).flat_map(u32::to_le_bytes).collect();
        let planes: Vec<u8> = b"\0\x01\x02\x03".repeat(100);
        for bytes in [elf, png, noise, numbers, planes] {
            assert_eq!(decode(&bytes), Err(NotText));
        }
    }

    proptest::proptest! {
        #[test]
        fn every_utf8_text_without_nul_comes_back(text in "[^\u{0}-\u{1f}\u{7f}\u{feff}]{0,200}") {
            let decoded = decode(text.as_bytes());
            proptest::prop_assert_eq!(decoded.map(|d| d.text.into_owned()), Ok(text));
        }

        #[test]
        fn any_bytes_decode_or_are_binary(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400)) {
            if let Ok(decoded) = decode(&bytes) {
                proptest::prop_assert!(decoded.text.len() <= bytes.len() * 3);
            }
        }
    }
}
