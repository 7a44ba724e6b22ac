//! The tools, a file for each group.

mod categories;
mod changes;
mod collections;
mod common;
mod content;
mod context;
mod documents;
mod explain;
mod grep;
mod index;
mod map;
mod memory;
mod packs;
mod places;
mod read;
mod related;
mod relay;
mod search;
mod session;
mod sources;
mod symbol;

pub(crate) use documents::{Listed, address, documents};
pub(crate) use places::Places;
pub(crate) use read::{DocumentState, document_state, read_document};
pub(crate) use relay::{RELAY, no_tool, relayed};

use crate::tool::{Effect, Entry, Group};

/// Every tool, in the order in which clients see them.
pub(crate) static TABLE: [Entry; 40] = [
    Entry::of::<search::SearchArgs>("Search documents and code", Effect::Reads, Group::Default),
    Entry::of::<read::ReadArgs>("Read", Effect::Reads, Group::Default),
    Entry::of::<read::OutlineArgs>("Outline of a document", Effect::Reads, Group::Default),
    Entry::of::<grep::GrepArgs>("Find lines by a pattern", Effect::Reads, Group::Default),
    Entry::of::<map::MapArgs>("Map of the code", Effect::Reads, Group::Default),
    Entry::of::<context::ContextArgs>("Gather context", Effect::Reads, Group::Default),
    Entry::of::<changes::ChangesArgs>("What changed", Effect::Reads, Group::Default),
    Entry::of::<memory::MemoryArgs>("What agents did before", Effect::Reads, Group::Default),
    Entry::of::<collections::ListArgs>("List collections", Effect::Reads, Group::Default),
    Entry::of::<collections::AddArgs>("Add a collection", Effect::Adds, Group::Default),
    Entry::of::<categories::AddArgs>("Add a category", Effect::Adds, Group::Default),
    Entry::of::<index::SyncArgs>("Sync collections", Effect::Indexes, Group::Default),
    Entry::of::<index::BuildArgs>("Index the repository", Effect::Indexes, Group::Default),
    Entry::of::<relay::ToolsArgs>("More tools", Effect::Calls, Group::Default),
    Entry::of::<symbol::SymbolArgs>("Find a definition", Effect::Reads, Group::Read),
    Entry::of::<documents::ListArgs>("List documents", Effect::Reads, Group::Read),
    Entry::of::<content::ContentArgs>("Read several documents", Effect::Reads, Group::Read),
    Entry::of::<related::RelatedArgs>("Find related documents", Effect::Reads, Group::Read),
    Entry::of::<packs::PackArgs>("Pack the project", Effect::Reads, Group::Read),
    Entry::of::<explain::ExplainArgs>("Explain a path", Effect::Reads, Group::Read),
    Entry::of::<collections::NameArgs>("Remove a collection", Effect::Changes, Group::Manage),
    Entry::of::<collections::ChangeArgs>("Change a collection", Effect::Changes, Group::Manage),
    Entry::of::<collections::UpdateArgs>("Update a collection", Effect::Changes, Group::Manage),
    Entry::of::<categories::ListArgs>("List categories", Effect::Reads, Group::Manage),
    Entry::of::<categories::NameArgs>("Remove a category", Effect::Changes, Group::Manage),
    Entry::of::<categories::ChangeArgs>("Change a category", Effect::Changes, Group::Manage),
    Entry::of::<categories::UpdateArgs>("Update a category", Effect::Changes, Group::Manage),
    Entry::of::<sources::AddArgs>("Add a source", Effect::Adds, Group::Sources),
    Entry::of::<sources::RegistryArgs>("Search registries", Effect::Reads, Group::Sources),
    Entry::of::<sources::SuggestArgs>("Suggest documentation", Effect::Reads, Group::Sources),
    Entry::of::<session::OpenArgs>("Open a session", Effect::Adds, Group::Session),
    Entry::of::<session::ListArgs>("List what a session knows", Effect::Reads, Group::Session),
    Entry::of::<session::ReadArgs>("Read files into a session", Effect::Adds, Group::Session),
    Entry::of::<session::RecordArgs>("Record a turn or a call", Effect::Adds, Group::Session),
    Entry::of::<session::HoldArgs>("Run the working set", Effect::Adds, Group::Session),
    Entry::of::<session::ShowArgs>("Show an object of the session", Effect::Reads, Group::Session),
    Entry::of::<session::SearchArgs>("Search the session", Effect::Reads, Group::Session),
    Entry::of::<session::RenderArgs>("Render the session", Effect::Reads, Group::Session),
    Entry::old::<read::DocumentArgs>("get_document", "read"),
    Entry::old::<map::MapArgs>("repo_map", "map"),
];
