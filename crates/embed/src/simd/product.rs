//! Products of matrices of small integers. They are exact, so every form gives the same numbers.
//!
//! The left matrix is row-major. The right one is packed for how processors multiply: its columns go in blocks of
//! [`LANES`], and within a block each group of values that one instruction multiplies and adds (four bytes, or two
//! 16-bit words, consecutive in depth) lies together, lane after lane. One group of a left row then meets 16 columns at
//! once, and nothing is left to fold at the end.

use super::Form;

/// Columns of a block. The number of columns must be a multiple of it.
pub(crate) const LANES: usize = 16;
/// Rows that are multiplied at a time. The number of rows must be a multiple of it.
pub(crate) const ABREAST: usize = 6;

/// Bytes of a group.
const BYTES: usize = 4;
/// 16-bit words of a group.
const WORDS: usize = 2;

/// A matrix of signed bytes, packed, and what the sums of each column start from.
pub(crate) struct ByteMatrix {
    /// Signed, as they are in files.
    packed: Vec<u8>,
    depth: usize,
    starts: Vec<i32>,
}

impl ByteMatrix {
    /// Packs a matrix that is given by its columns, each of `depth` signed bytes.
    ///
    /// Left values are unsigned. If they stand for signed ones, `offset` was added to each of them; the sums then start
    /// so that it is taken off again.
    ///
    /// # Panics
    ///
    /// If the columns are no whole blocks, or the depth no whole groups.
    pub(crate) fn pack(columns: &[u8], depth: usize, offset: i32) -> Self {
        assert!(depth.is_multiple_of(BYTES) && columns.len().is_multiple_of(depth * LANES), "a matrix of an odd shape");
        let mut packed = vec![0; columns.len()];
        for (block, columns) in packed.chunks_exact_mut(depth * LANES).zip(columns.chunks_exact(depth * LANES)) {
            let block = block.as_chunks_mut::<BYTES>().0;
            for (lane, column) in columns.chunks_exact(depth).enumerate() {
                for (at, group) in column.as_chunks().0.iter().enumerate() {
                    block[at * LANES + lane] = *group;
                }
            }
        }
        let start = |column: &[u8]| -offset * column.iter().map(|&value| i32::from(value as i8)).sum::<i32>();
        ByteMatrix { packed, depth, starts: columns.chunks_exact(depth).map(start).collect() }
    }

    pub(crate) fn width(&self) -> usize {
        self.starts.len()
    }
}

/// Packs a matrix that is given by its columns, each of `depth` values. If there is room for more columns, they are zero.
///
/// # Panics
///
/// If there is too little room, or `packed` is no whole blocks, or the depth no whole groups.
pub(crate) fn pack_words(columns: &[i16], depth: usize, packed: &mut [i16]) {
    assert!(depth.is_multiple_of(WORDS) && packed.len().is_multiple_of(depth * LANES), "a matrix of an odd shape");
    assert!(packed.len() >= columns.len(), "a matrix that is too large");
    for (at, block) in packed.chunks_exact_mut(depth * LANES).enumerate() {
        let columns = columns.get(at * depth * LANES..).unwrap_or_default();
        let mut columns = columns.chunks_exact(depth);
        let block = block.as_chunks_mut::<WORDS>().0;
        for lane in 0..LANES {
            let column = columns.next().unwrap_or_default().as_chunks::<WORDS>().0;
            for (at, group) in block[lane..].iter_mut().step_by(LANES).enumerate() {
                *group = column.get(at).copied().unwrap_or_default();
            }
        }
    }
}

/// Sets `out`, row-major, to the product of `left` and `right`.
///
/// # Panics
///
/// If the sizes don't match.
pub(crate) fn multiply_bytes(form: Form, left: &[u8], right: &ByteMatrix, out: &mut [i32]) {
    let ByteMatrix { packed, depth, starts } = right;
    let shape = Shape { depth: *depth, width: right.width() };
    match form {
        // SAFETY: `form` is only given if the processor has the features.
        #[cfg(target_arch = "x86_64")]
        Form::Avx512Vnni => sweep(left, packed, out, shape, 4, |tile| unsafe {
            match tile.blocks {
                4 => x86::bytes_avx512_vnni::<4>(tile, starts),
                3 => x86::bytes_avx512_vnni::<3>(tile, starts),
                2 => x86::bytes_avx512_vnni::<2>(tile, starts),
                _ => x86::bytes_avx512_vnni::<1>(tile, starts),
            }
        }),
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Form::Avx2 => sweep(left, packed, out, shape, 1, |tile| unsafe { x86::bytes_avx2(tile, starts) }),
        Form::Portable => sweep(left, packed, out, shape, 1, |tile| bytes_portable(tile, starts)),
    }
}

