//! `hook` sets up the hooks of a client, and `record` is what they start.

use std::io::Read;

use ai_assist_app::{Project, branch_of};
use ai_assist_base::RealPath;
use ai_assist_clients::{Client, Scope, change_file, hooks_snippet, put_hooks, take_out_hooks};
use ai_assist_session::transcript::hooks::{HookCall, session_and_folder};
use ai_assist_store::objects::Moment;

use crate::args::{Global, SessionHook};
use crate::commands::mcp::config::{Binary, places};
use crate::commands::mcp::written::FileReport;
use crate::commands::prelude::*;

/// More than this no client tells of one thing.
const LONGEST_EVENT: u64 = 16 << 20;

pub(crate) fn run(context: &Context, args: &SessionHook) -> Result<Outcome> {
    let client = args.client;
    let project = context.local.as_ref().map_or(&context.folder, |local| &local.root).real_path()?;
    let file = places()?.hooks_file(client, args.scope, &project)?;
    let within = (args.scope == Scope::Project).then_some(project.as_path());
    let command = command(client, args.scope)?;
    let settle = &args.settle;
    let written = if settle.remove {
        Some(change_file(&file, within, |text| take_out_hooks(client, text))?)
    } else if settle.write {
        Some(change_file(&file, within, |text| put_hooks(client, text, &command))?)
    } else {
        None
    };
    let snippet = (!settle.remove).then(|| hooks_snippet(client, &command));
    let mut notes = Vec::new();
    if client == Client::Codex && !settle.remove {
        notes.push("Codex CLI runs hooks that you have trusted: look at them with /hooks when it starts.".to_owned());
    }
    let report = FileReport { client, what: "the hooks".to_owned(), file, snippet, written, notes };
    report.print(context.terminal, json!({ "scope": args.scope, "command": command }))?;
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
    let call = HookCall { at: Moment::now().0, client: client.id().to_owned(), branch, event };
    // A spool that can't be written is a lost note, and no reason to disturb an agent.
    let _ = Project::spool(&context.roots.data, call);
}
