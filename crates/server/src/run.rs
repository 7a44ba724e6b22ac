//! Serving: one process for a data folder, on a port and a socket.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ai_assist_base::FileLock;
use ai_assist_mcp::http::{Sessions, router as mcp_router};
use ai_assist_mcp::{Options, Pin, Server, ToolSet};
use axum::Router;
use rmcp::ServerHandler;
use tokio_util::sync::CancellationToken;

use crate::access::{Access, LocalPages, Token};
use crate::api;
use crate::http::{Bound, Error, Limits, Socket};
use crate::service::Service;
use crate::watch::Followers;

/// The file in the data folder that a service holds the lock of.
const LOCK: &str = "locks/serve";

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("a service runs already for the data folder {}", .0.display())]
    RunsAlready(PathBuf),
    #[error("the lock of the service in {} can't be taken", data.display())]
    Lock {
        data: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error(transparent)]
    Http(#[from] Error),
}

/// A service that has its addresses, and the lock that says that it is the only one for its data folder.
#[derive(Debug)]
pub struct Listening {
    service: Arc<Service>,
    bound: Bound,
    socket: Option<Socket>,
    tools: ToolSet,
    watches: bool,
    _lock: FileLock,
}

impl Listening {
    /// Takes the lock and the addresses. Without a path for the socket only the port is listened on.
    pub async fn new(
        service: Arc<Service>,
        data: &Path,
        address: SocketAddr,
        token: Token,
        hosts: Vec<String>,
        socket: Option<&Path>,
    ) -> Result<Self, RunError> {
        let lock = FileLock::try_take(&data.join(LOCK));
        let lock = lock.map_err(|source| RunError::Lock { data: data.to_owned(), source })?;
        let lock = lock.ok_or_else(|| RunError::RunsAlready(data.to_owned()))?;
        let access = Access { token: Some(token), hosts, origins: Vec::new(), local_pages: LocalPages::OwnPort };
        let bound = Bound::new(address, access).await?;
        let socket = socket.map(Socket::new).transpose()?;
        // Set once: there is one port.
        let _ = service.browsers.set((Arc::clone(&bound.browsers), bound.address()));
        Ok(Listening { service, bound, socket, tools: ToolSet::default(), watches: true, _lock: lock })
    }

    /// With other tools for agents than the usual.
    pub fn with_tools(self, tools: ToolSet) -> Self {
        Listening { tools, ..self }
    }

    /// Leaves what is indexed as it is until somebody syncs.
    pub fn without_watching(self) -> Self {
        Listening { watches: false, ..self }
    }

    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.bound.limits = limits;
        self
    }

    pub fn address(&self) -> SocketAddr {
        self.bound.address()
    }

    /// Serves until the service is told to stop. Running requests come to an end first.
    pub async fn serve(self) {
        let Listening { service, bound, socket, tools, watches, _lock } = self;
        let (stop, limits) = (service.stop.clone(), bound.limits);
        let router = router(&service, tools, limits);
        let followers = watches.then(|| Followers::start(&service));
        let (for_socket, until) = (router.clone(), stop.clone());
        let over_socket = async move {
            if let Some(socket) = socket {
                socket.serve(for_socket, limits, until).await;
            }
        };
        tokio::join!(bound.serve(router, stop), over_socket);
        // What is being written is brought to an end, away from the threads that serve.
        let _ = tokio::task::spawn_blocking(move || drop(followers)).await;
    }
}

/// Everything that a service answers.
fn router(service: &Arc<Service>, tools: ToolSet, limits: Limits) -> Router {
    let pin = if let [one] = service.projects.as_slice() { Some(Pin(one.clone())) } else { None };
    let (only, read_only) = (service.projects.clone(), service.read_only);
    let options = Options { pin, only, read_only, frozen: false, tools, output_schemas: false, relay: None };
    let server = Server::new(Arc::clone(&service.machine), options);
    let sessions = Sessions { most: limits.sessions, idle: limits.idle };
    let mcp = mcp_router(move || server.for_client(), sessions, service.stop.clone());
    service.page().merge(api::router(service)).merge(mcp)
}

/// Serves MCP alone, until `stop` is cancelled. Every client gets a handler of its own.
pub async fn serve_mcp<S: ServerHandler>(
    bound: Bound,
    handler: impl Fn() -> S + Send + Sync + 'static,
    stop: CancellationToken,
) {
    let sessions = Sessions { most: bound.limits.sessions, idle: bound.limits.idle };
    let router = mcp_router(handler, sessions, stop.clone());
    bound.serve(router, stop).await;
}
