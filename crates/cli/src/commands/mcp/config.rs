//! Settings of MCP clients.

use ai_assist_base::RealPath;
use ai_assist_clients::{
    Client, Places, Platform, Scope, Server, change_file, entry, is_set_up, put, snippet, take_out,
};

use super::written::FileReport;
use crate::args::McpConfig;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &McpConfig) -> Result<Outcome> {
    let places = places()?;
    match args.client {
        None if args.all => return all(context, args, &places),
        Some(client) => {
            one(context, args, &places, client)?.print(context.terminal, more(args))?;
        }
        None => list(context, args, &places)?,
    }
    Ok(Outcome::Done)
}

/// Every client that seems to be here. One whose settings can't be changed keeps none of the others back.
fn all(context: &Context, args: &McpConfig, places: &Places) -> Result<Outcome> {
    let terminal = context.terminal;
    let (mut reports, mut failed) = (Vec::new(), 0);
    for client in Client::all().filter(|client| places.seems_installed(*client)) {
        match one(context, args, places, client) {
            Ok(report) => {
                if !terminal.json {
                    terminal.note(format!("{}:", client.title()))?;
                    report.say(terminal)?;
                }
                reports.push(report.json(more(args)));
            }
            Err(error) => {
                failed += 1;
                terminal.warn(format!("{}: {error:#}", client.title()))?;
            }
        }
    }
    let is_empty = reports.is_empty();
    if terminal.json {
        terminal.json(&json!({ "clients": reports }))?;
    } else if is_empty && failed == 0 {
        terminal.note("There is no sign of a client here. Known ones: ai-assist mcp config")?;
    }
    Ok(if is_empty || failed > 0 { Outcome::Partial } else { Outcome::Done })
}

pub(crate) fn places() -> Result<Places> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // A folder that is not absolute would be another one for each program that reads it.
    let folder = |name: &str| variable(name).filter(|path| path.is_absolute());
    Ok(Places {
        platform: Platform::CURRENT,
        home: etcetera::home_dir().context("the home folder is not known")?,
        xdg_config: folder("XDG_CONFIG_HOME"),
        app_data: folder("APPDATA"),
        claude: folder("CLAUDE_CONFIG_DIR"),
        codex: folder("CODEX_HOME"),
    })
}

fn list(context: &Context, args: &McpConfig, places: &Places) -> Result<()> {
    let project = project(context, args)?;
    let looked_at = |&(id, title, client): &(&'static str, &'static str, Client)| {
        let file = places.settings_file(client, args.scope, &project).ok()?;
        let set_up = is_set_up(client, &file, &args.name).ok();
        Some((id, title, places.seems_installed(client), set_up, file))
    };
    let clients = Client::NAMES.iter().filter_map(looked_at);
    if context.terminal.json {
        let clients = clients.map(|(client, title, installed, set_up, file)| {
            json!({ "client": client, "title": title, "installed": installed, "setUp": set_up, "file": file.display().to_string() })
        });
        return context.terminal.json(&json!({ "clients": clients.collect::<Vec<_>>() }));
    }
    let rows = clients.map(|(client, title, installed, set_up, file)| {
        let installed = if installed { "seems so" } else { "no sign" };
        let set_up = match set_up {
            Some(true) => "yes",
            Some(false) => "no",
            None => "can't be read",
        };
        [client, title, installed, set_up, &file.display().to_string()].map(str::to_owned).to_vec()
    });
    context.terminal.table(&["Client", "Name", "Installed", "Set up", "Settings"], rows.collect())?;
    context.terminal.note("Next: ai-assist mcp config CLIENT --write")
}

