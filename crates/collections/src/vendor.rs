//! The locked bytes of packages, kept in a folder of the project, so that a sync that is held to the lock needs nobody else.
//!
//! Files lie under their hashes, `sha256/ab/cdef…`, each once however many packages have it. What they are called is in
//! `context.lock` alone; `index.json` says for people what is there, and that the folder is ours. Nothing in the folder is trusted:
//! a file counts only if it has the hash and the size that the lock names, and no link is followed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ai_assist_admit::Outcome;
use ai_assist_base::{ReadError, read_plain, replace_file};
use ai_assist_fetch::{
    Contents, Declared, Entry, FileEntry, FileEntryObject, Limits, Location, Manifest, Sources, Staging,
};
use ai_assist_identity::{DocPath, Sha256};
use ai_assist_store::PackageRecord;
use serde::{Deserialize, Serialize};

use crate::package::{Package, Place, ReadFile, open_package, read_each};
use crate::sync::plan::{Input, Wanted};
use crate::sync::site::{LockedPages, limits_of};
use crate::{Error, LockedCollection, LockedFile, Member, Pin, Resolved, Result, Skipped, SyncEvent, SyncOptions};
use ai_assist_base::Cancel;

/// The folder beside `context.json` that a sync looks into.
pub const VENDOR_FOLDER: &str = "context-vendor";

const INDEX_FILE: &str = "index.json";
const BLOBS: &str = "sha256";
const VERSION: u32 = 1;
const MAX_INDEX_BYTES: u64 = 16 << 20;

/// Git must not change the ends of lines, which would change the hashes.
const ATTRIBUTES: &str = "* -text -diff linguist-vendored\n";
/// What is here is indexed as documents of packages, not as files of the project.
const IGNORE: &str = "*\n";

/// `index.json` of a vendor folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Index {
    version: u32,
    packages: BTreeMap<String, IndexEntry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct IndexEntry {
    url: String,
    package: String,
    version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    manifest_hash: Option<Sha256>,
    files: usize,
    bytes: u64,
}

/// A folder of vendored files.
#[derive(Debug, Clone)]
pub struct Vendor {
    folder: PathBuf,
}

/// How what a vendor folder has of a package compares with what is locked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VendoredPackage {
    pub name: String,
    /// How many files are locked.
    pub files: usize,
    pub bytes: u64,
    /// How many of them were put there now.
    pub written: usize,
    /// Those that are not there, or not as locked, each with the reason.
    pub missing: Vec<Skipped>,
}

impl VendoredPackage {
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty()
    }
}

impl Vendor {
    /// The vendor folder at a path; nothing if nothing is there.
    pub fn open(folder: &Path) -> Result<Option<Vendor>> {
        let vendor = Vendor { folder: folder.to_owned() };
        if !vendor.is_folder(folder)? {
            return Ok(None);
        }
        let file = folder.join(INDEX_FILE);
        let bytes = match read_plain(&file, MAX_INDEX_BYTES) {
            Ok(found) => found.bytes,
            Err(ReadError::Missing) => return Err(vendor.bad(&file, "is missing, so this is no vendor folder")),
            Err(error) => return Err(vendor.bad(&file, &error.to_string())),
        };
        let index: Index =
            serde_json::from_slice(&bytes).map_err(|error| vendor.bad(&file, &format!("can't be read: {error}")))?;
        if index.version != VERSION {
            let reason = format!("has the format {}, and this version reads {VERSION}", index.version);
            return Err(vendor.bad(&file, &reason));
        }
        Ok(Some(vendor))
    }

    /// The vendor folder at a path, which is made if it is not there. A folder with something else in it is refused.
    pub fn create(folder: &Path) -> Result<Vendor> {
        let vendor = Vendor { folder: folder.to_owned() };
        if vendor.is_folder(folder)? {
            let mut entries = std::fs::read_dir(folder).map_err(Error::io("reading", folder))?;
            if entries.next().is_some() {
                return Vendor::open(folder).map(|found| found.unwrap_or(vendor));
            }
        }
        std::fs::create_dir_all(folder).map_err(Error::io("creating", folder))?;
        vendor.write_index(&[])?;
        Ok(vendor)
    }

