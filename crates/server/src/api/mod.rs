//! REST under `/api/v1`: one table of routes, from which the router and its description (`openapi`) are made.

mod names;
mod openapi;
mod own;
mod query;
mod route;
mod shapes;
mod stream;
mod table;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use ai_assist_base::Cancel;
use ai_assist_client::{API, FOLDER_HEADER, SETTINGS_HEADER, VERSION, VERSION_HEADER};
use ai_assist_identity::Sha256;
use ai_assist_mcp::{ErrorType, Failure};
use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Path, Request};
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, get, on};
use serde_json::{Map, Value};
use url::form_urlencoded;

use self::route::{Asked, Prepared, Route, Verbs};
use crate::failures;
use crate::http::Peer;
use crate::service::{Asker, Service};

pub use openapi::document as openapi;

/// Everything below `/api/v1`.
pub fn router(service: &Arc<Service>) -> Router {
    let mut router = Router::new();
    for route in &table::TABLE {
        let filter = match route.verb {
            Verbs::Get => MethodFilter::GET,
            Verbs::Post => MethodFilter::POST,
            Verbs::Delete => MethodFilter::DELETE,
        };
        let service = Arc::clone(service);
        let handler = move |path: Option<Path<HashMap<String, String>>>, request: Request| {
            let path = path.map(|Path(path)| path).unwrap_or_default();
            answer(Arc::clone(&service), route, path, request)
        };
        router = router.route(&format!("{API}{}", route.path), on(filter, handler));
    }
    let changes = Arc::clone(service);
    let openapi = openapi().to_string();
    router
        .route(&format!("{API}/changes"), get(move || stream::changes(Arc::clone(&changes))))
        .route(
            &format!("{API}/openapi.json"),
            get(move || async move { ([(CONTENT_TYPE, "application/json")], openapi.clone()) }),
        )
        .route(&format!("{API}/{{*rest}}"), axum::routing::any(|| async { failures::response(&nothing_there()) }))
        .method_not_allowed_fallback(|| async { failures::response(&wrong_method()) })
        .layer(axum::middleware::from_fn(stamped))
}

fn nothing_there() -> Failure {
    let way = format!("`GET {API}/openapi.json` has every address.");
    Failure::new(ErrorType::NotFound, "there is nothing at this address", way)
}

fn wrong_method() -> Failure {
    let way = format!("`GET {API}/openapi.json` says which methods every address takes.");
    let failure = Failure::argument("method", "one that the address takes", "this address does not take that method");
    Failure { instruction: way, ..failure }
}

