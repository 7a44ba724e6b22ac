//! Rows of `collections` and their counters.

use ai_assist_identity::{CollectionId, CollectionKind, Sha256};
use rusqlite::{Connection, Row, params};

use crate::{CollectionRecord, CollectionState, Error, NewCollection, Seq};

use super::fault::{Fault, Result};
use super::row::{collection_id, first, int, now, rows, seq, text, uint};
use super::write;

const COLUMNS: &str = "id, type, path, glob, url, manifest_hash, last_sync_at, created_at, updated_at";

pub(super) fn all(db: &Connection) -> Result<Vec<CollectionRecord>> {
    rows(db, &format!("SELECT {COLUMNS} FROM collections ORDER BY id"), [], record)
}

pub(super) fn find(db: &Connection, id: &CollectionId) -> Result<Option<CollectionRecord>> {
    first(db, &format!("SELECT {COLUMNS} FROM collections WHERE id = ?1"), [id.as_str()], record)
}

fn record(row: &Row<'_>) -> Result<CollectionRecord> {
    let kind = match text(row, 1)? {
        "file" => CollectionKind::File,
        "pkg" => CollectionKind::Pkg,
        "dep" => CollectionKind::Dep,
        "site" => CollectionKind::Site,
        other => return Err(Fault::Corrupt(format!("a collection of type `{other}`"))),
    };
    let manifest_hash = match row.get::<_, Option<String>>(5)? {
        None => None,
        Some(hash) => Some(hash.parse().map_err(|error| Fault::Corrupt(format!("a manifest's hash: {error}")))?),
    };
    Ok(CollectionRecord {
        id: collection_id(text(row, 0)?)?,
        kind,
        path: row.get(2)?,
        glob: row.get(3)?,
        url: row.get(4)?,
        manifest_hash,
        last_sync_at: row.get(6)?,
        created_at: row.get(7)?,
        updated_at: row.get(8)?,
    })
}

/// The collection if it is there, unless the id stands for another source.
pub(super) fn find_same(db: &Connection, new: &NewCollection) -> Result<Option<CollectionRecord>> {
    match find(db, &new.id)? {
        Some(found) if found.source() != new.source() => {
            let (stored, offered) = (Box::new(found.source()), Box::new(new.source()));
            Err(Error::IdCollision { id: found.id, stored, offered }.into())
        }
        found => Ok(found),
    }
}

pub(super) fn ensure(db: &Connection, new: &NewCollection) -> Result<CollectionRecord> {
    if let Some(found) = find_same(db, new)? {
        return Ok(found);
    }
    let kind = new.id.kind().as_str();
    db.execute(
        "INSERT INTO collections (id, type, path, glob, url, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
        params![new.id.as_str(), kind, new.path, new.glob, new.url, now()],
    )?;
    // It may have lived before: whatever an index knows of it from then is void.
    db.execute(
        "INSERT INTO collection_state (collection, documents, chunks, bytes, seq, pruned)
         SELECT ?1, 0, 0, 0, value, value FROM sequence",
        [new.id.as_str()],
    )?;
    find(db, &new.id)?.ok_or_else(|| Fault::Corrupt("a collection vanished as it was made".to_owned()))
}

pub(super) fn state(db: &Connection, id: &CollectionId) -> Result<Option<CollectionState>> {
    let sql = "SELECT documents, chunks, bytes, seq, pruned FROM collection_state WHERE collection = ?1";
    let read = |row: &Row<'_>| {
        Ok(CollectionState {
            documents: uint(row, 0)?,
            chunks: uint(row, 1)?,
            bytes: uint(row, 2)?,
            seq: seq(row, 3)?,
            pruned: seq(row, 4)?,
        })
    };
    first(db, sql, [id.as_str()], read)
}

/// The number that documents name their collection by; none if it is not there.
pub(super) fn number(db: &Connection, id: &CollectionId) -> Result<Option<i64>> {
    first(db, "SELECT number FROM collections WHERE id = ?1", [id.as_str()], |row| Ok(row.get(0)?))
}

