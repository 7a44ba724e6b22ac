//! Many files at once.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ai_assist_base::Cancel;
use ai_assist_fetch::{Answer, Client, ClientOptions, Limits, Request, TransportError};

use crate::server::{Authority, Raw, Server, ok, read_head, reply, say};
use crate::support::{body, client, limits, options, until, with_limits};

fn requests(server: &Server, count: usize) -> Vec<Request> {
    (0..count).map(|number| Request::by_user(server.url(&format!("/{number}")))).collect()
}

fn bytes(outcome: Result<Answer, TransportError>) -> Vec<u8> {
    match outcome {
        Ok(Answer::Body(body)) => body.bytes,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_is_delivered_once_over_few_connections() {
    let server = Server::http(|hit| ok(format!("content of {}", hit.path())));
    let mut seen = BTreeSet::new();
    let outcome = client().get_all(&requests(&server, 300), &Cancel::default(), &mut |number, outcome| {
        assert_eq!(bytes(outcome), format!("content of /{number}").into_bytes());
        assert!(seen.insert(number));
        ControlFlow::Continue(())
    });
    assert_eq!((outcome, seen.len(), server.count()), (Ok(()), 300, 300));
    let most = limits().parallel_per_host;
    // Some more than that, since a connection may be free again a moment after the next request looked for one.
    assert!(server.connections() <= 2 * most, "{} connections for {most} at once", server.connections());
    assert_eq!(client().get_all(&[], &Cancel::default(), &mut |_, _| panic!()), Ok(()));
}

#[test]
fn over_http2_one_connection_is_enough() {
    let authority = Authority::new();
    let server = Server::https(authority.certificate(&["127.0.0.1"]), |hit| ok(hit.path().to_owned()));
    let client = Client::new(ClientOptions { ca_file: Some(authority.file()), ..options() });
    body(&client, &server.url("/first"));
    let mut count = 0;
    let outcome = client.get_all(&requests(&server, 200), &Cancel::default(), &mut |number, outcome| {
        assert_eq!(bytes(outcome), format!("/{number}").into_bytes());
        count += 1;
        ControlFlow::Continue(())
    });
    assert_eq!((outcome, count, server.count(), server.connections()), (Ok(()), 200, 201, 1));
    assert!(server.hits().iter().all(|hit| hit.version == axum::http::Version::HTTP_2));
}

/// A server that knows the most requests that it had at once. Each waits a little for others to come.
fn counting(most: Arc<AtomicUsize>, here: Arc<AtomicUsize>) -> Server {
    Server::http(move |_| {
        let now = here.fetch_add(1, Ordering::SeqCst) + 1;
        most.fetch_max(now, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(10));
        here.fetch_sub(1, Ordering::SeqCst);
        ok("")
    })
}

#[test]
fn no_more_than_the_limits_are_under_way() {
    let all = Arc::new(AtomicUsize::new(0));
    let (most_a, most_b) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (a, b) = (counting(most_a.clone(), Arc::default()), counting(most_b.clone(), Arc::default()));
    let client = with_limits(Limits { parallel: 5, parallel_per_host: 3, ..limits() });
    let mixed: Vec<_> = [requests(&a, 40), requests(&b, 40)].concat();
    let count = all.clone();
    let outcome = client.get_all(&mixed, &Cancel::default(), &mut |_, outcome| {
        bytes(outcome);
        count.fetch_add(1, Ordering::SeqCst);
        ControlFlow::Continue(())
    });
    assert_eq!((outcome, all.load(Ordering::SeqCst)), (Ok(()), 80));
    let (most_a, most_b) = (most_a.load(Ordering::SeqCst), most_b.load(Ordering::SeqCst));
    assert!((2..=3).contains(&most_a) && (2..=3).contains(&most_b), "{most_a} {most_b}");
}

#[test]
fn all_of_them_together_have_a_limit_too() {
    let (most, here) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let servers: Vec<_> = (0..4).map(|_| counting(most.clone(), here.clone())).collect();
    let mixed: Vec<_> = servers.iter().flat_map(|server| requests(server, 10)).collect();
    let client = with_limits(Limits { parallel: 3, parallel_per_host: 2, ..limits() });
    client.get_all(&mixed, &Cancel::default(), &mut |_, _| ControlFlow::Continue(())).unwrap();
    assert!((2..=3).contains(&most.load(Ordering::SeqCst)), "{most:?}");
}

#[test]
fn who_takes_their_time_is_waited_for() {
    let server = Server::http(|_| ok("x"));
    let client = with_limits(Limits { parallel: 4, parallel_per_host: 4, ..limits() });
    let mut delivered = 0;
    let outcome = client.get_all(&requests(&server, 20), &Cancel::default(), &mut |_, outcome| {
        bytes(outcome);
        if delivered == 0 {
            until("the others", || server.count() == 4);
            // More would come now, if any could.
            std::thread::sleep(Duration::from_millis(100));
        }
        // Four at most are there that were not delivered, this one among them.
        assert!(server.count() <= delivered + 4, "{} after {delivered}", server.count());
        delivered += 1;
        ControlFlow::Continue(())
    });
    assert_eq!((outcome, delivered), (Ok(()), 20));
}

#[test]
fn it_ends_when_the_receiver_has_enough() {
    let server = Server::http(|_| ok("x"));
    let client = with_limits(Limits { parallel: 4, ..limits() });
    let mut delivered = 0;
    let outcome = client.get_all(&requests(&server, 100), &Cancel::default(), &mut |_, _| {
        delivered += 1;
        if delivered == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((outcome, delivered), (Ok(()), 3));
    assert!(server.count() <= 6, "{}", server.count());
}

#[test]
fn one_failure_is_one_failure() {
    let server = Server::http(|hit| match hit.path() {
        "/3" => reply(404, &[], ""),
        "/5" => reply(200, &[], "x".repeat(2000)),
        path => ok(path.to_owned()),
    });
    let mut all = requests(&server, 8);
    all.push(Request::by_package(server.url("/8"), false));
    let client = with_limits(Limits { max_file_bytes: 1000, ..limits() });
    let mut outcomes: Vec<Option<Result<Answer, TransportError>>> = vec![None; 9];
    let outcome = client.get_all(&all, &Cancel::default(), &mut |number, outcome| {
        outcomes[number] = Some(outcome);
        ControlFlow::Continue(())
    });
    assert_eq!(outcome, Ok(()));
    for (number, outcome) in outcomes.into_iter().map(Option::unwrap).enumerate() {
        match (number, outcome) {
            (3, Err(error)) => assert!(error.is_missing()),
            (5, Err(TransportError::TooLarge { limit: 1000, announced: Some(2000), .. })) => {}
            (8, Err(TransportError::PrivateHost { .. })) => {}
            (_, outcome) => assert_eq!(bytes(outcome), format!("/{number}").into_bytes()),
        }
    }
    assert_eq!(server.count(), 8);
}

#[test]
fn retries_are_made_among_many_too() {
    let server = Raw::start(|number, stream| {
        let head = read_head(stream);
        let path = head.split(' ').nth(1).unwrap().to_owned();
        let broken = number % 2 == 0;
        let length = path.len() + if broken { 10 } else { 0 };
        say(stream, &format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{path}"));
    });
    // Half of all connections break; that one request meets ten such in a row is as good as impossible.
    let client = with_limits(Limits { attempts: 30, ..limits() });
    let all: Vec<_> = (0..50).map(|n| Request::by_user(server.url().join(&n.to_string()).unwrap())).collect();
    let mut count = 0;
    client
        .get_all(&all, &Cancel::default(), &mut |number, outcome| {
            assert_eq!(bytes(outcome), format!("/{number}").into_bytes());
            count += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(count == 50 && server.count() >= 99, "{count} {}", server.count());
}

#[test]
fn the_receiver_can_use_the_client() {
    let server = Server::http(|hit| ok(hit.path().to_owned()));
    let client = client();
    let mut count = 0;
    client
        .get_all(&requests(&server, 10), &Cancel::default(), &mut |_, _| {
            assert_eq!(body(&client, &server.url("/more")).bytes, b"/more");
            count += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((count, server.count()), (10, 20));
}

#[test]
fn several_threads_can_use_one_client() {
    let server = Server::http(|hit| ok(hit.path().to_owned()));
    let client = client();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                client.get_all(&requests(&server, 25), &Cancel::default(), &mut |number, outcome| {
                    assert_eq!(bytes(outcome), format!("/{number}").into_bytes());
                    ControlFlow::Continue(())
                })
            });
        }
    });
    assert_eq!(server.count(), 100);
}

#[test]
fn a_host_that_nobody_answers_for_is_given_up() {
    // Nobody listens where a listener was a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = Server::http(|hit| ok(hit.path().to_owned()));
    let mut all: Vec<Request> =
        (0..100).map(|n| Request::by_user(format!("http://127.0.0.1:{port}/{n}").parse().unwrap())).collect();
    all.extend(requests(&server, 20));
    let (mut given_up, mut failed, mut had) = (0, 0, 0);
    let outcome = client().get_all(&all, &Cancel::default(), &mut |number, outcome| {
        match outcome {
            Ok(_) => had += 1,
            Err(TransportError::GivenUp { url, .. }) => {
                assert!(url.ends_with(&format!("/{number}")), "{url}");
                given_up += 1;
            }
            Err(_) => failed += 1,
        }
        ControlFlow::Continue(())
    });
    assert_eq!((outcome, had, given_up + failed), (Ok(()), 20, 100));
    assert!(failed <= 5 + limits().parallel_per_host, "{failed}");
}
