//! Formats that are risky to read, and long files of all others, read in processes of their own.
//!
//! A PDF or a zip archive can be made so that reading it takes for ever, fills the memory, or meets a bug. In a process of its
//! own that costs one file, which gets a reason, and nothing else.
//!
//! ```no_run
//! use ai_assist_convert::{Format, Isolated};
//!
//! // The program has to call `worker_main` when it is started with these arguments.
//! let isolated = Isolated::new("/usr/bin/ai-assist", ["convert-worker"]);
//! # let bytes = b"%PDF-";
//! match isolated.convert(Format::Pdf, bytes) {
//!     Ok(converted) => println!("{}", converted.text),
//!     Err(reason) => println!("report.pdf was left out: {reason}"),
//! }
//! ```
//!
//! - [`Isolated`] belongs to the program that wants text. It can be shared by threads; each conversion takes a worker that is
//!   idle or starts one, so that there are as many workers as threads that convert at the same time. A worker serves many
//!   files, because starting a process takes longer than reading most of them.
//! - [`worker_main`] is all that a worker does: it gives up what it does not need ([`restrict`]), then answers requests until its
//!   input ends, which is also what happens when the program that started it is gone.
//! - A worker that takes too long is killed; one that ends by itself, by a crash or for want of memory, is replaced. Both are
//!   [`ConvertError::Broke`] with what is known.
//!
//! Requests and answers are framed by their lengths ([`wire`]). Nothing that a worker says is trusted to be well-formed.

use std::ffi::OsString;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use self::wire::{Request, Response};
use crate::{ConvertError, Converted, Format, Limits};

mod restrict;
mod wire;

pub use self::restrict::MAX_MEMORY;

/// How long one file may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Files of text formats up to this are read where they are asked for: no shape of so few bytes takes long. Of a longer one, a
/// converter that some shape makes slow would hold up everything else.
const MAX_IN_PROCESS: usize = 64 << 10;
/// Memory that was used stays with a process in pieces, so that it is replaced from time to time.
const MAX_SERVED: usize = 500;
/// What it says on its last line is a part of the reason.
const MAX_LAST_WORDS: u64 = 4 << 10;

/// Converts documents, the risky and the long ones in processes of their own.
#[derive(Debug)]
pub struct Isolated {
    program: Option<(PathBuf, Vec<OsString>)>,
    limits: Limits,
    timeout: Duration,
    idle: Mutex<Vec<Worker>>,
}

impl Isolated {
    /// Workers are started with this program and these arguments.
    pub fn new(program: impl Into<PathBuf>, args: impl IntoIterator<Item = impl Into<OsString>>) -> Isolated {
        let args = args.into_iter().map(Into::into).collect();
        Isolated { program: Some((program.into(), args)), ..Isolated::in_process() }
    }

    /// Without workers: everything is converted where it is asked for. A panic is an error of that file; time and memory are
    /// bounded only as far as [`Limits`] go.
    pub fn in_process() -> Isolated {
        Isolated { program: None, limits: Limits::default(), timeout: TIMEOUT, idle: Mutex::default() }
    }

    pub fn with_limits(self, limits: Limits) -> Isolated {
        Isolated { limits, ..self }
    }

    pub fn with_timeout(self, timeout: Duration) -> Isolated {
        Isolated { timeout, ..self }
    }

    /// Converts a document of a format that [`Format::detect`] named.
    pub fn convert(&self, format: Format, bytes: &[u8]) -> Result<Converted, ConvertError> {
        match &self.program {
            Some((program, args)) if format.is_risky() || bytes.len() > MAX_IN_PROCESS => {
                self.in_worker(program, args, format, bytes)
            }
            _ => guarded(format, bytes, &self.limits),
        }
    }

    fn in_worker(
        &self,
        program: &Path,
        args: &[OsString],
        format: Format,
        bytes: &[u8],
    ) -> Result<Converted, ConvertError> {
        if bytes.len() as u64 > wire::MAX_REQUEST {
            return Err(ConvertError::TooLarge { what: "bytes", limit: wire::MAX_REQUEST });
        }
        let request = Request { format, limits: self.limits, bytes };
        let idle = self.idle().pop();
        if let Some(worker) = idle {
            match self.ask(worker, &request) {
                // It ended while nobody asked it anything: that says nothing about this file.
                Err(Failure::NotSent) => {}
                outcome => return outcome.map_err(Failure::reason),
            }
        }
        let worker = Worker::start(program, args).map_err(|error| {
            ConvertError::Broke(format!("needs {}, which can't be started: {error}", program.display()))
        })?;
        self.ask(worker, &request).map_err(Failure::reason)
    }

