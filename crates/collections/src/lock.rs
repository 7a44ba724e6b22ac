//! `context.lock`: what exactly was indexed of each package, so that another machine, or another day, gets the same.
//!
//! A lock names packages only. What a `file` collection holds is in the project beside it, and changes with every edit.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ai_assist_fetch::site::SiteRecord;
use ai_assist_identity::{CollectionKind, DocPath, Sha256};
use ai_assist_store::{DocumentHead, PackageRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::files::{edit_lock, replace};
use crate::merge::{Conflict, MergedPackage};
use crate::sync::plan::Wanted;
use crate::{CollectionSpec, Error, Library, Member, Resolved, Result};

/// The version of the format.
const VERSION: u32 = 1;

/// A lock larger than this is not read.
const MAX_BYTES: u64 = 256 << 20;

/// What a lock file holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "ai-assist lock file")]
pub struct Lock {
    /// The version of the format.
    pub version: u32,
    /// The packages of the project, by their names in its configuration.
    pub collections: BTreeMap<String, LockedCollection>,
}

/// What was indexed of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LockedCollection {
    /// Where it is: absolute, except for a relative `file:` URL, which stays as the configuration has it.
    pub url: String,
    /// The name the package gives itself.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The commit of a git source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The hash of the bytes of its manifest or bundle. A git source that goes by globs has neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub manifest_hash: Option<Sha256>,
    /// Its documents: path → hash and size of the file.
    #[schemars(with = "BTreeMap<String, LockedFile>")]
    pub files: BTreeMap<DocPath, LockedFile>,
}

/// A file of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LockedFile {
    /// Of its bytes.
    #[schemars(with = "String")]
    pub hash: Sha256,
    /// In bytes.
    pub size: u64,
    /// Where the page of a website is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Where its bytes are, if elsewhere: at the URL of its Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// What a lock file turns out to be.
enum Read {
    Whole(Lock),
    Merge(Conflict),
}

impl Lock {
    /// The lock file that belongs to a configuration: `context.lock` beside `context.json`.
    pub fn path_of(configuration: &Path) -> PathBuf {
        configuration.with_extension("lock")
    }

    /// Reads a lock; one that is not there is empty. One that a merge has left both sides in is an error that names what differs.
    pub fn load(file: &Path) -> Result<Lock> {
        match Self::read(file)? {
            Read::Whole(lock) => Ok(lock),
            Read::Merge(conflict) => Err(Error::LockConflict { path: file.to_owned(), names: conflict.names() }),
        }
    }

    /// Reads a lock, and if a merge has left both sides in it, takes for each package the one that `admits` admits; the newer
    /// version if it admits both. The file is written whole again, unless `write` says no.
    pub fn load_settled(
        file: &Path,
        admits: &dyn Fn(&str, &LockedCollection) -> bool,
        write: bool,
    ) -> Result<(Lock, Vec<MergedPackage>)> {
        if let Read::Whole(lock) = Self::read(file)? {
            return Ok((lock, Vec::new()));
        }
        let _lock = edit_lock(file)?;
        // Another process may have been first.
        let (lock, settled) = match Self::read(file)? {
            Read::Whole(lock) => return Ok((lock, Vec::new())),
            Read::Merge(conflict) => conflict.settle(admits),
        };
        if write {
            replace(file, &lock.text())?;
        }
        Ok((lock, settled))
    }

