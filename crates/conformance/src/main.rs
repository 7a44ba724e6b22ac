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
use ai_assist_mcp::http::{Access, Bound, PATH};
use ai_assist_mcp::{Options, Pin, Server};
use anyhow::{Context as _, Result, bail};
use tokio_util::sync::CancellationToken;

fn main() -> Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [project, state] = arguments.as_slice() else {
        bail!("usage: ai-assist-conformance PROJECT STATE (the folder of a project, and one for the server's data)");
    };
    let project = project.canonicalize().with_context(|| format!("the project {}", project.display()))?;
    let machine = Machine::new(Environment::within(&std::path::absolute(state)?));
    let server = Server::new(machine, Options { pin: Some(Pin(project)), ..Options::default() });
    let wrapped = wrapped::Wrapped::new(server, fixtures::Fixtures::load()?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let bound = Bound::new(([127, 0, 0, 1], 0).into(), Access::default()).await?;
        writeln!(std::io::stdout(), "Serving MCP at http://{}{PATH}", bound.address())?;
        bound.serve(move || wrapped.for_client(), CancellationToken::new()).await?;
        Ok(())
    })
}
