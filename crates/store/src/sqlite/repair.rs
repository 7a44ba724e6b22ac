//! Mending what a check finds, inside one transaction.

use rusqlite::{Connection, OptionalExtension, params};

use super::check::{self, Finding, HIGHEST};
use super::fault::{Fault, Result};
use super::objects::repair as objects;

pub(super) fn repair(db: &Connection) -> Result<Vec<String>> {
    let mut done = Vec::new();
    if !check::structure(db)?.is_empty() {
        db.execute_batch("REINDEX")?;
        let left = check::structure(db)?;
        if let Some(Finding::Structure(detail)) = left.first() {
            return Err(Fault::Corrupt(format!("{detail}, and making the indexes anew did not help")));
        }
        done.push("Made the database's own indexes anew.".to_owned());
    }
    let findings = check::inspect(db)?;
    // First, because mending the rest takes numbers.
    if findings.iter().any(|finding| matches!(finding, Finding::Sequence { .. })) {
        db.execute(&format!("INSERT OR REPLACE INTO sequence (one, value) VALUES (1, ({HIGHEST}))"), [])?;
        done.push("Set the sequence after the last number given out.".to_owned());
    }
    drop_dangling(db, &mut done)?;
    objects::adopt(db, &mut done)?;
    for finding in &findings {
        if let Finding::Objects(flaw) = finding {
            objects::repair(db, flaw, &mut done)?;
        }
    }
    drop_broken(db, &findings, &mut done)?;
    let unused = db.execute(
        "DELETE FROM contents WHERE NOT EXISTS (SELECT 1 FROM reference_documents WHERE content = contents.id)
         AND NOT EXISTS (SELECT 1 FROM replaced_texts WHERE content = contents.id)
         AND NOT EXISTS (SELECT 1 FROM object_events WHERE content = contents.id)",
        [],
    )?;
    if unused > 0 {
        done.push(format!("Removed {unused} texts that belonged to no document."));
    }
    recount(db, &mut done)?;
    if !done.is_empty() {
        objects::note_removal(db)?;
    }
    Ok(done)
}

fn drop_dangling(db: &Connection, done: &mut Vec<String>) -> Result<()> {
    // Parents before children: what loses its parent here is caught by a later line.
    for (table, parent, condition) in [
        ("collection_state", "collections", "collection NOT IN (SELECT id FROM collections)"),
        ("tombstones", "collections", "collection NOT IN (SELECT id FROM collections)"),
        ("replaced_texts", "collections", "collection_number NOT IN (SELECT number FROM collections)"),
        ("replaced_texts", "contents", "content NOT IN (SELECT id FROM contents)"),
        ("packages", "collections", "collection NOT IN (SELECT id FROM collections)"),
        ("package_files", "packages", "collection NOT IN (SELECT collection FROM packages)"),
        ("reference_documents", "collections", "collection_number NOT IN (SELECT number FROM collections)"),
        ("reference_document_chunks", "reference_documents", "document NOT IN (SELECT id FROM reference_documents)"),
    ] {
        let rows = db.execute(&format!("DELETE FROM {table} WHERE {condition}"), [])?;
        if rows > 0 {
            done.push(format!("Removed {rows} rows of `{table}` that belonged to nothing in `{parent}`."));
        }
    }
    Ok(())
}

fn drop_broken(db: &Connection, findings: &[Finding], done: &mut Vec<String>) -> Result<()> {
    for finding in findings {
        let (collection, removal, key, message) = match finding {
            Finding::Broken { document, collection, path, .. } => (
                collection,
                "DELETE FROM reference_documents WHERE id = ?1",
                document,
                format!("Took the damaged document `{path}` out of {collection}; the next sync brings it back."),
            ),
            Finding::BadTombstone { seq, collection } => (
                collection,
                "DELETE FROM tombstones WHERE seq = ?1",
                seq,
                format!("Forgot the removal {seq} in {collection}, which could not be read."),
            ),
            _ => continue,
        };
        // It may have gone with a parent that was not there, or with what was mended before it.
        if db.execute(removal, [key])? > 0 {
            done.push(message);
            start_over(db, collection)?;
        }
    }
    Ok(())
}

/// What is gone left no trace that an index could follow, so indexes are rebuilt; and a manifest that has not changed must
/// not keep the next sync from fetching.
fn start_over(db: &Connection, collection: &str) -> Result<()> {
    db.execute("UPDATE sequence SET value = value + 1", [])?;
    db.execute(
        "UPDATE collection_state SET (seq, pruned) = (SELECT value, value FROM sequence) WHERE collection = ?1",
        [collection],
    )?;
    db.execute("DELETE FROM tombstones WHERE collection = ?1", [collection])?;
    db.execute("UPDATE collections SET manifest_hash = NULL WHERE id = ?1", [collection])?;
    db.execute("UPDATE packages SET complete = 0 WHERE collection = ?1", [collection])?;
    db.execute("DELETE FROM package_files WHERE collection = ?1", [collection])?;
    Ok(())
}

/// The same for every collection.
pub(super) fn start_all_over(db: &Connection) -> Result<()> {
    let mut select = db.prepare("SELECT id FROM collections")?;
    let ids = select.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    ids.iter().try_for_each(|id| start_over(db, id))
}

fn recount(db: &Connection, done: &mut Vec<String>) -> Result<()> {
    for finding in check::inspect(db)? {
        let Finding::Counters { collection, .. } = finding else { continue };
        let select = "SELECT number FROM collections WHERE id = ?1";
        let number: Option<i64> = db.query_row(select, [&collection], |row| row.get(0)).optional()?;
        let missing = db.execute(
            "INSERT INTO collection_state (collection, documents, chunks, bytes, seq, pruned)
             SELECT ?1, 0, 0, 0, value, value FROM sequence WHERE true ON CONFLICT (collection) DO NOTHING",
            params![collection],
        )?;
        if missing > 0 {
            start_over(db, &collection)?;
        }
        db.execute(
            "UPDATE collection_state SET
               documents = (SELECT count(*) FROM reference_documents d WHERE d.collection_number = ?2),
               chunks = (SELECT count(*) FROM reference_documents d
                         JOIN reference_document_chunks ON document = d.id WHERE d.collection_number = ?2),
               bytes = (SELECT coalesce(sum(d.size), 0) FROM reference_documents d WHERE d.collection_number = ?2),
               seq = max(seq, pruned,
                         coalesce((SELECT max(d.seq) FROM reference_documents d WHERE d.collection_number = ?2), 0),
                         coalesce((SELECT max(t.seq) FROM tombstones t WHERE t.collection = ?1), 0))
             WHERE collection = ?1",
            params![collection, number],
        )?;
        done.push(format!("Counted {collection} anew."));
    }
    Ok(())
}
