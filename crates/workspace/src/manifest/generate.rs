//! Making a manifest: one repository after the other, on all cores.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ai_assist_identity::{CanonicalPath, PathError, RepoId};
use rayon::prelude::*;

use super::builds::Builds;
use super::file::{ManifestError, set_folder};
use super::hash::{core_of, hash_of};
use super::index_entry::index_entry;
use super::memo::{MEMO_FILE, Memo};
use super::types::{
    BuildEntry, DbEntry, Diagnostic, DiagnosticCode, Diagnostics, IndexEntry, PerMode, Provenance, RepoEntry,
    SqliteEntry, WorkspaceManifest,
};
use crate::config::{ResolvedRepo, ResolvedWorkspace};
use ai_assist_base::{resolve, resolve_below};
use ai_assist_repo::layout::{CACHES_DIR, Mode, RepoCache, SCHEMA_VERSION, SQLITE_DIR};
use ai_assist_repo::pointer::{PointerState, read_pointer_by};
use ai_assist_repo::repo_config::BuildCaches;
use ai_assist_repo::signature::{BuildFolder, is_absence};

/// What a manifest is made with.
#[derive(Debug, Clone, Copy)]
pub struct GenerateOptions<'a> {
    /// The shared one, an absolute path, is that of every repository that has none of its own, and of the workspace unless its
    /// file names another.
    pub caches: &'a BuildCaches,
    /// What is written as `generatedAt`.
    pub now: SystemTime,
}

/// Looks at every repository of a workspace. What is wrong with one of them is a diagnostic, and the repository stays listed.
pub fn generate_manifest(
    workspace: &ResolvedWorkspace,
    options: &GenerateOptions<'_>,
) -> Result<WorkspaceManifest, ManifestError> {
    let mut members: Vec<&ResolvedRepo> = workspace.repos.iter().collect();
    members.sort_by(|a, b| a.repo_id.cmp(&b.repo_id));
    if let Some(pair) = members.windows(2).find(|pair| pair[0].repo_id == pair[1].repo_id) {
        let roots = [pair[0].root.clone(), pair[1].root.clone()];
        return Err(ManifestError::DuplicateRepo { repo_id: pair[0].repo_id.clone(), roots });
    }
    let caches = BuildCaches { shared: resolved(&options.caches.shared)?, ..options.caches.clone() };
    let federation = match &workspace.cache_root {
        Some(root) => CanonicalPath::from_absolute(&resolved(root)?)?,
        None => CanonicalPath::from_absolute(&caches.shared)?,
    };
    let memo = Memo::open(set_folder(&federation.to_path_buf(), &workspace.repo_set_id).join(MEMO_FILE));
    let shared = Shared::of(&caches.shared)?;
    let examined = members.par_iter().map(|repo| {
        let (entry, found) = examine(repo, &caches, &shared, &memo)?;
        let core = core_of(&entry)?;
        Ok((entry, found, core))
    });
    let examined: Vec<(RepoEntry, Diagnostics, Vec<u8>)> = examined.collect::<Result<_, ManifestError>>()?;
    memo.save(|| {
        let indexes = examined.iter().flat_map(|(repo, ..)| repo.indexes.iter());
        let dirs = indexes.filter_map(|(_, index)| index.index_dir.as_ref());
        let dirs: HashSet<PathBuf> = dirs.map(CanonicalPath::to_path_buf).collect();
        move |folder| dirs.contains(folder)
    });
    let mut diagnostics = Diagnostics::default();
    let (mut repos, mut cores) = (Vec::with_capacity(examined.len()), Vec::with_capacity(examined.len()));
    for (repo, found, core) in examined {
        repos.push(repo);
        cores.push(core);
        diagnostics.warnings.extend(found.warnings);
        diagnostics.errors.extend(found.errors);
    }
    Ok(WorkspaceManifest {
        schema_version: SCHEMA_VERSION,
        generated_at: timestamp(options.now),
        repo_set_id: workspace.repo_set_id.clone(),
        manifest_hash: hash_of(&workspace.repo_set_id, &cores)?,
        federation_cache_root: federation,
        workspace: Provenance {
            workspace_path: workspace.path.clone(),
            name: workspace.name.clone(),
            workspace_config_hash: Some(workspace.config_hash.clone()),
        },
        repos,
        diagnostics,
    })
}

fn resolved(path: &Path) -> Result<PathBuf, ManifestError> {
    // A relative one would be taken from the current folder, which this room does not know.
    CanonicalPath::from_absolute(path)?;
    resolve(path).map_err(|source| ManifestError::Io { what: "resolving", path: path.to_owned(), source })
}

fn timestamp(now: SystemTime) -> String {
    let now = jiff::Timestamp::try_from(now).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{now:.3}")
}

/// Notes what is odd about one repository.
pub(super) struct Notes<'r> {
    repo_id: &'r RepoId,
    found: Diagnostics,
}

