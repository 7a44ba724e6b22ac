//! Fonts: what the bytes of a text mean, and how wide they are.

use super::cff;
use super::cmap::CMap;
use super::encoding::{self, Table};
use super::file::File;
use super::object::{Dict, Lexer, Object, Token};
use super::tex_codes;

/// Widths of one font; a font has at most 65,536 glyphs.
const MAX_WIDTHS: usize = 1 << 17;
/// Names of one encoding, with the codes between them.
const MAX_DIFFERENCES: usize = 4096;

pub(super) struct Font {
    pub(super) bold: bool,
    pub(super) mono: bool,
    /// What a size of one is in units of the text: not one for fonts that are drawn by procedures.
    pub(super) scale: f64,
    to_unicode: Option<CMap>,
    kind: Kind,
}

enum Kind {
    Simple { texts: Vec<Box<str>>, widths: Vec<f64> },
    Composite(Composite),
}

struct Composite {
    cmap: Option<CMap>,
    /// Codes are UTF-16 themselves.
    utf16: bool,
    /// Characters by glyph, of a font that says nothing else.
    by_glyph: std::collections::HashMap<u32, char>,
    /// First and last glyph with one width, sorted.
    widths: Vec<(u32, u32, f64)>,
    default_width: f64,
}

pub(super) struct Glyph<'a> {
    pub(super) text: std::borrow::Cow<'a, str>,
    /// In units of the text, for a size of one.
    pub(super) width: f64,
    /// The single byte 32, to which word spacing is added.
    pub(super) is_blank: bool,
}

impl Font {
    pub(super) fn load(file: &File, object: &Object) -> Font {
        let empty = Dict::default();
        let dict = object.dict().unwrap_or(&empty);
        let to_unicode = match &*file.resolve(dict.get("ToUnicode")) {
            Object::Stream(stream) => file.decode(stream).map(|data| CMap::parse(&data)).filter(CMap::has_texts),
            _ => None,
        };
        let name = dict.get("BaseFont").name().unwrap_or_default().to_ascii_lowercase();
        let composite = dict.get("Subtype").name() == Some("Type0");
        let descendant = file.resolve(dict.get("DescendantFonts"));
        let descendant = descendant.array().first().map(|font| file.resolve(font));
        let owner = descendant.as_ref().and_then(|font| font.dict()).unwrap_or(dict);
        let descriptor = file.resolve(owner.get("FontDescriptor"));
        let descriptor = descriptor.dict().unwrap_or(&empty);
        let flags = file.resolve(descriptor.get("Flags")).int().unwrap_or(0);
        let (kind, scale) = if composite {
            (Kind::Composite(Composite::load(file, dict, owner, descriptor, to_unicode.is_some())), 1.0)
        } else {
            simple(file, dict, descriptor, &name)
        };
        let mut font = Font { bold: is_bold(file, &name, flags, descriptor), mono: false, scale, to_unicode, kind };
        font.mono = flags & 1 != 0 || is_mono(&name) || font.has_one_width();
        font
    }

    fn has_one_width(&self) -> bool {
        let Kind::Simple { widths, .. } = &self.kind else { return false };
        let [narrow, wide] = [b'i', b'm'].map(|byte| widths[usize::from(byte)]);
        narrow > 0.0 && narrow == wide
    }

    /// The glyphs of a text, one after the other.
    pub(super) fn glyphs(&self, bytes: &[u8], mut each: impl FnMut(Glyph)) {
        match &self.kind {
            Kind::Simple { texts, widths } => {
                for &byte in bytes {
                    let mapped = self.to_unicode.as_ref().and_then(|map| map.text(u32::from(byte)));
                    let text = mapped.map_or((&*texts[usize::from(byte)]).into(), Into::into);
                    each(Glyph { text, width: widths[usize::from(byte)], is_blank: byte == 32 });
                }
            }
            Kind::Composite(font) => {
                let mut rest = bytes;
                while !rest.is_empty() {
                    let (code, length) = font.next_code(rest);
                    let glyph = font.cmap.as_ref().map_or(code, |map| map.glyph(code));
                    let mapped = self.to_unicode.as_ref().and_then(|map| map.text(code));
                    let text = mapped.unwrap_or_else(|| font.text(code, glyph));
                    each(Glyph { text: text.into(), width: font.width(glyph), is_blank: length == 1 && code == 32 });
                    rest = &rest[length.clamp(1, rest.len())..];
                }
            }
        }
    }
}

