//! What the user may type.

mod choice;
mod collections;
mod front;
mod mcp;
mod packs;
mod reference;
mod repos;
mod serve;
mod sessions;

use std::path::PathBuf;

use ai_assist_search::RankBy;
use anstream::ColorChoice;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::{ArgValueCandidates, Shell};

pub(crate) use collections::*;
pub(crate) use front::*;
pub(crate) use mcp::*;
pub(crate) use packs::*;
pub(crate) use reference::*;
pub(crate) use repos::*;
pub(crate) use serve::*;
pub(crate) use sessions::*;

use crate::complete;
use choice::{Choices, choice};

/// Gets the right text in front of an AI agent, and keeps the wrong text from leaving the machine.
///
/// Declare folders of documents and packages in a project's context.json, sync them into a local index, and search them by
/// words and by meaning. No document leaves the machine.
#[derive(Debug, Parser)]
#[command(name = "ai-assist", version, arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Print JSON for programs instead of text for people
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only what was asked for, and errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Name everything, where there would otherwise be a summary
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print long answers as they are, not through $PAGER
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,
    /// When to use colours; NO_COLOR is honoured
    #[arg(long, global = true, value_name = "WHEN", value_parser = choice(COLORS), default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Work as if started in this folder
    #[arg(long, short = 'C', global = true, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// File name of a project's configuration [env: AI_ASSIST_PROJECT_CONFIG_FILE]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) config_file: Option<String>,
    /// Folder of the database and the indexes [env: AI_ASSIST_DATA_DIR]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Folder of what can be made again at any time [env: AI_ASSIST_CACHE_ROOT]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) cache_root: Option<PathBuf>,
    /// Never use the network [env: AI_ASSIST_OFFLINE]
    #[arg(long, global = true)]
    pub(crate) offline: bool,
    /// Do the work in this process, whether or not a service runs [env: AI_ASSIST_NO_DAEMON]
    #[arg(long, global = true)]
    pub(crate) no_daemon: bool,
}

const COLORS: Choices<ColorChoice> = &[
    ("auto", "On a terminal, unless NO_COLOR is set", ColorChoice::Auto),
    ("always", "Always", ColorChoice::Always),
    ("never", "Never", ColorChoice::Never),
];

/// The commands: those of the first page of the help, then the others.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Search everything in reach: by words and meaning, by a pattern, or for a definition
    Search(SearchRepos),
    /// Add a folder, a repository, a URL, a dependency or a package, and index it
    Add(AddArgs),
    /// Bring everything up to date: collections, and the index of the code
    Sync(SyncAll),
    /// List everything in reach, or the documents of one name
    #[command(alias = "list")]
    Ls {
        /// List the documents of this collection, category or repository
        #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::everything))]
        name: Option<String>,
    },
    /// Print a document or a file, or lines of it
    Get {
        /// A place as a hit shows it, such as docs/tutorial/cors.md:10-20 or src/lib.rs:5
        #[arg(value_name = "PLACE")]
        place: String,
    },
    /// Print the headings or definitions of a document or a file
    Outline {
        /// A place as a hit shows it, or a file
        #[arg(value_name = "PLACE")]
        place: String,
    },
    /// Print a repository's most central definitions, to fit a budget of tokens
    Map(MapArgs),
    /// Turn a project into one pack for a model, without its secrets
    Pack(PackProject),
    /// Show what is up to date and what is not, and the room it takes
    Status,
    /// Remove what nothing uses any more: old builds, dead collections, leftovers
    Gc {
        #[command(flatten)]
        dry_run: DryRun,
        /// Also sessions that were not changed since then: a time, or how long ago, such as 30d
        #[arg(long, value_name = "TIME")]
        sessions_before: Option<When>,
    },
    /// Show what a package is and what it holds, before it is added
    Info(InfoArgs),
    /// Run a service that keeps indexes open and current, and answers programs, agents and browsers
    Serve(ServeProjects),
    /// Serve agents over MCP, or set up the programs that do
    Mcp(McpArgs),
    /// Remember what an agent has seen, and what it holds now
    #[command(subcommand)]
    Session(Sessions),
    /// See the main job work on this tool's own documentation
    Quickstart,
    /// Declare and sync what a project wants at hand
    #[command(subcommand, visible_alias = "c")]
    Collections(Collections),
    /// Name files of the project that collections are made of
    #[command(subcommand)]
    Categories(Categories),
    /// Search and read what is indexed of collections
    #[command(subcommand)]
    Ref(Ref),
    /// Keep a repository's files and definitions ready for search
    #[command(subcommand)]
    Index(Index),
    /// Search several repositories as one
    #[command(subcommand, visible_alias = "ws")]
    Workspace(Workspace),
    /// Show what a pack of a project would be made of
    Snapshot(Which),
    /// Say whether a file would be in a pack, and which rule decides
    Explain(ExplainArgs),
    /// Check a pack and list what is in it
    Unpack {
        /// The pack, in JSON or MessagePack; `-` for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Write the files it holds into this folder, which must not be there or must be empty
        #[arg(long, value_name = "DIR")]
        into: Option<PathBuf>,
    },
    /// Look at the record of what was packed on this machine
    #[command(subcommand)]
    Receipts(Receipts),
    /// Show and change settings
    #[command(subcommand)]
    Config(Config),
    /// Check the database, the indexes and the model
    Doctor {
        /// Mend what can be mended
        #[arg(long)]
        repair: bool,
    },
    /// Print the JSON Schema of a file that people write
    Schema {
        /// Which file
        #[arg(value_parser = choice(SCHEMAS))]
        name: &'static str,
    },
    /// Print what a shell needs to complete commands and names
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the manual page, or write one for each command
    Man {
        /// Write a page for each command into this folder
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Update or remove this program, if its installer put it there
    #[command(subcommand, name = "self")]
    Own(Own),
    /// Print the help of a command; `help all` lists every command
    Help {
        /// The command, such as `collections sync`; `all` for a list of every command
        #[arg(value_name = "COMMAND")]
        command: Vec<String>,
        /// List every command
        #[arg(long)]
        all: bool,
    },
    /// Print reference documentation made from the code
    #[command(hide = true)]
    Reference {
        /// Which page
        #[arg(value_parser = choice(PAGES))]
        page: fn() -> String,
    },
}

