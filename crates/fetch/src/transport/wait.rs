//! The calling thread, which waits for what the runtime does.
//!
//! It waits on a plain channel and not inside the runtime: so a client can be used on any thread, and what the caller
//! does in its closures (such as another request) can't run into the runtime it is called from.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use ai_assist_base::Cancel;
use tokio::task::JoinHandle;

use super::TransportError;

/// How often the caller is asked whether it still wants to go on.
const ASK_EVERY: Duration = Duration::from_millis(50);

/// A task that ends, at the latest, with the call that started it.
pub(super) struct Task(pub(super) JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The next thing from the runtime.
pub(super) fn receive<T>(receiver: &Receiver<T>, cancel: &Cancel) -> Result<T, TransportError> {
    loop {
        if cancel.is_cancelled() {
            return Err(TransportError::Cancelled);
        }
        match receiver.recv_timeout(ASK_EVERY) {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(lost()),
        }
    }
}

/// A task that ended without a word, which is a defect of ours.
pub(super) fn lost() -> TransportError {
    TransportError::Setup { reason: "a task of the HTTP client ended too early".to_owned() }
}