impl<'r> Notes<'r> {
    fn of(repo_id: &'r RepoId) -> Self {
        Notes { repo_id, found: Diagnostics::default() }
    }

    pub(super) fn warning(&mut self, code: DiagnosticCode, mode: Option<Mode>, message: String) {
        self.found.warnings.push(Diagnostic { code, message, repo_id: Some(self.repo_id.clone()), mode });
    }

    pub(super) fn error(&mut self, code: DiagnosticCode, mode: Option<Mode>, message: String) {
        self.found.errors.push(Diagnostic { code, message, repo_id: Some(self.repo_id.clone()), mode });
    }
}

/// How often a repository is looked at anew because its pointer was swapped meanwhile.
const ATTEMPTS: usize = 5;

/// The folder of the caches of all repositories that have none of their own.
struct Shared {
    caches: PathBuf,
    /// The same with its links resolved.
    resolved: PathBuf,
}

impl Shared {
    fn of(shared: &Path) -> Result<Self, ManifestError> {
        let caches = shared.join(CACHES_DIR);
        Ok(Shared { resolved: resolved(&caches)?, caches })
    }

    /// The cache of a repository with its links resolved.
    fn resolve(&self, cache: &Path) -> io::Result<PathBuf> {
        match cache.strip_prefix(&self.caches) {
            Ok(below) => resolve_below(&self.resolved, below),
            Err(_) => resolve(cache),
        }
    }
}

fn examine(
    repo: &ResolvedRepo,
    caches: &BuildCaches,
    shared: &Shared,
    memo: &Memo,
) -> Result<(RepoEntry, Diagnostics), PathError> {
    let mut notes = Notes::of(&repo.repo_id);
    if let Some(problem) = repo.problem() {
        notes.error(DiagnosticCode::RepoRootMissing, None, problem);
    }
    let cache = caches.of(&repo.root).unwrap_or_else(|error| {
        notes.error(DiagnosticCode::RepoConfigInvalid, None, error.to_string());
        RepoCache::new(&caches.shared, &repo.repo_id)
    });
    let (pointer, state) = steady(
        || read_pointer_by(&cache, &|cache| shared.resolve(cache)),
        |pointer| State::of(&cache, pointer, memo, Notes::of(&repo.repo_id)),
        PointerState::is_current,
    );
    let State { indexes, sqlite, found } = state?;
    notes.found.warnings.extend(found.warnings);
    notes.found.errors.extend(found.errors);
    let entry = RepoEntry {
        repo_id: repo.repo_id.clone(),
        repo_root_canonical: repo.root.clone(),
        repo_cache_root: CanonicalPath::from_absolute(&cache.root)?,
        alias: repo.alias.clone(),
        tags: repo.tags.clone(),
        enabled: repo.enabled,
        priority: repo.priority,
        build: build_entry(&pointer)?,
        indexes,
        sqlite,
    };
    Ok((entry, notes.found))
}

/// Looks at what a pointer names until the pointer has stayed the same: a build that was replaced may be removed while it is
/// being looked at.
fn steady<P, T>(mut read: impl FnMut() -> P, mut look: impl FnMut(&P) -> T, is_current: impl Fn(&P) -> bool) -> (P, T) {
    let mut pointer = read();
    for _ in 1..ATTEMPTS {
        let seen = look(&pointer);
        if is_current(&pointer) {
            return (pointer, seen);
        }
        pointer = read();
    }
    let seen = look(&pointer);
    (pointer, seen)
}

/// What a pointer leads to.
struct State {
    indexes: PerMode<IndexEntry>,
    sqlite: SqliteEntry,
    found: Diagnostics,
}

impl State {
    fn of(cache: &RepoCache, pointer: &PointerState, memo: &Memo, mut notes: Notes<'_>) -> Result<Self, PathError> {
        match &pointer.problem {
            Some(problem) => notes.error(DiagnosticCode::PointerInvalid, None, problem.to_string()),
            None if !pointer.exists => {
                notes.warning(DiagnosticCode::PointerMissing, None, "the repository has no build".to_owned());
            }
            None => {}
        }
        // No index and no database is looked for unless the pointer was followed.
        let base = pointer.base.as_deref().unwrap_or(&cache.root);
        let mut builds = Builds::default();
        let indexes = PerMode::try_of(|mode| index_entry(mode, pointer, base, &mut builds, memo, &mut notes))?;
        let sqlite = sqlite_entry(cache, pointer, base, &mut builds, &mut notes)?;
        Ok(State { indexes, sqlite, found: notes.found })
    }
}

fn build_entry(pointer: &PointerState) -> Result<BuildEntry, PathError> {
    let roots = pointer.build_roots.iter().map(|(mode, root)| Ok((*mode, CanonicalPath::from_absolute(root)?)));
    Ok(BuildEntry {
        current_json_path: CanonicalPath::from_absolute(&pointer.path)?,
        current_json_exists: pointer.exists,
        current_json_mtime_ms: pointer.mtime_ms,
        parse_ok: pointer.parse_ok,
        build_id: pointer.build_id.clone(),
        build_root: pointer.build_root.as_deref().map(CanonicalPath::from_absolute).transpose()?,
        build_roots: roots.collect::<Result<_, PathError>>()?,
        modes: pointer.modes.clone(),
    })
}

