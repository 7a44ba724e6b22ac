//! The one HTTP layer of the program: taking connections, limits, and who may ask.
//!
//! A page in a browser can send requests to any address of this machine, so every request shows whom it believes to talk to
//! (`Host`) and, if a page sent it, where that page is from (`Origin`). Other users of this machine can send requests as well,
//! so a token is needed; on a socket the file's mode does the same. Whoever connects may mean harm before it is known who it
//! is: how many connections there are, and how long a request may take to come in, is limited.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, LOCATION, ORIGIN, SET_COOKIE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::access::{Access, Browsers, is_ours};
pub use crate::local::Socket;

/// Where a link for a browser leads.
pub(crate) const LINK_PATH: &str = "/open/";

/// How much of everything there may be.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at a time; more are told to come again.
    pub connections: usize,
    /// Sessions of clients of the older MCP; more are told to come again.
    pub sessions: usize,
    /// How long a session is kept that nothing is heard of.
    pub idle: Duration,
    /// How long a request may take to come in: its head, and then its body.
    pub head: Duration,
    pub body: Duration,
    pub body_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: 256,
            sessions: 256,
            idle: Duration::from_secs(15 * 60),
            head: Duration::from_secs(15),
            body: Duration::from_secs(30),
            body_bytes: 8 << 20,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Others could reach it, and nothing would keep them out.
    #[error("{0} can be reached from other machines, so a token is needed")]
    NoToken(SocketAddr),
    /// The address can't be used, or the connection failed.
    #[error("serving at {address} failed")]
    Io {
        address: SocketAddr,
        #[source]
        source: std::io::Error,
    },
    #[error("the socket {} can't be made", path.display())]
    Socket {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

/// By which way a request came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// A program of the same user, over the socket that only this user can open.
    User,
    /// Whoever has the token or a cookie.
    Network,
}

/// A server that has its address and does not answer yet.
#[derive(Debug)]
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    pub access: Access,
    pub browsers: Arc<Browsers>,
    pub limits: Limits,
}

impl Bound {
    /// Takes an address. With port 0 the system chooses one.
    pub async fn new(address: SocketAddr, access: Access) -> Result<Bound, Error> {
        if !address.ip().is_loopback() && access.token.is_none() {
            return Err(Error::NoToken(address));
        }
        let failed = |source| Error::Io { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let browsers = Arc::default();
        Ok(Bound { listener, address, access, browsers, limits: Limits::default() })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers what may be asked, until `stop` is cancelled and running requests have come to an end.
    pub async fn serve(self, router: Router, stop: CancellationToken) {
        let Bound { listener, address, access, browsers, limits } = self;
        let guard = Arc::new(Guard { address, access, browsers, limits });
        let router = router.layer(axum::middleware::from_fn_with_state(guard, guarded));
        serve_all(listener, router, limits, stop).await;
    }
}

impl Socket {
    /// Answers programs of the same user, until `stop` is cancelled and running requests have come to an end.
    pub async fn serve(self, router: Router, limits: Limits, stop: CancellationToken) {
        let router = router.layer(axum::middleware::from_fn(move |request: Request, next: Next| async move {
            match read(request, &limits).await {
                Ok(mut request) => {
                    request.extensions_mut().insert(Peer::User);
                    next.run(request).await
                }
                Err(response) => response,
            }
        }));
        serve_all(self, router, limits, stop).await;
    }
}

/// Where connections come in.
pub(crate) trait Accepts {
    type Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    /// The next connection; none if it is not taken.
    fn next(&self) -> impl Future<Output = std::io::Result<Option<Self::Stream>>> + Send;

    /// What is done with a connection before anything is read of it. It may take its time; none if it is not taken then.
    fn greet(&self) -> impl Fn(Self::Stream) -> Greeted<Self::Stream> + Send + Clone + 'static {
        |stream| Box::pin(std::future::ready(Some(stream)))
    }
}

pub(crate) type Greeted<S> = std::pin::Pin<Box<dyn Future<Output = Option<S>> + Send>>;

impl Accepts for TcpListener {
    type Stream = TcpStream;

