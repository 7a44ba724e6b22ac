use ai_assist_base::RealPath;
use proptest::prelude::*;

use super::*;

/// A folder with the repositories `a`, `b`, `c` and a workspace file.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Place { folder }
    }

    fn top(&self) -> PathBuf {
        self.folder.path().real_path().unwrap()
    }

    fn load(&self, text: &str) -> Result<ResolvedWorkspace, ConfigError> {
        let file = self.folder.path().join(WORKSPACE_FILE);
        std::fs::write(&file, text).unwrap();
        ResolvedWorkspace::load(&file)
    }

    fn repos(&self, repos: &str) -> Result<ResolvedWorkspace, ConfigError> {
        self.load(&format!("{{\"schemaVersion\": 1, \"name\": \"w\", \"repos\": [{repos}]}}"))
    }

    fn errors(&self, text: &str) -> Vec<String> {
        let prefix = format!("{}:", self.top().join(WORKSPACE_FILE).display());
        match self.load(text).unwrap_err() {
            ConfigError::Invalid(errors) => {
                errors.errors.iter().map(|error| error.to_string().replace(&prefix, "")).collect()
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn a_workspace_is_read_with_its_defaults() {
    let place = Place::new();
    let workspace = place
        .load(
            r#"// ours
            {
              "schemaVersion": 1,
              "name": "  Services ",
              "cacheRoot": "./.cache",
              "defaults": { "priority": 5, "tags": ["Backend"] },
              "repos": [
                { "root": "a", "alias": "Orders", "tags": [" Core", "core", "API "] },
                { "root": "./b", "alias": null, "enabled": false, "priority": -1, },
              ],
            }"#,
        )
        .unwrap();
    assert_eq!(workspace.name, "Services");
    assert_eq!(workspace.dir, place.top());
    assert_eq!(workspace.cache_root, Some(place.top().join("./.cache")));
    let by_root = |name: &str| {
        let root = CanonicalPath::from_absolute(&place.top().join(name)).unwrap();
        workspace.repos.iter().find(|repo| repo.root == root).unwrap()
    };
    let (a, b) = (by_root("a"), by_root("b"));
    assert_eq!((a.alias.as_deref(), a.enabled, a.priority), (Some("Orders"), true, 5));
    assert_eq!(a.tags, ["api", "core"]);
    assert_eq!((b.alias.as_deref(), b.enabled, b.priority), (None, false, -1));
    assert_eq!(b.tags, ["backend"]);
    assert_eq!(a.repo_id, RepoId::of(&a.root));
    assert!(workspace.config_hash.starts_with("sha256:"));
}

#[test]
fn the_check_values_of_the_decisions() {
    let repo = |root: &str| {
        let root: CanonicalPath = root.parse().unwrap();
        let repo_id = RepoId::of(&root);
        ResolvedRepo { repo_id, root, alias: None, enabled: true, priority: 0, tags: Vec::new() }
    };
    let located = Located { path: "/srv/ws/w.jsonc".parse().unwrap(), dir: PathBuf::from("/srv/ws") };
    let repos = vec![repo("/srv/ws/alpha.core"), repo("/srv/ws/Service_A")];
    let workspace = assembled(&located, "w".to_owned(), None, repos);
    assert_eq!(workspace.repos[0].repo_id.as_str(), "alpha-core-60c3bb396a91");
    assert_eq!(workspace.repos[1].repo_id.as_str(), "service-a-08ebb2fc2540");
    assert_eq!(workspace.repo_set_id.as_str(), "ws1-f7eb51b3cff4c2a29fc47058da28818bd78203e2");
}

#[test]
fn every_error_is_shown_with_its_place() {
    let place = Place::new();
    let misshapen = r#"{
  "schemaVersion": 2,
  "nmae": "w",
  "defaults": { "enabled": "yes", "colour": 1 },
  "repos": [
    { "alias": "" },
    { "root": "none", "priority": 1.5, "tags": ["t", 3, " "] },
    "b",
    { "root": "b", "root": "c" }
  ]
}"#;
    let shapes = [
        "1:1: `name` is missing",
        "2:20: /schemaVersion: it must be 1",
        "3:3: the key `nmae` is not known; did you mean `name`?",
        "4:28: /defaults/enabled: it must be true or false",
        "4:35: /defaults: the key `colour` is not known; known here: enabled, priority, tags",
        "6:5: /repos/0: `root` is missing",
        "6:16: /repos/0/alias: it is empty",
        "7:35: /repos/1/priority: it must be an integer",
        "7:54: /repos/1/tags/1: it must be a string",
        "7:57: /repos/1/tags/2: it is empty",
        "8:5: /repos/2: it must be an object",
        "9:20: /repos/3: the key `root` is there twice",
    ];
    let misplaced = r#"{
  "schemaVersion": 1, "name": "w",
  "repos": [
    { "root": "a", "alias": "X" },
    { "root": "a/../a", "alias": "x" },
    { "root": "none" }
  ]
}"#;
    let places =
        ["5:15: /repos/1/root: `a/../a` is the repository", "5:34: /repos/1/alias: `x` is the alias of /repos/0 too"];
    for (text, expected) in [(misshapen, &shapes[..]), (misplaced, &places)] {
        let errors = place.errors(text);
        assert_eq!(errors.len(), expected.len(), "{errors:#?}");
        for (error, expected) in errors.iter().zip(expected) {
            assert!(error.starts_with(expected), "{expected}\n{errors:#?}");
        }
    }
}

#[test]
fn what_is_no_workspace_file_is_refused() {
    let place = Place::new();
    for (text, expected) in [
        ("", "1:1: the file is empty"),
        ("[]", "1:1: the file must hold one object"),
        ("{\"name\": ", "1:"),
        ("{\"schemaVersion\": 1, \"name\": \"w\"}", "1:1: `repos` is missing"),
        ("{\"schemaVersion\": 1.0, \"name\": \"w\", \"repos\": []}", "1:19: /schemaVersion"),
        ("{\"schemaVersion\": 1, \"name\": \"a\\nb\", \"repos\": []}", "1:30: /name: it has a control character"),
        (
            "{\"schemaVersion\": 1, \"name\": \"w\", \"repos\": [{\"root\": \"a\\u0000\"}]}",
            "1:54: /repos/0/root: it has a control",
        ),
    ] {
        let errors = place.errors(text);
        assert!(errors[0].starts_with(expected), "{text}: {errors:?}");
        assert_eq!(errors.len(), 1, "{errors:?}");
    }
    let file = place.folder.path().join(WORKSPACE_FILE);
    std::fs::remove_file(&file).unwrap();
    assert!(matches!(ResolvedWorkspace::load(&file), Err(ConfigError::Missing(_))));
    std::fs::create_dir(&file).unwrap();
    assert!(matches!(ResolvedWorkspace::load(&file), Err(ConfigError::Unreadable { .. })));
    std::fs::remove_dir(&file).unwrap();
    std::fs::write(&file, vec![b' '; 2 << 20]).unwrap();
    let error = ResolvedWorkspace::load(&file).unwrap_err().to_string();
    assert!(error.contains("it has more than 1048576 bytes"), "{error}");
}

#[test]
fn a_flood_of_errors_is_cut() {
    let place = Place::new();
    let keys: Vec<String> = (0..5000).map(|number| format!("\"k{number}\": 1")).collect();
    let ConfigError::Invalid(errors) = place.load(&format!("{{{}}}", keys.join(","))).unwrap_err() else {
        panic!("another kind of error")
    };
    assert_eq!((errors.errors.len(), errors.more), (100, 4903));
    assert!(errors.to_string().ends_with("and 4903 more"));
}

#[test]
fn folders_of_one_repository_are_the_same_repository() {
    let place = Place::new();
    std::fs::create_dir_all(place.top().join("a/.git/objects")).unwrap();
    std::fs::create_dir_all(place.top().join("a/.git/refs")).unwrap();
    std::fs::write(place.top().join("a/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::create_dir_all(place.top().join("a/src/deep")).unwrap();
    std::os::unix::fs::symlink(place.top().join("a"), place.top().join("link")).unwrap();
    let workspace = place.repos(r#"{"root": "a/src/deep"}"#).unwrap();
    assert_eq!(workspace.repos[0].root.to_path_buf(), place.top().join("a"));
    for second in ["a", "link", "link/src"] {
        let error = place.repos(&format!(r#"{{"root": "a/src/deep"}}, {{"root": "{second}"}}"#)).unwrap_err();
        assert!(error.to_string().contains("as /repos/0 is"), "{error}");
    }
}

#[test]
fn an_alias_is_not_the_id_of_another() {
    let place = Place::new();
    let id = place.repos(r#"{"root": "a"}"#).unwrap().repos[0].repo_id.clone();
    let error = place.repos(&format!(r#"{{"root": "a"}}, {{"root": "b", "alias": "{id}"}}"#)).unwrap_err();
    assert!(error.to_string().contains("is the id of another repo"), "{error}");
    assert!(place.repos(&format!(r#"{{"root": "a", "alias": "{id}"}}"#)).is_ok());
}

#[test]
fn a_workspace_is_found_from_below() {
    let place = Place::new();
    place.repos("").unwrap();
    let top = place.top();
    assert_eq!(ResolvedWorkspace::find(&top.join("a")), Some(top.join(WORKSPACE_FILE)));
    assert_eq!(ResolvedWorkspace::load(&top.join(WORKSPACE_FILE)).unwrap().repos, []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_order_of_repos_and_how_they_are_written_mean_nothing(
        order in Just(vec![0, 1, 2]).prop_shuffle(),
        spaces in "[ \\n\\t]{0,3}(// x\\n)?",
    ) {
        let place = Place::new();
        let repo = [
            r#"{"root": "a", "alias": "A", "tags": ["x", "y"]}"#,
            r#"{"root": "b", "priority": 3}"#,
            r#"{"root": "c", "enabled": false}"#,
        ];
        let straight = place.repos(&repo.join(",")).unwrap();
        let shuffled: Vec<&str> = order.iter().map(|&at| repo[at]).collect();
        prop_assert_eq!(place.repos(&shuffled.join(&format!(",{spaces}"))).unwrap(), straight);
    }
}
