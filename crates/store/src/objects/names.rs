//! Names of objects, points in time, and by which clocks a question is meant.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

use crate::change::Seq;

/// The `xt/id` of an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(Box<str>);

/// A text that can't be an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an id has 1 to {longest} bytes and no spaces or control characters", longest = ObjectId::LONGEST)]
pub struct BadObjectId;

impl ObjectId {
    /// No id is longer.
    pub const LONGEST: usize = 200;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ObjectId {
    type Err = BadObjectId;

    fn from_str(text: &str) -> Result<Self, BadObjectId> {
        let odd = |c: char| c.is_control() || c.is_whitespace();
        if text.is_empty() || text.len() > Self::LONGEST || text.contains(odd) {
            return Err(BadObjectId);
        }
        Ok(ObjectId(text.into()))
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A point in time, in microseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(pub i64);

/// A text that is no point in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no point in time; write it like 2026-11-16T08:30:00Z")]
pub struct BadMoment(pub String);

impl Moment {
    /// After every other.
    pub const FOREVER: Moment = Moment(i64::MAX);

    pub fn now() -> Self {
        Moment(Timestamp::now().as_microsecond())
    }
}

impl fmt::Display for Moment {
    /// RFC 3339 with microseconds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_microsecond(self.0) {
            Ok(time) => f.pad(&format!("{time:.6}")),
            Err(_) if *self == Moment::FOREVER => f.pad("forever"),
            Err(_) => f.pad(&format!("{} µs", self.0)),
        }
    }
}

impl FromStr for Moment {
    type Err = BadMoment;

    fn from_str(text: &str) -> Result<Self, BadMoment> {
        if text == "forever" {
            return Ok(Moment::FOREVER);
        }
        let time: Timestamp = text.parse().map_err(|_| BadMoment(text.to_owned()))?;
        Ok(Moment(time.as_microsecond()))
    }
}

/// What was known when, of which time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AsOf {
    pub system: System,
    pub valid: Valid,
}

/// A point in what the store has learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum System {
    #[default]
    Now,
    Seq(Seq),
    Time(Moment),
}

/// A point in the time that versions are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Valid {
    /// The present: the clock, or the last system time if the clock lies behind it.
    #[default]
    Now,
    Time(Moment),
}
