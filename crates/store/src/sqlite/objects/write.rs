//! Batches of writes in, and objects out for cleaning up.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use ai_assist_identity::Sha256;
use rusqlite::{Connection, OptionalExtension, params};

use crate::contents::LOST;
use crate::objects::{
    Content, Expect, Forgotten, Moment, NewState, ObjectId, ObjectWrite, Op, Validity, VersionKind, Written,
};
use crate::sqlite::fault::{Fault, Result};
use crate::sqlite::row::{int, uint};
use crate::sqlite::write::{ADD_CONTENT, FREE_CONTENT};
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
    let mut batch = Batch { db, system, met: HashMap::new() };
    for (number, event) in (after.0 + 1..).zip(events) {
        batch.add(Seq(number), event)?;
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

/// Writes of one transaction. Nobody else writes meanwhile, so what was read of an object is not read again: a session's batch has
/// hundreds of changes of the same two objects.
struct Batch<'a> {
    db: &'a Connection,
    system: Moment,
    met: HashMap<&'a ObjectId, Met>,
}

/// What is known of an object that is there.
struct Met {
    row: i64,
    kind: String,
    source: Option<String>,
    last: Option<Seq>,
    /// The valid time of its last state in order, once that was asked.
    ordered: Option<Option<Moment>>,
    /// From when on there is a state to change, whatever the time, as far as that is known.
    there: Option<Moment>,
}

