//! `serve`.

use std::io::{IsTerminal, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ai_assist_app::Machine;
use ai_assist_base::{RealPath, log_broken_off};
use ai_assist_server::{Level, Listening, Log, Service};
use tokio_util::sync::CancellationToken;

use super::token;
use crate::args::{Global, Keeper, ServeProjects};
use crate::commands::prelude::*;
use crate::context::{machine, text_variable};
use crate::daemon;

/// How long a service may take to end when it is asked to.
const ENDING: Duration = Duration::from_secs(15);
/// How long work may take to come to an end when the service stops.
const LAST_WORDS: Duration = Duration::from_secs(5);

pub(crate) fn run(global: &Global, args: &ServeProjects) -> Result<Outcome> {
    if args.stop {
        return stop(&Context::new(global)?);
    }
    if args.token {
        return print_token(&Context::new(global)?, args);
    }
    let projects = projects(args)?;
    if let Some(keeper) = args.unit {
        return unit(Terminal::new(global), keeper, args, &projects);
    }
    // The data folder that the projects have, wherever the command was typed.
    let machine = machine(global)?;
    let first = machine.open(&projects[0])?;
    for other in &projects[1..] {
        let data = machine.open(other)?.roots.data;
        if data != first.roots.data {
            bail!("{} keeps its data in {}, so it needs a service of its own", other.display(), data.display());
        }
    }
    let context = Context { terminal: Terminal::new(global), app: first, use_daemon: true };
    if args.open
        && let Some(client) = daemon::client(&context)
        && let Ok(link) = client.post::<Value>("/service/link", &json!({}))
    {
        return show_page(context.terminal, link["url"].as_str().unwrap_or_default());
    }
    serve(&context, machine, projects, args)
}

/// Says the token that requests must carry, for scripts.
fn print_token(context: &Context, args: &ServeProjects) -> Result<Outcome> {
    let known = token::known(args.token_file.as_deref(), &context.machine.config_file())?;
    let Some(token) = known.made else { bail!("the token is the one that you have given; it is not repeated") };
    let terminal = context.terminal;
    terminal.show(|| json!({ "token": token }), || terminal.say(&token))
}

/// The folders to serve, links resolved, each once.
fn projects(args: &ServeProjects) -> Result<Vec<PathBuf>> {
    let workspaces = args.workspace.iter().map(|file| match file.is_file() {
        true => file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")),
        false => file.as_path(),
    });
    let mut named: Vec<&Path> = args.project.iter().map(PathBuf::as_path).chain(workspaces).collect();
    if named.is_empty() {
        named.push(Path::new("."));
    }
    let mut folders = Vec::new();
    for project in named {
        let folder =
            project.real_path().with_context(|| format!("the project {} can't be opened", project.display()))?;
        if !folder.is_dir() {
            bail!("the project {} is not a folder", folder.display());
        }
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    Ok(folders)
}

fn serve(context: &Context, machine: Arc<Machine>, projects: Vec<PathBuf>, args: &ServeProjects) -> Result<Outcome> {
    log_broken_off();
    let terminal = context.terminal;
    let known = token::known(args.token_file.as_deref(), &machine.config_file())?;
    let service = Service::new(machine, projects, args.read_only, log(terminal)?);
    let socket = daemon::socket(&context.roots.data);
    let address = parsed(&args.listen)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let token::KnownToken { token, made, file } = known;
        let hosts = args.allow_host.clone();
        let data = &context.roots.data;
        let listening = Listening::new(Arc::clone(&service), data, address, token, hosts, socket.as_deref()).await?;
        let listening = listening.with_tools(args.tools.clone());
        let listening = if args.no_watch { listening.without_watching() } else { listening };
        let url = format!("http://{}", listening.address());
        if terminal.json {
            // One line, so that whoever has started the service knows when it is whole.
            let projects: Vec<String> = service.projects.iter().map(|folder| folder.display().to_string()).collect();
            terminal.say(json!({
                "url": url, "socket": socket.map(|file| file.display().to_string()), "projects": projects,
                "token": made, "tokenFile": file.map(|file| file.display().to_string()),
            }))?;
        } else {
            let projects = count(service.projects.len(), "project");
            let with = made.map_or(String::new(), |token| format!(" with the bearer token {token}"));
            terminal.say(format!("Serving {projects} at {url}{with}"))?;
            if let Some(file) = file {
                terminal.note(format!("The token is kept in {}, for you alone.", file.display()))?;
            }
            terminal.note("Ctrl-C ends this; so does: ai-assist serve --stop")?;
        }
        if !listening.address().ip().is_loopback() {
            terminal.warn(
                "other machines can reach this service, and nothing is encrypted: put a proxy with TLS before it",
            )?;
        }
        if args.open {
            show_page(terminal, &service.new_link().unwrap_or_default())?;
        }
        let stopping = tokio::spawn(wait_for_interrupt(service.stop.clone()));
        listening.serve().await;
        stopping.abort();
        Ok(Outcome::Done)
    });
    runtime.shutdown_timeout(LAST_WORDS);
    served
}

