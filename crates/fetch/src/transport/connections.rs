//! The connections of one client, and what all its requests have in common: whom we believe, and which addresses a name has.

use std::collections::BTreeMap;
use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};
use reqwest::{NoProxy, Proxy, redirect};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use url::Url;

use super::pace::Paces;
use super::{ClientOptions, Proxies, TransportError, hosts, shown};

/// The way a request goes. Each has connections of its own, so that one that was opened for a URL of the user is not
/// used for a URL of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// To a proxy, which looks up the name.
    Proxied,
    Direct,
    /// To public addresses only.
    Guarded,
}

/// Connections, and the account of what was received and how long it took.
pub(super) struct Connections {
    pub(super) options: ClientOptions,
    pub(super) authorities: usize,
    proxied: reqwest::Client,
    direct: reqwest::Client,
    guarded: reqwest::Client,
    proxies: Matcher,
    started: Instant,
    received: AtomicU64,
    pub(super) paces: Paces,
}

impl Connections {
    pub(super) fn new(options: &ClientOptions) -> Result<Self, TransportError> {
        let (tls, authorities) = tls(options.ca_file.as_deref())?;
        let fixed = Arc::new(options.hosts.clone());
        let names = |public_only| Names { fixed: fixed.clone(), public_only };
        let client = |names, proxies| {
            build(options, tls.clone(), names, proxies).map_err(|e| TransportError::Setup { reason: shown::reason(e) })
        };
        Ok(Connections {
            authorities,
            proxied: client(names(false), &options.proxies)?,
            direct: client(names(false), &Proxies::Direct)?,
            guarded: client(names(true), &Proxies::Direct)?,
            proxies: matcher(&options.proxies),
            options: options.clone(),
            started: Instant::now(),
            received: AtomicU64::new(0),
            paces: Paces::default(),
        })
    }

    pub(super) fn route(&self, url: &Url, private_allowed: bool) -> Result<Route, TransportError> {
        let loopback = url.host().is_some_and(|host| hosts::is_loopback(&host));
        // A proxy can't reach what is on this machine, and must not see what is said here in plain text.
        let proxy =
            if loopback { None } else { url.as_str().parse().ok().and_then(|uri| self.proxies.intercept(&uri)) };
        match proxy {
            Some(proxy) => match proxy.uri().scheme_str() {
                Some("http" | "https") => Ok(Route::Proxied),
                other => Err(TransportError::Proxy { url: shown(url), scheme: other.unwrap_or_default().to_owned() }),
            },
            None if private_allowed && !self.options.public_only => Ok(Route::Direct),
            None => Ok(Route::Guarded),
        }
    }

    pub(super) fn client(&self, route: Route) -> &reqwest::Client {
        match route {
            Route::Proxied => &self.proxied,
            Route::Direct => &self.direct,
            Route::Guarded => &self.guarded,
        }
    }

    /// How long requests may still go on.
    pub(super) fn time_left(&self, url: &Url) -> Result<Duration, TransportError> {
        let left = self.options.limits.total_timeout.saturating_sub(self.started.elapsed());
        if left.is_zero() { Err(self.out_of_time(url)) } else { Ok(left) }
    }

    pub(super) fn out_of_time(&self, url: &Url) -> TransportError {
        TransportError::TotalTime { url: shown(url), limit: self.options.limits.total_timeout }
    }

    /// Enters bytes that were received into the account.
    pub(super) fn count(&self, bytes: u64, url: &Url) -> Result<(), TransportError> {
        let before = self.received.fetch_add(bytes, Ordering::Relaxed);
        self.check_total(before.saturating_add(bytes), url)
    }

    /// Whether so many more bytes may come.
    pub(super) fn expect(&self, bytes: u64, url: &Url) -> Result<(), TransportError> {
        self.check_total(self.received.load(Ordering::Relaxed).saturating_add(bytes), url)
    }

