//! The procedures.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ai_assist_app::{FoundLines, ReadPlace};
use ai_assist_repo::lookup::FoundSymbols;
use ai_assist_repo::map::RepoMap;
use ai_assist_search::Answer;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::form_urlencoded;

use crate::http::{Address, Connection, Head, Request, read_events};
use crate::{API, FOLDER_HEADER, SETTINGS_HEADER, VERSION, VERSION_HEADER, requests};

/// How long a service may be silent: longer than any question takes, and events keep coming on streams.
const PATIENCE: Duration = Duration::from_secs(120);
/// No answer has more bytes.
const MOST_BYTES: u64 = 256 << 20;

/// What a service says when it does not do what was asked (RFC 9457).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    pub title: String,
    pub status: u16,
    pub detail: String,
    /// The kind of failure, by the same names that MCP has.
    pub error_type: String,
    pub instruction: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
}

/// Why a service is not the one that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OtherService {
    /// Its version, if it is a service of ours at all.
    Version(Option<String>),
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the service can't be asked")]
    Io(#[from] io::Error),
    #[error("{}", .0.detail)]
    Problem(Box<Problem>),
    #[error("the service answered with the status {0}: {1}")]
    Status(u16, String),
    #[error("the answer of the service can't be read")]
    Answer(#[from] serde_json::Error),
    #[error("the service is not of this version")]
    Other(OtherService),
    #[error("the stream ended before the work was done")]
    CutOff,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// On whose behalf a client asks.
#[derive(Debug, Clone, Default)]
pub struct Asking {
    /// The folder that the question is asked from, in one of the service's projects.
    pub folder: Option<PathBuf>,
    /// What the settings of the asker come to; a service with others refuses to answer in its place.
    pub settings: Option<String>,
}

/// Something that a stream tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub kind: String,
    pub data: Value,
}

/// A client of one service. It keeps its connection from one question to the next.
#[derive(Debug)]
pub struct Client {
    address: Address,
    token: Option<String>,
    asking: Asking,
    idle: Mutex<Option<Connection>>,
}

impl Client {
    /// Of the service behind a socket file. Whoever can open the file may ask.
    pub fn at_socket(file: PathBuf) -> Self {
        Client { address: Address::Socket(file), token: None, asking: Asking::default(), idle: Mutex::default() }
    }

    /// Of the service at an address, by its token.
    pub fn at_address(address: SocketAddr, token: impl Into<String>) -> Self {
        let (address, token) = (Address::Tcp(address), Some(token.into()));
        Client { address, token, asking: Asking::default(), idle: Mutex::default() }
    }

    pub fn asking(self, asking: Asking) -> Self {
        Client { asking, ..self }
    }

    pub fn search(&self, search: &requests::Search) -> Result<Answer> {
        self.get("/search", search)
    }

    pub fn grep(&self, grep: &requests::Grep) -> Result<FoundLines> {
        self.get("/grep", grep)
    }

    pub fn symbols(&self, symbols: &requests::Symbols) -> Result<FoundSymbols> {
        self.get("/symbols", symbols)
    }

    pub fn map(&self, map: &requests::Map) -> Result<RepoMap> {
        self.get("/map", map)
    }

    /// A text by the place that a person types; only over a socket.
    pub fn place(&self, place: &requests::Place) -> Result<ReadPlace> {
        self.get("/place", place)
    }

    /// How the service is.
    pub fn service(&self) -> Result<Value> {
        self.get("/service", &Map::new())
    }

    /// Asks it to end.
    pub fn stop(&self) -> Result<()> {
        self.post::<Value>("/service/stop", &Map::new()).map(drop)
    }

    /// Anything that reads, by its path below `/api/v1`. Arguments become a query.
    pub fn get<T: DeserializeOwned>(&self, path: &str, arguments: &impl Serialize) -> Result<T> {
        let query = query_of(&serde_json::to_value(arguments)?);
        let target = if query.is_empty() { format!("{API}{path}") } else { format!("{API}{path}?{query}") };
        self.ask("GET", &target, &[])
    }

    /// Anything that changes something.
    pub fn post<T: DeserializeOwned>(&self, path: &str, arguments: &impl Serialize) -> Result<T> {
        self.ask("POST", &format!("{API}{path}"), &serde_json::to_vec(arguments)?)
    }

    pub fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.ask("DELETE", &format!("{API}{path}"), &[])
    }

    /// Work that takes time, told as it goes on; what it has come to at the end.
    pub fn follow<T: DeserializeOwned>(
        &self,
        path: &str,
        arguments: &impl Serialize,
        progress: &mut dyn FnMut(Event),
    ) -> Result<T> {
        let body = serde_json::to_vec(arguments)?;
        let mut done: Option<Result<T>> = None;
        self.stream("POST", &format!("{API}{path}"), &body, &mut |event| {
            match event.kind.as_str() {
                "done" => done = Some(serde_json::from_value(event.data).map_err(Error::Answer)),
                "problem" => {
                    let problem = serde_json::from_value(event.data);
                    done = Some(Err(problem.map_or_else(Error::Answer, |problem| Error::Problem(Box::new(problem)))));
                }
                _ => progress(event),
            }
            done.is_none()
        })?;
        done.unwrap_or(Err(Error::CutOff))
    }

    /// Everything that changes, until `each` says that it has heard enough or the service ends.
    pub fn changes(&self, each: &mut dyn FnMut(Event) -> bool) -> Result<()> {
        self.stream("GET", &format!("{API}/changes"), &[], each)
    }

    fn stream(&self, method: &str, target: &str, body: &[u8], each: &mut dyn FnMut(Event) -> bool) -> Result<()> {
        let mut connection = Connection::open(&self.address, PATIENCE)?;
        let headers = self.headers(&[("accept", "text/event-stream")]);
        let headers = borrowed(&headers);
        let answer = connection.send(&Request { method, target, headers: &headers, body })?;
        check_version(&answer.head)?;
        if answer.head.status != 200 {
            let (head, body, _) = answer.read_whole(MOST_BYTES)?;
            return Err(failed(&head, &body));
        }
        read_events(answer, &mut |kind, data| {
            let data = serde_json::from_str(data).map_err(io::Error::other)?;
            Ok(each(Event { kind: kind.to_owned(), data }))
        })?;
        Ok(())
    }

    fn ask<T: DeserializeOwned>(&self, method: &str, target: &str, body: &[u8]) -> Result<T> {
        let (head, body) = self.exchange(method, target, body)?;
        check_version(&head)?;
        if !(200..300).contains(&head.status) {
            return Err(failed(&head, &body));
        }
        // Nothing is what `()` and `Value` can be read from.
        let body: &[u8] = if body.is_empty() { b"null" } else { &body };
        Ok(serde_json::from_slice(body)?)
    }

    fn exchange(&self, method: &str, target: &str, body: &[u8]) -> Result<(Head, Vec<u8>)> {
        let headers = self.headers(&[("accept", "application/json"), ("content-type", "application/json")]);
        let headers = borrowed(&headers);
        let request = Request { method, target, headers: &headers, body };
        let kept = self.idle.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut connection) = kept {
            match connection.send(&request) {
                Ok(answer) => {
                    let (head, body, again) = answer.read_whole(MOST_BYTES)?;
                    self.keep(connection, again);
                    return Ok((head, body));
                }
                // The service hangs up on those that are silent for long; what changes something must not be asked twice.
                Err(error) if method == "GET" || error.kind() == io::ErrorKind::BrokenPipe => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut connection = Connection::open(&self.address, PATIENCE)?;
        let (head, body, again) = connection.send(&request)?.read_whole(MOST_BYTES)?;
        self.keep(connection, again);
        Ok((head, body))
    }

    fn keep(&self, connection: Connection, again: bool) {
        if again {
            *self.idle.lock().unwrap_or_else(PoisonError::into_inner) = Some(connection);
        }
    }

    fn headers(&self, more: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        let mut headers: Vec<(&'static str, String)> =
            more.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        headers.extend(self.token.as_ref().map(|token| ("authorization", format!("Bearer {token}"))));
        let folder = self.asking.folder.as_ref();
        headers.extend(folder.map(|folder| (FOLDER_HEADER, in_header(folder.as_os_str().as_encoded_bytes()))));
        headers.extend(self.asking.settings.clone().map(|settings| (SETTINGS_HEADER, settings)));
        headers
    }
}

fn borrowed<'h>(headers: &'h [(&'static str, String)]) -> Vec<(&'h str, &'h str)> {
    headers.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// Bytes as a header may carry them.
fn in_header(bytes: &[u8]) -> String {
    form_urlencoded::byte_serialize(bytes).collect()
}

fn check_version(head: &Head) -> Result<()> {
    match head.header(VERSION_HEADER) {
        Some(VERSION) => Ok(()),
        // Whoever is turned away at the door is not told the version.
        None if !(200..300).contains(&head.status) => Ok(()),
        other => Err(Error::Other(OtherService::Version(other.map(str::to_owned)))),
    }
}

fn failed(head: &Head, body: &[u8]) -> Error {
    match serde_json::from_slice::<Problem>(body) {
        Ok(problem) => Error::Problem(Box::new(problem)),
        Err(_) => Error::Status(head.status, String::from_utf8_lossy(body).trim().chars().take(300).collect()),
    }
}

/// A query from an object: lists repeat their name, what is null is left out.
pub fn query_of(arguments: &Value) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    for (name, value) in arguments.as_object().into_iter().flatten() {
        match value {
            Value::Null => {}
            Value::Array(items) => items.iter().for_each(|item| _ = query.append_pair(name, &text(item))),
            value => _ = query.append_pair(name, &text(value)),
        }
    }
    query.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_become_a_query() {
        let arguments = json!({ "query": "a b&c", "path": ["x/**", "ü"], "limit": 3, "all": true, "cursor": null });
        assert_eq!(query_of(&arguments), "query=a+b%26c&path=x%2F**&path=%C3%BC&limit=3&all=true");
    }
}
