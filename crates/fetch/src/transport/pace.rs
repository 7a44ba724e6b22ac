//! How often one host is asked, where somebody minds: the pages of a website.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;
use url::Url;

use super::connections::Connections;
use super::{Pace, Request};

/// The hosts that are asked at a pace, by scheme, name and port.
#[derive(Default)]
pub(super) struct Paces(Mutex<HashMap<String, Arc<Host>>>);

struct Host {
    times: Mutex<Times>,
    slots: Arc<Semaphore>,
}

struct Times {
    /// When the next request may be made.
    next: Instant,
    /// A server has asked not to be asked until then.
    held: Instant,
}

impl Paces {
    fn of(&self, url: &Url, pace: Pace) -> Arc<Host> {
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let times = || Mutex::new(Times { next: now, held: now });
        let new = || Arc::new(Host { times: times(), slots: Arc::new(Semaphore::new(pace.at_once.max(1))) });
        hosts.entry(url.origin().ascii_serialization()).or_insert_with(new).clone()
    }
}

impl Host {
    fn times(&self) -> MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long to wait for a turn, which is taken with the question.
    fn wait(&self, pause: Duration) -> Duration {
        let now = Instant::now();
        let mut times = self.times();
        let at = times.next.max(now);
        times.next = at + pause;
        at - now
    }

    fn held(&self) -> Duration {
        self.times().held.saturating_duration_since(Instant::now())
    }
}

impl Connections {
    /// Waits until a request may be made, and keeps a place for it as long as the answer lives.
    pub(super) async fn turn(&self, request: &Request) -> Option<OwnedSemaphorePermit> {
        let pace = request.manner.pace?;
        let host = self.paces.of(&request.url, pace);
        // Nobody closes it.
        let slot = host.slots.clone().acquire_owned().await.ok();
        sleep(host.wait(pace.pause)).await;
        loop {
            // Another request may be told to wait while this one does.
            let held = host.held();
            if held.is_zero() {
                return slot;
            }
            sleep(held).await;
        }
    }

    /// Lets nobody ask a host before it wants to be asked again.
    pub(super) fn hold(&self, request: &Request, wait: Duration) {
        if let Some(pace) = request.manner.pace {
            let host = self.paces.of(&request.url, pace);
            let mut times = host.times();
            times.held = times.held.max(Instant::now() + wait);
        }
    }
}