    fn read(file: &Path) -> Result<Read> {
        let bytes = match crate::package::read_capped(file, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Read::Whole(Lock { version: VERSION, ..Lock::default() }));
            }
            Err(error) => return Err(error),
        };
        let bad = |reason: String| Error::BadLock { path: file.to_owned(), reason };
        let known = |lock: &Lock| match lock.version {
            VERSION => Ok(()),
            other => Err(bad(format!("it has the format {other}, and this version reads {VERSION}"))),
        };
        if let Some(conflict) = std::str::from_utf8(&bytes).ok().and_then(Conflict::read) {
            let conflict = conflict.map_err(bad)?;
            known(&conflict.ours)?;
            known(&conflict.theirs)?;
            return Ok(Read::Merge(conflict));
        }
        let lock: Lock = serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
        known(&lock)?;
        Ok(Read::Whole(lock))
    }

    /// Writes some collections into a lock and takes out those that the configuration has no longer. Says whether the file
    /// changed. Nothing is written if there is nothing to lock.
    pub fn update(
        file: &Path,
        fresh: BTreeMap<String, LockedCollection>,
        declared: &dyn Fn(&str) -> bool,
    ) -> Result<bool> {
        let _lock = edit_lock(file)?;
        let before = Lock::load(file)?;
        let mut after = before.clone();
        after.collections.retain(|name, _| declared(name));
        after.collections.extend(fresh);
        if after == before {
            return Ok(false);
        }
        replace(file, &after.text())?;
        Ok(true)
    }

    /// The text of the file: a line for each document, so that a change of one is a change of one line.
    pub(crate) fn text(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let mut text = format!("{{\n  \"version\": {},\n  \"collections\": {{", self.version);
        for (number, (name, locked)) in self.collections.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            // Writing to a string can't fail.
            let _ = write!(text, "{comma}\n    {}: {{\n      \"url\": {},", quoted(name), quoted(&locked.url));
            let _ = write!(text, "\n      \"package\": {},", quoted(&locked.package));
            let _ = write!(text, "\n      \"version\": {},", quoted(&locked.version));
            if let Some(commit) = &locked.commit {
                let _ = write!(text, "\n      \"commit\": {},", quoted(commit));
            }
            if let Some(hash) = &locked.manifest_hash {
                let _ = write!(text, "\n      \"manifestHash\": \"{hash}\",");
            }
            text.push_str("\n      \"files\": {");
            for (number, (path, file)) in locked.files.iter().enumerate() {
                let comma = if number > 0 { "," } else { "" };
                let path = quoted(path.as_str());
                let place = |key: &str, url: &Option<String>| match url {
                    Some(url) => format!(", \"{key}\": {}", quoted(url)),
                    None => String::new(),
                };
                let places = format!("{}{}", place("url", &file.url), place("from", &file.from));
                let _ = write!(
                    text,
                    "{comma}\n        {path}: {{ \"hash\": \"{}\", \"size\": {}{places} }}",
                    file.hash, file.size
                );
            }
            text.push_str(if locked.files.is_empty() { "}\n    }" } else { "\n      }\n    }" });
        }
        text.push_str(if self.collections.is_empty() { "}\n}\n" } else { "\n  }\n}\n" });
        text
    }
}

impl LockedCollection {
    /// Whether a configuration's declaration allows what is locked: the same source, and the hash that it may ask for.
    pub fn is_admitted_by(&self, member: &Member) -> bool {
        let hash = member.spec.hash().ok().flatten();
        self.check_source(member).is_ok() && (hash.is_none() || hash == self.manifest_hash)
    }

    /// Whether a lock is about the source that the configuration names.
    pub(crate) fn check_source(&self, member: &Member) -> Result<()> {
        match url_of(member) {
            Some(url) if url == self.url => Ok(()),
            found => Err(Error::LockChanged {
                name: member.name.clone(),
                what: format!(
                    "the lock is for {}, and the configuration names {}",
                    self.url,
                    found.unwrap_or_default()
                ),
            }),
        }
    }

    /// Whether a package is the one that was locked.
    pub(crate) fn check_package(&self, name: &str, found: &PackageRecord) -> Result<()> {
        let changed = |what: String| Err(Error::LockChanged { name: name.to_owned(), what });
        match (&self.commit, &found.revision) {
            (Some(locked), Some(found)) if locked != found => {
                return changed(format!("the commit is {found}, and the lock has {locked}"));
            }
            _ => {}
        }
        match (self.manifest_hash, found.hash) {
            (locked, found) if locked == found => Ok(()),
            _ => changed(format!("its manifest or bundle has changed (version {} → {})", self.version, found.version)),
        }
    }

