//! Repositories behind a real HTTPS server: git's own CGI program, and TLS with an authority of the test.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use ai_assist_fetch::GitError;
use ai_assist_git::RemoteError;

use super::repository::{Place, source};
use crate::server::{Authority, Hit, Server, redirect, reply};

/// Hands a request on to git's CGI program, as a web server does.
fn backend(root: &Path, hit: &Hit) -> axum::response::Response {
    let mut command = Command::new("git");
    command.arg("http-backend").env("GIT_PROJECT_ROOT", root).env("GIT_HTTP_EXPORT_ALL", "1");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("REMOTE_ADDR", "127.0.0.1");
    command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "safe.directory").env("GIT_CONFIG_VALUE_0", "*");
    command.env("PATH_INFO", hit.path()).env("QUERY_STRING", hit.uri.query().unwrap_or_default());
    command.env("REQUEST_METHOD", hit.method.as_str()).env("CONTENT_LENGTH", hit.body.len().to_string());
    for (header, variable) in [
        ("content-type", "CONTENT_TYPE"),
        ("content-encoding", "HTTP_CONTENT_ENCODING"),
        ("git-protocol", "HTTP_GIT_PROTOCOL"),
    ] {
        if let Some(value) = hit.header(header) {
            command.env(variable, value);
        }
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&hit.body).unwrap();
    let output = child.wait_with_output().unwrap().stdout;
    let end = output.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8_lossy(&output[..end]).into_owned();
    let headers: Vec<(&str, &str)> = head.lines().filter_map(|line| line.split_once(": ")).collect();
    let status = headers.iter().find(|(name, _)| *name == "Status").map_or(200, |(_, text)| text[..3].parse().unwrap());
    let headers: Vec<(&str, &str)> = headers.into_iter().filter(|(name, _)| *name != "Status").collect();
    reply(status, &headers, output[end + 4..].to_vec())
}

/// A repository, its server, and the URL of the repository there.
fn served(guard: impl Fn(&Hit) -> Option<axum::response::Response> + Send + Sync + 'static) -> (Place, Server, String) {
    let mut place = Place::new();
    place.git(&["tag", "v1"]);
    place.commit("README.md", "two");
    let authority = Authority::new();
    let root = place.path("");
    let server = Server::https(authority.certificate(&["localhost"]), move |hit| {
        guard(hit).unwrap_or_else(|| backend(&root, hit))
    });
    let file = place.path("authority.pem");
    std::fs::copy(authority.file(), &file).unwrap();
    place.set("GIT_SSL_CAINFO", file);
    place.set("NO_PROXY", "localhost");
    let url = format!("git+{}", server.url_at("localhost", "/origin/.git"));
    (place, server, url)
}

#[test]
fn a_repository_is_read_over_https_shallowly() {
    let (place, server, url) = served(|_| None);
    for (reference, text) in [("", "two"), ("#main", "two"), ("#v1", "one")] {
        let source = source(&format!("{url}{reference}"));
        let commit = place.resolve(&source).unwrap();
        let taken = place.check_out_commit(&source, &commit, &ai_assist_fetch::Limits::default()).unwrap();
        assert_eq!(taken.text("README.md"), text, "{reference}");
    }
    let shallow = server.hits().iter().any(|hit| String::from_utf8_lossy(&hit.body).contains("deepen 1"));
    assert!(shallow, "no request asked for one commit only");
}

#[test]
fn a_server_that_nobody_vouches_for_is_refused() {
    let (mut place, server, url) = served(|_| None);
    place.env.retain(|(name, _)| name != "GIT_SSL_CAINFO");
    place.set("GIT_SSL_CAINFO", "/dev/null");
    let error = place.resolve(&source(&url)).unwrap_err();
    assert!(matches!(error, GitError::Remote(RemoteError::Failed { .. })), "{error:?}");
    assert_eq!(server.count(), 0, "nothing may be asked of it");
}

#[test]
fn the_users_own_credentials_are_used_and_never_shown() {
    let (place, server, url) = served(|hit| {
        let allowed = hit.header("authorization") == Some("Basic bWU6aHVudGVyMg==");
        (!allowed).then(|| reply(401, &[("www-authenticate", "Basic realm=\"x\"")], ""))
    });
    let refused = place.resolve(&source(&url)).unwrap_err();
    assert!(matches!(refused, GitError::Remote(RemoteError::Failed { .. })), "{refused:?}");
    let helper = place.script("helper", "echo username=me; echo password=hunter2");
    place.settings(&format!("[credential]\n\thelper = {}\n", helper.display()));
    place.resolve(&source(&url)).unwrap();
    let wrong = source(&url.replace("/origin/", "/nowhere/"));
    let error = format!("{:?}", place.resolve(&wrong).unwrap_err());
    assert!(!error.contains("hunter2"), "{error}");
    assert!(server.count() > 0);
}

#[test]
fn a_redirect_leads_to_no_file_and_to_no_plain_http() {
    let plain = Server::http(|_| reply(500, &[], ""));
    for target in ["file:///etc".to_owned(), plain.url("/origin/.git").to_string()] {
        let (place, server, url) = served(move |hit| {
            let rest = hit.uri.path_and_query().unwrap().as_str().trim_start_matches("/origin/.git").to_owned();
            Some(redirect(&format!("{target}{rest}")))
        });
        let error = place.resolve(&source(&url)).unwrap_err();
        assert!(matches!(error, GitError::Remote(RemoteError::Failed { .. })), "{error:?}");
        assert!(server.count() > 0);
    }
    assert_eq!(plain.count(), 0);
}
