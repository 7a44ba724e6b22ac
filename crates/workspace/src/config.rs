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

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ai_assist_base::json::{JsonDiagnostics, JsonErrors, shown};
use ai_assist_identity::{CanonicalPath, RepoId, RepoSetId, Sha256, jcs};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::{Range, Ranged};
use serde::Serialize;

use ai_assist_repo::config_error::{ConfigError, read_text};
use ai_assist_repo::layout::SCHEMA_VERSION;
use ai_assist_repo::root::{RootError, canonical_root, work_tree_top};

pub const WORKSPACE_FILE: &str = ".ai-assist-workspace.jsonc";
/// The longest alias, name or tag, in characters.
const MAX_NAME: usize = 100;
/// More repositories than this are a mistake.
const MAX_REPOS: usize = 10_000;

const KEYS: [&str; 6] = ["$schema", "schemaVersion", "name", "cacheRoot", "defaults", "repos"];
const DEFAULTS_KEYS: [&str; 3] = ["enabled", "priority", "tags"];
const REPO_KEYS: [&str; 5] = ["root", "alias", "enabled", "priority", "tags"];

/// A workspace file that was read, and whose repositories were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedWorkspace {
    /// The workspace file.
    pub path: CanonicalPath,
    /// The folder that it is in, which its paths are relative to.
    pub dir: PathBuf,
    pub name: String,
    /// Where the manifest and what belongs to it is to be kept, if it says so.
    pub cache_root: Option<PathBuf>,
    /// The repositories, by id.
    pub repos: Vec<ResolvedRepo>,
    pub repo_set_id: RepoSetId,
    /// `sha256:` of what the file means: its order, formatting and comments don't matter.
    pub config_hash: String,
}

/// A repository of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedRepo {
    pub repo_id: RepoId,
    /// Where it begins.
    pub root: CanonicalPath,
    /// What people call it.
    pub alias: Option<String>,
    /// Whether it is searched unless told otherwise.
    pub enabled: bool,
    /// The greater, the more it matters.
    pub priority: i32,
    /// Lower-case, each once, sorted.
    pub tags: Vec<String>,
}

impl ResolvedWorkspace {
    /// Reads a workspace file and finds its repositories.
    pub fn load(file: &Path) -> Result<Self, ConfigError> {
        let located = Located::of(file)?;
        Ok(Self::read(&located, &read_text(&located.resolved()?)?)?)
    }

    /// Reads the text of a workspace file.
    pub(crate) fn read(located: &Located, text: &str) -> Result<Self, JsonErrors> {
        let name = located.path.to_path_buf().display().to_string();
        let mut diagnostics = JsonDiagnostics::new(&name, text);
        let declared = diagnostics.object().map(|object| declared(&mut diagnostics, &object)).unwrap_or_default();
        let repos = found(&mut diagnostics, &located.dir, declared.repos);
        diagnostics.finish()?;
        Ok(assembled(located, declared.name, declared.cache_root, repos))
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
        let dir = folder.canonicalize().map_err(|error| absent(file, error))?;
        let name = file.file_name().ok_or_else(|| ConfigError::Missing(file.to_owned()))?;
        let path = CanonicalPath::from_absolute(&dir.join(name))
            .map_err(|error| ConfigError::Unreadable { path: file.to_owned(), reason: error.to_string() })?;
        Ok(Located { path, dir })
    }

    /// The file that is read and written, if the one that is named is a link to it.
    pub(crate) fn resolved(&self) -> Result<PathBuf, ConfigError> {
        let path = self.path.to_path_buf();
        path.canonicalize().map_err(|error| absent(&path, error))
    }
}

fn absent(path: &Path, error: std::io::Error) -> ConfigError {
    match error.kind() {
        std::io::ErrorKind::NotFound => ConfigError::Missing(path.to_owned()),
        _ => ConfigError::unreadable(path)(error),
    }
}

/// What the file says, before any folder is looked for.
#[derive(Default)]
struct Declared {
    name: String,
    cache_root: Option<String>,
    repos: Vec<DeclaredRepo>,
}

struct DeclaredRepo {
    pointer: String,
    root: Option<(String, Range)>,
    alias: Option<(String, Range)>,
    marks: Marks,
}

/// What a repo may leave to the defaults.
#[derive(Clone)]
struct Marks {
    enabled: bool,
    priority: i32,
    tags: Vec<String>,
}