fn one(context: &Context, args: &McpConfig, places: &Places, client: Client) -> Result<FileReport> {
    let project = project(context, args)?;
    let mut file = places.settings_file(client, args.scope, &project)?;
    let within = (args.scope == Scope::Project).then_some(project.as_path());
    let (mut notes, mut written, mut shown) = (Vec::new(), None, None);
    if args.remove {
        written = Some(change_file(&file, within, |text| take_out(client, text, &args.name))?);
    } else {
        let server = server(args, client, &project, &mut notes)?;
        let entry = entry(client, &server)?;
        shown = Some(snippet(client, &args.name, &entry)?);
        if args.write {
            written = Some(change_file(&file, within, |text| put(client, text, &args.name, &entry))?);
        }
    }
    if let Some(written) = &written {
        file.clone_from(&written.file);
        if written.backup.is_some() {
            notes.insert(0, format!("Start {} again to have it read its settings.", client.title()));
        }
    }
    Ok(FileReport { client, what: args.name.clone(), file, snippet: shown, written, notes })
}

/// What reports about settings have beside others.
fn more(args: &McpConfig) -> Value {
    json!({ "scope": args.scope, "name": args.name })
}

/// The project that is meant: the one that is given, the one around the current folder, or that folder.
fn project(context: &Context, args: &McpConfig) -> Result<PathBuf> {
    let folder = match (&args.project, &context.local) {
        (Some(path), _) => context.place(path),
        (None, Some(project)) => project.root.clone(),
        (None, None) => context.folder.clone(),
    };
    let folder = folder.real_path().with_context(|| format!("{} can't be found", folder.display()))?;
    anyhow::ensure!(folder.is_dir(), "{} is not a folder", folder.display());
    Ok(folder)
}

fn server(args: &McpConfig, client: Client, project: &Path, notes: &mut Vec<String>) -> Result<Server> {
    if let Some(url) = &args.http {
        let server = Server::at(url, args.token_env.as_deref())?;
        notes.extend(token_note(client, &server));
        return Ok(server);
    }
    let text =
        |path: &Path| path.to_str().map(str::to_owned).with_context(|| format!("{} is not UTF-8", path.display()));
    let shared = args.scope == Scope::Project;
    let binary = Binary::find()?;
    let command = if shared && binary.on_path { "ai-assist".to_owned() } else { text(&binary.path)? };
    if shared && !binary.on_path {
        notes.push("ai-assist is not in PATH, so the entry has its path on this machine.".to_owned());
    }
    let mut words = vec!["mcp".to_owned()];
    if shared {
        words.extend(["--project".to_owned(), client.project_folder().to_owned()]);
    } else if args.project.is_some() {
        words.extend(["--project".to_owned(), text(project)?]);
    } else if !client.tells_roots() {
        let title = client.title();
        notes.push(format!("{title} does not tell servers which folder is open: name one with --project PATH."));
    }
    if args.read_only {
        words.push("--read-only".to_owned());
    }
    if let Some(set) = &args.tools {
        words.extend(["--tools".to_owned(), set.clone()]);
    }
    if shared && client == Client::Codex {
        notes.push("Codex CLI reads this file only in projects that it was told to trust.".to_owned());
    }
    Ok(Server::Started { command, args: words })
}

fn token_note(client: Client, server: &Server) -> Option<String> {
    let Server::Url { token: Some(variable), .. } = server else { return None };
    let title = client.title();
    Some(if client.reads_variables() {
        format!("{title} takes the server's token from the variable {variable}.")
    } else {
        format!(
            "{title} can't take a token from a variable: add the header `Authorization: Bearer TOKEN` to the entry."
        )
    })
}

pub(crate) struct Binary {
    pub(crate) path: PathBuf,
    pub(crate) on_path: bool,
}

impl Binary {
    /// Where it is, by the name in PATH if that leads here: a link there outlives an update, its target may not.
    pub(crate) fn find() -> Result<Binary> {
        let this = std::env::current_exe().context("the path of this program is not known")?;
        let real = this.real_path().unwrap_or_else(|_| this.clone());
        let name = format!("ai-assist{}", std::env::consts::EXE_SUFFIX);
        let paths = std::env::var_os("PATH").unwrap_or_default();
        // The first of that name is the one a client would start.
        let first = std::env::split_paths(&paths)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(&name))
            .find(|file| file.is_file());
        Ok(match first.filter(|file| file.real_path().is_ok_and(|file| file == real)) {
            Some(path) => Binary { path, on_path: true },
            None => Binary { path: this, on_path: false },
        })
    }
}