fn is_bold(file: &File, name: &str, flags: i64, descriptor: &Dict) -> bool {
    let weight = file.resolve(descriptor.get("FontWeight")).number().unwrap_or(0.0);
    let by_name =
        ["bold", "black", "heavy", "-bd", "cmbx", "sfbx", "nimbussanl-bol"].iter().any(|word| name.contains(word));
    by_name || weight >= 600.0 || flags & (1 << 18) != 0
}

fn is_mono(name: &str) -> bool {
    ["courier", "mono", "cmtt", "sltt", "consolas", "sftt", "typewriter", "nimbusmon"]
        .iter()
        .any(|word| name.contains(word))
}

fn simple(file: &File, dict: &Dict, descriptor: &Dict, name: &str) -> (Kind, f64) {
    let texts = simple_texts(file, dict, descriptor, name);
    let is_type3 = dict.get("Subtype").name() == Some("Type3");
    let (mut unit, mut scale) = (0.001, 1.0);
    if is_type3 {
        let matrix = numbers(file, dict.get("FontMatrix"));
        let bbox = numbers(file, dict.get("FontBBox"));
        unit = matrix.first().copied().filter(|unit| *unit != 0.0).map_or(0.001, f64::abs);
        let height = if bbox.len() == 4 { (bbox[3] - bbox[1]).abs() * unit } else { 0.0 };
        scale = if height > 0.0 { height } else { 1.0 };
    }
    let missing = file.resolve(descriptor.get("MissingWidth")).number().unwrap_or(0.0);
    let mut widths = vec![missing * unit; 256];
    let given = file.resolve(dict.get("Widths"));
    let first = file.resolve(dict.get("FirstChar")).int().unwrap_or(0).clamp(0, 255) as usize;
    for (slot, width) in widths.iter_mut().skip(first).zip(given.array()) {
        *slot = file.resolve(width).number().unwrap_or(0.0) * unit;
    }
    if given.array().is_empty() {
        known_widths(&mut widths, name);
    }
    (Kind::Simple { texts, widths }, scale)
}

/// The fonts every reader has are used without widths.
fn known_widths(widths: &mut [f64], name: &str) {
    let ascii = if name.contains("times") { &encoding::TIMES } else { &encoding::HELVETICA };
    for (code, slot) in widths.iter_mut().enumerate() {
        let width = match code.checked_sub(32).and_then(|at| ascii.get(at)) {
            _ if name.contains("courier") => 600,
            Some(width) => *width,
            None => 550,
        };
        *slot = f64::from(width) / 1000.0;
    }
}

