//! What the user may type about repositories and workspaces.

use std::path::PathBuf;

use ai_assist_repo::layout::Mode;
use ai_assist_search::{Feature, Features, Merge, RankBy};
use ai_assist_workspace::cohort::CohortChoice;
use clap::{Args, Subcommand};
use clap_complete::ArgValueCandidates;

use super::{Choices, DryRun, Fusion, RANKS, at_least_one, choice};
use crate::complete;

/// What an index of a repository is about; nothing for all of them.
pub(crate) type IndexMode = Option<Mode>;

const MODES: Choices<IndexMode> = &[
    ("code", "Source code", Some(Mode::Code)),
    ("prose", "Documents", Some(Mode::Prose)),
    ("extracted-prose", "Comments and docstrings of source code", Some(Mode::ExtractedProse)),
    ("records", "Entries of JSON, YAML, CSV and the like", Some(Mode::Records)),
    ("all", "All four", None),
];

const MERGES: Choices<Merge> = &[
    ("global", "As if all stood in one index", Merge::Global),
    ("rrf", "By the ranks in each repository", Merge::Rrf),
];

/// Commands about the index of a repository.
#[derive(Debug, Subcommand)]
pub(crate) enum Index {
    /// Index what has changed in a repository
    Build(IndexBuild),
    /// Show what is indexed of a repository, and whether it still is what the repository holds
    Status(OneRepo),
    /// Index a repository again whenever its files change
    Watch(IndexWatch),
    /// Remove builds that nothing uses any more
    Gc {
        #[command(flatten)]
        repo: OneRepo,
        /// Every repository that was ever indexed on this machine, those that are gone included
        #[arg(long, conflicts_with = "repo")]
        all: bool,
        #[command(flatten)]
        dry_run: DryRun,
    },
}

#[derive(Debug, Args)]
pub(crate) struct IndexBuild {
    #[command(flatten)]
    pub(crate) repo: OneRepo,
    /// What to index; may be given several times
    #[arg(long, value_parser = choice(MODES), value_name = "MODE", default_value = "all")]
    pub(crate) mode: Vec<IndexMode>,
    /// Read and index every file anew; also a folder that is hardly meant, such as `/`
    #[arg(long)]
    pub(crate) force: bool,
    /// List the files and lines that secret values were taken out of
    #[arg(long)]
    pub(crate) redactions: bool,
}

/// The repository that a command is about.
#[derive(Debug, Args)]
pub(crate) struct OneRepo {
    /// A folder of the repository; the current one by default
    #[arg(long, value_name = "PATH")]
    pub(crate) repo: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct IndexWatch {
    #[command(flatten)]
    pub(crate) repo: OneRepo,
    /// What to index; may be given several times
    #[arg(long, value_parser = choice(MODES), value_name = "MODE", default_value = "all")]
    pub(crate) mode: Vec<IndexMode>,
    /// Wait until nothing has changed for so many milliseconds
    #[arg(long, value_name = "MS", default_value_t = 300)]
    pub(crate) debounce: u64,
}

#[derive(Debug, Args)]
pub(crate) struct SearchRepos {
    /// Words, "phrases", and path:, lang:, kind:, symbol:, collection:, repo: filters; with --regex or --symbol, a pattern or a
    /// name
    #[arg(required = true, value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Look only in this collection, category or repository; may be given several times
    #[arg(long = "in", value_name = "NAME")]
    pub(crate) within: Vec<String>,
    /// Search the repository around this folder, and nothing else; may be given several times
    #[arg(long, value_name = "PATH", conflicts_with = "within")]
    pub(crate) repo: Vec<PathBuf>,
    /// Every collection that is indexed on this machine
    #[arg(long)]
    pub(crate) all: bool,
    /// Answer from what is indexed, without taking in files that have changed since
    #[arg(long)]
    pub(crate) no_sync: bool,
    #[command(flatten)]
    pub(crate) what: What,
    /// The query is a regular expression; prints the lines that match, the first 100 unless --limit says otherwise
    #[arg(long, short = 'e', conflicts_with_all = ["symbol", "cursor", "explain", "full"])]
    pub(crate) regex: bool,
    /// The query is the name of a definition, or a part of one
    #[arg(long, short = 's', conflicts_with_all = ["cursor", "explain", "full"])]
    pub(crate) symbol: bool,
    /// With --regex: upper and lower case are equal
    #[arg(long, short = 'i', requires = "regex")]
    pub(crate) ignore_case: bool,
    /// With --regex: the query is a text, not a pattern
    #[arg(long, short = 'F', requires = "regex")]
    pub(crate) fixed: bool,
    /// With --regex: only whole words
    #[arg(long, short = 'w', requires = "regex")]
    pub(crate) word: bool,
    /// With --regex: a match may run over line ends
    #[arg(long, requires = "regex")]
    pub(crate) multiline: bool,
    /// Answer with what was found after so many milliseconds [default with --regex: 10000]
    #[arg(long, value_name = "MS")]
    pub(crate) timeout: Option<u64>,
    #[command(flatten)]
    pub(crate) show: Show,
}

/// What to look for, for every search over repositories.
#[derive(Debug, Args)]
pub(crate) struct What {
    /// Where to look; may be given several times [default: code and prose]
    #[arg(long, value_parser = choice(MODES), value_name = "MODE")]
    pub(crate) mode: Vec<IndexMode>,
    /// Only this language; may be given several times
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) lang: Vec<String>,
    /// Only files that match; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) path: Vec<String>,
    /// Only this kind of file (code, docs, config, logs), of piece (function, class, section, …), or what sessions about the
    /// project hold (session); may be given several times
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Vec<String>,
    /// Which scores rank
    #[arg(long, alias = "ranking", value_parser = choice(RANKS), default_value = "hybrid")]
    pub(crate) rank: RankBy,
}

