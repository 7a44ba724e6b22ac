//! Which format a file has.

use crate::{email, epub, html, man, notebook, office, openapi, pdf, tex};

/// A format that is converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    Html,
    Notebook,
    Man,
    OpenApi,
    JsonSchema,
    Epub,
    Email,
    Tex,
    Pdf,
    Docx,
    Pptx,
    Xlsx,
    Odt,
}

impl Format {
    /// Whether a file of it is text that people write and read as it stands.
    pub fn is_text(self) -> bool {
        match self {
            Format::Html | Format::Man | Format::OpenApi | Format::JsonSchema | Format::Email | Format::Tex => true,
            Format::Notebook
            | Format::Epub
            | Format::Pdf
            | Format::Docx
            | Format::Pptx
            | Format::Xlsx
            | Format::Odt => false,
        }
    }

    pub const ALL: [Format; 13] = [
        Format::Html,
        Format::Notebook,
        Format::Man,
        Format::OpenApi,
        Format::JsonSchema,
        Format::Epub,
        Format::Email,
        Format::Tex,
        Format::Pdf,
        Format::Docx,
        Format::Pptx,
        Format::Xlsx,
        Format::Odt,
    ];

    /// Whether a file of this format can be made to cost much more than its size, or to meet a bug: packed and binary ones.
    pub fn is_risky(self) -> bool {
        matches!(self, Format::Epub | Format::Pdf | Format::Docx | Format::Pptx | Format::Xlsx | Format::Odt)
    }

    /// What makes text of it, as `html/1`.
    pub fn converter(self) -> &'static str {
        match self {
            Format::Html => "html/1",
            Format::Notebook => "notebook/1",
            Format::Man => "man/2",
            Format::OpenApi => "openapi/1",
            Format::JsonSchema => "json-schema/1",
            Format::Epub => "epub/1",
            Format::Email => "email/2",
            Format::Tex => "tex/2",
            Format::Pdf => "pdf/4",
            Format::Docx => "docx/2",
            Format::Pptx => "pptx/1",
            Format::Xlsx => "xlsx/1",
            Format::Odt => "odt/2",
        }
    }

    /// The format of a file by its name and content, or nothing if it is text already, or nothing that can be read.
    ///
    /// Content decides where the name says nothing, and where both disagree: a PDF called `.txt` is a PDF.
    pub fn detect(path: &str, bytes: &[u8]) -> Option<Format> {
        // Formats with a mark in their bytes come first, because a mark can't be mistaken.
        pdf::detect(path, bytes)
            .or_else(|| epub::detect(path, bytes))
            .or_else(|| office::detect(path, bytes))
            .or_else(|| notebook::detect(path, bytes))
            .or_else(|| openapi::detect(path, bytes))
            .or_else(|| html::detect(path, bytes))
            .or_else(|| man::detect(path, bytes))
            .or_else(|| email::detect(path, bytes))
            .or_else(|| tex::detect(path, bytes))
    }
}

/// Whether a file of this name may be one of a format that is converted. What has no such name may be one by its content.
pub fn may_be_converted(path: &str) -> bool {
    const EXTENSIONS: [&str; 24] = [
        "html", "htm", "xhtml", "ipynb", "json", "yaml", "yml", "epub", "eml", "mbox", "tex", "latex", "pdf", "docx",
        "docm", "pptx", "xlsx", "xlsm", "odt", "gz", "man", "mdoc", "n", "l",
    ];
    let extension =
        path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, extension)| extension);
    // Sections of the manual: `.1`, `.3pm`, `.1ssl`.
    extension.starts_with(|c: char| ('1'..='9').contains(&c))
        || EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension))
}
