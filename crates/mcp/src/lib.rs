//! The tools of agents, over MCP.
//!
//! What comes in: requests of the Model Context Protocol, over standard input and output or over HTTP, from clients that may be
//! wrong, hostile or gone. What goes out: for every call a result of one shape (`outcome`), as structured content for programs and as
//! Markdown for models (`markdown`), each within a budget of tokens.
//!
//! - [`Server`] answers the protocol; [`http`] and [`stdio`] carry it. The wire format itself is the SDK's.
//! - A tool is a type (`tool`): a struct of arguments, from which schema, checks and documentation come, and a function. `tools`
//!   has one file for each group of them.
//! - A call is about a project (`session`), which an [`app::Machine`](ai_assist_app::Machine) opens.
//!
//! This crate must not know SQL or files. It asks `app`, and says what that answered.

mod arguments;
mod call;
mod failures;
pub mod http;
mod log;
mod markdown;
mod outcome;
mod prompts;
mod relay;
mod resources;
mod schema;
mod server;
mod session;
pub mod stdio;
mod subscriptions;
mod tool;
mod tools;
mod verbs;

pub use outcome::{ERROR_TYPES, ErrorType, Failure};
pub use prompts::list as prompts;
pub use relay::{Relay, RelayedAnswer, RelayedCall};
pub use resources::templates as resource_templates;
pub use rmcp::model::Tool;
pub use server::{Options, Server};
pub use session::Pin;
pub use tool::{BadToolSet, Documented, ToolSet, documented};
pub use verbs::{Done, Report, Verb, read_arguments, schema_of_answer, schema_of_arguments};
