//! Vectors that a package brings along, so that its texts need not be embedded again.
//!
//! They are looked up by the hash of the text that stands before the model, used for this package only, and spot-checked: a
//! publisher who sends other vectors than the model gives is found out, and all of them are left unused. They never enter
//! the cache that other collections share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use ai_assist_embed::{Embedder, Quantised};
use ai_assist_identity::Sha256;
use ai_assist_index::{IndexChunk, embedding_input};

const MAGIC: &[u8; 8] = b"AAVECT1\n";
const HASH: usize = 32;

/// One vector of so many is computed again.
const CHECKED: u8 = 16;

/// Vectors by the hash of what was embedded.
pub(crate) struct PackageVectors {
    rows: HashMap<[u8; HASH], usize>,
    vectors: Quantised,
    embedder: &'static dyn Embedder,
    distrusted: AtomicBool,
}

impl PackageVectors {
    pub(crate) fn read(bytes: &[u8], embedder: &'static dyn Embedder) -> Result<Self, String> {
        let body = bytes.strip_prefix(MAGIC).ok_or("it is not a file of vectors")?;
        let (dim, body) = body.split_first_chunk::<4>().ok_or("it ends too early")?;
        let dim = u32::from_le_bytes(*dim) as usize;
        if dim != embedder.dim() {
            return Err(format!("its vectors have {dim} dimensions, and the model's have {}", embedder.dim()));
        }
        let record = HASH + 4 + dim;
        if !body.len().is_multiple_of(record) {
            return Err("it ends in the middle of a vector".to_owned());
        }
        let count = body.len() / record;
        let (mut rows, mut scales) = (HashMap::with_capacity(count), Vec::with_capacity(count));
        let mut values = Vec::with_capacity(count * dim);
        for (row, record) in body.chunks_exact(record).enumerate() {
            let Some((hash, rest)) = record.split_first_chunk::<HASH>() else { continue };
            let Some((scale, vector)) = rest.split_first_chunk::<4>() else { continue };
            let scale = f32::from_le_bytes(*scale);
            if !scale.is_finite() || scale < 0.0 {
                return Err(format!("vector {row} has a scale that is no number"));
            }
            rows.insert(*hash, row);
            scales.push(scale);
            values.extend(vector.iter().map(|byte| byte.cast_signed()));
        }
        let vectors = Quantised::from_parts(dim, scales, values).ok_or("its vectors are of another size")?;
        Ok(PackageVectors { rows, vectors, embedder, distrusted: AtomicBool::new(false) })
    }

    /// The vectors of a document's chunks, if all of them are here and those that are checked are true.
    pub(crate) fn of(&self, title: Option<&str>, chunks: &[IndexChunk]) -> Option<Quantised> {
        if self.distrusted.load(Ordering::Relaxed) {
            return None;
        }
        let (mut scales, mut values) = (Vec::with_capacity(chunks.len()), Vec::new());
        for chunk in chunks {
            let input = embedding_input(title, &chunk.path, &chunk.words());
            let hash = *Sha256::of(input.as_bytes()).as_bytes();
            let (vector, scale) = self.vectors.row(*self.rows.get(&hash)?);
            if hash[0].is_multiple_of(CHECKED) && !self.is_true(&input, vector, scale) {
                self.distrusted.store(true, Ordering::Relaxed);
                return None;
            }
            scales.push(scale);
            values.extend_from_slice(vector);
        }
        Quantised::from_parts(self.vectors.dim(), scales, values)
    }

    fn is_true(&self, input: &str, vector: &[i8], scale: f32) -> bool {
        let Ok(made) = self.embedder.embed_quantised(&[input]) else { return false };
        let (expected, expected_scale) = made.row(0);
        // Another processor may round otherwise in the last place.
        let near = |(a, b): (&i8, &i8)| a.abs_diff(*b) <= 1;
        (scale - expected_scale).abs() <= expected_scale.abs() * 1e-3 && vector.iter().zip(expected).all(near)
    }

