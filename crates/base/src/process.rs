//! A program that is run within limits of time and output, and ended with all that it has started if it goes beyond them.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::Cancel;
use crate::platform::Group;

const PIECE: usize = 64 << 10;
/// How often it is asked whether to stop while the program says nothing.
const POLL: Duration = Duration::from_millis(20);
/// What it wrote to standard error is shown in messages; more than this is not kept.
const WORDS: usize = 8 << 10;
/// How long the last words may take after the end. A process left behind may hold the line open for ever.
const LAST_WORDS: Duration = Duration::from_millis(250);

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("it can't be started")]
    Start(#[source] io::Error),
    /// It is there but can't be worked with.
    #[error("it can't be talked to")]
    Talk(#[source] io::Error),
    #[error("it was cancelled")]
    Cancelled,
    #[error("it took too long")]
    TimedOut,
    /// It wrote more to standard output than the caller takes.
    #[error("it wrote more than {0} bytes")]
    TooMuch(usize),
    #[error("it wrote more than {0} bytes into a folder")]
    FolderTooLarge(u64),
    /// Its output ended in the middle of something.
    #[error("its output is cut off")]
    CutOff,
}

/// When a process has to end.
#[derive(Debug, Clone, Default)]
pub struct RunLimits {
    /// None if it is later than the clock can count.
    pub deadline: Option<Instant>,
    pub cancel: Cancel,
    /// A folder, and how many bytes may be directly in it.
    pub folder: Option<(PathBuf, u64)>,
}

impl RunLimits {
    fn check(&self) -> Result<(), RunError> {
        if self.cancel.is_cancelled() {
            return Err(RunError::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(RunError::TimedOut);
        }
        Ok(())
    }

    fn check_folder(&self) -> Result<(), RunError> {
        match &self.folder {
            Some((folder, limit)) if bytes_in(folder) > *limit => Err(RunError::FolderTooLarge(*limit)),
            _ => Ok(()),
        }
    }
}

/// The sizes of the files directly in a folder. One that has just gone counts nothing.
fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = folder.read_dir() else { return 0 };
    entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}

#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    /// What it wrote to standard output and nobody has taken.
    pub output: Vec<u8>,
    /// The end of what it wrote to standard error.
    pub words: Vec<u8>,
}

/// Runs a command to its end, with something to read if there is, and takes at most so many bytes of output.
pub fn run(mut command: Command, input: Option<Vec<u8>>, limits: RunLimits, most: usize) -> Result<Ended, RunError> {
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut running = Running::start(command, limits, true)?;
    if let (Some(mut stdin), Some(input)) = (running.input.take(), input) {
        // A process that ends before it has read everything says why in another way.
        spawn(move || drop(stdin.write_all(&input)))?;
    }
    let mut output = Vec::new();
    while let Some(piece) = running.piece()? {
        output.extend_from_slice(&piece);
        if output.len() > most {
            return Err(RunError::TooMuch(most));
        }
    }
    Ok(Ended { output, ..running.finish()? })
}

/// A running process. Dropping it ends it.
#[derive(Debug)]
pub struct Running {
    child: Child,
    group: Group,
    ended: bool,
    limits: RunLimits,
    input: Option<ChildStdin>,
    output: Receiver<Vec<u8>>,
    /// Of the piece that came last.
    rest: Vec<u8>,
    at: usize,
    words: Arc<Mutex<Vec<u8>>>,
    words_end: Receiver<()>,
}

