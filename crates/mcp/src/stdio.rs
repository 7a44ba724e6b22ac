//! The protocol over standard input and output.

use rmcp::ServerHandler;
use rmcp::service::{QuitReason, serve_server_with_ct};
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

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
pub async fn serve<S: ServerHandler>(server: S, stop: CancellationToken) -> Result<(), Error> {
    serve_streams(server, stdio_pipes(), stop).await
}

/// The same over any two streams, what comes in and what goes out, a message on each line.
pub async fn serve_streams<S, R, W>(server: S, streams: (R, W), stop: CancellationToken) -> Result<(), Error>
where
    S: ServerHandler,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let running = match serve_server_with_ct(server, streams, stop.clone()).await {
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
