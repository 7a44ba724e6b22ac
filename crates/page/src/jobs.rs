//! Work that a page has started: it goes on when the page is closed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ai_assist_base::Cancel;
use tokio::sync::broadcast;

use crate::events::Change;

/// So many jobs are remembered.
const REMEMBERED: usize = 50;

/// Pages are told no more often that a job goes on.
const PACE: Duration = Duration::from_millis(150);

#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) number: u64,
    pub(crate) project: String,
    pub(crate) title: String,
    /// What it does now.
    pub(crate) step: String,
    pub(crate) done: usize,
    /// How much there is to do, once that is known.
    pub(crate) total: Option<usize>,
    /// What came of its parts.
    pub(crate) lines: Vec<(bool, String)>,
    pub(crate) state: JobState,
    pub(crate) cancel: Cancel,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobState {
    Running,
    Done,
    Failed,
}

#[derive(Debug, Default)]
struct Kept {
    next: u64,
    jobs: VecDeque<Job>,
}

#[derive(Debug, Default, Clone)]
pub(crate) struct Jobs(Arc<Mutex<Kept>>);

impl Jobs {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, number: u64) -> Option<Job> {
        self.kept().jobs.iter().find(|job| job.number == number).cloned()
    }

    /// The jobs of a project, the last one first.
    pub(crate) fn of(&self, project: &str) -> Vec<Job> {
        self.kept().jobs.iter().rev().filter(|job| job.project == project).cloned().collect()
    }

    /// Starts a job and gives its number; that of one which is at it already, if there is one.
    pub(crate) fn start<W>(&self, project: &str, title: &str, changes: broadcast::Sender<Change>, work: W) -> u64
    where
        W: FnOnce(&mut Progress) + Send + 'static,
    {
        let mut kept = self.kept();
        let same = |job: &&Job| job.project == project && job.title == title && job.state == JobState::Running;
        if let Some(job) = kept.jobs.iter().find(same) {
            return job.number;
        }
        kept.next += 1;
        let number = kept.next;
        let cancel = Cancel::default();
        kept.jobs.push_back(Job {
            number,
            project: project.to_owned(),
            title: title.to_owned(),
            step: "starting".to_owned(),
            done: 0,
            total: None,
            lines: Vec::new(),
            state: JobState::Running,
            cancel: cancel.clone(),
        });
        while kept.jobs.len() > REMEMBERED {
            kept.jobs.pop_front();
        }
        drop(kept);
        let mut progress = Progress { jobs: self.clone(), number, changes, cancel, told: None };
        tokio::task::spawn_blocking(move || {
            let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&mut progress)));
            progress.end(worked.is_ok());
        });
        number
    }
}

/// Says how far a job is.
pub(crate) struct Progress {
    jobs: Jobs,
    number: u64,
    changes: broadcast::Sender<Change>,
    pub(crate) cancel: Cancel,
    told: Option<Instant>,
}

impl Progress {
    fn change(&mut self, change: impl FnOnce(&mut Job)) {
        if let Some(job) = self.jobs.kept().jobs.iter_mut().find(|job| job.number == self.number) {
            change(job);
        }
    }

    fn tell(&mut self) {
        if self.told.is_none_or(|told| told.elapsed() > PACE) {
            self.told = Some(Instant::now());
            // Nobody may be looking.
            let _ = self.changes.send(Change::Job(self.number));
        }
    }

    pub(crate) fn step(&mut self, step: String) {
        self.change(|job| (job.step, job.done, job.total) = (step, 0, None));
        self.tell();
    }

    pub(crate) fn expect(&mut self, total: usize) {
        self.change(|job| (job.done, job.total) = (0, Some(total)));
        self.tell();
    }

    pub(crate) fn one_more(&mut self) {
        self.change(|job| job.done += 1);
        self.tell();
    }

    /// What came of a part.
    pub(crate) fn say(&mut self, is_good: bool, line: String) {
        self.change(|job| job.lines.push((is_good, line)));
        self.told = None;
        self.tell();
    }

    fn end(&mut self, is_whole: bool) {
        let cancelled = self.cancel.is_cancelled();
        self.change(|job| {
            if !is_whole {
                job.lines.push((false, "It broke off. Look for damage on the status page.".to_owned()));
            } else if cancelled {
                job.lines.push((false, "Stopped. What was done stays.".to_owned()));
            }
            job.step.clear();
            let is_good = job.lines.iter().all(|(is_good, _)| *is_good);
            job.state = if is_good { JobState::Done } else { JobState::Failed };
        });
        self.told = None;
        self.tell();
    }
}
