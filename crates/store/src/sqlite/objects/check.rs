//! Looking for damage among objects.

use std::collections::HashMap;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params};

use crate::contents::LOST;
use crate::error::Defect;
use crate::objects::{Moment, RequestId, VersionKind};
use crate::sqlite::fault::{Fault, Result};
use crate::sqlite::row::text;

use super::row::{HEAD, STATE, TABLES, head, object_id};
use super::{json, requests};

/// Something wrong, with what mending it needs.
#[derive(Debug)]
pub(in crate::sqlite) enum Flaw {
    /// An object whose id is none.
    BadId { object: i64, reason: String },
    /// An event that can't be read.
    Broken { seq: i64, id: String, reason: String },
    /// An event whose text is not there, nor its hash.
    NoText { seq: i64, id: String },
    /// A text that can't be read, with the first event that names it.
    DamagedText { content: i64, seq: i64, id: String, reason: String },
    /// The same after a repair.
    LostText { seq: i64, id: String },
    /// An object whose states would not be found by time.
    Order { object: i64, id: String },
    /// An event that was learned before the one before it.
    Time { seq: i64, id: String },
    /// A request that can't be read.
    BadRequest { request: String, reason: String },
    /// A clock that would give out times before those given out.
    Clock { stored: Option<i64>, highest: i64 },
}

impl Flaw {
    pub(in crate::sqlite) fn defect(&self) -> Defect {
        let (message, repairable) = match self {
            Flaw::BadId { object, reason } => (format!("The object in row {object} can't be read: {reason}."), true),
            Flaw::Broken { seq, id, reason } => (format!("Version {seq} of `{id}` is damaged: {reason}."), true),
            Flaw::NoText { seq, id } => (format!("The text of version {seq} of `{id}` is missing."), true),
            Flaw::DamagedText { seq, id, reason, .. } => {
                (format!("The text of version {seq} of `{id}` is damaged: it is {reason}."), true)
            }
            Flaw::LostText { seq, id } => {
                let hope = "it comes back when the same text is stored again";
                (format!("The text of version {seq} of `{id}` is lost; {hope}."), false)
            }
            Flaw::Order { id, .. } => (format!("The versions of `{id}` are not marked in their order."), true),
            Flaw::Time { seq, id } => {
                (format!("Version {seq} of `{id}` has an earlier system time than the event before it."), false)
            }
            Flaw::BadRequest { request, reason } => {
                (format!("The request `{request}` can't be read: {reason}."), false)
            }
            Flaw::Clock { stored: None, .. } => ("The last system time is missing.".to_owned(), true),
            Flaw::Clock { stored: Some(stored), highest } => {
                let (stored, highest) = (Moment(*stored), Moment(*highest));
                (format!("The last system time is noted as {stored}, but {highest} was given out."), true)
            }
        };
        Defect { message, repairable, of_file: false }
    }
}

/// Everything but the texts, which are looked at once for documents and objects together.
pub(in crate::sqlite) fn inspect(db: &Connection, flaws: &mut Vec<Flaw>) -> Result<()> {
    clock(db, flaws)?;
    ids(db, flaws)?;
    events(db, flaws)?;
    all_requests(db, flaws)
}

/// The greatest system time in use anywhere.
pub(super) const HIGHEST: &str = "SELECT max(
    coalesce((SELECT max(system_time) FROM object_events), 0),
    coalesce((SELECT max(system_time) FROM object_requests), 0))";

fn clock(db: &Connection, flaws: &mut Vec<Flaw>) -> Result<()> {
    let stored: Option<i64> = db.query_row("SELECT max(system_time) FROM object_clock", [], |row| row.get(0))?;
    let highest: i64 = db.query_row(HIGHEST, [], |row| row.get(0))?;
    if stored.is_none_or(|stored| stored < highest) {
        flaws.push(Flaw::Clock { stored, highest });
    }
    Ok(())
}

fn ids(db: &Connection, flaws: &mut Vec<Flaw>) -> Result<()> {
    let mut statement = db.prepare("SELECT id, xt_id FROM objects ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Some(reason) = corrupt(text(row, 1).and_then(object_id))? {
            flaws.push(Flaw::BadId { object: row.get(0)?, reason });
        }
    }
    Ok(())
}

/// The reason if a row could not be read, which is what is looked for here; anything else is a failure to look.
pub(in crate::sqlite) fn corrupt<T>(read: Result<T>) -> Result<Option<String>> {
    match read {
        Ok(_) => Ok(None),
        Err(Fault::Corrupt(reason)) => Ok(Some(reason)),
        Err(other) => Err(other),
    }
}