pub(crate) async fn wait_for_interrupt(stop: CancellationToken) {
    let cancel = cancel();
    while !cancel.is_cancelled() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    stop.cancel();
}

/// What the service says while it runs goes to standard error.
fn log(terminal: Terminal) -> Result<Log> {
    let level = match text_variable("AI_ASSIST_LOG") {
        Some(word) => {
            let known = Level::NAMES.iter().find(|(name, _)| *name == word).map(|(_, level)| *level);
            known.with_context(|| format!("AI_ASSIST_LOG is `{word}`; it takes warn, info or debug"))?
        }
        None if terminal.verbose => Level::Info,
        None => Level::Warn,
    };
    Ok(Log::new(level, |line| {
        // Nobody may be reading it.
        let _ = writeln!(std::io::stderr(), "{line}");
    }))
}

/// An address: `127.0.0.1:3333`, `localhost:3333`, or a port of this machine alone.
pub(crate) fn parsed(text: &str) -> Result<SocketAddr> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.with_context(|| format!("`{text}` is no address; give one such as 127.0.0.1:3333"))
}

fn stop(context: &Context) -> Result<Outcome> {
    let Some(client) = daemon::client(context) else {
        context.terminal.note(format!("No service runs for {}.", context.roots.data.display()))?;
        return Ok(Outcome::Partial);
    };
    if client.stop().is_err() {
        context.terminal.note(format!("No service answers for {}.", context.roots.data.display()))?;
        return Ok(Outcome::Partial);
    }
    let start = Instant::now();
    while daemon::client(context).is_some() {
        if start.elapsed() > ENDING {
            bail!("the service was asked to end, and has not after {} seconds", ENDING.as_secs());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    context.terminal.show(|| json!({ "stopped": true }), || context.terminal.tell("Stopped the service."))
}

/// Opens an address in a browser, if somebody is there to see it, and prints it in any case.
fn show_page(terminal: Terminal, url: &str) -> Result<Outcome> {
    terminal.show(|| json!({ "open": url }), || terminal.say(format!("Open {url}")))?;
    if std::io::stdout().is_terminal() {
        let opener = match std::env::consts::OS {
            "macos" => "open",
            "windows" => "explorer",
            _ => "xdg-open",
        };
        // Where there is none, the address is on the screen.
        let _ = Command::new(opener).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    }
    Ok(Outcome::Done)
}

/// A unit for the system that starts programs at login.
fn unit(terminal: Terminal, keeper: Keeper, args: &ServeProjects, projects: &[PathBuf]) -> Result<Outcome> {
    let program = std::env::current_exe().context("where this program is can't be found out")?;
    let mut words: Vec<String> = vec![program.display().to_string(), "serve".to_owned()];
    for project in projects {
        words.extend(["--project".to_owned(), project.display().to_string()]);
    }
    words.extend(["--listen".to_owned(), args.listen.clone()]);
    for (is_given, word) in [(args.read_only, "--read-only"), (args.no_watch, "--no-watch")] {
        if is_given {
            words.push(word.to_owned());
        }
    }
    let text = match keeper {
        Keeper::Systemd => {
            let quoted = |word: &String| {
                // Percent and dollar signs mean something to systemd.
                let word = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
                format!("\"{word}\"")
            };
            let command = words.iter().map(quoted).collect::<Vec<_>>().join(" ");
            format!(
                "[Unit]\nDescription=ai-assist\n\n[Service]\nExecStart={command}\nRestart=on-failure\nUMask=0077\n\n\
                 [Install]\nWantedBy=default.target\n"
            )
        }
        Keeper::Launchd => {
            let escaped = |word: &String| word.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let strings = words.iter().map(|word| format!("    <string>{}</string>\n", escaped(word)));
            format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
                 \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n<dict>\n  \
                 <key>Label</key>\n  <string>ai-assist</string>\n  <key>ProgramArguments</key>\n  <array>\n{}  </array>\n  \
                 <key>RunAtLoad</key>\n  <true/>\n  <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    \
                 <false/>\n  </dict>\n</dict>\n</plist>\n",
                strings.collect::<String>()
            )
        }
    };
    terminal.write(&text)?;
    Ok(Outcome::Done)
}