/// Whether a command that removes things only says which.
#[derive(Debug, Args)]
pub(crate) struct DryRun {
    /// Show what would be removed and remove nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[arg(long, hide = true, conflicts_with = "dry_run")]
    apply: bool,
}

impl DryRun {
    /// Says so where the old spelling was typed.
    pub(crate) fn noted(&self, terminal: crate::terminal::Terminal) -> anyhow::Result<bool> {
        if self.apply {
            terminal.deprecated("--apply", "it is the default now, and `--dry-run` shows what would be removed")?;
        }
        Ok(self.dry_run)
    }
}

const SCHEMAS: Choices<&str> = &[
    ("context", "context.json", "context"),
    ("manifest", "manifest.json", "manifest"),
    ("lock", "context.lock", "lock"),
    ("registry", "index.json of a registry", "registry"),
    ("workspace", ".ai-assist-workspace.jsonc", "workspace"),
    ("workspace-manifest", "workspace_manifest.json", "workspace-manifest"),
    ("repo", ".ai-assist.json", "repo"),
];

const PAGES: Choices<fn() -> String> = &[
    ("cli", "Commands and flags", crate::help::reference),
    ("settings", "Settings", crate::reference::settings),
    ("mcp", "Tools, resources and prompts of the MCP server", crate::reference::mcp::page),
];

const RANKS: Choices<RankBy> = &[
    ("hybrid", "Words and meaning", RankBy::Hybrid),
    ("words lexical", "Words alone", RankBy::Words),
    ("meaning dense", "Meaning alone", RankBy::Meaning),
];

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a whole number of at least 1 is needed".to_owned()),
        Ok(number) => Ok(number),
    }
}

/// How words and meaning are fused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fusion {
    /// By their scores
    Scores,
    /// By reciprocal rank
    Ranks,
}

impl Fusion {
    /// The fusion, with meaning counting as much as said.
    pub(crate) fn with(self, dense_weight: f32) -> ai_assist_search::Fusion {
        match self {
            Fusion::Scores => ai_assist_search::Fusion::Scores { a: dense_weight },
            Fusion::Ranks => ai_assist_search::Fusion::RANKS,
        }
    }
}

/// Commands about this program's own installation.
#[derive(Debug, Subcommand)]
pub(crate) enum Own {
    /// Install the newest version in place of this one
    Update,
    /// Remove the program; what it has indexed and remembered stays
    Uninstall,
}

/// Commands about settings.
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Show every setting, its value, and where the value came from
    #[command(visible_aliases = ["list", "ls"])]
    Show,
    /// Print the value of one setting
    Get {
        /// The setting, such as search.limit
        #[arg(add = ArgValueCandidates::new(complete::settings))]
        key: String,
    },
    /// Write a setting into your configuration, or into the project's
    Set {
        /// The setting, such as search.limit
        #[arg(add = ArgValueCandidates::new(complete::settings))]
        key: String,
        /// Its value, as in the environment
        value: String,
        #[command(flatten)]
        whose: WhoseConfig,
    },
    /// Take a setting out of your configuration, or out of the project's
    #[command(visible_alias = "rm")]
    Unset {
        /// The setting, such as search.limit
        #[arg(add = ArgValueCandidates::new(complete::settings))]
        key: String,
        #[command(flatten)]
        whose: WhoseConfig,
    },
    /// Print where your configuration is, or the project's
    Path(WhoseConfig),
    /// Let the files of a project name folders outside of it, or show which they may
    Allow {
        /// The folders; all that the project names, with `--all`
        #[arg(value_name = "PATH", value_hint = ValueHint::DirPath)]
        folders: Vec<PathBuf>,
        /// Allow everything that the project's files name now
        #[arg(long, conflicts_with_all = ["folders", "remove"])]
        all: bool,
        /// Take it back
        #[arg(long, requires = "folders")]
        remove: bool,
    },
}

/// Which configuration is meant.
#[derive(Debug, Args)]
pub(crate) struct WhoseConfig {
    /// The project's configuration rather than yours
    #[arg(long)]
    pub(crate) project: bool,
}
