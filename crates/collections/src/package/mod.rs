//! Packages: looking at what is published, and at what of it is here already.

mod contents;
mod gather;
mod inspect;
mod look;
mod vectors;

use std::path::{Path, PathBuf};

use ai_assist_fetch::{Client, Declared, Staging};
use ai_assist_identity::{PackageUrl, Sha256};
use ai_assist_store::{PackageRecord, Validators};
use url::Url;

pub(crate) use contents::{ReadFile, open_package, read_each};
pub use inspect::{Inspected, InspectedFile, inspect_package};
pub use look::check_package_url;
pub(crate) use look::read_capped;
pub(crate) use vectors::PackageVectors;
pub(crate) use vectors::write_vectors;

use ai_assist_base::Cancel;

pub(crate) struct Ask<'a> {
    pub(crate) url: &'a PackageUrl,
    pub(crate) client: &'a Client,
    pub(crate) known: Option<&'a PackageRecord>,
    /// A commit that is wanted whatever the reference of a git source stands for now.
    pub(crate) revision: Option<&'a str>,
    /// What the bytes of its manifest or bundle must hash to.
    pub(crate) hash: Option<Sha256>,
    /// Where folders that are needed for this sync only are made.
    pub(crate) temporary: &'a Path,
    pub(crate) cancel: &'a Cancel,
}

#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub(crate) enum Looked {
    /// What is known, whole and unchanged. What the server calls it now, if it sent it again.
    Unchanged(Option<Validators>),
    /// A package to be compared, file by file.
    Found(Package),
}

pub(crate) struct Package {
    pub(crate) declared: Declared,
    pub(crate) record: PackageRecord,
    pub(crate) place: Place,
    /// Files that are larger than the limit and were not unpacked.
    pub(crate) too_large: Vec<String>,
}

impl Package {
    /// Whether its files follow from what is locked: a commit, or the bytes of an archive.
    pub(crate) fn cannot_change(&self) -> bool {
        matches!(self.place, Place::Temporary(..) | Place::Staging(_))
    }
}

/// Where the files are that a manifest names by path.
pub(crate) enum Place {
    /// In a folder of this machine. The second is the name of the manifest in it, which is not a document.
    Folder(PathBuf, Option<String>),
    /// In a folder that goes away with this value.
    Temporary(
        #[expect(dead_code, reason = "held, so that the folder stays")] tempfile::TempDir,
        PathBuf,
        Option<String>,
    ),
    /// In one file, which goes away with this value.
    Staging(Staging),
    /// On a server, where the manifest is at this URL.
    Remote(Url),
}
