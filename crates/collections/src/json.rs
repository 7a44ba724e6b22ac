//! Reading the JSON files that people write.

use std::path::Path;

pub(crate) use ai_assist_fetch::json::{JsonError, JsonFile, Place, Warning, options};

use crate::{Error, Result};

/// A configuration larger than this was not written by a person.
const MAX_BYTES: u64 = 4 << 20;

/// Reads a whole configuration file as text.
pub(crate) fn read_text(file: &Path) -> Result<String> {
    let metadata = std::fs::metadata(file).map_err(Error::io("reading", file))?;
    let unreadable = |message: String| {
        let place = Place { file: file.display().to_string(), line: 1, column: 1 };
        Error::Json(JsonError { place, pointer: String::new(), message })
    };
    // A pipe would never end, and a device may be anything.
    if !metadata.is_file() && !metadata.is_dir() {
        return Err(unreadable("this is no regular file".to_owned()));
    }
    let length = metadata.len();
    if length > MAX_BYTES {
        return Err(unreadable(format!("the file has {length} bytes; at most {MAX_BYTES} are read")));
    }
    let bytes = std::fs::read(file).map_err(Error::io("reading", file))?;
    match ai_assist_text::decode(&bytes) {
        Ok(decoded) => Ok(decoded.text.into_owned()),
        Err(error) => Err(unreadable(error.to_string())),
    }
}
