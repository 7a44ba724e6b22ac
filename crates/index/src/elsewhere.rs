//! Texts that are not kept in an index, because what it is made of has them.

use std::sync::Arc;

use ai_assist_identity::Sha256;

use crate::reader::Reader;
use crate::{Error, Result};

/// Which text a document had: that of one of its puts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPlace {
    /// The document's key.
    pub key: u64,
    /// The number of the put.
    pub put: u64,
    /// The hash of the source's bytes.
    pub hash: Sha256,
}

/// Where the texts of documents are that an index does not keep itself.
pub trait Texts: Send + Sync {
    /// The text of a document; none if it is not there any more.
    fn text(&self, place: &TextPlace) -> std::result::Result<Option<String>, Box<dyn std::error::Error + Send + Sync>>;
}

/// Reads texts that are kept elsewhere, and keeps the last: the chunks of a document are often read together.
pub(crate) struct Elsewhere<'r> {
    reader: &'r Reader,
    last: Option<(TextPlace, String)>,
}

impl<'r> Elsewhere<'r> {
    pub(crate) fn new(reader: &'r Reader) -> Self {
        Elsewhere { reader, last: None }
    }

    /// A piece of a document's text.
    pub(crate) fn piece(&mut self, place: TextPlace, bytes: (u64, u64)) -> Result<&str> {
        let Elsewhere { reader, last } = self;
        let lost = |why: &str| Error::damaged(&reader.folder, format!("{why} of document {}", place.key));
        if last.as_ref().is_none_or(|(of, _)| *of != place) {
            let texts = reader.texts.as_ref().ok_or_else(|| lost("nobody has given it the text"))?;
            let read = texts.text(&place).map_err(|source| Error::Texts { path: reader.folder.clone(), source })?;
            *last = Some((place, read.ok_or_else(|| lost("nothing has the text"))?));
        }
        let range = usize::try_from(bytes.0).ok().zip(usize::try_from(bytes.1).ok());
        let piece = last.as_ref().zip(range).and_then(|((_, text), (from, to))| text.get(from..to));
        piece.ok_or_else(|| lost("a chunk is no piece of the text"))
    }
}

impl Reader {
    /// The same reader, with the texts that its index does not keep.
    #[must_use]
    pub fn with_texts(self, texts: Arc<dyn Texts>) -> Self {
        Reader { texts: Some(texts), ..self }
    }
}
