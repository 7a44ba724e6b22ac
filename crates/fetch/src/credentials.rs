//! What opens which host, and how it is written down. No value is ever shown, in whatever form a type is printed.

use std::collections::BTreeMap;
use std::fmt;
use std::net::Ipv6Addr;

use url::{Host, Url};

use crate::netrc;

/// A text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Secret(text.into())
    }

    /// The text itself, to be sent and not to be kept.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// A credential, or a list of them, that can't be read. What was written is not shown, since it may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CredentialError {
    #[error("a credential is written `bearer:TOKEN` or `basic:USER:PASSWORD`")]
    Form,
    #[error("a token is made of visible ASCII characters only, a user or password has no control characters")]
    Characters,
    #[error("credentials are given for a host or for host:port, and this is neither")]
    Host,
    #[error("entry {number} of the list of credentials is not `HOST=bearer:TOKEN` or `HOST=basic:USER:PASSWORD`")]
    Entry { number: usize },
    #[error("line {line} of the `.netrc` file can't be read: {problem}")]
    Netrc { line: usize, problem: &'static str },
}

/// What a host asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// A token.
    Bearer(Secret),
    /// A user and a password. Some hosts take a token for the user, so that is hidden as well.
    Basic { user: Secret, password: Secret },
}

impl Credential {
    /// Reads `bearer:TOKEN` or `basic:USER:PASSWORD`; the password may have more colons.
    pub fn parse(text: &str) -> Result<Self, CredentialError> {
        let (kind, value) = text.split_once(':').ok_or(CredentialError::Form)?;
        match kind {
            "bearer" if value.is_empty() => Err(CredentialError::Form),
            "bearer" if !value.bytes().all(|b| b.is_ascii_graphic()) => Err(CredentialError::Characters),
            "bearer" => Ok(Credential::Bearer(Secret::new(value))),
            "basic" => {
                let (user, password) = value.split_once(':').ok_or(CredentialError::Form)?;
                Self::basic(user, password)
            }
            _ => Err(CredentialError::Form),
        }
    }

    fn basic(user: &str, password: &str) -> Result<Self, CredentialError> {
        // A colon in the user would move the border between the two.
        if user.contains(':') || user.chars().chain(password.chars()).any(char::is_control) {
            return Err(CredentialError::Characters);
        }
        Ok(Credential::Basic { user: Secret::new(user), password: Secret::new(password) })
    }
}

/// A host, and a port if the credential is for that port only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    host: String,
    port: Option<u16>,
}

impl Place {
    fn parse(text: &str) -> Result<Self, CredentialError> {
        if let Ok(address) = text.parse::<Ipv6Addr>() {
            return Ok(Place { host: format!("[{address}]"), port: None });
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !text.ends_with(']') => {
                (host, Some(port.parse().map_err(|_| CredentialError::Host)?))
            }
            _ => (text, None),
        };
        // The same normal form as the host of a `Url`.
        let host = Host::parse(host).map_err(|_| CredentialError::Host)?.to_string();
        Ok(Place { host, port })
    }
}

/// Credentials by host. Sources are read one by one and merged, the most important one first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Credentials {
    places: BTreeMap<Place, Credential>,
    /// The `default` of a `.netrc`.
    default: Option<Credential>,
}

impl Credentials {
    /// Reads a `.netrc` file. Of several entries for one machine the first counts, as it does for curl.
    pub fn from_netrc(text: &str) -> Result<Self, CredentialError> {
        let mut credentials = Credentials::default();
        for entry in netrc::entries(text)? {
            let Some(password) = entry.password else { continue };
            let Ok(credential) = Credential::basic(&entry.login, password.expose()) else { continue };
            match entry.machine {
                None => {
                    credentials.default.get_or_insert(credential);
                }
                Some(machine) => {
                    if let Ok(place) = Place::parse(&machine) {
                        credentials.places.entry(place).or_insert(credential);
                    }
                }
            }
        }
        Ok(credentials)
    }

    /// Reads a list of `HOST=bearer:TOKEN` and `HOST=basic:USER:PASSWORD` with white space between them.
    pub fn from_list(text: &str) -> Result<Self, CredentialError> {
        let mut credentials = Credentials::default();
        for (at, entry) in text.split_whitespace().enumerate() {
            let bad = || CredentialError::Entry { number: at + 1 };
            let (host, credential) = entry.split_once('=').ok_or_else(bad)?;
            let credential = Credential::parse(credential).map_err(|_| bad())?;
            credentials.insert(host, credential).map_err(|_| bad())?;
        }
        Ok(credentials)
    }

    /// Sets the credential of `host` or `host:port`.
    pub fn insert(&mut self, host: &str, credential: Credential) -> Result<(), CredentialError> {
        self.places.insert(Place::parse(host)?, credential);
        Ok(())
    }

    /// Takes in what another source knows of hosts that this one knows nothing of.
    pub fn merge(&mut self, other: Credentials) {
        for (place, credential) in other.places {
            self.places.entry(place).or_insert(credential);
        }
        self.default = self.default.take().or(other.default);
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.default.is_none()
    }