    /// Whether the files that a package names can be those that were locked.
    pub(crate) fn check_files(&self, name: &str, wanted: &[Wanted<'_>]) -> Result<()> {
        let changed = |what: String| Err(Error::LockChanged { name: name.to_owned(), what });
        for file in wanted {
            let locked = self.files.get(file.path).map(|locked| locked.hash);
            if locked.is_some() && file.expected.is_some() && locked != file.expected {
                return changed(format!("`{}` has changed", file.path));
            }
        }
        let missing = self.files.keys().find(|path| wanted.binary_search_by(|file| file.path.cmp(path)).is_err());
        match missing {
            Some(path) => changed(format!("`{path}` is gone")),
            None => Ok(()),
        }
    }
}

/// How a collection differs from a lock.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Drift {
    /// In the lock and not indexed.
    pub missing: Vec<DocPath>,
    pub changed: Vec<DocPath>,
    /// Indexed and not in the lock.
    pub extra: Vec<DocPath>,
}

impl Drift {
    /// Compares a lock with what is indexed.
    pub(crate) fn between(locked: &LockedCollection, heads: &[DocumentHead]) -> Option<Drift> {
        let mut drift = Drift::default();
        let mut seen = 0;
        for head in heads {
            match locked.files.get(&head.path) {
                None => drift.extra.push(head.path.clone()),
                Some(file) => {
                    seen += 1;
                    if file.hash != head.hash {
                        drift.changed.push(head.path.clone());
                    }
                }
            }
        }
        if seen < locked.files.len() {
            let is_missing = |path: &&DocPath| heads.binary_search_by(|head| head.path.cmp(path)).is_err();
            drift.missing = locked.files.keys().filter(is_missing).cloned().collect();
        }
        (drift != Drift::default()).then_some(drift)
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for (paths, what) in [
            (&self.changed, "differs from the lock"),
            (&self.missing, "is not indexed"),
            (&self.extra, "is not in the lock"),
        ] {
            if let Some(first) = paths.first() {
                let more = if paths.len() > 1 { format!(" and {} more", paths.len() - 1) } else { String::new() };
                write!(f, "{between}`{first}`{more} {what}")?;
                between = ", ";
            }
        }
        Ok(())
    }
}

/// The URL of a package as a lock has it.
pub(crate) fn url_of(member: &Member) -> Option<String> {
    if let Resolved::Site { scope, .. } = &member.resolved {
        return Some(scope.start().to_string());
    }
    let (Resolved::Pkg { url, .. }, CollectionSpec::Pkg { url: written, .. }) = (&member.resolved, &member.spec) else {
        return None;
    };
    let is_relative = url.file_path().is_some() && !written.contains(":///");
    Some(if is_relative { written.clone() } else { url.as_str().to_owned() })
}

impl Library {
    /// What a lock should say of a collection: what is indexed of it now. Nothing for one that is no package, or was never synced.
    pub fn locked(&self, member: &Member) -> Result<Option<LockedCollection>> {
        let id = self.read_by(member)?;
        let (Some(url), Some(package)) = (url_of(member), self.store().package(&id)?) else { return Ok(None) };
        let documents = self.store().list_documents(&id)?;
        let pages = match member.spec.kind() {
            CollectionKind::Site => SiteRecord::parse(&package.manifest).map(|record| record.documents()),
            CollectionKind::File | CollectionKind::Pkg | CollectionKind::Dep => None,
        };
        let files = documents
            .into_iter()
            .map(|document| {
                let page = pages.as_ref().and_then(|pages| pages.get(&document.path)).cloned();
                let (url, from) = page.map(|page| (page.url, page.from)).unzip();
                (
                    document.path,
                    LockedFile { hash: document.hash, size: document.source_size, url, from: from.flatten() },
                )
            })
            .collect();
        Ok(Some(LockedCollection {
            url,
            package: package.name,
            version: package.version,
            commit: package.revision,
            manifest_hash: package.hash,
            files,
        }))
    }