/// Sets `out`, row-major and of `width` columns, to the product of `left` and the packed `right`. The caller knows that
/// its values are too small for the sums to overflow.
///
/// # Panics
///
/// If the sizes don't match.
pub(crate) fn multiply_words(form: Form, left: &[i16], right: &[i16], width: usize, out: &mut [i32]) {
    let shape = Shape { depth: right.len() / width, width };
    match form {
        // SAFETY: `form` is only given if the processor has the features.
        #[cfg(target_arch = "x86_64")]
        Form::Avx512Vnni => sweep(left, right, out, shape, 4, |tile| unsafe {
            match tile.blocks {
                4 => x86::words_avx512_vnni::<4>(tile),
                3 => x86::words_avx512_vnni::<3>(tile),
                2 => x86::words_avx512_vnni::<2>(tile),
                _ => x86::words_avx512_vnni::<1>(tile),
            }
        }),
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Form::Avx2 => sweep(left, right, out, shape, 1, |tile| unsafe { x86::words_avx2(tile) }),
        Form::Portable => sweep(left, right, out, shape, 1, words_portable),
    }
}

/// The size of a right matrix.
#[derive(Clone, Copy)]
struct Shape {
    depth: usize,
    width: usize,
}

/// [`ABREAST`] rows times a few blocks.
struct Tile<'a, L, R> {
    /// The rows, `depth` values each.
    left: &'a [L],
    /// The blocks, `depth * LANES` values each.
    right: &'a [R],
    /// Starts at the first place of the tile; a row further is `width` places further.
    out: &'a mut [i32],
    blocks: usize,
    /// The first column.
    first: usize,
    shape: Shape,
}

impl<L, R> Tile<'_, L, R> {
    /// What the kernels rely on when they read and write without a check.
    fn assert_sizes(&self, group: usize, blocks: usize) {
        let Shape { depth, width } = self.shape;
        assert!(depth.is_multiple_of(group) && self.left.len() == ABREAST * depth);
        assert_eq!((self.blocks, self.right.len()), (blocks, blocks * LANES * depth));
        assert!(self.out.len() >= (ABREAST - 1) * width + blocks * LANES);
    }
}

