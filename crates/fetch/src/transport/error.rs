//! What can go wrong on the way, and what to do about it.

use std::path::PathBuf;
use std::time::Duration;

/// What became of the credentials for a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialsUse {
    None,
    Sent,
    /// There are some, but they were kept back: the request was redirected to another origin, or would have carried them
    /// over plain HTTP.
    Withheld,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    Connect,
    /// For the next byte of the answer.
    Idle,
    Request,
    /// For a page of a website, which is not worth the time of a large file.
    Page,
}

impl std::fmt::Display for Wait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Wait::Connect => "no connection",
            Wait::Idle => "no byte of the answer came",
            Wait::Request | Wait::Page => "the answer was not complete",
        })
    }
}

/// A request that came to nothing. URLs are shown without user info and query, credentials not at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    #[error("`{url}` was not fetched, because the network is not to be used")]
    Offline { url: String },
    #[error("`{url}` has the scheme `{scheme}`; files are fetched over `https`")]
    Scheme { url: String, scheme: String },
    #[error("`{url}` is plain HTTP, which anyone on the way can read and change")]
    InsecureHttp { url: String },
    #[error("`{url}` can't be asked for: {reason}")]
    BadUrl { url: String, reason: String },
    #[error("a URL at `{host}` has a user name or password in it")]
    UserInfo { host: String },
    #[error("`{url}`, named by {named_by}, is an address of this machine or of a private network")]
    PrivateHost { url: String, named_by: String },
    #[error("`{url}` was redirected more than {limit} times")]
    Redirects { url: String, limit: usize },
    #[error("`{url}` answers with a redirect that is not followed: {reason}")]
    BadRedirect { url: String, reason: String },
    #[error("`{url}` has moved to `{}`", super::shown(to))]
    Moved { url: String, to: Box<url::Url> },
    #[error("`{url}` is of the type `{kind}`, which is no document")]
    OtherType { url: String, kind: String },
    #[error("`{url}` answered with status {status}{}", asked_to_wait(*retry_after))]
    Status { url: String, status: u16, credentials: CredentialsUse, retry_after: Option<Duration> },
    #[error("`{url}` is larger than {limit} bytes, which is the limit for such a file")]
    TooLarge { url: String, limit: u64, announced: Option<u64> },
    #[error("more than {limit} bytes would be downloaded in all, which is the limit; `{url}` was the last")]
    TotalTooLarge { url: String, limit: u64 },
    #[error("`{url}` took too long: {wait} within {limit:?}")]
    Timeout { url: String, wait: Wait, limit: Duration },
    #[error("`{url}` was sent compressed in a way that was not asked for: {reason}")]
    Encoding { url: String, reason: String },
    #[error("`{url}` was not asked for, because its server could not be reached {failures} times in a row: {reason}")]
    GivenUp { url: String, failures: usize, reason: String },
    #[error("`{url}` can't be reached: {reason}")]
    Connect { url: String, reason: String },
    #[error("there is no secure connection to `{url}`: {reason}")]
    Tls { url: String, reason: String, authorities: usize },
    #[error("`{url}` broke off after {received} bytes: {reason}")]
    Truncated { url: String, received: u64, reason: String },
    #[error("the certificate authorities in {} can't be used: {reason}", path.display())]
    CaFile { path: PathBuf, reason: String },
    #[error("the proxy for `{url}` has the scheme `{scheme}`; only `http` and `https` proxies are supported")]
    Proxy { url: String, scheme: String },
    #[error("the HTTP client can't be started: {reason}")]
    Setup { reason: String },
    #[error("`{url}` can't be written to disk: {reason}")]
    Write { url: String, reason: String },
    #[error("the download was cancelled")]
    Cancelled,
    #[error(
        "the downloads were not complete within {limit:?}, which is the limit for all of them; `{url}` was the last"
    )]
    TotalTime { url: String, limit: Duration },
}

/// A server that asks for more patience than this gets none.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(60);

