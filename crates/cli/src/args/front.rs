//! The commands of the first page that are about everything: collections, the repository, the workspace.

use clap::Args;
use clap_complete::ArgValueCandidates;

use super::{DryRun, When};
use crate::complete;

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// A folder or file, a repository, a git URL, the URL or path of a package, or a package of a registry, such as react@^18
    #[arg(value_name = "SRC")]
    pub(crate) source: String,
    /// What to call it [default: follows from the source]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Which files of a folder of documents [default: the documents that are there]
    #[arg(long, value_name = "PATTERN")]
    pub(crate) glob: Option<String>,
    /// Declare it and index nothing yet
    #[arg(long)]
    pub(crate) no_sync: bool,
    /// Also add a folder that is hardly meant, such as `/`
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Default, Args)]
pub(crate) struct SyncAll {
    /// Names of collections, categories or repositories; everything if none is given
    #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::everything))]
    pub(crate) names: Vec<String>,
    /// Leave the repository and the workspace as they are
    #[arg(long)]
    pub(crate) no_code: bool,
    /// Go on, and sync whatever changes, until Ctrl-C
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) watch: bool,
    /// Read and index every file anew
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would happen and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListAll {
    /// List the documents of this collection, category or repository
    #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::everything))]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct GetPlace {
    /// A place as a hit shows it, such as docs/tutorial/cors.md:10-20 or src/lib.rs:5
    #[arg(value_name = "PLACE")]
    pub(crate) place: String,
}

#[derive(Debug, Args)]
pub(crate) struct OutlinePlace {
    /// A place as a hit shows it, or a file
    #[arg(value_name = "PLACE")]
    pub(crate) place: String,
}

#[derive(Debug, Args)]
pub(crate) struct CleanAll {
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
    /// Also sessions that were not changed since then: a time, or how long ago, such as 30d
    #[arg(long, value_name = "TIME")]
    pub(crate) sessions_before: Option<When>,
}
