//! What a service says of itself while it runs. Never a token, a text or a question: those are the user's.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// What needs somebody.
    #[default]
    Warn,
    /// What was done.
    Info,
    /// Every request.
    Debug,
}

impl Level {
    pub const NAMES: [(&'static str, Level); 3] =
        [("warn", Level::Warn), ("info", Level::Info), ("debug", Level::Debug)];
}

type Sink = Arc<dyn Fn(&str) + Send + Sync>;

/// As many lines are remembered for whoever looks later.
const REMEMBERED: usize = 100;

/// Where lines go: the surface that has a place for them gives it. What was done, and what needs somebody, is remembered, too.
#[derive(Clone)]
pub struct Log {
    level: Level,
    sink: Option<Sink>,
    last: Arc<Mutex<VecDeque<String>>>,
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log").field("level", &self.level).finish_non_exhaustive()
    }
}

impl Log {
    pub fn silent() -> Self {
        Log { level: Level::Warn, sink: None, last: Arc::default() }
    }

    /// Says what is of this level or more important, a line at a time.
    pub fn new(level: Level, sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Log { level, sink: Some(Arc::new(sink)), last: Arc::default() }
    }

    pub fn say(&self, level: Level, what: impl FnOnce() -> String) {
        let sink = self.sink.as_ref().filter(|_| level <= self.level);
        let remembers = level <= Level::Info;
        if sink.is_none() && !remembers {
            return;
        }
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let word = Level::NAMES.iter().find(|(_, known)| *known == level).map_or("", |(word, _)| word);
        // A line is one line, whatever a name in it has.
        let what: String = what().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let line = format!("{}.{:03} {word:<5} {what}", since.as_secs(), since.subsec_millis());
        if let Some(sink) = sink {
            sink(&line);
        }
        if remembers {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            last.truncate(REMEMBERED - 1);
            last.push_front(line);
        }
    }

    /// The last lines, the oldest first.
    pub fn last(&self) -> Vec<String> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).iter().rev().cloned().collect()
    }

    pub fn warn(&self, what: impl FnOnce() -> String) {
        self.say(Level::Warn, what);
    }

    pub fn info(&self, what: impl FnOnce() -> String) {
        self.say(Level::Info, what);
    }

    pub fn debug(&self, what: impl FnOnce() -> String) {
        self.say(Level::Debug, what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_says_what_is_at_least_as_important() {
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        let sink = Arc::clone(&lines);
        let log = Log::new(Level::Info, move |line| sink.lock().unwrap().push(line.to_owned()));
        log.warn(|| "one\nline".to_owned());
        log.info(|| "two".to_owned());
        log.debug(|| unreachable!("it is not even made"));
        let lines = lines.lock().unwrap().clone();
        assert_eq!(*lines, log.last());
        assert!(
            lines.len() == 2 && lines[0].ends_with("warn  one line") && lines[1].ends_with("info  two"),
            "{lines:?}"
        );
        for number in 0..2 * REMEMBERED {
            log.info(|| number.to_string());
        }
        assert!(log.last().len() == REMEMBERED && log.last()[REMEMBERED - 1].ends_with(" 199"));
    }
}
