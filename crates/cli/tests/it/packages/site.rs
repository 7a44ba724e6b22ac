//! A published site on this machine, with or without TLS, that keeps account of what it is asked and what it answered.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ai_assist_identity::Sha256;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::serve::Listener;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// What lies at a path.
#[derive(Clone)]
pub(crate) enum Page {
    /// A file. It is answered with an `ETag`, and with `304` to who has it.
    File { bytes: Vec<u8>, etag: Option<String> },
    /// Nothing but a status.
    Status(u16),
    /// Whatever a function says.
    Made(Arc<dyn Fn(&HeaderMap) -> Response + Send + Sync>),
}

/// One request and its answer.
#[derive(Debug, Clone)]
pub(crate) struct Hit {
    pub(crate) path: String,
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
}

#[derive(Default)]
struct Shared {
    pages: Mutex<BTreeMap<String, Page>>,
    hits: Mutex<Vec<Hit>>,
    connections: AtomicUsize,
}

/// A server with pages.
pub(crate) struct Site {
    address: SocketAddr,
    authority: Option<(tempfile::TempDir, PathBuf)>,
    shared: Arc<Shared>,
    runtime: Option<Runtime>,
}

impl Site {
    /// Over plain HTTP.
    pub(crate) fn http() -> Self {
        Self::start(false)
    }

    /// Over HTTPS, with an authority of its own.
    pub(crate) fn https() -> Self {
        Self::start(true)
    }

    fn start(secure: bool) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let tcp = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = tcp.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let router = Router::new().fallback(answer).with_state(shared.clone());
        let mut authority = None;
        if secure {
            let (tls, folder, file) = certified();
            authority = Some((folder, file));
            let listener = Secure { tcp, tls, shared: shared.clone() };
            drop(runtime.spawn(async { axum::serve(listener, router).await }));
        } else {
            let listener = Plain { tcp, shared: shared.clone() };
            drop(runtime.spawn(async { axum::serve(listener, router).await }));
        }
        Site { address, authority, shared, runtime: Some(runtime) }
    }

    /// Ends the server; when this returns, nobody listens at its address.
    pub(crate) fn close(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(std::time::Duration::from_secs(30));
        }
    }

    /// The PEM file of the authority that vouches for this site.
    pub(crate) fn authority(&self) -> Option<&PathBuf> {
        self.authority.as_ref().map(|(_, file)| file)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of a path, which begins with a slash.
    pub(crate) fn url(&self, path: &str) -> String {
        let scheme = if self.authority.is_some() { "https" } else { "http" };
        format!("{scheme}://{}{path}", self.address)
    }

    fn set(&self, path: &str, page: Page) {
        self.shared.pages.lock().unwrap().insert(path.to_owned(), page);
    }

    /// Publishes a file, with an `ETag` made of its content.
    pub(crate) fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref().to_vec();
        let etag = Some(format!("\"{}\"", Sha256::of(&bytes)));
        self.set(path, Page::File { bytes, etag });
    }

    /// Publishes a file that the server has nothing to say about.
    pub(crate) fn put_bare(&self, path: &str, bytes: impl AsRef<[u8]>) {
        self.set(path, Page::File { bytes: bytes.as_ref().to_vec(), etag: None });
    }

    /// Publishes a file under an `ETag`.
    pub(crate) fn put_tagged(&self, path: &str, etag: &str, bytes: impl AsRef<[u8]>) {
        self.set(path, Page::File { bytes: bytes.as_ref().to_vec(), etag: Some(etag.to_owned()) });
    }

    /// Answers with a status only.
    pub(crate) fn fail(&self, path: &str, status: u16) {
        self.set(path, Page::Status(status));
    }

    /// Answers with whatever a function says.
    pub(crate) fn make(&self, path: &str, answer: impl Fn(&HeaderMap) -> Response + Send + Sync + 'static) {
        self.set(path, Page::Made(Arc::new(answer)));
    }

    pub(crate) fn redirect(&self, path: &str, to: &str) {
        let to = to.to_owned();
        self.make(path, move |_| reply(302, &[("location", &to)], Body::empty()));
    }

    /// Every request so far.
    pub(crate) fn hits(&self) -> Vec<Hit> {
        self.shared.hits.lock().unwrap().clone()
    }

    /// `status path` of every request since this was asked last, sorted.
    pub(crate) fn asked(&self) -> Vec<String> {
        let hits = std::mem::take(&mut *self.shared.hits.lock().unwrap());
        let mut asked: Vec<String> = hits.iter().map(|hit| format!("{} {}", hit.status, hit.path)).collect();
        asked.sort();
        asked
    }

    /// How often somebody connected.
    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
    let headers = request.headers().clone();
    let page = shared.pages.lock().unwrap().get(&path).cloned();
    let response = match page {
        None => reply(404, &[], "there is nothing here"),
        Some(Page::Status(status)) => reply(status, &[], "no"),
        Some(Page::File { bytes, etag: None }) => reply(200, &[], bytes),
        Some(Page::File { bytes, etag: Some(etag) }) => {
            let has_it = headers.get("if-none-match").is_some_and(|known| known.as_bytes() == etag.as_bytes());
            if has_it { reply(304, &[("etag", &etag)], Body::empty()) } else { reply(200, &[("etag", &etag)], bytes) }
        }
        Some(Page::Made(make)) => {
            let given = headers.clone();
            tokio::task::spawn_blocking(move || make(&given)).await.unwrap()
        }
    };
    shared.hits.lock().unwrap().push(Hit { path, status: response.status().as_u16(), headers });
    response
}

pub(crate) fn reply(status: u16, headers: &[(&str, &str)], body: impl Into<Body>) -> Response {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    response.body(body.into()).unwrap()
}

struct Plain {
    tcp: TcpListener,
    shared: Arc<Shared>,
}

impl Listener for Plain {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        let accepted = self.tcp.accept().await.unwrap();
        self.shared.connections.fetch_add(1, Ordering::SeqCst);
        accepted
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.tcp.local_addr()
    }
}

struct Secure {
    tcp: TcpListener,
    tls: TlsAcceptor,
    shared: Arc<Shared>,
}

impl Listener for Secure {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        loop {
            let (stream, address) = self.tcp.accept().await.unwrap();
            self.shared.connections.fetch_add(1, Ordering::SeqCst);
            // A client that doesn't trust us hangs up.
            if let Ok(stream) = self.tls.accept(stream).await {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.tcp.local_addr()
    }
}

/// A certificate for this machine, and the file of the authority that made it.
fn certified() -> (TlsAcceptor, tempfile::TempDir, PathBuf) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, certificate.pem()).unwrap();
    let issuer = Issuer::new(params, key);
    let params = CertificateParams::new(vec!["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
    let key = KeyPair::generate().unwrap();
    let signed = params.signed_by(&key, &issuer).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![signed.into()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    (TlsAcceptor::from(Arc::new(config)), folder, file)
}
