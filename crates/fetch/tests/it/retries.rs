//! What is tried again, how often, and when.

use std::time::{Duration, Instant, SystemTime};

use ai_assist_fetch::{Downloaded, Limits, Request, TransportError};
use ai_assist_identity::Sha256;

use crate::server::{Raw, Server, ok, read_head, reply, say};
use crate::support::{SMALL, body, client, download, error, limits, with_limits};

#[test]
fn passing_failures_are_tried_again() {
    for status in [408, 425, 429, 500, 502, 503, 504] {
        let server = Server::http(move |hit| if hit.number < 3 { reply(status, &[], "") } else { ok("hello") });
        assert_eq!(body(&client(), &server.url("/")).bytes, b"hello", "{status}");
        assert_eq!(server.count(), 4);
    }
}

#[test]
fn but_not_for_ever() {
    let server = Server::http(|_| reply(503, &[], ""));
    let found = error(&with_limits(Limits { attempts: 3, ..limits() }), &server.url("/"));
    assert!(matches!(found, TransportError::Status { status: 503, .. }), "{found:?}");
    assert_eq!(server.count(), 3);
    error(&with_limits(Limits { attempts: 0, ..limits() }), &server.url("/"));
    assert_eq!(server.count(), 4, "once at least");
}

#[test]
fn other_failures_are_final() {
    for status in [400, 401, 403, 404, 410, 418, 451, 501, 505] {
        let server = Server::http(move |_| reply(status, &[("retry-after", "1")], ""));
        let found = error(&client(), &server.url("/file"));
        assert!(matches!(found, TransportError::Status { status: s, .. } if s == status), "{found:?}");
        assert_eq!(found.is_missing(), matches!(status, 404 | 410));
        assert_eq!(server.count(), 1, "{status}");
    }
}

#[test]
fn the_server_is_given_the_time_it_asks_for() {
    let date = |seconds| {
        let at = jiff::Timestamp::try_from(SystemTime::now() + Duration::from_secs(seconds)).unwrap();
        jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&at).unwrap()
    };
    for seconds in [false, true] {
        let server = Server::http(move |hit| match hit.number {
            // A date has whole seconds, so two from now are more than one.
            0 if seconds => reply(503, &[("retry-after", "1")], ""),
            0 => reply(429, &[("retry-after", &date(2))], ""),
            _ => ok("hello"),
        });
        let started = Instant::now();
        body(&client(), &server.url("/"));
        assert!(started.elapsed() >= Duration::from_millis(990), "{:?}", started.elapsed());
        assert_eq!(server.count(), 2);
    }
}

#[test]
fn but_no_more_than_a_minute() {
    let server = Server::http(|_| reply(429, &[("retry-after", "61")], ""));
    let found = error(&client(), &server.url("/"));
    let asked = Some(Duration::from_secs(61));
    assert!(matches!(found, TransportError::Status { status: 429, retry_after, .. } if retry_after == asked));
    assert!(found.hint().unwrap().contains("wait 61 seconds"), "{:?}", found.hint());
    assert_eq!(server.count(), 1);
}

#[test]
fn connections_that_break_are_tried_again() {
    let server = Raw::start(|number, stream| match number {
        0 => {}
        1 => drop(read_head(stream)),
        2 => {
            read_head(stream);
            say(stream, "HTTP/1.1 200 OK\r\ncontent-le");
        }
        _ => {
            read_head(stream);
            say(stream, "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello");
        }
    });
    assert_eq!(body(&client(), &server.url()).bytes, b"hello");
    assert_eq!(server.count(), 4);
}

#[test]
fn a_body_that_breaks_off_is_fetched_again_from_its_beginning() {
    for short in [
        "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nthe beginning of something else",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1f\r\nthe beginning of something else\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1f\r\nthe beginning of someth",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n",
    ] {
        let server = Raw::start(move |number, stream| {
            read_head(stream);
            let whole = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello";
            say(stream, if number % 2 == 0 { short } else { whole });
        });
        assert_eq!(body(&client(), &server.url()).bytes, b"hello");
        assert_eq!(server.count(), 2);
        let (outcome, written) = download(&client(), &Request::by_user(server.url()), SMALL);
        let Ok(Downloaded::Whole { bytes: 5, hash, .. }) = outcome else { panic!("{outcome:?}") };
        assert_eq!((hash, written.as_slice()), (Sha256::of(b"hello"), &b"hello"[..]));
        assert_eq!(server.count(), 4);
    }
}

#[test]
fn a_body_that_always_breaks_off_is_no_body() {
    let server = Raw::saying("HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nshort");
    let found = error(&client(), &server.url());
    assert!(matches!(found, TransportError::Truncated { received: 5, .. }), "{found:?}");
    assert_eq!(server.count(), 4);
}

#[test]
fn what_is_no_http_is_said() {
    let server = Raw::saying("220 mail.example ESMTP\r\n");
    let found = error(&client(), &server.url());
    assert!(matches!(found, TransportError::Connect { .. }), "{found:?}");
    assert!(found.to_string().contains("invalid HTTP"), "{found}");
}
