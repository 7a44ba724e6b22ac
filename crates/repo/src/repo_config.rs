//! What a repository may say about itself: `.ai-assist.json`.
//!
//! ```jsonc
//! { "cache": { "root": ".cache/ai-assist" } }
//! ```
//!
//! The file comes with the repository, that is, from whoever wrote it. So it may move the repository's builds to a folder
//! of the repository, and nowhere else: a path that is absolute, has `..`, goes through git's own folder or leaves the
//! repository through a link is refused. Whoever wants the cache elsewhere says so on this machine, not in a repository.
//! Nor can a repository bring builds along: see `own_cache`.

use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use ai_assist_identity::{CanonicalPath, RepoId};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde_json::Value;

use crate::config_error::{ConfigError, read_text};
use crate::layout::RepoCache;
use crate::own_cache::own_cache;
use ai_assist_base::json::{JsonDiagnostics, shown};
use ai_assist_base::resolve;

pub const REPO_CONFIG_FILE: &str = ".ai-assist.json";

/// The schema of `.ai-assist.json`, by which it is read.
pub static SCHEMA: LazyLock<Value> = LazyLock::new(|| schema_of::<ConfigFile>("repo.schema.json"));

/// The shape of `.ai-assist.json`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "What a repository says to ai-assist")]
struct ConfigFile {
    /// The schema of this file.
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    /// The repository's cache.
    #[serde(default)]
    cache: Option<CacheOfRepo>,
}

/// The cache of a repository.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Cache")]
struct CacheOfRepo {
    /// A folder of the repository, relative to its root.
    #[schemars(length(min = 1))]
    root: Option<String>,
}

/// The JSON Schema of a type, which is committed as a file of `schemas/`.
pub fn schema_of<T: JsonSchema>(file: &str) -> Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.insert("$id".to_owned(), format!("https://ai-assist.example/schemas/{file}").into());
    }
    schema
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepoConfig {
    /// Where its builds are to be kept: a folder of the repository.
    pub cache_root: Option<PathBuf>,
}

/// A cache that a repository may not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`cache.root` of {REPO_CONFIG_FILE} is `{text}`, which {why}; it must be a folder of the repository")]
pub struct RefusedCache {
    pub text: String,
    pub why: &'static str,
}