pub(super) fn drop(db: &Connection, id: &CollectionId) -> Result<bool> {
    let mut statement = db.prepare_cached(
        "SELECT content FROM reference_documents WHERE collection_number = ?1
         UNION SELECT content FROM replaced_texts WHERE collection_number = ?1",
    )?;
    let contents = statement.query_map([number(db, id)?], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
    // Documents, chunks, tombstones and counters go with it.
    if db.execute("DELETE FROM collections WHERE id = ?1", [id.as_str()])? == 0 {
        return Ok(false);
    }
    // A number of its own, so that a collection made again starts after everything the dropped one held.
    db.execute("UPDATE sequence SET value = value + 1", [])?;
    let mut free = db.prepare_cached(write::FREE_CONTENT)?;
    for content in contents {
        free.execute([content])?;
    }
    Ok(true)
}

pub(super) fn mark_synced(db: &Connection, id: &CollectionId, manifest_hash: Option<Sha256>) -> Result<()> {
    let hash = manifest_hash.map(|hash| hash.to_string());
    let changed = db.execute(
        "UPDATE collections SET manifest_hash = ?2, last_sync_at = ?3, updated_at = ?3 WHERE id = ?1",
        params![id.as_str(), hash, now()],
    )?;
    if changed == 0 { Err(Error::UnknownCollection(id.clone()).into()) } else { Ok(()) }
}

pub(super) fn prune(db: &Connection, id: &CollectionId, upto: Seq) -> Result<()> {
    let before = state(db, id)?.ok_or_else(|| Error::UnknownCollection(id.clone()))?.pruned;
    let pruned: i64 = db.query_row(
        "UPDATE collection_state SET pruned = max(pruned, min(?2, seq)) WHERE collection = ?1 RETURNING pruned",
        params![id.as_str(), int(upto.0)],
        |row| row.get(0),
    )?;
    if pruned == int(before.0) {
        // An index was built anew, say: nobody has come further.
        return Ok(());
    }
    db.execute("DELETE FROM tombstones WHERE collection = ?1 AND seq <= ?2", params![id.as_str(), pruned])?;
    // Only those that were replaced up to the time before: somebody may still read what the indexes were until now.
    forget_texts(db, id, before, i64::MAX)
}

/// Whether there is a text that [`forget_replaced`] would forget. One row is looked at: the first to be replaced is the oldest.
pub(super) fn has_replaced(db: &Connection, id: &CollectionId, until: i64) -> Result<bool> {
    let mut statement = db.prepare_cached(
        "SELECT 1 FROM
           (SELECT seq, replaced_at FROM replaced_texts
            WHERE collection_number = (SELECT number FROM collections WHERE id = ?1) ORDER BY seq LIMIT 1)
         WHERE replaced_at <= ?2 AND seq <= (SELECT pruned FROM collection_state WHERE collection = ?1)",
    )?;
    Ok(statement.exists(params![id.as_str(), until])?)
}

/// Forgets texts that were replaced until a time, in milliseconds since 1970, as far as the indexes have come.
pub(super) fn forget_replaced(db: &Connection, id: &CollectionId, until: i64) -> Result<()> {
    match state(db, id)? {
        Some(state) => forget_texts(db, id, state.pruned, until),
        None => Ok(()),
    }
}

fn forget_texts(db: &Connection, id: &CollectionId, upto: Seq, until: i64) -> Result<()> {
    let mut forget = db.prepare_cached(
        "DELETE FROM replaced_texts WHERE collection_number = ?1 AND seq <= ?2 AND replaced_at <= ?3 RETURNING content",
    )?;
    let forgotten = forget.query_map(params![number(db, id)?, int(upto.0), until], |row| row.get(0))?;
    let contents = forgotten.collect::<Result<Vec<i64>, _>>()?;
    let mut free = db.prepare_cached(write::FREE_CONTENT)?;
    for content in contents {
        free.execute([content])?;
    }
    Ok(())
}
