//! How long a question may take.

use std::fmt;
use std::time::Duration;

/// What holds for every question to a repository.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// For one question from beginning to end, however many times git is run for it.
    pub timeout: Duration,
    /// Asked again and again; once it says yes, git is ended.
    pub cancel: &'a (dyn Fn() -> bool + Sync),
}

impl Default for Ask<'_> {
    /// A minute, and never cancelled.
    fn default() -> Self {
        Ask { timeout: Duration::from_secs(60), cancel: &never }
    }
}

fn never() -> bool {
    false
}

impl fmt::Debug for Ask<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
