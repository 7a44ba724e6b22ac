//! A file for each command or for a few that do much the same, grouped as they are typed.

pub(crate) mod categories;
pub(crate) mod collections;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod front;
pub(crate) mod hits;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod own;
pub(crate) mod packs;
pub(crate) mod quickstart;
mod redactions;
pub(crate) mod reference;
pub(crate) mod repos;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod session;
mod token;
pub(crate) mod workspace;

/// What most commands need.
mod prelude {
    pub(super) use std::path::{Path, PathBuf};

    pub(super) use anyhow::{Context as _, Result, anyhow, bail};
    pub(super) use serde_json::{Value, json};

    pub(super) use super::Outcome;
    pub(super) use super::redactions::{note_redactions, redaction_row};
    pub(super) use crate::context::Context;
    pub(super) use crate::interrupt::cancel;
    pub(super) use crate::progress::Spinner;
    pub(super) use crate::terminal::{Terminal, count, harmless, one_line, styled};
}

use anyhow::Result;

use crate::args::{Categories, Cli, Collections, Command, Index, ManifestCommand, Receipts, Ref, Workspace};
use crate::complete;
use crate::context::Context;

/// How a command ended, when it did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything was done: exit code 0.
    Done,
    /// Nothing was found, or only a part was done: exit code 1.
    Partial,
}

fn print(bytes: &[u8]) -> Result<Outcome> {
    std::io::Write::write_all(&mut std::io::stdout().lock(), bytes)?;
    Ok(Outcome::Done)
}

/// Whether a command makes files and folders for others to read, beside what it writes with a mode of its own.
fn writes_for_others(command: &Command) -> bool {
    match command {
        Command::Pack(_) | Command::Unpack { .. } | Command::Man { .. } | Command::Quickstart => true,
        Command::Collections(command) => {
            matches!(
                command,
                Collections::Pack(_) | Collections::Publish(_) | Collections::Manifest(_) | Collections::Vendor(_)
            )
        }
        Command::Mcp(args) => args.command.is_some(),
        _ => false,
    }
}

