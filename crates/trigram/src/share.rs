//! One index in two folders.

use std::fs;
use std::path::Path;

use crate::segments::{LIST, open_all};
use crate::update::link_or_copy;
use crate::{Error, Result};

/// Makes the index in `old` also that of `folder`, by hard links where the file system has them. Nobody may be changing
/// it; afterwards each can be changed without the other.
///
/// The names in `folder` are not made durable.
pub fn share(old: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(Error::io("creating", folder))?;
    for segment in open_all(old)? {
        let path = segment.reader.path();
        link_or_copy(path, &folder.join(path.file_name().unwrap_or_default()))?;
    }
    link_or_copy(&old.join(LIST), &folder.join(LIST))
}
