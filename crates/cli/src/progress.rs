//! Progress: a bar or a spinner on a terminal, plain lines or nothing elsewhere.

use std::sync::atomic::{AtomicUsize, Ordering};

use ai_assist_collections::{Progress, Step};
use ai_assist_repo::build::BuildEvent;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::terminal::{Terminal, one_line, stderr_is_watched};

/// Of all changes of one command only so many documents are named; summaries count them all.
const NAMED_CHANGES: usize = 20;

/// Shows that something goes on, where people watch.
pub(crate) struct Spinner {
    bar: Option<ProgressBar>,
}

impl Spinner {
    pub(crate) fn new(terminal: Terminal, message: &str) -> Self {
        let watched = !terminal.quiet && !terminal.json && stderr_is_watched();
        let bar = watched.then(|| {
            let bar = ProgressBar::new_spinner().with_message(message.to_owned());
            bar.enable_steady_tick(std::time::Duration::from_millis(100));
            bar
        });
        Spinner { bar }
    }

    /// Says how far it is. The message is made only if somebody sees it.
    pub(crate) fn say(&self, message: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_message(message());
        }
    }
}

/// Whatever comes next is not written over it.
impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How far the reading of so many files is.
fn file_bar(files: usize) -> ProgressBar {
    let bar = ProgressBar::new(files as u64);
    // Whole files: nobody wants the ten thousandth part of one.
    let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let _ = write!(out, "{:.0} files/s", state.per_sec());
    };
    if let Ok(style) = ProgressStyle::with_template("  {bar:30} {pos}/{len} files  {rate}  {eta} left") {
        bar.set_style(style.with_key("rate", rate).progress_chars("━╸─"));
    }
    bar
}

pub(crate) struct SyncProgress {
    terminal: Terminal,
    name: String,
    bar: Option<ProgressBar>,
    /// How many changes were met so far, those of other collections included.
    met: usize,
    bytes: u64,
}

impl SyncProgress {
    pub(crate) fn new(terminal: Terminal) -> Self {
        SyncProgress { terminal, name: String::new(), bar: None, met: 0, bytes: 0 }
    }

    pub(crate) fn begin(&mut self, name: &str) {
        self.clear();
        name.clone_into(&mut self.name);
    }

    fn silent(&self) -> bool {
        self.terminal.quiet || self.terminal.json
    }

    fn spin(&mut self, message: &str) {
        if self.silent() || !stderr_is_watched() {
            return;
        }
        self.clear();
        let bar = ProgressBar::new_spinner().with_message(message.to_owned());
        bar.enable_steady_tick(std::time::Duration::from_millis(100));
        self.bar = Some(bar);
    }

    /// Takes the bar off the screen.
    pub(crate) fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn line(&self, line: &str) {
        // A lost line of progress is not worth an error.
        let _ = match &self.bar {
            Some(bar) => {
                bar.println(line);
                Ok(())
            }
            None => self.terminal.note(line),
        };
    }
}

impl Progress for SyncProgress {
    fn waiting(&mut self) {
        self.line(&format!("  … waiting for another sync of {}", self.name));
    }

    fn walking(&mut self) {
        self.spin("looking for files");
    }

    fn asking(&mut self, what: &str) {
        self.line(&format!("  ↓ Fetching {what}..."));
        self.spin(&format!("fetching the {what}"));
    }

    fn fetched(&mut self, bytes: u64) {
        self.bytes += bytes;
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{} fetched", indicatif::HumanBytes(self.bytes)));
        }
    }

    fn reading(&mut self, files: usize) {
        self.clear();
        if self.silent() || !stderr_is_watched() {
            return;
        }
        self.bar = Some(file_bar(files));
    }

    fn file_done(&mut self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    fn step(&mut self, step: Step, path: &str) {
        if self.silent() {
            return;
        }
        self.met += 1;
        if self.met <= NAMED_CHANGES || self.terminal.verbose {
            let (sign, verb) = match step {
                Step::Add => ('+', "adding"),
                Step::Update => ('~', "updating"),
                Step::Remove => ('-', "removing"),
            };
            self.line(&format!("  {sign} {verb}: {}", one_line(path)));
        } else if self.met == NAMED_CHANGES + 1 {
            self.line("  … and more (--verbose names them all)");
        }
    }

    fn indexing(&mut self) {
        self.spin("writing the index");
    }
}

/// Shows one build of a repository.
pub(crate) struct BuildProgress {
    terminal: Terminal,
    name: String,
    bar: Option<ProgressBar>,
}

impl BuildProgress {
    pub(crate) fn new(terminal: Terminal, name: &str) -> Self {
        BuildProgress { terminal, name: one_line(name), bar: None }
    }

    /// Takes note of what the build is doing.
    pub(crate) fn tell(&mut self, event: BuildEvent<'_>) {
        match event {
            BuildEvent::Waiting => {
                // A lost line of progress is not worth an error.
                let _ = self.terminal.note(format!("  … waiting for another build of {}", self.name));
            }
            BuildEvent::Walking => self.show(ProgressBar::new_spinner().with_message("looking for files")),
            BuildEvent::Reading(files) => self.show(file_bar(files)),
            BuildEvent::FileDone(_) => self.bar.iter().for_each(|bar| bar.inc(1)),
            BuildEvent::Writing(mode) => {
                self.show(ProgressBar::new_spinner().with_message(format!("writing the {mode} index")));
            }
            BuildEvent::Promoting => self.clear(),
        }
    }

    fn show(&mut self, bar: ProgressBar) {
        self.clear();
        if !self.terminal.quiet && !self.terminal.json && stderr_is_watched() {
            bar.enable_steady_tick(std::time::Duration::from_millis(100));
            self.bar = Some(bar);
        }
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// Whatever comes next is not written over it.
impl Drop for BuildProgress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Shows the builds of several repositories.
pub(crate) struct BuildAllProgress {
    spinner: Spinner,
    names: Vec<String>,
    begun: AtomicUsize,
}

impl BuildAllProgress {
    pub(crate) fn new(terminal: Terminal, names: Vec<String>) -> Self {
        BuildAllProgress { spinner: Spinner::new(terminal, "building"), names, begun: AtomicUsize::new(0) }
    }

    /// Takes note of what one of the builds is doing.
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
