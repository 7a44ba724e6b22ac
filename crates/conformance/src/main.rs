//! The server for the official conformance suite of MCP.
//!
//! The suite calls tools, resources and prompts that no real server has. This is our own server, carried over HTTP as always,
//! with those added: what is fixed about them is JSON under `fixtures/`, what they do is in [`live`] and [`rounds`], and
//! everything that is not a fixture goes to the real handler ([`wrapped`]). `scripts/conformance` runs it; nothing ships it.

mod fixtures;
mod live;
mod rounds;
mod wrapped;

use std::io::Write;
use std::path::PathBuf;

use ai_assist_app::{Environment, Machine};
use ai_assist_mcp::http::PATH;
use ai_assist_mcp::{Options, Pin, Server, ToolSet};
use ai_assist_server::access::Access;
use ai_assist_server::http::Bound;
use ai_assist_server::serve_mcp;
use anyhow::{Context as _, Result, bail};
use tokio_util::sync::CancellationToken;

fn main() -> Result<()> {
    let mut arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let is_plain = arguments.first().is_some_and(|first| first.as_os_str() == "--plain");
    arguments.drain(..usize::from(is_plain));
    let [project, state] = arguments.as_slice() else {
        bail!(
            "usage: ai-assist-conformance [--plain] PROJECT STATE (the folders of a project and of the server's data)"
        );
    };
    let project = project.canonicalize().with_context(|| format!("the project {}", project.display()))?;
    let machine = Machine::new(Environment::within(&std::path::absolute(state)?));
    let tools = if is_plain { "all".parse()? } else { ToolSet::default() };
    let server = Server::new(machine, Options { pin: Some(Pin(project)), tools, ..Options::default() });
    let wrapped = wrapped::Wrapped::new(server.clone(), fixtures::Fixtures::load()?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let bound = Bound::new(([127, 0, 0, 1], 0).into(), Access::default()).await?;
        writeln!(std::io::stdout(), "Serving MCP at http://{}{PATH}", bound.address())?;
        let stop = CancellationToken::new();
        match is_plain {
            // The server as it ships, but for the token: the suite can't give one.
            true => serve_mcp(bound, move || server.for_client(), stop).await,
            false => serve_mcp(bound, move || wrapped.for_client(), stop).await,
        }
        Ok(())
    })
}
