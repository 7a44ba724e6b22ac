//! Streams as they are meant: decompressed, within limits.

use std::cell::Cell;
use std::io::Read;

use super::object::{Dict, Object, hex, is_space};

/// What one stream may become. A page's content is a few hundred kilobytes; tables of a large font a few megabytes.
const MAX_STREAM: u64 = 48 << 20;

/// How many bytes may still be unpacked from this file.
pub(super) struct Budget(Cell<u64>);

impl Budget {
    pub(super) fn new(bytes: u64) -> Self {
        Budget(Cell::new(bytes))
    }

    fn room(&self) -> u64 {
        self.0.get().min(MAX_STREAM)
    }

    fn spend(&self, bytes: usize) {
        self.0.set(self.0.get().saturating_sub(bytes as u64));
    }

    pub(super) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

/// Applies a filter. A broken stream is what could be read of it, because a page that ends early is still a page; one
/// that is beyond the budget is cut, and the budget says so. Nothing if the filter is one of images.
pub(super) fn decode(name: &str, data: &[u8], params: Option<&Dict>, budget: &Budget) -> Option<Vec<u8>> {
    let decoded = match name {
        "FlateDecode" | "Fl" => predict(inflate(data, budget), params),
        "LZWDecode" | "LZW" => {
            let early = params.and_then(|params| params.get("EarlyChange").int()) != Some(0);
            predict(lzw(data, early, budget.room() as usize), params)
        }
        "ASCIIHexDecode" | "AHx" => ascii_hex(data),
        "ASCII85Decode" | "A85" => ascii85(data, budget.room() as usize),
        "RunLengthDecode" | "RL" => run_length(data, budget.room() as usize),
        "Crypt" => data.to_vec(),
        _ => return None,
    };
    budget.spend(decoded.len());
    Some(decoded)
}

fn inflate(data: &[u8], budget: &Budget) -> Vec<u8> {
    let mut out = Vec::new();
    // An error is the end of what can be read.
    let _ = flate2::read::ZlibDecoder::new(data).take(budget.room()).read_to_end(&mut out);
    if out.is_empty() && data.len() > 2 {
        // A wrong header, right data: some writers leave out the two bytes or get them wrong.
        let _ = flate2::read::DeflateDecoder::new(&data[2..]).take(budget.room()).read_to_end(&mut out);
    }
    out
}

fn predict(data: Vec<u8>, params: Option<&Dict>) -> Vec<u8> {
    let number = |key, default| params.and_then(|params| params.get(key).int()).unwrap_or(default);
    let predictor = number("Predictor", 1);
    if predictor < 2 {
        return data;
    }
    let colors = number("Colors", 1).clamp(1, 32) as usize;
    let bits = number("BitsPerComponent", 8).clamp(1, 16) as usize;
    let columns = number("Columns", 1).clamp(1, 1 << 20) as usize;
    let pixel = (colors * bits).div_ceil(8);
    let row = (colors * bits * columns).div_ceil(8);
    if predictor == 2 { tiff(data, row, pixel, bits) } else { png(&data, row, pixel) }
}

fn tiff(mut data: Vec<u8>, row: usize, pixel: usize, bits: usize) -> Vec<u8> {
    // Other depths are those of images.
    if bits == 8 {
        for line in data.chunks_mut(row) {
            for at in pixel..line.len() {
                line[at] = line[at].wrapping_add(line[at - pixel]);
            }
        }
    }
    data
}

fn png(data: &[u8], row: usize, pixel: usize) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(data.len());
    let mut above = vec![0u8; row];
    let mut line = vec![0u8; row];
    for coded in data.chunks(row + 1) {
        let (kind, coded) = (coded[0], &coded[1..]);
        for (at, &byte) in coded.iter().enumerate() {
            let left = if at >= pixel { line[at - pixel] } else { 0 };
            let corner = if at >= pixel { above[at - pixel] } else { 0 };
            let up = above[at];
            line[at] = byte.wrapping_add(match kind {
                1 => left,
                2 => up,
                3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
                4 => paeth(left, up, corner),
                _ => 0,
            });
        }
        out.extend_from_slice(&line[..coded.len()]);
        std::mem::swap(&mut above, &mut line);
    }
    out
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let [a, b, c] = [left, up, corner].map(i16::from);
    let estimate = a + b - c;
    let [da, db, dc] = [a, b, c].map(|value| (estimate - value).abs());
    if da <= db && da <= dc {
        left
    } else if db <= dc {
        up
    } else {
        corner
    }
}