    /// Whether a vector was found that the model does not give.
    pub(crate) fn is_distrusted(&self) -> bool {
        self.distrusted.load(Ordering::Relaxed)
    }
}

/// Writes the vectors of some documents' chunks: each with the hash of what was embedded, sorted by it.
pub(crate) fn write_vectors(embedder: &dyn Embedder, inputs: &[String]) -> crate::Result<Vec<u8>> {
    let mut inputs: Vec<([u8; HASH], &str)> =
        inputs.iter().map(|input| (*Sha256::of(input.as_bytes()).as_bytes(), input.as_str())).collect();
    inputs.sort_unstable();
    inputs.dedup();
    let texts: Vec<&str> = inputs.iter().map(|(_, text)| *text).collect();
    let vectors = embedder.embed_quantised(&texts).map_err(ai_assist_index::Error::from)?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend(u32::try_from(embedder.dim()).unwrap_or_default().to_le_bytes());
    for ((hash, _), (vector, scale)) in inputs.iter().zip(vectors.rows()) {
        bytes.extend(hash);
        bytes.extend(scale.to_le_bytes());
        bytes.extend(vector.iter().map(|value| value.cast_unsigned()));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use ai_assist_chunk::ChunkKind;
    use ai_assist_embed::StaticModel;
    use ai_assist_text::LineRange;

    use super::*;

    fn chunk(text: &str) -> IndexChunk {
        IndexChunk {
            defines: Vec::new(),
            place: None,
            unseen: Vec::new(),
            lines: LineRange { start: 1, end: 1 },
            bytes: (0, text.len() as u64),
            path: vec!["Top".into()],
            kind: ChunkKind::Text,
            text: text.to_owned(),
        }
    }

    fn chunks() -> Vec<IndexChunk> {
        (0..64).map(|i| chunk(&format!("number {i} of the texts about trains and {i} stations"))).collect()
    }

    fn file() -> Vec<u8> {
        let inputs: Vec<String> =
            chunks().iter().map(|chunk| embedding_input(Some("Title"), &chunk.path, &chunk.words())).collect();
        write_vectors(StaticModel::bundled(), &inputs).unwrap()
    }

    #[test]
    fn vectors_come_back_as_the_model_gives_them() {
        let given = PackageVectors::read(&file(), StaticModel::bundled()).unwrap();
        let found = given.of(Some("Title"), &chunks()).unwrap();
        let made =
            ai_assist_index::IndexDocument::embed(Some("Title"), &chunks(), StaticModel::bundled(), None).unwrap();
        assert_eq!(found, made);
        assert!(given.of(Some("Title"), &[chunk("another text")]).is_none());
        assert!(given.of(Some("Another title"), &chunks()).is_none());
        assert!(!given.is_distrusted());
    }

    #[test]
    fn false_vectors_are_found_out() {
        let mut bytes = file();
        let start = MAGIC.len() + 4;
        let record = HASH + 4 + StaticModel::bundled().dim();
        for record in bytes[start..].chunks_exact_mut(record) {
            for value in &mut record[HASH + 4..] {
                *value = value.wrapping_add(40);
            }
        }
        let given = PackageVectors::read(&bytes, StaticModel::bundled()).unwrap();
        assert!(given.of(Some("Title"), &chunks()).is_none());
        assert!(given.is_distrusted());
    }

    #[test]
    fn broken_files_are_refused() {
        let bytes = file();
        let read = |bytes: &[u8]| PackageVectors::read(bytes, StaticModel::bundled()).err();
        assert!(read(b"").is_some());
        assert!(read(&bytes[..bytes.len() - 1]).unwrap().contains("middle of a vector"));
        let mut other = bytes.clone();
        other[MAGIC.len()] ^= 1;
        assert!(read(&other).unwrap().contains("dimensions"));
        let mut nan = bytes;
        let at = MAGIC.len() + 4 + HASH;
        nan[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(read(&nan).unwrap().contains("no number"));
    }
}
