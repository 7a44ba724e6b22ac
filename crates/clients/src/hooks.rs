//! The hooks of clients: programs that a client starts when something happens in a session of an agent.
//!
//! What each client has was read in its package or documentation on 2026-11-18; see `docs/guides/memory.md`. Hooks of the user's own
//! stay as they are: ours are known by their command.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::change::{Change, Fault, Kind, behind_mark};
use crate::client::{Client, Scope};
use crate::places::Places;
use crate::{Error, Result, json};

/// What every command of ours has in it, whatever the path of the program.
const MARK: &str = " session record ";
/// So many seconds a client waits for us; we take a few milliseconds.
const SECONDS: u64 = 5;

/// The events that tell what was done; those that only say that something begins are left out, since each costs a process.
fn events(client: Client) -> Option<&'static [&'static str]> {
    Some(match client {
        Client::ClaudeCode => &[
            "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "SubagentStop", "Stop", "PreCompact",
            "PostCompact", "SessionEnd",
        ],
        Client::Codex | Client::VsCode => &["UserPromptSubmit", "PostToolUse", "SubagentStop", "Stop", "PreCompact"],
        // Its `PreCompress` comes before every request, whether anything is compressed or not.
        Client::Gemini => &["BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"],
        Client::Cursor => &[
            "beforeSubmitPrompt", "afterShellExecution", "afterMCPExecution", "afterFileEdit", "afterAgentResponse",
            "subagentStop", "preCompact", "sessionEnd",
        ],
        Client::ClaudeDesktop | Client::Zed => return None,
        // Theirs were not looked at.
        Client::Copilot | Client::OpenCode | Client::Qwen | Client::Windsurf => return None,
    })
}

impl Places {
    /// The file that a client reads hooks from.
    pub fn hooks_file(&self, client: Client, scope: Scope, project: &Path) -> Result<PathBuf> {
        let below = |folder: PathBuf| match scope {
            Scope::User => folder,
            Scope::Project => project.to_owned(),
        };
        let home = |name: &str| below(self.home.join(name));
        let file = match (client, scope) {
            (Client::ClaudeCode, Scope::User) => {
                self.claude.clone().unwrap_or_else(|| self.home.join(".claude")).join("settings.json")
            }
            (Client::ClaudeCode, Scope::Project) => project.join(".claude/settings.json"),
            (Client::Codex, Scope::User) => {
                self.codex.clone().unwrap_or_else(|| self.home.join(".codex")).join("hooks.json")
            }
            (Client::Codex, Scope::Project) => project.join(".codex/hooks.json"),
            (Client::Gemini, Scope::User) => home(".gemini").join("settings.json"),
            (Client::Gemini, Scope::Project) => project.join(".gemini/settings.json"),
            (Client::Cursor, Scope::User) => home(".cursor").join("hooks.json"),
            (Client::Cursor, Scope::Project) => project.join(".cursor/hooks.json"),
            (Client::VsCode, Scope::Project) => project.join(".github/hooks/ai-assist.json"),
            (Client::VsCode, Scope::User) => return Err(Error::HooksOfProjectOnly { client: client.title() }),
            (Client::ClaudeDesktop | Client::Zed, _) => return Err(Error::NoHooks { client: client.title() }),
            (Client::Copilot | Client::OpenCode | Client::Qwen | Client::Windsurf, _) => {
                return Err(Error::NoHooks { client: client.title() });
            }
        };
        Ok(file)
    }
}

/// One of our hooks, in the form of a client.
fn hook(client: Client, command: &str) -> Value {
    match client {
        Client::Cursor => json!({ "command": command, "timeout": SECONDS }),
        Client::VsCode => json!({ "type": "command", "command": command, "timeout": SECONDS }),
        Client::Gemini => {
            json!({ "hooks": [{ "name": "ai-assist", "type": "command", "command": command, "timeout": SECONDS * 1000 }] })
        }
        _ => json!({ "hooks": [{ "type": "command", "command": command, "timeout": SECONDS }] }),
    }
}

/// Whether a hook, or a group of them, has nothing but ours.
fn is_ours(hook: &Value) -> bool {
    let command =
        |hook: &Value| hook.get("command").and_then(Value::as_str).is_some_and(|command| command.contains(MARK));
    match hook.get("hooks").and_then(Value::as_array) {
        Some(group) => !group.is_empty() && group.iter().all(command),
        None => command(hook),
    }
}

/// Makes a client start `command` at every event of which something can be learned, and keeps everything else.
pub fn put_hooks(client: Client, text: &str, command: &str) -> std::result::Result<Change, Fault> {
    change(client, text, Some(command))
}