fn simple_texts(file: &File, dict: &Dict, descriptor: &Dict, name: &str) -> Vec<Box<str>> {
    let encoding = file.resolve(dict.get("Encoding"));
    let base_name = encoding.name().or_else(|| encoding.dict()?.get("BaseEncoding").name());
    let base: Table = match base_name {
        Some("WinAnsiEncoding") => encoding::win_ansi(),
        Some("MacRomanEncoding") => encoding::mac_roman(),
        Some("StandardEncoding") => encoding::standard(),
        _ if name.contains("symbol") => encoding::symbol(),
        _ if name.contains("dingbats") => encoding::dingbats(),
        // A TrueType font without an encoding is most often written by a program for Windows.
        _ if dict.get("Subtype").name() == Some("TrueType") => encoding::win_ansi(),
        _ => encoding::standard(),
    };
    let mut texts: Vec<Box<str>> = base.into_iter().map(text_of).collect();
    if base_name.is_none() {
        let program = |key: &str| match &*file.resolve(descriptor.get(key)) {
            Object::Stream(stream) => file.decode(stream),
            _ => None,
        };
        if let Some(program) = program("FontFile") {
            built_in(&program, &mut texts);
        } else if let Some(names) = program("FontFile3").and_then(|program| cff::built_in(&program)) {
            names.iter().for_each(|(code, name)| texts[usize::from(*code)] = encoding::of_name(name).into());
        }
    }
    let differences = encoding.dict().map(|dict| file.resolve(dict.get("Differences")));
    let mut code = 0u8;
    let (mut numbered, mut bare) = (Vec::new(), Vec::new());
    for item in differences.iter().flat_map(|items| items.array()).take(MAX_DIFFERENCES) {
        match &*file.resolve(item) {
            Object::Name(name) => {
                if encoding::is_number_of(name, code) {
                    numbered.push(code);
                } else if name.parse() == Ok(code) {
                    bare.push(code);
                } else {
                    texts[usize::from(code)] = encoding::of_name(name).into();
                }
                code = code.saturating_add(1);
            }
            other => code = other.int().and_then(|code| u8::try_from(code).ok()).unwrap_or(code),
        }
    }
    // Fonts of dots, as TeX makes them, have numbers for names; their codes are those of one of TeX's encodings.
    let tex = tex_codes::encoding(&numbered);
    numbered.into_iter().for_each(|code| texts[usize::from(code)] = text_of(tex(code)));
    // A name that is only a number is a code of Windows, unless glyphs were counted as they came.
    if bare.iter().all(|code| *code > 8) {
        let windows = encoding::win_ansi();
        bare.into_iter().for_each(|code| texts[usize::from(code)] = text_of(windows[usize::from(code)]));
    }
    texts
}

fn text_of(c: Option<char>) -> Box<str> {
    c.map_or("".into(), |c| c.to_string().into())
}

/// The encoding that stands in a Type 1 font program: `dup 65 /A put`.
fn built_in(program: &[u8], texts: &mut [Box<str>]) {
    let clear = &program[..memchr::memmem::find(program, b"eexec").unwrap_or(program.len()).min(64 << 10)];
    let Some(start) = memchr::memmem::find(clear, b"/Encoding") else { return };
    let mut lexer = Lexer::new(clear, start + 9);
    let mut code = None;
    loop {
        match lexer.token() {
            Token::Value(Object::Int(number)) => code = usize::try_from(number).ok(),
            Token::Value(Object::Name(name)) => {
                if let Some(slot) = code.take().and_then(|code| texts.get_mut(code)) {
                    *slot = encoding::of_name(&name).into();
                }
            }
            Token::Word(b"def" | b"readonly") | Token::End => return,
            _ => {}
        }
    }
}

fn numbers(file: &File, object: &Object) -> Vec<f64> {
    file.resolve(object).array().iter().filter_map(|item| file.resolve(item).number()).collect()
}

impl Composite {
    fn load(file: &File, dict: &Dict, descendant: &Dict, descriptor: &Dict, has_map: bool) -> Composite {
        let encoding = file.resolve(dict.get("Encoding"));
        let cmap = match &*encoding {
            Object::Stream(stream) => file.decode(stream).map(|data| CMap::parse(&data)),
            _ => None,
        };
        let utf16 = encoding.name().is_some_and(|name| name.contains("UTF16") || name.contains("UCS2"));
        let by_glyph = match &*file.resolve(descriptor.get("FontFile2")) {
            Object::Stream(stream) if !has_map => file.decode(stream).and_then(|font| glyph_characters(&font)),
            _ => None,
        };
        Composite {
            cmap,
            utf16,
            by_glyph: by_glyph.unwrap_or_default(),
            widths: composite_widths(file, descendant),
            default_width: file.resolve(descendant.get("DW")).number().unwrap_or(1000.0) / 1000.0,
        }
    }

