//! Whom we believe over TLS.

use ai_assist_fetch::{Client, ClientOptions, Proxies, TransportError};

use crate::server::{Authority, Raw, Server, ok, say, until_hung_up};
use crate::support::{body, client, error, in_environment, options, url};

fn trusting(authority: &Authority) -> Client {
    Client::new(ClientOptions { ca_file: Some(authority.file()), ..options() })
}

#[test]
fn an_authority_of_a_file_is_trusted() {
    let authority = Authority::new();
    let server = Server::https(authority.certificate(&["127.0.0.1", "localhost"]), |_| ok("hello"));
    let client = trusting(&authority);
    assert_eq!(body(&client, &server.url("/")).bytes, b"hello");
    assert_eq!(body(&client, &server.url_at("localhost", "/")).bytes, b"hello");
    assert_eq!(server.hits()[0].version, axum::http::Version::HTTP_2);
}

#[test]
fn other_certificates_are_refused_once_and_for_all() {
    let authority = Authority::new();
    for (certificate, client, reason) in [
        // All authorities of these tests have one name, and so this one claims to be the other.
        (Authority::new().certificate(&["127.0.0.1"]), trusting(&authority), "BadSignature"),
        (authority.certificate(&["127.0.0.1"]), client(), "UnknownIssuer"),
        (authority.certificate(&["other.example", "127.0.0.2"]), trusting(&authority), "not valid for name"),
        (authority.certificate_until(&["127.0.0.1"], 2020), trusting(&authority), "expired"),
    ] {
        let server = Server::https(certificate, |_| ok("hello"));
        let found = error(&client, &server.url("/"));
        assert!(matches!(found, TransportError::Tls { .. }), "{found:?}");
        assert!(found.to_string().contains(reason), "{found}");
        assert!(found.hint().unwrap().contains("SSL_CERT_FILE"));
        assert_eq!((server.count(), server.connections()), (0, 1));
    }
}

#[test]
fn who_speaks_no_tls_is_refused() {
    let server = Raw::start(|_, stream| {
        say(stream, "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
        until_hung_up(stream);
    });
    let found = error(&client(), &url(&format!("https://{}/", server.address)));
    assert!(matches!(found, TransportError::Tls { .. }), "{found:?}");
    assert_eq!(server.count(), 1);
}

#[test]
fn a_file_of_authorities_must_hold_some() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::http(|_| ok("hello"));
    for (name, content, reason) in [
        ("missing.pem", None, ""),
        ("empty.pem", Some(""), "no certificate in it"),
        ("other.pem", Some("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), ""),
        ("garbage.pem", Some("-----BEGIN CERTIFICATE-----\n\u{1}\n"), ""),
    ] {
        let path = folder.path().join(name);
        if let Some(content) = content {
            std::fs::write(&path, content).unwrap();
        }
        let client = Client::new(ClientOptions { ca_file: Some(path.clone()), ..options() });
        for _ in 0..2 {
            let found = error(&client, &server.url("/"));
            assert!(matches!(&found, TransportError::CaFile { path: p, .. } if *p == path), "{found:?}");
            assert!(found.to_string().contains(name) && found.to_string().contains(reason), "{found}");
        }
    }
    assert_eq!(server.count(), 0);
}

#[test]
fn the_environment_names_authorities() {
    let authority = Authority::new();
    let server = Server::https(authority.certificate(&["127.0.0.1"]), |_| ok("hello"));
    let (file, at) = (authority.file(), server.url("/").to_string());
    let (file, folder) = (file.to_str().unwrap(), file.parent().unwrap().to_str().unwrap());
    in_environment("tls::child_that_trusts", &[("SSL_CERT_FILE", file), ("TEST_URL", &at)]);
    in_environment("tls::child_that_trusts", &[("SSL_CERT_DIR", folder), ("TEST_URL", &at)]);
    assert_eq!(server.count(), 2);
    let empty = tempfile::NamedTempFile::new().unwrap();
    let empty = empty.path().to_str().unwrap();
    in_environment("tls::child_that_trusts_nobody", &[("SSL_CERT_FILE", empty), ("TEST_URL", &at)]);
    assert_eq!(server.count(), 2);
}

fn of_the_environment() -> (Client, url::Url) {
    let options = ClientOptions { proxies: Proxies::Environment, ..options() };
    (Client::new(options), url(&std::env::var("TEST_URL").unwrap()))
}

#[test]
#[ignore = "run by the test above, in an environment with an authority"]
fn child_that_trusts() {
    let (client, at) = of_the_environment();
    assert_eq!(body(&client, &at).bytes, b"hello");
}

#[test]
#[ignore = "run by the test above, in an environment without any authority"]
fn child_that_trusts_nobody() {
    let (client, at) = of_the_environment();
    let found = error(&client, &at);
    assert!(matches!(found, TransportError::Tls { authorities: 0, .. }), "{found:?}");
    assert!(found.hint().unwrap().contains("no certificate authority was found"));
}
