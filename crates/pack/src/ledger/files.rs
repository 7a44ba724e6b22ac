//! The files of a ledger.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use super::LedgerError;

/// How long a record waits for others to be written.
const PATIENCE: Duration = Duration::from_secs(30);
/// No record is larger. That of a million files has some 200 MB.
const MAX_BYTES: u64 = 1 << 30;
const LOCK: &str = ".lock";
/// A record that is being written. There is only ever one, under the lock.
const UNFINISHED: &str = ".unfinished";

pub(super) fn make_folder(folder: &Path) -> Result<(), LedgerError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|source| LedgerError::Folder { path: folder.to_path_buf(), source })
}

/// The name of the file of a record.
pub(super) fn name(number: u64) -> String {
    format!("{number:08}.json")
}

/// The numbers of all records, in order. Any other file is none of ours.
pub(super) fn numbers(folder: &Path) -> Result<Vec<u64>, LedgerError> {
    let failed = |source| LedgerError::Folder { path: folder.to_path_buf(), source };
    let mut numbers = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        let file = entry.map_err(failed)?.file_name();
        let number = file.to_str().and_then(|file| file.strip_suffix(".json")?.parse().ok());
        // Only as it would be written: `+1.json` and `1.json` are not.
        numbers
            .extend(number.filter(|&number| number > 0 && number < u64::MAX && file.to_str() == Some(&name(number))));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Takes the lock, which the system drops with the file.
pub(super) fn lock(folder: &Path) -> Result<File, LedgerError> {
    let path = folder.join(LOCK);
    let failed = |source| LedgerError::Write { path: path.clone(), source };
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path).map_err(failed)?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(LedgerError::Locked { path, seconds: PATIENCE.as_secs() });
            }
        }
    }
}

/// Reads a record's file.
pub(super) fn read(number: u64, path: &Path) -> Result<String, LedgerError> {
    let read = || {
        let mut text = String::new();
        File::open(path)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
        if text.len() as u64 > MAX_BYTES { Err(ErrorKind::FileTooLarge.into()) } else { Ok(text) }
    };
    read().map_err(|source: io::Error| {
        let path = path.to_path_buf();
        if source.kind() == ErrorKind::NotFound {
            return LedgerError::Missing { number, path };
        }
        LedgerError::Read { number, path, source }
    })
}

/// Writes a record's file, under the lock, so that it is there whole or not at all, also after a power cut.
pub(super) fn write(folder: &Path, path: &Path, bytes: &[u8]) -> Result<(), LedgerError> {
    let unfinished = folder.join(UNFINISHED);
    let write = || {
        // One that a killed process left behind.
        match std::fs::remove_file(&unfinished) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&unfinished, path)?;
        File::open(folder)?.sync_all()
    };
    write().map_err(|source| LedgerError::Write { path: path.to_path_buf(), source })
}
