//! The weights of a contextual model, as they are used: packed for products of matrices.

use serde::Deserialize;

use crate::simd::product::{ByteMatrix, pack_words};
use crate::simd::rows::{EPSILON, Norm, OFFSET, steps};
use crate::{EmbedError, ModelId};

use super::{DIM, FFN, HEADS, MAX_TOKENS};

/// The files of a model.
pub(super) struct Files {
    pub(super) config: &'static str,
    pub(super) bytes: &'static [u8],
    pub(super) scales: &'static [u8],
    pub(super) floats: &'static [u8],
}

/// A matrix of signed bytes with a scale and a bias for each column.
pub(super) struct Linear {
    pub(super) matrix: ByteMatrix,
    pub(super) scales: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

/// The matrix that the rows of the table go through first.
///
/// It was trained as floats, and eight bits would cost precision here. Rounded to 16 bits it costs none that could be seen,
/// and the rows of the table are integers already.
pub(super) struct Input {
    pub(super) packed: Vec<i16>,
    pub(super) scales: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

pub(super) struct Layer {
    pub(super) norm1: Norm,
    pub(super) qkv: Linear,
    pub(super) o: Linear,
    pub(super) norm2: Norm,
    pub(super) f1: Linear,
    pub(super) f2: Linear,
}

pub(super) struct Weights {
    pub(super) id: ModelId,
    pub(super) input: Input,
    /// A row for each position of a token.
    pub(super) positions: Vec<f32>,
    pub(super) layers: Vec<Layer>,
    pub(super) final_norm: Norm,
    pub(super) out: Vec<f32>,
    pub(super) out_bias: Vec<f32>,
}

/// What `config.json` says of the model's form. Its other fields say the same in words.
#[derive(Deserialize)]
struct Config {
    name: String,
    version: u32,
    dim: usize,
    layers: usize,
    heads: usize,
    ffn: usize,
    activation: String,
    layer_norm_eps: f32,
    max_tokens: usize,
    matrices: Vec<MatrixPlace>,
    vectors: Vec<VectorPlace>,
}

#[derive(Deserialize)]
struct MatrixPlace {
    name: String,
    shape: [usize; 2],
    i8_offset: usize,
    scale_offset: usize,
}

#[derive(Deserialize)]
struct VectorPlace {
    name: String,
    shape: Vec<usize>,
    f32_offset: usize,
}

fn bad(file: &'static str, reason: String) -> EmbedError {
    EmbedError::BadModel { file, reason }
}

impl Weights {
    pub(super) fn load(files: &Files) -> Result<Self, EmbedError> {
        let config: Config =
            serde_json::from_str(files.config).map_err(|error| bad("config.json", error.to_string()))?;
        let form = (config.dim, config.heads, config.ffn, config.max_tokens, config.activation.as_str());
        if form != (DIM, HEADS, FFN, MAX_TOKENS, "relu") || config.layer_norm_eps != EPSILON {
            return Err(bad("config.json", "it asks for steps that are not implemented".to_owned()));
        }
        let reader = Reader { config: &config, files };
        let layer = |at: usize| {
            let name = |part: &str| format!("layer{at}.{part}");
            Ok(Layer {
                norm1: reader.norm(&name("norm1"))?,
                qkv: reader.linear(&name("qkv"), [3 * DIM, DIM], OFFSET)?,
                o: reader.linear(&name("o"), [DIM, DIM], OFFSET)?,
                norm2: reader.norm(&name("norm2"))?,
                f1: reader.linear(&name("f1"), [FFN, DIM], OFFSET)?,
                // What comes out of the ReLU has no sign, and so no shift.
                f2: reader.linear(&name("f2"), [DIM, FFN], 0)?,
            })
        };
        Ok(Weights {
            id: ModelId::new(&config.name, config.version),
            input: reader.input()?,
            positions: reader.positions()?,
            layers: (0..config.layers).map(layer).collect::<Result<_, EmbedError>>()?,
            final_norm: reader.norm("final_norm")?,
            out: reader.floats("out.w", &[DIM, DIM])?,
            out_bias: reader.floats("out.b", &[DIM])?,
        })
    }
}

/// Finds the parts of a model in its files by their names.
struct Reader<'a> {
    config: &'a Config,
    files: &'a Files,
}

impl Reader<'_> {
    /// A matrix of signed bytes by rows, and a scale for each row.
    fn bytes(&self, name: &str, shape: [usize; 2]) -> Result<(&'static [u8], Vec<f32>), EmbedError> {
        let place = self.config.matrices.iter().find(|place| place.name == name && place.shape == shape);
        let place = place.ok_or_else(|| bad("config.json", format!("it has no matrix `{name}` of shape {shape:?}")))?;
        let [rows, columns] = shape;
        let bytes = part(self.files.bytes, place.i8_offset, rows * columns);
        let bytes = bytes.ok_or_else(|| bad("weights.i8", format!("it has no room for `{name}`")))?;
        let scales = floats(self.files.scales, place.scale_offset, rows);
        let scales = scales.ok_or_else(|| bad("scales.f32", format!("it has no room for `{name}`")))?;
        Ok((bytes, scales))
    }

    fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, EmbedError> {
        let place = self.config.vectors.iter().find(|place| place.name == name && place.shape == shape);
        let place = place.ok_or_else(|| bad("config.json", format!("it has no vector `{name}` of shape {shape:?}")))?;
        let floats = floats(self.files.floats, place.f32_offset, shape.iter().product());
        floats.ok_or_else(|| bad("vectors.f32", format!("it has no room for `{name}`")))
    }

    fn linear(&self, name: &str, shape: [usize; 2], offset: i32) -> Result<Linear, EmbedError> {
        let (bytes, scales) = self.bytes(&format!("{name}.w"), shape)?;
        let matrix = ByteMatrix::pack(bytes, shape[1], offset);
        Ok(Linear { matrix, scales, bias: self.floats(&format!("{name}.b"), &shape[..1])? })
    }

    fn norm(&self, name: &str) -> Result<Norm, EmbedError> {
        let weight = self.floats(&format!("{name}.w"), &[DIM])?;
        Ok(Norm { weight, bias: self.floats(&format!("{name}.b"), &[DIM])? })
    }

    fn positions(&self) -> Result<Vec<f32>, EmbedError> {
        let (bytes, scales) = self.bytes("positions", [MAX_TOKENS, DIM])?;
        let rows = bytes.chunks_exact(DIM).zip(scales);
        Ok(rows.flat_map(|(row, scale)| row.iter().map(move |&byte| f32::from(byte as i8) * scale)).collect())
    }

    fn input(&self) -> Result<Input, EmbedError> {
        let matrix = self.floats("in.w", &[DIM, DIM])?;
        let mut words = vec![0; matrix.len()];
        let mut scales = vec![0.0; DIM];
        for ((row, words), scale) in matrix.chunks_exact(DIM).zip(words.chunks_exact_mut(DIM)).zip(&mut scales) {
            let largest = row.iter().fold(0f32, |largest, value| largest.max(value.abs()));
            let (inverse, step) = steps(largest, f32::from(i16::MAX));
            *scale = step;
            for (word, value) in words.iter_mut().zip(row) {
                *word = (value * inverse).round() as i16;
            }
        }
        let mut packed = vec![0; words.len()];
        pack_words(&words, DIM, &mut packed);
        Ok(Input { packed, scales, bias: self.floats("in.b", &[DIM])? })
    }
}

fn part(bytes: &'static [u8], offset: usize, length: usize) -> Option<&'static [u8]> {
    bytes.get(offset..)?.get(..length)
}

/// Little-endian numbers of 32 bits.
fn floats(bytes: &'static [u8], offset: usize, count: usize) -> Option<Vec<f32>> {
    let bytes = part(bytes, offset.checked_mul(4)?, count.checked_mul(4)?)?;
    Some(bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
}
