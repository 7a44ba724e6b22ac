//! Tools that talk to the client while they run.
#![expect(deprecated)] // Logging and sampling leave the protocol with 2026-07-28; the revisions before are tested too.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, ContentBlock, JsonObject, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam,
    ProtocolVersion, ServerRequest,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use crate::fixtures::filled;

/// The time between two messages, so that a client sees them come one by one.
const PAUSE: Duration = Duration::from_millis(50);

/// The level from which a client that keeps its connection wants log messages.
#[derive(Debug, Clone)]
pub(crate) struct Level(Arc<Mutex<LoggingLevel>>);

impl Default for Level {
    fn default() -> Self {
        Level(Arc::new(Mutex::new(LoggingLevel::Info)))
    }
}

impl Level {
    pub(crate) fn set(&self, level: LoggingLevel) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = level;
    }

    /// Whether messages at `info` are wanted. Since 2026-07-28 each request says it, and silence means no.
    fn wants_info(&self, context: &RequestContext<RoleServer>) -> bool {
        let stateless = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let level = match stateless {
            true => context.meta.log_level(),
            false => Some(*self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)),
        };
        level.is_some_and(|level| matches!(level, LoggingLevel::Debug | LoggingLevel::Info))
    }
}

pub(crate) async fn log(messages: &[String], level: &Level, context: &RequestContext<RoleServer>) -> CallToolResult {
    for message in messages {
        if level.wants_info(context) {
            let told = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(message));
            if let Err(error) = context.peer.notify_logging_message(told).await {
                return failed(format!("the log message was not sent: {error}"));
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
    text("Log messages were sent if they were wanted.")
}

/// Tells how far the call is, if the client wants to know.
pub(crate) async fn progress(steps: &[f64], context: &RequestContext<RoleServer>) -> CallToolResult {
    for step in steps {
        if let Some(token) = context.meta.get_progress_token() {
            let told = ProgressNotificationParam::new(token, *step).with_total(100.0);
            if let Err(error) = context.peer.notify_progress(told).await {
                return failed(format!("the progress was not told: {error}"));
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
    text("All steps are done.")
}

/// Sends a request to the client, and answers with what it says.
pub(crate) async fn ask(
    request: &Value,
    arguments: &JsonObject,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let request: ServerRequest = match serde_json::from_value(filled(request, arguments)) {
        Ok(request) => request,
        Err(error) => return failed(format!("the request can't be made: {error}")),
    };
    match context.peer.send_request(request).await {
        Ok(answer) => text(format!("The client says: {}", json!(answer))),
        Err(error) => failed(format!("the client did not answer: {error}")),
    }
}

pub(crate) fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn failed(why: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why)])
}