    /// How what is indexed of a collection differs from a lock; nothing if it does not.
    pub fn verify(&self, member: &Member, locked: &LockedCollection) -> Result<Option<Drift>> {
        locked.check_source(member)?;
        let mut drift = self.drift(member.resolved.id(), locked)?;
        for document in self.store().list_documents(member.resolved.id())? {
            let expected = locked.files.get(&document.path).filter(|file| file.hash == document.hash);
            if expected.is_some_and(|file| file.size != document.source_size) {
                drift.get_or_insert_default().changed.push(document.path);
            }
        }
        Ok(drift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locked(files: &[(&str, &str)]) -> LockedCollection {
        let file = |text: &str| {
            let hash = Sha256::of(text.as_bytes());
            LockedFile { hash, size: text.len() as u64, url: None, from: None }
        };
        LockedCollection {
            url: "https://example.com/\"a\"/manifest.json".into(),
            package: "p".into(),
            version: "1".into(),
            commit: None,
            manifest_hash: Some(Sha256::of(b"m")),
            files: files.iter().map(|(path, text)| (DocPath::parse(path).unwrap(), file(text))).collect(),
        }
    }

    #[test]
    fn a_lock_is_read_as_it_was_written_and_written_only_when_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("context.lock");
        assert!(!Lock::update(&file, BTreeMap::new(), &|_| true).unwrap());
        assert!(!file.exists(), "nothing to lock, no lock");
        let fresh: BTreeMap<String, LockedCollection> = [
            ("a".to_owned(), locked(&[("x.md", "1"), ("odd \"name\" \u{e9}.md", "22")])),
            ("empty".to_owned(), LockedCollection { commit: Some("0a".into()), manifest_hash: None, ..locked(&[]) }),
        ]
        .into();
        assert!(Lock::update(&file, fresh.clone(), &|_| true).unwrap());
        assert!(!Lock::update(&file, fresh.clone(), &|_| true).unwrap());
        assert_eq!(Lock::load(&file).unwrap().collections, fresh);
        assert!(Lock::update(&file, BTreeMap::new(), &|name| name == "a").unwrap());
        assert_eq!(Lock::load(&file).unwrap().collections.keys().collect::<Vec<_>>(), ["a"]);
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text.lines().filter(|line| line.contains("\"size\"")).count(), 2, "{text}");
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }

    #[test]
    fn a_broken_lock_is_named_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("context.lock");
        for (text, part) in [("{", "EOF"), ("{\"version\": 9, \"collections\": {}}", "format 9")] {
            std::fs::write(&file, text).unwrap();
            let error = Lock::update(&file, BTreeMap::new(), &|_| true).unwrap_err();
            assert!(error.to_string().contains("context.lock") && error.to_string().contains(part), "{error}");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        }
    }

    #[test]
    fn drift_says_what_differs() {
        let head = |path: &str, text: &str| DocumentHead {
            id: ai_assist_store::DocumentId(1),
            path: DocPath::parse(path).unwrap(),
            hash: Sha256::of(text.as_bytes()),
            stamp: None,
            seq: ai_assist_store::Seq(1),
            converter: None,
        };
        let lock = locked(&[("a.md", "1"), ("b.md", "2")]);
        assert_eq!(Drift::between(&lock, &[head("a.md", "1"), head("b.md", "2")]), None);
        let drift = Drift::between(&lock, &[head("a.md", "x"), head("c.md", "3")]).unwrap();
        assert_eq!(drift.to_string(), "`a.md` differs from the lock, `b.md` is not indexed, `c.md` is not in the lock");
    }
}