/// Takes our hooks out, and what is empty without them.
pub fn take_out_hooks(client: Client, text: &str) -> std::result::Result<Change, Fault> {
    change(client, text, None)
}

fn change(client: Client, text: &str, command: Option<&str>) -> std::result::Result<Change, Fault> {
    behind_mark(text, |text| {
        // Cursor wants to know which form it is.
        let needs_version = matches!(client, Client::Cursor) && text.trim().is_empty() && command.is_some();
        let mut now = if needs_version { "{\n  \"version\": 1\n}\n".to_owned() } else { text.to_owned() };
        let mut had_any = false;
        for event in events(client).unwrap_or_default() {
            let before = json::value(&now)?.pointer(&format!("/hooks/{event}")).cloned();
            let list = match &before {
                Some(Value::Array(list)) => list.clone(),
                None => Vec::new(),
                Some(_) => return Err(Fault::at(text, 0, format!("`hooks.{event}` must be a list"))),
            };
            let mut after: Vec<Value> = list.iter().filter(|hook| !is_ours(hook)).cloned().collect();
            had_any |= after.len() < list.len();
            after.extend(command.map(|command| hook(client, command)));
            now = match (after.is_empty(), before.is_some()) {
                (true, true) => json::take_out(&now, "hooks", event)?.text,
                (true, false) => now,
                (false, _) => json::put(&now, "hooks", event, &Value::Array(after))?.text,
            };
        }
        let kind = match (now == text, command.is_some(), had_any) {
            (true, ..) => Kind::Unchanged,
            (_, false, _) => Kind::Removed,
            (_, true, true) => Kind::Replaced,
            (_, true, false) => Kind::Added,
        };
        Ok(Change { text: now, kind })
    })
}

/// What a file with nothing but our hooks says.
pub fn hooks_snippet(client: Client, command: &str) -> String {
    let all =
        events(client).unwrap_or_default().iter().map(|event| ((*event).to_owned(), json!([hook(client, command)])));
    let mut root = Map::new();
    if client == Client::Cursor {
        root.insert("version".to_owned(), json!(1));
    }
    root.insert("hooks".to_owned(), Value::Object(all.collect()));
    serde_json::to_string_pretty(&Value::Object(root)).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITH_HOOKS: [Client; 5] = [Client::ClaudeCode, Client::Codex, Client::Gemini, Client::Cursor, Client::VsCode];

    #[test]
    fn what_is_put_in_comes_out_again_and_the_rest_stays() {
        let own = "{\n  // mine\n  \"model\": \"x\",\n  \"hooks\": {\n    \"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }],\n    \"stop\": [{ \"command\": \"say done\" }]\n  }\n}\n";
        for client in WITH_HOOKS {
            let command = format!("/opt/ai-assist session record {}", client.id());
            let put = put_hooks(client, own, &command).unwrap();
            assert_eq!(put.kind, Kind::Added, "{client:?}");
            assert!(put.text.contains("// mine") && put.text.contains("say done"), "{}", put.text);
            assert_eq!(put.text.matches(MARK).count(), events(client).unwrap().len(), "{}", put.text);
            let again = put_hooks(client, &put.text, &command).unwrap();
            assert_eq!((again.kind, &again.text), (Kind::Unchanged, &put.text), "{client:?}");
            let moved = put_hooks(client, &put.text, &command.replace("/opt", "/usr")).unwrap();
            assert_eq!(moved.kind, Kind::Replaced);
            assert!(!moved.text.contains("/opt/"), "{}", moved.text);
            let out = take_out_hooks(client, &moved.text).unwrap();
            assert_eq!(out.kind, Kind::Removed);
            assert_eq!(json::value(&out.text).unwrap(), json::value(own).unwrap(), "{client:?}");
            assert!(out.text.contains("// mine"));
        }
    }

    #[test]
    fn a_new_file_says_what_is_printed() {
        for client in WITH_HOOKS {
            let made = put_hooks(client, "", "ai-assist session record x").unwrap();
            let shown = hooks_snippet(client, "ai-assist session record x");
            assert_eq!(json::value(&made.text).unwrap(), json::value(&shown).unwrap(), "{client:?}");
        }
        assert_eq!(take_out_hooks(Client::Codex, "").unwrap().kind, Kind::Unchanged);
    }

    #[test]
    fn a_group_with_hooks_of_others_is_not_ours() {
        let text = "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"a session record b\"},{\"command\":\"mine\"}]}]}}";
        assert_eq!(take_out_hooks(Client::ClaudeCode, text).unwrap().kind, Kind::Unchanged);
        assert!(put_hooks(Client::ClaudeCode, "{\"hooks\":{\"Stop\":1}}", "x").is_err());
    }
}
