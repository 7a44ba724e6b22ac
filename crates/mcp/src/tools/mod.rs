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
    Entry::of::<search::Search>(),
    Entry::of::<read::GetDocument>(),
    Entry::of::<read::Outline>(),
    Entry::of::<symbol::FindSymbol>(),
    Entry::of::<grep::Grep>(),
    Entry::of::<map::Map>(),
    Entry::of::<documents::ListDocuments>(),
    Entry::of::<content::GetContent>(),
    Entry::of::<collections::List>(),
    Entry::of::<index::SyncCollections>(),
    Entry::of::<index::BuildIndex>(),
    Entry::of::<related::FindRelated>(),
    Entry::of::<packs::ContextPack>(),
    Entry::of::<explain::ExplainPath>(),
    Entry::of::<collections::Add>(),
    Entry::of::<collections::Remove>(),
    Entry::of::<collections::Change>(),
    Entry::of::<collections::Update>(),
    Entry::of::<categories::List>(),
    Entry::of::<categories::Add>(),
    Entry::of::<categories::Remove>(),
    Entry::of::<categories::Change>(),
    Entry::of::<categories::Update>(),
    Entry::of::<session::Open>(),
    Entry::of::<session::List>(),
    Entry::of::<session::Read>(),
    Entry::of::<session::Record>(),
    Entry::of::<session::Hold>(),
    Entry::of::<session::Show>(),
    Entry::of::<session::Search>(),
    Entry::of::<session::Render>(),
];
