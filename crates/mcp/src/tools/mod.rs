//! The tools, a file for each group.

mod categories;
mod collections;
mod common;
mod content;
mod documents;
mod explain;
mod grep;
mod index;
mod map;
mod packs;
mod read;
mod related;
mod search;
mod session;
mod symbol;

pub(crate) use documents::{Listed, address, documents};
pub(crate) use read::read_document;

use crate::tool::Entry;

/// Every tool, in the order in which clients see them.
pub(crate) static TABLE: [Entry; 31] = [
    Entry::of::<search::SearchArgs>(),
    Entry::of::<read::DocumentArgs>(),
    Entry::of::<read::OutlineArgs>(),
    Entry::of::<symbol::SymbolArgs>(),
    Entry::of::<grep::GrepArgs>(),
    Entry::of::<map::MapArgs>(),
    Entry::of::<documents::ListArgs>(),
    Entry::of::<content::ContentArgs>(),
    Entry::of::<collections::ListArgs>(),
    Entry::of::<index::SyncArgs>(),
    Entry::of::<index::BuildArgs>(),
    Entry::of::<related::RelatedArgs>(),
    Entry::of::<packs::PackArgs>(),
    Entry::of::<explain::ExplainArgs>(),
    Entry::of::<collections::AddArgs>(),
    Entry::of::<collections::NameArgs>(),
    Entry::of::<collections::ChangeArgs>(),
    Entry::of::<collections::UpdateArgs>(),
    Entry::of::<categories::ListArgs>(),
    Entry::of::<categories::AddArgs>(),
    Entry::of::<categories::NameArgs>(),
    Entry::of::<categories::ChangeArgs>(),
    Entry::of::<categories::UpdateArgs>(),
    Entry::of::<session::OpenArgs>(),
    Entry::of::<session::ListArgs>(),
    Entry::of::<session::ReadArgs>(),
    Entry::of::<session::RecordArgs>(),
    Entry::of::<session::HoldArgs>(),
    Entry::of::<session::ShowArgs>(),
    Entry::of::<session::SearchArgs>(),
    Entry::of::<session::RenderArgs>(),
];
