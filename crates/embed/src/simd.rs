//! Inner loops, in the widest form that the processor at hand can run.
//!
//! With the modules below it, the only place of the program with `unsafe` in its arithmetic. All it does is call functions
//! compiled for a processor feature after having asked for that feature, and read vectors from slices whose bounds were
//! checked. Every form gives the same bits: integer products are exact, and floating sums are made lane by lane in one
//! order, without fused operations, so that a vector does not depend on the machine it was made on.
#![allow(unsafe_code)]

use std::sync::OnceLock;

pub(crate) mod product;
pub(crate) mod rows;

/// The widest form that this processor runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Plain loops; on 64-bit ARM, where NEON is always there, the compiler makes NEON of them.
    Portable,
}

pub(crate) fn form() -> Form {
    static FORM: OnceLock<Form> = OnceLock::new();
    *FORM.get_or_init(|| *available().first().unwrap_or(&Form::Portable))
}

/// All forms that this processor runs, widest first.
pub(crate) fn available() -> Vec<Form> {
    let mut forms = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni")
        {
            forms.push(Form::Avx512Vnni);
        }
        if is_x86_feature_detected!("avx2") {
            forms.push(Form::Avx2);
        }
    }
    forms.push(Form::Portable);
    forms
}

/// The exact product of two vectors. Vectors of up to 131,071 numbers can't overflow.
///
/// # Panics
///
/// If the vectors differ in length.
pub fn dot(a: &[i8], b: &[i8]) -> i32 {
    let mut product = [0];
    scan(a, b, a.len(), &mut product);
    product[0]
}

/// The exact products of one vector with many rows, on the calling thread.
///
/// # Panics
///
/// If the query does not have `dim` numbers, or `rows` not `dim` for each number of `out`.
pub fn scan(query: &[i8], rows: &[i8], dim: usize, out: &mut [i32]) {
    scan_as(form(), query, rows, dim, out);
}

