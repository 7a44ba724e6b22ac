//! Sets of repositories that are searched as one.
//!
//! What comes in: the configuration of a workspace. What goes out: a manifest that says which index of which repository
//! stands where, and answers to questions over any number of them.
//!
//! [`config`] reads the workspace file and [`edit`] changes it; [`manifest`] says which build of each repository holds which
//! index. [`build_all`] builds several repositories. [`selection`] and [`cohort`] say which indexes are searched, [`federate`]
//! searches them as one, and [`query_cache`] keeps what was answered. [`in_use`] says which builds manifests name.
//!
//! This crate must not know the terminal or the environment. What one repository holds is `ai-assist-repo`'s.

pub mod build_all;
pub mod cohort;
pub mod config;
pub mod edit;
pub mod federate;
pub mod in_use;
pub mod manifest;
pub mod query_cache;
mod schema;
pub mod selection;
#[cfg(test)]
mod test_workspace;
mod warning;

pub use schema::schemas;
pub use warning::{Warning, WarningCode};
