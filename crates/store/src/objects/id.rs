//! Names of objects.

use std::fmt;
use std::str::FromStr;

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
