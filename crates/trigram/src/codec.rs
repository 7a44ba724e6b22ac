//! Lists of document numbers as bits, and numbers as bytes.
//!
//! A list is rising. Each gap is written as an exponential Golomb code, whose parameter is chosen per list: documents that
//! lie close together, such as files of one folder, take one bit each, and a far jump among them costs its logarithm, not
//! its length. No list can grow beyond 65 bits per document, and reading needs no look at what comes after.

/// Bits for the parameter at the head of a list.
const PARAMETER_BITS: u32 = 5;

/// Bytes that are not a list that [`encode`] wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadList;

pub(crate) fn encode(docs: &[u32], out: &mut Vec<u8>) {
    let parameter = best_parameter(docs);
    let mut bits = BitWriter { out, pending: 0, filled: 0 };
    bits.put(u64::from(parameter), PARAMETER_BITS);
    for gap in gaps(docs) {
        let rest = (u64::from(gap) >> parameter) + 1;
        let zeros = rest.ilog2();
        // A one after so many zeros says how many bits follow; the highest of `rest` is always set and left out.
        bits.put(1 << zeros, zeros + 1);
        bits.put(rest ^ (1 << zeros), zeros);
        bits.put(u64::from(gap) & ((1 << parameter) - 1), parameter);
    }
    bits.flush();
}

/// What lies between one number and the next, less one.
fn gaps(docs: &[u32]) -> impl Iterator<Item = u32> + '_ {
    let mut next = 0;
    docs.iter().map(move |&doc| {
        let gap = doc - next;
        next = doc.wrapping_add(1);
        gap
    })
}

fn best_parameter(docs: &[u32]) -> u32 {
    let (Some(&last), count) = (docs.last(), docs.len() as u64) else { return 0 };
    let mean = u64::from(last) / count + 1;
    // Larger than the mean never pays.
    let cost = |parameter: u32| -> u64 {
        gaps(docs).map(|gap| u64::from(parameter + 2 * ((u64::from(gap) >> parameter) + 1).ilog2() + 1)).sum()
    };
    let highest = mean.ilog2().min(31);
    // The cost has one valley over the parameter, near enough: walk up while it falls.
    let mut best = (cost(0), 0);
    for parameter in 1..=highest {
        let next = cost(parameter);
        if next > best.0 {
            break;
        }
        best = (next, parameter);
    }
    best.1
}

struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    pending: u64,
    filled: u32,
}

impl BitWriter<'_> {
    /// Appends the lowest `count` bits, at most 33, lowest first.
    fn put(&mut self, bits: u64, count: u32) {
        debug_assert!(count <= 33 && (bits >> count) == 0);
        self.pending |= bits << self.filled;
        self.filled += count;
        // At most 31 bits wait before a call, so nothing is ever shifted out.
        while self.filled >= 32 {
            self.out.extend_from_slice(&(self.pending as u32).to_le_bytes());
            self.pending >>= 32;
            self.filled -= 32;
        }
    }

    fn flush(self) {
        let bytes = self.filled.div_ceil(8) as usize;
        self.out.extend_from_slice(&self.pending.to_le_bytes()[..bytes]);
    }
}

/// Reads a list of `count` numbers below `limit` that takes exactly these bytes, appending to `out`.
pub(crate) fn decode(bytes: &[u8], count: u32, limit: u32, out: &mut Vec<u32>) -> Result<(), BadList> {
    if count > limit {
        return Err(BadList);
    }
    out.reserve(count as usize);
    let mut bits = BitReader { bytes, at: 0 };
    let parameter = bits.take(PARAMETER_BITS) as u32;
    let mut next = 0u64;
    for _ in 0..count {
        let zeros = bits.zeros()?;
        if zeros + parameter > 32 {
            return Err(BadList);
        }
        let rest = (bits.take(zeros) | 1 << zeros) - 1;
        let gap = (rest << parameter) | bits.take(parameter);
        let doc = next + gap;
        if doc >= u64::from(limit) {
            return Err(BadList);
        }
        out.push(doc as u32);
        next = doc + 1;
    }
    if bits.at.div_ceil(8) == bytes.len() { Ok(()) } else { Err(BadList) }
}

struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl BitReader<'_> {
    /// At least 57 bits from here on; zeros behind the end.
    #[inline]
    fn window(&self) -> u64 {
        let start = self.at / 8;
        let word = match self.bytes.get(start..start + 8) {
            Some(eight) => eight.try_into().map_or(0, u64::from_le_bytes),
            None => self.last_window(start),
        };
        word >> (self.at % 8)
    }

    fn last_window(&self, start: usize) -> u64 {
        let mut eight = [0; 8];
        let rest = self.bytes.get(start..).unwrap_or_default();
        eight[..rest.len()].copy_from_slice(rest);
        u64::from_le_bytes(eight)
    }

    #[inline]
    fn take(&mut self, count: u32) -> u64 {
        let bits = self.window() & ((1 << count) - 1);
        self.at += count as usize;
        bits
    }

    #[inline]
    fn zeros(&mut self) -> Result<u32, BadList> {
        let zeros = self.window().trailing_zeros();
        if zeros > 32 {
            return Err(BadList);
        }
        self.at += zeros as usize + 1;
        Ok(zeros)
    }
}

/// Appends a number in seven-bit groups, lowest first.
pub(crate) fn put_varint(mut value: u32, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(crate) fn take_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0u64;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return u32::try_from(value).ok();
        }
    }
    None
}

/// Takes a fixed number of bytes off the front.
pub(crate) fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*head)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn round_trip(docs: &[u32], limit: u32) -> Vec<u32> {
        let mut bytes = vec![0xee];
        encode(docs, &mut bytes);
        let mut out = Vec::new();
        decode(&bytes[1..], docs.len() as u32, limit, &mut out).unwrap();
        out
    }

    #[test]
    fn the_far_ends_survive() {
        for docs in [vec![], vec![0], vec![u32::MAX - 1], vec![0, u32::MAX - 1], vec![u32::MAX - 2, u32::MAX - 1]] {
            assert_eq!(round_trip(&docs, u32::MAX), docs);
        }
    }

    #[test]
    fn documents_in_a_row_take_a_bit_each() {
        let mut bytes = Vec::new();
        encode(&(0..8000).collect::<Vec<_>>(), &mut bytes);
        assert!(bytes.len() <= 1001, "{}", bytes.len());
    }

    #[test]
    fn numbers_above_the_limit_and_other_lengths_are_refused() {
        let mut bytes = Vec::new();
        encode(&[3, 9, 12], &mut bytes);
        let mut out = Vec::new();
        assert_eq!(decode(&bytes, 3, 12, &mut out), Err(BadList));
        assert_eq!(decode(&bytes, 40, 30, &mut out), Err(BadList));
        assert_eq!(decode(&[], 1, 30, &mut out), Err(BadList));
        bytes.push(0);
        assert_eq!(decode(&bytes, 3, 13, &mut out), Err(BadList));
    }

    #[test]
    fn a_number_of_too_many_bytes_is_refused() {
        for bytes in [&[0x80u8][..], &[0xff; 6], &[0xff, 0xff, 0xff, 0xff, 0x7f]] {
            assert_eq!(take_varint(&mut &bytes[..]), None);
        }
    }

    proptest! {
        #[test]
        fn lists_survive(mut docs in prop_oneof![
            proptest::collection::vec(0..100u32, 0..80),
            proptest::collection::vec(0..100_000u32, 0..300),
            proptest::collection::vec(0..u32::MAX, 0..20),
        ]) {
            docs.sort_unstable();
            docs.dedup();
            prop_assert_eq!(round_trip(&docs, u32::MAX), docs);
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..60), count in 0..200u32) {
            let mut out = Vec::new();
            if decode(&bytes, count, 1000, &mut out).is_ok() {
                prop_assert!(out.is_sorted_by(|a, b| a < b));
                prop_assert!(out.iter().all(|&doc| doc < 1000));
            }
        }

        #[test]
        fn numbers_survive(value: u32) {
            let mut bytes = Vec::new();
            put_varint(value, &mut bytes);
            let mut rest = &bytes[..];
            prop_assert_eq!(take_varint(&mut rest), Some(value));
            prop_assert!(rest.is_empty());
        }
    }
}
