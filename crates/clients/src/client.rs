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
}

/// Whose settings are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    User,
    /// A project's, for everyone who works on it.
    Project,
}

impl Client {
    /// All clients, in the order in which they are listed.
    pub const ALL: [Client; 7] = [
        Client::ClaudeCode,
        Client::ClaudeDesktop,
        Client::Cursor,
        Client::VsCode,
        Client::Codex,
        Client::Gemini,
        Client::Zed,
    ];

    /// The name as it is typed.
    pub fn id(self) -> &'static str {
        match self {
            Client::ClaudeCode => "claude-code",
            Client::ClaudeDesktop => "claude-desktop",
            Client::Cursor => "cursor",
            Client::VsCode => "vscode",
            Client::Codex => "codex",
            Client::Gemini => "gemini",
            Client::Zed => "zed",
        }
    }

    /// The name as people know it.
    pub fn title(self) -> &'static str {
        match self {
            Client::ClaudeCode => "Claude Code",
            Client::ClaudeDesktop => "Claude Desktop",
            Client::Cursor => "Cursor",
            Client::VsCode => "VS Code",
            Client::Codex => "Codex CLI",
            Client::Gemini => "Gemini CLI",
            Client::Zed => "Zed",
        }
    }

    /// Whether it tells a server which folders are open. Where it does not, a project has to be named in the entry.
    pub fn tells_roots(self) -> bool {
        match self {
            Client::ClaudeCode | Client::Cursor | Client::VsCode | Client::Gemini => true,
            Client::ClaudeDesktop | Client::Codex | Client::Zed => false,
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
            Client::ClaudeCode | Client::ClaudeDesktop | Client::Cursor | Client::Gemini => "mcpServers",
        }
    }
}
