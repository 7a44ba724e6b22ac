//! From what a configuration says to what is meant: folders resolved, ids computed.

use std::path::{Path, PathBuf};

use ai_assist_base::{RealPath, chain, portable_path};
use ai_assist_fetch::site::Scope;
use ai_assist_identity::{CanonicalPath, CollectionId, PackageUrl, Sha256, UrlScheme};
use ai_assist_store::NewCollection;

use crate::dependency::Chosen;
use crate::{CategorySpec, CollectionSpec, Error, Result};

/// A source with its identity.
#[derive(Debug, Clone)]
pub enum Resolved {
    /// Files of a folder, in whose path symlinks are resolved as far as it exists.
    File { id: CollectionId, folder: PathBuf, path: CanonicalPath, glob: String },
    /// A published package.
    Pkg { id: CollectionId, url: PackageUrl },
    /// What the project in a folder depends on. Where that lies on this machine is found out when it is synced.
    Dep { id: CollectionId, project: PathBuf, chosen: Chosen },
    /// Pages of a website.
    Site { id: CollectionId, scope: Box<Scope> },
    /// Nothing that could be had, for this reason. It stays listed and can be removed, and everything else works.
    Broken { id: CollectionId, why: String },
}

impl Resolved {
    /// Resolves a source against the root of its project.
    pub fn new(spec: &CollectionSpec, root: &Path) -> Result<Self> {
        match spec {
            CollectionSpec::File { path, glob, .. } => {
                ai_assist_admit::Globs::new(&[glob])?;
                let folder = resolve(&root.join(path));
                let path = CanonicalPath::from_absolute(&folder)?;
                Ok(Resolved::File { id: CollectionId::file(&path, glob), folder, path, glob: glob.clone() })
            }
            CollectionSpec::Pkg { url, .. } => {
                let url = PackageUrl::parse(url, &CanonicalPath::from_absolute(root)?)?;
                Ok(Resolved::Pkg { id: CollectionId::package(&url), url })
            }
            CollectionSpec::Dep { dependencies, transitive } => {
                let chosen = Chosen::parse(dependencies, *transitive)?;
                let id = CollectionId::dependencies(&CanonicalPath::from_absolute(root)?, &chosen.text());
                Ok(Resolved::Dep { id, project: root.to_owned(), chosen })
            }
            CollectionSpec::Site { url, include, exclude, max_pages, max_depth, .. } => {
                let scope = Scope::new(url, include, exclude).map_err(|error| Error::Unusable(error.to_string()))?;
                let choice = (include, exclude, max_pages, max_depth);
                let is_plain = include.is_empty() && exclude.is_empty() && max_pages.is_none() && max_depth.is_none();
                let choice = (!is_plain).then(|| Sha256::of(format!("{choice:?}").as_bytes()));
                let id = CollectionId::site(scope.start().as_str(), choice.as_ref());
                Ok(Resolved::Site { id, scope: Box::new(scope) })
            }
        }
    }

    /// What a source means, or that it means nothing.
    pub(crate) fn or_broken(resolved: Result<Self>, name: &str, spec: &CollectionSpec, root: &Path) -> Result<Self> {
        let error = match resolved {
            Ok(resolved) => return Ok(resolved),
            Err(error) => Error::BadSource { name: name.to_owned(), source: Box::new(error) },
        };
        // No glob has a line end, so no source has this id.
        let id = CollectionId::file(&CanonicalPath::from_absolute(root)?, &format!("{name}\n{}", spec.source()));
        Ok(Resolved::Broken { id, why: chain(&error) })
    }

    /// Resolves a category against the root of its project, which it can't leave.
    pub fn category(category: &CategorySpec, root: &Path) -> Result<Self> {
        let resolved = Resolved::new(&category.source(), root)?;
        match &resolved {
            Resolved::File { folder, .. } if folder.starts_with(resolve(root)) => Ok(resolved),
            _ => Err(Error::OutsideProject { dir: category.dir.clone() }),
        }
    }

