//! Ending early.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ai_assist_base::Cancel;
use ai_assist_fetch::{Request, TransportError};

use crate::server::{Raw, Server, read_head, reply, say, until_hung_up};
use crate::support::{SMALL, client, until};

/// Says the beginning of a file and nothing more.
fn hanging() -> Raw {
    Raw::start(|_, stream| {
        read_head(stream);
        say(stream, "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello");
        until_hung_up(stream);
    })
}

#[test]
fn every_call_ends_when_it_is_told_to() {
    let server = hanging();
    let request = Request::by_user(server.url());
    for call in 0..3_usize {
        let before = server.count();
        let counted = server.connections.clone();
        let stop = Cancel::when(move || counted.load(Ordering::SeqCst) > before);
        let client = client();
        let outcome = match call {
            0 => client.get(&request, SMALL, &stop).map(drop),
            1 => client.download(&request, SMALL, &mut tempfile::tempfile().unwrap(), &stop, &mut |_, _| {}).map(drop),
            _ => client.get_all(&vec![request.clone(); 5], &stop, &mut |_, _| ControlFlow::Continue(())),
        };
        assert_eq!(outcome, Err(TransportError::Cancelled));
    }
}

#[test]
fn it_is_asked_several_times_a_second_also_while_nothing_happens() {
    let server = hanging();
    let (asked, started) = (Arc::new(AtomicUsize::new(0)), Instant::now());
    let count = asked.clone();
    let stop = Cancel::when(move || {
        count.fetch_add(1, Ordering::SeqCst);
        started.elapsed() > Duration::from_millis(1000)
    });
    assert_eq!(client().get(&Request::by_user(server.url()), SMALL, &stop), Err(TransportError::Cancelled));
    // Every 100 ms at least would be ten times; a busy machine is slower.
    assert!(asked.load(Ordering::SeqCst) >= 5, "{asked:?}");
}

#[test]
fn a_pause_between_attempts_can_be_ended() {
    let started = Instant::now();
    let came = Arc::new(AtomicBool::new(false));
    let seen = came.clone();
    let server = Server::http(move |_| {
        seen.store(true, Ordering::SeqCst);
        reply(503, &[("retry-after", "60")], "")
    });
    let outcome =
        client().get(&Request::by_user(server.url("/")), SMALL, &Cancel::when(move || came.load(Ordering::SeqCst)));
    assert_eq!(outcome, Err(TransportError::Cancelled));
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn what_was_cancelled_is_not_fetched_on() {
    static HUNG_UP: AtomicUsize = AtomicUsize::new(0);
    let server = Raw::start(|_, stream| {
        read_head(stream);
        say(stream, "HTTP/1.1 200 OK\r\n\r\n");
        while say(stream, &"x".repeat(1000)) {
            std::thread::sleep(Duration::from_millis(1));
        }
        HUNG_UP.fetch_add(1, Ordering::SeqCst);
    });
    let client = client();
    let (request, received) = (Request::by_user(server.url()), Arc::new(AtomicUsize::new(0)));
    let seen = received.clone();
    let outcome = client.download(
        &request,
        u64::MAX,
        &mut tempfile::tempfile().unwrap(),
        &Cancel::when(move || seen.load(Ordering::SeqCst) > 10_000),
        &mut |bytes, _| received.store(usize::try_from(bytes).unwrap(), Ordering::SeqCst),
    );
    assert_eq!(outcome, Err(TransportError::Cancelled));
    until("hanging up", || HUNG_UP.load(Ordering::SeqCst) == 1);
    let counted = server.connections.clone();
    let outcome = client.get(&request, u64::MAX, &Cancel::when(move || counted.load(Ordering::SeqCst) == 2));
    assert_eq!(outcome, Err(TransportError::Cancelled));
    until("hanging up", || HUNG_UP.load(Ordering::SeqCst) == 2);
}

#[test]
fn a_client_can_be_used_and_dropped_inside_a_runtime() {
    let server = Server::http(|_| reply(200, &[], "hello"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    runtime.block_on(async {
        let client = client();
        assert_eq!(crate::support::body(&client, &server.url("/")).bytes, b"hello");
    });
}
