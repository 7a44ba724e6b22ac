//! Mending what a check finds among objects. Nothing that can still be read is taken out.

use rusqlite::{Connection, params};

use crate::contents::LOST;
use crate::objects::{Moment, VersionKind};
use crate::sqlite::fault::Result;

use super::check::{Flaw, HIGHEST};
use super::row::op;
pub(in crate::sqlite) use super::write::note_removal;

/// Gives events whose object is not there one to be found under.
pub(in crate::sqlite) fn adopt(db: &Connection, done: &mut Vec<String>) -> Result<()> {
    let adopted = db.execute(
        "INSERT INTO objects (id, xt_id, kind) SELECT DISTINCT object, 'lost-' || object, 'lost' FROM object_events
         WHERE object NOT IN (SELECT id FROM objects)",
        [],
    )?;
    if adopted > 0 {
        done.push(format!("Named {adopted} objects that had lost their ids `lost-` and a number."));
    }
    Ok(())
}

pub(in crate::sqlite) fn repair(db: &Connection, flaw: &Flaw, done: &mut Vec<String>) -> Result<()> {
    match flaw {
        Flaw::Clock { .. } => {
            db.execute(&format!("INSERT OR REPLACE INTO object_clock (one, system_time) VALUES (1, ({HIGHEST}))"), [])?;
            done.push("Set the last system time to the last one given out.".to_owned());
        }
        Flaw::BadId { object, .. } => {
            db.execute("UPDATE objects SET xt_id = 'lost-' || id WHERE id = ?1", [object])?;
            done.push(format!("Named the object in row {object} `lost-{object}`."));
        }
        Flaw::Broken { seq, id, .. } => {
            db.execute("DELETE FROM object_events WHERE seq = ?1", [seq])?;
            done.push(format!("Took version {seq} of `{id}` out, which could not be read."));
        }
        Flaw::NoText { seq, id } => {
            db.execute("UPDATE object_events SET content = NULL WHERE seq = ?1", [seq])?;
            done.push(format!("Noted that version {seq} of `{id}` has no text any more."));
        }
        Flaw::DamagedText { content, seq, id, .. } => {
            db.execute("UPDATE contents SET codec = ?2 WHERE id = ?1", params![content, LOST])?;
            done.push(format!(
                "Noted that the text of version {seq} of `{id}` is lost; it comes back when the same text is stored again."
            ));
        }
        Flaw::Order { object, id } => {
            mark(db, *object)?;
            done.push(format!("Marked the versions of `{id}` in their order."));
        }
        Flaw::LostText { .. } | Flaw::Time { .. } | Flaw::BadRequest { .. } => {}
    }
    Ok(())
}

/// Marks every state of an object as in order or aside.
fn mark(db: &Connection, object: i64) -> Result<()> {
    let mut statement = db.prepare(
        "SELECT seq, op, valid_from, valid_to, system_time FROM object_events WHERE object = ?1 ORDER BY seq",
    )?;
    let rows = statement
        .query_map([object], |row| Ok([row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?]))?;
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let mut last = i64::MIN;
    for [seq, sort, from, to, system] in rows {
        let ordered = to == Moment::FOREVER.0 && from >= last && from <= system;
        let aside = if sort == op(VersionKind::Delta) { None } else { Some(!ordered) };
        if aside == Some(false) {
            last = from;
        }
        db.prepare_cached("UPDATE object_events SET aside = ?2 WHERE seq = ?1")?.execute(params![seq, aside])?;
    }
    Ok(())
}