/// Calls `multiply` for all tiles. A few columns stay in the cache while all rows go by.
fn sweep<L, R>(
    left: &[L],
    right: &[R],
    out: &mut [i32],
    shape: Shape,
    blocks: usize,
    mut multiply: impl FnMut(Tile<'_, L, R>),
) {
    let Shape { depth, width } = shape;
    assert_eq!(right.len(), depth * width, "the right matrix has another size");
    assert!(width.is_multiple_of(LANES) && left.len().is_multiple_of(depth * ABREAST), "a matrix of an odd shape");
    assert_eq!(left.len() / depth * width, out.len(), "the places for the product have another size");
    for first in (0..width).step_by(blocks * LANES) {
        let blocks = blocks.min((width - first) / LANES);
        let right = &right[first * depth..][..blocks * LANES * depth];
        for (left, out) in left.chunks_exact(ABREAST * depth).zip(out.chunks_exact_mut(ABREAST * width)) {
            multiply(Tile { left, right, out: &mut out[first..], blocks, first, shape });
        }
    }
}

/// Each column has as many sums as a group has values, so that every step is the same for all places of a register and the
/// compiler sees it. So it does not look for overflow either, which can't be.
fn bytes_portable(tile: Tile<'_, u8, u8>, starts: &[i32]) {
    let Tile { left, right, out, first, shape: Shape { depth, width }, .. } = tile;
    for (row, left) in left.chunks_exact(depth).enumerate() {
        let mut sums = [0i32; LANES * BYTES];
        for (&[a, b, c, d], group) in left.as_chunks().0.iter().zip(right.as_chunks::<{ LANES * BYTES }>().0) {
            let values = [a, b, c, d, a, b, c, d];
            for (sums, group) in sums.as_chunks_mut::<8>().0.iter_mut().zip(group.as_chunks::<8>().0) {
                for ((sum, &byte), value) in sums.iter_mut().zip(group).zip(values) {
                    *sum = sum.wrapping_add(i32::from(byte as i8) * i32::from(value));
                }
            }
        }
        let places = out[row * width..][..LANES].iter_mut().zip(&starts[first..]);
        for ((out, start), sums) in places.zip(sums.as_chunks::<BYTES>().0) {
            *out = start + sums.iter().sum::<i32>();
        }
    }
}

/// As for bytes.
fn words_portable(tile: Tile<'_, i16, i16>) {
    let Tile { left, right, out, shape: Shape { depth, width }, .. } = tile;
    for (row, left) in left.chunks_exact(depth).enumerate() {
        let mut sums = [0i32; LANES * WORDS];
        for (&[a, b], group) in left.as_chunks().0.iter().zip(right.as_chunks::<{ LANES * WORDS }>().0) {
            let values = [a, b, a, b, a, b, a, b];
            for (sums, group) in sums.as_chunks_mut::<8>().0.iter_mut().zip(group.as_chunks::<8>().0) {
                for ((sum, &word), value) in sums.iter_mut().zip(group).zip(values) {
                    *sum = sum.wrapping_add(i32::from(word) * i32::from(value));
                }
            }
        }
        for (out, sums) in out[row * width..][..LANES].iter_mut().zip(sums.as_chunks::<WORDS>().0) {
            *out = sums.iter().sum();
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{ABREAST, BYTES, LANES, Shape, Tile, WORDS};

    /// Six rows times four blocks are 24 sums, as many as 32 registers hold next to what is being multiplied.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) fn bytes_avx512_vnni<const BLOCKS: usize>(tile: Tile<'_, u8, u8>, starts: &[i32]) {
        tile.assert_sizes(BYTES, BLOCKS);
        let starts = &starts[tile.first..][..BLOCKS * LANES];
        let Tile { left, right, out, shape: Shape { depth, width }, .. } = tile;
        let mut sums = [[_mm512_setzero_si512(); BLOCKS]; ABREAST];
        for (block, starts) in starts.chunks_exact(LANES).enumerate() {
            // SAFETY: 16 numbers of 32 bits are read, as many as there are.
            let start = unsafe { _mm512_loadu_si512(starts.as_ptr().cast()) };
            sums.iter_mut().for_each(|row| row[block] = start);
        }
        for at in (0..depth).step_by(BYTES) {
            let mut columns = [_mm512_setzero_si512(); BLOCKS];
            for (block, columns) in columns.iter_mut().enumerate() {
                // SAFETY: `at + 4 <= depth`, and there are `BLOCKS * 16 * depth` values.
                *columns = unsafe { _mm512_loadu_si512(right.as_ptr().add((block * depth + at) * LANES).cast()) };
            }
            for (row, sums) in sums.iter_mut().enumerate() {
                // SAFETY: `at + 4 <= depth`, and there are six times `depth` values.
                let group = unsafe { left.as_ptr().add(row * depth + at).cast::<i32>().read_unaligned() };
                for (sum, columns) in sums.iter_mut().zip(columns) {
                    *sum = _mm512_dpbusd_epi32(*sum, _mm512_set1_epi32(group), columns);
                }
            }
        }
        for (row, sums) in sums.into_iter().enumerate() {
            for (block, sum) in sums.into_iter().enumerate() {
                // SAFETY: there are places for six rows, `width` apart, of `BLOCKS * 16` numbers.
                unsafe { _mm512_storeu_si512(out.as_mut_ptr().add(row * width + block * LANES).cast(), sum) };
            }
        }
    }

    /// As for bytes, with pairs of words.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) fn words_avx512_vnni<const BLOCKS: usize>(tile: Tile<'_, i16, i16>) {
        tile.assert_sizes(WORDS, BLOCKS);
        let Tile { left, right, out, shape: Shape { depth, width }, .. } = tile;
        let mut sums = [[_mm512_setzero_si512(); BLOCKS]; ABREAST];
        for at in (0..depth).step_by(WORDS) {
            let mut columns = [_mm512_setzero_si512(); BLOCKS];
            for (block, columns) in columns.iter_mut().enumerate() {
                // SAFETY: `at + 2 <= depth`, and there are `BLOCKS * 16 * depth` values.
                *columns = unsafe { _mm512_loadu_si512(right.as_ptr().add((block * depth + at) * LANES).cast()) };
            }
            for (row, sums) in sums.iter_mut().enumerate() {
                // SAFETY: `at + 2 <= depth`, and there are six times `depth` values.
                let group = unsafe { left.as_ptr().add(row * depth + at).cast::<i32>().read_unaligned() };
                for (sum, columns) in sums.iter_mut().zip(columns) {
                    *sum = _mm512_dpwssd_epi32(*sum, _mm512_set1_epi32(group), columns);
                }
            }
        }
        for (row, sums) in sums.into_iter().enumerate() {
            for (block, sum) in sums.into_iter().enumerate() {
                // SAFETY: there are places for six rows, `width` apart, of `BLOCKS * 16` numbers.
                unsafe { _mm512_storeu_si512(out.as_mut_ptr().add(row * width + block * LANES).cast(), sum) };
            }
        }
    }

    /// Bytes are widened to 16 bits, because the instruction that multiplies bytes saturates. A register has room for
    /// four columns, with two sums for each that are added at the end.
    #[target_feature(enable = "avx2")]
    pub(super) fn bytes_avx2(tile: Tile<'_, u8, u8>, starts: &[i32]) {
        const QUARTERS: usize = 4;
        const ROWS: usize = 2;
        tile.assert_sizes(BYTES, 1);
        let starts = &starts[tile.first..][..LANES];
        let Tile { left, right, out, shape: Shape { depth, width }, .. } = tile;
        for first in (0..ABREAST).step_by(ROWS) {
            let mut sums = [[_mm256_setzero_si256(); QUARTERS]; ROWS];
            for at in (0..depth).step_by(BYTES) {
                let mut columns = [_mm256_setzero_si256(); QUARTERS];
                for (quarter, columns) in columns.iter_mut().enumerate() {
                    // SAFETY: a quarter is 16 bytes, `at + 4 <= depth`, and there are `16 * depth` bytes.
                    let bytes = unsafe { _mm_loadu_si128(right.as_ptr().add(at * LANES + quarter * 16).cast()) };
                    *columns = _mm256_cvtepi8_epi16(bytes);
                }
                for (row, sums) in sums.iter_mut().enumerate() {
                    // SAFETY: `at + 4 <= depth`, and there are six times `depth` values.
                    let group = unsafe { left.as_ptr().add((first + row) * depth + at).cast::<i32>().read_unaligned() };
                    let group = _mm256_cvtepu8_epi16(_mm_set1_epi32(group));
                    for (sum, columns) in sums.iter_mut().zip(columns) {
                        *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(group, columns));
                    }
                }
            }
            for (row, [a, b, c, d]) in sums.into_iter().enumerate() {
                for (half, (low, high)) in [(a, b), (c, d)].into_iter().enumerate() {
                    let sums = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_hadd_epi32(low, high));
                    // SAFETY: eight of the 16 starts are read.
                    let start = unsafe { _mm256_loadu_si256(starts.as_ptr().add(half * 8).cast()) };
                    // SAFETY: there are places for six rows, `width` apart, of 16 numbers.
                    let place = unsafe { out.as_mut_ptr().add((first + row) * width + half * 8) };
                    // SAFETY: as above.
                    unsafe { _mm256_storeu_si256(place.cast(), _mm256_add_epi32(sums, start)) };
                }
            }
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn words_avx2(tile: Tile<'_, i16, i16>) {
        const HALVES: usize = 2;
        tile.assert_sizes(WORDS, 1);
        let Tile { left, right, out, shape: Shape { depth, width }, .. } = tile;
        let mut sums = [[_mm256_setzero_si256(); HALVES]; ABREAST];
        for at in (0..depth).step_by(WORDS) {
            let mut columns = [_mm256_setzero_si256(); HALVES];
            for (half, columns) in columns.iter_mut().enumerate() {
                // SAFETY: a half is 16 values, `at + 2 <= depth`, and there are `16 * depth` values.
                *columns = unsafe { _mm256_loadu_si256(right.as_ptr().add(at * LANES + half * 16).cast()) };
            }
            for (row, sums) in sums.iter_mut().enumerate() {
                // SAFETY: `at + 2 <= depth`, and there are six times `depth` values.
                let group = unsafe { left.as_ptr().add(row * depth + at).cast::<i32>().read_unaligned() };
                for (sum, columns) in sums.iter_mut().zip(columns) {
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(_mm256_set1_epi32(group), columns));
                }
            }
        }
        for (row, sums) in sums.into_iter().enumerate() {
            for (half, sum) in sums.into_iter().enumerate() {
                // SAFETY: there are places for six rows, `width` apart, of 16 numbers.
                unsafe { _mm256_storeu_si256(out.as_mut_ptr().add(row * width + half * 8).cast(), sum) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::available;
    use proptest::prelude::*;

    /// Rows times columns by the book; both are given as lists of `depth` values.
    fn plain(left: &[i32], columns: &[i32], depth: usize) -> Vec<i32> {
        let dot = |a: &[i32], b: &[i32]| a.iter().zip(b).map(|(a, b)| a * b).sum();
        left.chunks(depth).flat_map(|row| columns.chunks(depth).map(move |column| dot(row, column))).collect()
    }

    fn check_bytes(left: &[u8], columns: &[u8], depth: usize, offset: i32) {
        let signed: Vec<i32> = left.iter().map(|&v| i32::from(v) - offset).collect();
        let expected = plain(&signed, &columns.iter().map(|&v| i32::from(v as i8)).collect::<Vec<_>>(), depth);
        let matrix = ByteMatrix::pack(columns, depth, offset);
        for form in available() {
            let mut out = vec![i32::MIN; expected.len()];
            multiply_bytes(form, left, &matrix, &mut out);
            assert!(out == expected, "{form:?}");
        }
    }

    fn check_words(left: &[i16], columns: &[i16], depth: usize) {
        let wide = |values: &[i16]| values.iter().map(|&v| i32::from(v)).collect::<Vec<_>>();
        let expected = plain(&wide(left), &wide(columns), depth);
        let mut packed = vec![0; columns.len()];
        pack_words(columns, depth, &mut packed);
        for form in available() {
            let mut out = vec![i32::MIN; expected.len()];
            multiply_words(form, left, &packed, columns.len() / depth, &mut out);
            assert!(out == expected, "{form:?}");
        }
    }

    #[test]
    fn the_largest_values_are_exact() {
        for offset in [0, 128] {
            for (left, right) in [(255, 0x80), (255, 0x7f), (0, 0x80), (1, 0x7f)] {
                check_bytes(&[left; 6 * 1024], &[right; 16 * 1024], 1024, offset);
            }
        }
        for (left, right, depth) in [(4095, -4095, 64), (4095, 2047, 256), (-128, 32767, 256), (-128, -32768, 256)] {
            check_words(&vec![left; 6 * depth], &vec![right; 16 * depth], depth);
        }
    }

    #[test]
    #[should_panic(expected = "the places for the product")]
    fn another_size_is_refused() {
        multiply_words(Form::Portable, &[0; 6 * 2], &[0; 16 * 2], 16, &mut [0; 95]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_form_equals_the_plain_product(
            (rows, blocks, groups, offset) in (0usize..3, 1usize..10, 1usize..20, prop_oneof![Just(0), Just(128)]),
            values in proptest::collection::vec(any::<u16>(), 6 * 2 * 76 + 9 * 16 * 76),
        ) {
            for depth in [groups * BYTES, groups * WORDS] {
                let (left, rest) = values.split_at(rows * ABREAST * depth);
                let columns = &rest[..blocks * LANES * depth];
                if depth == groups * BYTES {
                    let left: Vec<u8> = left.iter().map(|&v| v as u8).collect();
                    let columns: Vec<u8> = columns.iter().map(|&v| v as u8).collect();
                    check_bytes(&left, &columns, depth, offset);
                }
                let small = |values: &[u16]| values.iter().map(|&v| v as i16 >> 2).collect::<Vec<i16>>();
                check_words(&small(left), &small(columns), depth);
            }
        }
    }
}
