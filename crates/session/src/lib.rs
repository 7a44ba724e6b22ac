//! What an agent has seen, and what it holds now.
//!
//! What comes in: files that an agent reads or meets, tools that it calls, what is said. Each becomes a version of an object in
//! the store, with secrets taken out. What goes out: the working set of a session, its text for a model within a budget
//! ([`render`]), what happened to its files meanwhile ([`Session::resume`], [`watch`]), everything it has ever seen as a
//! search ([`search`]), and JSON documents in the shape of the specification ([`object`], [`export`]).
//!
//! Paths of the agent go through the [`resolver`] once on their way in and once on their way out; [`indexer`] decides what is
//! a new version; [`sets`] keeps the laws of the working set; every change is one write of the store.
//!
//! This room must not know MCP, the terminal or the environment.

mod chat;
pub mod diff;
mod error;
pub mod export;
pub mod file_reader;
pub mod gc;
pub mod indexer;
pub mod memory;
pub mod object;
mod redact;
pub mod render;
pub mod replay;
pub mod resolver;
pub mod search;
mod session;
pub mod sets;
pub mod surroundings;
pub mod transcript;
pub mod watch;

pub use chat::{Chat, Said};
pub use error::{Error, Result};
pub use redact::redacted;
pub use session::{
    About, Counts, Filesystem, How, Indexed, NewSession, NewToolcall, ReadFile, Reconciled, Reconciliation, Session,
    SessionName, Summary, summaries,
};
