//! `mcp`: the server.

use std::io::{IsTerminal, Read};
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use ai_assist_mcp::http::{self, Access, Bound, Token};
use ai_assist_mcp::{Options, Pin, Server, stdio};
use tokio_util::sync::CancellationToken;

use crate::args::{Global, ServeArgs};
use crate::commands::prelude::*;
use crate::context::machine;

const TOKEN: &str = "AI_ASSIST_MCP_TOKEN";
/// How long calls may take to come to an end when the server stops.
const LAST_WORDS: Duration = Duration::from_secs(5);

pub(crate) fn run(global: &Global, args: &ServeArgs) -> Result<Outcome> {
    let terminal = Terminal::new(global);
    let pin = args.project.as_deref().map(pinned).transpose()?;
    if args.tools.is_empty(args.read_only) {
        bail!("none of the tools {} is left with --read-only; add some that read, such as --tools default", args.tools);
    }
    if args.http.is_none() && std::io::stdin().is_terminal() {
        terminal.note(
            "Waiting for an MCP client on standard input. To set one up: ai-assist mcp config. Ctrl-C ends this.",
        )?;
    }
    let options = Options { pin, read_only: args.read_only, tools: args.tools.clone() };
    let server = Server::new(machine(global)?, options);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let stop = CancellationToken::new();
    let served = runtime.block_on(async {
        let stopping = tokio::spawn(wait_for_interrupt(stop.clone()));
        let served = match &args.http {
            None => stdio::serve(server, stop).await.map_err(Into::into),
            Some(address) => over_http(terminal, server, address, args, stop).await,
        };
        stopping.abort();
        served
    });
    runtime.shutdown_timeout(LAST_WORDS);
    served.map(|()| Outcome::Done)
}

/// The project that was named. It is looked at again for every call; here only whether it is a folder at all.
fn pinned(project: &Path) -> Result<Pin> {
    let folder =
        project.canonicalize().with_context(|| format!("the project {} can't be opened", project.display()))?;
    if !folder.is_dir() {
        bail!("the project {} is not a folder", folder.display());
    }
    Ok(Pin(folder))
}

async fn wait_for_interrupt(stop: CancellationToken) {
    let cancel = cancel();
    while !cancel.is_cancelled() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    stop.cancel();
}

async fn over_http(
    terminal: Terminal,
    server: Server,
    address: &str,
    args: &ServeArgs,
    stop: CancellationToken,
) -> Result<()> {
    let address = parsed(address)?;
    let mut secret = given_token(args)?;
    let generated = secret.is_none() && !address.ip().is_loopback();
    if generated {
        secret = Some(new_token()?);
    }
    let token = match &secret {
        None => None,
        Some(text) => Some(Token::new(text).context("the token must have at least 16 visible ASCII characters")?),
    };
    let access = Access { token, hosts: args.allow_host.clone(), origins: args.allow_origin.clone() };
    let bound = Bound::new(address, access).await?;
    let url = format!("http://{}{}", bound.address(), http::PATH);
    if terminal.json {
        // One line, so that whoever has started the server knows when it is whole.
        terminal.say(json!({ "url": url, "tokenNeeded": secret.is_some() }))?;
    } else {
        terminal.say(format!("Serving MCP at {url}"))?;
    }
    if let Some(secret) = secret.filter(|_| generated) {
        // Without it nobody gets in, so it is said even to those who want quiet.
        let loud = Terminal { quiet: false, ..terminal };
        loud.warn(format!(
            "other machines can reach this server. Requests must carry this token, made for this run: {secret}"
        ))?;
    }
    bound.serve(move || server.for_client(), stop).await?;
    Ok(())
}

/// An address: `127.0.0.1:3333`, `localhost:3333`, or a port of this machine alone.
fn parsed(text: &str) -> Result<SocketAddr> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.with_context(|| format!("`{text}` is no address; give one such as 127.0.0.1:3333"))
}

fn given_token(args: &ServeArgs) -> Result<Option<String>> {
    if let Some(file) = &args.token_file {
        let text = std::fs::read_to_string(file).with_context(|| format!("the token file {}", file.display()))?;
        return Ok(Some(text.trim().to_owned()));
    }
    Ok(std::env::var(TOKEN).ok().filter(|token| !token.is_empty()))
}

/// 256 bits that nobody can guess.
fn new_token() -> Result<String> {
    let mut bytes = [0; 32];
    let source = Path::new("/dev/urandom");
    std::fs::File::open(source).and_then(|mut file| file.read_exact(&mut bytes)).context("making a token failed")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
