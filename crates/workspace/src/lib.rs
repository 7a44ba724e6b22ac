//! Repositories with their index builds, and sets of them that are searched as one.
//!
//! What comes in: a folder of a repository, or the configuration of a workspace. What goes out: immutable builds under a
//! repository's cache with one pointer that names the current one; a manifest that says which index of which repository
//! stands where; and answers to questions over any number of them.
//!
//! The way through the room: [`layout`] says what lies where and nothing else does. [`build`] makes a build and [`promote`]
//! makes it current; [`repo_index`] opens what is current, [`status`] compares it with the files, [`watch`] builds again when
//! they change, and [`gc`] takes away what nobody uses, [`prune`] of all repositories. [`scan`] finds the lines of a build that
//! match a pattern; [`lookup`] does so, and finds definitions, in several repositories; [`map`] tells a newcomer what a repository turns on.
//!
//! [`config`] reads the workspace file, [`edit`] changes it, [`root`] finds where a repository begins and [`repo_config`] what
//! it says itself. [`pointer`] reads which build is current and [`signature`] what an index's files are; [`manifest`] puts it
//! all together. [`build_all`] builds several repositories. [`selection`] and [`cohort`] say which indexes are searched,
//! [`federate`] searches them as one, and [`query_cache`] keeps what was answered.
//!
//! This room must not know the terminal or the environment.

pub mod build;
pub mod build_all;
pub mod cohort;
pub mod config;
mod config_error;
pub mod edit;
pub mod federate;
pub mod gc;
pub mod layout;
pub mod local_repo;
pub mod lookup;
pub mod manifest;
pub mod map;
pub mod modes;
pub mod one_file;
mod own_cache;
pub mod pointer;
pub mod promote;
pub mod prune;
pub mod query_cache;
pub mod repo_config;
pub mod repo_index;
pub mod root;
pub mod scan;
mod schema;
pub mod selection;
pub mod signature;
pub mod state;
pub mod status;
#[cfg(test)]
mod test_workspace;
mod text_id;
mod uses;
mod warning;
pub mod watch;

pub use config_error::ConfigError;
pub use schema::{SchemaFile, schemas};
pub use text_id::BadId;
pub use uses::Used;
pub use warning::{Warning, WarningCode};