pub(crate) fn run(cli: Cli) -> Result<Outcome> {
    let context = || Context::new(&cli.global);
    if !writes_for_others(&cli.command) {
        ai_assist_base::private_by_default();
    }
    match cli.command {
        Command::Quickstart => quickstart::run(&cli.global),
        Command::Collections(command) => match command {
            Collections::Init { force } => collections::edit::init(&context()?, force),
            Collections::Add(args) => collections::add::run(&context()?, args),
            Collections::Remove(args) => collections::edit::remove(&context()?, &args),
            Collections::Change(args) => collections::edit::change(&context()?, args),
            Collections::Update(args) => collections::edit::update(&context()?, &args),
            Collections::List { all } => collections::list::run(&context()?, all),
            Collections::Sync(args) => collections::sync::run(&context()?, &args),
            Collections::Verify { names } => collections::verify::run(&context()?, &names),
            Collections::Outdated { names } => collections::outdated::run(&context()?, &names),
            Collections::Diff(args) => collections::diff::run(&context()?, &args),
            Collections::Info(args) => collections::info::run(&context()?, &args.source),
            Collections::Vendor(args) => collections::vendor::run(&context()?, &args),
            Collections::Upgrade { names, dry_run } => collections::upgrade::run(&context()?, &names, dry_run),
            Collections::Suggest(args) => collections::suggest::run(&context()?, &args),
            Collections::SearchRegistry { words } => collections::search_registry::run(&context()?, &words),
            Collections::Manifest(ManifestCommand::Init(args)) => collections::manifest::init(&context()?, &args),
            Collections::Pack(args) => collections::pack::run(&context()?, &args),
            Collections::Publish(args) => collections::publish::run(&context()?, &args),
        },
        Command::Categories(command) => match command {
            Categories::Add(args) => categories::add(&context()?, args),
            Categories::Remove(args) => categories::remove(&context()?, &args),
            Categories::Change(args) => categories::change(&context()?, args),
            Categories::Update(args) => categories::update(&context()?, &args),
            Categories::List => categories::list(&context()?),
        },
        Command::Ref(command) => match command {
            Ref::Search(args) => reference::search::run(&context()?, &args),
            Ref::ListCollections { name, all } => reference::list::run(&context()?, name, all),
            Ref::Get(args) => reference::get::run(&context()?, &args),
            Ref::Outline(args) => reference::get::outline(&context()?, &args),
            Ref::Drop { names, yes } => reference::drop::run(&context()?, &names, yes),
            Ref::Update { names } => collections::sync::deprecated(&context()?, names),
        },
        Command::Index(command) => match command {
            Index::Build(args) => repos::build::run(&context()?, &args),
            Index::Status(repo) => repos::status::run(&context()?, &repo),
            Index::Watch(args) => repos::watch::run(&context()?, &args),
            Index::Gc { repo, all, dry_run } => repos::gc::run(&context()?, &repo, all, &dry_run),
        },
        Command::Search(args) => repos::search::run(&context()?, &args),
        Command::Add(args) => front::add::run(&context()?, &args),
        Command::Sync(args) => front::sync::run(&context()?, &args),
        Command::Ls { name } => front::list::run(&context()?, name.as_deref()),
        Command::Get { place } => front::get::run(&context()?, &place),
        Command::Outline { place } => front::get::outline(&context()?, &place),
        Command::Status => front::status::run(&context()?),
        Command::Gc { dry_run, sessions_before } => front::gc::run(&context()?, &dry_run, sessions_before),
        Command::Info(args) => collections::info::run(&context()?, &args.source),
        Command::Map(args) => repos::map::run(&context()?, &args),
        Command::Workspace(command) => match command {
            Workspace::Init { name, repos } => workspace::edit::init(&context()?, name, &repos),
            Workspace::Add(args) => workspace::edit::add(&context()?, &args),
            Workspace::Remove { repos, workspace } => workspace::edit::remove(&context()?, &repos, &workspace),
            Workspace::List(args) => workspace::edit::list(&context()?, &args),
            Workspace::Build(args) => workspace::build::run(&context()?, &args),
            Workspace::Manifest(args) => workspace::manifest::run(&context()?, &args),
            Workspace::Status { workspace, selected } => workspace::status::run(&context()?, &workspace, &selected),
            Workspace::Search(args) => workspace::search::run(&context()?, &args),
        },
        Command::Pack(args) => packs::pack::run(&context()?, &args),
        Command::Snapshot(which) => packs::snapshot::run(&context()?, &which),
        Command::Explain(args) => packs::explain::run(&context()?, &args),
        Command::Unpack { file, into } => packs::unpack::run(&context()?, &file, into.as_deref()),
        Command::Receipts(command) => match command {
            Receipts::List { limit } => packs::receipts::list(&context()?, limit),
            Receipts::Show { number } => packs::receipts::show(&context()?, &number),
            Receipts::Verify { pack } => packs::receipts::verify(&context()?, pack.as_deref()),
        },
        Command::Session(command) => session::run(&context()?, command),
        Command::Serve(args) => serve::run(&cli.global, &args),
        Command::Mcp(args) => mcp::run(&cli.global, args),
        Command::Config(command) => config::run(&context()?, &command),
        Command::Own(command) => own::run(&cli.global, &command),
        Command::Help { command, all } => crate::help::run(&cli.global, &command, all),
        Command::Doctor { repair } => doctor::run(&context()?, repair),
        Command::Schema { name } => schema::run(&cli.global, name),
        Command::Completions { shell } => print(&complete::registration(shell)?),
        Command::Man { dir } => man::run(dir.as_deref()),
        Command::Reference { page } => print(page().as_bytes()),
    }
}
