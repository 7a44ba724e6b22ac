//! What happens to rows of numbers between two products of matrices.
//!
//! Each step is written once, as a plain loop, and compiled for every form. Floating operations are never fused, and sums
//! are made in [`LANES`] parts that are folded in one order, so every form gives the same bits.

use super::Form;

/// Parts that a sum or a maximum of many numbers is made in. All rows are a multiple of this long.
const LANES: usize = 16;

/// The longest row.
const WIDEST: usize = 1024;

/// Adding 1.5 · 2^23 leaves the nearest integer in the low bits of a float.
const MAGIC: f32 = 12_582_912.0;

/// What a signed value is shifted by to become an unsigned byte.
pub(crate) const OFFSET: i32 = 128;

/// The largest part of a query or key as an integer: the product of two heads of 64 such parts fits 32 bits.
const HEAD_LIMIT: f32 = 4095.0;
/// The largest attention weight as an integer.
const WEIGHT_LIMIT: f32 = 4095.0;
/// The largest part of a value: the sum of 256 such parts, each times the largest weight, fits 32 bits.
pub(crate) const VALUE_LIMIT: f32 = 2047.0;

/// Rows as unsigned bytes, with a scale for each.
#[derive(Default)]
pub(crate) struct ByteRows {
    pub(crate) values: Vec<u8>,
    pub(crate) scales: Vec<f32>,
}

/// What makes numbers of the integer products of a row with columns: scales for both sides, and what is added in the end.
#[derive(Clone, Copy)]
pub(crate) struct Scaling<'a> {
    pub(crate) rows: &'a [f32],
    pub(crate) columns: &'a [f32],
    pub(crate) bias: &'a [f32],
}