/// Says in every answer of whose version it is, and that nobody else may keep it.
async fn stamped(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(HeaderName::from_static(VERSION_HEADER), HeaderValue::from_static(VERSION));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-cache"));
    headers.insert(HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff"));
    response
}

/// The words of a failure or a message, for whoever has addresses and no tools.
fn told(text: &str) -> String {
    let text = text.replace("Call the tool again with", "Ask again with");
    let quoted = |(at, part): (usize, &str)| if at % 2 == 1 { addressed(part) } else { part.to_owned() };
    text.split('`').enumerate().map(quoted).collect::<Vec<_>>().join("`")
}

/// What stands between backticks: the name of a tool or a call of one becomes an address, anything else stays.
fn addressed(quoted: &str) -> String {
    let (tool, arguments) = quoted.split_once(' ').unwrap_or((quoted, ""));
    let Some(route) = table::route_of_tool(tool) else { return quoted.to_owned() };
    let verb = route.verb.name();
    if arguments.is_empty() {
        return format!("{verb} {API}{}", route.path);
    }
    let Ok(arguments) = serde_json::from_str::<Map<String, Value>>(arguments) else { return quoted.to_owned() };
    let arguments = arguments.into_iter().map(|(name, value)| (names::camel(&name), value)).collect();
    let (url, body) = address(route, arguments);
    let body = body.filter(|body| !body.is_empty()).map_or(String::new(), |body| format!(" {}", Value::Object(body)));
    format!("{verb} {url}{body}")
}

fn refused(failure: Failure) -> Response {
    let field = failure.field.as_deref().map(names::camel);
    let failure = Failure { instruction: told(&failure.instruction), error: told(&failure.error), field, ..failure };
    failures::response(&failure)
}

/// Where a route is asked with some arguments: its address, and the body if it takes one.
fn address(route: &Route, mut arguments: Map<String, Value>) -> (String, Option<Map<String, Value>>) {
    let mut path = format!("{API}{}", route.path);
    for name in route.in_path() {
        let value = arguments.remove(name).unwrap_or_default();
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let encoded: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        path = path.replace(&format!("{{{name}}}"), &encoded.replace('+', "%20"));
    }
    if route.verb == Verbs::Post {
        return (path, Some(arguments));
    }
    let query = ai_assist_client::query_of(&Value::Object(arguments));
    if query.is_empty() { (path, None) } else { (format!("{path}?{query}"), None) }
}

async fn answer(
    service: Arc<Service>,
    route: &'static Route,
    path: HashMap<String, String>,
    request: Request,
) -> Response {
    let start = Instant::now();
    let response = match prepared(&service, route, path, request).await {
        Ok((asker, prepared, wants)) if wants.stream && route.long => {
            stream::progress(Arc::clone(&service), asker, prepared)
        }
        Ok((asker, prepared, wants)) => {
            let report: Reporter = Box::new(|_, _, _| {});
            match work(Arc::clone(&service), route.long, asker, prepared, report).await {
                Ok(value) => whole(&value, route.verb, wants.known.as_ref()),
                Err(failure) => refused(failure),
            }
        }
        Err(failure) => refused(failure),
    };
    service.log.debug(|| {
        let took = start.elapsed().as_millis();
        format!("{} {}: {} after {took} ms", route.verb.name(), route.path, response.status().as_u16())
    });
    response
}

/// In which form an answer is wanted.
struct Wants {
    /// As a stream of what is being done.
    stream: bool,
    /// Only if it is not the one that is known.
    known: Option<HeaderValue>,
}

async fn prepared(
    service: &Service,
    route: &'static Route,
    path: HashMap<String, String>,
    request: Request,
) -> Result<(Asker, Prepared, Wants), Failure> {
    let (head, body) = request.into_parts();
    let peer = head.extensions.get::<Peer>().copied().unwrap_or(Peer::Network);
    if route.local && peer != Peer::User {
        let said = "this is for programs of the user, over the socket of the service";
        return Err(Failure::new(ErrorType::Refused, said, "Use the `ai-assist` command."));
    }
    if service.read_only && route.verb != Verbs::Get && !route.local {
        let said = "the service was started with --read-only";
        return Err(Failure::new(ErrorType::ReadOnly, said, "Ask the user to do it with the `ai-assist` command."));
    }
    let input = route.input();
    let mut arguments = query::of_query(&input, head.uri.query().unwrap_or_default())?;
    if route.verb == Verbs::Post {
        let body = to_bytes(body, usize::MAX).await;
        let body = body.map_err(|_| Failure::argument("body", "a JSON object", "the body can't be read"))?;
        arguments.extend(query::of_body(&body)?);
    }
    // The address wins over whatever else names the same.
    let numbers = |name: &str| {
        let kind = input.get("properties").and_then(|all| all.get(name)?.get("type")?.as_str());
        kind == Some("integer")
    };
    for (name, value) in path {
        let number = if numbers(&name) { value.parse::<u64>().ok() } else { None };
        arguments.insert(name, number.map_or_else(|| value.into(), Value::from));
    }
    let project = match arguments.remove("project") {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) if route.about_project && !name.contains('\0') => Some(name),
        Some(_) => {
            return Err(Failure::argument("project", "the name or the folder of a project", "`project` is no name"));
        }
    };
    let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
    // Over the network nobody says from which folder, and with which settings, they ask.
    let local = |name: &str| header(name).filter(|_| peer == Peer::User);
    let asker = Asker {
        peer,
        folder: local(FOLDER_HEADER).map(folder_of),
        settings: local(SETTINGS_HEADER).map(str::to_owned),
        project,
    };
    let wants = wants(&head.headers);
    Ok((asker, route.prepare(arguments)?, wants))
}

