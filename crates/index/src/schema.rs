use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions};

use crate::tokenize::TOKENIZER_NAME;

/// The fields whose words are scored. The order is part of the score: sums are taken in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextField {
    /// The document's title, or the name of the symbol that a chunk of code defines.
    Title,
    Heading,
    Path,
    Body,
}

impl TextField {
    /// Every field, in the order in which scores are summed.
    pub const ALL: [TextField; 4] = [TextField::Title, TextField::Heading, TextField::Path, TextField::Body];

    /// Its place in [`TextField::ALL`].
    pub const fn position(self) -> usize {
        self as usize
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Fields {
    pub(crate) schema: Schema,
    pub(crate) text: [Field; TextField::ALL.len()],
    /// A chunk's text as it is shown. What is searched of it is in the body.
    pub(crate) whole: Field,
    /// Key of the document; the term that deletes its chunks.
    pub(crate) key: Field,
    pub(crate) row: Field,
    /// Settles ties the same way in every index; see `reader`.
    pub(crate) tie: Field,
    /// What the document is for: the number of its `Role`.
    pub(crate) role: Field,
    pub(crate) path: Field,
    pub(crate) language: Field,
    pub(crate) kind: Field,
    /// What the chunk defines; see `names`.
    pub(crate) names: Field,
    /// The `ChunkRecord` as JSON.
    pub(crate) record: Field,
}

pub(crate) const KEY: &str = "key";
pub(crate) const ROW: &str = "row";
pub(crate) const TIE: &str = "tie";
pub(crate) const ROLE: &str = "role";
pub(crate) const PATH: &str = "path";
pub(crate) const LANGUAGE: &str = "language";
pub(crate) const KIND: &str = "kind";

impl Fields {
    pub(crate) fn new() -> Self {
        let words = |option| {
            let indexing = TextFieldIndexing::default().set_tokenizer(TOKENIZER_NAME).set_index_option(option);
            TextOptions::default().set_indexing_options(indexing.set_fieldnorms(true))
        };
        let facts = TextOptions::default().set_fast("raw");
        let mut builder = Schema::builder();
        let text = [
            builder.add_text_field("title_words", words(IndexRecordOption::WithFreqs)),
            builder.add_text_field("heading_words", words(IndexRecordOption::WithFreqs)),
            builder.add_text_field("path_words", words(IndexRecordOption::WithFreqs)),
            builder.add_text_field("body", words(IndexRecordOption::WithFreqsAndPositions)),
        ];
        let whole = builder.add_text_field("text", STORED);
        let key = builder.add_u64_field(KEY, INDEXED);
        let row = builder.add_u64_field(ROW, FAST);
        let tie = builder.add_u64_field(TIE, FAST);
        let role = builder.add_u64_field(ROLE, FAST);
        let path = builder.add_text_field(PATH, facts.clone());
        let language = builder.add_text_field(LANGUAGE, facts.clone());
        let kind = builder.add_text_field(KIND, facts);
        let raw = TextFieldIndexing::default().set_tokenizer("raw").set_index_option(IndexRecordOption::Basic);
        let names =
            builder.add_text_field("names", TextOptions::default().set_indexing_options(raw.set_fieldnorms(false)));
        let record = builder.add_bytes_field("record", STORED);
        Fields { schema: builder.build(), text, whole, key, row, tie, role, path, language, kind, names, record }
    }

    pub(crate) fn of(&self, field: TextField) -> Field {
        self.text[field.position()]
    }
}
