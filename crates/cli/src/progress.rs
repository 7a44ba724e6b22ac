//! Progress: a bar or a spinner on a terminal, plain lines or nothing elsewhere.

use std::sync::atomic::{AtomicUsize, Ordering};

use ai_assist_collections::{Step, SyncEvent};
use ai_assist_repo::build::BuildEvent;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::terminal::{Terminal, one_line, stderr_is_watched};

/// Of all changes of one command only so many documents are named; summaries count them all.
const NAMED_CHANGES: usize = 20;

/// A bar or a spinner, where people watch.
struct Bar {
    terminal: Terminal,
    bar: Option<ProgressBar>,
}

impl Bar {
    fn new(terminal: Terminal) -> Self {
        Bar { terminal, bar: None }
    }

    /// Shows this in place of what is there.
    fn show(&mut self, bar: impl FnOnce() -> ProgressBar) {
        self.clear();
        if !self.terminal.quiet && !self.terminal.json && stderr_is_watched() {
            let bar = bar();
            bar.enable_steady_tick(std::time::Duration::from_millis(100));
            self.bar = Some(bar);
        }
    }

    fn spin(&mut self, message: &str) {
        self.show(|| ProgressBar::new_spinner().with_message(message.to_owned()));
    }

    /// How far the reading of so many files is.
    fn read(&mut self, files: usize) {
        self.show(|| {
            let bar = ProgressBar::new(files as u64);
            // Whole files: nobody wants the ten thousandth part of one.
            let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{:.0} files/s", state.per_sec());
            };
            if let Ok(style) = ProgressStyle::with_template("  {bar:30} {pos}/{len} files  {rate}  {eta} left") {
                bar.set_style(style.with_key("rate", rate).progress_chars("━╸─"));
            }
            bar
        });
    }

    fn file_done(&self) {
        self.bar.iter().for_each(|bar| bar.inc(1));
    }

    /// Changes the message, which is made only if somebody sees it.
    fn say(&self, message: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_message(message());
        }
    }

    fn line(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            // A lost line of progress is not worth an error.
            None => drop(self.terminal.note(line)),
        }
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// Whatever comes next is not written over it.
impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

pub(crate) struct Spinner(Bar);

impl Spinner {
    pub(crate) fn new(terminal: Terminal, message: &str) -> Self {
        let mut bar = Bar::new(terminal);
        bar.spin(message);
        Spinner(bar)
    }

    pub(crate) fn say(&self, message: impl FnOnce() -> String) {
        self.0.say(message);
    }
}

pub(crate) struct SyncProgress {
    bar: Bar,
    name: String,
    /// How many changes were met so far, those of other collections included.
    met: usize,
    bytes: u64,
}

impl SyncProgress {
    pub(crate) fn new(terminal: Terminal) -> Self {
        SyncProgress { bar: Bar::new(terminal), name: String::new(), met: 0, bytes: 0 }
    }

    pub(crate) fn begin(&mut self, name: &str) {
        self.clear();
        name.clone_into(&mut self.name);
    }

    /// Takes the bar off the screen.
    pub(crate) fn clear(&mut self) {
        self.bar.clear();
    }

    pub(crate) fn tell(&mut self, event: SyncEvent<'_>) {
        match event {
            SyncEvent::Waiting => self.bar.line(&format!("  … waiting for another sync of {}", self.name)),
            SyncEvent::Walking => self.bar.spin("looking for files"),
            SyncEvent::Asking(what) => {
                self.bar.line(&format!("  ↓ Fetching {what}..."));
                self.bar.spin(&format!("fetching the {what}"));
            }
            SyncEvent::Fetched(bytes) => {
                self.bytes += bytes;
                self.bar.say(|| format!("{} fetched", indicatif::HumanBytes(self.bytes)));
            }
            SyncEvent::Found(by, pages) => {
                let pages = pages.map_or(String::new(), |pages| format!(": {pages} pages"));
                self.bar.line(&format!("  ↓ Pages found by {by}{pages}"));
                self.bar.spin("fetching pages");
            }
            SyncEvent::Pages { done, waiting } => {
                self.bar.say(|| format!("{done} pages, {waiting} more found, {}", indicatif::HumanBytes(self.bytes)));
            }
            SyncEvent::Reading(files) => self.bar.read(files),
            SyncEvent::FileDone => self.bar.file_done(),
            SyncEvent::Step(step, path) => self.step(step, path),
            SyncEvent::Indexing => self.bar.spin("writing the index"),
        }
    }

    fn step(&mut self, step: Step, path: &str) {
        let terminal = self.bar.terminal;
        if terminal.quiet || terminal.json {
            return;
        }
        self.met += 1;
        if self.met <= NAMED_CHANGES || terminal.verbose {
            let (sign, verb) = match step {
                Step::Add => ('+', "adding"),
                Step::Update => ('~', "updating"),
                Step::Remove => ('-', "removing"),
            };
            self.bar.line(&format!("  {sign} {verb}: {}", one_line(path)));
        } else if self.met == NAMED_CHANGES + 1 {
            self.bar.line("  … and more (--verbose names them all)");
        }
    }
}

pub(crate) struct BuildProgress {
    bar: Bar,
    name: String,
}

impl BuildProgress {
    pub(crate) fn new(terminal: Terminal, name: &str) -> Self {
        BuildProgress { bar: Bar::new(terminal), name: one_line(name) }
    }

    pub(crate) fn tell(&mut self, event: BuildEvent<'_>) {
        match event {
            BuildEvent::Waiting => self.bar.line(&format!("  … waiting for another build of {}", self.name)),
            BuildEvent::Walking => self.bar.spin("looking for files"),
            BuildEvent::Reading(files) => self.bar.read(files),
            BuildEvent::FileDone(_) => self.bar.file_done(),
            BuildEvent::Writing(mode) => self.bar.spin(&format!("writing the {mode} index")),
            BuildEvent::Promoting => self.bar.clear(),
        }
    }
}

pub(crate) struct BuildAllProgress {
    spinner: Spinner,
    names: Vec<String>,
    begun: AtomicUsize,
}

impl BuildAllProgress {
    pub(crate) fn new(terminal: Terminal, names: Vec<String>) -> Self {
        BuildAllProgress { spinner: Spinner::new(terminal, "building"), names, begun: AtomicUsize::new(0) }
    }

    pub(crate) fn tell(&self, number: usize, event: BuildEvent<'_>) {
        let name = self.names.get(number).map(|name| one_line(name)).unwrap_or_default();
        let what = match event {
            BuildEvent::Walking => {
                self.begun.fetch_add(1, Ordering::Relaxed);
                "looking for files".to_owned()
            }
            BuildEvent::Waiting => "waiting for another build".to_owned(),
            BuildEvent::Reading(files) => format!("reading {files} files"),
            BuildEvent::Writing(mode) => format!("writing the {mode} index"),
            BuildEvent::FileDone(_) | BuildEvent::Promoting => return,
        };
        let (begun, all) = (self.begun.load(Ordering::Relaxed), self.names.len());
        self.spinner.say(|| format!("[{begun}/{all}] {name}: {what}"));
    }
}
