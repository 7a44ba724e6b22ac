use std::error::Error;

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

/// Runs something that may break off where nothing should, such as a reader of a damaged file in a library of others. None if it
/// did; and nothing is printed, because whoever asked says what it means.
pub fn caught<T>(run: impl FnOnce() -> T) -> Option<T> {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
    use std::sync::Once;
    thread_local!(static QUIET: Cell<bool> = const { Cell::new(false) });
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                usual(panic);
            }
        }));
    });
    let before = QUIET.replace(true);
    let done = catch_unwind(AssertUnwindSafe(run));
    QUIET.set(before);
    done.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Link(&'static str, #[source] Option<Box<Link>>);

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