impl TransportError {
    /// Whether the server knows no such file (404 or 410).
    pub fn is_missing(&self) -> bool {
        matches!(self, TransportError::Status { status: 404 | 410, .. })
    }

    /// Whether nobody answered.
    pub(super) fn is_unreachable(&self) -> bool {
        matches!(
            self,
            TransportError::Connect { .. } | TransportError::Timeout { wait: Wait::Connect | Wait::Idle, .. }
        )
    }

    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            TransportError::Offline { .. } => {
                "run again without `--offline` (and without `network.offline` or AI_ASSIST_OFFLINE)"
            }
            TransportError::InsecureHttp { .. } => {
                "use `https`, or set `network.allowHttp` in your configuration if you trust the network"
            }
            TransportError::UserInfo { host } => {
                return Some(format!("take them out of the URL and {} instead", place_for_credentials(host)));
            }
            TransportError::PrivateHost { .. } => {
                "only a URL of your own configuration, or a server of the same network, may point there"
            }
            TransportError::Status { url, status: 401 | 403 | 407, credentials, .. } => {
                return Some(credentials_hint(url, *credentials));
            }
            TransportError::Status { retry_after: Some(wait), .. } => {
                return Some(format!("the server asks to wait {} seconds; try again then", wait.as_secs()));
            }
            TransportError::TooLarge { .. } => {
                "if you trust the server, raise the limit: `network.maxManifestBytes` of manifests, `sync.maxFileBytes` of \
                 files, `network.maxTotalBytes` of bundles"
            }
            TransportError::TotalTooLarge { .. } => "if you trust the server, raise the limit: `network.maxTotalBytes`",
            TransportError::Redirects { .. } => "the limit is the setting `network.maxRedirects`",
            TransportError::Timeout { wait, .. } => {
                let setting = match wait {
                    Wait::Connect => "network.connectTimeout",
                    Wait::Idle => "network.idleTimeout",
                    Wait::Request => "network.requestTimeout",
                    Wait::Page => return None,
                };
                return Some(format!("try again; if the network is slow, raise the limit: `{setting}`"));
            }
            TransportError::TotalTime { .. } => "if the network is slow, raise the limit: `network.totalTimeout`",
            TransportError::Connect { .. } => "check the URL, the network, and `HTTPS_PROXY` if you need a proxy",
            TransportError::Tls { authorities: 0, .. } => {
                "no certificate authority was found on this machine: install the system's `ca-certificates`, or name a \
                 PEM file in `SSL_CERT_FILE` or `network.caFile`"
            }
            TransportError::Tls { .. } => {
                "if the server has a certificate of your own authority, name its PEM file in `SSL_CERT_FILE` or \
                 `network.caFile`"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// Whether the same request may succeed a little later.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            TransportError::Status { status, retry_after, .. } => {
                matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504)
                    && retry_after.is_none_or(|wait| wait <= LONGEST_WAIT)
            }
            // What took all the time there is would take it again.
            TransportError::Timeout { wait, .. } => matches!(wait, Wait::Connect | Wait::Idle),
            TransportError::Connect { .. } | TransportError::Truncated { .. } => true,
            _ => false,
        }
    }
}

fn asked_to_wait(time: Option<Duration>) -> String {
    time.map_or(String::new(), |time| format!(" and asks to be left alone for {} s", time.as_secs()))
}

fn credentials_hint(url: &str, credentials: CredentialsUse) -> String {
    let host = url.split('/').nth(2).unwrap_or(url);
    match credentials {
        CredentialsUse::None => format!("no credentials were sent; {}", place_for_credentials(host)),
        CredentialsUse::Sent => format!("the credentials for `{host}` were sent and not accepted; check them"),
        CredentialsUse::Withheld => format!(
            "the credentials for `{host}` were not sent, because the request was redirected from another server or is \
             not secure; use the URL of `{host}` itself, with `https`"
        ),
    }
}

fn place_for_credentials(host: &str) -> String {
    format!("give credentials for `{host}` in `.netrc`, in AI_ASSIST_CREDENTIALS or in your `config.json`")
}
