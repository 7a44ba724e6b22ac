//! Building again whenever files change.
//!
//! Events are hints that it may be worth looking: they get lost when the system's queue is full and do not come at all when
//! its watches are used up. What a scan finds is the truth, and one is made from time to time in any case.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use ai_assist_base::Cancel;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::build::{BuildError, BuildEvent, BuildReport, BuildRequest, Result, build_repo};
use crate::gc::gc;
use crate::promote;

/// How often it is asked whether to stop.
const POLL: Duration = Duration::from_millis(100);

/// When to build.
#[derive(Debug, Clone, Copy)]
pub struct WatchOptions {
    /// So long nothing must happen after an event before it is built.
    pub quiet: Duration,
    /// So long after the first event it is built even if it never gets quiet.
    pub patience: Duration,
    /// So often it is built whether or not there are events.
    pub rescan: Duration,
    /// So often if there can be no events.
    pub rescan_blind: Duration,
    /// So many of the latest builds stay, whoever uses them; older ones are collected after each build.
    pub keep: usize,
}

impl Default for WatchOptions {
    fn default() -> Self {
        WatchOptions {
            quiet: Duration::from_millis(300),
            patience: Duration::from_secs(5),
            rescan: Duration::from_secs(300),
            rescan_blind: Duration::from_secs(10),
            keep: 2,
        }
    }
}

#[derive(Debug)]
pub enum WatchEvent<'e> {
    Watching,
    /// There will be no events, for this reason; it is scanned every so often instead.
    Blind(String),
    /// A build came to this.
    Built(&'e Result<BuildReport>),
    /// Old builds could not be taken away.
    NotCollected(&'e BuildError),
}

/// Builds now, and again whenever files change, until the caller cancels.
pub fn watch(
    request: &BuildRequest,
    options: &WatchOptions,
    cancel: &Cancel,
    told: &mut dyn FnMut(WatchEvent<'_>),
) -> Result<()> {
    let (sender, hints) = channel();
    // Watching starts before the first build, so that nothing falls between the two.
    let root = request.root.to_path_buf();
    let cache = request.cache.root().to_owned();
    let started = start(&root, move |event: notify::Result<notify::Event>| {
        if event.as_ref().map_or(true, |event| is_hint(event, &cache)) {
            // Nobody listens any more once the watch has ended.
            let _ = sender.send(());
        }
    });
    let _watcher = match started {
        Ok(watcher) => {
            told(WatchEvent::Watching);
            Some(watcher)
        }
        Err(error) => {
            told(WatchEvent::Blind(error.to_string()));
            None
        }
    };
    let rescan = if _watcher.is_some() { options.rescan } else { options.rescan_blind };
    let mut first = true;
    loop {
        let built = build_repo(request, cancel, &mut |_: BuildEvent<'_>| {});
        // A watch builds for days: without this it would fill the disk.
        let collected = match &built {
            Ok(report) if !report.unchanged => collect(request, options.keep, cancel),
            _ => Ok(()),
        };
        told(WatchEvent::Built(&built));
        if let Err(error) = collected {
            told(WatchEvent::NotCollected(&error));
        }
        match built {
            Err(BuildError::Cancelled) => return Ok(()),
            Err(error) if first => return Err(error),
            _ => first = false,
        }
        if !wait(&hints, options, rescan, cancel) {
            return Ok(());
        }
    }
}

fn collect(request: &BuildRequest, keep: usize, cancel: &Cancel) -> Result<()> {
    let latest: BTreeSet<String> = promote::builds(&request.cache)?.into_iter().rev().take(keep).collect();
    gc(&request.cache, &latest, false, cancel).map(drop)
}

fn start(root: &Path, handler: impl notify::EventHandler) -> notify::Result<RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(handler)?;
    watcher.watch(root, RecursiveMode::Recursive)?;
    Ok(watcher)
}

/// Whether an event may mean that files have changed: reading them, and what we write ourselves, does not.
fn is_hint(event: &notify::Event, cache: &Path) -> bool {
    !event.kind.is_access() && (event.paths.is_empty() || event.paths.iter().any(|path| !path.starts_with(cache)))
}

/// Waits until it is time to build. False if the caller cancels.
fn wait(hints: &Receiver<()>, options: &WatchOptions, rescan: Duration, cancel: &Cancel) -> bool {
    let started = Instant::now();
    let mut hinted: Option<(Instant, Instant)> = None;
    loop {
        if cancel.is_cancelled() {
            return false;
        }
        let now = Instant::now();
        let settled = hinted.map(|(first, last)| (last + options.quiet).min(first + options.patience));
        let due = settled.into_iter().fold(started + rescan, Instant::min);
        if now >= due {
            return true;
        }
        match hints.recv_timeout(POLL.min(due - now)) {
            Ok(()) => {
                let now = Instant::now();
                hinted = Some((hinted.map_or(now, |(first, _)| first), now));
            }
            Err(RecvTimeoutError::Timeout) => {}
            // No watcher: only the clock is left.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(POLL.min(due - now)),
        }
    }
}
