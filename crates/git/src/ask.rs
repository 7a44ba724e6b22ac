use std::time::Duration;

use ai_assist_base::Cancel;

/// What holds for every question to a repository.
#[derive(Debug, Clone)]
pub struct Ask {
    /// For one question from beginning to end, however many times git is run for it.
    pub timeout: Duration,
    /// Once it is cancelled, git is ended.
    pub cancel: Cancel,
}

impl Default for Ask {
    fn default() -> Self {
        Ask { timeout: Duration::from_secs(60), cancel: Cancel::default() }
    }
}
