//! Names that stay the same: the identity of content, files, packages and repositories.
//!
//! What comes in: bytes to hash, values to write as stable JSON, paths and URLs as people and systems spell them. What
//! goes out: the one normal form of each, as a type of its own, so that a hash can't be taken for an id nor a raw path
//! for a resolved one. Every id that is stored or shown elsewhere in the program is made here.
//!
//! This room must not know files, the network or the environment: it looks at spellings only. Where an id depends on
//! the disk (symbolic links, the git top level) the caller has asked the disk before.

mod collection;
mod digest;
mod doc_path;
mod escape;
pub mod jcs;
pub mod object;
mod package_url;
mod path;
pub mod percent;
mod repo;
mod serde_text;
mod validators;

pub use collection::{BadCollectionId, CollectionId, CollectionKind};
pub use digest::{BadDigest, ContentHash, Sha1, Sha256, Sha256Builder};
pub use doc_path::DocPath;
pub use jcs::JcsError;
pub use package_url::{PackageUrl, UrlError, UrlScheme, shown_url};
pub use path::{CanonicalPath, PathError};
pub use repo::{BadRepoId, RepoId, RepoSetId};
pub use validators::Validators;
