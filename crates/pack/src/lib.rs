//! What is sent to a model: a project's files as one pack, with an account of what left and what did not.
//!
//! What comes in: a [`Selection`](ai_assist_admit::Selection) and limits. What goes out: a [`Snapshot`] of the folder,
//! a [`ContextPack`](types::ContextPack) made from it that keeps every limit exactly, its text in one of four
//! [`Format`]s, and a [`TransparencyRecord`] of it.
//!
//! The way through the room: [`scan`] walks and reads through the door (`ai-assist-admit`); `key_files` says which files
//! matter most; `select` chooses between full and summary; [`Survey`] reads the code, where that is of use;
//! [`FullPackBuilder`] chooses what fits and `truncate` cuts it, [`SummaryPackBuilder`] says what can be said without
//! the texts; `format` writes it; `receipt` keeps the account. How often files change is told by the caller: see
//! [`History`].
//!
//! This room must not know the network, the terminal or the environment, and it opens no file of a project: only the door
//! does. What it keeps itself are the records in the [`Ledger`].

mod categories;
mod check;
mod error;
mod format;
mod full;
mod html;
mod key_files;
mod ledger;
mod make;
mod manifest;
mod receipt;
mod select;
mod shares;
mod snapshot;
mod summary;
mod survey;
mod token_cache;
mod tokens;
mod tree;
mod truncate;
pub mod types;
mod yaml;

pub use categories::default_rank;
pub use check::check;
pub use error::PackError;
pub use format::{Format, Rendered, deserialize, render, render_to, split};
pub use full::{FullPackBuilder, Room};
pub use html::{Page, PageFile, PageState, html};
pub use key_files::{KeyFileDetector, KeyPick};
pub use ledger::{Ledger, LedgerError, Verified};
pub use make::{Choice, Made, PackRequest, Stage, Wanted, make};
pub use manifest::ManifestInput;
pub use receipt::{
    ChainError, ContextPackInfo, ExclusionCounts, Sending, SentAllowance, SentFile, TransparencyRecord, Written,
    record, verify_chain,
};
pub use select::{PackSelector, Selected};
pub use shares::{Share, folders, largest, page_files, shares};
pub use snapshot::{ScanOptions, Snapshot, scan, whole_tree};
pub use summary::SummaryPackBuilder;
pub use survey::{History, Survey, manifest_of};
pub use token_cache::{Caches, TokenCache};
pub use tokens::TokenCounter;
pub use truncate::{Cut, truncate, truncate_to};
pub use types::known_providers;
