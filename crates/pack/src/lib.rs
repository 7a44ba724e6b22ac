//! What is sent to a model: a project's files as one pack, with an account of what left and what did not.
//!
//! What comes in: a [`Selection`](ai_assist_admit::Selection) and limits. What goes out: a [`Snapshot`] of the folder,
//! a [`ContextPack`](types::ContextPack) made from it that keeps every limit exactly, its text in one of four
//! [`Format`]s, and a [`TransparencyRecord`] of it.
//!
//! The way through the room: [`scan`] walks and reads through the door (`ai-assist-admit`); `key_files` says which files
//! matter most; [`select`] chooses between full and summary; [`FullPackBuilder`] chooses what fits and `truncate` cuts
//! it; `format` writes it; `receipt` keeps the account. What is known of the project beyond its files comes from the
//! caller as a [`ManifestInput`].
//!
//! This room must not know the network, the terminal or the environment, and it opens no file: only the door does.

mod categories;
mod error;
mod format;
mod full;
mod history;
mod html;
mod key_files;
mod ledger;
mod manifest;
mod order;
mod receipt;
mod select;
mod snapshot;
mod summary;
mod survey;
mod tokens;
mod tree;
mod truncate;
pub mod types;
mod yaml;

pub use error::PackError;
pub use format::{Format, Rendered, deserialize, render, split};
pub use full::{FullPackBuilder, Room};
pub use history::History;
pub use html::{Page, PageFile, PageState, html};
pub use key_files::{KeyFileDetector, KeyPick};
pub use ledger::{Ledger, LedgerError, Records, Verified};
pub use manifest::ManifestInput;
pub use order::default_rank;
pub use receipt::{
    ChainError, ContextPackInfo, ExclusionCounts, Sending, SentFile, TransparencyRecord, record, verify_chain,
};
pub use select::{PackSelector, Selected};
pub use snapshot::{ScanOptions, Snapshot, scan, whole_tree};
pub use summary::SummaryPackBuilder;
pub use survey::{Survey, manifest_of};
pub use tokens::TokenCounter;
pub use truncate::{Cut, truncate, truncate_to};
