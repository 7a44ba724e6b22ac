//! What the user may type about the service.

use std::path::PathBuf;

use clap::Args;

use super::{Choices, choice};

/// What keeps a service running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeper {
    Systemd,
    Launchd,
}

const KEEPERS: Choices<Keeper> =
    &[("systemd", "For `systemctl --user`", Keeper::Systemd), ("launchd", "For `launchctl` of macOS", Keeper::Launchd)];

#[derive(Debug, Args)]
pub(crate) struct ServeProjects {
    /// A project to serve; may be given several times [default: the current folder]
    #[arg(long, value_name = "PATH")]
    pub(crate) project: Vec<PathBuf>,
    /// A workspace to serve, by its file or folder; may be given several times
    #[arg(long, value_name = "PATH")]
    pub(crate) workspace: Vec<PathBuf>,
    /// Where to listen: an address, or a port of this machine alone
    #[arg(long, alias = "port", value_name = "ADDR", default_value = "127.0.0.1:7411")]
    pub(crate) listen: String,
    /// Open the page in a browser; if a service runs already, its page
    #[arg(long)]
    pub(crate) open: bool,
    /// End the service that runs for this data folder
    #[arg(long, conflicts_with_all = ["open", "unit", "project", "workspace"])]
    pub(crate) stop: bool,
    /// Print the token that requests must carry
    #[arg(long, conflicts_with_all = ["open", "unit", "stop"])]
    pub(crate) token: bool,
    /// Print what has a system start the service at login
    #[arg(long, value_parser = choice(KEEPERS), value_name = "KIND")]
    pub(crate) unit: Option<Keeper>,
    /// Leave what is indexed as it is until somebody syncs
    #[arg(long)]
    pub(crate) no_watch: bool,
    /// Change nothing for whoever asks
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Which tools agents get: names, or the sets default, read, manage, sources, session and all, with commas between
    #[arg(long, value_name = "SET", default_value = "default", hide_default_value = true)]
    pub(crate) tools: ai_assist_mcp::ToolSet,
    /// A file with the token that requests must carry; AI_ASSIST_MCP_TOKEN can hold the token itself [default: one that is made
    /// once and kept]
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Another name that this machine goes by in requests
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
}
