//! What the user may type.

mod categories;
mod front;
mod mcp;
mod packs;
mod repos;
mod sessions;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::{ArgValueCandidates, Shell};

use crate::complete;

pub(crate) use categories::{
    Categories, CategoryAdd, CategoryChangeArgs, CategoryRemove, CategoryUpdate, CollectionChangeArgs, CollectionUpdate,
};
pub(crate) use front::{AddArgs, CleanAll, GetPlace, ListAll, OutlinePlace, SyncAll};
pub(crate) use mcp::{McpArgs, McpCommand, McpConfig, ScopeName, ServeArgs};
pub(crate) use packs::{
    Amount, ExplainArgs, OnSecretValue, PackFormat, PackKind, PackProject, Receipts, ReceiptsList, ReceiptsShow,
    ReceiptsVerify, SnapshotArgs, UnpackArgs, Which,
};

pub(crate) use repos::{
    Index, IndexBuild, IndexGc, IndexMode, IndexStatus, IndexWatch, MapArgs, Merge, OneRepo, OneWorkspace, SearchRepos,
    Selected, Show, What, Workspace, WorkspaceAdd, WorkspaceBuild, WorkspaceInit, WorkspaceRemove, WorkspaceSearch,
    WorkspaceStatus,
};

pub(crate) use sessions::{
    AsOfArgs, Change, OneSession, SeenKind, SessionChat, SessionDelete, SessionDiff, SessionDiscover, SessionExport,
    SessionGc, SessionHistory, SessionImport, SessionObjects, SessionOpen, SessionRead, SessionRender, SessionSearch,
    SessionShow, SessionToolcall, SessionWatch, Sessions, SetName, Speaker, When,
};

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
#[derive(Debug, Clone, Args)]
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
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
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
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    pub(crate) fn write_global(self) {
        match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// The commands: those of the first page of the help, then the others.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Search a repository: by words and meaning, by a pattern, or for a definition
    Search(SearchRepos),
    /// Add a folder, a repository, a git URL or a package, and index it
    Add(AddArgs),
    /// Bring everything up to date: collections, and the index of the code
    Sync(SyncAll),
    /// List everything in reach, or the documents of one name
    #[command(alias = "list")]
    Ls(ListAll),
    /// Print a document or a file, or lines of it
    Get(GetPlace),
    /// Print the headings or definitions of a document or a file
    Outline(OutlinePlace),
    /// Print a repository's most central definitions, to fit a budget of tokens
    Map(MapArgs),
    /// Turn a project into one pack for a model, without its secrets
    Pack(PackProject),
    /// Show what is up to date and what is not, and the room it takes
    Status,
    /// Remove what nothing uses any more: old builds, dead collections, leftovers
    Gc(CleanAll),
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
    Snapshot(SnapshotArgs),
    /// Say whether a file would be in a pack, and which rule decides
    Explain(ExplainArgs),
    /// Check a pack and list what is in it
    Unpack(UnpackArgs),
    /// Look at the record of what was packed on this machine
    #[command(subcommand)]
    Receipts(Receipts),
    /// Show and change settings
    #[command(subcommand)]
    Config(Config),
    /// Check the database, the indexes and the model
    Doctor(Doctor),
    /// Print the JSON Schema of a file that people write
    Schema(Schema),
    /// Print what a shell needs to complete commands and names
    Completions(Completions),
    /// Print the manual page, or write one for each command
    Man(Man),
    /// Print the help of a command; `help all` lists every command
    Help(HelpArgs),
    /// Print reference documentation made from the code
    #[command(hide = true)]
    Reference(Reference),
}

#[derive(Debug, Args)]
pub(crate) struct HelpArgs {
    /// The command, such as `collections sync`; `all` for a list of every command
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// List every command
    #[arg(long)]
    pub(crate) all: bool,
}