fn wants(headers: &HeaderMap) -> Wants {
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    Wants { stream: accept.contains("text/event-stream"), known: headers.get(IF_NONE_MATCH).cloned() }
}

/// A folder from a header, where its bytes are escaped.
fn folder_of(text: &str) -> PathBuf {
    let text = text.replace('+', " ");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match digits.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    PathBuf::from(ai_assist_base::platform::os_string(bytes))
}

/// An answer as it goes out, with a tag by which it is known again.
fn whole(value: &Value, verb: Verbs, known: Option<&HeaderValue>) -> Response {
    let text = value.to_string();
    let tag = format!("\"{}\"", &Sha256::of(text.as_bytes()).hex()[..32]);
    let is_known =
        verb == Verbs::Get && known.and_then(|known| known.to_str().ok()).is_some_and(|all| names_tag(all, &tag));
    if is_known {
        return (StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response();
    }
    (StatusCode::OK, [(CONTENT_TYPE, "application/json".to_owned()), (ETAG, tag)], text).into_response()
}

fn names_tag(header: &str, tag: &str) -> bool {
    header.split(',').map(str::trim).any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

type Reporter = Box<dyn Fn(f64, Option<f64>, String) + Send + Sync>;

/// Cancels the work that nobody waits for any more.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Does the work of a call when it is its turn, away from the threads that serve.
async fn work(
    service: Arc<Service>,
    long: bool,
    asker: Asker,
    prepared: Prepared,
    report: Reporter,
) -> Result<Value, Failure> {
    let turn = if long { &service.long } else { &service.quick };
    let permit = tokio::select! {
        permit = Arc::clone(turn).acquire_owned() => permit.map_err(|_| fault())?,
        () = service.stop.cancelled() => return Err(Failure::cancelled()),
    };
    let cancel = Cancel::default();
    let _guard = CancelOnDrop(cancel.clone());
    let stopping = Arc::clone(&service);
    let stop = cancel.clone();
    let worked = tokio::task::spawn_blocking(move || {
        // The turn ends with the work, whoever still waits for it.
        let _permit = permit;
        let open = || service.open(&asker);
        let asked = Asked { service: &service, peer: asker.peer, cancel: &cancel, report: &*report };
        std::panic::catch_unwind(AssertUnwindSafe(|| prepared(&open, &asked))).unwrap_or_else(|_| Err(fault()))
    });
    let mut worked = std::pin::pin!(worked);
    let done = tokio::select! {
        done = worked.as_mut() => done,
        () = stopping.stop.cancelled(), if long => {
            // What is being written is brought to an end.
            stop.cancel();
            worked.await
        }
    };
    done.unwrap_or_else(|_| Err(fault()))
}

fn fault() -> Failure {
    Failure::new(
        ErrorType::InternalError,
        "ai-assist failed at this request; the fault is its own",
        "Report this as a fault of ai-assist, with the request.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_through_headers_whole() {
        for bytes in [b"/srv/a b".as_slice(), b"/a+b%20", "/ü/€".as_bytes(), b"/\xff\xfe%"] {
            let text: String = form_urlencoded::byte_serialize(bytes).collect();
            assert_eq!(&*ai_assist_base::platform::path_bytes(&folder_of(&text)), bytes, "{text}");
        }
        assert_eq!(folder_of("/a%zz%4"), PathBuf::from("/a%zz%4"));
    }

    #[test]
    fn tags_are_known_again() {
        assert!(names_tag("\"a\", W/\"b\"", "\"b\"") && names_tag("*", "\"x\"") && !names_tag("\"a\"", "\"b\""));
    }
}
