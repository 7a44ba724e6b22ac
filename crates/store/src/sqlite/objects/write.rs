//! Batches of writes in, and objects out for cleaning up.

use ai_assist_identity::Sha256;
use rusqlite::{Connection, OptionalExtension, params};

use crate::objects::{
    Content, Expect, Forgotten, Moment, NewState, ObjectId, ObjectWrite, Op, Validity, VersionKind, Written,
};
use crate::sqlite::fault::{Fault, Result};
use crate::sqlite::row::{int, uint};
use crate::sqlite::write::{ADD_CONTENT, FIND_CONTENT, FREE_CONTENT};
use crate::{Error, Expected, Seq};

use super::as_of::{self, Point};
use super::json::Json;
use super::requests::{self, Request};
use super::{read, row};

/// A write made ready for its row, before any lock is taken.
pub(super) struct Event {
    pub(super) id: ObjectId,
    pub(super) kind: &'static str,
    pub(super) source: Option<String>,
    pub(super) valid: Validity,
    pub(super) expect: Expect,
    pub(super) sort: VersionKind,
    /// Of a delta: the change.
    pub(super) fields: Option<Json>,
    pub(super) extra: Option<Json>,
    pub(super) file_hash: Option<Sha256>,
    pub(super) content: Option<Content>,
}

impl Event {
    pub(super) fn prepare(write: ObjectWrite) -> Result<Self, Error> {
        let ObjectWrite { id, kind, source, valid, expect, op } = write;
        let (sort, state) = match op {
            Op::Put(state) => (VersionKind::Put, Some(state)),
            Op::Delete => (VersionKind::Delete, None),
            Op::Delta { body, content } => {
                (VersionKind::Delta, Some(NewState { fields: body, extra: None, file_hash: None, content }))
            }
        };
        let (fields, extra, file_hash, content) = match state {
            None => (None, None, None, None),
            Some(NewState { fields, extra, file_hash, content }) => {
                (Some(Json::pack(fields)?), extra.map(Json::pack).transpose()?, file_hash, content)
            }
        };
        Ok(Event { id, kind, source, valid, expect, sort, fields, extra, file_hash, content })
    }

    /// From when to when it holds, if written at this time.
    pub(super) fn span(&self, system: Moment) -> Result<(Moment, Moment), Error> {
        let from = self.valid.from.unwrap_or(system);
        let to = self.valid.to.unwrap_or(Moment::FOREVER);
        if from < to { Ok((from, to)) } else { Err(Error::BadValidity { id: self.id.clone(), from, to }) }
    }
}

pub(super) fn write(
    db: &Connection,
    clock: fn() -> Moment,
    request: Option<&Request>,
    needs: &[(ObjectId, Seq)],
    events: &[Event],
) -> Result<Written> {
    if let Some(before) = request.map(|request| requests::replay(db, request)).transpose()?.flatten() {
        return Ok(before);
    }
    for (id, seq) in needs {
        let found = read::last_of(db, id)?;
        if found != Some(*seq) {
            let (expected, found) = (Expected(Some(*seq)), Expected(found));
            return Err(Error::VersionConflict { id: id.clone(), expected, found }.into());
        }
    }
    let system = as_of::present(db, clock)?;
    if request.is_none() && events.is_empty() {
        return Ok(Written { system, seqs: Vec::new(), replayed: false });
    }
    let after = last_number(db)?;
    let mut written = Written { system, seqs: Vec::with_capacity(events.len()), replayed: false };
    for (number, event) in (after.0 + 1..).zip(events) {
        add(db, Seq(number), system, event)?;
        written.seqs.push(Seq(number));
    }
    if let Some(last) = written.seqs.last() {
        db.prepare_cached("UPDATE sequence SET value = ?1")?.execute([int(last.0)])?;
    }
    db.prepare_cached("UPDATE object_clock SET system_time = ?1")?.execute([system.0])?;
    if let Some(request) = request {
        requests::note(db, request, after, &written)?;
    }
    Ok(written)
}

fn last_number(db: &Connection) -> Result<Seq> {
    let last: i64 = db.prepare_cached("SELECT value FROM sequence")?.query_row([], |row| row.get(0))?;
    u64::try_from(last).map(Seq).map_err(|_| Fault::Corrupt(format!("a sequence at {last}")))
}