fn events(db: &Connection, flaws: &mut Vec<Flaw>) -> Result<()> {
    let sql = format!("SELECT {HEAD}, {STATE}, object, aside FROM {TABLES} ORDER BY e.seq");
    let mut statement = db.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let mut time = i64::MIN;
    let mut orders = HashMap::new();
    while let Some(row) = rows.next()? {
        let (seq, system): (i64, i64) = (row.get(0)?, row.get(4)?);
        // An object without an id is reported as such, and its events are looked at once it has one.
        let Ok(id) = text(row, 1).and_then(object_id) else { continue };
        let id = id.to_string();
        if system < time {
            flaws.push(Flaw::Time { seq, id: id.clone() });
        }
        time = time.max(system);
        if row.get::<_, Option<i64>>(7)?.is_some() && row.get_ref(8)? == ValueRef::Null {
            flaws.push(Flaw::NoText { seq, id });
        } else if let Some(reason) = corrupt(readable(row))? {
            flaws.push(Flaw::Broken { seq, id, reason });
        } else {
            let order = orders.entry(row.get::<_, i64>(16)?).or_insert_with(|| Order::new(id));
            order.sound &= order.follows(row)?;
        }
    }
    let unsound = orders.into_iter().filter(|(_, order)| !order.sound);
    let mut unsound: Vec<_> = unsound.map(|(object, order)| Flaw::Order { object, id: order.id }).collect();
    unsound.sort_by_key(|flaw| if let Flaw::Order { object, .. } = flaw { *object } else { 0 });
    flaws.append(&mut unsound);
    Ok(())
}

/// Reads all of an event but its text.
fn readable(row: &Row<'_>) -> Result<()> {
    let head = head(row)?;
    if head.valid_from >= head.valid_to {
        return Err(Fault::Corrupt(format!("it holds from {} to {}", head.valid_from, head.valid_to)));
    }
    let fields = json::read(row.get_ref(13)?)?;
    json::read(row.get_ref(14)?)?;
    if fields.is_none() && head.event != VersionKind::Delete {
        return Err(Fault::Corrupt("it has no fields".to_owned()));
    }
    Ok(())
}

/// What finding a state by time relies on.
struct Order {
    id: String,
    last: i64,
    sound: bool,
}

impl Order {
    fn new(id: String) -> Self {
        Order { id, last: i64::MIN, sound: true }
    }

    /// Whether an event is marked as what it is.
    fn follows(&mut self, row: &Row<'_>) -> Result<bool> {
        let (op, from, to): (i64, i64, i64) = (row.get(3)?, row.get(5)?, row.get(6)?);
        let delta = op == super::row::op(VersionKind::Delta);
        Ok(match row.get::<_, Option<i64>>(17)? {
            None => delta,
            Some(0) => {
                let follows = from >= self.last && to == Moment::FOREVER.0;
                self.last = from;
                follows && !delta
            }
            Some(aside) => aside == 1 && !delta,
        })
    }
}

fn all_requests(db: &Connection, flaws: &mut Vec<Flaw>) -> Result<()> {
    let mut statement = db.prepare("SELECT request FROM object_requests ORDER BY request")?;
    let requests = statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    for request in requests {
        let request = RequestId(request);
        if let Some(reason) = corrupt(requests::find(db, &request))? {
            flaws.push(Flaw::BadRequest { request: request.0, reason });
        }
    }
    Ok(())
}

/// Whether any event names a text; if the text can't be read, that is a flaw of the first of them.
pub(in crate::sqlite) fn names(
    db: &Connection,
    content: i64,
    codec: i64,
    text: Result<&str, &str>,
    flaws: &mut Vec<Flaw>,
) -> Result<bool> {
    let mut statement = db.prepare_cached(
        "SELECT seq, coalesce((SELECT xt_id FROM objects WHERE id = object), object) FROM object_events
         WHERE content = ?1 ORDER BY seq LIMIT 1",
    )?;
    let mut rows = statement.query(params![content])?;
    let Some(row) = rows.next()? else { return Ok(false) };
    if let Err(reason) = text {
        let (seq, id) = (row.get(0)?, row.get(1)?);
        flaws.push(match codec {
            LOST => Flaw::LostText { seq, id },
            _ => Flaw::DamagedText { content, seq, id, reason: reason.to_owned() },
        });
    }
    Ok(true)
}
