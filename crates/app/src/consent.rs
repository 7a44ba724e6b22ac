//! Folders outside of a project that its files name. They come with a clone, from whoever wrote them, so they count only once the
//! user has said so: by adding them, or by allowing them. Kept with the user's own configuration.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ai_assist_base::{FileLock, ReadError, RealPath, read_bounded, replace_file};
use ai_assist_collections::{Members, one_spelling};
use ai_assist_identity::CanonicalPath;
use ai_assist_repo::repo_config::{BuildCaches, REPO_CONFIG_FILE, RepoConfig};
use ai_assist_repo::root::{canonical_root, work_tree_top};
use ai_assist_workspace::config::{ResolvedRepo, ResolvedWorkspace};

use crate::{Error, Machine, Project, Result};

/// Whoever has allowed more than this allows everything.
const MAX_BYTES: u64 = 4 << 20;
const PATIENCE: Duration = Duration::from_secs(10);

/// By the file that names them.
type Allowed = BTreeMap<String, BTreeSet<String>>;

/// A folder that a file of a project names and the user has not allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The project's configuration, or the workspace file.
    pub file: PathBuf,
    /// What it is named for: a collection, a repository, the cache.
    pub name: String,
    pub folder: PathBuf,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Refused { file, name, folder } = self;
        write!(f, "`{name}` of {} is {}, outside of the project, and was not allowed", file.display(), folder.display())
    }
}

impl Machine {
    fn consents(&self) -> PathBuf {
        self.config_file().with_file_name("allowed.json")
    }

    fn allowed(&self) -> Result<Allowed> {
        let path = self.consents();
        let io = |source| Error::Io { action: "reading", path: path.clone(), source };
        match read_bounded(&path, MAX_BYTES) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| io(error.into())),
            Err(ReadError::Missing) => Ok(Allowed::default()),
            Err(error) => Err(io(error.into())),
        }
    }

    /// Changes which folders a file may name.
    fn change_allowed(&self, change: impl FnOnce(&mut Allowed)) -> Result<()> {
        let path = self.consents();
        let io = |action| {
            let path = path.clone();
            move |source| Error::Io { action, path, source }
        };
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).map_err(io("creating"))?;
        let lock = FileLock::for_edit(&path, PATIENCE).map_err(io("locking"))?;
        let _lock = lock.ok_or_else(|| io("locking")(std::io::ErrorKind::WouldBlock.into()))?;
        let before = self.allowed()?;
        let mut after = before.clone();
        change(&mut after);
        if after != before {
            let text = serde_json::to_vec_pretty(&after).unwrap_or_default();
            replace_file(&path, &text, 0o600).map_err(io("writing"))?;
        }
        Ok(())
    }
}

impl Project {
    /// Lets a file of the project name folders outside of it.
    pub fn allow(&self, file: &Path, folders: &[PathBuf]) -> Result<()> {
        let boundary = boundary(file);
        let outside = folders.iter().filter(|folder| !folder.starts_with(&boundary)).map(|folder| text(folder));
        let outside: BTreeSet<String> = outside.collect();
        if outside.is_empty() {
            return Ok(());
        }
        self.machine.change_allowed(|allowed| allowed.entry(key(file)).or_default().extend(outside))
    }

    /// Takes back that the files of the project may name some folders.
    pub fn disallow(&self, folders: &[PathBuf]) -> Result<()> {
        let files: Vec<String> = self.files().iter().map(|file| key(file)).collect();
        self.machine.change_allowed(|allowed| {
            for file in &files {
                if let Some(known) = allowed.get_mut(file) {
                    known.retain(|known| !folders.iter().any(|folder| text(folder) == *known));
                }
            }
            allowed.retain(|_, known| !known.is_empty());
        })
    }

    /// The folders outside of the project that its files may name, by file.
    pub fn allowed(&self) -> Result<BTreeMap<String, BTreeSet<String>>> {
        let files: Vec<String> = self.files().iter().map(|file| key(file)).collect();
        Ok(self.machine.allowed()?.into_iter().filter(|(file, _)| files.contains(file)).collect())
    }

    /// The files of the project that may name folders.
    fn files(&self) -> Vec<PathBuf> {
        let files = [Some(self.file()), self.workspace_file().ok()].into_iter().flatten();
        let members = self.workspace().map(|workspace| workspace.repos).unwrap_or_default();
        let roots = self.roots_in_reach(members);
        files.chain(roots.iter().map(|root| root.to_path_buf().join(REPO_CONFIG_FILE))).collect()
    }

    /// The roots of the repositories that may say where their builds are kept.
    fn roots_in_reach(&self, members: Vec<ResolvedRepo>) -> Vec<CanonicalPath> {
        let own = canonical_root(&self.folder, &work_tree_top).ok();
        let roots: BTreeSet<CanonicalPath> = own.into_iter().chain(members.into_iter().map(|repo| repo.root)).collect();
        roots.into_iter().collect()
    }

