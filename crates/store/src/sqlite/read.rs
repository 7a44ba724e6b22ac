//! Documents out.

use ai_assist_identity::{CollectionId, DocPath, Sha256};
use rusqlite::{Connection, Row, params};

use crate::contents::unpack;
use crate::{Changed, Document, DocumentHead, DocumentId, DocumentInfo, Seq};

use super::collections::number;
use super::fault::{Fault, Result};
use super::row::{CHUNK, HEAD, chunk, doc_path, first, head, int, language, rows, seq, sha256, text, time, uint};

/// One answer holds no more text than this, or one document: memory is bounded by it and not by the caller's limit.
const PAGE_BYTES: usize = 32 << 20;

pub(super) fn heads(db: &Connection, id: &CollectionId) -> Result<Vec<DocumentHead>> {
    let sql = format!("SELECT {HEAD} FROM reference_documents WHERE collection_number = ?1 ORDER BY path");
    rows(db, &sql, [number(db, id)?], head)
}

pub(super) fn list(db: &Connection, id: &CollectionId) -> Result<Vec<DocumentInfo>> {
    let sql = "SELECT path, title, language, size, lines, chunks, hash, updated_at, source_size
               FROM reference_documents WHERE collection_number = ?1 ORDER BY path";
    rows(db, sql, [number(db, id)?], |row| {
        Ok(DocumentInfo {
            path: doc_path(text(row, 0)?)?,
            title: row.get(1)?,
            language: language(text(row, 2)?),
            size: uint(row, 3)?,
            lines: uint(row, 4)?,
            chunks: uint(row, 5)?,
            hash: sha256(row, 6)?,
            updated_at: time(row, 7)?,
            source_size: uint(row, 8)?,
        })
    })
}

/// Everything of a document but its chunks. The columns of the head stand first.
fn whole(condition: &str) -> String {
    format!(
        "SELECT {HEAD}, title, language, encoding, replaced, redacted, updated_at,
                (SELECT codec FROM contents WHERE contents.id = content),
                (SELECT contents.size FROM contents WHERE contents.id = content),
                (SELECT data FROM contents WHERE contents.id = content),
                source_size
         FROM reference_documents WHERE {condition}"
    )
}

fn read_whole(db: &Connection, row: &Row<'_>) -> Result<Document> {
    let head = head(row)?;
    let language = language(text(row, 10)?);
    let data = row.get_ref(17)?;
    let data = data.as_blob().map_err(|_| Fault::Corrupt(format!("`{}` has no content", head.path)))?;
    let text = unpack(row.get(15)?, row.get(16)?, data)
        .map_err(|detail| Fault::Corrupt(format!("`{}` has {detail}", head.path)))?;
    let sql = format!("SELECT {CHUNK} FROM reference_document_chunks WHERE document = ?1 ORDER BY ordinal");
    let chunks = rows(db, &sql, [head.id.0], |row| chunk(row, language))?;
    // Callers slice the text with them.
    if let Some(at) = chunks.iter().position(|chunk| text.get(chunk.bytes.clone()).is_none()) {
        return Err(Fault::Corrupt(format!("chunk {at} of `{}` is not a piece of it", head.path)));
    }
    Ok(Document {
        id: head.id,
        path: head.path,
        hash: head.hash,
        stamp: head.stamp,
        seq: head.seq,
        converter: head.converter,
        title: row.get(9)?,
        language,
        encoding: row.get(11)?,
        replaced: uint(row, 12)?,
        redacted: uint(row, 13)?,
        updated_at: time(row, 14)?,
        source_size: uint(row, 18)?,
        text,
        chunks,
    })
}

pub(super) fn document(db: &Connection, id: &CollectionId, path: &DocPath) -> Result<Option<Document>> {
    first(db, &whole("collection_number = ?1 AND path = ?2"), params![number(db, id)?, path.as_str()], |row| {
        read_whole(db, row)
    })
}

pub(super) fn text_at(db: &Connection, id: DocumentId, put: Seq, hash: &Sha256) -> Result<Option<String>> {
    let sql = "SELECT codec, size, data FROM contents WHERE id = (
                 SELECT content FROM reference_documents WHERE id = ?1 AND seq = ?2 AND hash = ?3
                 UNION ALL
                 SELECT content FROM replaced_texts WHERE document = ?1 AND put = ?2 AND hash = ?3 LIMIT 1)";
    first(db, sql, params![id.0, int(put.0), hash.as_bytes()], |row| {
        let data = row.get_ref(2)?.as_blob().map_err(|error| Fault::Corrupt(error.to_string()))?;
        unpack(row.get(0)?, row.get(1)?, data).map_err(|detail| Fault::Corrupt(format!("document {id} has {detail}")))
    })
}

/// Merges two ordered lists, puts and removals, up to the limit.
pub(super) fn changes_since(db: &Connection, id: &CollectionId, after: Seq, limit: usize) -> Result<Vec<Changed>> {
    let limit_rows = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = db.prepare_cached(
        "SELECT document, path, seq FROM tombstones WHERE collection = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
    )?;
    let mut removals = statement.query(params![id.as_str(), int(after.0), limit_rows])?;
    let mut statement = db.prepare_cached(&whole("collection_number = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3"))?;
    let mut puts = statement.query(params![number(db, id)?, int(after.0), limit_rows])?;

    let mut changes = Vec::new();
    let mut bytes = 0;
    let mut put = puts.next()?;
    let mut removal = removals.next()?.map(removed).transpose()?;
    while changes.len() < limit && bytes < PAGE_BYTES {
        let put_seq = put.map(|row| seq(row, 3)).transpose()?;
        match (put_seq, removal.as_ref().map(Changed::seq)) {
            (None, None) => break,
            (put_seq, Some(gone)) if put_seq.is_none_or(|seq| gone < seq) => {
                changes.extend(removal.take());
                removal = removals.next()?.map(removed).transpose()?;
            }
            _ => {
                if let Some(row) = put {
                    let document = read_whole(db, row)?;
                    bytes += document.text.len();
                    changes.push(Changed::Put(document));
                }
                put = puts.next()?;
            }
        }
    }
    Ok(changes)
}

fn removed(row: &Row<'_>) -> Result<Changed> {
    Ok(Changed::Removed { id: DocumentId(row.get(0)?), path: doc_path(text(row, 1)?)?, seq: seq(row, 2)? })
}
