//! The bundled model: a vector per word piece, a text is the mean of its pieces.

use std::sync::OnceLock;

use rayon::prelude::*;
use serde::Deserialize;

use crate::quantise::quantise_into;
use crate::simd::sum_rows;
use crate::vocab::{PieceId, Vocab};
use crate::words::{Word, words};
use crate::{EmbedError, Embedder, ModelId, Quantised};

const MODEL: &str = include_str!("../model/model.json");
const VOCAB: &str = include_str!("../model/vocab.txt");
const VECTORS: &[u8] = include_bytes!("../model/vectors.i8");
const SCALES: &[u8] = include_bytes!("../model/scales.f32");

/// Below this many bytes a batch is done on the calling thread: handing it out would take longer, and a single query
/// should not start a pool of threads.
const WORTH_SHARING: usize = 32 * 1024;

/// From this many pieces on they are counted before their rows are summed.
const WORTH_COUNTING: usize = 64;

/// What `model.json` says. The code below does these steps and no others, so anything else is refused.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    name: String,
    version: u32,
    dim: usize,
    vocab_size: usize,
    unk: PieceId,
    lowercase: bool,
    presplit: String,
    normalize: bool,
    pooling: String,
    #[serde(rename = "license")]
    _license: String,
}

/// A static embedding model. There is one, compiled into the program.
pub struct StaticModel {
    id: ModelId,
    vocab: Vocab,
    scales: Vec<f32>,
}

impl StaticModel {
    pub const DIM: usize = 256;

    /// The bundled model. The first call prepares it, which takes one to two milliseconds.
    pub fn bundled() -> &'static StaticModel {
        static BUNDLED: OnceLock<StaticModel> = OnceLock::new();
        #[expect(clippy::expect_used, reason = "the files are compiled in and a test loads them")]
        BUNDLED.get_or_init(|| Self::load().expect("the bundled model"))
    }

    fn load() -> Result<Self, EmbedError> {
        let bad = |file, reason: &str| EmbedError::BadModel { file, reason: reason.to_owned() };
        let description: Description =
            serde_json::from_str(MODEL).map_err(|error| bad("model.json", &error.to_string()))?;
        let steps = (description.presplit.as_str(), description.pooling.as_str());
        if steps != ("camel", "mean") || !description.lowercase || !description.normalize {
            return Err(bad("model.json", "it asks for steps that are not implemented"));
        }
        if description.dim != Self::DIM {
            return Err(bad("model.json", "it has another dimension"));
        }
        let vocab = Vocab::new(VOCAB, description.unk)?;
        if vocab.len() != description.vocab_size {
            return Err(bad("vocab.txt", "it has another number of lines than `vocab_size`"));
        }
        if VECTORS.len() != vocab.len() * Self::DIM {
            return Err(bad("vectors.i8", "it has another size than `vocab_size` times `dim`"));
        }
        let (scales, rest) = SCALES.as_chunks::<4>();
        if scales.len() != vocab.len() || !rest.is_empty() {
            return Err(bad("scales.f32", "it has another size than four times `vocab_size`"));
        }
        let scales = scales.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        Ok(StaticModel { id: ModelId::new(&description.name, description.version), vocab, scales })
    }

    /// The word pieces of a text, `[UNK]` included. This is how the model reads the text.
    pub fn pieces(&self, text: &str) -> Vec<&str> {
        let mut scratch = Scratch::new();
        self.split(text, &mut scratch);
        scratch.pieces.iter().map(|&id| self.vocab.piece(id)).collect()
    }

    fn split(&self, text: &str, scratch: &mut Scratch) {
        scratch.pieces.clear();
        words(text, &mut scratch.word, |word| self.vocab.split(word, &mut scratch.pieces));
    }

    /// The first pieces of a text, at most `limit` of them, `[UNK]` not counted.
    pub(crate) fn known_pieces(&self, text: &str, limit: usize, word: &mut Word) -> Vec<PieceId> {
        let mut pieces = Vec::new();
        let unknown = self.vocab.unknown();
        words(text, word, |word| {
            if pieces.len() < limit {
                let before = pieces.len();
                self.vocab.split(word, &mut pieces);
                if pieces[before..] == [unknown] {
                    pieces.truncate(before);
                }
            }
        });
        pieces.truncate(limit);
        pieces
    }

    /// A row of the table, as signed bytes, and its scale.
    pub(crate) fn row(&self, id: PieceId) -> (&'static [u8], f32) {
        let id = usize::from(id);
        (&VECTORS[id * Self::DIM..][..Self::DIM], self.scales[id])
    }

    /// Turns the pieces but `[UNK]` into rows and their weights.
    ///
    /// A long text says the same pieces again and again (in 1 KB of code or Markdown about a third are distinct), so they
    /// are counted and each row is read once. For a short one, setting up the counters would cost more than it saves.
    fn weigh(&self, scratch: &mut Scratch) {
        let Scratch { pieces, counts, rows, .. } = scratch;
        let unknown = self.vocab.unknown();
        let known = pieces.iter().copied().filter(|&id| id != unknown);
        rows.clear();
        if pieces.len() < WORTH_COUNTING {
            rows.extend(known.map(|id| (id, self.scales[usize::from(id)])));
            return;
        }
        counts.resize(self.vocab.len(), 0);
        for id in known {
            let count = &mut counts[usize::from(id)];
            if *count == 0 {
                rows.push((id, 0.0));
            }
            *count += 1;
        }
        for (id, weight) in rows {
            let id = usize::from(*id);
            *weight = self.scales[id] * counts[id] as f32;
            counts[id] = 0;
        }
    }

    fn embed_into(&self, text: &str, scratch: &mut Scratch, vector: &mut [f32]) {
        self.split(text, scratch);
        self.weigh(scratch);
        sum_rows(VECTORS, &scratch.rows, vector);
        // The mean has the same direction as the sum, so it need not be taken before the length is made one.
        let square: f64 = vector.iter().map(|&v| f64::from(v) * f64::from(v)).sum();
        if square > 0.0 {
            let inverse = (1.0 / square.sqrt()) as f32;
            vector.iter_mut().for_each(|v| *v *= inverse);
        }
    }
}

