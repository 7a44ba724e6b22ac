//! A log for clients that want one: what is odd about the project's configuration. Answers say it as well.
//!
//! The newest revision of the protocol is about to leave logging behind, and a request asks for it; those before it set a level.
#![expect(deprecated, reason = "deprecated by the newest revision, and used by those before it")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, ProtocolVersion};
use rmcp::service::RequestContext;
use serde_json::json;

/// The least level that a client wants to hear of.
#[derive(Debug, Clone)]
pub(crate) struct Log(Arc<AtomicU8>);

impl Default for Log {
    fn default() -> Self {
        Log(Arc::new(AtomicU8::new(LoggingLevel::Warning as u8)))
    }
}

impl Log {
    pub(crate) fn set(&self, level: LoggingLevel) {
        self.0.store(level as u8, Ordering::Relaxed);
    }

    /// Tells the client what is odd, if it wants to know.
    pub(crate) async fn warn(&self, warnings: &[String], context: &RequestContext<RoleServer>) {
        let is_stateless = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let least = match (context.meta.log_level(), is_stateless) {
            (Some(level), _) => level as u8,
            (None, true) => return,
            (None, false) => self.0.load(Ordering::Relaxed),
        };
        if least > LoggingLevel::Warning as u8 {
            return;
        }
        for warning in warnings {
            let message = LoggingMessageNotificationParam::new(LoggingLevel::Warning, json!(warning));
            // A client that is gone does not read logs.
            let _ = context.peer.notify_logging_message(message.with_logger("ai-assist")).await;
        }
    }
}
