//! What a repository may say about itself: `.ai-assist.json`.
//!
//! ```jsonc
//! { "cache": { "root": ".cache/ai-assist" } }
//! ```
//!
//! The file comes with the repository, that is, from whoever wrote it. So it may move the repository's builds to a folder
//! of the repository; to one outside of it only if the user of this machine has allowed that folder; and never into git's
//! own. Nor can a repository bring builds along: see `own_cache`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
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
    /// A folder, relative to the repository's root. One outside of the repository counts once its user has allowed it.
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
    /// Where its builds are to be kept, links resolved.
    pub cache_root: Option<PathBuf>,
}

/// Where this machine keeps builds: in its own cache, and in the folders that repositories name and its user has allowed.
#[derive(Debug, Clone, Default)]
pub struct BuildCaches {
    pub shared: PathBuf,
    /// The file that names a folder outside of its repository, and the folder.
    pub allowed: BTreeSet<(PathBuf, PathBuf)>,
}

/// A cache that a repository may not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`cache.root` of {REPO_CONFIG_FILE} is `{text}`, which {why}")]
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
        let cache_root = asked.map(|text| named(&root, text.trim())).transpose()?;
        Ok(RepoConfig { cache_root })
    }
}

impl BuildCaches {
    /// Only the machine's own cache.
    pub fn shared(path: &Path) -> Self {
        BuildCaches { shared: path.to_owned(), allowed: BTreeSet::new() }
    }

    /// Where a repository's builds are: in the folder that it asks for if it may have it, else in the shared cache.
    pub fn of(&self, root: &CanonicalPath) -> Result<RepoCache, RepoConfigError> {
        let repo_id = RepoId::of(root);
        let Some(own) = RepoConfig::load(root)?.cache_root else { return Ok(RepoCache::new(&self.shared, &repo_id)) };
        let root = root.to_path_buf();
        if !own.starts_with(&root) && !self.allows(&root.join(REPO_CONFIG_FILE), &own) {
            let why = "is outside of the repository and was not allowed; allow it with: ai-assist config allow PATH";
            return Err(RefusedCache { text: shown(&own.to_string_lossy()), why }.into());
        }
        let own = own_cache(&own, &self.shared, &repo_id).map_err(RepoConfigError::Secret)?;
        Ok(RepoCache::new(&own, &repo_id))
    }

    fn allows(&self, file: &Path, folder: &Path) -> bool {
        self.allowed.iter().any(|(by, allowed)| by == file && folder.starts_with(allowed))
    }
}

/// The folder that a text names: any but the repository itself and what is git's own.
fn named(root: &Path, text: &str) -> Result<PathBuf, RefusedCache> {
    let refused = |why| RefusedCache { text: shown(text), why };
    let is_gits = |path: &Path| path.iter().any(|name| name.eq_ignore_ascii_case(".git"));
    if is_gits(Path::new(text)) {
        return Err(refused("is git's own"));
    }
    let resolved = resolve(&root.join(text)).map_err(|_| refused("can't be resolved"))?;
    match resolved.strip_prefix(root) {
        Ok(below) if below.as_os_str().is_empty() => Err(refused("is the repository itself")),
        Ok(below) if is_gits(below) => Err(refused("leads into git's own")),
        Err(_) if is_gits(&resolved) => Err(refused("leads into git's own")),
        _ => Ok(resolved),
    }
}

#[cfg(test)]
mod tests {
    use ai_assist_base::RealPath;

    use super::*;
    use std::os::unix::fs::symlink;

    fn repo() -> (tempfile::TempDir, CanonicalPath) {
        let folder = tempfile::tempdir().unwrap();
        let root = CanonicalPath::from_absolute(&folder.path().real_path().unwrap()).unwrap();
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
        let cache = BuildCaches::shared(shared.path()).of(&root).unwrap();
        assert!(cache.root.starts_with(root.to_path_buf().join(".cache/ai-assist")), "{cache:?}");
        assert_eq!(BuildCaches::shared(shared.path()).of(&root).unwrap(), cache);
        let brought_along = RepoCache::new(&root.to_path_buf().join(".cache/ai-assist"), &RepoId::of(&root));
        assert_ne!(cache, brought_along);
        std::fs::remove_file(root.to_path_buf().join(REPO_CONFIG_FILE)).unwrap();
        let cache = BuildCaches::shared(shared.path()).of(&root).unwrap();
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
            (".", "is the repository itself"),
            ("here", "is the repository itself"),
            (".git/x", "is git's own"),
            ("a/.GIT", "is git's own"),
            ("hooks/x", "leads into git's own"),
            ("dangling/x", "can't be resolved"),
        ] {
            let error = load(&root, &format!(r#"{{"cache": {{"root": "{text}"}}}}"#)).unwrap_err();
            assert!(matches!(&error, RepoConfigError::Cache(refused) if refused.why == why), "{text}: {error}");
        }
    }

    #[test]
    fn a_cache_outside_of_the_repository_needs_its_users_word() {
        let (_folder, root) = repo();
        let top = root.to_path_buf();
        let (outside, shared) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let outside = outside.path().real_path().unwrap();
        symlink(&outside, top.join("out")).unwrap();
        let mut caches = BuildCaches::shared(shared.path());
        for text in ["/etc", "../other", "out", "out/deeper/still", outside.to_str().unwrap()] {
            load(&root, &format!(r#"{{"cache": {{"root": "{text}"}}}}"#)).unwrap();
            let error = caches.of(&root).unwrap_err().to_string();
            assert!(error.contains("config allow"), "{text}: {error}");
        }
        caches.allowed.insert((top.join(REPO_CONFIG_FILE), outside.clone()));
        for text in ["out", "out/deeper/still", outside.to_str().unwrap()] {
            load(&root, &format!(r#"{{"cache": {{"root": "{text}"}}}}"#)).unwrap();
            assert!(caches.of(&root).unwrap().root.starts_with(&outside), "{text}");
        }
        load(&root, r#"{"cache": {"root": "/etc"}}"#).unwrap();
        assert!(caches.of(&root).is_err(), "one folder was allowed, not every one");
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
