//! Who may ask: a token or a cookie, the right name for this server, and the right page.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ai_assist_identity::Sha256;
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, COOKIE};

/// How long a link that lets a browser in may be followed, once.
const LINK_LIFE: Duration = Duration::from_secs(120);
/// How long a browser is let in that is not heard of.
const COOKIE_LIFE: Duration = Duration::from_secs(12 * 3600);
/// More links and browsers at a time than these push out the oldest.
const MOST_LINKS: usize = 16;
const MOST_BROWSERS: usize = 64;

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
    pub(crate) fn is_in(&self, headers: &HeaderMap) -> bool {
        let value = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let Some((scheme, token)) = value.split_once(' ') else { return false };
        scheme.eq_ignore_ascii_case("bearer") && Sha256::of(token.trim().as_bytes()) == self.0
    }
}

/// Which pages may ask, beside those of this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LocalPages {
    /// Those of this machine, whatever their port: clients of MCP that run in a browser.
    #[default]
    AnyPort,
    /// None: another port of this machine is another program.
    OwnPort,
}

#[derive(Debug, Clone, Default)]
pub struct Access {
    /// None only where nothing of anybody is served, as in tests.
    pub token: Option<Token>,
    /// Names of this machine, with or without a port, beside its addresses.
    pub hosts: Vec<String>,
    /// Pages that may ask, beside those of this machine: `https://app.example:443`.
    pub origins: Vec<String>,
    pub local_pages: LocalPages,
}

impl Access {
    /// Whether a page may ask that is from `origin`, given the name by which it calls this server.
    pub(crate) fn allows(&self, origin: &str, host: &str) -> bool {
        if origin == format!("http://{host}") || self.origins.iter().any(|known| known == origin) {
            return true;
        }
        let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        let is_local = rest.is_some_and(|rest| matches!(without_port(rest), "localhost" | "127.0.0.1" | "[::1]"));
        is_local && self.local_pages == LocalPages::AnyPort
    }
}

/// Whether a request means this server. An address can't be made to point elsewhere as a name can.
pub(crate) fn is_ours(host: &str, bound: IpAddr, names: &[String]) -> bool {
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

/// Browsers that were let in by a link: a cookie each, in memory alone.
#[derive(Debug, Default)]
pub struct Browsers {
    links: Mutex<HashMap<Sha256, Instant>>,
    cookies: Mutex<HashMap<Sha256, Instant>>,
}

impl Browsers {
    /// The secret part of a link that lets one browser in, once.
    pub fn new_link(&self) -> std::io::Result<String> {
        let secret = secret()?;
        keep(locked(&self.links), &secret, LINK_LIFE, MOST_LINKS);
        Ok(secret)
    }

    /// The cookie for whoever follows a link; none if it was followed before, is too old, or never was.
    pub(crate) fn follow(&self, link: &str) -> Option<String> {
        let made = locked(&self.links).remove(&Sha256::of(link.as_bytes()))?;
        if made.elapsed() > LINK_LIFE {
            return None;
        }
        let cookie = secret().ok()?;
        keep(locked(&self.cookies), &cookie, COOKIE_LIFE, MOST_BROWSERS);
        Some(cookie)
    }

    /// Whether a request carries the cookie of a browser that was let in, and no page of another server has sent it.
    pub(crate) fn knows(&self, headers: &HeaderMap, name: &str) -> bool {
        let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
        if !matches!(site, None | Some("same-origin" | "none")) {
            return false;
        }
        let pairs = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut cookies = locked(&self.cookies);
        for (_, value) in pairs.filter(|(known, _)| *known == name) {
            if let Some(seen) = cookies.get_mut(&Sha256::of(value.as_bytes()))
                && seen.elapsed() < COOKIE_LIFE
            {
                *seen = Instant::now();
                return true;
            }
        }
        false
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn keep(mut kept: MutexGuard<'_, HashMap<Sha256, Instant>>, secret: &str, life: Duration, most: usize) {
    kept.retain(|_, seen| seen.elapsed() < life);
    if kept.len() >= most
        && let Some(oldest) = kept.iter().min_by_key(|(_, seen)| **seen).map(|(hash, _)| *hash)
    {
        kept.remove(&oldest);
    }
    kept.insert(Sha256::of(secret.as_bytes()), Instant::now());
}

/// 256 bits that nobody can guess, in hexadecimal.
pub fn secret() -> std::io::Result<String> {
    let mut bytes = [0; 32];
    ai_assist_base::platform::fill_random(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn only_our_names_are_ours() {
        let local: IpAddr = [127, 0, 0, 1].into();
        for ours in ["localhost", "localhost:3000", "127.0.0.1:1", "[::1]:80", "[::1]", "LOCALHOST:9"] {
            assert!(is_ours(ours, local, &[]), "{ours}");
        }
        for other in ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.nip.io", "10.0.0.1", ""] {
            assert!(!is_ours(other, local, &[]), "{other}");
        }
        assert!(is_ours("box.lan:3000", local, &["box.lan".to_owned()]));
        assert!(is_ours("10.0.0.1:3000", [10, 0, 0, 1].into(), &[]));
        assert!(is_ours("10.0.0.1:3000", [0, 0, 0, 0].into(), &[]));
    }

    #[test]
    fn another_port_is_another_origin() {
        let strict = Access { local_pages: LocalPages::OwnPort, ..Access::default() };
        assert!(strict.allows("http://localhost:7777", "localhost:7777"));
        for other in ["http://localhost:5173", "http://127.0.0.1:7777", "https://localhost:7777", "null", ""] {
            assert!(!strict.allows(other, "localhost:7777"), "{other}");
        }
        let loose = Access::default();
        assert!(loose.allows("http://localhost:5173", "127.0.0.1:7777"));
        for other in ["http://evil.example", "http://localhost.evil.example", "null", "http://127.0.0.1.nip.io:80"] {
            assert!(!loose.allows(other, "localhost:7777"), "{other}");
        }
    }

    #[test]
    fn tokens_are_long_and_plain() {
        for bad in ["", "short", "fifteen-letters", "with space and more", "üüüüüüüüüüüüüüüü"] {
            assert!(Token::new(bad).is_none(), "{bad}");
        }
        assert!(Token::new("sixteen-letters-").is_some());
    }

    #[test]
    fn a_link_lets_one_browser_in() {
        let browsers = Browsers::default();
        let link = browsers.new_link().unwrap();
        let cookie = browsers.follow(&link).unwrap();
        assert_eq!(browsers.follow(&link), None, "a link is followed once");
        assert_eq!(browsers.follow("made up"), None);
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_str(&format!("other=1; mine={cookie}")).unwrap());
        assert!(browsers.knows(&headers, "mine") && !browsers.knows(&headers, "other"));
        headers.insert("sec-fetch-site", HeaderValue::from_static("same-site"));
        assert!(!browsers.knows(&headers, "mine"), "a page of another port has sent it");
    }
}
