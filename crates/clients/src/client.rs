//! The clients we know.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    #[serde(rename = "vscode")]
    VsCode,
    Codex,
    Gemini,
    Zed,
    Copilot,
    #[serde(rename = "opencode")]
    OpenCode,
    Qwen,
    Windsurf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    User,
    /// A project's, for everyone who works on it.
    Project,
}

impl Client {
    /// All clients, in the order in which they are listed: the name as it is typed, and the one that people know.
    pub const NAMES: &[(&str, &str, Client)] = &[
        ("claude-code", "Claude Code", Client::ClaudeCode),
        ("claude-desktop", "Claude Desktop", Client::ClaudeDesktop),
        ("cursor", "Cursor", Client::Cursor),
        ("vscode", "VS Code", Client::VsCode),
        ("codex", "Codex CLI", Client::Codex),
        ("gemini", "Gemini CLI", Client::Gemini),
        ("zed", "Zed", Client::Zed),
        ("copilot", "GitHub Copilot CLI", Client::Copilot),
        ("opencode", "opencode", Client::OpenCode),
        ("qwen", "Qwen Code", Client::Qwen),
        ("windsurf", "Windsurf", Client::Windsurf),
    ];

    pub fn all() -> impl Iterator<Item = Client> {
        Client::NAMES.iter().map(|(.., client)| *client)
    }

    /// The name as it is typed.
    pub fn id(self) -> &'static str {
        Client::NAMES.iter().find(|(.., client)| *client == self).map_or("", |(id, ..)| id)
    }

    pub fn title(self) -> &'static str {
        Client::NAMES.iter().find(|(.., client)| *client == self).map_or("", |(_, title, _)| title)
    }

    /// Whether it tells a server which folders are open. Where it does not, a project has to be named in the entry.
    pub fn tells_roots(self) -> bool {
        match self {
            Client::ClaudeCode | Client::Cursor | Client::VsCode | Client::Gemini | Client::Qwen => true,
            // Of the last three nobody here knows.
            Client::ClaudeDesktop | Client::Codex | Client::Zed => false,
            Client::Copilot | Client::OpenCode | Client::Windsurf => false,
        }
    }

    /// What stands for the project's folder in settings of a project, so that they hold in every clone of it.
    ///
    /// Where a client has no variable for it, it starts servers in the project's folder.
    pub fn project_folder(self) -> &'static str {
        match self {
            Client::Cursor | Client::VsCode => "${workspaceFolder}",
            _ => ".",
        }
    }

    /// The key of the object or table that lists servers.
    pub(crate) fn list(self) -> &'static str {
        match self {
            Client::VsCode => "servers",
            Client::Codex => "mcp_servers",
            Client::Zed => "context_servers",
            Client::OpenCode => "mcp",
            Client::ClaudeCode | Client::ClaudeDesktop | Client::Cursor | Client::Gemini => "mcpServers",
            Client::Copilot | Client::Qwen | Client::Windsurf => "mcpServers",
        }
    }
}