/// How much to show, for every search.
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// How many hits to show [default: 5 on a terminal, else 10]
    #[arg(long, short = 'n', value_parser = at_least_one)]
    pub(crate) limit: Option<usize>,
    /// Keep the texts of the hits within this many tokens (o200k)
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) max_tokens: Option<usize>,
    /// Go on where an answer stopped
    #[arg(long)]
    pub(crate) cursor: Option<ai_assist_search::Cursor>,
    /// Show how each score came about
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print whole chunks, not snippets
    #[arg(long)]
    pub(crate) full: bool,
    /// How words and meaning are fused
    #[arg(long, value_enum, default_value = "scores")]
    pub(crate) fusion: Fusion,
    /// Rank without a feature: kind, definition, role, name, evidence, opening or look; may be given several times
    #[arg(long, value_name = "FEATURE")]
    pub(crate) without: Vec<Feature>,
    /// Do not read the best hits a second time; the same as --without look
    #[arg(long)]
    pub(crate) no_second_look: bool,
}

impl Show {
    /// What counts beside words and meaning.
    pub(crate) fn features(&self) -> Features {
        let left_out = self.without.iter().chain(self.no_second_look.then_some(&Feature::Look));
        left_out.fold(Features::default(), |features, feature| features.without(*feature))
    }
}

#[derive(Debug, Args)]
pub(crate) struct MapArgs {
    #[command(flatten)]
    pub(crate) repo: OneRepo,
    /// How many tokens (o200k) the map may have
    #[arg(long, visible_alias = "budget", value_name = "N", default_value_t = 2000, value_parser = at_least_one)]
    pub(crate) max_tokens: usize,
    /// Only files that match; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) path: Vec<String>,
    /// Only this language; may be given several times
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) lang: Vec<String>,
    /// A file, a folder or a symbol to start from; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) focus: Vec<String>,
}

