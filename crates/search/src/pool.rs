//! Work on a bounded number of threads, which nobody waits for longer than there is time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use ai_assist_base::{Cancel, caught};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use rayon::prelude::*;

use crate::Error;

/// How often a caller is asked whether it still wants the answer.
const ASK_EVERY: Duration = Duration::from_millis(10);

/// How much of the time is over when a phase must be done, in percent. A slow index may use up a phase, but never the time
/// that the others need for the next one.
#[derive(Debug, Clone, Copy)]
pub enum Phase {
    Open = 50,
    Gather = 65,
    Score = 80,
    Again = 90,
    Hydrate = 100,
}

/// How many cores there are. The system is asked once: it reads files for the answer.
static CORES: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));

/// The time that there is for a question.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Instant,
    timeout: Option<Duration>,
}

impl Clock {
    pub fn start(timeout: Option<Duration>) -> Self {
        Clock { start: Instant::now(), timeout }
    }

    /// When a phase must be done, if ever.
    pub fn end_of(&self, phase: Phase) -> Option<Instant> {
        let share = self.timeout?.checked_mul(phase as u32)? / 100;
        self.start.checked_add(share)
    }

    pub fn is_before(&self, phase: Phase) -> bool {
        self.end_of(phase).is_none_or(|end| Instant::now() < end)
    }

    pub fn elapsed_ms(&self) -> f64 {
        self.start.elapsed().as_secs_f64() * 1e3
    }
}

/// How a job ended.
#[derive(Debug)]
pub enum End<T> {
    /// With this, after so long.
    Done(T, Duration),
    Panicked,
    /// Not in time. It goes on, and what it gives is dropped.
    Late,
}

/// A job. It owns what it needs, for it may outlive the question.
pub type Job<T> = Box<dyn FnOnce() -> T + Send>;

/// The threads that work at a question.
#[derive(Clone, Copy)]
pub struct WorkerPool<'c> {
    /// None for as many as there are cores.
    threads: Option<usize>,
    cancel: &'c Cancel,
}

impl<'c> WorkerPool<'c> {
    /// A pool of so many threads at once, or of as many as there are cores.
    pub fn new(concurrency: usize, cancel: &'c Cancel) -> Self {
        WorkerPool { threads: Some(concurrency).filter(|&threads| threads > 0), cancel }
    }