    /// Whether a path is a folder: no if nothing is there, an error if something else is, a link included.
    fn is_folder(&self, path: &Path) -> Result<bool> {
        match path.symlink_metadata() {
            Ok(found) if found.is_dir() => Ok(true),
            Ok(_) => Err(self.bad(path, "is not a folder")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Error::io("reading", path)(error)),
        }
    }

    fn bad(&self, path: &Path, reason: &str) -> Error {
        Error::Vendor { path: path.to_owned(), reason: reason.to_owned() }
    }

    fn place(&self, hash: Sha256) -> PathBuf {
        let hex = hash.hex();
        self.folder.join(BLOBS).join(&hex[..2]).join(&hex[2..])
    }

    /// The bytes of a locked file; nothing if they are not there.
    fn read(&self, file: &LockedFile) -> Result<Option<Vec<u8>>> {
        let place = self.place(file.hash);
        for above in [self.folder.join(BLOBS), place.parent().unwrap_or(&self.folder).to_owned()] {
            if !self.is_folder(&above)? {
                return Ok(None);
            }
        }
        match read_plain(&place, file.size) {
            Ok(found) if Sha256::of(&found.bytes) == file.hash => Ok(Some(found.bytes)),
            Ok(_) | Err(ReadError::TooLarge(_)) => Err(self.bad(&place, "has other bytes than its name says")),
            Err(ReadError::Missing) => Ok(None),
            Err(ReadError::NotAFile) => Err(self.bad(&place, "is not a regular file")),
            Err(error) => Err(Error::io("reading", &place)(error.into())),
        }
    }

    /// Puts bytes where their hash says, in the place of whatever is there.
    fn write(&self, hash: Sha256, bytes: &[u8]) -> Result<()> {
        let place = self.place(hash);
        let folder = place.parent().unwrap_or(&self.folder);
        for above in [&self.folder.join(BLOBS), folder] {
            self.is_folder(above)?;
        }
        std::fs::create_dir_all(folder).map_err(Error::io("creating", folder))?;
        replace_file(&place, bytes, 0o644).map_err(Error::io("writing", &place))
    }

    /// What is there of a package.
    pub fn check(&self, name: &str, locked: &LockedCollection) -> Result<VendoredPackage> {
        let mut found = self.counted(name, locked);
        for (path, file) in &locked.files {
            let reason = match self.read(file) {
                Ok(Some(_)) => continue,
                Ok(None) => "is not there".to_owned(),
                Err(Error::Vendor { reason, .. }) => reason,
                Err(error) => return Err(error),
            };
            found.missing.push(Skipped { path: path.as_str().to_owned(), reason });
        }
        Ok(found)
    }

    fn counted(&self, name: &str, locked: &LockedCollection) -> VendoredPackage {
        let bytes = locked.files.values().map(|file| file.size).sum();
        VendoredPackage { name: name.to_owned(), files: locked.files.len(), bytes, written: 0, missing: Vec::new() }
    }

