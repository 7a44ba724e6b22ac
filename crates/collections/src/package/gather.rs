//! The files of an open package, sorted by path, each with the place of its bytes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use ai_assist_admit::{Limits, Walked, pick};
use ai_assist_fetch::{Base, Contents, Declared, Entry, Location, Manner, NamedBy, Request};
use ai_assist_identity::{DocPath, Sha256};
use ai_assist_store::PackageRecord;
use url::Url;

use super::{Package, Place};
use crate::Result;
use crate::sync::plan::{Input, Wanted, walk_source};
use crate::sync::{Pin, Skipped, skipped};
use ai_assist_base::Cancel;

#[derive(Default)]
pub(crate) struct Gathered {
    /// Looked for by globs, or picked by name: each folder with the paths that its files have as documents, where they differ.
    walks: Vec<(Walked, HashMap<DocPath, DocPath>)>,
    /// What to fetch, sorted by path.
    remote: Vec<(DocPath, Option<Sha256>)>,
    pub(crate) requests: Vec<Request>,
    /// In the staging of a bundle, sorted by path.
    packed: Vec<(DocPath, Option<Sha256>)>,
    /// Listed in a bundle that does not hold them, sorted by path.
    missing: Vec<DocPath>,
    /// Hashes of files that are not fetched.
    hashes: HashMap<DocPath, Sha256>,
    left: HashSet<DocPath>,
}

impl Package {
    /// Looks for the files of the package. `known` is what is remembered of it, for asking whether a file has changed.
    pub(crate) fn gather(&self, limits: &Limits, known: Option<&PackageRecord>, cancel: &Cancel) -> Result<Gathered> {
        let mut gathered = Gathered::default();
        let (root, manifest) = match &self.place {
            Place::Folder(root, manifest) | Place::Temporary(_, root, manifest) => (Some(root), manifest.as_deref()),
            Place::Staging(_) | Place::Remote(_) => (None, None),
        };
        match (&self.declared.contents, root) {
            (Contents::Globs(globs), Some(root)) => {
                gathered.left.extend(manifest.and_then(|name| DocPath::parse(name).ok()));
                gathered.left.extend(self.declared.vectors.as_ref().map(|vectors| vectors.entry.path.clone()));
                let walked =
                    walk_source(self.declared.folder.as_ref().unwrap_or(root), globs.clone(), *limits, cancel)?;
                gathered.walks.push((walked, HashMap::new()));
            }
            // A manifest on a server has no globs; its reader has seen to that.
            (Contents::Globs(_), None) => {}
            (Contents::Files(entries), root) => self.files(entries, root, limits, known, &mut gathered)?,
        }
        Ok(gathered)
    }

    fn files(
        &self,
        entries: &[Entry],
        root: Option<&PathBuf>,
        limits: &Limits,
        known: Option<&PackageRecord>,
        gathered: &mut Gathered,
    ) -> Result<()> {
        let mut folders: BTreeMap<&PathBuf, Vec<(DocPath, DocPath)>> = BTreeMap::new();
        let earlier = known.map(|known| self.earlier(known)).unwrap_or_default();
        for entry in entries {
            match (&entry.location, root) {
                (Location::Url(url), _) => {
                    let may_ask = entry.hash.is_none() && earlier.get(&entry.path) == Some(url);
                    let validators = known.filter(|_| may_ask).and_then(|known| {
                        let at = known.files.binary_search_by(|file| file.path.cmp(&entry.path)).ok()?;
                        Some(known.files[at].validators.clone())
                    });
                    let validators = validators.unwrap_or_default();
                    gathered.remote.push((entry.path.clone(), entry.hash));
                    gathered.requests.push(Request {
                        url: url.clone(),
                        validators,
                        named_by: self.named_by(),
                        manner: Manner::default(),
                    });
                }
                (Location::File { folder, name }, _) => {
                    folders.entry(folder).or_default().push((name.clone(), entry.path.clone()));
                    gathered.hashes.extend(entry.hash.map(|hash| (entry.path.clone(), hash)));
                }
                (Location::Beside, Some(root)) => {
                    folders.entry(root).or_default().push((entry.path.clone(), entry.path.clone()));
                    gathered.hashes.extend(entry.hash.map(|hash| (entry.path.clone(), hash)));
                }
                // What stands beside a manifest on a server has a URL, so this is a bundle.
                (Location::Beside, None) => {
                    let Place::Staging(staging) = &self.place else { continue };
                    if staging.contains(&entry.path) {
                        gathered.packed.push((entry.path.clone(), entry.hash));
                    } else if !self.too_large.iter().any(|large| large == entry.path.as_str()) {
                        gathered.missing.push(entry.path.clone());
                    }
                }
            }
        }
        for (folder, mut names) in folders {
            names.sort();
            let paths: Vec<DocPath> = names.iter().map(|(name, _)| name.clone()).collect();
            let walked = pick(folder, &paths, limits)?;
            gathered.walks.push((walked, names.into_iter().filter(|(name, path)| name != path).collect()));
        }
        Ok(())
    }

