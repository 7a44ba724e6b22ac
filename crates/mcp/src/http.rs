//! The protocol over HTTP.
//!
//! A page in a browser can send requests to any address of this machine, so every request shows whom it believes to talk to
//! (`Host`) and, if a page sent it, where that page is from (`Origin`). Other users of this machine can send requests as well,
//! so a token is needed. Whoever connects may mean harm before it is known who it is: how many connections and sessions there
//! are, and how long a request may take to come in, is limited.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ai_assist_identity::Sha256;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// The path at which the protocol is spoken.
pub const PATH: &str = "/mcp";
/// Pages of this machine may ask, whatever their port.
const OWN_ORIGINS: [&str; 6] = [
    "http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*", "https://localhost:*", "https://127.0.0.1:*",
    "https://[::1]:*",
];

/// A token that requests must carry. Only its hash is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token(Sha256);

impl Token {
    /// A token of at least 16 visible characters.
    pub fn new(text: &str) -> Option<Self> {
        let plain = text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_graphic());
        plain.then(|| Token(Sha256::of(text.as_bytes())))
    }

    /// Whether a request carries it. Hashes are compared, so the time it takes says nothing about the token.
    fn is_in(&self, headers: &HeaderMap) -> bool {
        let value = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let Some((scheme, token)) = value.split_once(' ') else { return false };
        scheme.eq_ignore_ascii_case("bearer") && Sha256::of(token.trim().as_bytes()) == self.0
    }
}

#[derive(Debug, Clone, Default)]
pub struct Access {
    /// None only where nothing of anybody is served, as in tests.
    pub token: Option<Token>,
    /// Names of this machine, with or without a port, beside its addresses.
    pub hosts: Vec<String>,
    /// Pages that may ask, beside those of this machine: `https://app.example:443`.
    pub origins: Vec<String>,
}

/// How much of everything there may be.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at a time; more are told to come again.
    pub connections: usize,
    /// Sessions of clients of the older protocol; more are told to come again.
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
}

