//! A small contextual encoder over the rows of the static model: a transformer that reads a text's pieces together.
//!
//! It is slower than the static model and closer to what a text says, so it is for a few texts, such as the best hits of a
//! search. Pieces and their rows are those of [`StaticModel`], up to the first [`MAX_TOKENS`].
//!
//! Its large matrices are signed bytes, and what is multiplied with them is rounded to bytes too, with a scale for each
//! token. Queries, keys, values and attention weights are rounded to 12 or 13 bits. So all products are of integers and
//! exact, and what is left in floats is done number by number or in one order: a vector has the same bits on every
//! processor, on any number of threads and in any batch.

mod forward;
mod weights;

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::simd::{Form, form};
use crate::static_model::is_worth_sharing;
use crate::vocab::PieceId;
use crate::words::Word;
use crate::{EmbedError, Embedder, ModelId, StaticModel};

use forward::Scratch;
use weights::{Files, Weights};

const DIM: usize = StaticModel::DIM;
const HEADS: usize = 4;
const HEAD: usize = DIM / HEADS;
const FFN: usize = 1024;
const MAX_TOKENS: usize = 256;

/// Short texts go through the model together until they have this many tokens: enough that the matrices are read for many
/// rows, and few enough that there is work for many threads.
const TOGETHER: usize = 96;

/// The files of the bundled model.
fn bundled_files() -> Files {
    Files {
        config: include_str!("../model/context/config.json"),
        bytes: include_bytes!("../model/context/weights.i8"),
        scales: include_bytes!("../model/context/scales.f32"),
        floats: include_bytes!("../model/context/vectors.f32"),
    }
}

/// A contextual embedding model over the vocabulary and the table of [`StaticModel`].
pub struct ContextModel {
    table: &'static StaticModel,
    weights: Weights,
}

impl ContextModel {
    pub const DIM: usize = DIM;

    /// The bundled model. The first call prepares it.
    pub fn bundled() -> &'static ContextModel {
        static MODEL: OnceLock<ContextModel> = OnceLock::new();
        #[expect(clippy::expect_used, reason = "the files are compiled in and a test loads them")]
        MODEL.get_or_init(|| Self::load(&bundled_files()).expect("the bundled model"))
    }

    fn load(files: &Files) -> Result<Self, EmbedError> {
        Ok(ContextModel { table: StaticModel::bundled(), weights: Weights::load(files)? })
    }

    /// One vector of length one per text, in the same order; the zero vector for a text without pieces.
    ///
    /// Uses the threads of the current rayon pool when there is enough to do.
    pub fn encode(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        self.encode_as(form(), texts)
    }

    fn encode_as(&self, form: Form, texts: &[&str]) -> Vec<Vec<f32>> {
        let texts = self.split(texts);
        let batches = batches(&texts);
        let next = AtomicUsize::new(0);
        // One scratch for each thread, which takes batch after batch: its memory is large, and new memory is slow.
        let work = |_| {
            let mut scratch = Scratch::default();
            let mut done = Vec::new();
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push((batch.start, self.forward(form, &texts[batch.clone()], &mut scratch)));
            }
            done
        };
        let workers = workers(batches.len());
        let mut done: Vec<_> =
            if workers < 2 { work(0) } else { (0..workers).into_par_iter().flat_map_iter(work).collect() };
        done.sort_unstable_by_key(|(first, _)| *first);
        done.into_iter().flat_map(|(_, vectors)| vectors).collect()
    }

    /// The pieces of each text that count.
    fn split(&self, texts: &[&str]) -> Vec<Vec<PieceId>> {
        let one = |word: &mut Word, text: &&str| self.table.known_pieces(text, MAX_TOKENS, word);
        if is_worth_sharing(texts) {
            return texts.par_iter().map_init(Word::new, one).collect();
        }
        let mut word = Word::new();
        texts.iter().map(|text| one(&mut word, text)).collect()
    }
}

/// How many threads are worth using. A single batch does not start a pool.
fn workers(batches: usize) -> usize {
    if batches < 2 { batches } else { rayon::current_num_threads().min(batches) }
}

/// Runs of texts that go through the model together.
fn batches(texts: &[Vec<PieceId>]) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let (mut start, mut tokens) = (0, 0);
    for (at, text) in texts.iter().enumerate() {
        if at > start && tokens + text.len() > TOGETHER {
            batches.push(start..at);
            (start, tokens) = (at, 0);
        }
        tokens += text.len();
    }
    if start < texts.len() {
        batches.push(start..texts.len());
    }
    batches
}

impl Embedder for ContextModel {
    fn model(&self) -> &ModelId {
        &self.weights.id
    }

    fn dim(&self) -> usize {
        DIM
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(self.encode(texts))
    }
}

#[cfg(test)]
#[path = "context_tests.rs"]
mod tests;
