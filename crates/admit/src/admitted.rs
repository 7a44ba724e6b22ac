use std::fmt;

use ai_assist_identity::{DocPath, Sha256};
use ai_assist_text::{Encoding, Language};

use crate::{FileStamp, Redaction};

/// The text of one file that may be indexed or sent. Only [`Candidate::read`](crate::Candidate::read) and
/// [`admit_bytes`](crate::admit_bytes) make one.
pub struct Admitted {
    pub(crate) path: DocPath,
    pub(crate) text: String,
    pub(crate) hash: Sha256,
    pub(crate) size: u64,
    /// The stamp of the file and when it was opened; nothing for what did not come from a file here.
    pub(crate) seen: Option<(FileStamp, i64)>,
    pub(crate) encoding: Encoding,
    pub(crate) bom: bool,
    pub(crate) replaced: usize,
    pub(crate) converter: Option<&'static str>,
    pub(crate) redactions: Vec<Redaction>,
    pub(crate) allowed: bool,
    pub(crate) allowed_values: Vec<Redaction>,
}

impl Admitted {
    pub fn path(&self) -> &DocPath {
        &self.path
    }

    /// The decoded text, secrets replaced by markers unless it [was allowed](Self::is_allowed).
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn into_text(self) -> String {
        self.text
    }

    /// The hash of the raw bytes, before decoding and redaction.
    pub fn hash(&self) -> Sha256 {
        self.hash
    }

    /// The stamp of the opened file, the same before and after reading, if it may later stand in for the content.
    pub fn stamp(&self) -> Option<FileStamp> {
        self.seen.and_then(|(stamp, read_at_ns)| stamp.settled(read_at_ns))
    }

    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    pub fn bom(&self) -> bool {
        self.bom
    }

    /// How many malformed sequences became U+FFFD.
    pub fn replaced(&self) -> usize {
        self.replaced
    }

    /// What made the text out of another format, with its version, as `pdf/1`.
    pub fn converter(&self) -> Option<&'static str> {
        self.converter
    }

    /// The language of the text. What a converter made is Markdown.
    pub fn language(&self) -> Language {
        if self.converter.is_some() { Language::MARKDOWN } else { Language::detect(self.path.as_str(), &self.text) }
    }

    /// Which rules took out how many values.
    pub fn redactions(&self) -> &[Redaction] {
        &self.redactions
    }

    /// What was found and left in, because somebody [allowed its rule](crate::Allowance) in this file.
    pub fn allowed_values(&self) -> &[Redaction] {
        &self.allowed_values
    }

    pub fn redacted(&self) -> usize {
        self.redactions.iter().map(|redaction| redaction.count).sum()
    }

    /// Whether it was named by hand ([`PackRules::allow`](crate::PackRules::allow)): past every rule, and unredacted.
    pub fn is_allowed(&self) -> bool {
        self.allowed
    }

    pub fn size(&self) -> u64 {
        self.size
    }
}

/// Facts only: a log line that prints one must not carry a file's content.
impl fmt::Debug for Admitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admitted")
            .field("path", &self.path)
            .field("hash", &self.hash)
            .field("seen", &self.seen)
            .field("encoding", &self.encoding)
            .field("redactions", &self.redactions)
            .finish_non_exhaustive()
    }
}
