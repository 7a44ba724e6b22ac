//! Requests that were done.

use ai_assist_identity::Sha256;
use rusqlite::{Connection, params};

use crate::objects::{Moment, Recorded, RequestId, Written};
use crate::sqlite::fault::{Fault, Result};
use crate::sqlite::row::{first, int, optional_sha256, uint};
use crate::{Error, Seq};

use super::json::{self, Json};

pub(super) struct Request {
    pub(super) id: RequestId,
    pub(super) fingerprint: Option<Sha256>,
    pub(super) reply: Option<Json>,
}

pub(super) fn find(db: &Connection, request: &RequestId) -> Result<Option<Recorded>> {
    let sql = "SELECT fingerprint, reply, system_time, after, writes FROM object_requests WHERE request = ?1";
    first(db, sql, [&request.0], |row| {
        let (after, writes) = (uint(row, 3)?, uint(row, 4)?);
        let end = after.checked_add(writes).ok_or_else(|| Fault::Corrupt(format!("a request of {writes} writes")))?;
        Ok(Recorded {
            fingerprint: optional_sha256(row, 0)?,
            reply: json::read(row.get_ref(1)?)?,
            system: Moment(row.get(2)?),
            // A batch holds the lock, so its numbers have no gaps.
            seqs: (after..end).map(|before| Seq(before + 1)).collect(),
        })
    })
}

/// The answer that was given to the request before, if it was.
pub(super) fn replay(db: &Connection, request: &Request) -> Result<Option<Written>> {
    match find(db, &request.id)? {
        None => Ok(None),
        Some(first) if first.fingerprint == request.fingerprint => {
            Ok(Some(Written { system: first.system, seqs: first.seqs, replayed: true }))
        }
        Some(_) => Err(Error::RequestReused(request.id.clone()).into()),
    }
}

pub(super) fn note(db: &Connection, request: &Request, after: Seq, written: &Written) -> Result<()> {
    let mut statement = db.prepare_cached(
        "INSERT INTO object_requests (request, fingerprint, reply, system_time, after, writes)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    statement.execute(params![
        request.id.0,
        request.fingerprint.as_ref().map(Sha256::as_bytes),
        request.reply,
        written.system.0,
        int(after.0),
        int(written.seqs.len() as u64)
    ])?;
    Ok(())
}
