//! One repository and its index builds.
//!
//! What comes in: a folder of a repository. What goes out: immutable builds under the repository's cache, one pointer that
//! names the current one, and what its indexes, its definitions and its files say.
//!
//! [`layout`] says what lies where and nothing else does. [`root`] finds where a repository begins and [`repo_config`] what it
//! says itself. [`build`] makes a build and [`promote`] makes it current; [`mod@pointer`] reads which one is and [`signature`] what
//! an index's files are. [`repo_index`] opens what is current, [`status`] compares it with the files, [`watch`] builds again
//! when they change, [`gc`] takes away what nobody uses, and [`prune`] does that for all repositories. [`scan`] finds the
//! lines of a build that match a pattern; [`lookup`] does so, and finds definitions, in several repositories; [`map`] tells a
//! newcomer what a repository turns on.
//!
//! This crate must not know the terminal, the environment, or workspaces.

pub mod build;
pub mod config_error;
pub mod gc;
pub mod layout;
pub mod local_repo;
pub mod lookup;
pub mod map;
pub mod modes;
pub mod one_file;
mod own_cache;
pub mod pointer;
pub mod promote;
pub mod prune;
pub mod repo_config;
pub mod repo_index;
pub mod root;
pub mod scan;
pub mod signature;
pub mod state;
pub mod status;
mod sums;
mod symbols;
mod text_id;
mod uses;
pub mod watch;

pub use config_error::ConfigError;
pub use text_id::BadId;