    /// Whether the folder of a source of type `file` is there; a package is elsewhere, so nothing can be said against it.
    pub fn is_there(&self) -> bool {
        match self {
            Resolved::File { folder, .. } => folder.is_dir(),
            Resolved::Pkg { .. } | Resolved::Dep { .. } | Resolved::Site { .. } | Resolved::Broken { .. } => true,
        }
    }

    /// Where it lies on this machine, if it does.
    pub fn place(&self) -> Option<PathBuf> {
        match self {
            Resolved::File { folder, .. } => Some(folder.clone()),
            Resolved::Pkg { url, .. } => url.file_path().map(|path| path.to_path_buf()),
            // The folders of package managers are no folders that a project names: it names packages, and where those lie is for the
            // user's own package managers to say.
            Resolved::Dep { .. } | Resolved::Site { .. } | Resolved::Broken { .. } => None,
        }
    }

    /// An error for a source that means nothing.
    pub(crate) fn usable(&self) -> Result<()> {
        if let Resolved::Broken { why, .. } = self { Err(Error::Unusable(why.clone())) } else { Ok(()) }
    }

    pub fn id(&self) -> &CollectionId {
        match self {
            Resolved::File { id, .. }
            | Resolved::Pkg { id, .. }
            | Resolved::Dep { id, .. }
            | Resolved::Site { id, .. }
            | Resolved::Broken { id, .. } => id,
        }
    }

    /// Takes a source out of reach, for this reason.
    pub fn refuse(&mut self, why: String) {
        // Under an id that nothing is kept under: what somebody else has indexed of it is out of reach, too.
        let id = CollectionId::nothing(self.id());
        *self = Resolved::Broken { id, why };
    }

    /// The same package or site in the state that is kept under another id.
    pub(crate) fn read_as(&mut self, stored: CollectionId) {
        if let Resolved::Pkg { id, .. } | Resolved::Site { id, .. } = self {
            *id = stored;
        }
    }

    pub(crate) fn record(&self) -> NewCollection {
        match self {
            Resolved::File { id, path, glob, .. } => NewCollection {
                id: id.clone(),
                path: Some(path.as_str().to_owned()),
                glob: Some(glob.clone()),
                url: None,
            },
            Resolved::Pkg { id, url } => {
                NewCollection { id: id.clone(), path: None, glob: None, url: Some(url.as_str().to_owned()) }
            }
            // Not a path that its documents lie below.
            Resolved::Dep { id, project, chosen } => {
                let url = format!("dep:{}\n{}", project.display(), chosen.text());
                NewCollection { id: id.clone(), path: None, glob: None, url: Some(url.trim_end().replace('\n', " ")) }
            }
            Resolved::Site { id, scope } => {
                NewCollection { id: id.clone(), path: None, glob: None, url: Some(scope.start().to_string()) }
            }
            Resolved::Broken { id, .. } => NewCollection { id: id.clone(), path: None, glob: None, url: None },
        }
    }
}

/// Resolves symlinks as far as the path exists; what is missing keeps its name, so that it has an id all the same.
fn resolve(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let resolved = path.ancestors().find_map(|at| {
        let (real, missing) = (at.real_path().ok()?, path.strip_prefix(at).ok()?);
        Some(real.components().chain(missing.components()).collect())
    });
    resolved.unwrap_or(path)
}

/// A URL as it reads best in a configuration: that of a file inside the project relative to its root, so that it means the same in
/// another clone.
pub fn portable_url(url: &str, root: &Path) -> String {
    let path = CanonicalPath::from_absolute(root)
        .ok()
        .and_then(|root| PackageUrl::parse(url, &root).ok())
        .filter(|url| url.scheme() == UrlScheme::File)
        .and_then(|url| url.file_path())
        .and_then(|path| portable_path(&path.to_path_buf(), root));
    match path {
        Some(path) if path.starts_with('.') && !path.contains(['%', '?', '#']) => format!("file://{path}"),
        _ => url.to_owned(),
    }
}
