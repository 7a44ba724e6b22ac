//! Files over HTTPS.
//!
//! Everything a server says is doubted: sizes, lengths, redirects, names, and how long it takes. The rules are in
//! `redirect.rs` (where a request may go), `connections.rs` (which way) and `attempt.rs` (how much, how long, how often).

mod attempt;
mod connections;
mod error;
mod headers;
mod hosts;
mod many;
mod options;
mod pace;
mod redirect;
mod shown;
mod sink;

use std::fs::File;
use std::io::{self, Seek, Write};
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ai_assist_base::Cancel;
use ai_assist_identity::Sha256Builder;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

pub use ai_assist_identity::Validators;
pub use error::{CredentialsUse, TransportError, Wait};
pub use hosts::leads_inside;

type Result<T, E = TransportError> = std::result::Result<T, E>;
pub use options::{Answer, Body, ClientOptions, Downloaded, Manner, NamedBy, Pace, Proxies, Request};
pub use shown::shown;

use crate::Limits;
use attempt::{Got, fetch};
use connections::Connections;
use sink::{Piece, Sink};

/// Fetches files over HTTPS. It can be used by several threads at once.
///
/// One client is meant for one sync: the limits on all bytes and all time together are counted from its first request.
/// Until then it costs nothing: no thread, no look at the certificates of this machine.
pub struct Client {
    options: ClientOptions,
    engine: OnceLock<Result<Engine>>,
}

/// What is only there once something is fetched.
struct Engine {
    handle: Handle,
    connections: Arc<Connections>,
    _runtime: Background,
}

/// A runtime that is not waited for when it is dropped: a look-up of a name can't be broken off, and may take long.
struct Background(Option<Runtime>);

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Requests that follow from the answers to others.
pub trait RequestQueue {
    /// The next request, with a number to know its answer by. `None` if there is none until an answer comes; if none is awaited,
    /// that is the end.
    fn next(&mut self) -> Option<(u64, Request)>;

    /// Takes what became of a request. [`ControlFlow::Break`] ends it all, which is no error.
    fn take(&mut self, number: u64, outcome: Result<Answer>) -> ControlFlow<()>;
}

impl Client {
    pub fn new(options: ClientOptions) -> Self {
        Client { options, engine: OnceLock::new() }
    }

    pub fn limits(&self) -> &Limits {
        &self.options.limits
    }

    /// The same, for what must not lead to this machine or a private network, whoever named it.
    pub fn public_only(&self) -> Self {
        Client::new(ClientOptions { public_only: true, ..self.options.clone() })
    }

    /// Where the server of a URL is, as `HOST:PORT:ADDRESS`, for a program that would look the name up by itself and get another
    /// answer. Nothing if any address will do.
    pub fn public_address(&self, url: &url::Url) -> Result<Option<String>> {
        if !self.options.public_only {
            return Ok(None);
        }
        hosts::public_address(url, &self.options.hosts).map(Some)
    }

    /// Whether there is a credential for the host of a URL that the user named.
    pub fn has_credentials(&self, url: &url::Url) -> bool {
        self.options.credentials.for_url(url, true).is_some()
    }

    pub fn is_offline(&self) -> bool {
        self.options.offline
    }

    /// Fetches one small file into memory, such as a manifest. `cancel` is asked several times a second.
    pub fn get(&self, request: &Request, max_bytes: u64, cancel: &Cancel) -> Result<Answer> {
        let engine = self.engine_for(request)?;
        let (connections, request) = (engine.connections.clone(), request.clone());
        let (sender, receiver) = channel();
        let _task = engine.spawn(async move {
            let mut sink = Sink::Memory(Vec::new());
            let outcome = fetch(&connections, &request, max_bytes, &mut sink).await;
            // If nobody listens any more, nobody wants it.
            let _ = sender.send(outcome.map(|got| answer(got, sink.into_bytes())));
        });
        receive(&receiver, cancel)?
    }

