//! A new file out of one that SQLite can't work with any more: cut short, or with pages that are not what they were.
//!
//! Every table is read row by row, as far as its pages are there; what lies behind a page that is gone is looked for again from the
//! next row that can be reached. The old file is kept aside with everything in it.

use std::fs;
use std::path::{Path, PathBuf};

use ai_assist_base::{FileLock, sync_folder};
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};

use super::fault::{Fault, Result};
use super::{migrate, open, repair};
use crate::Error;

/// What came of a file that was damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// Where the damaged file is now.
    pub aside: PathBuf,
    pub tables: Vec<RecoveredTable>,
    /// What was mended after that, so that the rest fits together.
    pub mended: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveredTable {
    pub name: &'static str,
    /// How many rows it has now.
    pub rows: u64,
    /// Whether nothing stood in the way of reading it to its end.
    pub whole: bool,
}

/// Parents before children, and whether rows have numbers to go on by behind a gap.
const TABLES: [(&str, bool); 13] = [
    ("sequence", true),
    ("collections", true),
    ("contents", true),
    ("collection_state", false),
    ("reference_documents", true),
    ("reference_document_chunks", false),
    ("tombstones", true),
    ("packages", false),
    ("package_files", false),
    ("objects", true),
    ("object_events", true),
    ("object_requests", true),
    ("readings", false),
];

/// Makes the store at a path anew out of what can be read of it. Until that is whole the old file stays in its place.
pub(super) fn recover(path: &Path) -> crate::Result<Recovered> {
    let io = |source: std::io::Error| Error::Open { path: path.to_owned(), source: Box::new(source) };
    let lock = FileLock::try_take(&beside(path, ".recovering.lock")).map_err(io)?;
    let _lock = lock.ok_or_else(|| Error::Busy { path: path.to_owned(), waited: std::time::Duration::ZERO })?;
    let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    let aside = beside(path, &format!(".broken-{stamp}"));
    keep(path, &aside).map_err(io)?;
    let fresh = beside(path, ".recovering");
    for ending in ["", "-wal", "-shm"] {
        remove(&beside(&fresh, ending)).map_err(io)?;
    }
    let from = opened(&aside).ok();
    // Rows are taken as they are, so they need the tables that they were made for.
    let steps = from.as_ref().map_or(migrate::MIGRATIONS, steps_taken);
    let to = open::with_steps(&fresh, steps)?;
    let filled = fill(from.as_ref(), &to, &fresh).map_err(|fault| fault.at(&fresh))?;
    drop(from);
    to.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").map_err(|error| Fault::from(error).at(&fresh))?;
    to.close().map_err(|(_, error)| Fault::from(error).at(&fresh))?;
    // A log of the old file would be taken for one of the new. It is kept aside, as the file is.
    for ending in ["-wal", "-shm"] {
        remove(&beside(path, ending)).map_err(io)?;
        remove(&beside(&fresh, ending)).map_err(io)?;
    }
    fs::rename(&fresh, path).map_err(io)?;
    sync_folder(path.parent().unwrap_or(Path::new("."))).map_err(io)?;
    let (tables, mended) = filled;
    Ok(Recovered { aside, tables, mended })
}

fn fill(from: Option<&Connection>, to: &Connection, path: &Path) -> Result<(Vec<RecoveredTable>, Vec<String>)> {
    let mut tables = Vec::new();
    to.execute_batch("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")?;
    match from {
        Some(from) => {
            for (name, numbered) in TABLES {
                tables.push(copy(from, to, name, numbered)?);
            }
        }
        // Nothing of it can be read, not even what tables there are.
        None => tables.extend(TABLES.map(|(name, _)| RecoveredTable { name, rows: 0, whole: false })),
    }
    to.execute_batch("COMMIT")?;
    migrate::migrate(to, migrate::MIGRATIONS, path)?;
    to.execute_batch("BEGIN IMMEDIATE")?;
    let mut mended = repair::repair(to)?;
    // What was taken out may have left something behind.
    mended.extend(repair::repair(to)?);
    // Of documents, which a sync brings back, it is enough to know that.
    mended.retain(|done| !["Counted", "Removed", "Took the damaged document"].iter().any(|it| done.starts_with(it)));
    repair::start_all_over(to)?;
    super::objects::repair::note_removal(to)?;
    for table in &mut tables {
        table.rows = count(to, table.name)?;
    }
    to.execute_batch("COMMIT; PRAGMA foreign_keys = ON")?;
    Ok((tables, mended))
}

/// Opens a damaged file to read it, whatever its length.
fn opened(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let from = Connection::open_with_flags(path, flags)?;
    // Else a file that is shorter than it says is refused as a whole.
    from.execute_batch("PRAGMA writable_schema = ON; PRAGMA query_only = ON; PRAGMA mmap_size = 0")?;
    from.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok(from)
}

/// The steps that made the tables of a damaged file. One whose version can't be is taken to have them all.
fn steps_taken(from: &Connection) -> &'static [&'static str] {
    let found = open::version(from).ok().and_then(|found| usize::try_from(found).ok()).filter(|found| *found > 0);
    found.and_then(|found| migrate::MIGRATIONS.get(..found)).unwrap_or(migrate::MIGRATIONS)
}

