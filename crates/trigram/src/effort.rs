//! Matching with bounded effort.
//!
//! A regular expression takes time in the length of the text, but the factor can be a hundred thousand, and how it is
//! written does not tell. So the text is searched in blocks whose size follows how fast the pattern turns out to be.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A block takes about this long.
const SLICE: Duration = Duration::from_millis(10);

/// A text that can't be cut is searched if it takes no more blocks than this, or the share below of the time that is left.
const MOST_BLOCKS: usize = 16;

/// One text among others must not take all of the time: nothing stops a search within it.
const SHARE: u32 = 4;

const FIRST_BLOCK: usize = 1 << 10;
const SMALLEST_BLOCK: usize = 256;
const LARGEST_BLOCK: usize = 1 << 26;

/// How much work a search may be. One is shared by all texts of a search, on however many threads.
pub struct Effort<'e> {
    go_on: &'e (dyn Fn() -> bool + Sync),
    until: Option<Instant>,
    /// How many bytes are searched in a slice of time.
    block: AtomicUsize,
}

impl<'e> Effort<'e> {
    /// As long as this is true; it is asked between blocks.
    pub fn while_true(go_on: &'e (dyn Fn() -> bool + Sync)) -> Self {
        Effort { go_on, until: None, block: AtomicUsize::new(FIRST_BLOCK) }
    }

    /// The same, until a moment that is known: texts that can't be cut may take more if it is far.
    #[must_use]
    pub fn until(self, until: Option<Instant>) -> Self {
        Effort { until, ..self }
    }

    pub fn unbounded() -> Self {
        Effort { go_on: &|| true, until: None, block: AtomicUsize::new(LARGEST_BLOCK) }
    }

    pub(crate) fn go_on(&self) -> bool {
        (self.go_on)()
    }

    pub(crate) fn block(&self) -> usize {
        self.block.load(Ordering::Relaxed)
    }

    /// Does some work that says on how many bytes it was done, and learns from how long it takes.
    pub(crate) fn spend<T>(&self, work: impl FnOnce() -> (T, usize)) -> T {
        let start = Instant::now();
        let (done, bytes) = work();
        let (took, block) = (start.elapsed(), self.block());
        if took > SLICE {
            let fewer = bytes as f64 * SLICE.as_secs_f64() / took.as_secs_f64();
            self.block.store((fewer as usize).clamp(SMALLEST_BLOCK, block.max(SMALLEST_BLOCK)), Ordering::Relaxed);
        } else if took < SLICE / 4 && bytes >= block / 2 {
            self.block.store((block * 2).min(LARGEST_BLOCK), Ordering::Relaxed);
        }
        done
    }

    /// Whether a text that can't be cut may be searched as a whole. Unless that is known, parts of it are, and what they
    /// give is dropped.
    pub(crate) fn affords(&self, text: &[u8], search: impl Fn(&[u8])) -> bool {
        loop {
            let block = self.block();
            if block.saturating_mul(self.most_blocks()) >= text.len() {
                return true;
            }
            self.spend(|| (search(&text[..block]), block));
            if self.block() <= block {
                return false;
            }
        }
    }
}

impl Effort<'_> {
    fn most_blocks(&self) -> usize {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        let share = left.map_or(0, |left| (left / SHARE).as_nanos() / SLICE.as_nanos());
        usize::try_from(share).unwrap_or(usize::MAX).max(MOST_BLOCKS)
    }
}

impl std::fmt::Debug for Effort<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Effort").field("block", &self.block).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 16.2: more time is a longer text, in one piece too.
    #[test]
    fn what_can_not_be_cut_may_take_a_share_of_the_time_that_is_left() {
        let text = vec![b'a'; 1 << 20];
        // A millisecond for a kilobyte: a second for the text.
        let slow = |part: &[u8]| std::thread::sleep(Duration::from_micros(part.len() as u64));
        for (seconds, affords) in [(None, false), (Some(1), false), (Some(60), true)] {
            let until = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
            let effort = Effort::while_true(&|| true).until(until);
            assert_eq!(effort.affords(&text, slow), affords, "{seconds:?}");
        }
    }
}
