//! One request with its redirects, and again if it fails for a reason that may pass.

use std::error::Error;
use std::io;
use std::time::{Duration, Instant, SystemTime};

use reqwest::{Response, StatusCode};
use tokio::time::{sleep, timeout};
use url::Url;

use super::connections::{Connections, PrivateAddress, Route};
use super::redirect::Redirect;
use super::sink::Sink;
use super::{CredentialsUse, Request, Result, TransportError, Validators, Wait, headers, shown};
use crate::Limits;

/// The longest pause between attempts, unless the server asks for a longer one.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// What is known of an answer besides its bytes, which are in the sink.
#[derive(Debug)]
pub(super) struct Got {
    pub(super) modified: bool,
    pub(super) validators: Validators,
    pub(super) private: bool,
    pub(super) url: Url,
    pub(super) content_type: Option<String>,
    pub(super) robots_tag: Option<String>,
}

/// Fetches a file of at most `most` bytes into the sink.
pub(super) async fn fetch(connections: &Connections, request: &Request, most: u64, sink: &mut Sink) -> Result<Got> {
    let limits = &connections.options.limits;
    let mut attempt = 1;
    loop {
        let error = match once(connections, request, most, sink).await {
            Ok(got) => return Ok(got),
            Err(error) => error,
        };
        if attempt >= limits.attempts || !error.may_pass() {
            return Err(error);
        }
        let pause = pause(limits, attempt, &error);
        if let TransportError::Status { retry_after: Some(wait), .. } = &error {
            // What one request is told holds for all that would follow it.
            connections.hold(request, *wait);
        }
        if pause >= connections.time_left(&request.url)? {
            return Err(connections.out_of_time(&request.url));
        }
        sleep(pause).await;
        attempt += 1;
    }
}

/// A random part of a time that doubles with each attempt, so that many clients don't come back at once; but not before
/// the server wants us back.
fn pause(limits: &Limits, attempt: u32, error: &TransportError) -> Duration {
    let longest = limits.backoff.saturating_mul(2_u32.saturating_pow(attempt - 1)).min(LONGEST_PAUSE);
    let asked = match error {
        TransportError::Status { retry_after, .. } => retry_after.unwrap_or_default(),
        _ => Duration::ZERO,
    };
    longest.mul_f64(fastrand::f64()).max(asked)
}

/// One attempt, within the time that one request and all requests together may take.
async fn once(connections: &Connections, request: &Request, most: u64, sink: &mut Sink) -> Result<Got> {
    let left = connections.time_left(&request.url)?;
    let limit = connections.options.limits.request_timeout;
    match timeout(limit.min(left), follow(connections, request, most, sink)).await {
        Ok(outcome) => outcome,
        Err(_) if left <= limit => Err(connections.out_of_time(&request.url)),
        Err(_) => Err(TransportError::Timeout { url: shown(&request.url), wait: Wait::Request, limit }),
    }
}

/// Goes from redirect to redirect until there is an answer.
async fn follow(connections: &Connections, request: &Request, most: u64, sink: &mut Sink) -> Result<Got> {
    let limit = connections.options.limits.max_redirects;
    let mut redirect = Redirect::first(request);
    for _ in 0..=limit {
        redirect.check(&connections.options)?;
        let route = connections.route(&redirect.url, redirect.private_allowed)?;
        let _turn = connections.turn(request).await;
        let begun = Instant::now();
        let (response, credentials) = send(connections, &redirect, route, request).await?;
        match response.status() {
            StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT => {
                redirect = redirect.redirected(&response, route)?;
                if request.manner.stay {
                    let url = shown(&request.url);
                    return Err(TransportError::Moved { url, to: Box::new(redirect.url) });
                }
            }
            status => {
                let private = redirect.is_private(response.remote_addr(), route);
                let asked = request.validators != Validators::default();
                let mut got = Got {
                    modified: true,
                    validators: headers::validators(response.headers()),
                    private,
                    url: redirect.url,
                    content_type: headers::content_type(response.headers()),
                    robots_tag: headers::robots_tag(response.headers()),
                };
                match status {
                    StatusCode::OK | StatusCode::NON_AUTHORITATIVE_INFORMATION => {
                        if let Some(kind) = got.content_type.as_ref().filter(|_| request.manner.documents_only)
                            && !headers::is_document(kind, &got.url)
                        {
                            return Err(TransportError::OtherType { url: shown(&got.url), kind: kind.clone() });
                        }
                        let encoding = headers::encoding(response.headers());
                        let end = request.manner.longest.map(|longest| (begun + longest, longest));
                        read(connections, response, (&got.url, end), most, sink).await?;
                        if let Some(encoding) = encoding.filter(|_| request.manner.compressed) {
                            sink.decode(&encoding, most, &got.url)?;
                        }
                    }
                    StatusCode::NOT_MODIFIED if asked => got.modified = false,
                    _ => return Err(status_error(&response, &got.url, credentials)),
                }
                return Ok(got);
            }
        }
    }
    Err(TransportError::Redirects { url: shown(&request.url), limit })
}

