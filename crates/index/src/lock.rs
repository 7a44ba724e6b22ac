//! One writer at a time. The operating system drops the lock of a dead process.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::{Error, Result};

/// Held while it lives.
#[derive(Debug)]
pub(crate) struct WriteLock {
    _file: File,
}

impl WriteLock {
    /// Takes the lock of an index's folder, or says that it is [busy](Error::Busy).
    pub(crate) fn take(folder: &Path) -> Result<Self> {
        let path = folder.join("write.lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(Error::io("opening", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(WriteLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Error::Busy(folder.to_owned())),
            Err(TryLockError::Error(source)) => Err(Error::io("locking", &path)(source)),
        }
    }
}
