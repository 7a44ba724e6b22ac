//! Commands about MCP.

pub(crate) mod config;

use anyhow::{Result, bail};

use crate::args::{McpArgs, McpCommand};
use crate::commands::Outcome;
use crate::context::Context;

pub(crate) fn run(context: &Context, args: McpArgs) -> Result<Outcome> {
    let McpArgs { command, serve: _ } = args;
    match command {
        Some(McpCommand::Config(args)) => config::run(context, &args),
        None => bail!("not there yet"),
    }
}
