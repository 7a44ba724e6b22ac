use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asked by long work whether to go on. Clones share one switch, which whoever started the work sets.
#[derive(Clone, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Default)]
struct Inner {
    cancelled: AtomicBool,
    when: Option<Box<dyn Fn() -> bool + Send + Sync>>,
}

impl Cancel {
    /// One that also counts as cancelled from when `condition` first holds. It is asked often, on any thread.
    pub fn when(condition: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Cancel(Arc::new(Inner { cancelled: AtomicBool::new(false), when: Some(Box::new(condition)) }))
    }

    /// One for a part of the work: it is cancelled with this one, or alone.
    #[must_use]
    pub fn child(&self) -> Self {
        let parent = self.clone();
        Cancel::when(move || parent.is_cancelled())
    }

    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        if self.0.cancelled.load(Ordering::Relaxed) {
            return true;
        }
        let now = self.0.when.as_ref().is_some_and(|condition| condition());
        if now {
            self.cancel();
        }
        now
    }
}

thread_local! {
    static WORK: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

impl Cancel {
    /// Does some work in which [`stopped`] asks this one, on this thread alone.
    ///
    /// Parsers and scanners ask deep inside of one text, below many functions that have nothing to do with stopping and can't
    /// fail. They give back whatever they have by then, so who calls this drops what the work came to once it is cancelled.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        struct Restore(Option<Cancel>);
        impl Drop for Restore {
            fn drop(&mut self) {
                WORK.set(self.0.take());
            }
        }
        let _before = Restore(WORK.replace(Some(self.clone())));
        work()
    }

    /// What [`stopped`] asks on this thread, for work that goes on in another one.
    pub fn current() -> Option<Cancel> {
        WORK.with_borrow(Clone::clone)
    }
}

/// Whether nobody wants what this thread is at any more: see [`Cancel::during`]. Never, outside of that.
pub fn stopped() -> bool {
    WORK.with_borrow(|work| work.as_ref().is_some_and(Cancel::is_cancelled))
}

/// Asks [`stopped`] once in a while, for loops whose rounds take less time than asking.
#[derive(Debug, Clone, Default)]
pub struct Rounds(u32);

impl Rounds {
    const ASKED: u32 = 1024;

    pub fn stopped(&mut self) -> bool {
        self.0 = self.0.wrapping_add(1);
        self.0.is_multiple_of(Self::ASKED) && stopped()
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.0.cancelled).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_switch_and_children_have_their_own() {
        let parent = Cancel::default();
        let (clone, child, other) = (parent.clone(), parent.child(), parent.child());
        child.cancel();
        assert!(child.is_cancelled() && !parent.is_cancelled() && !other.is_cancelled());
        clone.cancel();
        assert!(parent.is_cancelled() && other.is_cancelled());
    }

    #[test]
    fn work_asks_the_one_it_is_done_for() {
        let (outer, inner) = (Cancel::default(), Cancel::default());
        let asked =
            || Rounds(0).stopped() || (0..=Rounds::ASKED).scan(Rounds(0), |it, _| Some(it.stopped())).any(|it| it);
        outer.during(|| {
            assert!(!stopped() && !asked());
            inner.cancel();
            inner.during(|| assert!(stopped() && asked()));
            assert!(!stopped(), "the inner one is still asked");
            let broke_off: Result<(), _> = crate::caught(|| inner.during(|| panic!("on purpose")));
            assert!(broke_off.is_err() && !stopped());
            outer.cancel();
            assert!(stopped());
            let elsewhere = std::thread::spawn(stopped).join();
            assert!(!elsewhere.unwrap(), "another thread has work of its own");
        });
        assert!(!stopped() && Cancel::current().is_none());
    }

    #[test]
    fn what_was_cancelled_stays_so() {
        let flips = Arc::new(AtomicBool::new(true));
        let seen = flips.clone();
        let cancel = Cancel::when(move || seen.swap(false, Ordering::Relaxed));
        assert!(cancel.is_cancelled() && cancel.is_cancelled());
    }
}