/// Commands about workspaces.
#[derive(Debug, Subcommand)]
pub(crate) enum Workspace {
    /// Make a workspace file in the current folder
    Init {
        /// The workspace's name; that of the folder by default
        #[arg(long)]
        name: Option<String>,
        /// Folders of repositories to add
        #[arg(value_name = "PATH")]
        repos: Vec<PathBuf>,
    },
    /// Add a repository
    Add(WorkspaceAdd),
    /// Take a repository out of the workspace file; its files and its index stay
    #[command(visible_alias = "rm")]
    Remove {
        /// The repository, by alias, id or folder; may be given several times
        #[arg(required = true, value_name = "REPO", add = ArgValueCandidates::new(complete::repos))]
        repos: Vec<String>,
        #[command(flatten)]
        workspace: OneWorkspace,
    },
    /// Show the repositories of the workspace
    #[command(visible_alias = "ls")]
    List(OneWorkspace),
    /// Index what is stale in the repositories of the workspace
    Build(WorkspaceBuild),
    /// Write down which builds exactly would be searched, and print where, and its hash (of a package: `collections manifest`)
    Manifest(OneWorkspace),
    /// Show where the repositories stand
    Status {
        #[command(flatten)]
        workspace: OneWorkspace,
        #[command(flatten)]
        selected: Selected,
    },
    /// Search the repositories as one
    Search(Box<WorkspaceSearch>),
}

/// The workspace that a command is about.
#[derive(Debug, Args)]
pub(crate) struct OneWorkspace {
    /// The workspace file; the nearest .ai-assist-workspace.jsonc by default
    #[arg(long, value_name = "FILE")]
    pub(crate) workspace: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct WorkspaceAdd {
    /// Folders of repositories
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// What to call it
    #[arg(long)]
    pub(crate) alias: Option<String>,
    /// To select it by; may be given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// The greater, the more it matters
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) priority: Option<i32>,
    /// Search it only when it is named
    #[arg(long)]
    pub(crate) disabled: bool,
    #[command(flatten)]
    pub(crate) workspace: OneWorkspace,
}

/// Some repositories of a workspace.
#[derive(Debug, Args)]
pub(crate) struct Selected {
    /// Only this repository, by alias, id or folder; may be given several times
    #[arg(long, value_name = "REPO", add = ArgValueCandidates::new(complete::repos))]
    pub(crate) select: Vec<String>,
    /// Only repositories with this tag; may be given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Only repositories whose name or folder matches; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) repo_filter: Vec<String>,
    /// Also repositories that are not enabled
    #[arg(long)]
    pub(crate) include_disabled: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WorkspaceBuild {
    #[command(flatten)]
    pub(crate) workspace: OneWorkspace,
    #[command(flatten)]
    pub(crate) selected: Selected,
    /// How many repositories to build at once
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = at_least_one)]
    pub(crate) jobs: usize,
    /// What to index; may be given several times
    #[arg(long, value_parser = choice(MODES), value_name = "MODE", default_value = "all")]
    pub(crate) mode: Vec<IndexMode>,
    /// Read and index every file anew
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WorkspaceSearch {
    /// Words, "phrases", and path:, lang:, kind:, repo: filters
    #[arg(required = true, value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    #[command(flatten)]
    pub(crate) workspace: OneWorkspace,
    #[command(flatten)]
    pub(crate) selected: Selected,
    #[command(flatten)]
    pub(crate) what: What,
    /// How the rankings of several repositories become one
    #[arg(long, value_parser = choice(MERGES), default_value = "global")]
    pub(crate) merge: Merge,
    /// At most so many hits of each repository
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) top_per_repo: Option<usize>,
    /// How many indexes to work on at once [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) concurrency: Option<usize>,
    /// Leave out repositories that have not answered after so many milliseconds
    #[arg(long, value_name = "MS")]
    pub(crate) timeout: Option<u64>,
    /// Search this cohort; may be given several times, also as MODE:KEY
    #[arg(long, value_name = "[MODE:]KEY", conflicts_with = "allow_unsafe_mix")]
    pub(crate) cohort: Vec<CohortChoice>,
    /// Fail if a repository can't be searched, or not together with the others
    #[arg(long, conflicts_with = "allow_unsafe_mix")]
    pub(crate) strict: bool,
    /// Search indexes together whose scores can't be compared
    #[arg(long)]
    pub(crate) allow_unsafe_mix: bool,
    /// Say where the repositories are on this machine
    #[arg(long)]
    pub(crate) include_paths: bool,
    /// Neither use nor keep answers that were given before
    #[arg(long)]
    pub(crate) no_cache: bool,
    #[command(flatten)]
    pub(crate) show: Show,
}