/// A server that has its address and does not answer yet.
#[derive(Debug)]
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    access: Access,
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
        Ok(Bound { listener, address, access, limits: Limits::default() })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` is cancelled. Every client gets a handler of its own.
    pub async fn serve<S: ServerHandler>(
        self,
        handler: impl Fn() -> S + Send + Sync + 'static,
        stop: CancellationToken,
    ) -> Result<(), Error> {
        let Bound { listener, address, access, limits } = self;
        let origins = OWN_ORIGINS.iter().map(|origin| (*origin).to_owned()).chain(access.origins.iter().cloned());
        let config = StreamableHttpServerConfig::default()
            // Names are checked before this (`guard`), because addresses count as well.
            .disable_allowed_hosts()
            .with_allowed_origins(origins)
            .with_cancellation_token(stop.clone());
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(limits.idle);
        let sessions = Arc::new(sessions);
        let service = StreamableHttpService::new(move || Ok(handler()), Arc::clone(&sessions), config);
        let guarded = Arc::new(Guard { address: address.ip(), access, limits, sessions });
        let router =
            Router::new().route_service(PATH, service).layer(axum::middleware::from_fn_with_state(guarded, guard));
        let free = Arc::new(Semaphore::new(limits.connections));
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = stop.cancelled() => break,
            };
            let Ok((stream, _)) = accepted else {
                // A client that is gone already, or no file descriptor is left: then waiting may help.
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            };
            match Arc::clone(&free).try_acquire_owned() {
                Ok(place) => {
                    let connection = connection(stream, router.clone(), limits, stop.clone());
                    tokio::spawn(async move {
                        connection.await;
                        drop(place);
                    });
                }
                Err(_) => drop(tokio::spawn(turn_away(stream))),
            }
        }
        // Those that have a request of theirs answered come to an end.
        let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
        let _ = tokio::time::timeout(LAST_WORDS, free.acquire_many(all)).await;
        Ok(())
    }
}

/// How long answers may take when the server stops.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// Serves one connection until its client or this server ends it.
async fn connection(stream: TcpStream, router: Router, limits: Limits, stop: CancellationToken) {
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
    let mut is_stopping = false;
    loop {
        tokio::select! {
            _ = served.as_mut() => return,
            () = first.as_mut(), if !is_heard.load(Ordering::Relaxed) && !is_stopping => return,
            () = stop.cancelled(), if !is_stopping => {
                is_stopping = true;
                served.as_mut().graceful_shutdown();
            }
        }
    }
}

/// Tells a client that there are too many.
async fn turn_away(mut stream: TcpStream) {
    let said = "too many connections; come again\n";
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{said}",
        said.len()
    );
    let _ = tokio::time::timeout(Duration::from_secs(1), stream.write_all(answer.as_bytes())).await;
}

struct Guard {
    address: IpAddr,
    access: Access,
    limits: Limits,
    sessions: Arc<LocalSessionManager>,
}

impl Guard {
    /// The request with its body read; what is to be said if that takes too long or is too much.
    async fn read(&self, request: Request) -> Result<Request, Response> {
        let (head, body) = request.into_parts();
        let body = tokio::time::timeout(self.limits.body, axum::body::to_bytes(body, self.limits.body_bytes)).await;
        let body = match body {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => {
                let said = format!("the body can't be read, or has more than {} bytes\n", self.limits.body_bytes);
                return Err((StatusCode::PAYLOAD_TOO_LARGE, said).into_response());
            }
            Err(_) => return Err((StatusCode::REQUEST_TIMEOUT, "the body did not come in time\n").into_response()),
        };
        if head.method == Method::POST
            && !head.headers.contains_key("mcp-session-id")
            && opens_session(&body)
            && self.sessions.sessions.read().await.len() >= self.limits.sessions
        {
            let said = "too many sessions are open; end one, or come again\n";
            return Err((StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "60")], said).into_response());
        }
        Ok(Request::from_parts(head, Body::from(body)))
    }
}

/// Whether a message is the first of a session.
fn opens_session(body: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Message {
        method: Option<String>,
    }
    serde_json::from_slice::<Message>(body).is_ok_and(|message| message.method.as_deref() == Some("initialize"))
}

/// Turns away whoever does not know where they are, or may not be here.
async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    // HTTP/2 says it in the address of the request.
    let host = host.or_else(|| request.uri().authority().map(|authority| authority.as_str()));
    if !host.is_some_and(|host| is_ours(host, guard.address, &guard.access.hosts)) {
        let said = "this server does not go by that name; start it with --allow-host NAME if it should\n";
        return (StatusCode::FORBIDDEN, said).into_response();
    }
    if guard.access.token.as_ref().is_some_and(|token| !token.is_in(request.headers())) {
        let said = match request.headers().contains_key(AUTHORIZATION) {
            true => "the bearer token is not the one that this server was started with\n",
            false => "a bearer token is needed: `Authorization: Bearer TOKEN`\n",
        };
        let mut response = (StatusCode::UNAUTHORIZED, said).into_response();
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"ai-assist\""));
        return response;
    }
    let request = match guard.read(request).await {
        Ok(request) => request,
        Err(response) => return response,
    };
    let ends_session = request.method() == Method::DELETE;
    let mut response = next.run(request).await;
    // The Python SDK takes 202, which ours says here, for a failure, and complains each time a session ends.
    if ends_session && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// Whether a request means this server. An address can't be made to point elsewhere as a name can.
fn is_ours(host: &str, bound: IpAddr, names: &[String]) -> bool {
    let name = without_port(host);
    if name.eq_ignore_ascii_case("localhost")
        || names.iter().any(|known| known.eq_ignore_ascii_case(name) || known == host)
    {
        return true;
    }
    match name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        Ok(address) => address.is_loopback() || address == bound || bound.is_unspecified(),
        Err(_) => false,
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_names_are_ours() {
        let local: IpAddr = [127, 0, 0, 1].into();
        for ours in ["localhost", "localhost:3000", "127.0.0.1:1", "[::1]:80", "[::1]", "LOCALHOST:9"] {
            assert!(is_ours(ours, local, &[]), "{ours}");
        }
        for other in ["evil.example", "localhost.evil.example:80", "192.0.2.1", "", ":80", "127.0.0.1.evil.example"] {
            assert!(!is_ours(other, local, &[]), "{other}");
        }
        let open: IpAddr = [0, 0, 0, 0].into();
        assert!(is_ours("192.0.2.1:80", open, &[]));
        assert!(!is_ours("box.lan", open, &[]));
        assert!(is_ours("Box.lan:80", open, &["box.lan".to_owned()]));
    }

    #[test]
    fn a_token_is_carried_or_not() {
        let token = Token::new("0123456789abcdef").unwrap();
        let carries = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
            token.is_in(&headers)
        };
        assert!(carries("Bearer 0123456789abcdef") && carries("bearer 0123456789abcdef"));
        for wrong in ["", "Bearer", "Bearer ", "Basic 0123456789abcdef", "Bearer 0123456789abcdeF", "0123456789abcdef"]
        {
            assert!(!carries(wrong), "{wrong}");
        }
        assert!(!token.is_in(&HeaderMap::new()));
        assert!(Token::new("short").is_none() && Token::new("0123456789abcde\n").is_none());
    }
}
