//! Jobs worked on by every core, and what they come to handed to one thread.

use std::sync::{Mutex, PoisonError};

use ai_assist_base::Cancel;
use crossbeam_channel::bounded;

/// Outcomes that may wait to be taken: memory must not grow with the number of jobs.
const QUEUE: usize = 64;

/// Works on jobs with a thread for each core, and hands what they come to to `take` on the calling thread, as it comes.
///
/// Each thread works with a function of its own, so that it can keep what it needs from one job to the next. No job is begun
/// once `cancel` says so, or `take` has failed. A job may ask [`stopped`](ai_assist_base::stopped) and come to an end halfway:
/// what is not done by then is dropped, what is done is taken in the first case.
/// `jobs` may wait for the next one: one thread waits then, and the others for it.
pub fn each<J: Send, O: Send, E, W: FnMut(J) -> O>(
    jobs: impl Iterator<Item = J> + Send,
    cancel: &Cancel,
    worker: impl Fn() -> W + Sync,
    take: impl FnMut(O) -> Result<(), E>,
) -> Result<(), E> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = jobs.size_hint().1.map_or(cores, |most| most.min(cores));
    let jobs = Mutex::new(jobs);
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next().filter(|_| !cancel.is_cancelled());
    std::thread::scope(|scope| {
        let (sender, outcomes) = bounded(QUEUE);
        for _ in 0..threads {
            let (sender, next, worker) = (sender.clone(), &next, &worker);
            scope.spawn(move || {
                let mut work = worker();
                while let Some(job) = next() {
                    let outcome = cancel.during(|| work(job));
                    if cancel.is_cancelled() || sender.send(outcome).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        // Leaving the loop drops the receiver, which ends the threads.
        outcomes.into_iter().try_for_each(take)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_job_is_done_once() {
        for count in [0, 1, 7, 1000] {
            let mut squares = Vec::new();
            let worker = || |n: usize| n * n;
            let take = |square| {
                squares.push(square);
                Ok::<(), ()>(())
            };
            each(0..count, &Cancel::default(), worker, take).unwrap();
            squares.sort_unstable();
            assert_eq!(squares, (0..count).map(|n| n * n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_waits_is_bounded_and_a_failure_ends_the_work() {
        let begun = AtomicUsize::new(0);
        let worker = || |_: usize| begun.fetch_add(1, Ordering::SeqCst);
        let mut taken = 0;
        let take = |_| {
            taken += 1;
            std::thread::sleep(std::time::Duration::from_millis(50));
            if taken == 2 { Err("full") } else { Ok(()) }
        };
        assert_eq!(each(0..100_000, &Cancel::default(), worker, take), Err("full"));
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        // Those taken, those that wait, and those that each thread holds or begins while the queue closes.
        assert!(begun.load(Ordering::SeqCst) <= taken + QUEUE + 2 * threads, "{begun:?}");
    }

    #[test]
    fn cancelling_takes_what_was_done() {
        let (cancel, begun) = (Cancel::default(), AtomicUsize::new(0));
        let worker = || {
            |n: usize| {
                begun.fetch_add(1, Ordering::SeqCst);
                n
            }
        };
        let mut taken = 0;
        let take = |_| {
            taken += 1;
            if taken == 10 {
                cancel.cancel();
            }
            Ok::<(), ()>(())
        };
        each(0..100_000, &cancel, worker, take).unwrap();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let begun = begun.load(Ordering::SeqCst);
        assert!((10..100_000).contains(&taken) && (taken..=taken + threads).contains(&begun), "{taken} of {begun}");
    }

    /// 16.1: a job hears the cancel, and what it came to is taken by nobody.
    #[test]
    fn a_job_that_was_stopped_halfway_is_dropped() {
        let cancel = Cancel::default();
        let worker = || {
            |number: usize| {
                if number == 3 {
                    cancel.cancel();
                }
                while number >= 3 && !ai_assist_base::stopped() {}
                number
            }
        };
        let mut taken = Vec::new();
        let take = |number| {
            taken.push(number);
            Ok::<(), ()>(())
        };
        each(0..100, &cancel, worker, take).unwrap();
        assert!(taken.iter().all(|&number| number < 3), "{taken:?}");
    }

    #[test]
    fn jobs_may_come_one_by_one() {
        let (sender, jobs) = bounded(1);
        let feeder = std::thread::spawn(move || (0..100).for_each(|n| sender.send(n).unwrap()));
        let mut sum = 0;
        let take = |n: usize| {
            sum += n;
            Ok::<(), ()>(())
        };
        each(std::iter::once(1000).chain(jobs), &Cancel::default(), || |n| n, take).unwrap();
        feeder.join().unwrap();
        assert_eq!(sum, 5950);
    }
}