fn add(db: &Connection, seq: Seq, system: Moment, event: &Event) -> Result<()> {
    let (from, to) = event.span(system)?;
    let object = known(db, event)?;
    expect(db, event, object)?;
    let object = match (object, event.sort) {
        (Some(object), VersionKind::Delta) if is_there(db, object, [from, system])? => object,
        (_, VersionKind::Delta) => return Err(Error::UnknownObject(event.id.clone()).into()),
        (Some(object), _) => object,
        (None, _) => make(db, event)?,
    };
    let aside = match event.sort {
        VersionKind::Delta => None,
        _ => Some(!in_order(db, object, system, from, to)?),
    };
    let content = event.content.as_ref().map(|content| keep(db, content)).transpose()?;
    let mut statement = db.prepare_cached(
        "INSERT INTO object_events
         (seq, object, op, aside, valid_from, valid_to, system_time, content, file_hash, fields, extra)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    statement.execute(params![
        int(seq.0),
        object,
        row::op(event.sort),
        aside,
        from.0,
        to.0,
        system.0,
        content,
        event.file_hash.as_ref().map(Sha256::as_bytes),
        event.fields,
        event.extra,
    ])?;
    Ok(())
}

/// The object's row, which must be of the same kind and source.
fn known(db: &Connection, event: &Event) -> Result<Option<i64>> {
    let mut statement = db.prepare_cached("SELECT id, kind, source FROM objects WHERE xt_id = ?1")?;
    let mut rows = statement.query([event.id.as_str()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let (kind, source): (String, Option<String>) = (row.get(1)?, row.get(2)?);
    if kind == event.kind && (event.source.is_none() || event.source == source) {
        return Ok(Some(row.get(0)?));
    }
    let named = |kind: &str, source: Option<&str>| match source {
        Some(source) => format!("a {kind} from {source}"),
        None => format!("a {kind} from nowhere"),
    };
    let (stored, offered) = if kind == event.kind {
        (named(&kind, source.as_deref()), named(event.kind, event.source.as_deref()))
    } else {
        (format!("a {kind}"), format!("a {}", event.kind))
    };
    Err(Error::AnotherObject { id: event.id.clone(), stored, offered }.into())
}

fn expect(db: &Connection, event: &Event, object: Option<i64>) -> Result<()> {
    let expected = match event.expect {
        Expect::Any => return Ok(()),
        Expect::Absent => None,
        Expect::At(seq) => Some(seq),
    };
    let found = object.map(|object| read::last_event(db, object)).transpose()?.flatten();
    if found == expected {
        return Ok(());
    }
    let (expected, found) = (Expected(expected), Expected(found));
    Err(Error::VersionConflict { id: event.id.clone(), expected, found }.into())
}

/// Whether there is a state to change, by what is known now, at any of these times: a change may be dated before the
/// state it belongs to was noted.
fn is_there(db: &Connection, object: i64, times: [Moment; 2]) -> Result<bool> {
    for Moment(valid) in times {
        if let Some(seq) = as_of::state(db, object, Point { upto: i64::MAX, valid })?
            && !read::deleted(db, seq)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn make(db: &Connection, event: &Event) -> Result<i64> {
    let mut statement = db.prepare_cached("INSERT INTO objects (xt_id, kind, source) VALUES (?1, ?2, ?3)")?;
    Ok(statement.insert(params![event.id.as_str(), event.kind, event.source])?)
}

/// Whether a state continues those in order: it holds for ever, from no earlier than the last of them. One that begins in
/// the future does not, or all that come before then would be aside.
fn in_order(db: &Connection, object: i64, system: Moment, from: Moment, to: Moment) -> Result<bool> {
    if to != Moment::FOREVER || from > system {
        return Ok(false);
    }
    Ok(as_of::last_in_order(db, object)?.is_none_or(|last| last <= from))
}

/// The row of a text, which may be there already.
fn keep(db: &Connection, content: &Content) -> Result<i64> {
    let hash = content.hash.0.as_bytes();
    let (size, codec) = (int(content.text.len() as u64), content.packed.codec());
    let added: Option<i64> = db
        .prepare_cached(ADD_CONTENT)?
        .query_row(params![hash, size, codec, content.packed.data(&content.text)], |row| row.get(0))
        .optional()?;
    match added {
        Some(id) => Ok(id),
        None => Ok(db.prepare_cached(FIND_CONTENT)?.query_row([hash], |row| row.get(0))?),
    }
}

pub(super) fn forget(db: &Connection, ids: &[ObjectId], since: Option<Seq>) -> Result<Forgotten> {
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

fn forget_one(db: &Connection, object: i64, forgotten: &mut Forgotten) -> Result<()> {
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