fn declared<'t>(diagnostics: &mut JsonDiagnostics<'t>, object: &Object<'t>) -> Declared {
    diagnostics.keys(object, "", &KEYS);
    match object.get("schemaVersion") {
        None => diagnostics.at(object.range, "", format!("`schemaVersion` is missing; it is {SCHEMA_VERSION}")),
        Some(version) => {
            let found = version.value.as_number_lit().map(|number| number.value);
            if found != Some("1") {
                let message = format!("this program reads version {SCHEMA_VERSION} only");
                diagnostics.at(version.value.range(), "/schemaVersion", message);
            }
        }
    }
    if let Some(schema) = object.get("$schema") {
        diagnostics.string(&schema.value, "/$schema");
    }
    let name = match object.get("name") {
        Some(property) => short(diagnostics, &property.value, "/name").unwrap_or_default(),
        None => {
            diagnostics.at(object.range, "", "`name` is missing");
            String::new()
        }
    };
    let cache_root = given(object, "cacheRoot").and_then(|value| diagnostics.words(value, "/cacheRoot"));
    let plain = Marks { enabled: true, priority: 0, tags: Vec::new() };
    let defaults = match object.get("defaults").and_then(|found| diagnostics.inner(&found.value, "/defaults")) {
        Some(defaults) => {
            diagnostics.keys(defaults, "/defaults", &DEFAULTS_KEYS);
            marks(diagnostics, defaults, "/defaults", &plain)
        }
        None => plain,
    };
    Declared { name, cache_root, repos: declared_repos(diagnostics, object, &defaults) }
}

fn declared_repos<'t>(
    diagnostics: &mut JsonDiagnostics<'t>,
    object: &Object<'t>,
    defaults: &Marks,
) -> Vec<DeclaredRepo> {
    let Some(property) = object.get("repos") else {
        diagnostics.at(object.range, "", "`repos` is missing; it is a list of `{ \"root\": … }`");
        return Vec::new();
    };
    let Some(list) = diagnostics.list(&property.value, "/repos") else { return Vec::new() };
    if list.elements.len() > MAX_REPOS {
        let message = format!("it has {} repos; at most {MAX_REPOS} are read", list.elements.len());
        diagnostics.at(list.range, "/repos", message);
        return Vec::new();
    }
    let mut repos = Vec::new();
    for (number, value) in list.elements.iter().enumerate() {
        let pointer = format!("/repos/{number}");
        if let Some(repo) = diagnostics.inner(value, &pointer) {
            repos.push(declared_repo(diagnostics, repo, pointer, defaults));
        }
    }
    repos
}

fn declared_repo<'t>(
    diagnostics: &mut JsonDiagnostics<'t>,
    repo: &Object<'t>,
    pointer: String,
    defaults: &Marks,
) -> DeclaredRepo {
    diagnostics.keys(repo, &pointer, &REPO_KEYS);
    let root = match repo.get("root") {
        Some(root) => diagnostics.words(&root.value, &format!("{pointer}/root")).map(|text| (text, root.value.range())),
        None => {
            diagnostics.at(repo.range, &pointer, "`root` is missing; it is a folder in the repository");
            None
        }
    };
    let alias = given(repo, "alias")
        .and_then(|value| Some((short(diagnostics, value, &format!("{pointer}/alias"))?, value.range())));
    let marks = marks(diagnostics, repo, &pointer, defaults);
    DeclaredRepo { pointer, root, alias, marks }
}

fn marks<'t>(diagnostics: &mut JsonDiagnostics<'t>, object: &Object<'t>, pointer: &str, defaults: &Marks) -> Marks {
    let mut marks = defaults.clone();
    if let Some(found) = object.get("enabled") {
        marks.enabled = diagnostics.switch(&found.value, &format!("{pointer}/enabled")).unwrap_or(marks.enabled);
    }
    if let Some(found) = object.get("priority") {
        marks.priority = diagnostics.integer(&found.value, &format!("{pointer}/priority")).unwrap_or(marks.priority);
    }
    if let Some(found) = object.get("tags") {
        let pointer = format!("{pointer}/tags");
        let list = diagnostics.list(&found.value, &pointer);
        let texts = list.into_iter().flat_map(|list| list.elements.iter().enumerate());
        marks.tags = texts
            .filter_map(|(number, value)| short(diagnostics, value, &format!("{pointer}/{number}")))
            .map(|tag| tag.to_lowercase())
            .collect();
        marks.tags.sort();
        marks.tags.dedup();
    }
    marks
}