    async fn next(&self) -> std::io::Result<Option<TcpStream>> {
        let stream = self.accept().await?.0;
        // An answer goes out in several parts, and the second would wait 40 ms for the client to acknowledge the first.
        stream.set_nodelay(true)?;
        Ok(Some(stream))
    }
}

/// Takes connections until `stop` is cancelled.
async fn serve_all(listener: impl Accepts, router: Router, limits: Limits, stop: CancellationToken) {
    let free = Arc::new(Semaphore::new(limits.connections));
    loop {
        let accepted = tokio::select! {
            accepted = listener.next() => accepted,
            () = stop.cancelled() => break,
        };
        let stream = match accepted {
            Ok(Some(stream)) => stream,
            Ok(None) => continue,
            Err(_) => {
                // A client that is gone already, or no file descriptor is left: then waiting may help.
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        match Arc::clone(&free).try_acquire_owned() {
            Ok(place) => {
                let (router, stop, greet) = (router.clone(), stop.clone(), listener.greet());
                tokio::spawn(async move {
                    if let Some(stream) = greet(stream).await {
                        connection(stream, router, limits, stop).await;
                    }
                    drop(place);
                });
            }
            Err(_) => drop(tokio::spawn(turn_away(stream))),
        }
    }
    // Those that have a request of theirs answered come to an end.
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(LAST_WORDS, free.acquire_many(all)).await;
}

/// How long answers may take when the server stops.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// Serves one connection until its client or this server ends it.
async fn connection<S>(stream: S, router: Router, limits: Limits, stop: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let is_heard = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&is_heard);
    let router = router.layer(axum::middleware::from_fn(move |request: Request, next: Next| {
        heard.store(true, Ordering::Relaxed);
        next.run(request)
    }));
    let mut server = auto::Builder::new(TokioExecutor::new());
    server.http1().timer(TokioTimer::new()).header_read_timeout(limits.head);
    server.http2().timer(TokioTimer::new()).keep_alive_interval(limits.head).max_concurrent_streams(32);
    let served = server.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut served = std::pin::pin!(served);
    // Which version is spoken is found out before any other clock runs.
    let mut first = std::pin::pin!(tokio::time::sleep(limits.head));
    let (mut is_stopping, mut is_awaited) = (false, true);
    loop {
        tokio::select! {
            _ = served.as_mut() => return,
            () = first.as_mut(), if is_awaited => {
                is_awaited = false;
                if !is_heard.load(Ordering::Relaxed) {
                    return;
                }
            }
            () = stop.cancelled(), if !is_stopping => {
                is_stopping = true;
                served.as_mut().graceful_shutdown();
            }
        }
    }
}

/// Tells a client that there are too many.
async fn turn_away(mut stream: impl AsyncWrite + Unpin) {
    let said = "too many connections; come again\n";
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{said}",
        said.len()
    );
    let _ = tokio::time::timeout(Duration::from_secs(1), stream.write_all(answer.as_bytes())).await;
}

struct Guard {
    address: SocketAddr,
    access: Access,
    browsers: Arc<Browsers>,
    limits: Limits,
}

impl Guard {
    /// Cookies know no ports, so that of each server has a name of its own.
    fn cookie_name(&self) -> String {
        format!("ai-assist-{}", self.address.port())
    }

    fn may_ask(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.access.token else { return true };
        token.is_in(headers) || self.browsers.knows(headers, &self.cookie_name())
    }

    /// Lets a browser in that follows a link, and leads it to the page.
    fn let_in(&self, link: &str) -> Response {
        match self.browsers.follow(link) {
            Some(cookie) => {
                let name = self.cookie_name();
                let cookie = format!("{name}={cookie}; HttpOnly; SameSite=Strict; Path=/");
                (StatusCode::SEE_OTHER, [(LOCATION, "/".to_owned()), (SET_COOKIE, cookie)]).into_response()
            }
            None => {
                let said = "this link was used before or is too old; for another one: ai-assist serve --open\n";
                (StatusCode::FORBIDDEN, said).into_response()
            }
        }
    }
}

/// The request with its body read; what is to be said if that takes too long or is too much.
async fn read(request: Request, limits: &Limits) -> Result<Request, Response> {
    let (head, body) = request.into_parts();
    let body = tokio::time::timeout(limits.body, axum::body::to_bytes(body, limits.body_bytes)).await;
    match body {
        Ok(Ok(body)) => Ok(Request::from_parts(head, Body::from(body))),
        Ok(Err(_)) => {
            let said = format!("the body can't be read, or has more than {} bytes\n", limits.body_bytes);
            Err((StatusCode::PAYLOAD_TOO_LARGE, said).into_response())
        }
        Err(_) => Err((StatusCode::REQUEST_TIMEOUT, "the body did not come in time\n").into_response()),
    }
}

/// Turns away whoever does not know where they are, or may not be here.
async fn guarded(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    // HTTP/2 says it in the address of the request.
    let host = host.or_else(|| request.uri().authority().map(|authority| authority.as_str())).unwrap_or_default();
    if !is_ours(host, guard.address.ip(), &guard.access.hosts) {
        let said = "this server does not go by that name; start it with --allow-host NAME if it should\n";
        return (StatusCode::FORBIDDEN, said).into_response();
    }
    // Browsers say where a page is from whenever it asks another server, and for everything but reading.
    if let Some(origin) = headers.get(ORIGIN)
        && !origin.to_str().is_ok_and(|origin| guard.access.allows(origin, host))
    {
        return (StatusCode::FORBIDDEN, "a page from elsewhere may not ask this server\n").into_response();
    }
    if request.method() == Method::GET
        && let Some(link) = request.uri().path().strip_prefix(LINK_PATH)
    {
        return guard.let_in(link);
    }
    if !guard.may_ask(headers) {
        let said = match headers.contains_key(AUTHORIZATION) {
            true => "the bearer token is not the one that this server was started with\n",
            false => "a bearer token is needed: `Authorization: Bearer TOKEN`; in a browser: ai-assist serve --open\n",
        };
        let mut response = (StatusCode::UNAUTHORIZED, said).into_response();
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"ai-assist\""));
        return response;
    }
    match read(request, &guard.limits).await {
        Ok(mut request) => {
            request.extensions_mut().insert(Peer::Network);
            next.run(request).await
        }
        Err(response) => response,
    }
}
