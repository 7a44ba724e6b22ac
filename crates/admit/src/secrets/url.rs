//! Passwords in the user part of an address: `postgres://app:v4lue@db/app`.

use std::ops::Range;

use super::filters::{is_mixed, is_random, is_weak};
use super::placeholders::is_placeholder;
use super::words::{is_code_name, is_name};

/// What the pass with all keywords looks for.
pub(super) const KEYWORD: &str = "://";

const USER: usize = 128;
const PASSWORD: usize = 256;

/// The password of the address whose `://` ends at `behind`.
pub(super) fn password(text: &[u8], behind: usize) -> Option<Range<usize>> {
    let scheme = text[..behind - KEYWORD.len()].last()?;
    if !scheme.is_ascii_alphanumeric() {
        return None;
    }
    let rest = &text[behind..text.len().min(behind + USER + PASSWORD)];
    let ends = |b: u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'|');
    // The user part ends at the last `@` before the host does: passwords with an `@` are seen unescaped, too.
    let authority = rest.iter().position(|&b| ends(b) || matches!(b, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    let at = rest[..authority].iter().rposition(|&b| b == b'@').or_else(|| slashed(rest, ends))?;
    let colon = rest[..at].iter().position(|&b| b == b':')?;
    let (user, password, host) = (&rest[..colon], &rest[colon + 1..at], &rest[at + 1..]);
    let host_starts =
        host.first().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'[' | b'$' | b'{' | b'%' | b'_'));
    if colon > USER || !host_starts || !is_secret(user, password, host) {
        // `https://TOKEN:x-oauth-basic@host`: the token stands in the user's place.
        let swapped = matches!(password, b"x-oauth-basic" | b"" | b"x" | b"X");
        let token = swapped && user.len() >= 20 && is_mixed(user) && is_random(user) && !is_placeholder(user);
        return token.then_some(behind..behind + colon);
    }
    Some(behind + colon + 1..behind + at)
}

/// The `@` behind a password that has a `/` or `#` in it. A path with an `@` has no `:` before its first `/`.
fn slashed(rest: &[u8], ends: impl Fn(u8) -> bool) -> Option<usize> {
    let end = rest.iter().position(|&b| ends(b)).unwrap_or(rest.len());
    let at = rest[..end].iter().rposition(|&b| b == b'@')?;
    let stop = rest.iter().position(|&b| matches!(b, b'/' | b'?' | b'#'))?;
    let colon = rest[..stop].iter().position(|&b| b == b':')?;
    // A port is digits only; and a password that is followed by a path is no port.
    let port = &rest[colon + 1..stop];
    let plain = rest[colon + 1..at].iter().filter(|b| matches!(b, b'/' | b'?' | b'#')).count() == 1;
    (!port.is_empty() && !port.iter().all(u8::is_ascii_digit) && plain).then_some(at)
}

fn unescaped(password: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(password);
    text.replace("%20", " ").into_bytes()
}

fn is_secret(user: &[u8], password: &[u8], host: &[u8]) -> bool {
    // The account that manuals of databases have used since Oracle's first one.
    if user == b"scott" && password == b"tiger" {
        return false;
    }
    if password.len() < 3 || is_weak(password) || user.eq_ignore_ascii_case(password) {
        return false;
    }
    // `SAS_KEY` stands for one.
    if !password.iter().any(u8::is_ascii_digit) && is_code_name(password) {
        return false;
    }
    // `a%20secret` is words with a blank between them.
    if password.windows(3).any(|w| w == b"%20") && is_name(&unescaped(password)) {
        return false;
    }
    let slots = user.iter().chain(password).any(|b| matches!(b, b'{' | b'}' | b'$' | b'<' | b'(' | b'['));
    if slots && (is_placeholder(user) || is_placeholder(password)) || password.contains(&b'(') {
        return false;
    }
    let host = host.split(|b| matches!(b, b'/' | b':' | b'?' | b'"' | b'\'') || b.is_ascii_whitespace()).next();
    let host = host.unwrap_or_default().to_ascii_lowercase();
    let example =
        ["example", "localhost", "127.0.0.1", "host", "hostname", "server", "domain", "foo", "bar", "test", "invalid"];
    let labels = |b: &u8| *b == b'.';
    let made_up = host == b"127.0.0.1" || host.split(labels).any(|label| example.iter().any(|e| label == e.as_bytes()));
    // A word on a made-up host is documentation.
    !made_up || is_mixed(password) || is_random(password)
}
