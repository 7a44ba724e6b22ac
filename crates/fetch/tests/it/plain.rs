//! What is fetched from where, and how we introduce ourselves.

use ai_assist_base::Cancel;
use ai_assist_fetch::{Client, ClientOptions, Downloaded, Request, TransportError, Validators};
use ai_assist_identity::Sha256;

use crate::server::{Server, ok, reply};
use crate::support::{SMALL, body, client, download, error, get, options, url};

#[test]
fn a_file_comes_with_what_is_known_of_it() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    let server = Server::http(move |_| reply(200, &[("etag", "\"1\""), ("last-modified", date)], "hello"));
    let answer = body(&client(), &server.url("/a%20b?q=1#part"));
    assert_eq!(answer.bytes, b"hello");
    assert_eq!(answer.validators, Validators { etag: Some("\"1\"".to_owned()), last_modified: Some(date.to_owned()) });
    assert!(answer.private);
    assert_eq!(answer.url, server.url("/a%20b?q=1"));
    let hits = server.hits();
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].uri.to_string(), "/a%20b?q=1");
    assert_eq!(hits[0].header("user-agent"), Some(concat!("ai-assist/", env!("CARGO_PKG_VERSION"))));
    assert_eq!(hits[0].header("accept-encoding"), Some("identity"));
    for absent in ["authorization", "referer", "cookie", "if-none-match", "if-modified-since"] {
        assert_eq!(hits[0].header(absent), None);
    }
}

#[test]
fn a_download_replaces_the_file_and_is_hashed_on_the_way() {
    let content: Vec<u8> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
    let (served, mut told) = (content.clone(), Vec::new());
    let server = Server::http(move |_| reply(200, &[("etag", "\"1\"")], served.clone()));
    let (outcome, written) = download(&client(), &Request::by_user(server.url("/f")), 1 << 30);
    let Ok(Downloaded::Whole { bytes, hash, validators, private, url }) = outcome else { panic!("{outcome:?}") };
    assert!(written == content, "the file holds what was served, and nothing else");
    assert_eq!((bytes, hash), (content.len() as u64, Sha256::of(&content)));
    assert_eq!((validators.etag.as_deref(), private, url), (Some("\"1\""), true, server.url("/f")));

    let mut file = tempfile::tempfile().unwrap();
    let request = Request::by_user(server.url("/f"));
    client()
        .download(&request, 1 << 30, &mut file, &Cancel::default(), &mut |so_far, of| told.push((so_far, of)))
        .unwrap();
    assert!(told.windows(2).all(|pair| pair[0].0 < pair[1].0) && told.len() > 1);
    assert_eq!(told.last(), Some(&(content.len() as u64, Some(content.len() as u64))));
}

#[test]
fn an_empty_file_is_a_file() {
    let server = Server::http(|_| ok(""));
    assert_eq!(body(&client(), &server.url("/")).bytes, b"");
    let (outcome, written) = download(&client(), &Request::by_user(server.url("/")), SMALL);
    assert!(matches!(outcome, Ok(Downloaded::Whole { bytes: 0, .. })) && written.is_empty());
}

#[test]
fn packed_bytes_stay_packed() {
    // Says gzip and is not: a client that unpacks would fail.
    let server = Server::http(|_| reply(200, &[("content-encoding", "gzip")], "not gzip"));
    assert_eq!(body(&client(), &server.url("/")).bytes, b"not gzip");
}

#[test]
fn only_https_and_http_to_this_machine_are_spoken() {
    for (text, scheme) in [
        ("file:///etc/passwd", "file"),
        ("ftp://127.0.0.1/x", "ftp"),
        ("data:text/plain,x", "data"),
        ("unix:/run/x.sock", "unix"),
        ("ws://127.0.0.1/", "ws"),
    ] {
        let found = error(&client(), &url(text));
        assert!(matches!(&found, TransportError::Scheme { scheme: s, .. } if s == scheme), "{found:?}");
    }
    for text in ["http://packages.example/x", "http://10.0.0.1/", "http://x.localhost/", "http://0.0.0.0/"] {
        let found = error(&client(), &url(text));
        assert!(matches!(found, TransportError::InsecureHttp { .. }) && found.hint().is_some(), "{found:?}");
    }
    let server = Server::http(|_| ok("hello"));
    for host in ["127.0.0.1", "localhost", "LOCALHOST"] {
        assert_eq!(body(&client(), &server.url_at(host, "/")).bytes, b"hello", "{host}");
    }
}

#[test]
fn plain_http_to_other_hosts_must_be_allowed() {
    let server = Server::http(|_| ok("hello"));
    let hosts = [("packages.example".to_owned(), vec![server.address.ip()])].into();
    let options = ClientOptions { allow_http: true, hosts, ..options() };
    assert_eq!(body(&Client::new(options), &server.url_at("packages.example", "/")).bytes, b"hello");
}

#[test]
fn user_info_is_refused_and_not_shown() {
    let server = Server::http(|_| ok(""));
    for info in ["me:hush@", "hush@", ":hush@"] {
        let found = error(&client(), &url(&format!("http://{info}{}/", server.address)));
        assert_eq!(found, TransportError::UserInfo { host: "127.0.0.1".to_owned() });
        assert!(!format!("{found} {found:?} {:?}", found.hint()).contains("hush"));
    }
    assert_eq!(server.count(), 0);
}

#[test]
fn a_url_that_no_server_would_take_is_not_asked_for() {
    let server = Server::http(|_| ok(""));
    for length in [8000, 9000, 70_000] {
        let outcome = get(&client(), &server.url(&format!("/{}", "x".repeat(length))));
        assert_eq!(matches!(outcome, Err(TransportError::BadUrl { .. })), length > 8192, "{length}: {outcome:?}");
    }
    assert_eq!(server.count(), 1);
}

#[test]
fn offline_is_offline() {
    let server = Server::http(|_| ok(""));
    let client = Client::new(ClientOptions { offline: true, ..options() });
    let wanted = server.url("/file?token=hush");
    let refused = TransportError::Offline { url: server.url("/file").to_string() };
    assert_eq!(get(&client, &wanted), Err(refused.clone()));
    let (outcome, written) = download(&client, &Request::by_user(wanted.clone()), SMALL);
    assert_eq!((outcome, written), (Err(refused.clone()), b"what was here before".to_vec()));
    let mut seen = Vec::new();
    let requests = [Request::by_user(wanted.clone()), Request::by_user(wanted)];
    let all = client.get_all(&requests, &Cancel::default(), &mut |number, outcome| {
        seen.push((number, outcome));
        std::ops::ControlFlow::Continue(())
    });
    assert_eq!(all, Ok(()));
    assert_eq!(seen, [(0, Err(refused.clone())), (1, Err(refused))]);
    assert_eq!((server.count(), server.connections()), (0, 0));
}

#[test]
fn errors_show_no_query() {
    let server = Server::http(|_| reply(404, &[], ""));
    let found = error(&client(), &server.url("/file?token=hush"));
    assert!(found.to_string().contains("/file") && !format!("{found} {found:?}").contains("hush"), "{found}");
    let gone = { Server::http(|_| ok("")).url("/file?token=hush") };
    let found = error(&client(), &gone);
    assert!(matches!(found, TransportError::Connect { .. }), "{found:?}");
    assert!(!format!("{found} {found:?}").contains("hush"), "{found}");
}
