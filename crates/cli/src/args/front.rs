//! The commands of the first page that are about everything: collections, the repository, the workspace.

use clap::Args;
use clap_complete::ArgValueCandidates;

use crate::complete;

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// A folder or file, a URL, github:OWNER/NAME, npm:NAME, pypi:NAME, crate:NAME, or a package of a registry, such as react@^18
    #[arg(value_name = "SRC")]
    pub(crate) source: String,
    /// What to call it [default: follows from the source]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Which files of a folder of documents [default: documents of every format]
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
