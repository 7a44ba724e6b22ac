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
mod child;
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

pub use child::{Isolated, MAX_MEMORY, isolate, shared, worker_main};
pub use detect::{Format, may_be_converted};

/// How a text is marked that was taken as it stands. The number is raised when a format is added, so that files of it are looked at
/// again.
pub const AS_IT_STANDS: &str = "text/1";

/// Whether a text that was made by a converter would be made by the same one now.
pub fn is_current(converter: &str) -> bool {
    converter == AS_IT_STANDS || Format::ALL.iter().any(|format| format.converter() == converter)
}

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
    let text = match format {
        Format::Html => html::convert(bytes, limits)?,
        Format::Notebook => notebook::convert(bytes, limits)?,
        Format::Man => man::convert(bytes, limits)?,
        Format::OpenApi => openapi::convert(bytes, limits)?,
        Format::JsonSchema => openapi::convert_schema(bytes, limits)?,
        Format::Epub => epub::convert(bytes, limits)?,
        Format::Email => email::convert(bytes, limits)?,
        Format::Tex => tex::convert(bytes, limits)?,
        Format::Pdf => pdf::convert(bytes, limits)?,
        Format::Docx => office::docx(bytes, limits)?,
        Format::Pptx => office::pptx(bytes, limits)?,
        Format::Xlsx => office::xlsx(bytes, limits)?,
        Format::Odt => office::odt(bytes, limits)?,
    };
    Ok(Converted { text, converter: format.converter() })
}