/// Weight and bias of a layer norm.
pub(crate) struct Norm {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

/// Added to a variance, so that a constant row can be divided by its square root.
pub(crate) const EPSILON: f32 = 1e-5;

/// Makes of each function one that takes a form and runs the body as compiled for it.
macro_rules! in_every_form {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(form: Form, $($arg: $type),*) {
            #[inline(always)]
            fn plain($($arg: $type),*) $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2($($arg: $type),*) {
                plain($($arg),*);
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw")]
            fn avx512($($arg: $type),*) {
                plain($($arg),*);
            }

            match form {
                // SAFETY: `form` is only given if the processor has the features.
                #[cfg(target_arch = "x86_64")]
                Form::Avx512Vnni => unsafe { avx512($($arg),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Form::Avx2 => unsafe { avx2($($arg),*) },
                Form::Portable => plain($($arg),*),
            }
        }
    )*};
}

in_every_form! {
    /// Normalises rows and makes bytes of them, shifted by [`OFFSET`].
    fn norm_to_bytes(rows: &[f32], norm: &Norm, out: &mut ByteRows) {
        let width = norm.weight.len();
        let mut normal_row = [0f32; WIDEST];
        let normal_row = &mut normal_row[..width];
        let places = out.values.chunks_exact_mut(width).zip(&mut out.scales);
        for (row, (bytes, scale)) in rows.chunks_exact(width).zip(places) {
            let moments = moments(row);
            let columns = norm.weight.iter().zip(&norm.bias);
            for ((place, &value), (&weight, &bias)) in normal_row.iter_mut().zip(row).zip(columns) {
                *place = normal(value, moments, weight, bias);
            }
            let (inverse, step) = steps(largest(normal_row), 127.0);
            *scale = step;
            for (byte, value) in bytes.iter_mut().zip(&*normal_row) {
                *byte = rounded(value * inverse) as u8 ^ 0x80;
            }
        }
    }

    /// Makes bytes of rows of `width` numbers, shifted by [`OFFSET`].
    fn to_bytes(rows: &[f32], width: usize, out: &mut ByteRows) {
        let places = out.values.chunks_exact_mut(width).zip(&mut out.scales);
        for (row, (bytes, scale)) in rows.chunks_exact(width).zip(places) {
            let (inverse, step) = steps(largest(row), 127.0);
            *scale = step;
            for (byte, value) in bytes.iter_mut().zip(row) {
                *byte = rounded(value * inverse) as u8 ^ 0x80;
            }
        }
    }

    /// Makes bytes of products, those below zero being taken for zero. There is no shift: no sign is left, so all eight
    /// bits are for the size.
    fn relu_to_bytes(products: &[i32], scaling: Scaling<'_>, out: &mut ByteRows) {
        let width = scaling.bias.len();
        let mut row = [0f32; WIDEST];
        let row = &mut row[..width];
        let places = out.values.chunks_exact_mut(width).zip(&mut out.scales);
        let products = products.chunks_exact(width).zip(scaling.rows);
        for ((products, &row_scale), (bytes, scale)) in products.zip(places) {
            let columns = scaling.columns.iter().zip(scaling.bias);
            for ((value, &product), (&column_scale, &bias)) in row.iter_mut().zip(products).zip(columns) {
                *value = greater(0.0, product as f32 * row_scale * column_scale + bias);
            }
            let (inverse, step) = steps(largest(row), 255.0);
            *scale = step;
            for (byte, value) in bytes.iter_mut().zip(&*row) {
                *byte = rounded(value * inverse) as u8;
            }
        }
    }

    /// Sets rows to products as numbers.
    fn set_products(products: &[i32], scaling: Scaling<'_>, rows: &mut [f32]) {
        let width = scaling.bias.len();
        let products = products.chunks_exact(width).zip(scaling.rows);
        for ((products, &row_scale), row) in products.zip(rows.chunks_exact_mut(width)) {
            let columns = scaling.columns.iter().zip(scaling.bias);
            for ((value, &product), (&column_scale, &bias)) in row.iter_mut().zip(products).zip(columns) {
                *value = product as f32 * row_scale * column_scale + bias;
            }
        }
    }

    /// Adds products as numbers to rows.
    fn add_products(products: &[i32], scaling: Scaling<'_>, rows: &mut [f32]) {
        let width = scaling.bias.len();
        let products = products.chunks_exact(width).zip(scaling.rows);
        for ((products, &row_scale), row) in products.zip(rows.chunks_exact_mut(width)) {
            let columns = scaling.columns.iter().zip(scaling.bias);
            for ((value, &product), (&column_scale, &bias)) in row.iter_mut().zip(products).zip(columns) {
                *value += product as f32 * row_scale * column_scale + bias;
            }
        }
    }

    /// Makes 16-bit words of a part of each row of `stride` numbers, from `first` on, with a scale for each row.
    fn to_words(rows: &[f32], stride: usize, first: usize, words: &mut [i16], scales: &mut [f32]) {
        let width = words.len() / scales.len();
        let places = words.chunks_exact_mut(width).zip(scales);
        for (row, (words, scale)) in rows.chunks_exact(stride).zip(places) {
            let row = &row[first..first + width];
            let (inverse, step) = steps(largest(row), HEAD_LIMIT);
            *scale = step;
            for (word, value) in words.iter_mut().zip(row) {
                *word = rounded(value * inverse) as i16;
            }
        }
    }

    /// The largest size of a number in a part of all rows.
    fn largest_part(rows: &[f32], stride: usize, first: usize, width: usize, out: &mut f32) {
        *out = rows.chunks_exact(stride).fold(0.0, |most, row| greater(most, largest(&row[first..first + width])));
    }

    /// Packs a part of each row, times `inverse`, as the right side of a product in which rows are the depth. `packed` may
    /// have room for more rows, which are zero.
    fn pack_values(rows: &[f32], stride: usize, first: usize, width: usize, inverse: f32, packed: &mut [i16]) {
        let depth = packed.len() / width;
        for (block, packed) in packed.chunks_exact_mut(depth * LANES).enumerate() {
            let part = first + block * LANES;
            let groups = packed.as_chunks_mut::<2>().0.as_chunks_mut::<LANES>().0;
            let mut pairs = rows.chunks(2 * stride);
            for group in groups {
                let pair = pairs.next().unwrap_or_default();
                let [a, b] = [part, stride + part].map(|part| {
                    pair.get(part..part + LANES).and_then(|row| row.first_chunk()).unwrap_or(&[0f32; LANES])
                });
                for ((group, a), b) in group.iter_mut().zip(a).zip(b) {
                    *group = [rounded(a * inverse) as i16, rounded(b * inverse) as i16];
                }
            }
        }
    }

    /// Attention weights, as integers of up to [`WEIGHT_LIMIT`], and the sum of each row of them.
    ///
    /// Scores are as many to a row as `key_scales`; of these the first `keys` count, the others get weight zero. The scales
    /// of the rows are such that the weight is a power of two, not of e.
    fn soften(
        scores: &[i32],
        row_scales: &[f32],
        key_scales: &[f32],
        keys: usize,
        weights: &mut [i16],
        totals: &mut [f32],
    ) {
        let width = key_scales.len();
        let mut row = [0f32; WIDEST];
        let row = &mut row[..width];
        let places = weights.chunks_exact_mut(width).zip(totals);
        for ((scores, row_scale), (weights, total)) in scores.chunks_exact(width).zip(row_scales).zip(places) {
            for ((value, &score), key_scale) in row.iter_mut().zip(scores).zip(key_scales) {
                *value = score as f32 * row_scale * key_scale;
            }
            row[keys..].fill(f32::MIN);
            let mut most = [f32::MIN; LANES];
            for block in row.as_chunks::<LANES>().0 {
                for (most, &value) in most.iter_mut().zip(block) {
                    *most = greater(*most, value);
                }
            }
            let most = fold(most, greater);
            let mut sums = [0i32; LANES];
            for (block, weights) in row.as_chunks::<LANES>().0.iter().zip(weights.as_chunks_mut::<LANES>().0) {
                for ((sum, value), weight) in sums.iter_mut().zip(block).zip(weights) {
                    let integer = rounded(power_of_two(value - most) * WEIGHT_LIMIT);
                    *weight = integer as i16;
                    *sum += i32::from(*weight);
                }
            }
            *total = sums.iter().sum::<i32>() as f32;
        }
    }

    /// The mean of the normalised rows.
    fn pool(rows: &[f32], norm: &Norm, mean: &mut [f32]) {
        let width = norm.weight.len();
        mean.fill(0.0);
        for row in rows.chunks_exact(width) {
            let moments = moments(row);
            for (((sum, &value), &weight), &bias) in mean.iter_mut().zip(row).zip(&norm.weight).zip(&norm.bias) {
                *sum += normal(value, moments, weight, bias);
            }
        }
        let count = (rows.len() / width) as f32;
        mean.iter_mut().for_each(|sum| *sum /= count);
    }

    /// The products of a vector with rows, and a bias.
    fn apply(vector: &[f32], rows: &[f32], bias: &[f32], out: &mut [f32]) {
        for ((row, bias), out) in rows.chunks_exact(vector.len()).zip(bias).zip(out) {
            let mut sums = [0f32; LANES];
            for (a, b) in row.as_chunks::<LANES>().0.iter().zip(vector.as_chunks::<LANES>().0) {
                for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
                    *sum += a * b;
                }
            }
            *out = fold(sums, |a, b| a + b) + bias;
        }
    }
}

/// The mean of a row, and one over its standard deviation.
#[inline(always)]
fn moments(row: &[f32]) -> (f32, f32) {
    let mean = sum_of(row, |value| value) / row.len() as f32;
    let variance = sum_of(row, |value| (value - mean) * (value - mean)) / row.len() as f32;
    (mean, 1.0 / (variance + EPSILON).sqrt())
}

#[inline(always)]
fn normal(value: f32, (mean, inverse): (f32, f32), weight: f32, bias: f32) -> f32 {
    (value - mean) * inverse * weight + bias
}

#[inline(always)]
fn sum_of(row: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0f32; LANES];
    for block in row.as_chunks::<LANES>().0 {
        for (sum, &value) in sums.iter_mut().zip(block) {
            *sum += term(value);
        }
    }
    fold(sums, |a, b| a + b)
}

