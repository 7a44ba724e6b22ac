//! What reading each file told, kept with the stamp it had, so that a file that was not touched is not read.
//!
//! This says something about files, not about builds: a build that never came to be leaves it as true as before.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ai_assist_base::FileStamp;
use ai_assist_identity::Sha256;
use ai_assist_text::Language;
use rusqlite::{Connection, OpenFlags, params};

/// What reading a file told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Text(Sha256, Language),
    Refused,
}

/// The stamps of the files of a tree.
#[derive(Debug, Default)]
pub struct Stamps {
    known: HashMap<String, (FileStamp, Verdict)>,
    fresh: Vec<(String, FileStamp, Verdict)>,
    gone: Vec<String>,
    version: i64,
}

const TABLE: &str = "CREATE TABLE IF NOT EXISTS files (
        path TEXT PRIMARY KEY,
        size INTEGER NOT NULL,
        mtime INTEGER NOT NULL,
        ctime INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        hash BLOB,
        language TEXT
    ) WITHOUT ROWID;";

impl Stamps {
    /// Reads them. There are none if the file is missing, damaged or of another version of what is made of a text: they only
    /// save time.
    pub fn load(path: &Path, version: i64) -> Self {
        Stamps { known: read(path, version).unwrap_or_default(), version, ..Stamps::default() }
    }

    /// What reading the file told, if it still has the stamp it had.
    pub fn verdict(&self, path: &str, stamp: FileStamp) -> Option<Verdict> {
        self.known.get(path).filter(|(known, _)| *known == stamp).map(|(_, told)| *told)
    }

    /// Takes note of what reading told.
    pub fn note(&mut self, path: &str, stamp: Option<FileStamp>, told: Verdict) {
        match stamp {
            Some(stamp) => self.fresh.push((path.to_owned(), stamp, told)),
            // What was known of it is not wrong, but of a stamp it will hardly have again.
            None => self.gone.push(path.to_owned()),
        }
    }

    /// Forgets every file that is not there.
    pub fn retain(&mut self, is_there: impl Fn(&str) -> bool) {
        let gone = self.known.keys().filter(|path| !is_there(path)).cloned();
        self.gone.extend(gone.collect::<Vec<_>>());
    }

    /// Writes what is new. A failure only costs the next build some reading.
    pub fn save(self, path: &Path) -> rusqlite::Result<()> {
        if self.fresh.is_empty() && self.gone.is_empty() {
            return Ok(());
        }
        let result = self.write(path);
        if result.is_err() {
            for suffix in ["", "-wal", "-shm"] {
                let mut name = path.as_os_str().to_owned();
                name.push(suffix);
                let _ = std::fs::remove_file(PathBuf::from(name));
            }
        }
        result
    }

    fn write(self, path: &Path) -> rusqlite::Result<()> {
        let mut connection = Connection::open(path)?;
        connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version != self.version {
            connection.execute_batch("DROP TABLE IF EXISTS files")?;
            connection.pragma_update(None, "user_version", self.version)?;
        }
        connection.execute_batch(TABLE)?;
        let transaction = connection.transaction()?;
        {
            let mut delete = transaction.prepare("DELETE FROM files WHERE path = ?1")?;
            for path in &self.gone {
                delete.execute([path])?;
            }
            let mut insert = transaction.prepare("INSERT OR REPLACE INTO files VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
            for (path, stamp, told) in &self.fresh {
                let (hash, language) = match told {
                    Verdict::Text(hash, language) => (Some(hash.as_bytes()), Some(language.name())),
                    Verdict::Refused => (None, None),
                };
                let (size, inode) = (stamp.size.cast_signed(), stamp.inode.cast_signed());
                insert.execute(params![path, size, stamp.mtime_ns, stamp.ctime_ns, inode, hash, language])?;
            }
        }
        transaction.commit()
    }
}

fn read(path: &Path, wanted: i64) -> rusqlite::Result<HashMap<String, (FileStamp, Verdict)>> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let mut known = HashMap::new();
    if version != wanted {
        return Ok(known);
    }
    let mut select = connection.prepare("SELECT path, size, mtime, ctime, inode, hash, language FROM files")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (size, inode): (i64, i64) = (row.get(1)?, row.get(4)?);
        let stamp = FileStamp {
            size: size.cast_unsigned(),
            mtime_ns: row.get(2)?,
            ctime_ns: row.get(3)?,
            inode: inode.cast_unsigned(),
        };
        let (hash, language): (Option<[u8; 32]>, Option<String>) = (row.get(5)?, row.get(6)?);
        let told = match (hash, language) {
            (Some(hash), Some(language)) => match language.parse() {
                Ok(language) => Verdict::Text(Sha256::from_bytes(hash), language),
                Err(_) => continue,
            },
            _ => Verdict::Refused,
        };
        known.insert(row.get(0)?, (stamp, told));
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(n: u64) -> FileStamp {
        FileStamp { size: n, mtime_ns: -5, ctime_ns: i64::MAX, inode: u64::MAX - n }
    }

    #[test]
    fn what_was_told_is_known_while_the_stamp_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stamps.db");
        let text = Verdict::Text(Sha256::of(b"text"), Language::RUST);
        let mut stamps = Stamps::load(&path, 1);
        stamps.note("text", Some(stamp(1)), text);
        stamps.note("refused", Some(stamp(2)), Verdict::Refused);
        stamps.note("gone", Some(stamp(3)), text);
        stamps.note("racy", Some(stamp(4)), text);
        stamps.save(&path).unwrap();

        let mut stamps = Stamps::load(&path, 1);
        assert_eq!(stamps.verdict("text", stamp(1)), Some(text));
        assert_eq!(stamps.verdict("text", stamp(2)), None);
        assert_eq!(stamps.verdict("refused", stamp(2)), Some(Verdict::Refused));
        stamps.retain(|path| path != "gone");
        stamps.note("racy", None, text);
        stamps.save(&path).unwrap();

        let stamps = Stamps::load(&path, 1);
        assert_eq!(stamps.verdict("text", stamp(1)), Some(text));
        assert_eq!(stamps.verdict("gone", stamp(3)), None);
        assert_eq!(stamps.verdict("racy", stamp(4)), None);

        let mut newer = Stamps::load(&path, 2);
        assert_eq!(newer.verdict("text", stamp(1)), None, "what another version made of it says nothing");
        newer.note("new", Some(stamp(5)), text);
        newer.save(&path).unwrap();
        assert_eq!(Stamps::load(&path, 2).verdict("new", stamp(5)), Some(text));
        assert_eq!(Stamps::load(&path, 1).verdict("text", stamp(1)), None);
    }

    #[test]
    fn a_damaged_file_is_none_and_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stamps.db");
        std::fs::write(&path, "no database at all, however long it may be").unwrap();
        let mut stamps = Stamps::load(&path, 1);
        stamps.note("a", Some(stamp(1)), Verdict::Refused);
        assert!(stamps.save(&path).is_err() && !path.exists());
        let mut stamps = Stamps::load(&path, 1);
        stamps.note("a", Some(stamp(1)), Verdict::Refused);
        stamps.save(&path).unwrap();
        assert_eq!(Stamps::load(&path, 1).verdict("a", stamp(1)), Some(Verdict::Refused));
    }
}
