//! A server of the internet can't make us ask the machines of this network.

use std::net::IpAddr;
use std::time::Duration;

use ai_assist_base::Cancel;
use ai_assist_fetch::{Answer, Client, ClientOptions, Limits, NamedBy, Request, TransportError};

use crate::server::{Authority, Server, ok, redirect};
use crate::support::{SMALL, body, client, limits, options, url};

fn by_public_package(client: &Client, at: url::Url) -> TransportError {
    client.get(&Request::by_package(at, false), SMALL, &Cancel::default()).unwrap_err()
}

#[test]
fn private_addresses_named_by_a_public_package_are_refused() {
    let server = Server::http(|_| ok("inside"));
    let client = Client::new(ClientOptions { allow_http: true, ..options() });
    for host in ["127.0.0.1", "localhost", "localhost.", "0x7f000001", "127.1"] {
        let found = by_public_package(&client, server.url_at(host, "/?hush"));
        assert!(matches!(found, TransportError::PrivateHost { .. }), "{host}: {found:?}");
        assert!(found.to_string().contains("named by a package") && !found.to_string().contains("hush"), "{found}");
    }
    for text in [
        "https://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[fd00::1]/",
        "https://0.0.0.0/",
        "https://x.localhost/",
    ] {
        let found = by_public_package(&client, url(text));
        assert!(matches!(found, TransportError::PrivateHost { .. }), "{text}: {found:?}");
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn names_of_private_addresses_are_refused_when_a_public_package_names_them() {
    let authority = Authority::new();
    let server = Server::https(authority.certificate(&["rebound.example"]), |_| ok("inside"));
    let options = ClientOptions {
        ca_file: Some(authority.file()),
        hosts: [("rebound.example".to_owned(), vec![server.address.ip()])].into(),
        ..options()
    };
    let client = Client::new(options);
    let at = server.url_at("rebound.example", "/");
    let found = by_public_package(&client, at.clone());
    assert!(matches!(found, TransportError::PrivateHost { .. }), "{found:?}");
    assert_eq!(server.connections(), 0);
    assert!(body(&client, &at).private, "the user may point there");
    let found = by_public_package(&client, at);
    assert!(matches!(found, TransportError::PrivateHost { .. }), "not even over the open connection: {found:?}");
    assert_eq!((server.connections(), server.count()), (1, 1));
}

#[test]
fn of_mixed_addresses_only_the_public_ones_are_tried() {
    let server = Server::http(|_| ok("inside"));
    // 192.0.2.1 is nobody's (RFC 5737).
    let nobody: IpAddr = "192.0.2.1".parse().unwrap();
    let client = Client::new(ClientOptions {
        allow_http: true,
        hosts: [("mixed.example".to_owned(), vec![server.address.ip(), nobody])].into(),
        limits: Limits { attempts: 1, connect_timeout: Duration::from_millis(200), ..limits() },
        ..options()
    });
    let found = by_public_package(&client, server.url_at("mixed.example", "/"));
    assert!(matches!(found, TransportError::Connect { .. } | TransportError::Timeout { .. }), "{found:?}");
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_private_server_may_name_private_addresses() {
    let other = Server::http(|_| ok("inside"));
    let to = other.url("/file").to_string();
    let server = Server::http(move |_| redirect(&to));
    for named_by in [NamedBy::User, NamedBy::Package { private: true }] {
        let request = Request { named_by, ..Request::by_user(server.url("/")) };
        let Ok(Answer::Body(answer)) = client().get(&request, SMALL, &Cancel::default()) else {
            panic!("{named_by:?}")
        };
        assert_eq!((answer.bytes.as_slice(), answer.private), (&b"inside"[..], true));
    }
}

#[test]
fn what_has_to_be_public_is_asked_nowhere_else_whoever_names_it() {
    let authority = Authority::new();
    let server = Server::https(authority.certificate(&["rebound.example", "127.0.0.1"]), |_| ok("inside"));
    let hosts = [("rebound.example".to_owned(), vec![server.address.ip()])].into();
    let client = Client::new(ClientOptions { ca_file: Some(authority.file()), hosts, ..options() });
    let at = |host: &str| server.url_at(host, "/");
    assert_eq!(body(&client, &at("rebound.example")).bytes, b"inside", "the user may point anywhere");
    assert_eq!(client.public_address(&at("rebound.example")), Ok(None));
    let connections = server.connections();
    let public = client.public_only();
    for host in ["rebound.example", "127.0.0.1", "localhost"] {
        let found = public.get(&Request::by_user(at(host)), SMALL, &Cancel::default()).unwrap_err();
        assert!(matches!(found, TransportError::PrivateHost { .. }), "{host}: {found:?}");
    }
    assert!(matches!(public.public_address(&at("rebound.example")), Err(TransportError::PrivateHost { .. })));
    assert_eq!(server.connections(), connections);
}
