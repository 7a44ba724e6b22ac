//! Vectors as signed bytes: a quarter of the memory, exact integer products, and for unit vectors an error of cosine far
//! below what separates two results.

/// Quantises a vector of finite numbers: each is about its byte times the scale. The zero vector has scale 0.
///
/// Bytes lie in -127..=127, so that a vector and its negative have the same form.
pub fn quantise(vector: &[f32]) -> (Vec<i8>, f32) {
    let mut bytes = vec![0; vector.len()];
    let scale = quantise_into(vector, &mut bytes);
    (bytes, scale)
}

/// Quantises into a row of the same length and gives the scale.
pub(crate) fn quantise_into(vector: &[f32], row: &mut [i8]) -> f32 {
    debug_assert_eq!(vector.len(), row.len());
    let largest = vector.iter().fold(0f32, |largest, v| largest.max(v.abs()));
    let scale = largest / 127.0;
    // So small that dividing by it overflows: it is zero for every purpose.
    if !scale.is_normal() {
        row.fill(0);
        return 0.0;
    }
    let inverse = 127.0 / largest;
    // Adding 1.5 · 2^23 leaves the nearest integer in the low bits of the float, which rounds without a call into the C
    // library and so in vector registers. The value is at most 127 and a rounding error, hence never -128 or 128.
    const MAGIC: f32 = 12_582_912.0;
    for (byte, value) in row.iter_mut().zip(vector) {
        *byte = (value * inverse + MAGIC).to_bits() as i8;
    }
    scale
}

/// Quantised vectors of one size, one row each, in one piece of memory that can be scanned.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantised {
    dim: usize,
    scales: Vec<f32>,
    values: Vec<i8>,
}

impl Quantised {
    pub fn new(dim: usize) -> Self {
        Self::with_capacity(dim, 0)
    }

    /// No rows yet, and room for some.
    pub fn with_capacity(dim: usize, rows: usize) -> Self {
        Quantised { dim, scales: Vec::with_capacity(rows), values: Vec::with_capacity(rows * dim) }
    }

    /// Rows that were quantised before; `None` if there are not `dim` values for each scale.
    pub fn from_parts(dim: usize, scales: Vec<f32>, values: Vec<i8>) -> Option<Self> {
        (scales.len().checked_mul(dim) == Some(values.len())).then_some(Quantised { dim, scales, values })
    }

    /// Quantises one more vector.
    ///
    /// # Panics
    ///
    /// If the vector has another size than the rows.
    pub fn push(&mut self, vector: &[f32]) {
        assert_eq!(vector.len(), self.dim, "a vector of another size");
        let start = self.values.len();
        self.values.resize(start + self.dim, 0);
        self.scales.push(quantise_into(vector, &mut self.values[start..]));
    }

    /// Adds rows that were quantised before.
    ///
    /// # Panics
    ///
    /// If they have another size.
    pub fn append(&mut self, mut rows: Quantised) {
        assert_eq!(rows.dim, self.dim, "vectors of another size");
        self.scales.append(&mut rows.scales);
        self.values.append(&mut rows.values);
    }

    pub fn dim(&self) -> usize {
        self.dim
    }

    pub fn len(&self) -> usize {
        self.scales.len()
    }

    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// One row and its scale.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn row(&self, at: usize) -> (&[i8], f32) {
        (&self.values[at * self.dim..][..self.dim], self.scales[at])
    }

    /// All rows, one after the other.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (&[i8], f32)> {
        (0..self.len()).map(|at| self.row(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges() {
        assert_eq!(quantise(&[]), (vec![], 0.0));
        assert_eq!(quantise(&[0.0, -0.0]), (vec![0, 0], 0.0));
        assert_eq!(quantise(&[1e-40, 0.0]), (vec![0, 0], 0.0));
        assert_eq!(quantise(&[-2.0, 2.0, 1.0, 0.001]), (vec![-127, 127, 64, 0], 2.0 / 127.0));
        assert_eq!(Quantised::from_parts(2, vec![1.0], vec![1, 2, 3]), None);
        let mut rows = Quantised::new(1);
        rows.push(&[1.0]);
        assert_eq!(Quantised::from_parts(1, vec![1.0 / 127.0], vec![127]), Some(rows));
    }

    proptest::proptest! {
        #[test]
        fn the_error_is_at_most_half_a_step(
            vector in proptest::collection::vec(-1e3f32..1e3, 1..300),
            exponent in -30i32..30,
        ) {
            let vector: Vec<f32> = vector.iter().map(|v| v * 2f32.powi(exponent)).collect();
            let (bytes, scale) = quantise(&vector);
            for (&byte, value) in bytes.iter().zip(&vector) {
                proptest::prop_assert!(byte >= -127);
                proptest::prop_assert!((f32::from(byte) * scale - value).abs() <= scale * 0.501);
            }
        }
    }
}
