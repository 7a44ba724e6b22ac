//! Getting packages and websites to this machine: over HTTPS, out of archives, out of git repositories, or from a folder.
//!
//! What comes in: URLs, and what is known already of what lies there. What goes out: manifests checked rule by rule
//! ([`Declared`]), bytes, and folders of unpacked files. Everything that comes from outside is hostile until checked: names, sizes,
//! links, redirects, hashes.
//!
//! This room must not know the database, nor what is done with the documents.

mod bundle;
mod credentials;
mod declared;
mod extract;
mod git;
mod limits;
mod manifest;
mod netrc;
pub mod site;
mod staging;
mod transport;

pub use bundle::{BundleError, BundleKind, BundleWriter, unpack, unpack_heap};
pub use credentials::{Credential, CredentialError, Credentials, Secret};
pub use declared::{Base, Contents, Declared, DeclaredVectors, Entry, Location};
pub use extract::{ExtractError, Unpacked};
pub use git::{BadCommit, CheckedOut, Commit, GitError, GitOptions, GitSource};
pub use limits::Limits;
pub use manifest::{FileEntry, FileEntryObject, MANIFEST_FILE, Manifest, Sources, VectorsEntry};
pub use staging::Staging;
pub use transport::{
    Answer, Body, Client, ClientOptions, CredentialsUse, Downloaded, Manner, NamedBy, Pace, Proxies, Request,
    RequestQueue, TransportError, Validators, Wait, leads_inside, shown,
};
