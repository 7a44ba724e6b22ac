//! The protocol over standard input and output.

use rmcp::ServerHandler;
use rmcp::service::{QuitReason, serve_server_with_ct};
use rmcp::transport::stdio_pipes;
use tokio_util::sync::CancellationToken;

/// What can go wrong with a connection.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The client never got as far as a first request.
    #[error("the client did not begin as the protocol asks: {0}")]
    Beginning(String),
    /// The work on requests ended by a fault.
    #[error("the connection broke off: {0}")]
    Broken(String),
}

/// Serves the client at standard input and output until it hangs up or `stop` is cancelled.
///
/// # Errors
///
/// [`Error`] if the protocol is broken from the start, or the connection ends by a fault.
pub async fn serve<S: ServerHandler>(server: S, stop: CancellationToken) -> Result<(), Error> {
    let running = match serve_server_with_ct(server, stdio_pipes(), stop.clone()).await {
        Ok(running) => running,
        Err(_) if stop.is_cancelled() => return Ok(()),
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Error::Beginning(error.to_string())),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) => Err(Error::Broken(error.to_string())),
        Ok(_) => Ok(()),
        Err(error) => Err(Error::Broken(error.to_string())),
    }
}
