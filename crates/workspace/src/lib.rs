//! Repositories with their index builds, and sets of them that are searched as one.
//!
//! What comes in: a folder of a repository, or the configuration of a workspace. What goes out: immutable builds under a
//! repository's cache with one pointer that names the current one; a manifest that says which index of which repository
//! stands where; and lists of indexes for `ai-assist-search`.
//!
//! The way through the room: [`layout`] says what lies where and nothing else does. [`config`] reads the workspace file,
//! [`edit`] changes it, [`root`] finds where a repository begins and [`repo_config`] what it says itself.
//!
//! This room must not know the terminal or the environment.

mod complaints;
pub mod config;
mod disk;
pub mod edit;
pub mod layout;
pub mod repo_config;
pub mod root;
mod strict_json;

pub use complaints::{ConfigError, ConfigErrors};
