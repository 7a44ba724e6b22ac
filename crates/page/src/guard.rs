//! What every answer says to the browser, and who may change something.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::pages::Pages;

/// Our own files and nothing else: no script or style within a page, nothing from elsewhere, no frames.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const ALWAYS: [(HeaderName, &str); 6] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    // With `no-referrer` a browser would send `Origin: null` with our own forms.
    (REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

pub(crate) async fn protect(State(pages): State<Arc<Pages>>, request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    // Colours are the reader's own.
    let changes = !reads && request.uri().path() != "/theme";
    let mut response = if changes && pages.host.is_read_only() {
        (StatusCode::FORBIDDEN, "this server was started with --read-only: it changes nothing\n").into_response()
    } else if reads || is_same_origin(request.headers()) {
        next.run(request).await
    } else {
        let said = "this was not sent by a page of this server; open the page itself and try again there\n";
        (StatusCode::FORBIDDEN, said).into_response()
    };
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Whether a page of this very host and port sent it. Another port of this machine is another origin.
fn is_same_origin(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let (Some(origin), Some(host)) = (text(ORIGIN), text(HOST)) else { return false };
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_origin_may_change_something() {
        let cases = [
            (Some("http://127.0.0.1:7777"), true),
            (Some("http://127.0.0.1:7778"), false),
            (Some("http://localhost:7777"), false),
            (Some("http://127.0.0.1:7777.evil.example"), false),
            (Some("null"), false),
            (None, false),
        ];
        for (origin, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_static("127.0.0.1:7777"));
            if let Some(origin) = origin {
                headers.insert(ORIGIN, HeaderValue::from_static(origin));
            }
            assert_eq!(is_same_origin(&headers), expected, "{origin:?}");
        }
    }
}
