//! Commands about collections and the categories that they are made of.

use std::path::PathBuf;

use ai_assist_collections::OnSecret;
use ai_assist_identity::CollectionKind;
use clap::{Args, Subcommand};
use clap_complete::ArgValueCandidates;

use super::{Choices, choice};
use crate::complete;

/// Commands about collections.
#[derive(Debug, Subcommand)]
pub(crate) enum Collections {
    /// Make a configuration in the current folder
    Init {
        /// Replace a configuration that is there
        #[arg(long)]
        force: bool,
    },
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
    List {
        /// Your own collections too, which every project has
        #[arg(long)]
        all: bool,
    },
    /// Read the sources again and index what has changed
    Sync(Sync),
    /// Check what is indexed against context.lock
    Verify {
        /// Names of collections; all packages if none is given
        #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
        names: Vec<String>,
    },
    /// Show which packages have changed upstream, and the versions that are wanted and the latest; changes nothing
    Outdated {
        /// Names of collections; all packages if none is given
        #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
        names: Vec<String>,
    },
    /// Show what the next sync would change in the documents of collections, or what differs between two versions of a package
    Diff(DiffArgs),
    /// Show what a package is and what it holds, before it is added; keeps nothing of it
    Info(InfoArgs),
    /// Put the locked bytes of all packages into a folder, so that `sync --frozen` needs no network
    Vendor(VendorArgs),
    /// Move packages to newer versions of the registries, within the ranges they were added by
    Upgrade {
        /// Names of collections; all that came from a registry if none is given
        #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
        names: Vec<String>,
        /// Show what would change and write nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Propose collections for the project's dependencies, at exactly the versions in use
    Suggest(Suggest),
    /// Look for packages in the registries
    SearchRegistry {
        /// Words in the name or the description; all packages if none is given
        #[arg(value_name = "WORD")]
        words: Vec<String>,
    },
    /// Write the manifest.json of a package that you publish (that of a workspace: `workspace manifest`)
    #[command(subcommand)]
    Manifest(ManifestCommand),
    /// Make a bundle of documents to publish as a package (a project for a model: `ai-assist pack`)
    #[command(visible_alias = "bundle")]
    Pack(PackPackage),
    /// Pack a package and add it to the registry in a folder
    Publish(Publish),
}

const SECRET_ACTIONS: Choices<OnSecret> =
    &[("fail", "Pack nothing", OnSecret::Fail), ("redact", "Take the value out", OnSecret::Redact)];

const COLLECTION_KINDS: Choices<CollectionKind> = &[
    ("file", "Files of a folder", CollectionKind::File),
    ("pkg", "A published package", CollectionKind::Pkg),
    ("site", "Pages of a website", CollectionKind::Site),
];

/// Commands about manifests.
#[derive(Debug, Subcommand)]
pub(crate) enum ManifestCommand {
    /// Write a first manifest.json; asks on a terminal for what no flag says
    Init(ManifestInit),
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// Names of collections; all packages if none is given. Or two packages, such as guide@1.0.0 guide@1.1.0, or two URLs
    #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::collections))]
    pub(crate) names: Vec<String>,
    /// Show only how many lines of each document differ
    #[arg(long)]
    pub(crate) stat: bool,
    /// Exit with 1 if anything differs
    #[arg(long)]
    pub(crate) exit_code: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// A package of a registry, such as react or react@^18; the URL or path of a manifest or bundle; a git URL; or the name of a
    /// declared package
    #[arg(value_name = "SRC")]
    pub(crate) source: String,
}

#[derive(Debug, Args)]
pub(crate) struct VendorArgs {
    /// The folder [default: context-vendor beside context.json]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Write nothing; say whether everything that is locked is there
    #[arg(long)]
    pub(crate) check: bool,
    /// Also files with secret values, as they were published
    #[arg(long, conflicts_with = "check")]
    pub(crate) with_secrets: bool,
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
    /// A website of the project, to make a package of its pages
    #[arg(value_name = "COLLECTION", conflicts_with_all = ["manifest", "check"], add = ArgValueCandidates::new(complete::collections))]
    pub(crate) collection: Option<String>,
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
    #[arg(long, value_parser = choice(SECRET_ACTIONS), default_value = "fail", value_name = "ACTION")]
    pub(crate) on_secret: OnSecret,
    /// Add the vectors of the bundled model, so that nobody has to compute them again
    #[arg(long)]
    pub(crate) vectors: bool,
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
    #[arg(long, value_parser = choice(SECRET_ACTIONS), default_value = "fail", value_name = "ACTION")]
    pub(crate) on_secret: OnSecret,
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
pub(crate) struct Add {
    /// Name of the collection: letters, digits, `-` and `_`, at most 30; or a package of a registry, such as react@^18
    pub(crate) name: String,
    /// A folder, a file, a URL, github:OWNER/NAME, npm:NAME or a package of a registry, such as react@^18; the type follows from it
    #[arg(conflicts_with_all = ["kind", "path", "url"])]
    pub(crate) source: Option<String>,
    /// Type of the collection
    #[arg(long = "type", value_name = "TYPE", value_parser = choice(COLLECTION_KINDS))]
    pub(crate) kind: Option<CollectionKind>,
    /// Folder, relative to the current one (type file)
    #[arg(long, conflicts_with = "url")]
    pub(crate) path: Option<String>,
    /// Which of its files (type file) [default: documents of every format]
    #[arg(long, value_name = "PATTERN", conflicts_with = "url")]
    pub(crate) glob: Option<String>,
    /// Manifest, bundle or git repository (type pkg), or where a website begins (type site)
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
    /// Where vendored files are, with --frozen [default: context-vendor beside context.json]
    #[arg(long, value_name = "DIR", requires = "frozen")]
    pub(crate) vendor: Option<PathBuf>,
    /// Sync again whenever files of folders change, until Ctrl-C
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) watch: bool,
    /// List the files and lines that secret values were taken out of
    #[arg(long)]
    pub(crate) redactions: bool,
}

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
    #[arg(long, value_name = "PATTERN", default_value = ai_assist_admit::Globs::DOCUMENTS)]
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
