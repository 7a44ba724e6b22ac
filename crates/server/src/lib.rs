//! The service: what the other surfaces can do, over HTTP, from one process that keeps everything open.
//!
//! What comes in: connections of clients that may be wrong, hostile or gone, over TCP and over a socket of the user's. What goes
//! out: JSON under `/api/v1`, MCP at `/mcp`, the page (`page`) everywhere else. Everything that is asked is asked of `app`.
//!
//! - [`http`] is the one HTTP layer of the program: connections, limits, who may ask ([`access`]). `mcp --http` uses it, too.
//! - [`api`] is one table of routes. A route is a procedure of its own or a tool of MCP; both have the same checks and failures.
//! - [`Service`] has the projects; `run` serves them; `watch` keeps what is indexed of them current.
//!
//! This crate must not know the terminal or the environment.

pub mod access;
pub mod api;
mod failures;
pub mod http;
mod local;
mod log;
mod run;
mod service;
mod watch;

pub use log::{Level, Log};
pub use run::{Listening, RunError, serve_mcp};
pub use service::{Change, ChangeKind, Service, Watched};
