//! The encoding that a font program in the compact format (CFF, Type 1C) has built in.

/// The names that every such font may use without bringing them along.
const NAMES: &str = include_str!("cff_names.txt");
/// One byte stands for each code.
const MAX_GLYPHS: usize = 256;

/// Names of glyphs by code; nothing for fonts whose glyphs have numbers only, and for broken ones.
pub(super) fn built_in(font: &[u8]) -> Option<Vec<(u8, String)>> {
    let header = usize::from(*font.get(2)?);
    let (_, after_names) = index(font, header)?;
    let (tops, after_tops) = index(font, after_names)?;
    let (strings, _) = index(font, after_tops)?;
    let top = Top::read(tops.first()?)?;
    if top.encoding < 2 {
        return None;
    }
    let names = charset(font, top.charset)?;
    let known: Vec<&str> = NAMES.lines().collect();
    let name = |id: u16| -> Option<String> {
        let id = usize::from(id);
        match known.get(id) {
            Some(name) => Some((*name).to_owned()),
            None => Some(String::from_utf8_lossy(strings.get(id - known.len())?).into_owned()),
        }
    };
    let mut codes = Reader { font, at: top.encoding };
    let format = codes.u8()?;
    let mut encoding = Vec::new();
    let mut glyphs = names.iter();
    for _ in 0..codes.u8()? {
        let first = codes.u8()?;
        let more = if format & 0x7f == 0 { 0 } else { codes.u8()? };
        for code in first..=first.saturating_add(more) {
            if let Some(name) = glyphs.next().and_then(|id| name(*id)) {
                encoding.push((code, name));
            }
        }
    }
    if format & 0x80 != 0 {
        for _ in 0..codes.u8()? {
            let (code, id) = (codes.u8()?, codes.u16()?);
            encoding.extend(name(id).map(|name| (code, name)));
        }
    }
    Some(encoding)
}

struct Top {
    charset: usize,
    encoding: usize,
}

impl Top {
    fn read(dict: &[u8]) -> Option<Top> {
        let mut top = Top { charset: 0, encoding: 0 };
        let mut reader = Reader { font: dict, at: 0 };
        let mut number = 0;
        while let Some(byte) = reader.u8() {
            match byte {
                15 => top.charset = usize::try_from(number).ok()?,
                16 => top.encoding = usize::try_from(number).ok()?,
                // `ROS`: glyphs have numbers.
                12 if reader.u8()? == 30 => return None,
                28 => number = i32::from(reader.u16()? as i16),
                29 => number = i32::from(reader.u16()?) << 16 | i32::from(reader.u16()?),
                30 => while reader.u8()? & 0xf != 0xf {},
                32..=246 => number = i32::from(byte) - 139,
                247..=250 => number = (i32::from(byte) - 247) * 256 + i32::from(reader.u8()?) + 108,
                251..=254 => number = -(i32::from(byte) - 251) * 256 - i32::from(reader.u8()?) - 108,
                _ => {}
            }
        }
        Some(top)
    }
}

/// The ids of the names of all glyphs but the first, which is for codes that have none.
fn charset(font: &[u8], at: usize) -> Option<Vec<u16>> {
    // Three sets are known by their numbers; only the first is that of common fonts.
    match at {
        0 => return Some((1..=228).collect()),
        1 | 2 => return None,
        _ => {}
    }
    let mut reader = Reader { font, at };
    let format = reader.u8()?;
    let mut ids = Vec::new();
    // How many there are is said elsewhere; what follows the last is read and never asked for.
    while ids.len() < MAX_GLYPHS {
        let Some(first) = reader.u16() else { break };
        let more = match format {
            0 => 0,
            1 => u16::from(reader.u8()?),
            _ => reader.u16()?,
        };
        ids.extend((first..=first.saturating_add(more)).take(MAX_GLYPHS - ids.len()));
    }
    Some(ids)
}

/// The entries of an index, and where it ends.
fn index(font: &[u8], at: usize) -> Option<(Vec<&[u8]>, usize)> {
    let mut reader = Reader { font, at };
    let count = usize::from(reader.u16()?);
    if count == 0 {
        return Some((Vec::new(), at + 2));
    }
    let size = reader.u8()?;
    let offsets: Vec<usize> = (0..=count).map(|_| reader.offset(size)).collect::<Option<_>>()?;
    // They count from the byte before the data.
    let data = reader.at - 1;
    let entry = |pair: &[usize]| font.get(data.checked_add(pair[0])?..data.checked_add(pair[1])?);
    let entries = offsets.windows(2).map(entry).collect::<Option<_>>()?;
    Some((entries, data + offsets[count]))
}

struct Reader<'a> {
    font: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn u8(&mut self) -> Option<u8> {
        let byte = *self.font.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from(self.u8()?) << 8 | u16::from(self.u8()?))
    }

    fn offset(&mut self, size: u8) -> Option<usize> {
        (0..size.min(4)).try_fold(0, |offset, _| Some(offset << 8 | usize::from(self.u8()?)))
    }
}
