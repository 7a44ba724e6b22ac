//! The protocol over HTTP, as a part of a server: who may ask, and how many, is settled before.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

/// The path at which the protocol is spoken.
pub const PATH: &str = "/mcp";

/// Sessions of clients of the older protocol.
#[derive(Debug, Clone, Copy)]
pub struct Sessions {
    /// More are told to come again.
    pub most: usize,
    /// How long one is kept that nothing is heard of.
    pub idle: Duration,
}

/// Speaks the protocol at [`PATH`] until `stop` is cancelled. Every client gets a handler of its own. Names and pages are not
/// looked at here, and bodies have to be read already.
pub fn router<S: ServerHandler>(
    handler: impl Fn() -> S + Send + Sync + 'static,
    sessions: Sessions,
    stop: CancellationToken,
) -> Router {
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_cancellation_token(stop);
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = Some(sessions.idle);
    let manager = Arc::new(manager);
    let service = StreamableHttpService::new(move || Ok(handler()), Arc::clone(&manager), config);
    let held = Arc::new((manager, sessions.most));
    Router::new().route_service(PATH, service).layer(axum::middleware::from_fn_with_state(held, hold))
}

/// Keeps the number of sessions within bounds.
async fn hold(State(held): State<Arc<(Arc<LocalSessionManager>, usize)>>, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    // Whoever serves this has read the body and knows that it is not too large.
    let Ok(body) = axum::body::to_bytes(body, usize::MAX).await else {
        return (StatusCode::BAD_REQUEST, "the body can't be read\n").into_response();
    };
    let (manager, most) = &*held;
    if head.method == Method::POST
        && !head.headers.contains_key("mcp-session-id")
        && opens_session(&body)
        && manager.sessions.read().await.len() >= *most
    {
        let said = "too many sessions are open; end one, or come again\n";
        return (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "60")], said).into_response();
    }
    let ends_session = head.method == Method::DELETE;
    let mut response = next.run(Request::from_parts(head, Body::from(body))).await;
    // The Python SDK takes 202, which ours says here, for a failure, and complains each time a session ends.
    if ends_session && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// Whether a message is the first of a session.
fn opens_session(body: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Message {
        method: Option<String>,
    }
    serde_json::from_slice::<Message>(body).is_ok_and(|message| message.method.as_deref() == Some("initialize"))
}
