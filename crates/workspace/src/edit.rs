//! Changes to a workspace file that keep its order, formatting and comments.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ai_assist_base::did_you_mean;
use ai_assist_base::json::{JsonErrors, JsonFile};
use ai_assist_identity::RepoId;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstRootNode};

use crate::config::{Located, ResolvedWorkspace, root_of};
use ai_assist_base::{FileLock, RealPath, portable_path, replace_file};
use ai_assist_repo::config_error::{ConfigError, read_text};
use ai_assist_repo::layout::SCHEMA_VERSION;
use ai_assist_repo::root::{RootFinder, canonical_root, work_tree_top};

const PATIENCE: Duration = Duration::from_secs(10);
const FILE_MODE: u32 = 0o644;

#[derive(Debug, Clone, Default)]
pub struct NewRepo {
    /// An absolute path of a folder in it.
    pub root: PathBuf,
    pub alias: Option<String>,
    /// As in the file; left to the defaults if not given.
    pub enabled: Option<bool>,
    /// As in the file; left to the defaults if not given.
    pub priority: Option<i32>,
    /// As in the file; left to the defaults if there are none.
    pub tags: Vec<String>,
}

/// Writes a new workspace file without any repository.
pub fn init_workspace(file: &Path, name: &str) -> Result<ResolvedWorkspace, ConfigError> {
    let located = Located::of(file)?;
    let _lock = taken(&located.path.to_path_buf())?;
    let path = located.path.to_path_buf();
    if path.symlink_metadata().is_ok() {
        return Err(ConfigError::AlreadyThere(file.to_owned()));
    }
    let name = serde_json::Value::from(name);
    let text = format!("{{\n  \"schemaVersion\": {SCHEMA_VERSION},\n  \"name\": {name},\n  \"repos\": []\n}}\n");
    let workspace = ResolvedWorkspace::read(&located, &text)?;
    replace_file(&path, text.as_bytes(), FILE_MODE).map_err(ConfigError::unreadable(file))?;
    Ok(workspace)
}

pub fn add_repo(file: &Path, repo: &NewRepo) -> Result<ResolvedWorkspace, ConfigError> {
    canonical_root(&repo.root, &work_tree_top)?;
    change(file, |located, text, repos| {
        ResolvedWorkspace::read(located, text)?;
        repos.append(value(located, file, repo)?);
        repos.ensure_multiline();
        Ok(())
    })
}

/// Takes a repository out of a workspace file, by alias, id or folder. Its folder may be gone.
pub fn remove_repo(file: &Path, name: &str, here: &Path) -> Result<ResolvedWorkspace, ConfigError> {
    change(file, |located, _, repos| {
        let finder = RootFinder::default();
        let wanted = root_of(&here.join(name), &finder).ok();
        let text = |element: &CstNode, key: &str| {
            element.as_object()?.get(key)?.value()?.as_string_lit()?.decoded_value().ok()
        };
        let is_it = |element: &CstNode| {
            let written = text(element, "root");
            let root = written.as_ref().and_then(|root| root_of(&located.dir.join(root), &finder).ok());
            text(element, "alias").as_deref() == Some(name)
                || written.as_deref() == Some(name)
                || root.as_ref().is_some_and(|root| RepoId::of(root).as_str() == name || Some(root) == wanted.as_ref())
        };
        let elements = repos.elements();
        let Some(found) = elements.iter().find(|element| is_it(element)) else {
            let aliases: Vec<String> = elements.iter().filter_map(|element| text(element, "alias")).collect();
            let near = did_you_mean(name, aliases.iter().map(String::as_str));
            return Err(ConfigError::UnknownRepo { name: name.to_owned(), path: file.to_owned(), near });
        };
        found.clone().remove();
        Ok(())
    })
}

/// Reads a workspace file anew under the lock, changes its list of repositories, checks the outcome, and replaces it.
fn change(
    file: &Path,
    apply: impl FnOnce(&Located, &str, &CstArray) -> Result<(), ConfigError>,
) -> Result<ResolvedWorkspace, ConfigError> {
    let located = Located::of(file)?;
    let _lock = taken(&located.path.to_path_buf())?;
    let resolved = located.resolved()?;
    let text = read_text(&resolved)?;
    let name = file.display().to_string();
    let parsed = CstRootNode::parse(&text, &ai_assist_base::json::options());
    let root = parsed.map_err(|error| {
        let error = JsonFile::new(&name, &text).error(error.range(), error.kind().to_string());
        ConfigError::from(JsonErrors { errors: vec![error], more: 0 })
    })?;
    apply(&located, &text, &root.object_value_or_set().array_value_or_set("repos"))?;
    let changed = root.to_string();
    let workspace = ResolvedWorkspace::read(&located, &changed)?;
    replace_file(&resolved, changed.as_bytes(), FILE_MODE).map_err(ConfigError::unreadable(file))?;
    Ok(workspace)
}

/// The name of a repository's folder, unless another repository of the workspace is called so. Nobody wants to read ids.
pub fn free_alias(file: &Path, folder: &Path) -> Option<String> {
    let root = canonical_root(folder, &work_tree_top).ok()?;
    let name = root.file_name()?.to_owned();
    let workspace = ResolvedWorkspace::load(file).ok()?;
    let mut taken = workspace.repos.iter().filter_map(|repo| repo.alias.as_ref());
    let is_free = !taken.any(|alias| alias.to_lowercase() == name.to_lowercase());
    is_free.then_some(name)
}

fn taken(file: &Path) -> Result<FileLock, ConfigError> {
    let taken = FileLock::for_edit(file, PATIENCE).map_err(ConfigError::unreadable(file))?;
    taken.ok_or_else(|| ConfigError::Locked { path: file.to_owned(), seconds: PATIENCE.as_secs() })
}

fn value(located: &Located, file: &Path, repo: &NewRepo) -> Result<CstInputValue, ConfigError> {
    let folder = repo.root.real_path().unwrap_or_else(|_| located.dir.join(&repo.root));
    let Some(root) = portable_path(&folder, &located.dir) else {
        let reason = format!("{} is not UTF-8 and can't be written into it", repo.root.display());
        return Err(ConfigError::Unreadable { path: file.to_owned(), reason });
    };
    let tags: BTreeSet<String> = repo.tags.iter().map(|tag| tag.trim().to_lowercase()).collect();
    let tags: Vec<String> = tags.into_iter().collect();
    let texts = |texts: &[String]| texts.iter().cloned().map(CstInputValue::String).collect();
    let pairs = [
        ("root", Some(CstInputValue::String(root))),
        ("alias", repo.alias.clone().map(CstInputValue::String)),
        ("enabled", repo.enabled.map(CstInputValue::Bool)),
        ("priority", repo.priority.map(|priority| CstInputValue::Number(priority.to_string()))),
        ("tags", (!tags.is_empty()).then(|| CstInputValue::Array(texts(&tags)))),
    ];
    let pairs = pairs.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
    Ok(CstInputValue::Object(pairs))
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
