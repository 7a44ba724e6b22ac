//! The same work on several repositories, some of them at once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ai_assist_base::Cancel;
use ai_assist_repo::build::{BuildError, BuildEvent, BuildReport, BuildRequest, Result, build_repo};
use ai_assist_repo::status::{RepoStatus, status};

/// What one of several builds tells: which request it is of, by its number, and what it is doing.
pub type OnEvent<'t> = &'t (dyn Fn(usize, BuildEvent<'_>) + Sync);

/// Builds repositories, at most `jobs` at once. The outcomes are in the order of the requests; after a cancel the rest is
/// [`BuildError::Cancelled`].
pub fn build_all(
    requests: &[BuildRequest],
    jobs: usize,
    cancel: &Cancel,
    on_event: OnEvent<'_>,
) -> Vec<Result<BuildReport>> {
    each(requests, jobs, |number, request| {
        if cancel.is_cancelled() {
            return Err(BuildError::Cancelled);
        }
        build_repo(request, cancel, &mut |event| on_event(number, event))
    })
}

/// Compares repositories with their builds, at most `jobs` at once. The outcomes are in the order of the requests.
pub fn status_all(requests: &[BuildRequest], jobs: usize, cancel: &Cancel) -> Vec<Result<RepoStatus>> {
    each(requests, jobs, |_, request| status(request, cancel))
}

/// Does something with every item on a few threads, and keeps the order.
fn each<T: Sync, R: Send>(items: &[T], jobs: usize, work: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else { break };
                    let outcome = work(number, item);
                    done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((number, outcome));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_in_order_whoever_is_done_first() {
        let items: Vec<u64> = (0..40).collect();
        for jobs in [0, 1, 3, 100] {
            let doubled = each(&items, jobs, |number, item| {
                std::thread::sleep(std::time::Duration::from_micros((40 - item) * 20));
                (number as u64, item * 2)
            });
            assert_eq!(doubled, items.iter().map(|item| (*item, item * 2)).collect::<Vec<_>>(), "{jobs} jobs");
        }
        assert!(each(&[] as &[u64], 2, |_, item| *item).is_empty());
    }
}