    /// Where builds are kept, as far as the user has allowed it.
    pub fn build_caches(&self) -> Result<BuildCaches> {
        let allowed = self.machine.allowed()?.into_iter();
        let allowed =
            allowed.flat_map(|(file, known)| known.into_iter().map(move |folder| (file.clone().into(), folder.into())));
        Ok(BuildCaches { shared: self.roots.cache.clone(), allowed: allowed.collect() })
    }

    /// The workspace around the project as its file has it, wherever that reaches; none where there is no workspace.
    pub fn declared_workspace(&self) -> Result<Option<ResolvedWorkspace>> {
        match self.workspace_file() {
            Ok(file) => Ok(Some(ResolvedWorkspace::load(&file)?)),
            Err(Error::NoWorkspace(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What the files of the project name that the user has not allowed.
    pub fn refused(&self) -> Result<Vec<Refused>> {
        self.refused_with(self.declared_workspace()?.as_ref())
    }

    /// The same for whoever has read the workspace that is declared.
    pub fn refused_with(&self, workspace: Option<&ResolvedWorkspace>) -> Result<Vec<Refused>> {
        let mut members = ai_assist_collections::members(self.local.as_ref(), None)?;
        let mut refused = self.refuse(&mut members)?;
        let mut repos = Vec::new();
        if let Some(workspace) = workspace {
            let (kept, left_out) = self.kept(workspace.clone())?;
            repos = kept.repos;
            refused.extend(left_out);
        }
        let allowed = self.machine.allowed()?;
        for root in self.roots_in_reach(repos) {
            let Ok(RepoConfig { cache_root: Some(folder) }) = RepoConfig::load(&root) else { continue };
            let root = root.to_path_buf();
            let file = root.join(REPO_CONFIG_FILE);
            if !folder.starts_with(&root) && !is_allowed(&allowed, &file, &folder) {
                refused.push(Refused { file, name: "cache.root".to_owned(), folder });
            }
        }
        Ok(refused)
    }

    /// Takes the sources out of reach that lie outside of the project and were not allowed.
    pub(crate) fn refuse(&self, members: &mut Members) -> Result<Vec<Refused>> {
        let mut refused = Vec::new();
        let mut allowed = None;
        for member in members.iter_mut().filter(|member| !member.global) {
            let folder = member.resolved.place().filter(|folder| !folder.starts_with(boundary(&member.config)));
            let Some(folder) = folder else { continue };
            let allowed = match &allowed {
                Some(allowed) => allowed,
                None => allowed.insert(self.machine.allowed()?),
            };
            if !is_allowed(allowed, &member.config, &folder) {
                let (file, name) = (member.config.clone(), member.name.clone());
                let found = Refused { file, name, folder };
                member.resolved.refuse(found.to_string());
                refused.push(found);
            }
        }
        Ok(refused)
    }

    /// A workspace as far as its user lets it reach out of its folder.
    pub fn allowed_of(&self, workspace: ResolvedWorkspace) -> Result<ResolvedWorkspace> {
        Ok(self.kept(workspace)?.0)
    }

    /// A workspace without the repositories that lie outside of its folder and were not allowed, and a cache there.
    fn kept(&self, mut workspace: ResolvedWorkspace) -> Result<(ResolvedWorkspace, Vec<Refused>)> {
        let file = workspace.path.to_path_buf();
        let boundary = boundary(&file);
        let mut refused = Vec::new();
        let allowed = self.machine.allowed()?;
        let mut is_fine = |name: String, folder: PathBuf| {
            let fine = folder.starts_with(&boundary) || is_allowed(&allowed, &file, &folder);
            if !fine {
                refused.push(Refused { file: file.clone(), name, folder });
            }
            fine
        };
        let cache = workspace.cache_root.clone().map(|root| ai_assist_base::resolve(&root).unwrap_or(root));
        if cache.is_some_and(|cache| !is_fine("cacheRoot".to_owned(), cache)) {
            workspace.cache_root = None;
        }
        workspace.retain(|repo| {
            let name = repo.alias.clone().unwrap_or_else(|| repo.repo_id.to_string());
            is_fine(name, repo.root.to_path_buf())
        });
        Ok((workspace, refused))
    }
}

/// What a file may name without asking: the repository that it came with, else the folder that it is in.
pub(crate) fn boundary(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let folder = folder.real_path().unwrap_or_else(|_| folder.to_owned());
    work_tree_top(&folder).unwrap_or(folder)
}

fn is_allowed(allowed: &Allowed, file: &Path, folder: &Path) -> bool {
    allowed.get(&key(file)).is_some_and(|known| known.iter().any(|known| folder.starts_with(known)))
}

fn key(file: &Path) -> String {
    text(&one_spelling(file))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
