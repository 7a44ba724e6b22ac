//! Servers on this machine: one that speaks HTTP well, with or without TLS, and one that says what a test wants.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, Uri, Version};
use axum::response::Response;
use axum::serve::Listener;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;
use url::Url;

/// A request as a server saw it.
#[derive(Debug, Clone)]
pub(crate) struct Hit {
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) version: Version,
    pub(crate) method: Method,
    /// What was sent along.
    pub(crate) body: Vec<u8>,
    /// How many requests were there before.
    pub(crate) number: usize,
}

impl Hit {
    pub(crate) fn path(&self) -> &str {
        self.uri.path()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

type Answers = Arc<dyn Fn(&Hit) -> Response + Send + Sync>;

/// A well-behaved server that keeps account of what it is asked.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    scheme: &'static str,
    hits: Arc<Mutex<Vec<Hit>>>,
    pub(crate) connections: Arc<AtomicUsize>,
    runtime: Option<Runtime>,
}

impl Server {
    /// Answers may block: each is made on a thread of its own.
    pub(crate) fn http(answer: impl Fn(&Hit) -> Response + Send + Sync + 'static) -> Self {
        Self::start(None, Arc::new(answer))
    }

    pub(crate) fn https(certificate: Certificate, answer: impl Fn(&Hit) -> Response + Send + Sync + 'static) -> Self {
        Self::start(Some(certificate), Arc::new(answer))
    }

    fn start(certificate: Option<Certificate>, answers: Answers) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let tcp = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = tcp.local_addr().unwrap();
        let (hits, connections) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let router = Router::new().fallback(handle).with_state((answers, hits.clone()));
        let scheme = if certificate.is_some() { "https" } else { "http" };
        let counted = connections.clone();
        match certificate.map(Certificate::acceptor) {
            None => drop(runtime.spawn(async { axum::serve(Counted { tcp, counted }, router).await })),
            Some(tls) => drop(runtime.spawn(async { axum::serve(Secure { tcp, tls, counted }, router).await })),
        }
        Server { address, scheme, hits, connections, runtime: Some(runtime) }
    }

    pub(crate) fn url(&self, path: &str) -> Url {
        Url::parse(&format!("{}://{}{path}", self.scheme, self.address)).unwrap()
    }

    /// The URL under another name for this machine.
    pub(crate) fn url_at(&self, host: &str, path: &str) -> Url {
        Url::parse(&format!("{}://{host}:{}{path}", self.scheme, self.address.port())).unwrap()
    }

    pub(crate) fn hits(&self) -> Vec<Hit> {
        self.hits.lock().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.hits.lock().unwrap().len()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An answer that still blocks is not waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn handle(State((answers, hits)): State<(Answers, Arc<Mutex<Vec<Hit>>>)>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap().to_vec();
    let hit = {
        let mut hits = hits.lock().unwrap();
        let (uri, headers, version, method) = (head.uri, head.headers, head.version, head.method);
        let hit = Hit { uri, headers, version, method, body, number: hits.len() };
        hits.push(hit.clone());
        hit
    };
    tokio::task::spawn_blocking(move || answers(&hit)).await.unwrap()
}

pub(crate) fn reply(status: u16, headers: &[(&str, &str)], body: impl Into<Body>) -> Response {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    response.body(body.into()).unwrap()
}

pub(crate) fn ok(body: impl Into<Body>) -> Response {
    reply(200, &[], body)
}

pub(crate) fn redirect(to: &str) -> Response {
    reply(302, &[("location", to)], "")
}

struct Counted {
    tcp: TcpListener,
    counted: Arc<AtomicUsize>,
}

impl Listener for Counted {
    type Io = tokio::net::TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        let accepted = self.tcp.accept().await.unwrap();
        self.counted.fetch_add(1, Ordering::SeqCst);
        accepted
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.tcp.local_addr()
    }
}

struct Secure {
    tcp: TcpListener,
    tls: TlsAcceptor,
    counted: Arc<AtomicUsize>,
}

impl Listener for Secure {
    type Io = tokio_rustls::server::TlsStream<tokio::net::TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        loop {
            let (stream, address) = self.tcp.accept().await.unwrap();
            self.counted.fetch_add(1, Ordering::SeqCst);
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

/// A certificate authority that nobody trusts unless told so.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    folder: tempfile::TempDir,
}

pub(crate) struct Certificate {
    chain: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), certificate.pem()).unwrap();
        Authority { issuer: Issuer::new(params, key), folder }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    pub(crate) fn certificate(&self, names: &[&str]) -> Certificate {
        self.certificate_until(names, 2900)
    }

    pub(crate) fn certificate_until(&self, names: &[&str], year: i32) -> Certificate {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.not_after = rcgen::date_time_ymd(year, 1, 1);
        let key = KeyPair::generate().unwrap();
        let signed = params.signed_by(&key, &self.issuer).unwrap();
        Certificate { chain: signed.into(), key: PrivateKeyDer::try_from(key.serialize_der()).unwrap() }
    }
}

impl Certificate {
    fn acceptor(self) -> TlsAcceptor {
        let mut config =
            rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()
                .unwrap()
                .with_no_client_auth()
                .with_single_cert(vec![self.chain], self.key)
                .unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        TlsAcceptor::from(Arc::new(config))
    }
}

/// A server that does to each connection what a test wants. Connections are numbered from 0.
pub(crate) struct Raw {
    pub(crate) address: SocketAddr,
    pub(crate) connections: Arc<AtomicUsize>,
}

impl Raw {
    pub(crate) fn start(serve: impl Fn(usize, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let (serve, counted) = (Arc::new(serve), connections.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (serve, number) = (serve.clone(), counted.fetch_add(1, Ordering::SeqCst));
                std::thread::spawn(move || serve(number, &mut stream.unwrap()));
            }
        });
        Raw { address, connections }
    }

    /// Says the same to everyone, and hangs up.
    pub(crate) fn saying(text: &'static str) -> Self {
        Self::start(move |_, stream| {
            read_head(stream);
            say(stream, text);
        })
    }

    pub(crate) fn url(&self) -> Url {
        Url::parse(&format!("http://{}/", self.address)).unwrap()
    }

    pub(crate) fn count(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// The head of one request.
pub(crate) fn read_head(stream: &mut TcpStream) -> String {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && matches!(stream.read(&mut byte), Ok(1)) {
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

/// Says something; whether anyone still listens doesn't matter. Returns whether they seem to.
pub(crate) fn say(stream: &mut TcpStream, text: &str) -> bool {
    stream.write_all(text.as_bytes()).and_then(|()| stream.flush()).is_ok()
}

/// Waits until the other side hangs up.
pub(crate) fn until_hung_up(stream: &mut TcpStream) {
    let mut rest = [0; 1024];
    while matches!(stream.read(&mut rest), Ok(1..)) {}
}