/// Commands about collections.
#[derive(Debug, Subcommand)]
pub(crate) enum Collections {
    /// Make a configuration in the current folder
    Init(Init),
    /// Declare a collection
    Add(Add),
    /// Take a collection out of the configuration
    #[command(visible_alias = "rm")]
    Remove(Remove),
    /// Give a collection another name, description or list of categories
    Change(CollectionChangeArgs),
    /// Add categories to a collection in the configuration, and take others out (its documents: `sync`; its version: `upgrade`)
    #[command(name = "recategorize", visible_alias = "update")]
    Update(CollectionUpdate),
    /// Show the declared collections and where they stand
    #[command(visible_alias = "ls")]
    List(List),
    /// Read the sources again and index what has changed
    Sync(Sync),
    /// Check what is indexed against context.lock
    Verify(Verify),
    /// Show which packages have changed upstream since the last sync; changes nothing
    Outdated(OutdatedArgs),
    /// Show the documents of a collection that the next sync would add, change and remove
    Diff(Diff),
    /// Move packages to newer versions of the registries, within the ranges they were added by
    Upgrade(Upgrade),
    /// Propose collections for the project's dependencies, at exactly the versions in use
    Suggest(Suggest),
    /// Look for packages in the registries
    SearchRegistry(SearchRegistry),
    /// Write the manifest.json of a package that you publish (that of a workspace: `workspace manifest`)
    #[command(subcommand)]
    Manifest(ManifestCommand),
    /// Make a bundle of documents to publish as a package (a project for a model: `ai-assist pack`)
    #[command(visible_alias = "bundle")]
    Pack(PackPackage),
    /// Pack a package and add it to the registry in a folder
    Publish(Publish),
}

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// Names of collections; all packages if none is given
    #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
    pub(crate) names: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct OutdatedArgs {
    /// Names of collections; all packages if none is given
    #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
    pub(crate) names: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// Name of the collection
    #[arg(add = ArgValueCandidates::new(complete::collections))]
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct Upgrade {
    /// Names of collections; all that came from a registry if none is given
    #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
    pub(crate) names: Vec<String>,
    /// Show what would change and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Suggest {
    /// Write the proposed collections into the configuration
    #[arg(long)]
    pub(crate) add: bool,
    /// Only these dependencies
    #[arg(value_name = "DEPENDENCY")]
    pub(crate) names: Vec<String>,
    /// Dependencies of dependencies too
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SearchRegistry {
    /// Words in the name or the description; all packages if none is given
    #[arg(value_name = "WORD")]
    pub(crate) words: Vec<String>,
}

/// Commands about manifests.
#[derive(Debug, Subcommand)]
pub(crate) enum ManifestCommand {
    /// Write a first manifest.json; asks on a terminal for what no flag says
    Init(ManifestInit),
}

#[derive(Debug, Args)]
pub(crate) struct ManifestInit {
    /// The package's name; that of the folder by default
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Its version
    #[arg(long = "version", alias = "package-version", value_name = "VERSION")]
    pub(crate) package_version: Option<String>,
    /// What it is about
    #[arg(long)]
    pub(crate) description: Option<String>,
    /// Which files it has; may be given several times
    #[arg(long, value_name = "PATTERN")]
    pub(crate) glob: Vec<String>,
    /// Where to write it
    #[arg(long, short, default_value = "manifest.json", value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Replace a manifest that is there
    #[arg(long)]
    pub(crate) force: bool,
    /// Ask nothing
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PackPackage {
    /// The manifest
    #[arg(long, default_value = "manifest.json", value_name = "FILE")]
    pub(crate) manifest: PathBuf,
    /// The bundle, ending in .tar.gz, .tgz or .tar.zst, or a folder for it; NAME-VERSION.tar.gz by default
    #[arg(long, short, value_name = "FILE", conflicts_with = "check")]
    pub(crate) output: Option<PathBuf>,
    /// Pack nothing; list what is wrong with the package
    #[arg(long)]
    pub(crate) check: bool,
    /// What to do with a secret value in a file
    #[arg(long, value_enum, default_value = "fail", value_name = "ACTION")]
    pub(crate) on_secret: SecretAction,
    /// Add the vectors of the bundled model, so that nobody has to compute them again
    #[arg(long)]
    pub(crate) vectors: bool,
}

/// What to do with a secret value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SecretAction {
    /// Pack nothing
    Fail,
    /// Take the value out
    Redact,
}

#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// The folder of the registry; it is made if it is not there
    #[arg(value_name = "DIR")]
    pub(crate) registry: PathBuf,
    /// The manifest of the package
    #[arg(long, default_value = "manifest.json", value_name = "FILE")]
    pub(crate) manifest: PathBuf,
    /// What to do with a secret value in a file
    #[arg(long, value_enum, default_value = "fail", value_name = "ACTION")]
    pub(crate) on_secret: SecretAction,
    /// Add the vectors of the bundled model
    #[arg(long)]
    pub(crate) vectors: bool,
    /// Publish nothing; mark NAME@VERSION as one that should no longer be chosen
    #[arg(long, value_name = "NAME@VERSION", conflicts_with = "unyank")]
    pub(crate) yank: Option<String>,
    /// Publish nothing; take that mark away
    #[arg(long, value_name = "NAME@VERSION")]
    pub(crate) unyank: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// Replace a configuration that is there
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// Name of the collection: letters, digits, `-` and `_`, at most 30; or a package of a registry, such as react@^18
    pub(crate) name: String,
    /// A folder, a file, a URL or a package of a registry, such as react@^18; the type follows from it
    #[arg(conflicts_with_all = ["kind", "path", "url"])]
    pub(crate) source: Option<String>,
    /// Type of the collection
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    pub(crate) kind: Option<Kind>,
    /// Folder, relative to the current one (type file)
    #[arg(long, conflicts_with = "url")]
    pub(crate) path: Option<String>,
    /// Which of its files (type file)
    #[arg(long, value_name = "PATTERN", conflicts_with = "url")]
    pub(crate) glob: Option<String>,
    /// Manifest, bundle or git repository (type pkg)
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// A category that it has, besides a source or instead of one; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) category: Vec<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Declare it in your own configuration, for every project
    #[arg(long, short)]
    pub(crate) global: bool,
}

/// Type of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Files of a folder
    File,
    /// A published package
    Pkg,
}