    /// Where the manifest that is known had its files. What a server calls a file says nothing about one at another URL.
    fn earlier(&self, known: &PackageRecord) -> HashMap<DocPath, Url> {
        let base = match &self.place {
            Place::Folder(..) => Base::Folder,
            Place::Temporary(..) => Base::Repository,
            Place::Staging(_) => Base::Bundle,
            Place::Remote(url) => Base::Remote(url.clone()),
        };
        let contents = Declared::read("", &known.manifest, &base, usize::MAX).map(|declared| declared.contents);
        let Ok(Contents::Files(entries)) = contents else { return HashMap::new() };
        let located = entries.into_iter().filter_map(|entry| match entry.location {
            Location::Url(url) => Some((entry.path, url)),
            Location::Beside | Location::File { .. } => None,
        });
        located.collect()
    }

    /// A manifest that lies on this machine was put there by its user.
    fn named_by(&self) -> NamedBy {
        match self.place {
            Place::Folder(..) => NamedBy::User,
            Place::Temporary(..) | Place::Staging(_) | Place::Remote(_) => {
                NamedBy::Package { private: self.record.private }
            }
        }
    }

    /// Whether stamps of its files mean anything at the next sync.
    pub(crate) fn keeps_stamps(&self) -> bool {
        matches!(self.place, Place::Folder(..))
    }
}

impl Gathered {
    /// The files, sorted by path. A pin says what they must hash to where the manifest does not.
    pub(crate) fn wanted<'g>(&'g self, package: &'g Package, pin: Option<&Pin>) -> Vec<Wanted<'g>> {
        let mut wanted: Vec<Wanted<'g>> = Vec::new();
        let is_frozen = pin.is_some_and(|pin| pin.frozen);
        let mut want = |path: &'g DocPath, input: Input<'g>, declared: Option<Sha256>| {
            let pinned = || pin?.locked.files.get(path).map(|file| file.hash);
            let (expected, settled) = (declared.or_else(pinned), declared.is_some() || is_frozen);
            wanted.push(Wanted { path, input, expected, settled });
        };
        for (walked, names) in &self.walks {
            for candidate in &walked.candidates {
                let path = names.get(candidate.path()).unwrap_or(candidate.path());
                if !self.left.contains(path) {
                    want(path, Input::File(candidate), self.hashes.get(path).copied());
                }
            }
        }
        for (number, (path, hash)) in self.remote.iter().enumerate() {
            want(path, Input::Fetch(number), *hash);
        }
        if let Place::Staging(staging) = &package.place {
            for (path, hash) in &self.packed {
                want(path, Input::Packed(staging), *hash);
            }
        }
        wanted.sort_by(|a, b| a.path.cmp(b.path));
        wanted
    }

    /// Whether a document that is not among the files must be kept, because the place of its file could not be looked at.
    pub(crate) fn hides(&self, path: &DocPath) -> bool {
        if self.missing.binary_search(path).is_ok() {
            return true;
        }
        self.walks.iter().any(|(walked, names)| match names.iter().find(|(_, document)| *document == path) {
            Some((name, _)) => walked.receipt.hides(name.as_str()),
            None => walked.receipt.hides(path.as_str()),
        })
    }

    /// What was left out and what went wrong, by the paths that the files have as documents.
    pub(crate) fn account(&self, skips: &mut Vec<Skipped>, problems: &mut Vec<Skipped>) {
        for path in &self.missing {
            problems.push(Skipped { path: path.as_str().to_owned(), reason: "is not in the bundle".to_owned() });
        }
        for (walked, names) in &self.walks {
            let shown = |path: &str| match DocPath::parse(path).ok().and_then(|path| names.get(&path).cloned()) {
                Some(document) => document.as_str().to_owned(),
                None => path.to_owned(),
            };
            for exclusion in &walked.receipt.exclusions {
                let entry = skipped(exclusion);
                skips.push(Skipped { path: shown(&entry.path), reason: entry.reason });
            }
            for problem in &walked.receipt.problems {
                problems.push(Skipped { path: shown(&problem.path), reason: problem.message.clone() });
            }
        }
    }
}
