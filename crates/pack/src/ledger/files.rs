use std::io;
use std::path::Path;
use std::time::Duration;

use ai_assist_base::{FileLock, ReadError, platform, read_bounded, remove_unfinished, replace_file};

use super::LedgerError;

/// How long a record waits for others to be written.
const PATIENCE: Duration = Duration::from_secs(30);
/// No record is larger. That of a million files has some 200 MB.
const MAX_BYTES: u64 = 1 << 30;
const LOCK: &str = ".lock";

pub(super) fn make_folder(folder: &Path) -> Result<(), LedgerError> {
    let made = platform::private_folder(folder);
    made.map_err(|source| LedgerError::Folder { path: folder.to_path_buf(), source })
}

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
pub(super) fn lock(folder: &Path) -> Result<FileLock, LedgerError> {
    let path = folder.join(LOCK);
    let failed = |source| LedgerError::Write { path: path.clone(), source };
    let taken = FileLock::take_within(&path, PATIENCE).map_err(failed)?;
    taken.ok_or_else(|| LedgerError::Locked { path: path.clone(), seconds: PATIENCE.as_secs() })
}

pub(super) fn read(number: u64, path: &Path) -> Result<String, LedgerError> {
    let failed = |source| LedgerError::Read { number, path: path.to_path_buf(), source };
    let bytes = read_bounded(path, MAX_BYTES).map_err(|error| match error {
        ReadError::Missing => LedgerError::Missing { number, path: path.to_path_buf() },
        error => failed(error.into()),
    })?;
    String::from_utf8(bytes).map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidData, error)))
}

/// Writes a record's file, under the lock, so that it is there whole or not at all, also after a power cut.
pub(super) fn write(folder: &Path, path: &Path, bytes: &[u8]) -> Result<(), LedgerError> {
    let written = remove_unfinished(folder).and_then(|()| replace_file(path, bytes, 0o600));
    written.map_err(|source| LedgerError::Write { path: path.to_path_buf(), source })
}
