//! Commands about MCP.

pub(crate) mod config;
mod rules;
mod serve;
pub(crate) mod written;

use crate::args::{Global, McpArgs, McpCommand};
use crate::commands::prelude::*;

pub(crate) fn run(global: &Global, args: McpArgs) -> Result<Outcome> {
    let McpArgs { command, serve } = args;
    match command {
        Some(McpCommand::Config(args)) => config::run(&Context::new(global)?, &args),
        Some(McpCommand::Rules(args)) => rules::run(&Context::new(global)?, &args),
        None => serve::run(global, &serve),
    }
}