impl<'a> Batch<'a> {
    fn add(&mut self, seq: Seq, event: &'a Event) -> Result<()> {
        let (db, system) = (self.db, self.system);
        let (from, to) = event.span(system)?;
        if !self.met.contains_key(&event.id) {
            self.met.extend(Met::find(db, &event.id)?.map(|met| (&event.id, met)));
        }
        let met = self.met.get(&event.id);
        met.map_or(Ok(()), |met| met.must_be(event))?;
        expect(event, met.and_then(|met| met.last))?;
        let met = match self.met.entry(&event.id) {
            Entry::Occupied(met) => met.into_mut(),
            Entry::Vacant(_) if event.sort == VersionKind::Delta => {
                return Err(Error::UnknownObject(event.id.clone()).into());
            }
            Entry::Vacant(place) => place.insert(Met::make(db, event)?),
        };
        let aside = match event.sort {
            VersionKind::Delta if met.is_there(db, [from, system])? => None,
            VersionKind::Delta => return Err(Error::UnknownObject(event.id.clone()).into()),
            VersionKind::Put | VersionKind::Delete => Some(!met.takes_in_order(db, system, from, to)?),
        };
        let content = event.content.as_ref().map(|content| keep(db, content)).transpose()?;
        let mut statement = db.prepare_cached(
            "INSERT INTO object_events
             (seq, object, op, aside, valid_from, valid_to, system_time, content, file_hash, fields, extra)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?;
        statement.execute(params![
            int(seq.0),
            met.row,
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
        met.last = Some(seq);
        Ok(())
    }
}

impl Met {
    fn find(db: &Connection, id: &ObjectId) -> Result<Option<Self>> {
        let mut statement = db.prepare_cached("SELECT id, kind, source FROM objects WHERE xt_id = ?1")?;
        let mut rows = statement.query([id.as_str()])?;
        let Some(found) = rows.next()? else { return Ok(None) };
        let row = found.get(0)?;
        let last = read::last_event(db, row)?;
        Ok(Some(Met { row, kind: found.get(1)?, source: found.get(2)?, last, ordered: None, there: None }))
    }

    fn make(db: &Connection, event: &Event) -> Result<Self> {
        let row = make(db, event)?;
        let (kind, source) = (event.kind.to_owned(), event.source.clone());
        Ok(Met { row, kind, source, last: None, ordered: Some(None), there: None })
    }

    /// It must be of the same kind and source.
    fn must_be(&self, event: &Event) -> Result<()> {
        let Met { kind, source, .. } = self;
        if kind == event.kind && (event.source.is_none() || event.source == *source) {
            return Ok(());
        }
        let named = |kind: &str, source: Option<&str>| match source {
            Some(source) => format!("a {kind} from {source}"),
            None => format!("a {kind} from nowhere"),
        };
        let (stored, offered) = if kind == event.kind {
            (named(kind, source.as_deref()), named(event.kind, event.source.as_deref()))
        } else {
            (format!("a {kind}"), format!("a {}", event.kind))
        };
        Err(Error::AnotherObject { id: event.id.clone(), stored, offered }.into())
    }

    /// Whether there is a state to change, by what is known now, at any of these times: a change may be dated before the
    /// state it belongs to was noted.
    fn is_there(&mut self, db: &Connection, times: [Moment; 2]) -> Result<bool> {
        if self.there.is_some_and(|there| times.iter().any(|time| *time >= there)) {
            return Ok(true);
        }
        for Moment(valid) in times {
            if let Some(seq) = as_of::state(db, self.row, Point { upto: i64::MAX, valid })?
                && !read::deleted(db, seq)?
            {
                // If nothing is aside, the last in order counts from its time on.
                let ordered = self.ordered(db)?;
                if ordered == Some(as_of::valid_from(db, seq)?) && !as_of::has_aside(db, self.row)? {
                    self.there = ordered;
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn ordered(&mut self, db: &Connection) -> Result<Option<Moment>> {
        match self.ordered {
            Some(known) => Ok(known),
            None => Ok(*self.ordered.insert(as_of::last_in_order(db, self.row)?)),
        }
    }

    /// Whether a state continues those in order: it holds for ever, from no earlier than the last of them. One that begins in
    /// the future does not, or all that come before then would be aside.
    fn takes_in_order(&mut self, db: &Connection, system: Moment, from: Moment, to: Moment) -> Result<bool> {
        self.there = None;
        if to != Moment::FOREVER || from > system || self.ordered(db)?.is_some_and(|last| last > from) {
            return Ok(false);
        }
        self.ordered = Some(Some(from));
        Ok(true)
    }
}

fn expect(event: &Event, found: Option<Seq>) -> Result<()> {
    let expected = match event.expect {
        Expect::Any => return Ok(()),
        Expect::Absent => None,
        Expect::At(seq) => Some(seq),
    };
    if found == expected {
        return Ok(());
    }
    let (expected, found) = (Expected(expected), Expected(found));
    Err(Error::VersionConflict { id: event.id.clone(), expected, found }.into())
}

fn make(db: &Connection, event: &Event) -> Result<i64> {
    let mut statement = db.prepare_cached("INSERT INTO objects (xt_id, kind, source) VALUES (?1, ?2, ?3)")?;
    Ok(statement.insert(params![event.id.as_str(), event.kind, event.source])?)
}

/// The row of a text, which may be there already.
fn keep(db: &Connection, content: &Content) -> Result<i64> {
    if let Some(id) = has(db, content)? {
        return Ok(id);
    }
    let hash = content.hash();
    let packed = content.packed()?;
    let size = int(content.text().len() as u64);
    let mut statement = db.prepare_cached(ADD_CONTENT)?;
    Ok(statement
        .query_row(params![hash.0.as_bytes(), size, packed.codec(), packed.data(content.text())], |row| row.get(0))?)
}

/// The row of a text that is there and whole.
fn has(db: &Connection, content: &Content) -> Result<Option<i64>> {
    let mut statement = db.prepare_cached("SELECT id FROM contents WHERE hash = ?1 AND codec <> ?2")?;
    Ok(statement.query_row(params![content.hash().0.as_bytes(), LOST], |row| row.get(0)).optional()?)
}

/// The texts among these that are not there.
pub(super) fn missing<'c>(db: &Connection, contents: Vec<&'c Content>) -> Result<Vec<&'c Content>> {
    let is_missing = |content: &'c Content| Ok(has(db, content)?.is_none().then_some(content));
    contents.into_iter().filter_map(|content| is_missing(content).transpose()).collect()
}

pub(super) fn forget(db: &Connection, ids: &[ObjectId], since: Option<Seq>) -> Result<Forgotten> {
    if let Some(since) = since {
        let last: Option<i64> = db.query_row("SELECT max(seq) FROM object_events", [], |row| row.get(0))?;
        if last.is_some_and(|last| last > int(since.0)) {
            return Err(Error::Moved.into());
        }
    }
    note_removal(db)?;
    let mut forgotten = Forgotten::default();
    for id in ids {
        if let Some(object) = read::find(db, id)? {
            forget_one(db, object, &mut forgotten)?;
        }
    }
    Ok(forgotten)
}

/// What is taken out leaves no event, so a stamp needs this. By the clock, because a file that is made anew starts counting anew.
pub(in crate::sqlite) fn note_removal(db: &Connection) -> Result<()> {
    db.execute(
        "INSERT INTO meta (key, value) VALUES ('objects_removed', ?1)
         ON CONFLICT (key) DO UPDATE SET value = max(CAST(value AS INTEGER) + 1, CAST(excluded.value AS INTEGER))",
        [Moment::now().0.to_string()],
    )?;
    Ok(())
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
