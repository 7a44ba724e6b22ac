//! Who gets credentials, and who doesn't.

use ai_assist_base::Cancel;
use ai_assist_fetch::{Answer, Client, ClientOptions, Credentials, CredentialsUse, Request, TransportError};

use crate::server::{Authority, Hit, Server, ok, redirect, reply};
use crate::support::{SMALL, body, error, options, url};

fn with(credentials: Credentials) -> Client {
    Client::new(ClientOptions { credentials, ..options() })
}

fn list(text: &str) -> Credentials {
    Credentials::from_list(text).unwrap()
}

fn sent(server: &Server) -> Vec<Option<String>> {
    server.hits().iter().map(|hit: &Hit| hit.header("authorization").map(str::to_owned)).collect()
}

#[test]
fn each_kind_is_sent_as_it_should_be() {
    let server = Server::http(|_| ok(""));
    let port = server.address.port();
    body(&with(list("127.0.0.1=bearer:token")), &server.url("/"));
    // printf 'me:pass:word' | base64
    body(&with(list(&format!("127.0.0.1:{port}=basic:me:pass:word"))), &server.url("/"));
    body(&with(list(&format!("127.0.0.1:{}=bearer:token other.example=bearer:token", port ^ 1))), &server.url("/"));
    let expected = [Some("Bearer token"), Some("Basic bWU6cGFzczp3b3Jk"), None];
    assert_eq!(sent(&server), expected.map(|value| value.map(str::to_owned)));
}

#[test]
fn plain_http_to_another_host_carries_none() {
    let server = Server::http(|_| reply(401, &[], ""));
    let client = Client::new(ClientOptions {
        allow_http: true,
        credentials: list("packages.example=bearer:hush"),
        hosts: [("packages.example".to_owned(), vec![server.address.ip()])].into(),
        ..options()
    });
    let found = error(&client, &server.url_at("packages.example", "/"));
    assert!(matches!(found, TransportError::Status { credentials: CredentialsUse::Withheld, .. }), "{found:?}");
    assert!(found.hint().unwrap().contains("were not sent"));
    assert_eq!(sent(&server), [None]);
}

#[test]
fn a_redirect_within_an_origin_keeps_them() {
    let server = Server::http(|hit| if hit.path() == "/file" { ok("") } else { redirect("/file") });
    body(&with(list("127.0.0.1=bearer:token")), &server.url("/"));
    assert_eq!(sent(&server), [Some("Bearer token".to_owned()), Some("Bearer token".to_owned())]);
}

#[test]
fn a_redirect_to_another_origin_drops_them_for_good() {
    let (first, second) = (std::sync::Arc::new(std::sync::OnceLock::<String>::new()), list("127.0.0.1=bearer:token"));
    let back = first.clone();
    let other = Server::http(move |_| redirect(back.get().unwrap()));
    let to = other.url("/").to_string();
    let server = Server::http(move |hit| if hit.path() == "/file" { reply(403, &[], "") } else { redirect(&to) });
    first.set(server.url("/file").to_string()).unwrap();
    let found = error(&with(second), &server.url("/"));
    assert!(matches!(found, TransportError::Status { credentials: CredentialsUse::Withheld, .. }), "{found:?}");
    assert_eq!(sent(&other), [None], "though they are configured for that host too");
    assert_eq!(sent(&server), [Some("Bearer token".to_owned()), None], "not even on the way back");
}

#[test]
fn another_scheme_is_another_origin() {
    let authority = Authority::new();
    let secure = Server::https(authority.certificate(&["127.0.0.1"]), |_| ok(""));
    let to = secure.url("/").to_string();
    let plain = Server::http(move |_| redirect(&to));
    let options =
        ClientOptions { ca_file: Some(authority.file()), credentials: list("127.0.0.1=bearer:token"), ..options() };
    let client = Client::new(options);
    body(&client, &plain.url("/"));
    body(&client, &secure.url("/"));
    assert_eq!(sent(&secure), [None, Some("Bearer token".to_owned())]);
}

#[test]
fn the_default_of_netrc_is_for_https_and_the_user_only() {
    let authority = Authority::new();
    let secure = Server::https(authority.certificate(&["127.0.0.1"]), |_| ok(""));
    let plain = Server::http(|_| ok(""));
    let credentials = Credentials::from_netrc("default login me password word").unwrap();
    let client = Client::new(ClientOptions { ca_file: Some(authority.file()), credentials, ..options() });
    body(&client, &plain.url("/"));
    assert_eq!(sent(&plain), [None]);
    body(&client, &secure.url("/"));
    let by_package = client.get(&Request::by_package(secure.url("/"), true), SMALL, &Cancel::default());
    assert!(matches!(by_package, Ok(Answer::Body(_))));
    // printf me:word | base64
    assert_eq!(sent(&secure), [Some("Basic bWU6d29yZA==".to_owned()), None]);
}

#[test]
fn a_refusal_says_what_was_sent_and_never_shows_it() {
    for status in [401, 403] {
        let server = Server::http(move |_| reply(status, &[], ""));
        for (credentials, used, hint) in [
            (Credentials::default(), CredentialsUse::None, "no credentials were sent; give credentials for `127.0.0.1"),
            (list("127.0.0.1=bearer:hush"), CredentialsUse::Sent, "were sent and not accepted"),
            (list("127.0.0.1=basic:hush:hush"), CredentialsUse::Sent, "were sent and not accepted"),
        ] {
            let client = with(credentials);
            let found = error(&client, &server.url("/"));
            assert!(matches!(found, TransportError::Status { credentials, .. } if credentials == used), "{found:?}");
            let text = format!("{found} {found:?} {} {client:?}", found.hint().unwrap());
            assert!(text.contains(hint) && !text.contains("hush") && !text.contains("aHVzaDpodXNo"), "{text}");
        }
        assert_eq!(server.count(), 3, "asking again would not help");
    }
}

#[test]
fn a_bad_server_gets_no_credentials_of_another() {
    let server = Server::http(|_| ok(""));
    body(&with(list("localhost=bearer:token")), &server.url("/"));
    body(&with(list("localhost=bearer:token")), &url(server.url_at("localhost", "/").as_str()));
    assert_eq!(sent(&server), [None, Some("Bearer token".to_owned())]);
}
