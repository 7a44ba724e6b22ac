//! The ledger: a folder where transparency records are kept, one file each, numbered from `00000001.json`.
//!
//! It is only added to. Records are appended under a lock that a dead process never holds, and a file gets its number
//! only when it is whole, so that there is no moment at which a reader sees half a record. Each record holds the hash of
//! the one before: [`Ledger::verify`] shows if one was changed, taken out, put in or moved. What no chain can show is
//! that its last records were taken away; whoever wants to be sure of those keeps the last hash elsewhere.

mod error;
mod files;

use std::path::{Path, PathBuf};

use ai_assist_identity::Sha256;

use crate::receipt::Chain;
use crate::{ChainError, PackError, TransparencyRecord};

pub use error::LedgerError;

#[derive(Debug, Clone)]
pub struct Ledger {
    folder: PathBuf,
}

/// What is known of a ledger in which nothing is wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    pub records: u64,
    pub last: Option<Sha256>,
    /// When the first pack was made, as its record says.
    pub first_at: Option<String>,
    /// When the last pack was made, as its record says.
    pub last_at: Option<String>,
}

impl Ledger {
    /// Opens a ledger; its folder is made, for the user only, if it is not there.
    pub fn open(folder: &Path) -> Result<Ledger, LedgerError> {
        files::make_folder(folder)?;
        Ok(Ledger { folder: folder.to_path_buf() })
    }

    /// Adds the record that `make` makes, given the hash of the record before it, and gives it with its number. Nobody
    /// else adds one meanwhile. Takes the same time however many records there are, save for listing their names.
    pub fn append(
        &self,
        make: &mut dyn FnMut(Option<Sha256>) -> Result<TransparencyRecord, PackError>,
    ) -> Result<(u64, TransparencyRecord), LedgerError> {
        let _lock = files::lock(&self.folder)?;
        let number = files::numbers(&self.folder)?.last().copied().unwrap_or(0);
        let previous = if number > 0 { Some(self.read(number)?.record_hash) } else { None };
        let record = make(previous).map_err(LedgerError::Make)?;
        let (number, path) = (number + 1, self.path(number + 1));
        let mut chain = Chain { records: usize::try_from(number - 1).unwrap_or(usize::MAX), last: previous };
        chain.follow(&record).map_err(|problem| LedgerError::DoesNotFollow { number, problem: problem.into() })?;
        let mut line = record.to_json().map_err(LedgerError::Make)?;
        line.push('\n');
        files::write(&self.folder, &path, line.as_bytes())?;
        Ok((number, record))
    }

    pub fn count(&self) -> Result<u64, LedgerError> {
        Ok(files::numbers(&self.folder)?.len() as u64)
    }

    pub fn read(&self, number: u64) -> Result<TransparencyRecord, LedgerError> {
        self.parse(number, &files::read(number, &self.path(number))?)
    }

    /// All records from the first to the last; one is in memory at a time. A number that is left out ends it with
    /// [`LedgerError::Missing`].
    pub fn iter(&self) -> Result<impl Iterator<Item = Result<(u64, TransparencyRecord), LedgerError>>, LedgerError> {
        let last = files::numbers(&self.folder)?.last().copied().unwrap_or(0);
        let mut next = 1;
        Ok(std::iter::from_fn(move || {
            let number = next;
            let found = (number <= last).then(|| self.read(number))?;
            // A number that was made up may be as large as it likes; it must not be counted up to.
            next = if found.is_ok() { number + 1 } else { u64::MAX };
            Some(found.map(|record| (number, record)))
        }))
    }

    /// Checks every record: that it is there, can be read, was not changed and follows the one before it.
    pub fn verify(&self) -> Result<Verified, LedgerError> {
        let mut chain = Chain::default();
        let mut verified = Verified::default();
        for found in self.iter()? {
            let (number, record) = found?;
            let broken =
                |problem: ChainError| LedgerError::Broken { number, path: self.path(number), problem: problem.into() };
            chain.follow(&record).map_err(broken)?;
            verified.records = number;
            verified.first_at.get_or_insert_with(|| record.created_at.clone());
            verified.last_at = Some(record.created_at);
        }
        verified.last = chain.last;
        Ok(verified)
    }

    /// The newest record of a pack, by the hash of the pack's bytes.
    pub fn find_pack(&self, hash: &Sha256) -> Result<Option<(u64, TransparencyRecord)>, LedgerError> {
        let written = hash.to_string();
        for &number in files::numbers(&self.folder)?.iter().rev() {
            let text = files::read(number, &self.path(number))?;
            // Parsing takes ten times as long as looking.
            if !text.contains(&written) {
                continue;
            }
            let record = self.parse(number, &text)?;
            if record.pack_hash == *hash {
                return Ok(Some((number, record)));
            }
        }
        Ok(None)
    }

    pub fn path(&self, number: u64) -> PathBuf {
        self.folder.join(files::name(number))
    }

    fn parse(&self, number: u64, text: &str) -> Result<TransparencyRecord, LedgerError> {
        let failed = |error: PackError| LedgerError::NoRecord { number, path: self.path(number), source: error };
        TransparencyRecord::from_json(text).map_err(failed)
    }
}

#[cfg(test)]
#[path = "ledger/tests.rs"]
mod tests;