    fn next_code(&self, bytes: &[u8]) -> (u32, usize) {
        match (&self.cmap, bytes) {
            (Some(map), _) => map.next_code(bytes),
            (None, [high, low, ..]) => (u32::from(*high) << 8 | u32::from(*low), 2),
            (None, _) => (u32::from(bytes[0]), 1),
        }
    }

    fn text(&self, code: u32, glyph: u32) -> String {
        let by_code = || char::from_u32(code).filter(|_| self.utf16);
        self.by_glyph.get(&glyph).copied().or_else(by_code).map(String::from).unwrap_or_default()
    }

    fn width(&self, glyph: u32) -> f64 {
        let after = self.widths.partition_point(|(first, ..)| *first <= glyph);
        let range = self.widths[..after].last().filter(|(_, last, _)| *last >= glyph);
        range.map_or(self.default_width, |(.., width)| *width)
    }
}

/// `W`: either a first glyph and an array of widths, or two glyphs and the width of all between them.
fn composite_widths(file: &File, descendant: &Dict) -> Vec<(u32, u32, f64)> {
    let list = file.resolve(descendant.get("W"));
    let mut widths = Vec::new();
    let mut items = list.array().iter().map(|item| file.resolve(item));
    while let (Some(first), Some(second)) = (items.next(), items.next()) {
        let Some(first) = first.int().and_then(|first| u32::try_from(first).ok()) else { break };
        if let Object::Array(each) = &*second {
            for (glyph, width) in (first..).zip(each).take(MAX_WIDTHS.saturating_sub(widths.len())) {
                widths.push((glyph, glyph, file.resolve(width).number().unwrap_or(0.0) / 1000.0));
            }
        } else {
            let last = second.int().and_then(|last| u32::try_from(last).ok());
            let width = items.next().and_then(|width| width.number());
            let (Some(last), Some(width)) = (last, width) else { break };
            widths.push((first, last, width / 1000.0));
        }
        if widths.len() >= MAX_WIDTHS {
            break;
        }
    }
    widths.sort_by_key(|(first, ..)| *first);
    widths
}

/// Characters by glyph of a TrueType font, from the table that gives glyphs by character.
fn glyph_characters(font: &[u8]) -> Option<std::collections::HashMap<u32, char>> {
    let u16_at = |at: usize| Some(u16::from_be_bytes(*font.get(at..)?.first_chunk()?));
    let u32_at = |at: usize| Some(u32::from_be_bytes(*font.get(at..)?.first_chunk()?));
    let tables = usize::from(u16_at(4)?);
    let start = (0..tables).find_map(|n| {
        let record = 12 + 16 * n;
        (font.get(record..record + 4)? == b"cmap").then(|| u32_at(record + 8)).flatten()
    })? as usize;
    let mut map = std::collections::HashMap::new();
    let mut codes = 0;
    for n in 0..usize::from(u16_at(start + 2)?).min(16) {
        let at = start.checked_add(u32_at(start + 4 + 8 * n + 4)? as usize)?;
        if u16_at(at) != Some(4) {
            continue;
        }
        let segments = usize::from(u16_at(at + 6)?) / 2;
        for segment in 0..segments {
            let [last, first, delta, offset] = [0, 1, 2, 3]
                .map(|column| u16_at(at + 14 + 2 * segment + 2 * segments * column + 2 * usize::from(column > 0)));
            let (last, first, delta, offset) = (last?, first?, delta?, offset?);
            codes += usize::from(last.saturating_sub(first));
            // Segments that overlap are no font's.
            if codes > MAX_WIDTHS {
                return Some(map);
            }
            for code in first..=last.min(0xfffe) {
                let glyph = if offset == 0 {
                    code.wrapping_add(delta)
                } else {
                    let slot =
                        at + 16 + 6 * segments + 2 * segment + usize::from(offset) + 2 * usize::from(code - first);
                    u16_at(slot).unwrap_or(0)
                };
                if let Some(c) = char::from_u32(u32::from(code)).filter(|_| glyph != 0) {
                    map.entry(u32::from(glyph)).or_insert(c);
                }
            }
        }
    }
    Some(map)
}
