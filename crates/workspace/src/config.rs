//! The workspace file: which repositories are searched as one.
//!
//! ```jsonc
//! {
//!   "schemaVersion": 1,
//!   "name": "services",
//!   "cacheRoot": "./.cache",                          // where the manifest goes; else the cache of the machine
//!   "defaults": { "enabled": true, "priority": 0, "tags": ["backend"] },
//!   "repos": [{ "root": "../orders", "alias": "orders", "priority": 10, "tags": ["core"] }]
//! }
//! ```
//!
//! What a repo says itself stands in the place of the defaults, its tags too.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ai_assist_base::json::{JsonDiagnostics, JsonErrors, shown};
use ai_assist_base::{RealPath, resolve};
use ai_assist_identity::{CanonicalPath, PathError, RepoId, RepoSetId, Sha256, jcs};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use ai_assist_repo::config_error::{ConfigError, read_text};
use ai_assist_repo::layout::SCHEMA_VERSION;
use ai_assist_repo::repo_config::schema_of;
use ai_assist_repo::root::{RootError, RootFinder, canonical_root, work_tree_top};

pub const WORKSPACE_FILE: &str = ".ai-assist-workspace.jsonc";
/// More repositories than this are a mistake.
const MAX_REPOS: usize = 10_000;
/// Another thread is not worth waking for the folders of fewer repositories.
const FEW: usize = 16;

/// The schema of the workspace file, by which it is read.
pub(crate) static SCHEMA: LazyLock<Value> = LazyLock::new(|| schema_of::<WorkspaceFile>("workspace.schema.json"));

/// A set of repositories that are searched as one.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "ai-assist workspace")]
struct WorkspaceFile {
    /// The schema of this file.
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    /// The version of this file.
    #[serde(rename = "schemaVersion")]
    #[schemars(extend("const" = 1))]
    _schema_version: u32,
    /// What people call the workspace.
    #[schemars(length(min = 1, max = 100))]
    name: String,
    /// Where the manifest and cached answers are kept, relative to this file; else in the machine's cache.
    cache_root: Option<String>,
    /// What holds for every repo that does not say otherwise.
    #[serde(default)]
    defaults: Option<Marks>,
    /// The repositories that are searched as one.
    repos: Vec<RepoEntry>,
}

/// What a repo may leave to the defaults.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Marks {
    /// Whether it is searched unless told otherwise.
    enabled: Option<bool>,
    /// The greater, the more it matters.
    priority: Option<i32>,
    /// To select it by. In place of those of the defaults, not in addition.
    #[schemars(inner(length(min = 1, max = 100)))]
    tags: Option<Vec<String>>,
}

/// A repository.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Repo")]
struct RepoEntry {
    /// Any folder of it, relative to this file.
    #[schemars(length(min = 1))]
    root: String,
    /// What people call it; no two are the same, whatever the case.
    #[schemars(length(min = 1, max = 100))]
    alias: Option<String>,
    /// Whether it is searched unless told otherwise.
    enabled: Option<bool>,
    /// The greater, the more it matters.
    priority: Option<i32>,
    /// To select it by.
    #[schemars(inner(length(min = 1, max = 100)))]
    tags: Option<Vec<String>>,
}

/// A workspace file that was read, and whose repositories were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedWorkspace {
    pub path: CanonicalPath,
    /// The folder that it is in, which its paths are relative to.
    pub dir: PathBuf,
    pub name: String,
    /// Where the manifest and what belongs to it is to be kept, if it says so.
    pub cache_root: Option<PathBuf>,
    pub repos: Vec<ResolvedRepo>,
    pub repo_set_id: RepoSetId,
    /// `sha256:` of what the file means: its order, formatting and comments don't matter.
    pub config_hash: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedRepo {
    pub repo_id: RepoId,
    pub root: CanonicalPath,
    pub alias: Option<String>,
    /// Whether it is searched unless told otherwise.
    pub enabled: bool,
    pub priority: i32,
    /// Lower-case, each once, sorted.
    pub tags: Vec<String>,
}

