//! Where clients keep their settings.

use std::path::{Path, PathBuf};

use crate::client::{Client, Scope};
use crate::{Error, Result};

/// A kind of operating system, as far as it decides where settings are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    Linux,
    MacOs,
    Windows,
}

impl Platform {
    /// The one that this program was built for.
    pub const CURRENT: Platform = if cfg!(target_os = "windows") {
        Platform::Windows
    } else if cfg!(target_os = "macos") {
        Platform::MacOs
    } else {
        Platform::Linux
    };
}

/// The folders of a user. Those that are optional come from variables that may not be set.
#[derive(Debug, Clone)]
pub struct Places {
    pub platform: Platform,
    pub home: PathBuf,
    /// `XDG_CONFIG_HOME`.
    pub xdg_config: Option<PathBuf>,
    /// `APPDATA`, on Windows.
    pub app_data: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`, which moves the settings of Claude Code.
    pub claude: Option<PathBuf>,
    /// `CODEX_HOME`, which moves the settings of Codex.
    pub codex: Option<PathBuf>,
}

impl Places {
    /// The settings file of a client; for [`Scope::Project`] the one of the project in `project`.
    pub fn settings_file(&self, client: Client, scope: Scope, project: &Path) -> Result<PathBuf> {
        match scope {
            Scope::User => Ok(self.of_user(client)),
            Scope::Project => Ok(project.join(of_project(client)?)),
        }
    }

    /// Whether there are signs that the user has this client.
    pub fn seems_installed(&self, client: Client) -> bool {
        let file = self.of_user(client);
        // Claude Code's file lies in the home folder itself, which is there for other reasons.
        let folder = file.parent().filter(|folder| *folder != self.home);
        let more = (client == Client::ClaudeCode).then(|| self.home.join(".claude"));
        file.exists() || folder.is_some_and(Path::is_dir) || more.is_some_and(|folder| folder.is_dir())
    }

    fn of_user(&self, client: Client) -> PathBuf {
        match client {
            Client::ClaudeCode => self.claude.as_ref().unwrap_or(&self.home).join(".claude.json"),
            Client::ClaudeDesktop => self.applications().join("Claude/claude_desktop_config.json"),
            Client::Cursor => self.home.join(".cursor/mcp.json"),
            Client::VsCode => self.applications().join("Code/User/mcp.json"),
            Client::Codex => self.codex.clone().unwrap_or_else(|| self.home.join(".codex")).join("config.toml"),
            Client::Gemini => self.home.join(".gemini/settings.json"),
            Client::Zed if self.platform == Platform::Windows => self.applications().join("Zed/settings.json"),
            Client::Zed => self.dot_config().join("zed/settings.json"),
            Client::Copilot => self.home.join(".copilot/mcp-config.json"),
            Client::OpenCode => self.home.join(".config/opencode/opencode.json"),
            Client::Qwen => self.home.join(".qwen/settings.json"),
            Client::Windsurf => self.home.join(".codeium/windsurf/mcp_config.json"),
        }
    }

    /// Where desktop programs keep their settings.
    fn applications(&self) -> PathBuf {
        match self.platform {
            Platform::Linux => self.dot_config(),
            Platform::MacOs => self.home.join("Library/Application Support"),
            Platform::Windows => self.app_data.clone().unwrap_or_else(|| self.home.join("AppData/Roaming")),
        }
    }

    /// Zed uses this folder on macOS too, and heeds the variable on Linux only.
    fn dot_config(&self) -> PathBuf {
        let moved = self.xdg_config.clone().filter(|_| self.platform == Platform::Linux);
        moved.unwrap_or_else(|| self.home.join(".config"))
    }
}

fn of_project(client: Client) -> Result<&'static str> {
    match client {
        Client::ClaudeCode => Ok(".mcp.json"),
        Client::ClaudeDesktop | Client::Windsurf => Err(Error::NoProjectScope { client: client.title() }),
        Client::Cursor => Ok(".cursor/mcp.json"),
        Client::VsCode => Ok(".vscode/mcp.json"),
        Client::Codex => Ok(".codex/config.toml"),
        Client::Gemini => Ok(".gemini/settings.json"),
        Client::Zed => Ok(".zed/settings.json"),
        Client::Copilot => Ok(".github/mcp.json"),
        Client::OpenCode => Ok("opencode.json"),
        Client::Qwen => Ok(".qwen/settings.json"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(platform: Platform) -> Places {
        let home = PathBuf::from("/h");
        Places { platform, home, xdg_config: None, app_data: None, claude: None, codex: None }
    }

    #[test]
    fn every_client_has_its_file_on_every_platform() {
        use Client::{
            ClaudeCode, ClaudeDesktop, Codex, Copilot, Cursor, Gemini, OpenCode, Qwen, VsCode, Windsurf, Zed,
        };
        let same = |path| [path; 3];
        for (client, files) in [
            (ClaudeCode, same("/h/.claude.json")),
            (
                ClaudeDesktop,
                [
                    "/h/.config/Claude/claude_desktop_config.json",
                    "/h/Library/Application Support/Claude/claude_desktop_config.json",
                    "/h/AppData/Roaming/Claude/claude_desktop_config.json",
                ],
            ),
            (Cursor, same("/h/.cursor/mcp.json")),
            (
                VsCode,
                [
                    "/h/.config/Code/User/mcp.json",
                    "/h/Library/Application Support/Code/User/mcp.json",
                    "/h/AppData/Roaming/Code/User/mcp.json",
                ],
            ),
            (Codex, same("/h/.codex/config.toml")),
            (Gemini, same("/h/.gemini/settings.json")),
            (
                Zed,
                [
                    "/h/.config/zed/settings.json",
                    "/h/.config/zed/settings.json",
                    "/h/AppData/Roaming/Zed/settings.json",
                ],
            ),
            (Copilot, same("/h/.copilot/mcp-config.json")),
            (OpenCode, same("/h/.config/opencode/opencode.json")),
            (Qwen, same("/h/.qwen/settings.json")),
            (Windsurf, same("/h/.codeium/windsurf/mcp_config.json")),
        ] {
            for (platform, file) in [Platform::Linux, Platform::MacOs, Platform::Windows].into_iter().zip(files) {
                let found = places(platform).settings_file(client, Scope::User, Path::new("/p")).unwrap();
                assert_eq!(found, Path::new(file), "{client:?} on {platform:?}");
            }
        }
    }

    #[test]
    fn variables_move_files() {
        let moved = Places {
            xdg_config: Some("/x".into()),
            app_data: Some("/a".into()),
            claude: Some("/cl".into()),
            codex: Some("/co".into()),
            ..places(Platform::Linux)
        };
        let file = |places: &Places, client| places.settings_file(client, Scope::User, Path::new("/p")).unwrap();
        assert_eq!(file(&moved, Client::Zed), Path::new("/x/zed/settings.json"));
        assert_eq!(file(&moved, Client::VsCode), Path::new("/x/Code/User/mcp.json"));
        assert_eq!(file(&moved, Client::ClaudeCode), Path::new("/cl/.claude.json"));
        assert_eq!(file(&moved, Client::Codex), Path::new("/co/config.toml"));
        let mac = Places { platform: Platform::MacOs, ..moved.clone() };
        assert_eq!(file(&mac, Client::Zed), Path::new("/h/.config/zed/settings.json"));
        let windows = Places { platform: Platform::Windows, ..moved };
        assert_eq!(file(&windows, Client::ClaudeDesktop), Path::new("/a/Claude/claude_desktop_config.json"));
    }

    #[test]
    fn projects_have_files_of_their_own() {
        let places = places(Platform::Linux);
        for client in Client::all() {
            match places.settings_file(client, Scope::Project, Path::new("/p")) {
                Ok(file) => assert!(file.starts_with("/p"), "{}", file.display()),
                Err(error) => {
                    assert!(matches!(client, Client::ClaudeDesktop | Client::Windsurf), "{error}");
                    let said = format!("{} has no settings of a project; use --scope user", client.title());
                    assert_eq!(error.to_string(), said);
                }
            }
        }
    }

    #[test]
    fn a_client_is_seen_by_its_folder() {
        let home = tempfile::tempdir().unwrap();
        let places = Places { home: home.path().to_owned(), ..places(Platform::Linux) };
        assert!(Client::all().all(|client| !places.seems_installed(client)));
        for folder in [".claude", ".cursor", ".config/zed"] {
            std::fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        let seen: Vec<Client> = Client::all().filter(|client| places.seems_installed(*client)).collect();
        assert_eq!(seen, [Client::ClaudeCode, Client::Cursor, Client::Zed]);
    }
}
