//! Ctrl-C: the first one asks the work to stop where nothing is half done, the second one ends the process.

use std::sync::OnceLock;

use ai_assist_base::Cancel;

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
            });
            cancel
        })
        .clone()
}
