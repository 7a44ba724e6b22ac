//! From two clocks to one event.

use rusqlite::{Connection, OptionalExtension, params};

use crate::objects::{AsOf, Moment, System, Valid};
use crate::sqlite::fault::Fault;
use crate::sqlite::row::int;

/// A place in the sequence and a valid time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) upto: i64,
    pub(super) valid: i64,
}

impl Point {
    pub(super) fn find(db: &Connection, at: AsOf, clock: fn() -> Moment) -> Result<Self, Fault> {
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
pub(super) fn present(db: &Connection, clock: fn() -> Moment) -> Result<Moment, Fault> {
    Ok(last_system_time(db)?.max(clock()))
}

pub(super) fn last_system_time(db: &Connection) -> Result<Moment, Fault> {
    Ok(Moment(db.prepare_cached("SELECT system_time FROM object_clock")?.query_row([], |row| row.get(0))?))
}

/// The number of the last event that was known at a time.
fn known_at(db: &Connection, time: Moment) -> Result<i64, Fault> {
    let mut statement = db.prepare_cached(
        "SELECT seq FROM object_events WHERE system_time <= ?1 ORDER BY system_time DESC, seq DESC LIMIT 1",
    )?;
    Ok(statement.query_row([time.0], |row| row.get(0)).optional()?.unwrap_or(0))
}

/// The number of the put or deletion that counts at a point.
///
/// States in order have rising numbers and rising valid times, so the last that is valid by then and the last that is
/// known by then are each one step away, and the earlier of the two is both. Only those aside are walked, from the last.
pub(super) fn state(db: &Connection, object: i64, point: Point) -> Result<Option<i64>, Fault> {
    let ordered = in_order(db, object, point)?;
    let mut statement = db.prepare_cached(
        "SELECT seq FROM object_events INDEXED BY object_states
         WHERE object = ?1 AND aside = 1 AND seq > ?2 AND seq <= ?3 AND valid_from <= ?4 AND valid_to > ?4
         ORDER BY seq DESC LIMIT 1",
    )?;
    let parameters = params![object, ordered.unwrap_or(0), point.upto, point.valid];
    let aside: Option<i64> = statement.query_row(parameters, |row| row.get(0)).optional()?;
    Ok(aside.or(ordered))
}

fn in_order(db: &Connection, object: i64, point: Point) -> Result<Option<i64>, Fault> {
    // Not even what holds for ever holds at its end.
    if point.valid == Moment::FOREVER.0 {
        return Ok(None);
    }
    let mut statement = db.prepare_cached(
        "SELECT seq FROM object_events INDEXED BY object_states_by_time
         WHERE object = ?1 AND aside = 0 AND valid_from <= ?2 ORDER BY valid_from DESC, seq DESC LIMIT 1",
    )?;
    let valid: Option<i64> = statement.query_row([object, point.valid], |row| row.get(0)).optional()?;
    match valid {
        Some(valid) if valid > point.upto => {
            let mut statement = db.prepare_cached(
                "SELECT seq FROM object_events INDEXED BY object_states
                 WHERE object = ?1 AND aside = 0 AND seq <= ?2 ORDER BY seq DESC LIMIT 1",
            )?;
            Ok(statement.query_row([object, point.upto], |row| row.get(0)).optional()?)
        }
        valid => Ok(valid),
    }
}

/// The valid time of the last state in order.
pub(super) fn last_in_order(db: &Connection, object: i64) -> Result<Option<Moment>, Fault> {
    let mut statement = db.prepare_cached(
        "SELECT valid_from FROM object_events INDEXED BY object_states_by_time
         WHERE object = ?1 AND aside = 0 ORDER BY valid_from DESC LIMIT 1",
    )?;
    Ok(statement.query_row([object], |row| row.get(0).map(Moment)).optional()?)
}
