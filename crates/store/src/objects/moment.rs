//! Points in time.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

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
