//! A git process that can be read from, timed and ended with all that it has started.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ai_assist_base::Cancel;
use ai_assist_git::last_words;

use super::GitError;

const PIECE: usize = 64 << 10;
/// How often it is asked whether to stop while git says nothing.
const POLL: Duration = Duration::from_millis(20);
/// What git wrote is shown in an error; more than this is not kept.
const WORDS: usize = 8 << 10;
/// How long the last words may take after the end. A process that ssh leaves behind may hold the line open for ever.
const LAST_WORDS: Duration = Duration::from_millis(250);
/// How long a process that was asked to end has for it.
const GRACE: Duration = Duration::from_millis(500);

/// When a process has to end.
pub(super) struct Watch<'a> {
    pub(super) what: &'static str,
    pub(super) url: &'a str,
    pub(super) timeout: Duration,
    pub(super) deadline: Option<Instant>,
    pub(super) cancel: &'a Cancel,
    /// A folder, and how many bytes may be in it.
    pub(super) bound: Option<(PathBuf, u64)>,
}

impl Watch<'_> {
    fn check(&self) -> Result<(), GitError> {
        if self.cancel.is_cancelled() {
            return Err(GitError::Stopped);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(GitError::TimedOut { what: self.what, url: self.url.to_owned(), timeout: self.timeout });
        }
        Ok(())
    }

    fn check_bound(&self) -> Result<(), GitError> {
        match &self.bound {
            Some((folder, limit)) if bytes_in(folder) > *limit => {
                Err(GitError::TooLarge { url: self.url.to_owned(), limit: *limit })
            }
            _ => Ok(()),
        }
    }
}

/// The sizes of the files directly in a folder. One that has just gone counts nothing.
fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = folder.read_dir() else { return 0 };
    entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}

/// A running process. Dropping it ends it.
pub(super) struct Running<'a> {
    child: Child,
    /// Whether the process leads a group of its own, which is ended as a whole.
    group: bool,
    ended: bool,
    watch: Watch<'a>,
    input: Option<ChildStdin>,
    output: Receiver<Vec<u8>>,
    /// Of the piece that came last.
    rest: Vec<u8>,
    at: usize,
    words: Arc<Mutex<Vec<u8>>>,
    words_end: Receiver<()>,
}

impl<'a> Running<'a> {
    /// Starts the process. An interactive one stays in our group, because no other may read from the terminal.
    pub(super) fn start(mut command: Command, watch: Watch<'a>, interactive: bool) -> Result<Self, GitError> {
        watch.check()?;
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        if !interactive {
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        let mut child = command.spawn().map_err(|source| GitError::NoGit { url: watch.url.to_owned(), source })?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (pieces, output) = sync_channel(2);
        let (words_done, words_end) = sync_channel(1);
        let words = Arc::default();
        let running = Running {
            input: child.stdin.take(),
            child,
            group: cfg!(unix) && !interactive,
            ended: false,
            watch,
            output,
            rest: Vec::new(),
            at: 0,
            words: Arc::clone(&words),
            words_end,
        };
        // From here on the process is ended if anything fails.
        if let Some(stdout) = stdout {
            thread::Builder::new().spawn(move || send_pieces(stdout, &pieces)).map_err(GitError::Talk)?;
        }
        if let Some(stderr) = stderr {
            thread::Builder::new().spawn(move || keep_words(stderr, &words, &words_done)).map_err(GitError::Talk)?;
        }
        Ok(running)
    }

    /// Writes to a process that was given an input. What is written must be short enough to fit in a pipe that is empty.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), GitError> {
        let Some(input) = &mut self.input else { return Ok(()) };
        input.write_all(bytes).and_then(|()| input.flush()).map_err(GitError::Talk)
    }