    /// Fetches what is missing of a package. A file with secret values is put there only if `with_secrets` says so, because the bytes
    /// that were locked have them in clear.
    pub fn fetch(
        &self,
        member: &Member,
        locked: &LockedCollection,
        with_secrets: bool,
        (options, temporary): (&SyncOptions, &Path),
        progress: &mut dyn FnMut(SyncEvent<'_>),
        cancel: &Cancel,
    ) -> Result<VendoredPackage> {
        member.resolved.usable()?;
        locked.check_source(member)?;
        let options = &options.for_member(member);
        let mut vendored = self.check(&member.name, locked)?;
        if vendored.is_whole() {
            return Ok(vendored);
        }
        let missing: BTreeSet<String> = vendored.missing.drain(..).map(|file| file.path).collect();
        let mut left: BTreeMap<String, String> =
            missing.iter().map(|path| (path.clone(), "is not in the source any more".to_owned())).collect();
        let mut keep = |path: &DocPath, read: std::result::Result<ReadFile, String>| {
            let Some(file) = locked.files.get(path) else { return Ok(()) };
            let reason = match read.map(|read| (read.outcome, read.raw)) {
                Ok((_, Some(raw))) if Sha256::of(&raw) != file.hash => "has changed since it was locked".to_owned(),
                Ok((Outcome::Admitted(admitted), Some(raw))) if with_secrets || admitted.redacted() == 0 => {
                    self.write(file.hash, &raw)?;
                    vendored.written += 1;
                    left.remove(path.as_str());
                    return Ok(());
                }
                Ok((Outcome::Admitted(_), Some(_))) => "has secret values".to_owned(),
                Ok((Outcome::Excluded(exclusion), _)) => exclusion.reason.describe().to_owned(),
                Ok(_) => "is gone".to_owned(),
                Err(reason) => reason,
            };
            left.insert(path.as_str().to_owned(), reason);
            Ok(())
        };
        match &member.resolved {
            Resolved::Pkg { url, .. } => {
                let (revision, hash) = (locked.commit.as_deref(), member.spec.hash()?);
                let package = open_package(url, revision, hash, options, temporary, progress, cancel)?;
                locked.check_package(&member.name, &package.record)?;
                let gathered = package.gather(&options.limits, None, cancel)?;
                let pin = Pin { locked: locked.clone(), frozen: true };
                let mut wanted = gathered.wanted(&package, Some(&pin));
                wanted.retain(|file| missing.contains(file.path.as_str()));
                read_each(&wanted, &gathered.requests, options, cancel, &mut keep)?;
            }
            Resolved::Site { scope, .. } => {
                let pages = LockedPages::new(locked, scope, &limits_of(member, &options.site));
                let wanted = pages.paths.iter().enumerate().map(|(number, (path, hash))| Wanted {
                    path,
                    input: Input::Fetch(number),
                    expected: Some(*hash),
                    settled: true,
                });
                let wanted: Vec<_> = wanted.filter(|page| missing.contains(page.path.as_str())).collect();
                read_each(&wanted, &pages.requests, options, cancel, &mut keep)?;
            }
            Resolved::File { .. } | Resolved::Dep { .. } | Resolved::Broken { .. } => {}
        }
        vendored.missing = left.into_iter().map(|(path, reason)| Skipped { path, reason }).collect();
        Ok(vendored)
    }

    /// Writes what is there for people, and removes every file that no package has any more. Says how many.
    pub fn finish(&self, packages: &[(String, LockedCollection)]) -> Result<usize> {
        self.write_index(packages)?;
        let needed: BTreeSet<PathBuf> =
            packages.iter().flat_map(|(_, locked)| locked.files.values()).map(|file| self.place(file.hash)).collect();
        let stray = self.stray(&needed)?;
        for path in &stray {
            std::fs::remove_file(path).map_err(Error::io("removing", path))?;
            if let Some(above) = path.parent() {
                // Goes if it is empty now.
                let _ = std::fs::remove_dir(above);
            }
        }
        Ok(stray.len())
    }

    /// How many files are there that no package has.
    pub fn count_stray(&self, packages: &[(String, LockedCollection)]) -> Result<usize> {
        let needed: BTreeSet<PathBuf> =
            packages.iter().flat_map(|(_, locked)| locked.files.values()).map(|file| self.place(file.hash)).collect();
        Ok(self.stray(&needed)?.len())
    }

    fn stray(&self, needed: &BTreeSet<PathBuf>) -> Result<Vec<PathBuf>> {
        let mut stray = Vec::new();
        let blobs = self.folder.join(BLOBS);
        for folder in self.listed(&blobs)? {
            // A link among the folders is refused, not followed.
            for path in self.listed(&folder)? {
                let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
                if !needed.contains(&path) && !is_folder {
                    stray.push(path);
                }
            }
        }
        Ok(stray)
    }

    fn listed(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        if !self.is_folder(folder)? {
            return Ok(Vec::new());
        }
        let entries = std::fs::read_dir(folder).map_err(Error::io("reading", folder))?;
        let mut paths: Vec<PathBuf> = entries
            .map(|entry| entry.map(|entry| entry.path()).map_err(Error::io("reading", folder)))
            .collect::<Result<_>>()?;
        paths.sort();
        Ok(paths)
    }

    fn write_index(&self, packages: &[(String, LockedCollection)]) -> Result<()> {
        let entry = |(name, locked): &(String, LockedCollection)| {
            let entry = IndexEntry {
                url: locked.url.clone(),
                package: locked.package.clone(),
                version: locked.version.clone(),
                commit: locked.commit.clone(),
                manifest_hash: locked.manifest_hash,
                files: locked.files.len(),
                bytes: locked.files.values().map(|file| file.size).sum(),
            };
            (name.clone(), entry)
        };
        let index = Index { version: VERSION, packages: packages.iter().map(entry).collect() };
        // Plain data, whose keys are texts.
        let text = serde_json::to_string_pretty(&index).unwrap_or_default() + "\n";
        for (name, text) in [(INDEX_FILE, text.as_str()), (".gitattributes", ATTRIBUTES), (".ignore", IGNORE)] {
            let file = self.folder.join(name);
            replace_file(&file, text.as_bytes(), 0o644).map_err(Error::io("writing", &file))?;
        }
        Ok(())
    }

    /// A package made of vendored files alone, as it is locked; how many files are missing if not all are there.
    pub(crate) fn package(
        &self,
        locked: &LockedCollection,
        limits: &Limits,
        temporary: &Path,
    ) -> Result<std::result::Result<Package, usize>> {
        let total: u64 = locked.files.values().fold(0, |sum, file| sum.saturating_add(file.size));
        if locked.files.len() > limits.max_files || total > limits.max_total_bytes {
            return Err(self.bad(&self.folder, "would give more files or bytes than a package may have"));
        }
        std::fs::create_dir_all(temporary).map_err(Error::io("creating", temporary))?;
        let into = tempfile::tempfile_in(temporary).map_err(Error::io("creating", temporary))?;
        let mut missing = 0;
        let mut failed = None;
        let files = locked.files.iter().map_while(|(path, file)| match self.read(file) {
            Ok(Some(bytes)) => Some(Some((path.clone(), bytes))),
            Ok(None) => {
                missing += 1;
                Some(None)
            }
            Err(error) => {
                failed = Some(error);
                None
            }
        });
        let staging = Staging::of(into, files.flatten()).map_err(Error::io("writing", temporary))?;
        if let Some(error) = failed {
            return Err(error);
        }
        Ok(if missing > 0 { Err(missing) } else { Ok(as_locked(locked, staging)) })
    }
}

/// A package whose manifest is the lock.
fn as_locked(locked: &LockedCollection, staging: Staging) -> Package {
    let listed = |(path, file): (&DocPath, &LockedFile)| {
        let (path, hash) = (Some(path.as_str().to_owned()), Some(file.hash.to_string()));
        FileEntry::Object(FileEntryObject { path, url: None, hash })
    };
    let entry = |(path, file): (&DocPath, &LockedFile)| Entry {
        path: path.clone(),
        location: Location::Beside,
        hash: Some(file.hash),
    };
    let manifest = Manifest {
        name: locked.package.clone(),
        version: locked.version.clone(),
        description: None,
        base_url: None,
        dependency: None,
        sources: Sources::Files(locked.files.iter().map(listed).collect()),
        vectors: None,
        metadata: None,
    };
    let contents = Contents::Files(locked.files.iter().map(entry).collect());
    let record = PackageRecord {
        name: locked.package.clone(),
        version: locked.version.clone(),
        hash: locked.manifest_hash,
        revision: locked.commit.clone(),
        ..PackageRecord::default()
    };
    let declared = Declared { manifest, contents, folder: None, vectors: None, warnings: Vec::new() };
    Package { declared, record, place: Place::Staging(staging), too_large: Vec::new() }
}