impl ResolvedRepo {
    /// What is wrong with its folder, if something is.
    pub fn problem(&self) -> Option<String> {
        let root = self.root.to_path_buf();
        if root.is_dir() {
            return None;
        }
        canonical_root(&root, &work_tree_top).err().map(|error| ai_assist_base::chain(&error))
    }
}

impl ResolvedWorkspace {
    pub fn load(file: &Path) -> Result<Self, ConfigError> {
        let located = Located::of(file)?;
        Ok(Self::read(&located, &read_text(&located.resolved()?)?)?)
    }

    pub(crate) fn read(located: &Located, text: &str) -> Result<Self, JsonErrors> {
        let name = located.path.to_path_buf().display().to_string();
        let (file, mut diagnostics) = JsonDiagnostics::read::<WorkspaceFile>(&name, text, &SCHEMA)?;
        if file.repos.len() > MAX_REPOS {
            let message = format!("it has {} repos; at most {MAX_REPOS} are read", file.repos.len());
            diagnostics.at("/repos", message);
            diagnostics = diagnostics.finish()?;
        }
        let repos = found(&mut diagnostics, &located.dir, &file);
        diagnostics.finish()?;
        let cache_root = file.cache_root.map(|root| root.trim().to_owned());
        Ok(assembled(located, file.name.trim().to_owned(), cache_root, repos))
    }

    /// Leaves repositories out, as if the file did not name them.
    pub fn retain(&mut self, keep: impl FnMut(&ResolvedRepo) -> bool) {
        let all = self.repos.len();
        self.repos.retain(keep);
        if self.repos.len() == all {
            return;
        }
        let members: Vec<_> = self.repos.iter().map(|repo| (repo.repo_id.clone(), repo.root.clone())).collect();
        self.repo_set_id = RepoSetId::of(&members);
    }

    /// Looks for a workspace file from a folder upwards.
    pub fn find(start: &Path) -> Option<PathBuf> {
        start.ancestors().map(|folder| folder.join(WORKSPACE_FILE)).find(|file| file.is_file())
    }
}

/// Where a workspace file is. The links of its folder are resolved; the file itself may be a link.
pub(crate) struct Located {
    pub(crate) path: CanonicalPath,
    pub(crate) dir: PathBuf,
}

impl Located {
    pub(crate) fn of(file: &Path) -> Result<Self, ConfigError> {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let dir = folder.real_path().map_err(|error| absent(file, error))?;
        let name = file.file_name().ok_or_else(|| ConfigError::Missing(file.to_owned()))?;
        let path = CanonicalPath::from_absolute(&dir.join(name))
            .map_err(|error| ConfigError::Unreadable { path: file.to_owned(), reason: error.to_string() })?;
        Ok(Located { path, dir })
    }

    /// The file that is read and written, if the one that is named is a link to it.
    pub(crate) fn resolved(&self) -> Result<PathBuf, ConfigError> {
        let path = self.path.to_path_buf();
        path.real_path().map_err(|error| absent(&path, error))
    }
}

fn absent(path: &Path, error: std::io::Error) -> ConfigError {
    match error.kind() {
        std::io::ErrorKind::NotFound => ConfigError::Missing(path.to_owned()),
        _ => ConfigError::unreadable(path)(error),
    }
}

/// The root of a repository that a workspace names. One whose folder can't be opened is known by the path as it is written, so
/// that the rest goes on without it: whoever looks into the folder says what is wrong with it.
pub(crate) fn root_of(folder: &Path, finder: &RootFinder) -> Result<CanonicalPath, PathError> {
    finder.root(folder).or_else(|error| match error {
        RootError::Folder { .. } | RootError::NotAFolder(_) => {
            CanonicalPath::from_absolute(&resolve(folder).unwrap_or_else(|_| folder.to_owned()))
        }
        RootError::Path(error) => Err(error),
    })
}

