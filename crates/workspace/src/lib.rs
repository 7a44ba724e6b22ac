//! Repositories with their index builds, and sets of them that are searched as one.
//!
//! What comes in: a folder of a repository, or the configuration of a workspace. What goes out: immutable builds under a
//! repository's cache with one pointer that names the current one; a manifest that says which index of which repository
//! stands where; and lists of indexes for `ai-assist-search`.
//!
//! The way through the room: [`layout`] says what lies where and nothing else does. [`build`] makes a build and [`promote`]
//! makes it current; [`repo_index`] opens what is current, [`status`] compares it with the files, [`watch`] builds again when
//! they change, and [`gc`] takes away what nobody uses.
//!
//! This room must not know the terminal or the environment.

pub mod build;
pub mod gc;
pub mod layout;
pub mod modes;
pub mod promote;
pub mod repo_index;
pub mod state;
pub mod status;
pub mod watch;
