//! `hook` sets up the hooks of a client, and `record` is what they start.

use std::io::Read;

use ai_assist_app::{Project, branch_of};
use ai_assist_clients::{Client, Kind, Scope, change_file, hooks_snippet, put_hooks, take_out_hooks};
use ai_assist_session::transcript::hooks::{Told, session_and_folder};
use ai_assist_store::objects::Moment;

use crate::args::{Global, SessionHook};
use crate::commands::mcp::config::{Binary, places};
use crate::commands::prelude::*;

/// More than this no client tells of one thing.
const LONGEST_EVENT: u64 = 16 << 20;

pub(crate) fn run(context: &Context, args: &SessionHook) -> Result<Outcome> {
    let client = args.client;
    let project = context.local.as_ref().map_or(&context.folder, |local| &local.root).canonicalize()?;
    let file = places()?.hooks_file(client, args.scope, &project)?;
    let within = (args.scope == Scope::Project).then_some(project.as_path());
    let command = command(client, args.scope)?;
    let terminal = context.terminal;
    let written = if args.remove {
        Some(change_file(&file, within, |text| take_out_hooks(client, text))?)
    } else if args.write {
        Some(change_file(&file, within, |text| put_hooks(client, text, &command))?)
    } else {
        None
    };
    let snippet = (!args.remove).then(|| hooks_snippet(client, &command));
    let notes: Vec<&str> = match client {
        Client::Codex if !args.remove => {
            vec!["Codex CLI runs hooks that you have trusted: look at them with /hooks when it starts."]
        }
        _ => Vec::new(),
    };
    if terminal.json {
        let status = written.as_ref().map_or(json!("printed"), |written| json!(written.kind));
        let backup =
            written.as_ref().and_then(|written| written.backup.as_ref()).map(|path| path.display().to_string());
        terminal.json(&json!({
            "client": client, "scope": args.scope, "file": file.display().to_string(), "command": command, "status": status,
            "backup": backup, "snippet": snippet, "notes": notes,
        }))?;
        return Ok(Outcome::Done);
    }
    let shown = file.display();
    match written.as_ref().map(|written| written.kind) {
        None => {
            terminal.write(&snippet.unwrap_or_default())?;
            terminal.note(format!("This belongs into {shown}; --write puts it there."))?;
        }
        Some(Kind::Added) => terminal.say(format!("Added hooks to {shown}"))?,
        Some(Kind::Replaced) => terminal.say(format!("Replaced the hooks in {shown}"))?,
        Some(Kind::Removed) => terminal.say(format!("Removed the hooks from {shown}"))?,
        Some(Kind::Unchanged) if args.remove => terminal.say(format!("There are no hooks of ours in {shown}"))?,
        Some(Kind::Unchanged) => terminal.say(format!("Unchanged: {shown} has these hooks already"))?,
    }
    if let Some(backup) = written.and_then(|written| written.backup) {
        terminal.note(format!("Before: {}", backup.display()))?;
    }
    notes.iter().try_for_each(|note| terminal.note(note))?;
    Ok(Outcome::Done)
}

/// What the client starts. Settings that others share name the program, not where it is on this machine.
fn command(client: Client, scope: Scope) -> Result<String> {
    let binary = Binary::find()?;
    let program = match scope == Scope::Project && binary.on_path {
        true => "ai-assist".to_owned(),
        false => {
            let path = binary.path.to_str().with_context(|| format!("{} is not UTF-8", binary.path.display()))?;
            let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
            if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
        }
    };
    Ok(format!("{program} session record {}", client.id()))
}

/// Keeps what a client tells its hook. Whatever goes wrong, the agent goes on: this says nothing and never fails.
pub(crate) fn record(global: &Global, client: Client) {
    let mut text = Vec::new();
    let read = std::io::stdin().lock().take(LONGEST_EVENT + 1).read_to_end(&mut text);
    if read.is_err() || text.len() as u64 > LONGEST_EVENT {
        return;
    }
    let Ok(event) = serde_json::from_slice::<Value>(&text) else { return };
    if client == Client::Cursor && event["hook_event_name"] == "beforeSubmitPrompt" {
        // The one event after which a client waits for an answer.
        let _ = std::io::Write::write_all(&mut std::io::stdout().lock(), b"{\"continue\":true}\n");
    }
    let (session, folder) = session_and_folder(&event);
    let (Some(_), Ok(context)) = (session, Context::silent(global)) else { return };
    let branch = folder.and_then(|folder| branch_of(Path::new(folder)));
    let told = Told { at: Moment::now().0, client: client.id().to_owned(), branch, event };
    // A spool that can't be written is a lost note, and no reason to disturb an agent.
    let _ = Project::spool(&context.roots.data, told);
}