    fn check_total(&self, total: u64, url: &Url) -> Result<(), TransportError> {
        let limit = self.options.limits.max_total_bytes;
        if total > limit { Err(TransportError::TotalTooLarge { url: shown(url), limit }) } else { Ok(()) }
    }
}

fn build(
    options: &ClientOptions,
    tls: ClientConfig,
    names: Names,
    proxies: &Proxies,
) -> Result<reqwest::Client, reqwest::Error> {
    let limits = &options.limits;
    let mut headers = HeaderMap::new();
    // Hashes are of the bytes as they are served, and a bomb must not be unpacked on the way.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(concat!("ai-assist/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers)
        .redirect(redirect::Policy::none())
        .referer(false)
        .connect_timeout(limits.connect_timeout)
        .pool_max_idle_per_host(limits.parallel.max(limits.parallel_per_host))
        .tcp_nodelay(true)
        .dns_resolver(names);
    let builder = match proxies {
        Proxies::Environment => builder,
        Proxies::Direct => builder.no_proxy(),
        Proxies::One { url, except } => {
            builder.no_proxy().proxy(Proxy::all(url.clone())?.no_proxy(NoProxy::from_string(except)))
        }
    };
    builder.build()
}

/// The same question that `reqwest` asks itself, since it doesn't tell the answer.
fn matcher(proxies: &Proxies) -> Matcher {
    match proxies {
        Proxies::Environment => Matcher::from_system(),
        Proxies::Direct => Matcher::builder().build(),
        Proxies::One { url, except } => Matcher::builder().all(url.as_str()).no(except.as_str()).build(),
    }
}

/// The settings of TLS, and how many authorities are trusted.
fn tls(ca_file: Option<&Path>) -> Result<(ClientConfig, usize), TransportError> {
    let mut roots = RootCertStore::empty();
    // What of the system's store can't be read is passed over: the rest is enough, or the TLS error says that there is none.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = ca_file {
        add_file(&mut roots, path)?;
    }
    let authorities = roots.len();
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| TransportError::Setup { reason: error.to_string() })?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok((config, authorities))
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), TransportError> {
    let bad = |reason: String| TransportError::CaFile { path: path.to_owned(), reason };
    let mut found = 0;
    for certificate in CertificateDer::pem_file_iter(path).map_err(|e| bad(e.to_string()))? {
        let certificate = certificate.map_err(|e| bad(e.to_string()))?;
        roots.add(certificate).map_err(|e| bad(e.to_string()))?;
        found += 1;
    }
    if found == 0 {
        return Err(bad("there is no certificate in it".to_owned()));
    }
    Ok(())
}

/// A name that has private addresses only, where none is allowed.
#[derive(Debug, thiserror::Error)]
#[error("the name stands for a private address")]
pub(super) struct PrivateAddress;

/// The resolver of one client. What is refused here is never connected to, so a name can't change its meaning between
/// the check and the use.
#[derive(Clone)]
struct Names {
    fixed: Arc<BTreeMap<String, Vec<IpAddr>>>,
    public_only: bool,
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let names = self.clone();
        Box::pin(async move { names.addresses(name.as_str()).await })
    }
}

impl Names {
    async fn addresses(&self, name: &str) -> Result<Addrs, Box<dyn Error + Send + Sync>> {
        let found: Vec<IpAddr> = if hosts::is_localhost(name) {
            // Plain HTTP and credentials are allowed to `localhost`, so it must not depend on what a resolver says.
            vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
        } else if let Some(addresses) = self.fixed.get(&name.to_ascii_lowercase()) {
            addresses.clone()
        } else {
            tokio::net::lookup_host((name, 0)).await?.map(|a| a.ip()).collect()
        };
        let some = !found.is_empty();
        let kept: Vec<SocketAddr> = found
            .into_iter()
            .filter(|address| !(self.public_only && hosts::is_private(*address)))
            .map(|address| SocketAddr::new(address, 0))
            .collect();
        if some && kept.is_empty() {
            return Err(Box::new(PrivateAddress));
        }
        Ok(Box::new(kept.into_iter()))
    }
}
