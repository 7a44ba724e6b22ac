//! A watch builds when files change, and ends when it is told to.

use std::sync::mpsc::channel;
use std::time::Duration;

use ai_assist_base::Cancel;
use ai_assist_base::watch::Pacing;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::watch::{WatchEvent, WatchOptions, watch};

use crate::support::{Sandbox, paths};

/// Stops the watch when the test ends, however it ends.
struct Stop<'s>(&'s Cancel);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn follows(options: WatchOptions) {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# One\n");
    let stop = Cancel::default();
    let (built, builds) = channel();
    std::thread::scope(|scope| {
        let request = sandbox.request();
        let (stop, options) = (&stop, &options);
        scope.spawn(move || {
            watch(&request, options, stop, &mut |event| {
                if let WatchEvent::Built(Ok(report)) = event {
                    built.send(report.unchanged).unwrap();
                }
            })
            .unwrap();
        });
        let _stop = Stop(stop);
        let next_change = || loop {
            if !builds.recv_timeout(Duration::from_secs(60)).unwrap() {
                return;
            }
        };
        next_change();
        sandbox.write("deep/er/b.md", "# Two\n");
        // The folders may be seen before the file in them is there.
        while paths(&sandbox.open(Mode::Prose)).len() < 2 {
            next_change();
        }
        sandbox.remove("a.md");
        next_change();
        assert_eq!(paths(&sandbox.open(Mode::Prose)), ["deep/er/b.md"]);
        let finished = sandbox.builds().into_iter().filter(|name| !name.starts_with('.')).count();
        assert!(finished <= options.keep, "{finished} builds");
    });
}

#[test]
fn changes_are_built() {
    let pacing = Pacing { quiet: Duration::from_millis(50), ..Pacing::default() };
    follows(WatchOptions { pacing, keep: 1 });
}

#[test]
fn without_events_it_is_scanned() {
    let never = Duration::from_secs(3600);
    let pacing = Pacing { quiet: never, patience: never, rescan: Duration::from_millis(100), ..Pacing::default() };
    follows(WatchOptions { pacing, ..WatchOptions::default() });
}
