//! Documents of other formats to text that is worth searching.
//!
//! What comes in: the bytes of one file, and its name. What goes out: Markdown with its headings, lists, tables, code and
//! links, the name and version of the converter, and lines that say where in the original a passage stands ([`place`]).
//! The same bytes give the same text. A file that is broken, too large or hostile is an error that says so; no input
//! panics, and time and memory are bounded by [`Limits`].
//!
//! What is text already (Markdown, reStructuredText, AsciiDoc, Org, code) is not converted: `chunk` reads those as they are.
//!
//! Must not know: the network, where the bytes came from, what is done with the text.

mod archive;
mod detect;
mod email;
mod emit;
mod epub;
mod html;
#[cfg(test)]
mod linear_tests;
mod man;
mod notebook;
mod office;
mod openapi;
mod pdf;
pub mod place;
mod tex;

pub use detect::{Format, may_be_converted};

/// What [`Converted::converter`] may be, and how a text is marked that was taken as it stands. The number of the latter is raised when
/// a format is added, so that files of it are looked at again.
pub const CONVERTERS: [&str; 14] = [
    AS_IT_STANDS, "html/1", "notebook/1", "man/1", "openapi/1", "json-schema/1", "epub/1", "email/1", "tex/1", "pdf/1",
    "docx/1", "pptx/1", "xlsx/1", "odt/1",
];
pub const AS_IT_STANDS: &str = "text/1";

/// A document as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// Markdown. Its place lines are those of [`place`], and nothing of the original's text looks like one.
    pub text: String,
    /// What made it, as `html/1`: a change of what it makes raises the number, so that documents are made anew.
    pub converter: &'static str,
}

/// What one document may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of all that is unpacked from one file.
    pub max_unpacked: u64,
    /// Bytes of the text that comes out; what is longer is cut, and the last line says so.
    pub max_text: usize,
    /// Levels of nesting that are followed.
    pub max_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_unpacked: 256 << 20, max_text: 16 << 20, max_depth: 256 }
    }
}

/// Why a document was not converted. The text is shown to a person after the file's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConvertError {
    #[error("it is not well-formed {format}: {detail}")]
    Malformed { format: &'static str, detail: String },
    #[error("it is encrypted")]
    Encrypted,
    #[error("it has no text in it{}", hint(.0))]
    NoText(&'static str),
    #[error("it is over the limit of {limit} {what}")]
    TooLarge { what: &'static str, limit: u64 },
    /// The process that reads risky formats ended without an answer.
    #[error("reading it {0}")]
    Broke(String),
}

fn hint(hint: &str) -> String {
    if hint.is_empty() { String::new() } else { format!(" ({hint})") }
}

/// Converts a document of a format that [`Format::detect`] named.
pub fn convert(format: Format, bytes: &[u8], limits: &Limits) -> Result<Converted, ConvertError> {
    let (text, converter) = match format {
        Format::Html => (html::convert(bytes, limits)?, "html/1"),
        Format::Notebook => (notebook::convert(bytes, limits)?, "notebook/1"),
        Format::Man => (man::convert(bytes, limits)?, "man/1"),
        Format::OpenApi => (openapi::convert(bytes, limits)?, "openapi/1"),
        Format::JsonSchema => (openapi::convert_schema(bytes, limits)?, "json-schema/1"),
        Format::Epub => (epub::convert(bytes, limits)?, "epub/1"),
        Format::Email => (email::convert(bytes, limits)?, "email/1"),
        Format::Tex => (tex::convert(bytes, limits)?, "tex/1"),
        Format::Pdf => (pdf::convert(bytes, limits)?, "pdf/1"),
        Format::Docx => (office::docx(bytes, limits)?, "docx/1"),
        Format::Pptx => (office::pptx(bytes, limits)?, "pptx/1"),
        Format::Xlsx => (office::xlsx(bytes, limits)?, "xlsx/1"),
        Format::Odt => (office::odt(bytes, limits)?, "odt/1"),
    };
    Ok(Converted { text, converter })
}