#[derive(Debug, thiserror::Error)]
pub enum RepoConfigError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Cache(#[from] RefusedCache),
    #[error("the repository's own cache can't be used")]
    Secret(#[source] std::io::Error),
}

impl RepoConfig {
    /// Reads the file of a repository. A repository without one says nothing.
    pub fn load(root: &CanonicalPath) -> Result<Self, RepoConfigError> {
        let root = root.to_path_buf();
        let file = root.join(REPO_CONFIG_FILE);
        let text = match read_text(&file) {
            Err(ConfigError::Missing(_)) => return Ok(RepoConfig::default()),
            read => read?,
        };
        let name = file.display().to_string();
        let (said, _) = JsonDiagnostics::read::<ConfigFile>(&name, &text, &SCHEMA).map_err(ConfigError::from)?;
        let asked = said.cache.and_then(|cache| cache.root);
        let cache_root = asked.map(|text| inside(&root, text.trim())).transpose()?;
        Ok(RepoConfig { cache_root })
    }
}

/// Where a repository's builds are: in a folder of its own if it asks for one that it may have, else in the shared cache.
pub fn repo_cache(root: &CanonicalPath, shared_cache: &Path) -> Result<RepoCache, RepoConfigError> {
    let repo_id = RepoId::of(root);
    let Some(own) = RepoConfig::load(root)?.cache_root else { return Ok(RepoCache::new(shared_cache, &repo_id)) };
    let own = own_cache(&own, shared_cache, &repo_id).map_err(RepoConfigError::Secret)?;
    Ok(RepoCache::new(&own, &repo_id))
}

/// The folder of the repository that a text names.
fn inside(root: &Path, text: &str) -> Result<PathBuf, RefusedCache> {
    let refused = |why| RefusedCache { text: shown(text), why };
    let mut path = root.to_owned();
    for component in Path::new(text).components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) if name.eq_ignore_ascii_case(".git") => return Err(refused("is git's own")),
            Component::Normal(name) => path.push(name),
            Component::ParentDir => return Err(refused("has `..`")),
            Component::RootDir | Component::Prefix(_) => return Err(refused("is absolute")),
        }
    }
    if path == root {
        return Err(refused("is the repository itself"));
    }
    let resolved = resolve(&path).map_err(|_| refused("can't be resolved"))?;
    match resolved.strip_prefix(root) {
        Ok(below) if below.as_os_str().is_empty() => Err(refused("is the repository itself")),
        Ok(below) if below.iter().any(|name| name.eq_ignore_ascii_case(".git")) => Err(refused("leads into git's own")),
        Ok(_) => Ok(resolved),
        Err(_) => Err(refused("leaves the repository through a link")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn repo() -> (tempfile::TempDir, CanonicalPath) {
        let folder = tempfile::tempdir().unwrap();
        let root = CanonicalPath::from_absolute(&folder.path().canonicalize().unwrap()).unwrap();
        (folder, root)
    }

    fn load(root: &CanonicalPath, text: &str) -> Result<RepoConfig, RepoConfigError> {
        std::fs::write(root.to_path_buf().join(REPO_CONFIG_FILE), text).unwrap();
        RepoConfig::load(root)
    }

    #[test]
    fn a_repository_may_keep_its_cache_in_itself() {
        let (_folder, root) = repo();
        assert_eq!(RepoConfig::load(&root).unwrap(), RepoConfig::default());
        assert_eq!(load(&root, "{} // nothing").unwrap(), RepoConfig::default());
        let config = load(&root, r#"{"cache": {"root": "./.cache/ai-assist", /* ours */}}"#).unwrap();
        assert_eq!(config.cache_root, Some(root.to_path_buf().join(".cache/ai-assist")));
        let shared = tempfile::tempdir().unwrap();
        let cache = repo_cache(&root, shared.path()).unwrap();
        assert!(cache.root.starts_with(root.to_path_buf().join(".cache/ai-assist")), "{cache:?}");
        assert_eq!(repo_cache(&root, shared.path()).unwrap(), cache);
        let brought_along = RepoCache::new(&root.to_path_buf().join(".cache/ai-assist"), &RepoId::of(&root));
        assert_ne!(cache, brought_along);
        std::fs::remove_file(root.to_path_buf().join(REPO_CONFIG_FILE)).unwrap();
        let cache = repo_cache(&root, shared.path()).unwrap();
        assert_eq!(cache, RepoCache::new(shared.path(), &RepoId::of(&root)));
    }

    #[test]
    fn a_repository_may_not_point_anywhere_else() {
        let (_folder, root) = repo();
        let top = root.to_path_buf();
        let outside = tempfile::tempdir().unwrap();
        symlink(outside.path(), top.join("out")).unwrap();
        symlink("nowhere-yet", top.join("dangling")).unwrap();
        symlink(".git", top.join("hooks")).unwrap();
        symlink(".", top.join("here")).unwrap();
        std::fs::create_dir(top.join(".git")).unwrap();
        for (text, why) in [
            ("/etc", "is absolute"),
            ("../other", "has `..`"),
            ("a/../../b", "has `..`"),
            ("a/../b", "has `..`"),
            (".", "is the repository itself"),
            ("here", "is the repository itself"),
            (".git/x", "is git's own"),
            ("a/.GIT", "is git's own"),
            ("hooks/x", "leads into git's own"),
            ("out", "leaves the repository through a link"),
            ("out/deeper/still", "leaves the repository through a link"),
            ("dangling/x", "can't be resolved"),
        ] {
            let error = load(&root, &format!(r#"{{"cache": {{"root": "{text}"}}}}"#)).unwrap_err();
            assert!(matches!(&error, RepoConfigError::Cache(refused) if refused.why == why), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_not_a_configuration_is_an_error_with_places() {
        let (_folder, root) = repo();
        let error = load(&root, "{\n  \"cach\": {},\n  \"cache\": {\"root\": 3, \"x\": 1}\n}").unwrap_err().to_string();
        for part in [":2:3: ", "did you mean `cache`?", ":3:21: /cache/root: it must be a string", "`x` is not known"] {
            assert!(error.contains(part), "{part}: {error}");
        }
        for bad in ["", "[]", "{", r#"{"cache": 1}"#, r#"{"cache": {}, "cache": {}}"#] {
            assert!(load(&root, bad).is_err(), "{bad}");
        }
        let file = root.to_path_buf().join(REPO_CONFIG_FILE);
        std::fs::write(&file, b"{}\xff").unwrap();
        assert!(RepoConfig::load(&root).is_err());
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        assert!(RepoConfig::load(&root).is_err());
        std::fs::remove_dir(&file).unwrap();
        symlink("/dev/zero", &file).unwrap();
        assert!(RepoConfig::load(&root).is_err());
    }
}
