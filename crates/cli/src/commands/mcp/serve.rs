//! `mcp`: the server.

use std::io::{IsTerminal, Read};
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use ai_assist_base::{log_broken_off, replace_file};
use ai_assist_mcp::http::{self, Access, Bound, Token};
use ai_assist_mcp::{Options, Pin, Server, stdio};
use tokio_util::sync::CancellationToken;

use crate::args::{Global, ServeArgs};
use crate::commands::prelude::*;
use crate::context::machine;

const TOKEN: &str = "AI_ASSIST_MCP_TOKEN";
/// The file in the folder of the user's configuration that keeps a token that was made.
const KEPT_TOKEN: &str = "mcp-token";
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
    let options = Options { pin, only, read_only, frozen, tools: args.tools.clone() };
    let machine = machine(global)?;
    let kept_token = machine.config_file().with_file_name(KEPT_TOKEN);
    let server = Server::new(machine, options);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let stop = CancellationToken::new();
    let served = runtime.block_on(async {
        let stopping = tokio::spawn(wait_for_interrupt(stop.clone()));
        let served = match &args.http {
            None => stdio::serve(server, stop).await.map_err(Into::into),
            Some(address) => over_http(terminal, server, address, args, &kept_token, stop).await,
        };
        stopping.abort();
        served
    });
    runtime.shutdown_timeout(LAST_WORDS);
    served.map(|()| Outcome::Done)
}

/// The project that was named. It is looked at again for every call; here only whether it is a folder at all.
fn real_folder(project: &Path) -> Result<PathBuf> {
    let folder =
        project.canonicalize().with_context(|| format!("the project {} can't be opened", project.display()))?;
    if !folder.is_dir() {
        bail!("the project {} is not a folder", folder.display());
    }
    Ok(folder)
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
    kept_token: &Path,
    stop: CancellationToken,
) -> Result<()> {
    let address = parsed(address)?;
    let given = given_token(args)?;
    let made = if given.is_none() { Some(made_token(kept_token)?) } else { None };
    let secret = given.or_else(|| made.clone()).unwrap_or_default();
    let token = Token::new(&secret).context("the token must have at least 16 visible ASCII characters")?;
    let access = Access { token: Some(token), hosts: args.allow_host.clone(), origins: args.allow_origin.clone() };
    let bound = Bound::new(address, access).await?;
    let url = format!("http://{}{}", bound.address(), http::PATH);
    let token_file = made.is_some().then_some(kept_token);
    if terminal.json {
        // One line, so that whoever has started the server knows when it is whole.
        terminal.say(json!({ "url": url, "tokenNeeded": true, "token": made, "tokenFile": token_file.map(|file| file.display().to_string()) }))?;
    } else {
        let with = made.map_or(String::new(), |token| format!(" with the bearer token {token}"));
        terminal.say(format!("Serving MCP at {url}{with}"))?;
        if let Some(file) = token_file {
            terminal.note(format!("The token is kept in {}, for you alone.", file.display()))?;
        }
    }
    if !bound.address().ip().is_loopback() {
        terminal
            .warn("other machines can reach this server, and nothing is encrypted: put a proxy with TLS before it")?;
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

/// The token of this user's servers: made once, so that the settings of clients stay right.
fn made_token(file: &Path) -> Result<String> {
    let is_private = std::fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o077 == 0);
    let kept = std::fs::read_to_string(file).ok().filter(|_| is_private).map(|kept| kept.trim().to_owned());
    if let Some(kept) = kept.filter(|kept| Token::new(kept).is_some()) {
        return Ok(kept);
    }
    let token = new_token()?;
    let keep = || {
        std::fs::create_dir_all(file.parent().unwrap_or(file))?;
        // What others can read is not kept, and neither is who may read it.
        let _ = std::fs::remove_file(file);
        replace_file(file, format!("{token}\n").as_bytes(), 0o600)
    };
    keep().with_context(|| format!("keeping the token in {} failed", file.display()))?;
    Ok(token)
}

/// 256 bits that nobody can guess.
fn new_token() -> Result<String> {
    let mut bytes = [0; 32];
    let source = Path::new("/dev/urandom");
    std::fs::File::open(source).and_then(|mut file| file.read_exact(&mut bytes)).context("making a token failed")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
