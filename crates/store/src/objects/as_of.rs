//! By which clocks a question is meant.

use crate::change::Seq;

use super::moment::Moment;

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
