//! Objects out.

use ai_assist_identity::ContentHash;
use rusqlite::{Connection, OptionalExtension, Params, params};

use crate::change::Seq;
use crate::objects::{Delta, Moment, ObjectId, Stamp, Version, VersionHead, VersionKind};
use crate::sqlite::fault::{Fault, Result};
use crate::sqlite::row::{first, int, rows, seq, text};

use super::as_of::{self, Point};
use super::row::{HEAD, STATE, TABLES, content, head, object_id, op};
use super::{json, row};

pub(super) fn find(db: &Connection, id: &ObjectId) -> Result<Option<i64>> {
    let mut statement = db.prepare_cached("SELECT id FROM objects WHERE xt_id = ?1")?;
    Ok(statement.query_row([id.as_str()], |row| row.get(0)).optional()?)
}

pub(super) fn get(db: &Connection, id: &ObjectId, point: Point, with_text: bool) -> Result<Option<Version>> {
    let Some(object) = find(db, id)? else { return Ok(None) };
    match as_of::state(db, object, point)? {
        Some(seq) => version(db, seq, with_text),
        None => Ok(None),
    }
}

/// The version of this number, unless it is a deletion or a delta.
pub(super) fn version(db: &Connection, seq: i64, with_text: bool) -> Result<Option<Version>> {
    let data = if with_text { ", c.data" } else { "" };
    let sql = format!("SELECT {HEAD}, {STATE}{data} FROM {TABLES} WHERE e.seq = ?1");
    let put = first(db, &sql, [seq], |found| {
        let is_put = row::sort(found.get(3)?)? == VersionKind::Put;
        is_put.then(|| row::version(found, with_text)).transpose()
    })?;
    Ok(put.flatten())
}

pub(super) fn history(db: &Connection, id: &ObjectId) -> Result<Vec<VersionHead>> {
    match find(db, id)? {
        Some(object) => heads(db, "e.object = ?1 ORDER BY e.seq", [object]),
        None => Ok(Vec::new()),
    }
}

/// By one statement, whatever their number.
pub(super) fn histories(db: &Connection, ids: &[ObjectId]) -> Result<Vec<VersionHead>> {
    let asked: Vec<&str> = ids.iter().map(ObjectId::as_str).collect();
    let asked = serde_json::Value::from(asked).to_string();
    let sql = format!(
        "SELECT {HEAD} FROM json_each(?1) asked CROSS JOIN objects o ON o.xt_id = asked.value
         JOIN object_events e ON e.object = o.id LEFT JOIN contents c ON c.id = e.content ORDER BY asked.key, e.seq"
    );
    rows(db, &sql, [asked], head)
}

pub(super) fn events_since(db: &Connection, after: Seq, limit: usize) -> Result<Vec<VersionHead>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    heads(db, "e.seq > ?1 ORDER BY e.seq LIMIT ?2", [int(after.0), limit])
}

fn heads(db: &Connection, condition: &str, parameters: impl Params) -> Result<Vec<VersionHead>> {
    rows(db, &format!("SELECT {HEAD} FROM {TABLES} WHERE {condition}"), parameters, head)
}

pub(super) fn deltas(db: &Connection, id: &ObjectId, point: Point) -> Result<Vec<Delta>> {
    let Some(object) = find(db, id)? else { return Ok(Vec::new()) };
    let Some(base) = as_of::state(db, object, point)? else { return Ok(Vec::new()) };
    if deleted(db, base)? {
        return Ok(Vec::new());
    }
    let sql = "SELECT e.seq, system_time, valid_from, fields, content, c.hash
         FROM object_events e LEFT JOIN contents c ON c.id = e.content
         WHERE e.object = ?1 AND e.seq > ?2 AND e.seq <= ?3 AND op = ?5 AND valid_from <= ?4 AND valid_to > ?4
         ORDER BY e.seq";
    rows(db, sql, params![object, base, point.upto, point.valid, op(VersionKind::Delta)], |row| {
        let number = seq(row, 0)?;
        let empty = || Fault::Corrupt(format!("the change {number} to `{id}` is empty"));
        Ok(Delta {
            seq: number,
            system: Moment(row.get(1)?),
            valid_from: Moment(row.get(2)?),
            body: json::read(row.get_ref(3)?)?.ok_or_else(empty)?,
            content_hash: row::content_hash(row, 4)?,
        })
    })
}

pub(super) fn deleted(db: &Connection, seq: i64) -> Result<bool> {
    let mut statement = db.prepare_cached("SELECT op FROM object_events WHERE seq = ?1")?;
    let found: i64 = statement.query_row([seq], |row| row.get(0))?;
    Ok(row::sort(found)? == VersionKind::Delete)
}

pub(super) fn first_of(db: &Connection, id: &ObjectId) -> Result<Option<Seq>> {
    let sql = "SELECT seq FROM object_events WHERE object = ?1 ORDER BY seq LIMIT 1";
    find(db, id)?.map_or(Ok(None), |object| first(db, sql, [object], |row| seq(row, 0)))
}

pub(super) fn last_of(db: &Connection, id: &ObjectId) -> Result<Option<Seq>> {
    find(db, id)?.map_or(Ok(None), |object| last_event(db, object))
}

pub(super) fn last_event(db: &Connection, object: i64) -> Result<Option<Seq>> {
    let sql = "SELECT seq FROM object_events WHERE object = ?1 ORDER BY seq DESC LIMIT 1";
    first(db, sql, [object], |row| seq(row, 0))
}

pub(super) fn of_kind(db: &Connection, kind: &str) -> Result<Vec<ObjectId>> {
    ids(db, "SELECT xt_id FROM objects WHERE kind = ?1 ORDER BY id", [kind])
}

pub(super) fn starting_with(db: &Connection, prefix: &str, limit: usize) -> Result<Vec<ObjectId>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let found = ids(db, "SELECT xt_id FROM objects WHERE xt_id >= ?1 ORDER BY xt_id LIMIT ?2", params![prefix, limit])?;
    Ok(found.into_iter().take_while(|id| id.as_str().starts_with(prefix)).collect())
}

fn ids(db: &Connection, sql: &str, parameters: impl Params) -> Result<Vec<ObjectId>> {
    rows(db, sql, parameters, |row| object_id(text(row, 0)?))
}

pub(super) fn text_of(db: &Connection, hash: &ContentHash) -> Result<Option<String>> {
    let sql = "SELECT codec, size, data FROM contents WHERE hash = ?1";
    let found = first(db, sql, [hash.0.as_bytes()], |row| content(row.get(0)?, row.get(1)?, row.get_ref(2)?))?;
    Ok(found.flatten())
}

pub(super) fn stamp(db: &Connection) -> Result<Stamp> {
    let sql = "SELECT value, (SELECT value FROM meta WHERE key = 'objects_removed') FROM sequence";
    let stamp = first(db, sql, [], |row| {
        let removals: Option<String> = row.get(1)?;
        Ok(Stamp { sequence: seq(row, 0)?, removals: removals.and_then(|it| it.parse().ok()).unwrap_or_default() })
    })?;
    Ok(stamp.unwrap_or_default())
}

pub(super) fn last(db: &Connection) -> Result<(Seq, Moment)> {
    let last = first(db, "SELECT coalesce(max(seq), 0) FROM object_events", [], |row| seq(row, 0))?;
    Ok((last.unwrap_or_default(), as_of::last_system_time(db)?))
}
