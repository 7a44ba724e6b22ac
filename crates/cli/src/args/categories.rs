//! Commands about categories, and about what collections have of them.

use clap::{Args, Subcommand};
use clap_complete::ArgValueCandidates;

use crate::complete;

/// Commands about categories.
#[derive(Debug, Subcommand)]
pub(crate) enum Categories {
    /// Declare a category: a folder of the project, and which of its files
    Add(CategoryAdd),
    /// Take a category out of the configuration, and out of every collection that has it
    #[command(visible_alias = "rm")]
    Remove(CategoryRemove),
    /// Give a category another name, folder, description or list of patterns
    Change(CategoryChangeArgs),
    /// Add patterns to a category in the configuration, and take others out
    #[command(name = "repattern", visible_alias = "update")]
    Update(CategoryUpdate),
    /// Show the declared categories and where they stand
    #[command(visible_alias = "ls")]
    List,
}

#[derive(Debug, Args)]
pub(crate) struct CategoryAdd {
    /// Name of the category: letters, digits, `-` and `_`, at most 30
    pub(crate) name: String,
    /// Folder inside the project, relative to the current one; the folder of that name in the project's root by default
    pub(crate) dir: Option<String>,
    /// Which of its files; may be given several times
    #[arg(long, value_name = "PATTERN", default_value = "**/*.md")]
    pub(crate) pattern: Vec<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Declare it in your own configuration, for your own collections
    #[arg(long, short)]
    pub(crate) global: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CategoryRemove {
    /// Name of the category
    #[arg(add = ArgValueCandidates::new(complete::categories))]
    pub(crate) name: String,
    /// Drop what is indexed of it too
    #[arg(long)]
    pub(crate) drop: bool,
    /// Remove it from your own configuration
    #[arg(long, short)]
    pub(crate) global: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CategoryChangeArgs {
    /// Name of the category
    #[arg(add = ArgValueCandidates::new(complete::categories))]
    pub(crate) name: String,
    /// Its new name, which collections that have it use from now on
    #[arg(long, value_name = "NAME")]
    pub(crate) new_name: Option<String>,
    /// Its folder, relative to the current one
    #[arg(long)]
    pub(crate) dir: Option<String>,
    /// Which of its files, in place of all patterns it has; may be given several times
    #[arg(long, value_name = "PATTERN")]
    pub(crate) pattern: Vec<String>,
    /// What it is for; empty for nothing
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Change it in your own configuration
    #[arg(long, short)]
    pub(crate) global: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CategoryUpdate {
    /// Name of the category
    #[arg(add = ArgValueCandidates::new(complete::categories))]
    pub(crate) name: String,
    /// A pattern to add; may be given several times
    #[arg(long, value_name = "PATTERN")]
    pub(crate) add: Vec<String>,
    /// A pattern to take out, before any is added; may be given several times
    #[arg(long, value_name = "PATTERN")]
    pub(crate) remove: Vec<String>,
    /// Change it in your own configuration
    #[arg(long, short)]
    pub(crate) global: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CollectionChangeArgs {
    /// Name of the collection
    #[arg(add = ArgValueCandidates::new(complete::collections))]
    pub(crate) name: String,
    /// Its new name
    #[arg(long, value_name = "NAME")]
    pub(crate) new_name: Option<String>,
    /// A category that it has, in place of all it had; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) category: Vec<String>,
    /// Take all categories out of it
    #[arg(long, conflicts_with = "category")]
    pub(crate) no_categories: bool,
    /// What it is for; empty for nothing
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Change it in your own configuration
    #[arg(long, short)]
    pub(crate) global: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CollectionUpdate {
    /// Name of the collection
    #[arg(add = ArgValueCandidates::new(complete::collections))]
    pub(crate) name: String,
    /// A category to add; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) add: Vec<String>,
    /// A category to take out, before any is added; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) remove: Vec<String>,
    /// Change it in your own configuration
    #[arg(long, short)]
    pub(crate) global: bool,
}
