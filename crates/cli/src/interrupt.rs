//! Ctrl-C: the first one asks the work to stop where nothing is half done, the second one ends the process. So does a while
//! after the first: whoever sent it may not be there to send another.

use std::sync::OnceLock;
use std::time::Duration;

use ai_assist_base::Cancel;

/// What can't stop by then does not hear. To be ended leaves everything whole, it only loses what the work could still have kept.
const PATIENCE: Duration = Duration::from_secs(10);

/// The token that an interrupt sets.
pub(crate) fn cancel() -> Cancel {
    static CANCEL: OnceLock<Cancel> = OnceLock::new();
    CANCEL
        .get_or_init(|| {
            let cancel = Cancel::default();
            let handler = cancel.clone();
            // Without a handler an interrupt ends the process at once, which is safe too, only less polite.
            let _ = ctrlc::set_handler(move || {
                if handler.is_cancelled() {
                    std::process::exit(130);
                }
                handler.cancel();
                std::thread::spawn(|| {
                    std::thread::sleep(PATIENCE);
                    std::process::exit(130);
                });
            });
            cancel
        })
        .clone()
}