    fn ask(&self, mut worker: Worker, request: &Request) -> Result<Converted, Failure> {
        let answer = worker.ask(request, self.timeout)?;
        worker.served += 1;
        if worker.served < MAX_SERVED {
            self.idle().push(worker);
        }
        answer.map_err(Failure::Document)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Worker>> {
        // What is in it is whole at any time.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

static SHARED: OnceLock<Isolated> = OnceLock::new();

/// Says, once and before anything is converted, what converts for this whole process. Which workers there are is a property of the program
/// that runs, like its allocator; handing it down through everything that reads a file would make each of these functions know of it.
pub fn isolate(isolated: Isolated) {
    // Who comes second finds that it is settled.
    let _ = SHARED.set(isolated);
}

/// What converts for this process: without workers, unless [`isolate`] said otherwise.
pub fn shared() -> &'static Isolated {
    SHARED.get_or_init(Isolated::in_process)
}

/// Converts in this process; a panic is an error.
fn guarded(format: Format, bytes: &[u8], limits: &Limits) -> Result<Converted, ConvertError> {
    let outcome = std::panic::catch_unwind(|| crate::convert(format, bytes, limits));
    outcome.unwrap_or_else(|_| Err(ConvertError::Broke("met a bug of the converter".to_owned())))
}

/// Why there is no text.
enum Failure {
    /// The worker was gone before it had the document.
    NotSent,
    Document(ConvertError),
}

impl Failure {
    fn reason(self) -> ConvertError {
        match self {
            Failure::NotSent => ConvertError::Broke("needs a worker, which ends as soon as it is started".to_owned()),
            Failure::Document(error) => error,
        }
    }
}

#[derive(Debug)]
struct Worker {
    child: Arc<Mutex<Child>>,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    stderr: ChildStderr,
    watch: mpsc::Sender<Watch>,
    timed_out: Arc<AtomicBool>,
    served: usize,
}

enum Watch {
    Until(Instant),
    Done,
}

impl Worker {
    fn start(program: &Path, args: &[OsString]) -> io::Result<Worker> {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("it has no pipes"));
        };
        let child = Arc::new(Mutex::new(child));
        let timed_out = Arc::new(AtomicBool::new(false));
        let (watch, orders) = mpsc::channel();
        let watched = (child.clone(), timed_out.clone());
        std::thread::Builder::new()
            .name("convert-watch".into())
            .spawn(move || watch_over(&orders, &watched.0, &watched.1))?;
        Ok(Worker { child, stdin, stdout: BufReader::new(stdout), stderr, watch, timed_out, served: 0 })
    }

    fn ask(&mut self, request: &Request, timeout: Duration) -> Result<Result<Converted, ConvertError>, Failure> {
        // The watch ends only with this worker.
        let _ = self.watch.send(Watch::Until(Instant::now() + timeout));
        if request.write(&mut self.stdin).is_err() && !self.timed_out.load(Ordering::SeqCst) {
            return Err(Failure::NotSent);
        }
        let answer = Response::read(&mut self.stdout, request);
        let _ = self.watch.send(Watch::Done);
        match answer {
            Ok(Response(answer)) => Ok(answer),
            Err(_) => Err(Failure::Document(ConvertError::Broke(self.last_words(timeout)))),
        }
    }

    /// Why it ended.
    fn last_words(&mut self, timeout: Duration) -> String {
        let ended = {
            let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
            // It may be alive and talk nonsense.
            let _ = child.kill();
            child.wait()
        };
        if self.timed_out.load(Ordering::SeqCst) {
            return format!("took longer than {} s", timeout.as_secs_f32());
        }
        let mut words = String::new();
        let _ = self.stderr.by_ref().take(MAX_LAST_WORDS).read_to_string(&mut words);
        let last = words.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it said nothing");
        let status = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
        format!("ended its process ({status}; {last}; it may take {} MB of memory)", MAX_MEMORY >> 20)
    }
}

/// Kills a worker that is not done in time. Reads and writes of its pipes end with it.
fn watch_over(orders: &mpsc::Receiver<Watch>, child: &Mutex<Child>, timed_out: &AtomicBool) {
    while let Ok(order) = orders.recv() {
        let Watch::Until(deadline) = order else { continue };
        match orders.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(_) => {}
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                timed_out.store(true, Ordering::SeqCst);
                let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
                return;
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// What a worker does: answers requests until its input ends. Limits of the process are set before the first one.
pub fn worker_main(input: impl Read, mut output: impl Write) -> io::Result<()> {
    restrict::restrict()?;
    // What is said of a panic goes back in the answer; a pipe that nobody reads would fill up.
    std::panic::set_hook(Box::new(|_| {}));
    let mut input = BufReader::new(input);
    while let Some(request) = wire::read_request(&mut input)? {
        restrict::limit_time(TIMEOUT + Duration::from_secs(5))?;
        let answer = guarded(request.format, &request.bytes, &request.limits);
        drop(request.bytes);
        wire::write_answer(&mut output, &answer)?;
    }
    Ok(())
}
