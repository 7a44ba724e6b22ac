//! Asking only for what is new.

use ai_assist_base::Cancel;
use ai_assist_fetch::{Answer, Downloaded, Request, TransportError, Validators};

use crate::server::{Server, ok, redirect, reply};
use crate::support::{SMALL, body, client, download, error, known};

fn versioned() -> Server {
    Server::http(|hit| match hit.header("if-none-match") {
        Some("\"2\"") => reply(304, &[("etag", "\"2\"")], ""),
        _ if hit.path() == "/moved" => redirect("/file"),
        _ => reply(200, &[("etag", "\"2\"")], "second"),
    })
}

#[test]
fn what_is_known_is_not_sent_again() {
    let server = versioned();
    let asked = |path, validators| {
        client().get(&Request { validators, ..Request::by_user(server.url(path)) }, SMALL, &Cancel::default())
    };
    assert_eq!(asked("/file", known("\"2\"")), Ok(Answer::NotModified { private: true }));
    assert_eq!(asked("/moved", known("\"2\"")), Ok(Answer::NotModified { private: true }));
    for old in ["\"1\"", "W/\"x\""] {
        let Ok(Answer::Body(answer)) = asked("/file", known(old)) else { panic!("{old}") };
        assert_eq!((answer.bytes, answer.validators), (b"second".to_vec(), known("\"2\"")));
    }
}

#[test]
fn dates_are_sent_too() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    let server = Server::http(move |hit| match hit.header("if-modified-since") {
        Some(since) if since == date => reply(304, &[], ""),
        _ => reply(200, &[("last-modified", date)], "second"),
    });
    let validators = body(&client(), &server.url("/")).validators;
    assert_eq!(validators, Validators { etag: None, last_modified: Some(date.to_owned()) });
    let request = Request { validators, ..Request::by_user(server.url("/")) };
    assert_eq!(client().get(&request, SMALL, &Cancel::default()), Ok(Answer::NotModified { private: true }));
}

#[test]
fn a_download_of_what_is_known_leaves_the_file_alone() {
    let server = versioned();
    let request = Request { validators: known("\"2\""), ..Request::by_user(server.url("/file")) };
    let (outcome, written) = download(&client(), &request, SMALL);
    assert_eq!(outcome, Ok(Downloaded::NotModified { private: true }));
    assert_eq!(written, b"what was here before");
}

#[test]
fn not_modified_is_no_answer_to_a_plain_question() {
    let server = Server::http(|_| reply(304, &[], ""));
    let found = error(&client(), &server.url("/"));
    assert!(matches!(found, TransportError::Status { status: 304, .. }), "{found:?}");
}

#[test]
fn odd_validators_are_neither_kept_nor_sent() {
    let long = "x".repeat(2000);
    let server = Server::http(move |_| reply(200, &[("etag", &long), ("last-modified", "a\tb")], "body"));
    assert_eq!(body(&client(), &server.url("/")).validators, Validators::default());
    let validators = Validators { etag: Some("a\r\nx-evil: 1".to_owned()), last_modified: Some("\u{e9}".to_owned()) };
    let request = Request { validators, ..Request::by_user(server.url("/")) };
    assert!(matches!(client().get(&request, SMALL, &Cancel::default()), Ok(Answer::Body(_))));
    let hit = &server.hits()[1];
    for absent in ["if-none-match", "if-modified-since", "x-evil"] {
        assert_eq!(hit.header(absent), None);
    }
}

#[test]
fn validators_are_stored_as_json() {
    let json = serde_json::to_string(&known("\"2\"")).unwrap();
    assert_eq!(json, r#"{"etag":"\"2\""}"#);
    assert_eq!(serde_json::from_str::<Validators>(&json).unwrap(), known("\"2\""));
    assert_eq!(serde_json::from_str::<Validators>("{}").unwrap(), Validators::default());
    let server = Server::http(|_| ok(""));
    assert_eq!(body(&client(), &server.url("/")).validators, Validators::default());
}