    /// Fetches one large file, such as a bundle, into an open file, whose content is replaced. `progress` is told how
    /// many bytes there are so far, and of how many if the server says so; after an attempt that fails it starts again. If
    /// all fail, the file may hold a part.
    pub fn download(
        &self,
        request: &Request,
        max_bytes: u64,
        into: &mut File,
        cancel: &Cancel,
        progress: &mut dyn FnMut(u64, Option<u64>),
    ) -> Result<Downloaded> {
        let engine = self.engine_for(request)?;
        let (connections, wanted) = (engine.connections.clone(), request.clone());
        let (sender, receiver) = channel();
        let _task = engine.spawn(async move {
            let mut sink = Sink::pipe(sender.clone());
            let outcome = fetch(&connections, &wanted, max_bytes, &mut sink).await;
            let _ = sender.send(Piece::End(outcome));
        });
        let unwritten =
            |error: io::Error| TransportError::Write { url: shown(&request.url), reason: error.to_string() };
        let (mut length, mut bytes, mut hash) = (None, 0, Sha256Builder::new());
        loop {
            match receive(&receiver, cancel)? {
                Piece::Begin(announced) => {
                    (length, bytes, hash) = (announced, 0, Sha256Builder::new());
                    into.set_len(0).and_then(|()| into.rewind()).map_err(unwritten)?;
                }
                Piece::Bytes(piece, _slot) => {
                    into.write_all(&piece).map_err(unwritten)?;
                    hash.update(&piece);
                    bytes += piece.len() as u64;
                    progress(bytes, length);
                }
                Piece::End(outcome) => {
                    let Got { modified, validators, private, url, .. } = outcome?;
                    return Ok(if modified {
                        Downloaded::Whole { bytes, hash: hash.finish(), validators, private, url }
                    } else {
                        Downloaded::NotModified { private }
                    });
                }
            }
        }
    }

    /// Fetches many small files, several at once. `deliver` is called on this thread with the number of each request and
    /// what became of it, in any order; [`ControlFlow::Break`] ends it all, which is no error. While it works no new
    /// request is begun, and never are there more than [`Limits::parallel`] bodies in memory.
    pub fn get_all(
        &self,
        requests: &[Request],
        cancel: &Cancel,
        deliver: &mut dyn FnMut(usize, Result<Answer>) -> ControlFlow<()>,
    ) -> Result<()> {
        many::get_all(self, requests, cancel, deliver)
    }

    /// Fetches what a queue gives, which may grow with what is fetched. At most so many are under way at once.
    pub fn get_growing(&self, queue: &mut dyn RequestQueue, at_once: usize, cancel: &Cancel) -> Result<()> {
        many::get_growing(self, queue, at_once, cancel)
    }

    fn engine_for(&self, request: &Request) -> Result<&Engine> {
        if self.options.offline {
            return Err(TransportError::Offline { url: shown(&request.url) });
        }
        self.engine()
    }

    fn engine(&self) -> Result<&Engine> {
        self.engine.get_or_init(|| Engine::start(&self.options)).as_ref().map_err(TransportError::clone)
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Engine {
    fn start(options: &ClientOptions) -> Result<Self> {
        let connections = Arc::new(Connections::new(options)?);
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            // Names are looked up on these.
            .max_blocking_threads(options.limits.parallel.max(1))
            .thread_name("fetch")
            .enable_all()
            .build()
            .map_err(|error| TransportError::Setup { reason: error.to_string() })?;
        Ok(Engine { handle: runtime.handle().clone(), connections, _runtime: Background(Some(runtime)) })
    }

    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> Task {
        Task(self.handle.spawn(work))
    }
}

fn answer(got: Got, bytes: Vec<u8>) -> Answer {
    if got.modified {
        let Got { validators, private, url, content_type, robots_tag, .. } = got;
        Answer::Body(Body { bytes, validators, private, url, content_type, robots_tag })
    } else {
        Answer::NotModified { private: got.private }
    }
}

/// How often the caller is asked whether it still wants to go on.
const ASK_EVERY: Duration = Duration::from_millis(50);

/// A task that ends, at the latest, with the call that started it.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The next thing from the runtime, for the calling thread. It waits on a plain channel and not inside the runtime: so a client
/// can be used on any thread, and what the caller does in its closures (such as another request) can't run into the runtime it
/// is called from.
fn receive<T>(receiver: &Receiver<T>, cancel: &Cancel) -> Result<T> {
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
fn lost() -> TransportError {
    TransportError::Setup { reason: "a task of the HTTP client ended too early".to_owned() }
}
