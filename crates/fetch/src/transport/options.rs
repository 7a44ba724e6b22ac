//! How a client is set up, and what it is asked for.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use ai_assist_identity::{Sha256, Validators};
use url::Url;

use super::shown;
use crate::{Credentials, Limits};

/// How a [`Client`](crate::Client) behaves. The default is: online, no plain HTTP, no credentials, proxies as the
/// environment says.
#[derive(Debug, Clone, Default)]
pub struct ClientOptions {
    pub offline: bool,
    /// Plain HTTP to other machines is allowed. To this machine it always is.
    pub allow_http: bool,
    /// Nothing of this machine or of a private network is asked, whoever names it and whatever a name comes to mean.
    pub public_only: bool,
    pub limits: Limits,
    pub credentials: Credentials,
    /// A PEM file of certificate authorities to trust besides those of the system (or of `SSL_CERT_FILE`).
    pub ca_file: Option<PathBuf>,
    /// Whether a proxy is used. This machine is always reached without.
    pub proxies: Proxies,
    /// Addresses of hosts (in lower case) that are not to be looked up, as in `/etc/hosts`.
    pub hosts: BTreeMap<String, Vec<IpAddr>>,
}

/// Which proxy is used.
#[derive(Clone, Default)]
pub enum Proxies {
    /// What `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` or the system's settings say.
    #[default]
    Environment,
    /// None.
    Direct,
    /// This one, with user info if it asks for that, except for some hosts, written as in `NO_PROXY`.
    One { url: Url, except: String },
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proxies::Environment => f.write_str("Environment"),
            Proxies::Direct => f.write_str("Direct"),
            Proxies::One { url, except } => {
                f.debug_struct("One").field("url", &shown(url)).field("except", except).finish()
            }
        }
    }
}

/// One file to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub url: Url,
    /// What is known of the version that is here already.
    pub validators: Validators,
    pub named_by: NamedBy,
    pub manner: Manner,
}

impl Request {
    /// A file at a URL that the user wrote, of which nothing is here yet.
    pub fn by_user(url: Url) -> Self {
        Request { url, validators: Validators::default(), named_by: NamedBy::User, manner: Manner::default() }
    }

    /// A file at a URL that a package names, of which nothing is here yet.
    pub fn by_package(url: Url, private: bool) -> Self {
        let named_by = NamedBy::Package { private };
        Request { url, validators: Validators::default(), named_by, manner: Manner::default() }
    }
}

/// How something is asked for. By default as a file of a package is: as fast as the limits allow, whatever it is, and wherever
/// redirects lead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manner {
    pub accept: Option<&'static str>,
    /// A redirect is told of ([`TransportError::Moved`](crate::TransportError::Moved)) and not followed.
    pub stay: bool,
    /// What is no document by its content type is an error before its first byte is read.
    pub documents_only: bool,
    /// It may come compressed, which spares the server most of the bytes. Otherwise bytes are kept as they are sent, because their
    /// hash is.
    pub compressed: bool,
    /// From the question to the last byte, if less than a request may take.
    pub longest: Option<Duration>,
    pub pace: Option<Pace>,
}

/// How often one host is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// From one request to the next.
    pub pause: Duration,
    pub at_once: usize,
}

/// Who wrote a URL. A server of the internet must not be able to make us ask the machines of this network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    /// The user, who may point anywhere.
    User,
    /// A package. One that came from a server with a private address may point to such.
    Package { private: bool },
}

/// What came back.
#[expect(clippy::large_enum_variant, reason = "few are there at a time, and most are bodies")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The version that is here is still the newest. For `private` see [`Body::private`].
    NotModified { private: bool },
    /// A new version.
    Body(Body),
}

/// A file in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The bytes of the file: as they were sent, unless they were compressed for the way.
    pub bytes: Vec<u8>,
    pub validators: Validators,
    /// The server has an address of this machine or of a private network.
    pub private: bool,
    /// Where it was in the end, after redirects.
    pub url: Url,
    /// What the server says it is, without parameters, in lower case.
    pub content_type: Option<String>,
    /// What the server tells crawlers of it (`X-Robots-Tag`), in lower case.
    pub robots_tag: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Downloaded {
    /// The version that is here is still the newest; the file was not written to.
    NotModified { private: bool },
    /// A new version of so many bytes. The other fields are as in [`Body`].
    Whole { bytes: u64, hash: Sha256, validators: Validators, private: bool, url: Url },
}
