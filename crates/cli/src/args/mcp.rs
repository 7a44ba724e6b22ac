//! What the user may type about MCP.

use std::path::PathBuf;

use ai_assist_clients::{Client, Scope};
use clap::{Args, Subcommand};

use super::{Choices, choice};

pub(super) const SCOPES: Choices<Scope> =
    &[("user", "Yours", Scope::User), ("project", "The project's", Scope::Project)];

/// The server itself, unless a command about it is given.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
    #[command(flatten)]
    pub(crate) serve: ServeArgs,
}

/// How the server runs.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Serve over HTTP at this address, such as 127.0.0.1:3333, instead of standard input and output
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<String>,
    /// The project that every call is about, whatever the client says; of several, calls say which [default over HTTP: the
    /// current folder]
    #[arg(long, value_name = "PATH", env = "AI_ASSIST_PROJECT")]
    pub(crate) project: Vec<PathBuf>,
    /// Offer no tool that changes anything
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Hold packages to `context.lock` when a client syncs them
    #[arg(long)]
    pub(crate) frozen: bool,
    /// Which tools to offer: names, or the sets default, read, manage, sources, session and all, with commas between
    #[arg(long, value_name = "SET", default_value = "default", hide_default_value = true)]
    pub(crate) tools: ai_assist_mcp::ToolSet,
    /// Send the schemas of answers with the list of tools, for clients that check answers by them
    #[arg(long)]
    pub(crate) output_schemas: bool,
    /// A file with the token that requests over HTTP must carry; AI_ASSIST_MCP_TOKEN can hold the token itself [default: one
    /// that is made once and kept]
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
    /// Another name that this machine goes by in requests over HTTP
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(crate) allow_host: Vec<String>,
    /// Pages from where requests over HTTP may come, such as https://app.example:443
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub(crate) allow_origin: Vec<String>,
}

/// Commands about MCP.
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Print or write the settings that make a client use this server; without a client, list those that are known
    Config(McpConfig),
    /// Print or write the rules that tell an agent when to use which tool, into the file of the project that its client reads
    Rules(McpRules),
}

#[derive(Debug, Args)]
pub(crate) struct McpRules {
    /// The client
    #[arg(value_parser = choice(Client::NAMES))]
    pub(crate) client: Client,
    #[command(flatten)]
    pub(crate) settle: Settle,
}

/// What is done with a file of a client; without either, what belongs there is printed.
#[derive(Debug, Args)]
pub(crate) struct Settle {
    /// Put it into the client's file, in place of what is there of ours, with a backup beside it
    #[arg(long)]
    pub(crate) write: bool,
    /// Take it out of the client's file, with a backup beside it
    #[arg(long, conflicts_with = "write")]
    pub(crate) remove: bool,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("which").args(["client", "all"]))]
pub(crate) struct McpConfig {
    /// The client
    #[arg(value_parser = choice(Client::NAMES))]
    pub(crate) client: Option<Client>,
    /// Every client that seems to be on this machine
    #[arg(long, conflicts_with = "client")]
    pub(crate) all: bool,
    /// Put the entry into the client's settings file, with a backup beside it
    #[arg(long, requires = "which")]
    pub(crate) write: bool,
    /// Take the entry out of the client's settings file, with a backup beside it
    #[arg(long, requires = "which", conflicts_with_all = ["write", "http", "token_env", "read_only", "tools"])]
    pub(crate) remove: bool,
    /// Whose settings: yours, or those of the project that everyone who works on it shares
    #[arg(long, value_parser = choice(SCOPES), default_value = "user")]
    pub(crate) scope: Scope,
    /// The project; with --scope user the server keeps to it, whatever is open in the client
    #[arg(long, value_name = "PATH")]
    pub(crate) project: Option<PathBuf>,
    /// Use a server that runs at this URL instead of starting one
    #[arg(long, value_name = "URL", conflicts_with_all = ["read_only", "tools"])]
    pub(crate) http: Option<String>,
    /// The variable that holds the server's token [default: AI_ASSIST_MCP_TOKEN, off this machine]
    #[arg(long, value_name = "VARIABLE", requires = "http")]
    pub(crate) token_env: Option<String>,
    /// What the client calls the server
    #[arg(long, default_value = "ai-assist")]
    pub(crate) name: String,
    /// Offer no tool that changes anything
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Offer only this set of tools
    #[arg(long, value_name = "SET", value_parser = known_tools)]
    pub(crate) tools: Option<String>,
}

/// A set of tools as it was typed, if the server knows it.
fn known_tools(text: &str) -> Result<String, ai_assist_mcp::BadToolSet> {
    text.parse::<ai_assist_mcp::ToolSet>().map(|_| text.to_owned())
}