fn copy(from: &Connection, to: &Connection, name: &'static str, numbered: bool) -> Result<RecoveredTable> {
    let mut table = RecoveredTable { name, rows: 0, whole: true };
    let columns = columns(to, name)?;
    if columns.is_empty() {
        // The version that made the file had no such table yet.
        return Ok(table);
    }
    let Ok(known) = self::columns(from, name) else { return Ok(RecoveredTable { whole: false, ..table }) };
    let columns: Vec<String> = columns.into_iter().filter(|column| known.contains(column)).collect();
    if columns.is_empty() {
        return Ok(RecoveredTable { whole: false, ..table });
    }
    let list = columns.join(", ");
    let marks = vec!["?"; columns.len()].join(", ");
    let mut insert = to.prepare(&format!("INSERT OR REPLACE INTO {name} ({list}) VALUES ({marks})"))?;
    let mut take = |values: Vec<Value>, table: &mut RecoveredTable| match insert.execute(params_from_iter(values)) {
        Ok(_) => {}
        // A value that no such column can have.
        Err(_) => table.whole = false,
    };
    if numbered {
        let select = format!("SELECT rowid, {list} FROM {name} NOT INDEXED WHERE rowid >= ?1 ORDER BY rowid");
        let mut next = i64::MIN;
        while let Err(last) = rows(from, &select, Some(next), |values| take(values, &mut table)) {
            table.whole = false;
            let behind = last.map_or(next, |last| last.saturating_add(1));
            let reach = format!("SELECT rowid FROM {name} NOT INDEXED WHERE rowid >= ?1 ORDER BY rowid LIMIT 1");
            match after_gap(behind, |start| from.query_row(&reach, [start], |row| row.get(0))) {
                Some(start) => next = start,
                None => break,
            }
        }
    } else {
        let key = key(to, name)?;
        for order in ["ASC", "DESC"] {
            let by = key.iter().map(|column| format!("{column} {order}")).collect::<Vec<_>>().join(", ");
            let select = format!("SELECT 0, {list} FROM {name} ORDER BY {by}");
            if rows(from, &select, None, |values| take(values, &mut table)).is_ok() {
                break;
            }
            table.whole = false;
        }
    }
    Ok(table)
}

/// Reads rows until there are no more. If something is in the way: the number of the last one that was read.
fn rows(
    from: &Connection,
    select: &str,
    start: Option<i64>,
    mut take: impl FnMut(Vec<Value>),
) -> Result<(), Option<i64>> {
    let mut last = None;
    let mut read = || -> rusqlite::Result<()> {
        let mut statement = from.prepare(select)?;
        let mut rows = statement.query(params_from_iter(start))?;
        while let Some(row) = rows.next()? {
            let values = (1..row.as_ref().column_count()).map(|at| row.get(at)).collect::<Result<Vec<Value>, _>>()?;
            last = Some(row.get(0)?);
            take(values);
        }
        Ok(())
    };
    read().map_err(|_| last)
}

/// The first number from `behind` on from which rows can be reached again; none if there is no such.
fn after_gap(behind: i64, reach: impl Fn(i64) -> rusqlite::Result<i64>) -> Option<i64> {
    let mut step = 1i64;
    let mut found = loop {
        match reach(behind.checked_add(step)?) {
            Ok(row) => break row,
            Err(rusqlite::Error::QueryReturnedNoRows) => return None,
            Err(_) => step = step.checked_mul(2)?,
        }
    };
    // Between the last step that failed and this one there may be more.
    let (mut bad, mut good) = (behind.saturating_add(step / 2), behind.saturating_add(step));
    while good - bad > 1 {
        let middle = bad + (good - bad) / 2;
        match reach(middle) {
            Ok(row) => (good, found) = (middle, row),
            Err(_) => bad = middle,
        }
    }
    Some(found)
}

fn count(db: &Connection, table: &str) -> rusqlite::Result<u64> {
    db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
}

fn columns(db: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    db.prepare("SELECT name FROM pragma_table_info(?1)")?.query_map([table], |row| row.get(0))?.collect()
}

fn key(db: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk";
    db.prepare(sql)?.query_map([table], |row| row.get(0))?.collect()
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Gives a file and its log a second name, or copies them where that can't be.
fn keep(path: &Path, aside: &Path) -> std::io::Result<()> {
    for ending in ["", "-wal"] {
        let (from, to) = (beside(path, ending), beside(aside, ending));
        match fs::hard_link(&from, &to) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !ending.is_empty() => {}
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Err(error),
            Err(_) => fs::copy(&from, &to).map(drop)?,
            Ok(()) => {}
        }
    }
    Ok(())
}

fn remove(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows 0 to 99, of which some can't be reached.
    fn reach(gaps: &'static [(i64, i64)]) -> impl Fn(i64) -> rusqlite::Result<i64> {
        move |start| match start.max(0) {
            row if gaps.iter().any(|gap| (gap.0..gap.1).contains(&row)) => Err(rusqlite::Error::InvalidQuery),
            row if row > 99 => Err(rusqlite::Error::QueryReturnedNoRows),
            row => Ok(row),
        }
    }

    #[test]
    fn the_first_row_behind_a_gap_is_found() {
        assert_eq!(after_gap(10, reach(&[(10, 37)])), Some(37));
        assert_eq!(after_gap(10, reach(&[(10, 11)])), Some(11));
        assert_eq!(after_gap(90, reach(&[(90, 200)])), None);
        assert_eq!(after_gap(i64::MAX - 1, reach(&[])), None);
    }
}
