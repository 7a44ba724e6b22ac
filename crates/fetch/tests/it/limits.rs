//! How much, and how long.

use std::io::Write;
use std::time::{Duration, Instant};

use ai_assist_base::Cancel;
use ai_assist_fetch::{Answer, Client, Limits, Request, TransportError, Wait};

use crate::server::{Raw, Server, ok, read_head, reply, say, until_hung_up};
use crate::support::{body, client, download, error, limits, url, with_limits};

fn most(client: &Client, at: &url::Url, bytes: u64) -> Result<Answer, TransportError> {
    client.get(&Request::by_user(at.clone()), bytes, &Cancel::default())
}

#[test]
fn a_length_above_the_limit_is_refused_without_reading() {
    // Nothing follows, so a client that reads would wait.
    let server = Raw::start(|_, stream| {
        read_head(stream);
        say(stream, "HTTP/1.1 200 OK\r\ncontent-length: 1000000000000\r\n\r\n");
        until_hung_up(stream);
    });
    let refused =
        TransportError::TooLarge { url: server.url().to_string(), limit: 1000, announced: Some(1_000_000_000_000) };
    assert_eq!(most(&client(), &server.url(), 1000), Err(refused.clone()));
    let (outcome, written) = download(&client(), &Request::by_user(server.url()), 1000);
    assert_eq!((outcome, written), (Err(refused), b"what was here before".to_vec()));
    assert_eq!(server.count(), 2, "asking again would not help");
}

#[test]
fn a_body_without_length_is_cut_off() {
    for head in ["", "transfer-encoding: chunked\r\n"] {
        let server = Raw::start(move |_, stream| {
            read_head(stream);
            say(stream, &format!("HTTP/1.1 200 OK\r\n{head}\r\n"));
            let chunk = if head.is_empty() { "x".repeat(1000) } else { format!("3e8\r\n{}\r\n", "x".repeat(1000)) };
            // Without end.
            while say(stream, &chunk) {}
        });
        let refused = TransportError::TooLarge { url: server.url().to_string(), limit: 100_000, announced: None };
        assert_eq!(most(&client(), &server.url(), 100_000), Err(refused.clone()));
        let (outcome, written) = download(&client(), &Request::by_user(server.url()), 100_000);
        assert_eq!(outcome, Err(refused.clone()));
        assert!(written.len() <= 100_000, "{}", written.len());
        assert!(refused.to_string().contains("100000 bytes") && refused.hint().is_some());
        assert_eq!(server.count(), 2);
    }
}

#[test]
fn as_much_as_the_limit_is_allowed() {
    let server = Server::http(|_| ok("12345"));
    assert!(most(&client(), &server.url("/"), 5).is_ok());
    assert!(matches!(most(&client(), &server.url("/"), 4), Err(TransportError::TooLarge { limit: 4, .. })));
}

#[test]
fn all_files_together_have_a_limit() {
    let server = Server::http(|_| ok("x".repeat(40)));
    let client = with_limits(Limits { max_total_bytes: 100, ..limits() });
    body(&client, &server.url("/1"));
    body(&client, &server.url("/2"));
    let found = error(&client, &server.url("/3"));
    assert_eq!(found, TransportError::TotalTooLarge { url: server.url("/3").to_string(), limit: 100 });
    assert_eq!(server.count(), 3, "asking again would not help");
    body(&with_limits(Limits { max_total_bytes: 100, ..limits() }), &server.url("/4"));

    let endless = Raw::start(|_, stream| {
        read_head(stream);
        say(stream, "HTTP/1.1 200 OK\r\n\r\n");
        while say(stream, &"x".repeat(1000)) {}
    });
    let found = error(&client, &endless.url());
    assert!(matches!(found, TransportError::TotalTooLarge { limit: 100, .. }), "{found:?}");
}

#[test]
fn large_heads_are_refused() {
    let server = Raw::start(|_, stream| {
        read_head(stream);
        say(stream, "HTTP/1.1 200 OK\r\n");
        while say(stream, &format!("x-filler: {}\r\n", "x".repeat(1000))) {}
    });
    let found = error(&with_limits(Limits { attempts: 1, ..limits() }), &server.url());
    assert!(matches!(found, TransportError::Connect { .. }), "{found:?}");
}

