//! One file for each command, grouped as it is typed.

pub(crate) mod categories;
pub(crate) mod collections;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod front;
pub(crate) mod hits;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod packs;
pub(crate) mod quickstart;
pub(crate) mod reference;
pub(crate) mod repos;
pub(crate) mod schema;
pub(crate) mod session;
pub(crate) mod workspace;

use anyhow::Result;

use crate::args::{Categories, Cli, Collections, Command, Index, ManifestCommand, Receipts, Ref, Workspace};
use crate::context::Context;

/// How a command ended, when it did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything was done: exit code 0.
    Done,
    /// Nothing was found, or only a part was done: exit code 1.
    Partial,
}

pub(crate) fn run(cli: Cli) -> Result<Outcome> {
    let context = || Context::new(&cli.global);
    match cli.command {
        Command::Quickstart => quickstart::run(&cli.global),
        Command::Collections(command) => match command {
            Collections::Init(args) => collections::init::run(&context()?, &args),
            Collections::Add(args) => collections::add::run(&context()?, args),
            Collections::Remove(args) => collections::remove::run(&context()?, &args),
            Collections::Change(args) => collections::change::run(&context()?, args),
            Collections::Update(args) => collections::update::run(&context()?, &args),
            Collections::List(args) => collections::list::run(&context()?, &args),
            Collections::Sync(args) => collections::sync::run(&context()?, &args),
            Collections::Verify(args) => collections::verify::run(&context()?, &args),
            Collections::Outdated(args) => collections::outdated::run(&context()?, &args),
            Collections::Diff(args) => collections::diff::run(&context()?, &args),
            Collections::Upgrade(args) => collections::upgrade::run(&context()?, &args),
            Collections::Suggest(args) => collections::suggest::run(&context()?, &args),
            Collections::SearchRegistry(args) => collections::search_registry::run(&context()?, &args),
            Collections::Manifest(ManifestCommand::Init(args)) => collections::manifest::init(&context()?, &args),
            Collections::Pack(args) => collections::pack::run(&context()?, &args),
            Collections::Publish(args) => collections::publish::run(&context()?, &args),
        },
        Command::Categories(command) => match command {
            Categories::Add(args) => categories::add::run(&context()?, args),
            Categories::Remove(args) => categories::remove::run(&context()?, &args),
            Categories::Change(args) => categories::change::run(&context()?, args),
            Categories::Update(args) => categories::update::run(&context()?, &args),
            Categories::List => categories::list::run(&context()?),
        },
        Command::Ref(command) => match command {
            Ref::Search(args) => reference::search::run(&context()?, &args),
            Ref::ListCollections(args) => reference::list::run(&context()?, &args),
            Ref::Get(args) => reference::get::run(&context()?, &args),
            Ref::Outline(args) => reference::outline::run(&context()?, &args),
            Ref::Drop(args) => reference::drop::run(&context()?, &args),
            Ref::Update(args) => reference::update::run(&context()?, args),
        },
        Command::Index(command) => match command {
            Index::Build(args) => repos::build::run(&context()?, &args),
            Index::Status(args) => repos::status::run(&context()?, &args),
            Index::Watch(args) => repos::watch::run(&context()?, &args),
            Index::Gc(args) => repos::gc::run(&context()?, &args),
        },
        Command::Search(args) => repos::search::run(&context()?, &args),
        Command::Add(args) => front::add::run(&context()?, &args),
        Command::Sync(args) => front::sync::run(&context()?, &args),
        Command::Ls(args) => front::list::run(&context()?, &args),
        Command::Get(args) => front::get::run(&context()?, &args),
        Command::Outline(args) => front::get::outline(&context()?, &args),
        Command::Status => front::status::run(&context()?),
        Command::Gc(args) => front::gc::run(&context()?, &args),
        Command::Map(args) => repos::map::run(&context()?, &args),
        Command::Workspace(command) => match command {
            Workspace::Init(args) => workspace::init::run(&context()?, &args),
            Workspace::Add(args) => workspace::add::run(&context()?, &args),
            Workspace::Remove(args) => workspace::remove::run(&context()?, &args),
            Workspace::List(args) => workspace::list::run(&context()?, &args),
            Workspace::Build(args) => workspace::build::run(&context()?, &args),
            Workspace::Manifest(args) => workspace::manifest::run(&context()?, &args),
            Workspace::Status(args) => workspace::status::run(&context()?, &args),
            Workspace::Search(args) => workspace::search::run(&context()?, &args),
        },
        Command::Pack(args) => packs::pack::run(&context()?, &args),
        Command::Snapshot(args) => packs::snapshot::run(&context()?, &args),
        Command::Explain(args) => packs::explain::run(&context()?, &args),
        Command::Unpack(args) => packs::unpack::run(&context()?, &args),
        Command::Receipts(command) => match command {
            Receipts::List(args) => packs::receipts::list(&context()?, &args),
            Receipts::Show(args) => packs::receipts::show(&context()?, &args),
            Receipts::Verify(args) => packs::receipts::verify(&context()?, &args),
        },
        Command::Session(command) => session::run(&context()?, command),
        Command::Mcp(args) => mcp::run(&cli.global, args),
        Command::Config(command) => config::run(&context()?, &command),
        Command::Help(args) => crate::help::run(&cli.global, &args),
        Command::Doctor(args) => doctor::run(&context()?, &args),
        Command::Schema(args) => schema::run(&cli.global, &args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
        Command::Reference(args) => crate::reference::run(&args),
    }
}