/// The largest size of a number.
#[inline(always)]
fn largest(row: &[f32]) -> f32 {
    let mut most = [0f32; LANES];
    for block in row.as_chunks::<LANES>().0 {
        for (most, value) in most.iter_mut().zip(block) {
            *most = greater(*most, value.abs());
        }
    }
    fold(most, greater)
}

/// One number of many, halves first.
#[inline(always)]
fn fold(mut lanes: [f32; LANES], join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for at in 0..half {
            lanes[at] = join(lanes[at], lanes[at + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// One instruction, as `f32::max` is not: nothing here is NaN.
#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// What to multiply with so that the largest number becomes `limit`, and what to multiply with to come back. Both are zero
/// if the largest number is as good as zero.
#[inline(always)]
pub(crate) fn steps(largest: f32, limit: f32) -> (f32, f32) {
    let step = largest / limit;
    if step.is_normal() { (limit / largest, step) } else { (0.0, 0.0) }
}

/// The nearest integer of a number of at most 2^21. The low bits are right, the others are not.
#[inline(always)]
fn rounded(value: f32) -> u32 {
    (value + MAGIC).to_bits()
}

/// Two to the power of a number that is not above zero; 2^-30 at least. The relative error is below 4 · 10^-6.
#[inline(always)]
fn power_of_two(exponent: f32) -> f32 {
    let exponent = greater(exponent, -30.0);
    let shifted = exponent + MAGIC;
    let rest = exponent - (shifted - MAGIC);
    // The series of 2^x, for x from -1/2 to 1/2.
    let mut power = 0.001_333_355_8;
    for coefficient in [0.009_618_129, 0.055_504_11, 0.240_226_5, std::f32::consts::LN_2, 1.0] {
        power = power * rest + coefficient;
    }
    // The integer part goes straight into the exponent's bits.
    f32::from_bits(f32::to_bits(power).wrapping_add(shifted.to_bits() << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_close() {
        for at in 0..=30_000 {
            let exponent = -0.001 * at as f32;
            let expected = f64::from(exponent).exp2();
            let error = (f64::from(power_of_two(exponent)) / expected - 1.0).abs();
            assert!(error < 4e-6, "{exponent}: {error}");
        }
        assert_eq!(power_of_two(0.0), 1.0);
        assert_eq!(power_of_two(f32::NEG_INFINITY), power_of_two(-30.0));
        assert_eq!(rounded(power_of_two(-30.0) * WEIGHT_LIMIT) as i16, 0);
    }

    #[test]
    fn zero_has_no_steps() {
        for (largest, expected) in [(0.0, (0.0, 0.0)), (1e-37, (0.0, 0.0)), (254.0, (0.5, 2.0))] {
            assert_eq!(steps(largest, 127.0), expected);
        }
    }
}
