//! What a check finds wrong.

use std::fmt;

/// Something in the store that should not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    pub message: String,
    /// Whether [`repair`](crate::Store::repair) can mend it.
    pub repairable: bool,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
