//! A workspace with builds that hold what the builder's hold, as far as a manifest looks.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ai_assist_base::RealPath;
use serde_json::{Value, json};

use crate::config::{ResolvedRepo, ResolvedWorkspace, WORKSPACE_FILE};
use crate::manifest::{GenerateOptions, WorkspaceManifest, generate_manifest};
use ai_assist_repo::layout::{GRAMS_DIR, Mode, RepoCache, SQLITE_DIR, STATE_FILE};
use ai_assist_repo::repo_config::BuildCaches;

pub(crate) struct TestWorkspace {
    _folder: tempfile::TempDir,
    pub(crate) top: PathBuf,
}

impl TestWorkspace {
    /// Repositories of some names, without builds.
    pub(crate) fn new(names: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().real_path().unwrap();
        let place = TestWorkspace { _folder: folder, top };
        let repos: Vec<Value> = names.iter().map(|name| json!({"root": name, "alias": name})).collect();
        for name in names {
            std::fs::create_dir(place.top.join(name)).unwrap();
        }
        place.configure(&json!({"schemaVersion": 1, "name": "w", "repos": repos}));
        place
    }

    /// The same, each with a build `b1` of all modes.
    pub(crate) fn built(names: &[&str]) -> Self {
        let place = Self::new(names);
        for name in names {
            place.build(name, "b1");
        }
        place
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.top.join(WORKSPACE_FILE)
    }

    pub(crate) fn configure(&self, config: &Value) {
        std::fs::write(self.file(), config.to_string()).unwrap();
    }

    pub(crate) fn load(&self) -> ResolvedWorkspace {
        ResolvedWorkspace::load(&self.file()).unwrap()
    }

    pub(crate) fn repo(&self, name: &str) -> ResolvedRepo {
        let repos = self.load().repos;
        repos.into_iter().find(|repo| repo.root.file_name() == Some(name)).unwrap()
    }

    pub(crate) fn cache_root(&self) -> PathBuf {
        self.top.join("cache")
    }

    pub(crate) fn cache(&self, name: &str) -> RepoCache {
        RepoCache::new(&self.cache_root(), &self.repo(name).repo_id)
    }

    /// Writes a build of all modes and points to it.
    pub(crate) fn build(&self, name: &str, id: &str) {
        let cache = self.cache(name);
        write_build(&cache, id);
        self.point(
            name,
            &json!({
                "schemaVersion": 1, "buildId": id, "buildRoot": format!("builds/{id}"), "buildRoots": {}, "modes": [],
                "promotedAt": "2026-01-01T00:00:00Z",
            }),
        );
    }

    pub(crate) fn point(&self, name: &str, pointer: &Value) {
        std::fs::write(self.cache(name).current_json(), pointer.to_string()).unwrap();
    }

    pub(crate) fn index(&self, name: &str, mode: Mode) -> PathBuf {
        self.cache(name).builds().join("b1").join(mode.index_dir())
    }

    /// Writes another state of an index.
    pub(crate) fn state(&self, name: &str, mode: Mode, state: &Value) {
        std::fs::write(self.index(name, mode).join(STATE_FILE), state.to_string()).unwrap();
    }

    pub(crate) fn manifest(&self) -> WorkspaceManifest {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        generate_manifest(&self.load(), &GenerateOptions { caches: &BuildCaches::shared(&self.cache_root()), now })
            .unwrap()
    }
}

/// The files of a build, all of them as `ai-assist-index` names them.
pub(crate) fn write_build(cache: &RepoCache, id: &str) {
    let build = cache.builds().join(id);
    std::fs::create_dir_all(build.join(SQLITE_DIR)).unwrap();
    for mode in Mode::ALL {
        let index = build.join(mode.index_dir());
        std::fs::create_dir_all(index.join("g1/words")).unwrap();
        std::fs::create_dir_all(index.join(GRAMS_DIR)).unwrap();
        write(&index.join(GRAMS_DIR).join("segments"), "");
        write(&index.join("CURRENT"), "g1");
        let state = json!({"mode": mode, "buildId": id, "cohortKey": format!("{mode}-k"), "compatibilityKey": "c"});
        write(&index.join(STATE_FILE), &state.to_string());
        for name in
            ["words/meta.json", "words/.managed.json", "words/a.term", "words/a.store", "vectors.i8", "scales.f32"]
        {
            write(&index.join("g1").join(name), name);
        }
        write(&build.join(SQLITE_DIR).join(mode.db_name()), "db");
    }
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}
