//! Taking objects out, for cleaning up.

use rusqlite::Connection;

use crate::change::Seq;
use crate::error::Error;
use crate::objects::{Forgotten, ObjectId};
use crate::sqlite::fault::Fault;
use crate::sqlite::row::{int, uint};
use crate::sqlite::write::FREE_CONTENT;

use super::read;

pub(super) fn forget(db: &Connection, ids: &[ObjectId], since: Option<Seq>) -> Result<Forgotten, Fault> {
    if let Some(since) = since {
        let last: Option<i64> = db.query_row("SELECT max(seq) FROM object_events", [], |row| row.get(0))?;
        if last.is_some_and(|last| last > int(since.0)) {
            return Err(Error::Moved.into());
        }
    }
    let mut forgotten = Forgotten::default();
    for id in ids {
        if let Some(object) = read::find(db, id)? {
            forget_one(db, object, &mut forgotten)?;
        }
    }
    Ok(forgotten)
}

fn forget_one(db: &Connection, object: i64, forgotten: &mut Forgotten) -> Result<(), Fault> {
    let mut statement =
        db.prepare_cached("SELECT DISTINCT content FROM object_events WHERE object = ?1 AND content IS NOT NULL")?;
    let contents = statement.query_map([object], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
    forgotten.events += db.prepare_cached("DELETE FROM object_events WHERE object = ?1")?.execute([object])? as u64;
    forgotten.objects += db.prepare_cached("DELETE FROM objects WHERE id = ?1")?.execute([object])? as u64;
    let mut free = db.prepare_cached(&format!("{FREE_CONTENT} RETURNING length(data)"))?;
    for content in contents {
        let mut rows = free.query([content])?;
        if let Some(row) = rows.next()? {
            forgotten.texts += 1;
            forgotten.bytes += uint(row, 0)?;
        }
    }
    Ok(())
}
