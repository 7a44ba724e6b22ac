use std::error::Error;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// An error with everything that led to it, on one line. A cause that is in the text already is not said again.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |&cause| cause.source()) {
        let part = cause.to_string();
        if !text.contains(&part) {
            text.push_str(": ");
            text.push_str(&part);
        }
    }
    text
}

/// Something broke off where nothing should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it broke off: {0}")]
pub struct BrokeOff(String);

/// How many callers will say themselves what happened.
static WATCHED: AtomicUsize = AtomicUsize::new(0);
/// Whether what breaks off is printed whoever watches.
static LOGGED: AtomicBool = AtomicBool::new(false);

/// Runs something that may break off where nothing should, such as a reader of a damaged file in a library of others, on this thread
/// or on those that it hands work to. Nothing is printed: whoever asked says what it means. See [`log_broken_off`].
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, BrokeOff> {
    use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if WATCHED.load(Ordering::Relaxed) == 0 || LOGGED.load(Ordering::Relaxed) {
                usual(panic);
            }
        }));
    });
    WATCHED.fetch_add(1, Ordering::Relaxed);
    let done = catch_unwind(AssertUnwindSafe(run));
    WATCHED.fetch_sub(1, Ordering::Relaxed);
    done.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        BrokeOff(text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default())
    })
}

/// Prints to stderr from now on whatever breaks off, as if nobody watched. In a server a call is watched nearly always, and its
/// answer would be all that is left of a bug.
pub fn log_broken_off() {
    LOGGED.store(true, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Link(&'static str, #[source] Option<Box<Link>>);

    #[test]
    fn what_breaks_off_is_an_error() {
        assert_eq!(caught(|| 1), Ok(1));
        let text = "of a length".to_owned();
        assert_eq!(caught(|| panic!("slice {text}")), Err::<(), _>(BrokeOff("slice of a length".to_owned())));
        let elsewhere =
            || std::thread::spawn(|| panic!("there")).join().unwrap_or_else(|it| std::panic::resume_unwind(it));
        assert_eq!(caught(elsewhere), Err::<(), _>(BrokeOff("there".to_owned())));
    }

    #[test]
    fn every_cause_is_said_once() {
        let of = |texts: &[&'static str]| {
            let links = texts.iter().rev().fold(None, |inner, text| Some(Box::new(Link(text, inner))));
            chain(&*links.unwrap())
        };
        assert_eq!(of(&["a"]), "a");
        assert_eq!(of(&["a", "b", "c"]), "a: b: c");
        assert_eq!(of(&["reading x: no such file", "no such file"]), "reading x: no such file");
    }
}
