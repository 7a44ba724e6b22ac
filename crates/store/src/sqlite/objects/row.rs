//! Between rows and types.

use ai_assist_identity::ContentHash;
use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::contents::{LOST, unpack};
use crate::objects::{Moment, ObjectId, State, Version, VersionHead, VersionKind};
use crate::sqlite::fault::{Fault, Result};
use crate::sqlite::row::{optional_sha256, seq, text, uint};

use super::json;

pub(super) fn op(sort: VersionKind) -> i64 {
    match sort {
        VersionKind::Put => 1,
        VersionKind::Delete => 2,
        VersionKind::Delta => 3,
    }
}

pub(super) fn sort(op: i64) -> Result<VersionKind> {
    match op {
        1 => Ok(VersionKind::Put),
        2 => Ok(VersionKind::Delete),
        3 => Ok(VersionKind::Delta),
        other => Err(Fault::Corrupt(format!("an event of sort {other}"))),
    }
}

pub(super) fn object_id(text: &str) -> Result<ObjectId> {
    text.parse().map_err(|error| Fault::Corrupt(format!("an object's id: {error}")))
}

/// The columns of a head, in this order, at the start of a row of [`TABLES`].
pub(super) const HEAD: &str =
    "e.seq, xt_id, kind, op, system_time, valid_from, valid_to, content, c.hash, c.size, file_hash,
     extra IS NOT NULL";

/// Where heads and versions are read from.
pub(super) const TABLES: &str =
    "object_events e JOIN objects o ON o.id = e.object LEFT JOIN contents c ON c.id = e.content";

pub(super) fn head(row: &Row<'_>) -> Result<VersionHead> {
    let content_hash = content_hash(row, 7)?;
    Ok(VersionHead {
        seq: seq(row, 0)?,
        id: object_id(text(row, 1)?)?,
        kind: row.get(2)?,
        event: sort(row.get(3)?)?,
        system: Moment(row.get(4)?),
        valid_from: Moment(row.get(5)?),
        valid_to: Moment(row.get(6)?),
        content_hash,
        size: if content_hash.is_some() { uint(row, 9)? } else { 0 },
        file_hash: optional_sha256(row, 10)?,
        has_extra: row.get(11)?,
    })
}

/// The hash of a text, from the column that names its row and the one after it.
pub(super) fn content_hash(row: &Row<'_>, column: usize) -> Result<Option<ContentHash>> {
    match (row.get::<_, Option<i64>>(column)?, optional_sha256(row, column + 1)?) {
        (None, _) => Ok(None),
        (Some(_), Some(hash)) => Ok(Some(ContentHash(hash))),
        (Some(_), None) => Err(Fault::Corrupt("an object's text is missing".to_owned())),
    }
}

/// What a version has beyond its head, in this order, after it. The text's bytes come last and may be left out.
pub(super) const STATE: &str = "source, fields, extra, c.codec";

pub(super) fn version(row: &Row<'_>, with_text: bool) -> Result<Version> {
    let head = head(row)?;
    let missing = || Fault::Corrupt(format!("version {} of `{}` has no fields", head.seq, head.id));
    let fields = json::read(row.get_ref(13)?)?.ok_or_else(missing)?;
    let extra = json::read(row.get_ref(14)?)?;
    let text = if with_text && head.content_hash.is_some() {
        content(row.get(15)?, row.get(9)?, row.get_ref(16)?)?
    } else {
        None
    };
    Ok(Version { source: row.get(12)?, state: State { fields, extra, text }, head })
}

/// The text of a row of `contents`; none if a repair has found it lost.
pub(super) fn content(codec: i64, size: i64, data: ValueRef<'_>) -> Result<Option<String>> {
    if codec == LOST {
        return Ok(None);
    }
    let data = data.as_blob().map_err(|error| Fault::Corrupt(format!("a text that is none ({error})")))?;
    unpack(codec, size, data).map(Some).map_err(|detail| Fault::Corrupt(format!("an object has {detail}")))
}
