//! Commands about what is indexed of collections.

use clap::{Args, Subcommand};
use clap_complete::ArgValueCandidates;

use super::{RANKS, Show, choice};
use crate::complete;
use ai_assist_search::RankBy;

/// Commands about what is indexed.
#[derive(Debug, Subcommand)]
pub(crate) enum Ref {
    /// Search
    Search(Search),
    /// List what is indexed of this project, or the documents of one collection
    #[command(visible_aliases = ["ls", "list"])]
    ListCollections {
        /// List the documents of this collection or category
        #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
        name: Option<String>,
        /// Everything that is indexed on this machine, whatever project declares it
        #[arg(long)]
        all: bool,
    },
    /// Print a document, or lines of it
    Get(Get),
    /// Print the headings or definitions of a document
    Outline(Outline),
    /// Drop collections from the database; the configuration stays
    #[command(visible_alias = "rm")]
    Drop {
        /// Names or ids
        #[arg(required = true, value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
        names: Vec<String>,
        /// Drop them even if other projects read them
        #[arg(long, short)]
        yes: bool,
    },
    /// Deprecated: use `collections sync`
    #[command(hide = true)]
    Update {
        /// Names of collections; all if none is given
        #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
        names: Vec<String>,
    },
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
    #[arg(long, alias = "mode", value_parser = choice(RANKS), default_value = "hybrid")]
    pub(crate) rank: RankBy,
    /// Answer from what is indexed, without taking in files that have changed since
    #[arg(long)]
    pub(crate) no_sync: bool,
    #[command(flatten)]
    pub(crate) show: Show,
}

#[derive(Debug, Args)]
pub(crate) struct Get {
    /// A document as search prints it: `collection/path`, or `path`, and perhaps `:10-20`
    #[arg(value_name = "DOC[:LINES]")]
    pub(crate) document: String,
    #[command(flatten)]
    pub(crate) among: Among,
}

#[derive(Debug, Args)]
pub(crate) struct Outline {
    /// A document as search prints it
    #[arg(value_name = "DOC")]
    pub(crate) document: String,
    #[command(flatten)]
    pub(crate) among: Among,
}

/// Which collections a document may be of.
#[derive(Debug, Args)]
pub(crate) struct Among {
    /// Look in this collection only
    #[arg(long, short, value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
    pub(crate) collection: Vec<String>,
    /// Look in everything that is indexed on this machine
    #[arg(long)]
    pub(crate) all: bool,
}
