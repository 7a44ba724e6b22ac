//! Following files while a session is open.
//!
//! Events are hints that a path may be worth a look: they get lost when the system's queue is full, and do not come at all when
//! its watches are used up. What is found by looking is the truth, and everything is looked at from time to time in any case.
//!
//! `Watch` knows what is followed and what is to be looked at; it takes hints from anywhere. `Listener` turns the system's
//! events into hints. Folders are listened to, not files: a save that replaces a file would take the watch with it.

mod scan;
mod stat_probe;
mod state;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::indexer::IndexAction;
use crate::{Error, Result, Session};
use ai_assist_base::Cancel;
use ai_assist_base::watch::{Listener, POLL, Pacing, Why, inbox};
use state::Watch;

/// How often it is looked whether files have joined the session.
const MEMBERS: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Default)]
pub struct WatchOptions {
    /// Folders of this machine in which everything is followed that `admit` lets in, beside the session's own files.
    pub folders: Vec<PathBuf>,
    /// Files and folders below them that are not: the data folder, which changes with every change that is noted.
    pub except: Vec<PathBuf>,
    pub pacing: Pacing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedChange {
    pub path: String,
    pub action: IndexAction,
    pub deleted: bool,
}

#[derive(Debug)]
pub enum WatchEvent<'e> {
    /// Everything was looked at once, and changes are heard from now on.
    Watching { folders: usize },
    /// Some or all changes are not heard, for this reason; everything is looked at every so often instead.
    Blind(String),
    /// These files got a version; by path.
    Changed(&'e [WatchedChange]),
    /// Everything was looked at again, for this reason.
    Rescanned { why: String },
}

/// Is told what happens.
pub type OnEvent<'t> = &'t mut dyn FnMut(WatchEvent<'_>);

/// Gives every file that changes a version until the caller cancels: the files of the session, also those that join it
/// meanwhile, and what is let in below the folders. The session's sets stay as they are.
///
/// A file that an ignore file drops from now on keeps its last version: it is not gone.
pub fn watch(session: &mut Session, options: &WatchOptions, cancel: &Cancel, told: OnEvent<'_>) -> Result<()> {
    match follow(session, options, cancel, told) {
        Err(Error::Cancelled) => Ok(()),
        other => other,
    }
}

fn follow(session: &mut Session, options: &WatchOptions, cancel: &Cancel, told: OnEvent<'_>) -> Result<()> {
    let (post, hints) = inbox();
    let mut ears = Listener::open(post);
    let mut watch = Watch::new(session, options)?;
    // Whether changes are heard, as it was told last.
    let mut heard = None;
    let mut rescanned = Instant::now();
    let mut met = Instant::now();
    watch.look_at_everything(Why::Start);
    loop {
        if cancel.is_cancelled() {
            return Ok(());
        }
        hints.take(POLL, &mut |hint| watch.hint(hint));
        let blind = ears.deaf().is_some();
        if rescanned.elapsed() >= if blind { options.pacing.rescan_blind } else { options.pacing.rescan } {
            watch.look_at_everything(if blind { Why::Blind } else { Why::Time });
            rescanned = Instant::now();
        }
        if met.elapsed() >= MEMBERS {
            passing(watch.meet(session))?;
            met = Instant::now();
        }
        let due = heard.is_none() || watch.is_due(options);
        if due && passing(watch.flush(session, &mut ears, cancel, told))?.is_some() {
            let deaf = ears.deaf().map(str::to_owned);
            if heard.replace(deaf.is_none()) != Some(deaf.is_none()) {
                told(deaf.map_or(WatchEvent::Watching { folders: ears.folders() }, WatchEvent::Blind));
            }
        }
    }
}

/// Nothing, if it failed for a reason that passes.
fn passing<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::Store(ai_assist_store::Error::Busy { .. }) | Error::Contended(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