/// Memory that is used again from text to text.
struct Scratch {
    word: Word,
    pieces: Vec<PieceId>,
    /// How often each piece of the vocabulary occurs: empty, or all zero between texts.
    counts: Vec<u32>,
    rows: Vec<(PieceId, f32)>,
    vector: [f32; StaticModel::DIM],
}

impl Scratch {
    fn new() -> Self {
        Scratch {
            word: Word::new(),
            pieces: Vec::new(),
            counts: Vec::new(),
            rows: Vec::new(),
            vector: [0.0; StaticModel::DIM],
        }
    }
}

pub(crate) fn is_worth_sharing(texts: &[&str]) -> bool {
    texts.len() > 1 && texts.iter().map(|text| text.len()).sum::<usize>() >= WORTH_SHARING
}

impl Embedder for StaticModel {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dim(&self) -> usize {
        Self::DIM
    }

    /// Uses the threads of the current rayon pool when there is enough to do.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let one = |scratch: &mut Scratch, text: &&str| {
            let mut vector = vec![0.0; Self::DIM];
            self.embed_into(text, scratch, &mut vector);
            vector
        };
        if is_worth_sharing(texts) {
            return Ok(texts.par_iter().map_init(Scratch::new, one).collect());
        }
        let mut scratch = Scratch::new();
        Ok(texts.iter().map(|text| one(&mut scratch, text)).collect())
    }

    fn embed_quantised(&self, texts: &[&str]) -> Result<Quantised, EmbedError> {
        let mut scales = vec![0f32; texts.len()];
        let mut values = vec![0i8; texts.len() * Self::DIM];
        let one = |scratch: &mut Scratch, text: &str, row: &mut [i8]| {
            let mut vector = scratch.vector;
            self.embed_into(text, scratch, &mut vector);
            quantise_into(&vector, row)
        };
        if is_worth_sharing(texts) {
            let places = scales.par_iter_mut().zip(values.par_chunks_exact_mut(Self::DIM));
            texts.par_iter().zip(places).for_each_init(Scratch::new, |scratch, (text, (scale, row))| {
                *scale = one(scratch, text, row);
            });
        } else {
            let mut scratch = Scratch::new();
            for ((text, scale), row) in texts.iter().zip(&mut scales).zip(values.chunks_exact_mut(Self::DIM)) {
                *scale = one(&mut scratch, text, row);
            }
        }
        let found = scales.len();
        Quantised::from_parts(Self::DIM, scales, values).ok_or_else(|| EmbedError::WrongCount {
            model: self.id.clone(),
            found,
            expected: texts.len(),
        })
    }
}

#[cfg(test)]
#[path = "static_model_tests.rs"]
mod tests;
