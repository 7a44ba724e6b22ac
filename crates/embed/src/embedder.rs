//! What every model can do.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::quantise::Quantised;

/// The name and version of a model, such as `ai-assist-static-256@1`. Vectors are compared only under one id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ModelId(String);

impl ModelId {
    pub fn new(name: &str, version: impl fmt::Display) -> Self {
        ModelId(format!("{name}@{version}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    #[error("the model's `{file}` can't be used: {reason}")]
    BadModel { file: &'static str, reason: String },
    #[error("the model `{model}` gave {found} vectors for {expected} texts")]
    WrongCount { model: ModelId, found: usize, expected: usize },
    #[error("the model `{model}` gave a vector of {found} numbers for text {text}; it should have {expected}")]
    WrongDimension { model: ModelId, text: usize, found: usize, expected: usize },
    #[error("the model `{model}` gave a vector with an infinity or NaN for text {text}")]
    NotFinite { model: ModelId, text: usize },
}

/// A model that turns texts into vectors of length one. A text with nothing in it gives the zero vector.
///
/// The vector of a text does not depend on the other texts of the batch.
pub trait Embedder: Send + Sync {
    fn model(&self) -> &ModelId;

    /// How many numbers a vector has.
    fn dim(&self) -> usize;

    /// One vector per text, in the same order.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// One quantised vector per text, in the same order.
    fn embed_quantised(&self, texts: &[&str]) -> Result<Quantised, EmbedError> {
        let vectors = self.embed(texts)?;
        if vectors.len() != texts.len() {
            let (model, found) = (self.model().clone(), vectors.len());
            return Err(EmbedError::WrongCount { model, found, expected: texts.len() });
        }
        let mut rows = Quantised::with_capacity(self.dim(), texts.len());
        for (text, vector) in vectors.iter().enumerate() {
            let model = || self.model().clone();
            if vector.len() != self.dim() {
                let (found, expected) = (vector.len(), self.dim());
                return Err(EmbedError::WrongDimension { model: model(), text, found, expected });
            }
            if !vector.iter().all(|v| v.is_finite()) {
                return Err(EmbedError::NotFinite { model: model(), text });
            }
            rows.push(vector);
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model that answers with what it was made of.
    struct Fixed(ModelId, Vec<Vec<f32>>);

    impl Embedder for Fixed {
        fn model(&self) -> &ModelId {
            &self.0
        }
        fn dim(&self) -> usize {
            2
        }
        fn embed(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
            Ok(self.1.clone())
        }
    }

    #[test]
    fn what_a_model_gives_is_checked() {
        let quantised = |vectors: &[&[f32]]| {
            let vectors = vectors.iter().map(|v| v.to_vec()).collect();
            Fixed(ModelId::new("fixed", 7), vectors).embed_quantised(&["a", "b"])
        };
        let rows = quantised(&[&[1.0, -0.5], &[0.0, 0.0]]).unwrap();
        assert_eq!(rows.row(0), (&[127, -64][..], 1.0 / 127.0));
        assert_eq!(rows.row(1), (&[0, 0][..], 0.0));
        for (vectors, message) in [
            (&[&[1.0, 0.0][..]][..], "`fixed@7` gave 1 vectors for 2 texts"),
            (&[&[1.0, 0.0], &[1.0]], "a vector of 1 numbers for text 1; it should have 2"),
            (&[&[1.0, f32::NAN], &[1.0, 0.0]], "infinity or NaN for text 0"),
        ] {
            assert!(quantised(vectors).unwrap_err().to_string().contains(message), "{message}");
        }
    }
}