    /// Runs all jobs. What each gave comes back in their order, however long each took.
    pub fn run<T: Send + 'static>(&self, jobs: Vec<Job<T>>, until: Option<Instant>) -> Result<Vec<End<T>>, Error> {
        let threads = self.threads.unwrap_or_else(|| *CORES).min(jobs.len());
        match (until, self.threads) {
            (None, _) if threads <= 1 => self.run_here(jobs),
            (None, None) => self.run_on_all_cores(jobs),
            _ => self.run_beside(jobs, until, threads),
        }
    }

    /// Runs jobs that are too little for threads, unless there is a limit to its time.
    pub fn run_little<T: Send + 'static>(
        &self,
        jobs: Vec<Job<T>>,
        until: Option<Instant>,
    ) -> Result<Vec<End<T>>, Error> {
        if until.is_none() { self.run_here(jobs) } else { self.run(jobs, until) }
    }

    fn go_on(&self) -> Result<(), Error> {
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    fn run_here<T>(&self, jobs: Vec<Job<T>>) -> Result<Vec<End<T>>, Error> {
        let mut ends = Vec::with_capacity(jobs.len());
        for job in jobs {
            self.go_on()?;
            ends.push(done(job));
        }
        Ok(ends)
    }

    /// Where nobody can be late, the threads that are there already do.
    fn run_on_all_cores<T: Send>(&self, jobs: Vec<Job<T>>) -> Result<Vec<End<T>>, Error> {
        jobs.into_par_iter().map(|job| self.go_on().map(|()| done(job))).collect()
    }

    fn run_beside<T: Send + 'static>(
        &self,
        jobs: Vec<Job<T>>,
        until: Option<Instant>,
        threads: usize,
    ) -> Result<Vec<End<T>>, Error> {
        let count = jobs.len();
        let (give, take) = unbounded();
        jobs.into_iter().enumerate().for_each(|job| drop(give.send(job)));
        drop(give);
        let given_up = Arc::new(AtomicBool::new(false));
        let (sender, ends) = unbounded();
        let mut started = 0;
        for _ in 0..threads {
            let (take, sender, given_up) = (take.clone(), sender.clone(), Arc::clone(&given_up));
            let worker = std::thread::Builder::new().name("ai-assist search".to_owned());
            started += usize::from(worker.spawn(move || work_off(&take, &sender, &given_up)).is_ok());
        }
        if started == 0 {
            // The system gives no thread: then it is this one, and nobody is left behind.
            work_off(&take, &sender, &given_up);
        }
        drop((take, sender));
        let collected = self.collect(&ends, count, until);
        given_up.store(true, Ordering::Relaxed);
        collected
    }

    fn collect<T>(
        &self,
        ends: &Receiver<(usize, End<T>)>,
        count: usize,
        until: Option<Instant>,
    ) -> Result<Vec<End<T>>, Error> {
        let mut collected: Vec<End<T>> = std::iter::repeat_with(|| End::Late).take(count).collect();
        let mut missing = count;
        while missing > 0 && until.is_none_or(|until| Instant::now() < until) {
            self.go_on()?;
            let soon = Instant::now() + ASK_EVERY;
            match ends.recv_deadline(until.map_or(soon, |until| until.min(soon))) {
                Ok((number, end)) => {
                    if let Some(slot) = collected.get_mut(number) {
                        *slot = end;
                    }
                    missing -= 1;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        Ok(collected)
    }
}

fn work_off<T>(take: &Receiver<(usize, Job<T>)>, sender: &Sender<(usize, End<T>)>, given_up: &AtomicBool) {
    for (number, job) in take {
        // Nobody may be there any more to take what it gives.
        if given_up.load(Ordering::Relaxed) || sender.send((number, done(job))).is_err() {
            return;
        }
    }
}

/// An index whose files were tampered with may break assumptions of the engine that reads it. That is the end of this
/// index's part in the answer, not of the process.
fn done<T>(job: Job<T>) -> End<T> {
    let start = Instant::now();
    caught(job).map_or(End::Panicked, |value| End::Done(value, start.elapsed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(ends: Vec<End<usize>>) -> Vec<Option<usize>> {
        let value = |end| if let End::Done(value, _) = end { Some(value) } else { None };
        ends.into_iter().map(value).collect()
    }

    fn jobs(delays: &[u64]) -> Vec<Job<usize>> {
        let job = |(number, &delay): (usize, &u64)| -> Job<usize> {
            Box::new(move || {
                std::thread::sleep(Duration::from_millis(delay));
                assert_ne!(delay, 7, "seven breaks off");
                number
            })
        };
        delays.iter().enumerate().map(job).collect()
    }

    #[test]
    fn the_order_is_that_of_the_work() {
        for threads in [0, 1, 2, 3, 8] {
            let cancel = Cancel::default();
            let pool = WorkerPool::new(threads, &cancel);
            let until = Instant::now().checked_add(Duration::from_secs(60));
            for until in [None, until] {
                let ends = values(pool.run(jobs(&[20, 0, 7, 10, 0]), until).unwrap());
                assert_eq!(ends, [Some(0), Some(1), None, Some(3), Some(4)]);
                assert_eq!(values(pool.run_little(jobs(&[1, 0]), until).unwrap()), [Some(0), Some(1)]);
            }
        }
        assert!(WorkerPool::new(0, &Cancel::default()).run::<usize>(Vec::new(), None).unwrap().is_empty());
    }

    #[test]
    fn what_is_late_is_left_behind() {
        let cancel = Cancel::default();
        let pool = WorkerPool::new(4, &cancel);
        let start = Instant::now();
        let ends = pool.run(jobs(&[0, 20_000, 0]), Some(start + Duration::from_millis(300))).unwrap();
        assert!(start.elapsed() < Duration::from_secs(10));
        assert_eq!(values(ends), [Some(0), None, Some(2)]);
    }

    #[test]
    fn a_caller_may_go() {
        let start = Instant::now();
        let cancel = Cancel::default();
        cancel.cancel();
        let pool = WorkerPool::new(2, &cancel);
        assert!(matches!(pool.run(jobs(&[20_000, 20_000]), None), Err(Error::Cancelled)));
        assert!(matches!(pool.run_little(jobs(&[20_000]), None), Err(Error::Cancelled)));
        let pool = WorkerPool::new(0, &cancel);
        assert!(matches!(pool.run(jobs(&[20_000, 20_000]), None), Err(Error::Cancelled)));
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn phases_come_one_after_the_other() {
        let clock = Clock::start(Some(Duration::from_secs(1000)));
        let phases = [Phase::Open, Phase::Gather, Phase::Score, Phase::Again, Phase::Hydrate];
        assert!(phases.map(|phase| clock.end_of(phase).unwrap()).is_sorted());
        assert!(clock.is_before(Phase::Open));
        assert!(!Clock::start(Some(Duration::ZERO)).is_before(Phase::Hydrate));
        assert!(Clock::start(None).is_before(Phase::Open));
        assert!(Clock::start(Some(Duration::MAX)).is_before(Phase::Open));
    }
}
