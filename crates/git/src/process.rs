//! A process that is run to its end, within limits, and ended with all that it has started if it goes beyond them.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Ask, GitError};

/// No answer is longer. A list of a million files has some 100 MB.
pub(crate) const ANSWER_LIMIT: usize = 256 << 20;

const PIECE: usize = 64 << 10;
/// How often it is asked whether to stop while git says nothing.
const POLL: Duration = Duration::from_millis(20);
/// What git wrote is shown in an error; more than this is not kept.
const WORDS: usize = 8 << 10;
/// How long the last words may take after the end. A process left behind may hold the line open for ever.
const LAST_WORDS: Duration = Duration::from_millis(250);

/// When a process has to end, and what is said then.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    pub(crate) what: &'static str,
    pub(crate) folder: &'a Path,
    pub(crate) ask: &'a Ask,
    /// None if it is later than the clock can count.
    pub(crate) deadline: Option<Instant>,
    pub(crate) limit: usize,
}

impl Watch<'_> {
    fn check(&self) -> Result<(), GitError> {
        if self.ask.cancel.is_cancelled() {
            return Err(GitError::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let (what, folder) = (self.what, self.folder.to_path_buf());
            return Err(GitError::TimedOut { what, folder, timeout: self.ask.timeout });
        }
        Ok(())
    }
}

/// What a process left behind.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) answer: Vec<u8>,
    pub(crate) words: Vec<u8>,
}

/// Runs a command, with something to read if there is.
pub(crate) fn run(mut command: Command, input: Option<Vec<u8>>, watch: &Watch<'_>) -> Result<Ended, GitError> {
    watch.check()?;
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut running = Running { child: command.spawn().map_err(GitError::Talk)?, ended: false };
    if let (Some(mut stdin), Some(input)) = (running.child.stdin.take(), input) {
        // A process that ends before it has read everything says why in another way.
        spawn(move || drop(stdin.write_all(&input)))?;
    }
    let pieces = reader(running.child.stdout.take())?;
    let words = reader(running.child.stderr.take())?;
    let (words_sender, all_words) = sync_channel(1);
    spawn(move || drop(words_sender.send(last_bytes(&words))))?;
    let answer = collect(&pieces, watch)?;
    let status = running.wait(watch)?;
    Ok(Ended { status, answer, words: all_words.recv_timeout(LAST_WORDS).unwrap_or_default() })
}

fn spawn(work: impl FnOnce() + Send + 'static) -> Result<(), GitError> {
    thread::Builder::new().spawn(work).map(drop).map_err(GitError::Talk)
}

/// Reads a pipe in a thread of its own, so that waiting for it can be given up.
fn reader(pipe: Option<impl Read + Send + 'static>) -> Result<Receiver<Vec<u8>>, GitError> {
    let (sender, receiver) = sync_channel(2);
    if let Some(pipe) = pipe {
        spawn(move || send_pieces(pipe, &sender))?;
    }
    Ok(receiver)
}

fn send_pieces(mut pipe: impl Read, pieces: &SyncSender<Vec<u8>>) {
    let mut buffer = vec![0; PIECE];
    while let Ok(count) = pipe.read(&mut buffer) {
        if count == 0 || pieces.send(buffer[..count].to_vec()).is_err() {
            return;
        }
    }
}

/// All that comes, of which the end is kept.
fn last_bytes(pieces: &Receiver<Vec<u8>>) -> Vec<u8> {
    let mut last = Vec::new();
    while let Ok(piece) = pieces.recv() {
        last.extend_from_slice(&piece);
        let over = last.len().saturating_sub(WORDS);
        last.drain(..over);
    }
    last
}

fn collect(pieces: &Receiver<Vec<u8>>, watch: &Watch<'_>) -> Result<Vec<u8>, GitError> {
    let mut answer = Vec::new();
    loop {
        watch.check()?;
        match pieces.recv_timeout(POLL) {
            Ok(piece) => answer.extend_from_slice(&piece),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(answer),
        }
        if answer.len() > watch.limit {
            let (what, folder) = (watch.what, watch.folder.to_path_buf());
            return Err(GitError::TooMuch { what, folder, limit: watch.limit });
        }
    }
}

/// A running process. Dropping it ends it and all of its group.
struct Running {
    child: Child,
    ended: bool,
}

impl Running {
    fn wait(&mut self, watch: &Watch<'_>) -> Result<ExitStatus, GitError> {
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = self.child.try_wait().map_err(GitError::Talk)? {
                self.ended = true;
                return Ok(status);
            }
            watch.check()?;
            thread::sleep(pause);
            pause = (pause * 2).min(POLL);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        use rustix::process::{Pid, Signal, kill_process_group};
        // It has not been waited for, so the id of the group is still its own.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ai_assist_base::Cancel;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    fn watch<'a>(ask: &'a Ask) -> Watch<'a> {
        let deadline = Instant::now().checked_add(ask.timeout);
        Watch { what: "try", folder: Path::new("/x"), ask, deadline, limit: 1 << 20 }
    }

    #[test]
    fn answer_words_and_status_come_back() {
        let ask = Ask::default();
        let ended = run(shell("cat; echo no >&2; exit 3"), Some(b"in".to_vec()), &watch(&ask)).unwrap();
        assert_eq!((ended.answer, ended.words, ended.status.code()), (b"in".to_vec(), b"no\n".to_vec(), Some(3)));
    }

    #[test]
    fn a_process_without_end_is_ended_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let script = format!("sleep 1000 & echo $! > '{}'; wait", file.display());
        // Not before the child is there.
        let pid_file = file.clone();
        let cancel = Cancel::when(move || std::fs::read_to_string(&pid_file).is_ok_and(|text| text.ends_with('\n')));
        let ask = Ask { cancel, ..Ask::default() };
        assert!(matches!(run(shell(&script), None, &watch(&ask)), Err(GitError::Cancelled)));
        let pid: i32 = std::fs::read_to_string(&file).unwrap().trim().parse().unwrap();
        let state = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let deadline = Instant::now() + Duration::from_secs(30);
        // An orphan that was killed may stay a zombie for a while.
        while !(state().is_empty() || state().contains(") Z")) {
            assert!(Instant::now() < deadline, "{}", state());
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn time_and_length_are_bounded() {
        let ask = Ask { timeout: Duration::from_millis(50), ..Ask::default() };
        let Err(error) = run(shell("sleep 1000"), None, &watch(&ask)) else { panic!("it slept") };
        assert_eq!(error.to_string(), "git could not try `/x` within 0.05 seconds");
        let ask = Ask::default();
        let Err(error) = run(shell("yes"), None, &watch(&ask)) else { panic!("yes has an end") };
        assert_eq!(error.to_string(), "git wrote more than 1048576 bytes when it was to try `/x`");
        let asked = AtomicUsize::new(0);
        let cancel = Cancel::when(move || asked.fetch_add(1, Ordering::Relaxed) > 100);
        let ask = Ask { cancel, ..Ask::default() };
        let endless_words = run(shell("exec 1>&-; yes >&2"), None, &watch(&ask));
        assert!(matches!(endless_words, Err(GitError::Cancelled)));
    }
}
