//! Mail messages.

use crate::{ConvertError, Format, Limits};

pub(crate) fn detect(_path: &str, _bytes: &[u8]) -> Option<Format> {
    None
}

pub(crate) fn convert(_bytes: &[u8], _limits: &Limits) -> Result<String, ConvertError> {
    Err(ConvertError::NoText(""))
}
