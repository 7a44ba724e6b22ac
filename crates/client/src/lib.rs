//! A typed client of the service, for programs that wait for their answers.
//!
//! What comes in: where a service is ([`Client::at_socket`], [`Client::at_address`]), and for each procedure a plain struct of
//! arguments ([`requests`]). What goes out: the same types that the library gives without a service, so that a caller need not
//! know which of the two has answered.
//!
//! It speaks HTTP/1.1 by itself ([`http`]): a client of one's own service needs no TLS, no proxies and no runtime, and the
//! command line should not start slower for having one. It must not know the environment or how answers are shown.

mod client;
pub mod http;
mod place;
pub mod requests;

pub use client::{Asking, Client, Error, Event, OtherService, Problem, Result, query_of};
pub use place::socket_file;

/// The version that both ends must have for one to answer in place of the other.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where the procedures are.
pub const API: &str = "/api/v1";

/// Headers of our own: the version of the service; the folder that a question is asked from; what the asker's settings come to.
pub const VERSION_HEADER: &str = "ai-assist-version";
pub const FOLDER_HEADER: &str = "ai-assist-folder";
pub const SETTINGS_HEADER: &str = "ai-assist-settings";
