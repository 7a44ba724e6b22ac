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
