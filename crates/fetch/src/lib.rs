//! Getting packages to this machine: over HTTPS, out of archives, out of git repositories, or from a folder.
//!
//! This room must not know the database: it hands out bytes and folders, and is told what is known already.

mod limits;

pub use limits::Limits;