fn scan_as(form: Form, query: &[i8], rows: &[i8], dim: usize, out: &mut [i32]) {
    assert_eq!(query.len(), dim, "the query has another size than the rows");
    assert_eq!(Some(rows.len()), dim.checked_mul(out.len()), "the rows don't match the places for their products");
    if dim == 0 {
        out.fill(0);
        return;
    }
    match form {
        // SAFETY: `form` is only given if the processor has the features; lengths were checked above.
        #[cfg(target_arch = "x86_64")]
        Form::Avx512Vnni => unsafe { x86::scan_avx512_vnni(query, rows, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Form::Avx2 => unsafe { x86::scan_avx2(query, rows, out) },
        Form::Portable => scan_portable(query, rows, out),
    }
}

fn scan_portable(query: &[i8], rows: &[i8], out: &mut [i32]) {
    for (product, row) in out.iter_mut().zip(rows.chunks_exact(query.len())) {
        *product = dot_portable(query, row);
    }
}

#[inline(always)]
fn dot_portable(a: &[i8], b: &[i8]) -> i32 {
    // The product of two bytes fits 16 bits, and sums of pairs of those are what processors are good at.
    a.iter().zip(b).fold(0i32, |sum, (&a, &b)| sum.wrapping_add(i32::from(i16::from(a) * i16::from(b))))
}

/// Sets `sum` to the sum of rows of a table, each times its weight, in their order. The table is row-major, of signed
/// bytes, and has as many columns as `sum`.
pub(crate) fn sum_rows(table: &[u8], rows: &[(u16, f32)], sum: &mut [f32]) {
    sum_rows_as(form(), table, rows, sum);
}

fn sum_rows_as(form: Form, table: &[u8], rows: &[(u16, f32)], sum: &mut [f32]) {
    match form {
        // SAFETY: `form` is only given if the processor has the features.
        #[cfg(target_arch = "x86_64")]
        Form::Avx512Vnni => unsafe { x86::sum_rows_avx512(table, rows, sum) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Form::Avx2 => unsafe { x86::sum_rows_avx2(table, rows, sum) },
        Form::Portable => sum_rows_in_blocks(table, rows, sum),
    }
}

/// Columns that are summed at a time: one cache line of a row, and few enough sums to stay in registers.
const BLOCK: usize = 64;

#[inline(always)]
fn sum_rows_in_blocks(table: &[u8], rows: &[(u16, f32)], sum: &mut [f32]) {
    let dim = sum.len();
    let (blocks, tail) = sum.as_chunks_mut::<BLOCK>();
    for (at, block) in blocks.iter_mut().enumerate() {
        let mut sums = [0f32; BLOCK];
        for &(row, weight) in rows {
            let values = &table[usize::from(row) * dim + at * BLOCK..][..BLOCK];
            for (sum, &value) in sums.iter_mut().zip(values) {
                *sum += f32::from(value as i8) * weight;
            }
        }
        *block = sums;
    }
    let done = dim - tail.len();
    tail.fill(0.0);
    for &(row, weight) in rows {
        for (sum, &value) in tail.iter_mut().zip(&table[usize::from(row) * dim + done..]) {
            *sum += f32::from(value as i8) * weight;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{dot_portable, sum_rows_in_blocks};

    #[target_feature(enable = "avx2")]
    pub(super) fn sum_rows_avx2(table: &[u8], rows: &[(u16, f32)], sum: &mut [f32]) {
        sum_rows_in_blocks(table, rows, sum);
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn sum_rows_avx512(table: &[u8], rows: &[(u16, f32)], sum: &mut [f32]) {
        sum_rows_in_blocks(table, rows, sum);
    }

    /// Rows that are multiplied at a time, so that the query is read once for all of them and their sums are folded
    /// together.
    const ABREAST: usize = 4;

    /// Bytes are widened to 16 bits and multiplied in pairs into 32, which is exact also for -128 times -128.
    #[target_feature(enable = "avx2")]
    pub(super) fn scan_avx2(query: &[i8], rows: &[i8], out: &mut [i32]) {
        const STEP: usize = 16;
        let dim = query.len();
        let whole = dim / STEP * STEP;
        for (products, rows) in out.chunks_mut(ABREAST).zip(rows.chunks(dim * ABREAST)) {
            let row = |at: usize| {
                // Places beyond the last row repeat it; their products are left out below.
                let at = at.min(products.len() - 1);
                &rows[at * dim..][..dim]
            };
            let four: [&[i8]; ABREAST] = [row(0), row(1), row(2), row(3)];
            let mut sums = [_mm256_setzero_si256(); ABREAST];
            for at in (0..whole).step_by(STEP) {
                // Widened anew for every four rows, which memory is slower than anyway, so that nothing is allocated.
                // SAFETY: `at + 16 <= whole <= dim`, which is the length of the query.
                let query = _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(query.as_ptr().add(at).cast()) });
                for (sum, row) in sums.iter_mut().zip(four) {
                    // SAFETY: as for the query; each row has `dim` bytes.
                    let bytes = unsafe { _mm_loadu_si128(row.as_ptr().add(at).cast()) };
                    let pairs = _mm256_madd_epi16(query, _mm256_cvtepi8_epi16(bytes));
                    *sum = _mm256_add_epi32(*sum, pairs);
                }
            }
            let folded = fold_four(sums);
            for ((product, folded), row) in products.iter_mut().zip(folded).zip(four) {
                *product = folded.wrapping_add(dot_portable(&query[whole..], &row[whole..]));
            }
        }
    }

    /// The sum of the eight numbers of each of four registers.
    #[target_feature(enable = "avx2")]
    fn fold_four([a, b, c, d]: [__m256i; ABREAST]) -> [i32; ABREAST] {
        let halves = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
        let sums = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
        let mut folded = [0; ABREAST];
        // SAFETY: four 32-bit numbers are the 16 bytes that are written.
        unsafe { _mm_storeu_si128(folded.as_mut_ptr().cast(), sums) };
        folded
    }

    /// The processor multiplies unsigned by signed bytes. Rows are made unsigned by adding 128, which is flipping the top
    /// bit, and 128 times the sum of the query is taken off again.
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vnni")]
    pub(super) fn scan_avx512_vnni(query: &[i8], rows: &[i8], out: &mut [i32]) {
        const STEP: usize = 64;
        let dim = query.len();
        let whole = dim / STEP * STEP;
        let rest: __mmask64 = (1 << (dim - whole)) - 1;
        let top = _mm512_set1_epi8(i8::MIN);
        let surplus = query.iter().fold(0i32, |sum, &value| sum.wrapping_add(i32::from(value))).wrapping_mul(128);
        for (products, rows) in out.chunks_mut(ABREAST).zip(rows.chunks(dim * ABREAST)) {
            let row = |at: usize| {
                // As above.
                let at = at.min(products.len() - 1);
                &rows[at * dim..][..dim]
            };
            let four: [&[i8]; ABREAST] = [row(0), row(1), row(2), row(3)];
            let mut sums = [_mm512_setzero_si512(); ABREAST];
            for at in (0..whole).step_by(STEP) {
                // SAFETY: `at + 64 <= whole <= dim`, which is the length of the query.
                let query = unsafe { _mm512_loadu_si512(query.as_ptr().add(at).cast()) };
                for (sum, row) in sums.iter_mut().zip(four) {
                    // SAFETY: as for the query; each row has `dim` bytes.
                    let bytes = unsafe { _mm512_loadu_si512(row.as_ptr().add(at).cast()) };
                    *sum = _mm512_dpbusd_epi32(*sum, _mm512_xor_si512(bytes, top), query);
                }
            }
            if rest != 0 {
                // SAFETY: only the `dim - whole` bytes whose bit is set are read, and they end where the slice does.
                let query = unsafe { _mm512_maskz_loadu_epi8(rest, query.as_ptr().add(whole)) };
                for (sum, row) in sums.iter_mut().zip(four) {
                    // SAFETY: as for the query. Bytes that are not read become 128 and meet a zero there.
                    let bytes = unsafe { _mm512_maskz_loadu_epi8(rest, row.as_ptr().add(whole)) };
                    *sum = _mm512_dpbusd_epi32(*sum, _mm512_xor_si512(bytes, top), query);
                }
            }
            let halves =
                sums.map(|sum| _mm256_add_epi32(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64::<1>(sum)));
            for (product, folded) in products.iter_mut().zip(fold_four(halves)) {
                *product = folded.wrapping_sub(surplus);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scalar(a: &[i8], b: &[i8]) -> i32 {
        a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum()
    }

    fn byte() -> impl Strategy<Value = i8> {
        prop_oneof![any::<i8>(), Just(-128), Just(127), Just(-127), Just(0)]
    }

    #[test]
    fn extremes_are_exact() {
        for form in available() {
            for length in [1, 15, 16, 17, 63, 64, 65, 256, 1000, 100_000] {
                for (a, b) in [(-128, -128), (-128, 127), (127, 127), (127, -128)] {
                    let mut product = [0];
                    scan_as(form, &vec![a; length], &vec![b; length], length, &mut product);
                    assert_eq!(product[0], i32::from(a) * i32::from(b) * length as i32, "{form:?} {length} {a} {b}");
                }
            }
        }
        assert_eq!(dot(&[], &[]), 0);
        let mut none: [i32; 0] = [];
        scan(&[1, 2], &[], 2, &mut none);
    }

    #[test]
    #[should_panic(expected = "the rows don't match")]
    fn another_length_is_refused() {
        dot(&[1, 2, 3], &[1, 2]);
    }

    proptest! {
        #[test]
        fn every_form_equals_the_plain_loop(
            dim in 1usize..300,
            count in 0usize..11,
            bytes in proptest::collection::vec(byte(), 300 * 12),
        ) {
            let (query, rest) = bytes.split_at(dim);
            let rows = &rest[..dim * count];
            let expected: Vec<i32> = rows.chunks(dim).map(|row| scalar(query, row)).collect();
            for form in available() {
                let mut out = vec![i32::MIN; count];
                scan_as(form, query, rows, dim, &mut out);
                prop_assert_eq!(&out, &expected, "{:?}", form);
            }
        }

        #[test]
        fn every_form_sums_to_the_same_bits(
            dim in 1usize..200,
            table in proptest::collection::vec(any::<u8>(), 200 * 8),
            rows in proptest::collection::vec((0u16..8, 1e-4f32..1e-1), 0..20),
        ) {
            let mut expected = vec![0f32; dim];
            for &(row, weight) in &rows {
                for (at, sum) in expected.iter_mut().enumerate() {
                    *sum += f32::from(table[usize::from(row) * dim + at] as i8) * weight;
                }
            }
            for form in available() {
                let mut sum = vec![f32::NAN; dim];
                sum_rows_as(form, &table, &rows, &mut sum);
                prop_assert_eq!(&sum, &expected, "{:?}", form);
            }
        }
    }
}