impl Running {
    /// Starts the process, in a group of its own unless it may ask somebody at the terminal: no other group may read there.
    pub fn start(mut command: Command, limits: RunLimits, group: bool) -> Result<Self, RunError> {
        limits.check()?;
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut child, group) = Group::spawn(&mut command, group).map_err(RunError::Start)?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (pieces, output) = sync_channel(2);
        let (words_done, words_end) = sync_channel(1);
        let words = Arc::default();
        let running = Running {
            input: child.stdin.take(),
            child,
            group,
            ended: false,
            limits,
            output,
            rest: Vec::new(),
            at: 0,
            words: Arc::clone(&words),
            words_end,
        };
        // From here on the process is ended if anything fails.
        if let Some(stdout) = stdout {
            spawn(move || send_pieces(stdout, &pieces))?;
        }
        if let Some(stderr) = stderr {
            spawn(move || keep_words(stderr, &words, &words_done))?;
        }
        Ok(running)
    }

    /// Writes to a process that was given an input. What is written must be short enough to fit in a pipe that is empty.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), RunError> {
        let Some(input) = &mut self.input else { return Ok(()) };
        input.write_all(bytes).and_then(|()| input.flush()).map_err(RunError::Talk)
    }

    /// The next bytes that it writes, or none at the end.
    pub fn piece(&mut self) -> Result<Option<Vec<u8>>, RunError> {
        if self.at < self.rest.len() {
            let piece = self.rest.split_off(self.at);
            (self.rest, self.at) = (Vec::new(), 0);
            return Ok(Some(piece));
        }
        loop {
            self.limits.check()?;
            match self.output.recv_timeout(POLL) {
                Ok(piece) => return Ok(Some(piece)),
                Err(RecvTimeoutError::Timeout) => self.limits.check_folder()?,
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// The bytes up to a delimiter, which is taken away, or none at the end.
    pub fn until(&mut self, delimiter: u8, most: usize) -> Result<Option<Vec<u8>>, RunError> {
        let mut found = Vec::new();
        loop {
            if !self.refill()? {
                return if found.is_empty() { Ok(None) } else { Err(RunError::CutOff) };
            }
            let rest = &self.rest[self.at..];
            let end = rest.iter().position(|&b| b == delimiter);
            found.extend_from_slice(&rest[..end.unwrap_or(rest.len())]);
            self.at += end.map_or(rest.len(), |end| end + 1);
            if found.len() > most {
                return Err(RunError::TooMuch(most));
            }
            if end.is_some() {
                return Ok(Some(found));
            }
        }
    }

    /// At least one of the next bytes and at most so many, or none at the end.
    pub fn some(&mut self, most: u64) -> Result<Option<&[u8]>, RunError> {
        if !self.refill()? {
            return Ok(None);
        }
        let start = self.at;
        self.at += usize::try_from(most).unwrap_or(usize::MAX).min(self.rest.len() - start);
        Ok(Some(&self.rest[start..self.at]))
    }

    /// Waits for the end, which is near: what it still writes is not kept.
    pub fn finish(mut self) -> Result<Ended, RunError> {
        self.input = None;
        while self.piece()?.is_some() {}
        let status = self.wait()?;
        // An error here only means that the words are not complete.
        let _ = self.words_end.recv_timeout(LAST_WORDS);
        let words = std::mem::take(&mut *self.words.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Ended { status, output: Vec::new(), words })
    }

    /// Whether there are bytes to be read.
    fn refill(&mut self) -> Result<bool, RunError> {
        if self.at >= self.rest.len() {
            let Some(piece) = self.piece()? else { return Ok(false) };
            (self.rest, self.at) = (piece, 0);
        }
        Ok(true)
    }

    fn wait(&mut self) -> Result<ExitStatus, RunError> {
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = self.child.try_wait().map_err(RunError::Talk)? {
                self.ended = true;
                return Ok(status);
            }
            self.limits.check()?;
            thread::sleep(pause);
            pause = (pause * 2).min(POLL);
        }
    }

    /// Ends the process and all of its group.
    fn kill(&mut self) {
        self.group.kill(&mut self.child);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            self.kill();
        }
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> Result<(), RunError> {
    thread::Builder::new().spawn(work).map(drop).map_err(RunError::Talk)
}

/// Reads a pipe in a thread of its own, so that waiting for it can be given up.
fn send_pieces(mut stdout: impl Read, pieces: &SyncSender<Vec<u8>>) {
    let mut buffer = vec![0; PIECE];
    while let Ok(count) = stdout.read(&mut buffer) {
        if count == 0 || pieces.send(buffer[..count].to_vec()).is_err() {
            return;
        }
    }
}

/// Keeps the last words, and reads on so that the process does not wait for us.
fn keep_words(mut stderr: impl Read, words: &Mutex<Vec<u8>>, done: &SyncSender<()>) {
    let mut buffer = [0; 4096];
    while let Ok(count) = stderr.read(&mut buffer) {
        if count == 0 {
            break;
        }
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend_from_slice(&buffer[..count]);
        let over = words.len().saturating_sub(WORDS);
        words.drain(..over);
    }
    let _ = done.send(());
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    fn within(cancel: Cancel) -> RunLimits {
        RunLimits { cancel, ..RunLimits::default() }
    }
    #[test]
    fn output_words_and_status_come_back() {
        let ended = run(shell("cat; echo no >&2; exit 3"), Some(b"in".to_vec()), RunLimits::default(), 100).unwrap();
        assert_eq!((ended.output, ended.words, ended.status.code()), (b"in".to_vec(), b"no\n".to_vec(), Some(3)));
    }
    #[test]
    fn a_process_without_end_is_ended_with_its_children() {
        for group in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("pid");
            let script = format!("sleep 1000 & echo $! > '{}'; wait", file.display());
            // Not before the child is there.
            let pid_file = file.clone();
            let cancel =
                Cancel::when(move || std::fs::read_to_string(&pid_file).is_ok_and(|text| text.ends_with('\n')));
            let mut running = Running::start(shell(&script), within(cancel), group).unwrap();
            assert!(matches!(running.piece(), Err(RunError::Cancelled)));
            drop(running);
            let pid: i32 = std::fs::read_to_string(&file).unwrap().trim().parse().unwrap();
            let state = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let deadline = Instant::now() + Duration::from_secs(30);
            // An orphan that was killed may stay a zombie for a while.
            while !(state().is_empty() || state().contains(") Z")) {
                assert!(Instant::now() < deadline, "{}", state());
                thread::sleep(Duration::from_millis(5));
            }
        }
    }
    #[test]
    fn time_and_length_are_bounded() {
        let limits = RunLimits { deadline: Some(Instant::now() + Duration::from_millis(50)), ..RunLimits::default() };
        assert!(matches!(run(shell("sleep 1000"), None, limits, 100), Err(RunError::TimedOut)));
        let endless = run(shell("yes"), None, RunLimits::default(), 1 << 20);
        assert!(matches!(endless, Err(RunError::TooMuch(1_048_576))));
        let asked = AtomicUsize::new(0);
        let cancel = Cancel::when(move || asked.fetch_add(1, Ordering::Relaxed) > 100);
        let endless_words = run(shell("exec 1>&-; yes >&2"), None, within(cancel), 100);
        assert!(matches!(endless_words, Err(RunError::Cancelled)));
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "12345").unwrap();
        let limits = RunLimits { folder: Some((folder.path().to_owned(), 4)), ..RunLimits::default() };
        assert!(matches!(run(shell("sleep 1000"), None, limits, 100), Err(RunError::FolderTooLarge(4))));
    }
}