#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// Name of the collection
    #[arg(add = ArgValueCandidates::new(complete::collections))]
    pub(crate) name: String,
    /// Drop what is indexed of it too
    #[arg(long)]
    pub(crate) drop: bool,
    /// Remove it from your own configuration
    #[arg(long, short)]
    pub(crate) global: bool,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Your own collections too, which every project has
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Default, Args)]
pub(crate) struct Sync {
    /// Names of collections or categories; all if none is given
    #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
    pub(crate) names: Vec<String>,
    /// Read and index every file anew
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would happen and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Fail if a package is no longer what context.lock says
    #[arg(long, conflicts_with = "force")]
    pub(crate) locked: bool,
    /// Use context.lock as it is, and ask the network for nothing that is here already
    #[arg(long, conflicts_with_all = ["force", "locked"])]
    pub(crate) frozen: bool,
    /// Sync again whenever files of folders change, until Ctrl-C
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) watch: bool,
}

/// Commands about what is indexed.
#[derive(Debug, Subcommand)]
pub(crate) enum Ref {
    /// Search
    Search(Search),
    /// List what is indexed of this project, or the documents of one collection
    #[command(visible_aliases = ["ls", "list"])]
    ListCollections(ListIndexed),
    /// Print a document, or lines of it
    Get(Get),
    /// Print the headings or definitions of a document
    Outline(Outline),
    /// Drop collections from the database; the configuration stays
    #[command(visible_alias = "rm")]
    Drop(Drop),
    /// Deprecated: use `collections sync`
    #[command(hide = true)]
    Update(Update),
}

#[derive(Debug, Args)]
pub(crate) struct ListIndexed {
    /// List the documents of this collection or category
    #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
    pub(crate) name: Option<String>,
    /// Everything that is indexed on this machine, whatever project declares it
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Words, "phrases", and path:, lang:, kind:, symbol:, collection: filters
    #[arg(required = true, value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Look in this collection or category only, by name or id; may be given several times
    #[arg(long, short, value_name = "NAME")]
    pub(crate) collection: Vec<String>,
    /// Look in everything that is indexed on this machine
    #[arg(long)]
    pub(crate) all: bool,
    /// Which scores rank
    #[arg(long, alias = "mode", value_enum, default_value = "hybrid")]
    pub(crate) rank: RankBy,
    #[command(flatten)]
    pub(crate) show: Show,
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

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a whole number of at least 1 is needed".to_owned()),
        Ok(number) => Ok(number),
    }
}

