//! Where redirects lead, and where not.

use ai_assist_fetch::{Client, ClientOptions, TransportError};

use crate::server::{Authority, Raw, Server, ok, redirect, reply};
use crate::support::{body, client, error, limits, options, url, with_limits};

#[test]
fn every_kind_of_redirect_is_followed() {
    let server = Server::http(|hit| match hit.path() {
        "/file" => ok("hello"),
        path => reply(path[1..].parse().unwrap(), &[("location", "/x/../file#part")], "elsewhere"),
    });
    for status in ["301", "302", "303", "307", "308"] {
        let answer = body(&client(), &server.url(&format!("/{status}")));
        assert_eq!((answer.bytes, answer.url), (b"hello".to_vec(), server.url("/file")));
    }
    assert_eq!(server.count(), 10);
}

#[test]
fn other_statuses_are_not_redirects() {
    let server = Server::http(|hit| reply(hit.path()[1..].parse().unwrap(), &[("location", "/200")], ""));
    for status in [201, 204, 206, 300, 304, 305] {
        let found = error(&client(), &server.url(&format!("/{status}")));
        assert!(matches!(found, TransportError::Status { status: s, .. } if s == status), "{found:?}");
    }
    assert_eq!(server.count(), 6);
}

#[test]
fn redirects_lead_to_other_servers_too() {
    let other = Server::http(|_| ok("hello"));
    let to = other.url("/file").to_string();
    let server = Server::http(move |_| redirect(&to));
    assert_eq!(body(&client(), &server.url("/")).url, other.url("/file"));
}

#[test]
fn endless_redirects_end() {
    let server = Server::http(|hit| redirect(&format!("/{}", hit.number)));
    let found = error(&with_limits(ai_assist_fetch::Limits { max_redirects: 3, ..limits() }), &server.url("/start?q"));
    assert_eq!(found, TransportError::Redirects { url: server.url("/start").to_string(), limit: 3 });
    assert!(found.to_string().contains("more than 3 times"));
    assert_eq!(server.count(), 4);
}

#[test]
fn as_many_as_the_limit_are_followed() {
    let server = Server::http(|hit| if hit.number == 3 { ok("hello") } else { redirect("/again") });
    let client = with_limits(ai_assist_fetch::Limits { max_redirects: 3, ..limits() });
    assert_eq!(body(&client, &server.url("/")).bytes, b"hello");
}

#[test]
fn redirects_to_nowhere_are_refused() {
    for (to, reason) in [
        ("file:///etc/passwd", "scheme `file`"),
        ("ftp://127.0.0.1/", "scheme `ftp`"),
        ("data:text/plain,hello", "scheme `data`"),
        ("http://packages.example/", "plain HTTP"),
        ("http://me:hush@127.0.0.1/", "user name or password"),
        ("http://[bad", "not a URL"),
        ("http://", "not a URL"),
    ] {
        let server = Server::http(move |_| redirect(to));
        let found = error(&client(), &server.url("/"));
        assert!(matches!(&found, TransportError::BadRedirect { url, .. } if *url == server.url("/").to_string()));
        assert!(found.to_string().contains(reason) && !found.to_string().contains("hush"), "{found}");
        assert_eq!(server.count(), 1, "final at once");
    }
}

#[test]
fn a_redirect_to_a_very_long_url_is_refused() {
    let server = Server::http(|_| redirect(&format!("/{}", "x".repeat(70_000))));
    let found = error(&client(), &server.url("/"));
    assert!(matches!(&found, TransportError::BadRedirect { reason, .. } if reason.contains("longer than 8192")));
    assert_eq!(server.count(), 1);
}

#[test]
fn a_redirect_needs_a_place_that_can_be_read() {
    let server = Server::http(|_| reply(302, &[], ""));
    let found = error(&client(), &server.url("/"));
    assert!(matches!(&found, TransportError::BadRedirect { reason, .. } if reason.contains("names no place")));
    let server = Raw::start(|_, stream| {
        crate::server::read_head(stream);
        let _ =
            std::io::Write::write_all(stream, b"HTTP/1.1 302 Found\r\nlocation: /\xff\r\ncontent-length: 0\r\n\r\n");
    });
    let found = error(&client(), &server.url());
    assert!(matches!(&found, TransportError::BadRedirect { reason, .. } if reason.contains("not UTF-8")), "{found:?}");
}

#[test]
fn https_never_leads_to_http_but_http_to_https() {
    let authority = Authority::new();
    let plain = Server::http(|_| ok("plain"));
    let to = plain.url("/").to_string();
    let secure = Server::https(authority.certificate(&["127.0.0.1"]), move |hit| match hit.path() {
        "/file" => ok("secure"),
        _ => redirect(&to),
    });
    let client = Client::new(ClientOptions { ca_file: Some(authority.file()), allow_http: true, ..options() });
    let found = error(&client, &secure.url("/"));
    assert!(matches!(&found, TransportError::BadRedirect { reason, .. } if reason.contains("plain HTTP")), "{found:?}");
    assert_eq!((secure.count(), plain.count()), (1, 0));

    let to = secure.url("/file").to_string();
    let upgrade = Server::http(move |_| redirect(&to));
    assert_eq!(body(&client, &upgrade.url("/")).bytes, b"secure");
}

#[test]
fn a_relative_place_without_scheme_keeps_the_scheme() {
    let server = Server::http(|hit| match hit.path() {
        "/file" => ok("hello"),
        _ => redirect(&format!("//{}/file", hit.header("host").unwrap())),
    });
    assert_eq!(body(&client(), &url(server.url("/").as_str())).bytes, b"hello");
}
