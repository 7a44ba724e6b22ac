//! What is read from, and written into, headers.

use std::time::{Duration, SystemTime};

use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::RequestBuilder;
use reqwest::header::{
    CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
    RETRY_AFTER,
};

use url::Url;

use super::Validators;
use crate::Credential;

/// Longer validators are not kept: they are stored, and sent with every request.
const LONGEST_VALIDATOR: usize = 512;

pub(super) fn with_validators(mut request: RequestBuilder, validators: &Validators) -> RequestBuilder {
    for (name, value) in [(IF_NONE_MATCH, &validators.etag), (IF_MODIFIED_SINCE, &validators.last_modified)] {
        if let Some(value) = value.as_deref().filter(|value| is_plain(value.as_bytes())) {
            request = request.header(name, value);
        }
    }
    request
}

pub(super) fn with_credential(request: RequestBuilder, credential: &Credential) -> RequestBuilder {
    match credential {
        Credential::Bearer(token) => request.bearer_auth(token.expose()),
        Credential::Basic { user, password } => request.basic_auth(user.expose(), Some(password.expose())),
    }
}

pub(super) fn validators(headers: &HeaderMap) -> Validators {
    let plain = |name: HeaderName| {
        let value = headers.get(name)?.as_bytes();
        if is_plain(value) { String::from_utf8(value.to_vec()).ok() } else { None }
    };
    Validators { etag: plain(ETAG), last_modified: plain(LAST_MODIFIED) }
}

/// What a server says that it sends, without parameters.
pub(super) fn content_type(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let kind = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    (kind.contains('/') && kind.len() <= LONGEST_VALIDATOR).then_some(kind)
}

/// How the bytes are compressed for the way, if they are.
pub(super) fn encoding(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(CONTENT_ENCODING)?.to_str().ok()?.trim().to_ascii_lowercase();
    (!text.is_empty() && text != "identity").then(|| text.chars().take(40).collect())
}

pub(super) fn robots_tag(headers: &HeaderMap) -> Option<String> {
    let values: Vec<String> = headers
        .get_all("x-robots-tag")
        .iter()
        .filter_map(|value| Some(value.to_str().ok()?.to_ascii_lowercase()))
        .collect();
    (!values.is_empty()).then(|| values.join(","))
}

/// Whether a content type is one of something people read. Where it says nothing, the name does.
pub(super) fn is_document(kind: &str, url: &Url) -> bool {
    let extension =
        url.path().rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension);
    let named = |known: &[&str]| extension.is_some_and(|it| known.iter().any(|known| it.eq_ignore_ascii_case(known)));
    match kind {
        "text/css" | "text/javascript" | "text/xml" | "text/csv" | "text/calendar" | "text/x-component" => false,
        "application/xhtml+xml" | "application/pdf" | "application/epub+zip" | "application/x-ipynb+json" => true,
        "application/octet-stream" | "binary/octet-stream" | "application/zip" | "application/json" => named(&[
            "md", "markdown", "txt", "pdf", "rst", "adoc", "org", "ipynb", "epub", "docx", "pptx", "xlsx", "odt",
        ]),
        kind => {
            kind.starts_with("text/")
                || kind.starts_with("application/vnd.openxmlformats-officedocument")
                || kind.starts_with("application/vnd.oasis.opendocument.text")
        }
    }
}

fn is_plain(value: &[u8]) -> bool {
    (1..=LONGEST_VALIDATOR).contains(&value.len()) && value.iter().all(|b| matches!(b, b' '..=b'~'))
}

/// How long a server asks to wait: in seconds, or until a date.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        // A number too large for 64 bits is still a long time.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let date = SystemTime::from(DateTimeParser::new().parse_timestamp(text).ok()?);
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn headers(name: HeaderName, value: &[u8]) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_bytes(value).unwrap())])
    }

    #[test]
    fn waiting_times_are_read() {
        // 784111777 is what `date -d 'Sun, 06 Nov 1994 08:49:37 GMT' +%s` says.
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        for (value, expected) in [
            ("0", Some(0)),
            ("120", Some(120)),
            (" 7 ", Some(7)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("Sun, 06 Nov 1994 08:40:37 GMT", Some(0)),
            ("soon", None),
            ("-1", None),
            ("1.5", None),
            ("", None),
        ] {
            let wait = retry_after(&headers(RETRY_AFTER, value.as_bytes()), now);
            assert_eq!(wait, expected.map(Duration::from_secs), "{value}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }

    #[test]
    fn only_plain_validators_are_kept() {
        let long = "x".repeat(LONGEST_VALIDATOR);
        for (value, kept) in [
            (&b"\"abc\""[..], true),
            (b"W/\"a b\"", true),
            (long.as_bytes(), true),
            (format!("{long}x").as_bytes(), false),
            (b"\"\xe9\"", false),
            (b"a\tb", false),
            (b"", false),
        ] {
            let found = validators(&headers(ETAG, value));
            assert_eq!(found.etag.map(String::into_bytes), kept.then(|| value.to_vec()));
            assert_eq!(validators(&headers(LAST_MODIFIED, value)).last_modified.is_some(), kept);
        }
    }
}
