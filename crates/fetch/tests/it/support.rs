//! What every test needs.

use std::io::{Read, Seek};
use std::process::Command;
use std::time::{Duration, Instant};

use ai_assist_base::Cancel;
use ai_assist_fetch::{
    Answer, Body, Client, ClientOptions, Downloaded, Limits, Proxies, Request, TransportError, Validators,
};
use url::Url;

pub(crate) const SMALL: u64 = 1 << 20;

/// Without proxies, whatever the environment says, and with short pauses.
pub(crate) fn options() -> ClientOptions {
    ClientOptions { proxies: Proxies::Direct, limits: limits(), ..ClientOptions::default() }
}

pub(crate) fn limits() -> Limits {
    Limits { backoff: Duration::from_millis(2), ..Limits::default() }
}

pub(crate) fn client() -> Client {
    Client::new(options())
}

pub(crate) fn with_limits(limits: Limits) -> Client {
    Client::new(ClientOptions { limits, ..options() })
}

pub(crate) fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

pub(crate) fn get(client: &Client, url: &Url) -> Result<Answer, TransportError> {
    client.get(&Request::by_user(url.clone()), SMALL, &Cancel::default())
}

pub(crate) fn body(client: &Client, url: &Url) -> Body {
    match get(client, url) {
        Ok(Answer::Body(body)) => body,
        other => panic!("{url}: {other:?}"),
    }
}

pub(crate) fn error(client: &Client, url: &Url) -> TransportError {
    get(client, url).expect_err(url.as_str())
}

pub(crate) fn known(etag: &str) -> Validators {
    Validators { etag: Some(etag.to_owned()), last_modified: None }
}

/// Downloads into a fresh file that holds something already; returns what it holds then.
pub(crate) fn download(client: &Client, request: &Request, most: u64) -> (Result<Downloaded, TransportError>, Vec<u8>) {
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, b"what was here before").unwrap();
    let outcome = client.download(request, most, &mut file, &Cancel::default(), &mut |_, _| {});
    file.rewind().unwrap();
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).unwrap();
    (outcome, bytes)
}

/// Waits for what another thread does. Only a test that fails waits to the end.
pub(crate) fn until(what: &str, done: impl Fn() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < Duration::from_secs(30), "{what} took too long");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Runs an ignored test of this binary by itself, in a process with other variables of the environment.
pub(crate) fn in_environment(test: &str, variables: &[(&str, &str)]) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture"]);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    command.env_remove("REQUEST_METHOD").envs(variables.iter().copied());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}