/// The databases: those of a mode lie in the mode's own build.
fn sqlite_entry(
    cache: &RepoCache,
    pointer: &PointerState,
    base: &Path,
    builds: &mut Builds,
    notes: &mut Notes<'_>,
) -> Result<SqliteEntry, PathError> {
    let active = pointer.build_root.as_deref().unwrap_or(&cache.root).join(SQLITE_DIR);
    let dbs = PerMode::try_of(|mode| {
        let absent = DbEntry { path: None, present: false, file_signature: None };
        let Some(root) = pointer.index_root(mode) else { return Ok(absent) };
        let found = |path: &Path, file_signature: Option<String>| -> Result<DbEntry, PathError> {
            let path = Some(CanonicalPath::from_absolute(path)?);
            Ok(DbEntry { path, present: file_signature.is_some(), file_signature })
        };
        if let Some(build) = builds.with_databases(root) {
            let name = format!("{SQLITE_DIR}/{}", mode.db_name());
            let path = root.join(&name);
            let signature = looked_for(build.db_signature(&name), &path, mode, notes);
            return found(&path, signature);
        }
        let Some(folder) = resolve_below(root, SQLITE_DIR).ok().filter(|folder| folder.starts_with(base)) else {
            let message = format!("{} leads out of the repository's cache", root.join(SQLITE_DIR).display());
            notes.error(DiagnosticCode::BuildEscapes, Some(mode), message);
            return Ok(absent);
        };
        let path = folder.join(mode.db_name());
        let signature = BuildFolder::open(&folder).and_then(|folder| folder.db_signature(&mode.db_name()));
        found(&path, looked_for(signature, &path, mode, notes))
    })?;
    Ok(SqliteEntry { dir: CanonicalPath::from_absolute(&active)?, dbs })
}

/// What was found of a database. That there is none needs no word; that it could not be looked for does.
fn looked_for(signature: io::Result<Option<String>>, path: &Path, mode: Mode, notes: &mut Notes<'_>) -> Option<String> {
    match signature {
        Ok(signature) => signature,
        Err(error) if is_absence(&error) => None,
        Err(error) => {
            let message = format!("{} can't be looked for: {error}", path.display());
            notes.warning(DiagnosticCode::IndexUnreadable, Some(mode), message);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(unix)]
    use crate::test_workspace::TestWorkspace;

    #[test]
    fn a_pointer_that_moves_is_looked_at_again() {
        let mut pointers = [1, 2, 3].into_iter();
        let mut looked = Vec::new();
        let found = steady(|| pointers.next().unwrap(), |pointer| looked.push(*pointer), |pointer| *pointer == 2);
        assert_eq!((found.0, looked), (2, vec![1, 2]), "until it stays");
        let (mut count, mut looks) = (0, 0);
        let read = || {
            count += 1;
            count
        };
        let (last, ()) = steady(read, |_| looks += 1, |_| false);
        assert_eq!((last, looks), (5, ATTEMPTS), "but not for ever");
    }

    /// Not a test by itself: the test below runs it with few descriptors.
    #[cfg(unix)]
    #[test]
    #[ignore = "the child of another test"]
    fn without_descriptors() {
        if std::env::var_os(FEW).is_none() {
            return;
        }
        let place = TestWorkspace::built(&["a"]);
        let cache = place.cache("a");
        let id = place.manifest().repos[0].repo_id.clone();
        let memo = Memo::open(place.top.join("memo"));
        let pointer = read_pointer_by(&cache, &resolve);
        let look = || State::of(&cache, &pointer, &memo, Notes::of(&id)).unwrap();
        assert!(look().found.warnings.is_empty());
        let taken: Vec<_> = std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()).collect();
        let state = look();
        drop(taken);
        let warnings = state.found.warnings.iter().filter(|it| it.code == DiagnosticCode::IndexUnreadable);
        let of_databases = warnings.filter(|it| it.message.contains(SQLITE_DIR)).count();
        assert_eq!(of_databases, 4, "{:?}", state.found);
        assert!(state.sqlite.dbs.iter().all(|(_, db)| !db.present));
    }

    #[cfg(unix)]
    const FEW: &str = "AI_ASSIST_TEST_FEW_DESCRIPTORS";

    #[cfg(unix)]
    #[test]
    fn a_database_that_can_not_be_looked_for_is_a_warning() {
        let test = "manifest::generate::tests::without_descriptors";
        let run = std::process::Command::new("sh")
            .args(["-c", "ulimit -n 64 && exec \"$0\" --exact \"$1\" --ignored"])
            .arg(std::env::current_exe().unwrap())
            .arg(test)
            .env(FEW, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&run.stderr));
    }
}