/// Times so short that a test can wait for them, and one attempt.
fn hurried() -> Limits {
    Limits {
        attempts: 1,
        connect_timeout: Duration::from_millis(900),
        idle_timeout: Duration::from_millis(300),
        ..limits()
    }
}

fn timeout(client: &Client, at: &url::Url) -> (Wait, Duration) {
    match error(client, at) {
        TransportError::Timeout { wait, limit, .. } => (wait, limit),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_connection_that_is_never_made_is_given_up() {
    // It is accepted, but no TLS is spoken.
    let server = Raw::start(|_, stream| until_hung_up(stream));
    let at = url(&format!("https://{}/", server.address));
    assert_eq!(timeout(&with_limits(hurried()), &at), (Wait::Connect, Duration::from_millis(900)));
    let twice = with_limits(Limits { attempts: 2, ..hurried() });
    assert_eq!(timeout(&twice, &at).0, Wait::Connect);
    assert_eq!(server.count(), 3, "a timeout may pass");
}

#[test]
fn silence_is_given_up() {
    for text in
        ["", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello"]
    {
        let server = Raw::start(move |_, stream| {
            read_head(stream);
            say(stream, text);
            until_hung_up(stream);
        });
        assert_eq!(timeout(&with_limits(hurried()), &server.url()), (Wait::Idle, Duration::from_millis(300)));
    }
}

fn dripping(start: &'static str) -> Raw {
    Raw::start(move |_, stream| {
        read_head(stream);
        say(stream, start);
        while say(stream, "x") {
            std::thread::sleep(Duration::from_millis(10));
        }
    })
}

#[test]
fn a_dripping_body_is_given_up() {
    let server = dripping("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n");
    let limits =
        Limits { request_timeout: Duration::from_millis(400), idle_timeout: Duration::from_secs(60), ..hurried() };
    assert_eq!(timeout(&with_limits(limits), &server.url()), (Wait::Request, Duration::from_millis(400)));
}

#[test]
fn a_dripping_head_is_given_up() {
    let server = dripping("HTTP/1.1 200 OK\r\nx-drip: ");
    assert_eq!(timeout(&with_limits(hurried()), &server.url()).0, Wait::Idle);
}

#[test]
fn all_requests_together_have_a_limit_of_time() {
    let server = dripping("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n");
    let client = with_limits(Limits { total_timeout: Duration::from_millis(400), ..limits() });
    let out_of_time =
        |found: &TransportError| matches!(found, TransportError::TotalTime { limit, .. } if limit.as_millis() == 400);
    let found = error(&client, &server.url());
    assert!(out_of_time(&found), "{found:?}");
    let found = error(&client, &server.url());
    assert!(out_of_time(&found), "{found:?}");
    assert_eq!(server.count(), 1);
}

#[test]
fn no_pause_outlasts_the_limit_of_time() {
    let server = Server::http(|_| reply(503, &[("retry-after", "60")], ""));
    let client = with_limits(Limits { total_timeout: Duration::from_secs(20), ..limits() });
    let started = Instant::now();
    assert!(matches!(error(&client, &server.url("/")), TransportError::TotalTime { .. }));
    assert!(started.elapsed() < Duration::from_secs(15), "it is said at once");
    assert_eq!(server.count(), 1);
}

#[test]
fn more_bytes_than_announced_are_not_read() {
    let server = Raw::start(|_, stream| {
        read_head(stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello and more");
    });
    assert_eq!(body(&client(), &server.url()).bytes, b"hello");
}

#[test]
fn a_page_that_drips_is_left_after_its_time() {
    let server = Raw::start(|_, stream| {
        read_head(stream);
        say(stream, "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\ncontent-type: text/html\r\n\r\n");
        while say(stream, "x") {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    let manner = ai_assist_fetch::Manner { longest: Some(Duration::from_millis(400)), ..Default::default() };
    let request = Request { manner, ..Request::by_user(server.url()) };
    let started = Instant::now();
    let found = client().get(&request, 1 << 20, &Cancel::default()).unwrap_err();
    assert!(matches!(found, TransportError::Timeout { wait: Wait::Page, .. }), "{found:?}");
    assert!(started.elapsed() < Duration::from_secs(20) && server.count() == 1, "it is not asked again");
}
