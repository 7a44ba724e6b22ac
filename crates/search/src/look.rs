//! A second look: the best chunks of the first ranking are read again by a model that minds the order of words.
//!
//! The model is slow beside the first ranking, a millisecond a chunk, so it reads few chunks, always the same number, and what it
//! made of each is kept: in memory, and beside the indexes by the model and the hash of the text.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use ai_assist_embed::{ContextModel, Embedder, dot, quantise};
use ai_assist_identity::Sha256;
use ai_assist_index::{VectorCache, embedding_input};

use crate::Error;
use crate::question::Question;
use crate::score::Placed;

/// How many chunks are read again.
const CHUNKS: usize = 50;

/// What the nearest of them gets, beside a first score of at most 1, where no document has more than one chunk that speaks for it.
/// Where several do, they say more than a second look: the sets with one chunk a document like a high weight, those with many a low one.
const WEIGHT: f32 = 0.3;
const AGAINST_EVIDENCE: f32 = 12.0;

/// The cosines of fifty chunks spread wider than this; the little that separates a few that are alike must not be blown up.
const MIN_WIDTH: f32 = 0.3;

/// How large the file of vectors may grow: about 30,000 of them.
const CAP: u64 = 8 << 20;
/// How many vectors are kept in memory.
const KNOWN: usize = 50_000;

type Vector = (Vec<i8>, f32);

/// Reads chunks again, and keeps what it made of them.
pub struct Look {
    folder: Option<PathBuf>,
    stored: OnceLock<Option<VectorCache>>,
    known: Mutex<HashMap<Sha256, Vector>>,
}

impl fmt::Debug for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Look").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Look {
    /// One that keeps vectors in a folder, as far as it may write there.
    pub fn new(folder: Option<&Path>) -> Self {
        Look { folder: folder.map(Path::to_owned), stored: OnceLock::new(), known: Mutex::default() }
    }

    fn stored(&self) -> Option<&VectorCache> {
        let open = || VectorCache::open(self.folder.as_deref()?, model().model(), ContextModel::DIM, CAP).ok();
        self.stored.get_or_init(open).as_ref()
    }

    /// The vectors of some texts.
    fn vectors(&self, texts: &[String]) -> Result<Vec<Vector>, Error> {
        let keys: Vec<Sha256> = texts.iter().map(|text| Sha256::of(text.as_bytes())).collect();
        let mut vectors: Vec<Option<Vector>> = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            keys.iter().map(|key| known.get(key).cloned()).collect()
        };
        let missing: Vec<usize> = (0..texts.len()).filter(|&at| vectors[at].is_none()).collect();
        if !missing.is_empty() {
            // Not under the lock: others may ask meanwhile.
            let unread: Vec<&str> = missing.iter().map(|&at| texts[at].as_str()).collect();
            let made = match self.stored() {
                Some(stored) => {
                    let made = stored.embed(model(), &unread)?;
                    // A cache that can't be written costs time, not answers.
                    let _ = stored.save();
                    made
                }
                None => model().embed_quantised(&unread)?,
            };
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() + missing.len() > KNOWN {
                known.clear();
            }
            for (row, &at) in missing.iter().enumerate() {
                let (values, scale) = made.row(row);
                known.insert(keys[at], (values.to_vec(), scale));
                vectors[at] = Some((values.to_vec(), scale));
            }
        }
        Ok(vectors.into_iter().flatten().collect())
    }

    /// Looks again at the best of a ranking that is in order, adds what it finds and puts it in order again.
    pub(crate) fn again(
        &self,
        ranking: &mut [Placed],
        question: &Question,
        text_of: impl Fn(&Placed) -> Result<String, Error>,
    ) -> Result<f32, Error> {
        let count = ranking.len().min(CHUNKS);
        let texts: Vec<String> = ranking[..count].iter().map(text_of).collect::<Result<_, Error>>()?;
        let asked = question.query.opening().map_or(question.query.text.as_str(), |(opening, _)| opening);
        let Some(asked) = model().embed(&[asked])?.pop() else { return Ok(1.0) };
        let (asked, scale) = quantise(&asked);
        #[expect(clippy::cast_precision_loss, reason = "products of 256 bytes are exact in f32")]
        let cosine = |(values, of_text): &Vector| dot(&asked, values) as f32 * scale * of_text;
        let cosines: Vec<f32> = self.vectors(&texts)?.iter().map(cosine).collect();
        let (low, high) = cosines.iter().fold((f32::MAX, f32::MIN), |(low, high), &c| (low.min(c), high.max(c)));
        let width = (high - low).max(MIN_WIDTH);
        let most = ranking.iter().map(|placed| placed.parts.evidence).fold(0.0, f32::max);
        let weight = WEIGHT / (1.0 + AGAINST_EVIDENCE * most);
        let by = 1.0 / (1.0 + weight);
        for (at, placed) in ranking.iter_mut().enumerate() {
            placed.parts = placed.parts.scaled(by);
            placed.parts.look = cosines.get(at).map_or(0.0, |cosine| weight * by * (1.0 - (high - cosine) / width));
            placed.score = placed.parts.sum();
        }
        ranking.sort_unstable_by(Placed::order);
        Ok(by)
    }
}

fn model() -> &'static ContextModel {
    ContextModel::bundled()
}

/// The text that stands for a chunk before the model.
pub(crate) fn text_of(chunk: &ai_assist_index::ChunkRecord) -> String {
    embedding_input(chunk.title.as_deref(), &chunk.path, &chunk.words())
}