/// Finds the folders; notes roots and aliases that two repos share.
fn found(diagnostics: &mut JsonDiagnostics<'_>, dir: &Path, file: &WorkspaceFile) -> Vec<ResolvedRepo> {
    let none = Marks::default();
    let defaults = file.defaults.as_ref().unwrap_or(&none);
    let mut roots: HashMap<CanonicalPath, usize> = HashMap::new();
    let finder = RootFinder::default();
    let root = |entry: &RepoEntry| root_of(&dir.join(entry.root.trim()), &finder);
    let roots_of: Vec<_> = file.repos.par_iter().with_min_len(FEW).map(root).collect();
    let mut repos = Vec::new();
    for ((number, entry), root) in file.repos.iter().enumerate().zip(roots_of) {
        let (text, at) = (entry.root.trim(), format!("/repos/{number}/root"));
        let root = match root {
            Ok(root) => root,
            Err(error) => {
                diagnostics.at(&at, error.to_string());
                continue;
            }
        };
        if let Some(first) = roots.insert(root.clone(), number) {
            diagnostics.at(&at, format!("`{}` is the repository {root}, as /repos/{first} is", shown(text)));
        }
        let tags = entry.tags.as_ref().or(defaults.tags.as_ref()).into_iter().flatten();
        let tags: BTreeSet<String> = tags.map(|tag| tag.trim().to_lowercase()).collect();
        repos.push(ResolvedRepo {
            repo_id: RepoId::of(&root),
            root,
            alias: entry.alias.as_ref().map(|alias| alias.trim().to_owned()),
            enabled: entry.enabled.or(defaults.enabled).unwrap_or(true),
            priority: entry.priority.or(defaults.priority).unwrap_or(0),
            tags: tags.into_iter().collect(),
        });
    }
    check_aliases(diagnostics, &file.repos, &repos);
    repos.sort_by(|a, b| a.repo_id.cmp(&b.repo_id));
    repos
}

/// An alias belongs to one repo, however it is written, and can't be taken for the id of another.
fn check_aliases(diagnostics: &mut JsonDiagnostics<'_>, entries: &[RepoEntry], repos: &[ResolvedRepo]) {
    let ids: HashMap<&str, &ResolvedRepo> = repos.iter().map(|repo| (repo.repo_id.as_str(), repo)).collect();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (number, alias) in
        entries.iter().enumerate().filter_map(|(number, entry)| Some((number, entry.alias.as_ref()?)))
    {
        let (alias, at) = (alias.trim(), format!("/repos/{number}/alias"));
        let lower = alias.to_lowercase();
        if ids.get(lower.as_str()).is_some_and(|repo| repo.alias.as_deref() != Some(alias)) {
            diagnostics.at(&at, format!("`{alias}` is the id of another repo"));
        }
        if let Some(first) = seen.get(&lower) {
            let message = format!("`{alias}` is the alias of /repos/{first} too; upper and lower case are the same");
            diagnostics.at(&at, message);
        } else {
            seen.insert(lower, number);
        }
    }
}

fn assembled(
    located: &Located,
    name: String,
    cache_root: Option<String>,
    repos: Vec<ResolvedRepo>,
) -> ResolvedWorkspace {
    let members: Vec<_> = repos.iter().map(|repo| (repo.repo_id.clone(), repo.root.clone())).collect();
    let config_hash = config_hash(&name, cache_root.as_deref(), &repos);
    ResolvedWorkspace {
        path: located.path.clone(),
        dir: located.dir.clone(),
        name,
        cache_root: cache_root.map(|root| located.dir.join(root)),
        repo_set_id: RepoSetId::of(&members),
        repos,
        config_hash,
    }
}

fn config_hash(name: &str, cache_root: Option<&str>, repos: &[ResolvedRepo]) -> String {
    let member = |ResolvedRepo { root, alias, enabled, priority, tags, .. }: &ResolvedRepo| json!({ "root": root, "alias": alias, "enabled": enabled, "priority": priority, "tags": tags });
    let repos: Vec<Value> = repos.iter().map(member).collect();
    let meaning = json!({ "schemaVersion": SCHEMA_VERSION, "name": name, "cacheRoot": cache_root, "repos": repos });
    // Strings, small integers and switches under fixed keys always have a stable form.
    let text = jcs::to_vec(&meaning).unwrap_or_default();
    Sha256::of(&text).to_string()
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