fn lzw(data: &[u8], early: bool, max: usize) -> Vec<u8> {
    let mut out = Vec::new();
    // An entry is the place in the output where its bytes stand: an earlier code and the byte after it.
    let mut table: Vec<(usize, usize)> = Vec::with_capacity(4096);
    let (mut bits, mut held, mut width) = (0u32, 0u32, 9u32);
    let mut last: Option<(usize, usize)> = None;
    for &byte in data {
        bits = bits << 8 | u32::from(byte);
        held += 8;
        if held < width {
            continue;
        }
        held -= width;
        let code = (bits >> held) & ((1 << width) - 1);
        bits &= (1 << held) - 1;
        match code {
            256 => {
                table.clear();
                width = 9;
                last = None;
                continue;
            }
            257 => break,
            _ => {}
        }
        let start = out.len();
        let entry = (code as usize).checked_sub(258);
        match (entry, last) {
            (None, _) => out.push(code as u8),
            (Some(entry), _) if entry < table.len() => {
                let (from, len) = table[entry];
                out.extend_from_within(from..from + len);
            }
            (Some(entry), Some((from, len))) if entry == table.len() => {
                out.extend_from_within(from..from + len);
                out.push(out[from]);
            }
            _ => break,
        }
        if let Some((from, len)) = last
            && table.len() < 4096 - 258
        {
            // The last code's bytes and the first of this one's follow each other in the output.
            table.push((from, len + 1));
        }
        last = Some((start, out.len() - start));
        let next = table.len() + 258 + 1 + usize::from(early);
        width = match next {
            ..=512 => 9,
            513..=1024 => 10,
            1025..=2048 => 11,
            _ => 12,
        };
        if out.len() > max {
            out.truncate(max);
            break;
        }
    }
    out
}

fn ascii_hex(data: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = data.iter().take_while(|&&byte| byte != b'>').filter_map(|&byte| hex(byte)).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
}

fn ascii85(data: &[u8], max: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity((data.len() / 5 * 4).min(max));
    let (mut group, mut count) = (0u32, 0);
    for &byte in data {
        match byte {
            b'z' if count == 0 => out.extend_from_slice(&[0; 4]),
            b'!'..=b'u' => {
                group = group.wrapping_mul(85).wrapping_add(u32::from(byte - b'!'));
                count += 1;
                if count == 5 {
                    out.extend_from_slice(&group.to_be_bytes());
                    (group, count) = (0, 0);
                }
            }
            b'~' => break,
            _ if is_space(byte) => {}
            _ => break,
        }
        if out.len() >= max {
            return out;
        }
    }
    if count > 1 {
        for _ in count..5 {
            group = group.wrapping_mul(85).wrapping_add(84);
        }
        out.extend_from_slice(&group.to_be_bytes()[..count - 1]);
    }
    out
}

fn run_length(data: &[u8], max: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&length) = data.get(at) {
        let length = usize::from(length);
        at += 1;
        match length {
            128 => break,
            ..128 => {
                let end = (at + length + 1).min(data.len());
                out.extend_from_slice(&data[at..end]);
                at = end;
            }
            _ => {
                let Some(&byte) = data.get(at) else { break };
                out.resize(out.len() + 257 - length, byte);
                at += 1;
            }
        }
        if out.len() >= max {
            out.truncate(max);
            break;
        }
    }
    out
}

/// The filters of a stream with their parameters.
pub(super) fn filters(filter: &Object, params: &Object) -> Vec<(String, Option<Dict>)> {
    let of = |params: &Object| params.dict().filter(|dict| !dict.is_empty()).cloned();
    match filter {
        Object::Name(name) => {
            let params =
                if let Object::Array(items) = params { items.first().unwrap_or(&Object::Null) } else { params };
            vec![(name.to_string(), of(params))]
        }
        // A chain of many filters is only made to cost time.
        Object::Array(items) => items
            .iter()
            .take(8)
            .enumerate()
            .filter_map(|(n, item)| Some((item.name()?.to_owned(), params.array().get(n).and_then(of))))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(name: &str, data: &[u8]) -> Vec<u8> {
        decode(name, data, None, &Budget::new(1 << 20)).unwrap()
    }

    #[test]
    fn filters_give_back_what_was_packed() {
        assert_eq!(plain("ASCIIHexDecode", b"48 65 6C 6c 6F>"), b"Hello");
        assert_eq!(plain("ASCII85Decode", b"87cURD]i,\"Ebo80~>"), b"Hello World!");
        assert_eq!(plain("RunLengthDecode", &[2, b'a', b'b', b'c', 254, b'x', 128]), b"abcxxx");
        // The example of the standard, 7.4.4.2.
        let packed = [0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01];
        assert_eq!(plain("LZWDecode", &packed), [45, 45, 45, 45, 45, 65, 45, 45, 45, 66]);
        assert_eq!(decode("DCTDecode", b"", None, &Budget::new(1)), None);
    }

    #[test]
    fn a_bomb_is_cut_at_the_budget() {
        use std::io::Write;
        let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&vec![0; 4 << 20]).unwrap();
        let budget = Budget::new(1 << 20);
        assert_eq!(decode("FlateDecode", &packer.finish().unwrap(), None, &budget).unwrap().len(), 1 << 20);
        assert!(budget.is_spent());
    }

    #[test]
    fn rows_are_predicted_from_the_row_above() {
        let mut params = Dict::default();
        params.insert("Predictor", Object::Int(12));
        params.insert("Columns", Object::Int(3));
        assert_eq!(predict(vec![2, 1, 2, 3, 2, 1, 1, 1], Some(&params)), [1, 2, 3, 2, 3, 4]);
    }
}
