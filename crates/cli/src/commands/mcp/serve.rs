//! `mcp`: the server.

use std::io::IsTerminal;
use std::time::Duration;

use ai_assist_base::{RealPath, log_broken_off};
use ai_assist_mcp::http::PATH;
use ai_assist_mcp::{Options, Pin, Server, stdio};
use ai_assist_server::access::Access;
use ai_assist_server::http::Bound;
use ai_assist_server::serve_mcp;
use tokio_util::sync::CancellationToken;

use crate::args::{Global, ServeArgs};
use crate::commands::prelude::*;
use crate::commands::serve::{parsed, wait_for_interrupt};
use crate::commands::token;
use crate::context::{machine, uses_daemon};

/// How long calls may take to come to an end when the server stops.
const LAST_WORDS: Duration = Duration::from_secs(5);

pub(crate) fn run(global: &Global, args: &ServeArgs) -> Result<Outcome> {
    let terminal = Terminal::new(global);
    log_broken_off();
    let mut only = args.project.iter().map(|project| real_folder(project)).collect::<Result<Vec<PathBuf>>>()?;
    if only.is_empty() && args.http.is_some() {
        // Whoever can reach the port must not choose what it reads.
        only.push(real_folder(Path::new("."))?);
    }
    let pin = if let [one] = only.as_slice() { Some(Pin(one.clone())) } else { None };
    if args.tools.is_empty(args.read_only) {
        bail!("none of the tools {} is left with --read-only; add some that read, such as --tools default", args.tools);
    }
    if args.http.is_none() && std::io::stdin().is_terminal() {
        terminal.note(
            "Waiting for an MCP client on standard input. To set one up: ai-assist mcp config. Ctrl-C ends this.",
        )?;
    }
    let (read_only, frozen) = (args.read_only, args.frozen);
    let (tools, output_schemas) = (args.tools.clone(), args.output_schemas);
    let relay = uses_daemon(global).then(crate::daemon::relay);
    let options = Options { pin, only, read_only, frozen, tools, output_schemas, relay };
    let machine = machine(global)?;
    let config = machine.config_file();
    let server = Server::new(machine, options);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let stop = CancellationToken::new();
    let served = runtime.block_on(async {
        let stopping = tokio::spawn(wait_for_interrupt(stop.clone()));
        let served = match &args.http {
            None => stdio::serve(server, stop).await.map_err(Into::into),
            Some(address) => over_http(terminal, server, address, args, &config, stop).await,
        };
        stopping.abort();
        served
    });
    runtime.shutdown_timeout(LAST_WORDS);
    served.map(|()| Outcome::Done)
}

/// The project that was named. It is looked at again for every call; here only whether it is a folder at all.
fn real_folder(project: &Path) -> Result<PathBuf> {
    let folder = project.real_path().with_context(|| format!("the project {} can't be opened", project.display()))?;
    if !folder.is_dir() {
        bail!("the project {} is not a folder", folder.display());
    }
    Ok(folder)
}

async fn over_http(
    terminal: Terminal,
    server: Server,
    address: &str,
    args: &ServeArgs,
    config: &Path,
    stop: CancellationToken,
) -> Result<()> {
    let address = parsed(address)?;
    let token::KnownToken { token, made, file } = token::known(args.token_file.as_deref(), config)?;
    let (hosts, origins) = (args.allow_host.clone(), args.allow_origin.clone());
    let bound = Bound::new(address, Access { token: Some(token), hosts, origins, ..Access::default() }).await?;
    let url = format!("http://{}{PATH}", bound.address());
    if terminal.json {
        // One line, so that whoever has started the server knows when it is whole.
        let file = file.map(|file| file.display().to_string());
        terminal.say(json!({ "url": url, "tokenNeeded": true, "token": made, "tokenFile": file }))?;
    } else {
        let with = made.map_or(String::new(), |token| format!(" with the bearer token {token}"));
        terminal.say(format!("Serving MCP at {url}{with}"))?;
        if let Some(file) = file {
            terminal.note(format!("The token is kept in {}, for you alone.", file.display()))?;
        }
    }
    if !bound.address().ip().is_loopback() {
        terminal
            .warn("other machines can reach this server, and nothing is encrypted: put a proxy with TLS before it")?;
    }
    serve_mcp(bound, move || server.for_client(), stop).await;
    Ok(())
}
