//! Getting packages to this machine: over HTTPS, out of archives, out of git repositories, or from a folder.
//!
//! What comes in: URLs, and what is known already of what lies there. What goes out: manifests checked rule by rule
//! ([`Declared`]), bytes, and folders of unpacked files. Everything that comes from outside is hostile until checked: names, sizes,
//! links, redirects, hashes.
//!
//! This room must not know the database, nor what is done with the documents.

mod declared;
pub mod json;
mod limits;
mod manifest;

pub use declared::{Base, Contents, Declared, DeclaredVectors, Entry, Location};
pub use limits::Limits;
pub use manifest::{FileEntry, FileEntryObject, MANIFEST_FILE, Manifest, Sources, VectorsEntry};
