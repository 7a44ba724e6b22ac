//! The verbs: one function for each thing that a person or an agent can do.
//!
//! What comes in: a [`Machine`] (the user's settings, credentials and folders, as plain values) and a folder, from which a
//! [`Project`] is opened, and for each verb a plain struct of arguments. What goes out: plain answers, and an [`Error`] with a
//! typed cause.
//!
//! This crate must not know terminals, protocols or the environment: it prints nothing, and its messages name neither commands
//! nor tools. The surfaces (`cli`, `mcp`) parse, call and render; a hint that names a command belongs to them.

mod add;
mod agents;
mod changes;
mod clean;
mod collections;
mod consent;
mod contents;
mod context;
mod deleted;
mod doctor;
mod documents;
mod edit;
mod error;
mod index;
mod inventory;
mod library;
mod locks;
mod lookup;
mod machine;
mod memory;
mod packs;
mod place;
mod project;
mod refresh;
mod repo;
mod search;
mod sessions;
mod site;
mod source;
mod spelling;
mod transcripts;
mod workspace;

pub use add::{AddSource, Added, AddedAs, found_spec};
pub use agents::{AgentSource, NotForAgents};
pub use changes::{ChangedDefinition, ChangedFile, ChangedVersion, Changes, FileStatus, SessionActivity, Since};
pub use clean::{CleanOptions, Cleaned, DeadCollection};
pub use collections::{CollectionSync, SyncWanted};
pub use consent::Refused;
pub use contents::FolderContents;
pub use context::{Context, FileOutline, LOOKED_AT, Used};
pub use documents::Document;
pub use edit::Target;
pub use error::{Error, Result};
pub use index::DrawnMap;
pub use inventory::{DiskUse, Entry, EntryKind, EntryState};
pub use library::OpenLibrary;
pub use locks::Locks;
pub use lookup::{FoundLine, FoundLines, Within};
pub use machine::{CredentialInputs, Environment, Machine};
pub use memory::{Brief, Evidence, FileMemory, Memory, Statement, Together, evidence};
pub use packs::{Chosen, PackFiles};
pub use place::{Part, PlaceRef, ReadPlace};
pub use project::{Configuration, Project};
pub use repo::Repo;
pub use search::{FileKind, Scope, Search};
pub use sessions::Reach;
pub use site::is_site_url;
pub use source::{Source, file_url, glob_of, has_range, is_package};
pub use transcripts::{ImportAll, ImportedAll, ImportedFile, TakeIn, TakenIn, branch_of};
pub use workspace::BuiltMember;
