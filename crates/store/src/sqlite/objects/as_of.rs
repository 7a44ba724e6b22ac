//! From two clocks to one event.

use rusqlite::{Connection, OptionalExtension, Params, params};

use crate::objects::{AsOf, Moment, System, Valid};
use crate::sqlite::fault::Result;
use crate::sqlite::row::int;

/// A place in the sequence and a valid time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) upto: i64,
    pub(super) valid: i64,
}

impl Point {
    pub(super) fn find(db: &Connection, at: AsOf, clock: fn() -> Moment) -> Result<Self> {
        let upto = match at.system {
            System::Now => i64::MAX,
            System::Seq(seq) => int(seq.0),
            System::Time(time) => known_at(db, time)?,
        };
        let valid = match at.valid {
            Valid::Now => present(db, clock)?,
            Valid::Time(time) => time,
        };
        Ok(Point { upto, valid: valid.0 })
    }
}

/// The clock, or the last system time if the clock lies behind it.
pub(super) fn present(db: &Connection, clock: fn() -> Moment) -> Result<Moment> {
    Ok(last_system_time(db)?.max(clock()))
}

pub(super) fn last_system_time(db: &Connection) -> Result<Moment> {
    Ok(Moment(db.prepare_cached("SELECT system_time FROM object_clock")?.query_row([], |row| row.get(0))?))
}

/// The number of the last event that was known at a time.
fn known_at(db: &Connection, time: Moment) -> Result<i64> {
    let sql = "SELECT seq FROM object_events WHERE system_time <= ?1 ORDER BY system_time DESC, seq DESC LIMIT 1";
    Ok(number(db, sql, [time.0])?.unwrap_or(0))
}

/// The number of the put or deletion that counts at a point.
///
/// States in order have rising numbers and rising valid times, so the last that is valid by then and the last that is
/// known by then are each one step away, and the earlier of the two is both. Only those aside are walked, from the last.
pub(super) fn state(db: &Connection, object: i64, point: Point) -> Result<Option<i64>> {
    let ordered = in_order(db, object, point)?;
    let sql = "SELECT seq FROM object_events INDEXED BY object_states
         WHERE object = ?1 AND aside = 1 AND seq > ?2 AND seq <= ?3 AND valid_from <= ?4 AND valid_to > ?4
         ORDER BY seq DESC LIMIT 1";
    let aside = number(db, sql, params![object, ordered.unwrap_or(0), point.upto, point.valid])?;
    Ok(aside.or(ordered))
}

fn in_order(db: &Connection, object: i64, point: Point) -> Result<Option<i64>> {
    // Not even what holds for ever holds at its end.
    if point.valid == Moment::FOREVER.0 {
        return Ok(None);
    }
    let by_time = "SELECT seq FROM object_events INDEXED BY object_states_by_time
         WHERE object = ?1 AND aside = 0 AND valid_from <= ?2 ORDER BY valid_from DESC, seq DESC LIMIT 1";
    let by_number = "SELECT seq FROM object_events INDEXED BY object_states
         WHERE object = ?1 AND aside = 0 AND seq <= ?2 ORDER BY seq DESC LIMIT 1";
    match number(db, by_time, [object, point.valid])? {
        Some(valid) if valid > point.upto => number(db, by_number, [object, point.upto]),
        valid => Ok(valid),
    }
}

/// The valid time of the last state in order.
pub(super) fn last_in_order(db: &Connection, object: i64) -> Result<Option<Moment>> {
    let sql = "SELECT valid_from FROM object_events INDEXED BY object_states_by_time
         WHERE object = ?1 AND aside = 0 ORDER BY valid_from DESC LIMIT 1";
    Ok(number(db, sql, [object])?.map(Moment))
}

/// From when on a state holds.
pub(super) fn valid_from(db: &Connection, seq: i64) -> Result<Moment> {
    let sql = "SELECT valid_from FROM object_events WHERE seq = ?1";
    Ok(Moment(db.prepare_cached(sql)?.query_row([seq], |row| row.get(0))?))
}

/// Whether an object has states that are not in order.
pub(super) fn has_aside(db: &Connection, object: i64) -> Result<bool> {
    let sql = "SELECT 1 FROM object_events INDEXED BY object_states WHERE object = ?1 AND aside = 1 LIMIT 1";
    Ok(number(db, sql, [object])?.is_some())
}

fn number(db: &Connection, sql: &str, parameters: impl Params) -> Result<Option<i64>> {
    Ok(db.prepare_cached(sql)?.query_row(parameters, |row| row.get(0)).optional()?)
}
