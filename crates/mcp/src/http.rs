//! The protocol over HTTP.
//!
//! A page in a browser can send requests to any address of this machine, so every request shows whom it believes to talk to
//! (`Host`) and, if a page sent it, where that page is from (`Origin`). Beyond this machine a token is needed as well.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use ai_assist_identity::Sha256;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
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
    pub token: Option<Token>,
    /// Names of this machine, with or without a port, beside its addresses.
    pub hosts: Vec<String>,
    /// Pages that may ask, beside those of this machine: `https://app.example:443`.
    pub origins: Vec<String>,
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
        Ok(Bound { listener, address, access })
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
        let Bound { listener, address, access } = self;
        let origins = OWN_ORIGINS.iter().map(|origin| (*origin).to_owned()).chain(access.origins.iter().cloned());
        let config = StreamableHttpServerConfig::default()
            // Names are checked before this (`guard`), because addresses count as well.
            .disable_allowed_hosts()
            .with_allowed_origins(origins)
            .with_cancellation_token(stop.clone());
        let sessions = Arc::new(LocalSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(handler()), sessions, config);
        let guarded = Arc::new(Guard { address: address.ip(), access });
        let router =
            Router::new().route_service(PATH, service).layer(axum::middleware::from_fn_with_state(guarded, guard));
        let serving = axum::serve(listener, router).with_graceful_shutdown(async move { stop.cancelled().await });
        serving.await.map_err(|source| Error::Io { address, source })
    }
}

struct Guard {
    address: IpAddr,
    access: Access,
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
