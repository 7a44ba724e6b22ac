//! What there is and what is known of it.

use ai_assist_admit::{AdmitError, Selection, Walked, walk};
use ai_assist_base::Cancel;

/// Looks for the files of a selection, while the calling thread reads what is known of them.
pub fn walk_beside<K>(
    selection: &Selection,
    cancel: &Cancel,
    known: impl FnOnce() -> K,
) -> (Result<Walked, AdmitError>, K) {
    std::thread::scope(|scope| {
        let walked = scope.spawn(|| walk(selection, cancel, &|_| {}));
        let known = known();
        (walked.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), known)
    })
}
