//! Rows of `readings`, and collections in several states.

use ai_assist_identity::CollectionId;
use rusqlite::{Connection, params};

use super::collections;
use super::fault::Result;
use super::row::{collection_id, rows, text};
use crate::{NewCollection, Reading};

pub(super) fn all(db: &Connection) -> Result<Vec<Reading>> {
    rows(db, "SELECT config, name, collection, stamp FROM readings ORDER BY config, name", [], |row| {
        let collection = collection_id(text(row, 2)?)?;
        Ok(Reading { config: row.get(0)?, name: row.get(1)?, collection, stamp: row.get(3)? })
    })
}

pub(super) fn set(db: &Connection, reading: &Reading) -> Result<()> {
    let Reading { config, name, collection, stamp } = reading;
    db.execute(
        "INSERT OR REPLACE INTO readings (config, name, collection, stamp) VALUES (?1, ?2, ?3, ?4)",
        params![config, name, collection.as_str(), stamp],
    )?;
    Ok(())
}

pub(super) fn forget(db: &Connection, config: &str, name: &str) -> Result<()> {
    db.execute("DELETE FROM readings WHERE config = ?1 AND name = ?2", [config, name])?;
    Ok(())
}

/// Numbers are given in the order in which the documents have theirs.
pub(super) fn copy(db: &Connection, from: &CollectionId, to: &NewCollection) -> Result<()> {
    collections::ensure(db, to)?;
    let numbers = params![collections::number(db, from)?, collections::number(db, &to.id)?];
    let (from, to) = (from.as_str(), to.id.as_str());
    db.execute(
        "INSERT INTO reference_documents
         (id, collection_number, path, hash, seq, stat_size, stat_mtime_ns, stat_ctime_ns, stat_inode, content, size, lines, chunks,
          replaced, redacted, language, encoding, title, updated_at, source_size, converter)
         SELECT value + row_number() OVER (ORDER BY id), ?2, path, hash, value + row_number() OVER (ORDER BY id),
          stat_size, stat_mtime_ns, stat_ctime_ns, stat_inode, content, size, lines, chunks,
          replaced, redacted, language, encoding, title, updated_at, source_size, converter
         FROM reference_documents JOIN sequence WHERE collection_number = ?1",
        numbers,
    )?;
    db.execute(
        "INSERT INTO reference_document_chunks
         (document, ordinal, byte_start, byte_end, line_start, line_end, path, kind, language, hash)
         SELECT new.id, ordinal, byte_start, byte_end, line_start, line_end, c.path, c.kind, c.language, c.hash
         FROM reference_documents old JOIN reference_documents new ON new.collection_number = ?2 AND new.path = old.path
         JOIN reference_document_chunks c ON c.document = old.id WHERE old.collection_number = ?1",
        numbers,
    )?;
    db.execute(
        "UPDATE sequence SET value = max(value,
           coalesce((SELECT max(seq) FROM reference_documents
                     WHERE collection_number = (SELECT number FROM collections WHERE id = ?1)), 0))",
        [to],
    )?;
    db.execute(
        "UPDATE collection_state SET (documents, chunks, bytes) =
           (SELECT documents, chunks, bytes FROM collection_state WHERE collection = ?1),
           seq = (SELECT value FROM sequence) WHERE collection = ?2",
        [from, to],
    )?;
    db.execute(
        "INSERT INTO packages
         (collection, name, version, hash, manifest, etag, last_modified, revision, private, complete)
         SELECT ?2, name, version, hash, manifest, etag, last_modified, revision, private, complete
         FROM packages WHERE collection = ?1",
        [from, to],
    )?;
    db.execute(
        "INSERT INTO package_files (collection, path, etag, last_modified)
         SELECT ?2, path, etag, last_modified FROM package_files WHERE collection = ?1",
        [from, to],
    )?;
    Ok(())
}