    /// The next bytes that it writes, or none at the end.
    pub(super) fn piece(&mut self) -> Result<Option<Vec<u8>>, GitError> {
        if self.at < self.rest.len() {
            let piece = self.rest.split_off(self.at);
            (self.rest, self.at) = (Vec::new(), 0);
            return Ok(Some(piece));
        }
        loop {
            self.watch.check()?;
            match self.output.recv_timeout(POLL) {
                Ok(piece) => return Ok(Some(piece)),
                Err(RecvTimeoutError::Timeout) => self.watch.check_bound()?,
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// The bytes up to a delimiter, which is taken away, or none at the end. Longer ones than `limit` are an error.
    pub(super) fn until(&mut self, delimiter: u8, limit: usize) -> Result<Option<Vec<u8>>, GitError> {
        let mut found = Vec::new();
        loop {
            if !self.refill()? {
                return if found.is_empty() { Ok(None) } else { Err(self.odd("it is cut off")) };
            }
            let rest = &self.rest[self.at..];
            let end = rest.iter().position(|&b| b == delimiter);
            found.extend_from_slice(&rest[..end.unwrap_or(rest.len())]);
            self.at += end.map_or(rest.len(), |end| end + 1);
            if found.len() > limit {
                return Err(self.odd("a line of it is too long"));
            }
            if end.is_some() {
                return Ok(Some(found));
            }
        }
    }

    /// Hands out exactly so many bytes.
    pub(super) fn take<E: From<GitError>>(
        &mut self,
        count: u64,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut left = count;
        while left > 0 {
            if !self.refill()? {
                return Err(self.odd("it is cut off").into());
            }
            let rest = &self.rest[self.at..];
            let count = left.min(rest.len() as u64) as usize;
            take(&rest[..count])?;
            self.at += count;
            left -= count as u64;
        }
        Ok(())
    }

    /// Waits for the end, which must be a good one.
    pub(super) fn finish(mut self) -> Result<(), GitError> {
        self.input = None;
        while self.piece()?.is_some() {}
        let status = self.wait()?;
        if status.success() {
            return Ok(());
        }
        // An error here only means that the words are not complete.
        let _ = self.words_end.recv_timeout(LAST_WORDS);
        let words = last_words(&self.words.lock().unwrap_or_else(PoisonError::into_inner));
        Err(GitError::Failed { what: self.watch.what, url: self.watch.url.to_owned(), status, words })
    }

    /// An answer that git never gives.
    pub(super) fn odd(&self, reason: &'static str) -> GitError {
        GitError::Answer { url: self.watch.url.to_owned(), reason }
    }

    /// Whether there are bytes to be read.
    fn refill(&mut self) -> Result<bool, GitError> {
        if self.at >= self.rest.len() {
            let Some(piece) = self.piece()? else { return Ok(false) };
            (self.rest, self.at) = (piece, 0);
        }
        Ok(true)
    }

    fn wait(&mut self) -> Result<ExitStatus, GitError> {
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = self.child.try_wait().map_err(GitError::Talk)? {
                self.ended = true;
                return Ok(status);
            }
            self.watch.check()?;
            thread::sleep(pause);
            pause = (pause * 2).min(POLL);
        }
    }

    /// Ends the process and all of its group.
    fn kill(&mut self) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process, kill_process_group};
            let pid = Pid::from_child(&self.child);
            if self.group {
                // It has not been waited for, so the id of the group is still its own.
                let _ = kill_process_group(pid, Signal::KILL);
            } else {
                // Asked to, not forced: they put the terminal back as it was, which may be hiding a password.
                for process in family(pid.as_raw_nonzero().get()) {
                    let _ = Pid::from_raw(process).map(|process| kill_process(process, Signal::TERM));
                }
                let deadline = Instant::now() + GRACE;
                while Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
                    thread::sleep(Duration::from_millis(5));
                }
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.kill();
        }
    }
}

/// A process and all that it has started, as far as the system tells. Git does not end its ssh by itself.
#[cfg(unix)]
fn family(process: i32) -> Vec<i32> {
    let mut found = vec![process];
    let mut at = 0;
    while let Some(&next) = found.get(at).filter(|_| found.len() < 1000) {
        let children = std::fs::read_to_string(format!("/proc/{next}/task/{next}/children")).unwrap_or_default();
        found.extend(children.split_whitespace().filter_map(|id| id.parse::<i32>().ok()));
        at += 1;
    }
    found
}

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
