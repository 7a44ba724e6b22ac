//! Between rows and types.

use ai_assist_base::FileStamp;
use ai_assist_identity::{CollectionId, ContentHash, DocPath, Sha256};
use ai_assist_text::{Language, LineRange};
use jiff::Timestamp;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Params, Row};

use crate::{Chunk, DocumentHead, DocumentId, Seq};

use super::fault::{Fault, Result};

/// RFC 3339 with milliseconds, so that the texts sort as the times do.
pub(super) fn now() -> String {
    format!("{:.3}", Timestamp::now())
}

/// The same of a time in milliseconds since 1970.
pub(super) fn time(row: &Row<'_>, column: usize) -> Result<String> {
    let stored: i64 = row.get(column)?;
    let time = Timestamp::from_millisecond(stored).map_err(|_| Fault::Corrupt(format!("a time of {stored}")))?;
    Ok(format!("{time:.3}"))
}

/// Sequence numbers and sizes. What is beyond is beyond anything stored too, and must compare so.
pub(super) fn int(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Back again; nothing we write is negative.
pub(super) fn uint(row: &Row<'_>, column: usize) -> Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| Fault::Corrupt(format!("a count of {value}")))
}

pub(super) fn seq(row: &Row<'_>, column: usize) -> Result<Seq> {
    uint(row, column).map(Seq)
}

pub(super) fn text<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r str> {
    let value = row.get_ref(column)?;
    value.as_str().map_err(|error| Fault::Corrupt(format!("a text that is none ({error})")))
}

pub(super) fn doc_path(text: &str) -> Result<DocPath> {
    DocPath::parse(text).map_err(|error| Fault::Corrupt(format!("a document's path: {error}")))
}

pub(super) fn collection_id(text: &str) -> Result<CollectionId> {
    text.parse().map_err(|error| Fault::Corrupt(format!("a collection's id: {error}")))
}

pub(super) fn sha256(row: &Row<'_>, column: usize) -> Result<Sha256> {
    optional_sha256(row, column)?.ok_or_else(|| Fault::Corrupt("a hash that is missing".to_owned()))
}

pub(super) fn optional_sha256(row: &Row<'_>, column: usize) -> Result<Option<Sha256>> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        ValueRef::Blob(bytes) => match <[u8; 32]>::try_from(bytes) {
            Ok(bytes) => Ok(Some(Sha256::from_bytes(bytes))),
            Err(_) => Err(Fault::Corrupt(format!("a hash of {} bytes", bytes.len()))),
        },
        _ => Err(Fault::Corrupt("a hash that is no blob".to_owned())),
    }
}

/// What a query answers, row by row.
pub(super) fn rows<T>(
    db: &Connection,
    sql: &str,
    parameters: impl Params,
    read: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

pub(super) fn first<T>(
    db: &Connection,
    sql: &str,
    parameters: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    rows.next()?.map(read).transpose()
}

/// A name from a later version is no reason to lose a document.
pub(super) fn language(name: &str) -> Language {
    name.parse().unwrap_or(Language::TEXT)
}

/// The columns of a head, in this order, at the start of a row.
pub(super) const HEAD: &str = "id, path, hash, seq, stat_size, stat_mtime_ns, stat_ctime_ns, stat_inode, converter";

pub(super) fn head(row: &Row<'_>) -> Result<DocumentHead> {
    let stamp = match row.get::<_, Option<i64>>(4)? {
        None => None,
        Some(size) => Some(FileStamp {
            size: size.cast_unsigned(),
            mtime_ns: row.get(5)?,
            ctime_ns: row.get(6)?,
            inode: row.get::<_, i64>(7)?.cast_unsigned(),
        }),
    };
    Ok(DocumentHead {
        id: DocumentId(row.get(0)?),
        path: doc_path(text(row, 1)?)?,
        hash: sha256(row, 2)?,
        seq: seq(row, 3)?,
        stamp,
        converter: row.get(8)?,
    })
}

/// The columns of a chunk, in this order.
pub(super) const CHUNK: &str = "byte_start, byte_end, line_start, line_end, path, kind, language, hash";

pub(super) fn chunk(row: &Row<'_>, of: Language) -> Result<Chunk> {
    let number = |column| uint(row, column).map(|value| usize::try_from(value).unwrap_or(usize::MAX));
    let line = |column| uint(row, column).map(|value| u32::try_from(value).unwrap_or(u32::MAX));
    let path = match text(row, 4)? {
        "[]" => Vec::new(),
        json => serde_json::from_str(json).map_err(|error| Fault::Corrupt(format!("a chunk's path: {error}")))?,
    };
    Ok(Chunk {
        bytes: number(0)?..number(1)?,
        lines: LineRange { start: line(2)?, end: line(3)? },
        path,
        kind: row.get(5)?,
        language: match row.get_ref(6)? {
            ValueRef::Null => of,
            _ => language(text(row, 6)?),
        },
        hash: optional_sha256(row, 7)?.map(ContentHash),
    })
}
