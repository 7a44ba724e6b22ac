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
    fn what_was_cancelled_stays_so() {
        let flips = Arc::new(AtomicBool::new(true));
        let seen = flips.clone();
        let cancel = Cancel::when(move || seen.swap(false, Ordering::Relaxed));
        assert!(cancel.is_cancelled() && cancel.is_cancelled());
    }
}