fn status_error(response: &Response, url: &Url, credentials: CredentialsUse) -> TransportError {
    TransportError::Status {
        url: shown(url),
        status: response.status().as_u16(),
        credentials,
        retry_after: headers::retry_after(response.headers(), SystemTime::now()),
    }
}

/// Sends one request and waits for the head of the answer.
async fn send(
    connections: &Connections,
    redirect: &Redirect,
    route: Route,
    asked: &Request,
) -> Result<(Response, CredentialsUse)> {
    let limits = &connections.options.limits;
    let mut request = headers::with_validators(connections.client(route).get(redirect.url.clone()), &asked.validators);
    if asked.manner.compressed {
        request = request.header(reqwest::header::ACCEPT_ENCODING, "gzip");
    }
    if let Some(accept) = asked.manner.accept {
        request = request.header(reqwest::header::ACCEPT, accept);
    }
    let (credential, credentials) = redirect.credential(&connections.options);
    if let Some(credential) = credential {
        request = headers::with_credential(request, credential);
    }
    // Connecting has its own limit, within this one. All of the head must come in this time, so that it can't be dripped.
    match timeout(limits.connect_timeout.saturating_add(limits.idle_timeout), request.send()).await {
        Ok(Ok(response)) => Ok((response, credentials)),
        Ok(Err(error)) => Err(send_error(connections, redirect, error)),
        Err(_) => {
            Err(TransportError::Timeout { url: shown(&redirect.url), wait: Wait::Idle, limit: limits.idle_timeout })
        }
    }
}

fn send_error(connections: &Connections, redirect: &Redirect, error: reqwest::Error) -> TransportError {
    let url = shown(&redirect.url);
    if caused_by::<PrivateAddress>(&error) {
        return redirect.private_host();
    }
    if error.is_builder() {
        return TransportError::BadUrl { url, reason: shown::reason(error) };
    }
    if error.is_timeout() && error.is_connect() {
        return TransportError::Timeout { url, wait: Wait::Connect, limit: connections.options.limits.connect_timeout };
    }
    if caused_by::<rustls::Error>(&error) {
        return TransportError::Tls { url, reason: shown::reason(error), authorities: connections.authorities };
    }
    TransportError::Connect { url, reason: shown::reason(error) }
}

/// Whether an error of this type is among the causes, also where it is wrapped in an `io::Error`, which hides it.
fn caused_by<T: Error + 'static>(error: &dyn Error) -> bool {
    let mut cause = error.source();
    while let Some(inner) = cause {
        let wrapped = inner.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if inner.is::<T>() || wrapped.is_some_and(|wrapped| wrapped.is::<T>()) {
            return true;
        }
        cause = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => inner.source(),
        };
    }
    false
}

/// Reads a body, and stops as soon as it is too much or takes too long.
async fn read(
    connections: &Connections,
    mut response: Response,
    (url, end): (&Url, Option<(Instant, Duration)>),
    most: u64,
    sink: &mut Sink,
) -> Result<()> {
    let announced = response.content_length();
    let too_large = || TransportError::TooLarge { url: shown(url), limit: most, announced };
    if announced.is_some_and(|length| length > most) {
        return Err(too_large());
    }
    connections.expect(announced.unwrap_or_default(), url)?;
    sink.begin(announced)?;
    let limit = connections.options.limits.idle_timeout;
    let mut received = 0;
    loop {
        let piece = match timeout(limit, response.chunk()).await {
            Err(_) => return Err(TransportError::Timeout { url: shown(url), wait: Wait::Idle, limit }),
            Ok(Err(error)) => {
                return Err(TransportError::Truncated { url: shown(url), received, reason: shown::reason(error) });
            }
            Ok(Ok(None)) => return Ok(()),
            Ok(Ok(Some(piece))) => piece,
        };
        if let Some((_, limit)) = end.filter(|(end, _)| Instant::now() > *end) {
            return Err(TransportError::Timeout { url: shown(url), wait: Wait::Page, limit });
        }
        let bytes = piece.len() as u64;
        received += bytes;
        if received > most {
            return Err(too_large());
        }
        connections.count(bytes, url)?;
        sink.take(&piece).await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_limit_and_respect_the_server() {
        let limits = Limits::default();
        let failed = TransportError::Connect { url: String::new(), reason: String::new() };
        for (attempt, longest) in
            [(1, 250), (2, 500), (3, 1000), (6, 8000), (7, 10_000), (40, 10_000), (u32::MAX, 10_000)]
        {
            let pauses: Vec<u128> = (0..200).map(|_| pause(&limits, attempt, &failed).as_millis()).collect();
            assert!(pauses.iter().all(|&pause| pause <= longest), "{attempt}: {pauses:?}");
            // That none of 200 is in the upper or lower half happens once in 2^200.
            assert!(pauses.iter().any(|&pause| pause > longest / 2) && pauses.iter().any(|&pause| pause < longest / 2));
        }
        let asked = TransportError::Status {
            url: String::new(),
            status: 503,
            credentials: CredentialsUse::None,
            retry_after: Some(Duration::from_secs(60)),
        };
        assert_eq!(pause(&limits, 1, &asked), Duration::from_secs(60));
    }
}