    /// What is sent to the host of a URL. Whether it may be sent at all is not asked here.
    ///
    /// `default` goes to no host but one that the user named, and never over plain HTTP: it would be handed to whomever a
    /// package points at.
    pub(crate) fn for_url(&self, url: &Url, named_by_user: bool) -> Option<&Credential> {
        let host = url.host_str()?;
        let at = |port| self.places.get(&Place { host: host.to_owned(), port });
        let default = || self.default.as_ref().filter(|_| named_by_user && url.scheme() == "https");
        at(url.port_or_known_default()).or_else(|| at(None)).or_else(default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent<'a>(credentials: &'a Credentials, url: &str) -> Option<&'a str> {
        credentials.for_url(&Url::parse(url).unwrap(), true).map(|c| match c {
            Credential::Bearer(token) => token.expose(),
            Credential::Basic { password, .. } => password.expose(),
        })
    }

    #[test]
    fn hosts_are_matched_in_every_spelling() {
        let list = "Example.COM=bearer:any example.com:8443=bearer:port\n[::1]:80=basic:me:six\tbücher.de=bearer:idn \
                    [2001:DB8::1]=bearer:doc 127.1=bearer:four other.com:443=bearer:tls";
        let credentials = Credentials::from_list(list).unwrap();
        for (url, expected) in [
            ("https://example.com/x", Some("any")),
            ("https://EXAMPLE.com:9/x", Some("any")),
            ("https://example.com:8443/x", Some("port")),
            ("http://[0::1]/", Some("six")),
            ("http://[::1]:81/", None),
            ("https://xn--bcher-kva.de/", Some("idn")),
            ("https://[2001:db8:0::1]/", Some("doc")),
            ("http://127.0.0.1:1234/", Some("four")),
            ("https://other.com/", Some("tls")),
            ("http://other.com/", None),
            ("https://other.com:444/", None),
            ("https://sub.example.com/", None),
            ("https://example.com.evil.org/", None),
        ] {
            assert_eq!(sent(&credentials, url), expected, "{url}");
        }
    }

    #[test]
    fn a_bare_ipv6_address_is_a_host() {
        let mut credentials = Credentials::default();
        credentials.insert("2001:DB8::1", Credential::parse("bearer:x").unwrap()).unwrap();
        assert_eq!(sent(&credentials, "https://[2001:db8::1]:4/"), Some("x"));
    }

    #[test]
    fn the_default_of_netrc_goes_only_to_hosts_that_the_user_named_and_over_https() {
        let text = "machine a.com login me password p\nmachine a.com login me password second\n\
                    default login you password d";
        let credentials = Credentials::from_netrc(text).unwrap();
        for (url, by_user, by_package) in [
            ("https://a.com/", Some("p"), Some("p")),
            ("https://b.com/", Some("d"), None),
            ("http://b.com/", None, None),
            ("http://127.0.0.1/", None, None),
        ] {
            assert_eq!(sent(&credentials, url), by_user, "{url}");
            let other = credentials.for_url(&Url::parse(url).unwrap(), false);
            assert_eq!(other.is_some(), by_package.is_some(), "{url}");
        }
    }

    #[test]
    fn the_first_source_wins() {
        let mut first = Credentials::from_list("a.com=bearer:one").unwrap();
        first.merge(
            Credentials::from_netrc("machine a.com password two machine b.com password three default password four")
                .unwrap(),
        );
        first.merge(Credentials::from_netrc("default password five").unwrap());
        assert_eq!(sent(&first, "https://a.com/"), Some("one"));
        assert_eq!(sent(&first, "https://b.com/"), Some("three"));
        assert_eq!(sent(&first, "https://c.com/"), Some("four"));
        assert!(!first.is_empty() && Credentials::default().is_empty());
    }

    #[test]
    fn forms_are_checked() {
        let basic = Credential::parse("basic:me:pass:word").unwrap();
        assert_eq!(basic, Credential::Basic { user: Secret::new("me"), password: Secret::new("pass:word") });
        for bad in ["", "hush", "bearer", "bearer:", "basic:hush", "Bearer:hush", "digest:a:hush"] {
            assert_eq!(Credential::parse(bad), Err(CredentialError::Form), "{bad}");
        }
        for bad in ["bearer:hu sh", "bearer:hüsh", "bearer:hush\r\nX: y", "basic:me:hu\nsh", "basic:m\0e:hush"] {
            assert_eq!(Credential::parse(bad), Err(CredentialError::Characters), "{bad}");
        }
        let mut credentials = Credentials::default();
        for bad in
            ["", "a.com/path", "a.com:", "a.com:port", "a.com:70000", "user@a.com", "a b", "https://a.com", "::1:x"]
        {
            let credential = Credential::parse("bearer:hush").unwrap();
            assert_eq!(credentials.insert(bad, credential), Err(CredentialError::Host), "{bad}");
        }
        for (list, number) in [("hush", 1), ("a.com=bearer:x b.com=hush", 2), ("=bearer:hush", 1)] {
            assert_eq!(Credentials::from_list(list), Err(CredentialError::Entry { number }), "{list}");
        }
    }

    #[test]
    fn nothing_prints_a_value() {
        let mut credentials = Credentials::from_list("a.com=bearer:hush b.com=basic:hush-user:hush").unwrap();
        credentials
            .merge(Credentials::from_netrc("machine c.com login hush password hush default password hush").unwrap());
        let secret = Secret::new("hush");
        let errors = [Credential::parse("hush").unwrap_err(), Credentials::from_list("hush").unwrap_err()];
        for text in [format!("{credentials:?} {credentials:#?}"), format!("{secret} {secret:?}"), format!("{errors:?}")]
        {
            assert!(!text.contains("hush"), "{text}");
        }
        assert!(format!("{credentials:?}").contains("a.com"), "hosts are no secret");
    }
}
