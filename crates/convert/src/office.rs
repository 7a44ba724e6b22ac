//! Office documents: Word, PowerPoint, Excel, OpenDocument.

use crate::{ConvertError, Format, Limits};

pub(crate) fn detect(_path: &str, _bytes: &[u8]) -> Option<Format> {
    None
}

pub(crate) fn docx(_bytes: &[u8], _limits: &Limits) -> Result<String, ConvertError> {
    Err(ConvertError::NoText(""))
}

pub(crate) fn pptx(_bytes: &[u8], _limits: &Limits) -> Result<String, ConvertError> {
    Err(ConvertError::NoText(""))
}

pub(crate) fn xlsx(_bytes: &[u8], _limits: &Limits) -> Result<String, ConvertError> {
    Err(ConvertError::NoText(""))
}

pub(crate) fn odt(_bytes: &[u8], _limits: &Limits) -> Result<String, ConvertError> {
    Err(ConvertError::NoText(""))
}
