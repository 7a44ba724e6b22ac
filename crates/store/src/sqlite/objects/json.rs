//! Fields, deltas and replies as they lie in a row: a text, or when that is large, packed.

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};

use crate::contents::{Packed, ZSTD, unpack};
use crate::error::Result;
use crate::sqlite::fault::Fault;

/// Smaller ones can be read with any SQLite shell, and packing would win little.
const WORTH_PACKING: usize = 1024;

const SIZE: usize = size_of::<u64>();

pub(super) enum Json {
    Plain(String),
    Packed(Box<[u8]>),
}

impl Json {
    pub(super) fn pack(json: String) -> Result<Self> {
        if json.len() < WORTH_PACKING {
            return Ok(Json::Plain(json));
        }
        Ok(match Packed::pack(&json)? {
            Packed::Raw => Json::Plain(json),
            Packed::Zstd(frame) => {
                let size = (json.len() as u64).to_le_bytes();
                Json::Packed([size.as_slice(), &frame].concat().into_boxed_slice())
            }
        })
    }
}

impl ToSql for Json {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Json::Plain(text) => ValueRef::Text(text.as_bytes()),
            Json::Packed(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

pub(super) fn read(value: ValueRef<'_>) -> Result<Option<String>, Fault> {
    let corrupt = |detail: String| Fault::Corrupt(format!("fields that can't be read ({detail})"));
    match value {
        ValueRef::Null => Ok(None),
        ValueRef::Text(bytes) => {
            String::from_utf8(bytes.to_vec()).map(Some).map_err(|_| corrupt("a text that is not UTF-8".to_owned()))
        }
        ValueRef::Blob(bytes) => {
            let (size, frame) = bytes.split_first_chunk::<SIZE>().ok_or_else(|| corrupt("too short".to_owned()))?;
            let size = i64::try_from(u64::from_le_bytes(*size)).map_err(|_| corrupt("too large".to_owned()))?;
            unpack(ZSTD, size, frame).map(Some).map_err(corrupt)
        }
        ValueRef::Integer(_) | ValueRef::Real(_) => Err(corrupt("a number".to_owned())),
    }
}
