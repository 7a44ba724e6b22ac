//! The server, spoken to as a client does.

mod support;

mod answers;
mod arguments;
mod http;
mod paths;
mod protocol;
mod session;
mod spec2;