/// Which scores rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RankBy {
    /// Words and meaning
    Hybrid,
    /// Words alone
    #[value(alias = "lexical")]
    Words,
    /// Meaning alone
    #[value(alias = "dense")]
    Meaning,
}

impl From<RankBy> for ai_assist_search::RankBy {
    fn from(by: RankBy) -> Self {
        match by {
            RankBy::Hybrid => ai_assist_search::RankBy::Hybrid,
            RankBy::Words => ai_assist_search::RankBy::Words,
            RankBy::Meaning => ai_assist_search::RankBy::Meaning,
        }
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

#[derive(Debug, Args)]
pub(crate) struct Get {
    /// A document as search prints it: `collection/path`, or `path`, and perhaps `:10-20`
    #[arg(value_name = "DOC[:LINES]")]
    pub(crate) document: String,
    /// Look in this collection only
    #[arg(long, short, value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
    pub(crate) collection: Vec<String>,
    /// Look in everything that is indexed on this machine
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Outline {
    /// A document as search prints it
    #[arg(value_name = "DOC")]
    pub(crate) document: String,
    /// Look in this collection only
    #[arg(long, short, value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
    pub(crate) collection: Vec<String>,
    /// Look in everything that is indexed on this machine
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Drop {
    /// Names or ids
    #[arg(required = true, value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
    pub(crate) names: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Update {
    /// Names of collections; all if none is given
    #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
    pub(crate) names: Vec<String>,
}

/// Commands about settings.
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Show every setting, its value, and where the value came from
    #[command(visible_aliases = ["list", "ls"])]
    Show,
    /// Print the value of one setting
    Get(ConfigGet),
    /// Write a setting into your configuration, or into the project's
    Set(ConfigSet),
    /// Take a setting out of your configuration, or out of the project's
    #[command(visible_alias = "rm")]
    Unset(ConfigUnset),
    /// Print where your configuration is, or the project's
    Path(ConfigPath),
}

#[derive(Debug, Args)]
pub(crate) struct ConfigGet {
    /// The setting, such as search.limit
    #[arg(add = ArgValueCandidates::new(complete::settings))]
    pub(crate) key: String,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigSet {
    /// The setting, such as search.limit
    #[arg(add = ArgValueCandidates::new(complete::settings))]
    pub(crate) key: String,
    /// Its value, as in the environment
    pub(crate) value: String,
    #[command(flatten)]
    pub(crate) whose: WhoseConfig,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigUnset {
    /// The setting, such as search.limit
    #[arg(add = ArgValueCandidates::new(complete::settings))]
    pub(crate) key: String,
    #[command(flatten)]
    pub(crate) whose: WhoseConfig,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigPath {
    #[command(flatten)]
    pub(crate) whose: WhoseConfig,
}

/// Which configuration is meant.
#[derive(Debug, Args)]
pub(crate) struct WhoseConfig {
    /// The project's configuration rather than yours
    #[arg(long)]
    pub(crate) project: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Mend what can be mended
    #[arg(long)]
    pub(crate) repair: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// Which file
    #[arg(value_enum)]
    pub(crate) name: SchemaName,
}

/// A file with a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaName {
    /// context.json
    Context,
    /// manifest.json
    Manifest,
    /// context.lock
    Lock,
    /// index.json of a registry
    Registry,
    /// .ai-assist-workspace.jsonc
    Workspace,
    /// workspace_manifest.json
    WorkspaceManifest,
    /// .ai-assist.json
    Repo,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Write a page for each command into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Reference {
    /// Which page
    #[arg(value_enum)]
    pub(crate) page: ReferencePage,
}

/// A page of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReferencePage {
    /// Commands and flags
    Cli,
    /// Settings
    Settings,
    /// Tools, resources and prompts of the MCP server
    Mcp,
}