/// A property that is there and not null.
fn given<'o, 't>(object: &'o Object<'t>, key: &str) -> Option<&'o Value<'t>> {
    object.get(key).map(|property| &property.value).filter(|value| value.as_null_keyword().is_none())
}

/// A name for people.
fn short(diagnostics: &mut JsonDiagnostics<'_>, value: &Value<'_>, pointer: &str) -> Option<String> {
    let text = diagnostics.words(value, pointer)?;
    if text.chars().nth(MAX_NAME).is_some() {
        diagnostics.at(value.range(), pointer, format!("it has more than {MAX_NAME} characters"));
        return None;
    }
    Some(text)
}

/// Finds the folders; notes those that are not there, and roots and aliases that two repos share.
fn found(diagnostics: &mut JsonDiagnostics<'_>, dir: &Path, declared: Vec<DeclaredRepo>) -> Vec<ResolvedRepo> {
    let mut roots: HashMap<CanonicalPath, String> = HashMap::new();
    let mut repos = Vec::new();
    let mut aliases = Vec::new();
    for DeclaredRepo { pointer, root, alias, marks } in declared {
        let place = alias.as_ref().map(|(_, range)| *range);
        let alias = alias.map(|(alias, _)| alias);
        if let (Some(alias), Some(range)) = (&alias, place) {
            aliases.push((alias.clone(), range, pointer.clone()));
        }
        let Some((text, range)) = root else { continue };
        let at = format!("{pointer}/root");
        match canonical_root(&dir.join(&text), &work_tree_top) {
            Err(error) => diagnostics.at(range, &at, explained(&text, error)),
            Ok(root) => {
                if let Some(first) = roots.insert(root.clone(), pointer) {
                    diagnostics.at(range, &at, format!("`{}` is the repository {root}, as {first} is", shown(&text)));
                }
                let repo_id = RepoId::of(&root);
                let Marks { enabled, priority, tags } = marks;
                repos.push(ResolvedRepo { repo_id, root, alias, enabled, priority, tags });
            }
        }
    }
    check_aliases(diagnostics, aliases, &repos);
    repos.sort_by(|a, b| a.repo_id.cmp(&b.repo_id));
    repos
}

/// An alias belongs to one repo, however it is written, and can't be taken for the id of another.
fn check_aliases(diagnostics: &mut JsonDiagnostics<'_>, aliases: Vec<(String, Range, String)>, repos: &[ResolvedRepo]) {
    let ids: HashMap<&str, &ResolvedRepo> = repos.iter().map(|repo| (repo.repo_id.as_str(), repo)).collect();
    let mut seen: HashMap<String, String> = HashMap::new();
    for (alias, range, pointer) in aliases {
        let lower = alias.to_lowercase();
        let at = format!("{pointer}/alias");
        if ids.get(lower.as_str()).is_some_and(|repo| repo.alias.as_deref() != Some(&alias)) {
            diagnostics.at(range, &at, format!("`{alias}` is the id of another repo"));
        }
        if let Some(first) = seen.get(&lower) {
            diagnostics.at(
                range,
                &at,
                format!("`{alias}` is the alias of {first} too; upper and lower case are the same"),
            );
        } else {
            seen.insert(lower, pointer);
        }
    }
}

fn explained(text: &str, error: RootError) -> String {
    match error {
        RootError::Folder { source, .. } => format!("the folder `{}` can't be opened: {source}", shown(text)),
        RootError::NotAFolder(_) => format!("`{}` is not a folder", shown(text)),
        RootError::Path(error) => error.to_string(),
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

/// A hash of what the file means.
fn config_hash(name: &str, cache_root: Option<&str>, repos: &[ResolvedRepo]) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Meaning<'a> {
        schema_version: u32,
        name: &'a str,
        cache_root: Option<&'a str>,
        repos: Vec<Member<'a>>,
    }
    #[derive(Serialize)]
    struct Member<'a> {
        root: &'a CanonicalPath,
        alias: Option<&'a str>,
        enabled: bool,
        priority: i32,
        tags: &'a [String],
    }
    let members = repos.iter().map(|ResolvedRepo { root, alias, enabled, priority, tags, .. }| Member {
        root,
        alias: alias.as_deref(),
        enabled: *enabled,
        priority: *priority,
        tags,
    });
    let meaning = Meaning { schema_version: SCHEMA_VERSION, name, cache_root, repos: members.collect() };
    // Strings, small integers and switches under fixed keys always have a stable form.
    let text = jcs::to_vec(&meaning).unwrap_or_default();
    Sha256::of(&text).to_string()
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
