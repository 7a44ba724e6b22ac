use ai_assist_base::RealPath;

use super::*;
use crate::config::WORKSPACE_FILE;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["ws/in", "beside", "ws/../beside/two"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        Place { folder }
    }

    fn top(&self) -> PathBuf {
        self.folder.path().real_path().unwrap()
    }

    fn file(&self) -> PathBuf {
        self.top().join("ws").join(WORKSPACE_FILE)
    }

    fn init(&self) -> Result<ResolvedWorkspace, ConfigError> {
        init_workspace(&self.file(), "mine \"quoted\"")
    }

    fn add(&self, folder: &str) -> Result<ResolvedWorkspace, ConfigError> {
        let repo = NewRepo { root: self.top().join(folder), ..NewRepo::default() };
        add_repo(&self.file(), &repo)
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap()
    }
}

#[test]
fn a_workspace_is_begun_once() {
    let place = Place::new();
    assert_eq!(place.init().unwrap().name, "mine \"quoted\"");
    assert!(matches!(place.init(), Err(ConfigError::AlreadyThere(_))));
    assert_eq!(ResolvedWorkspace::load(&place.file()).unwrap().repos, []);
    assert!(init_workspace(&place.top().join("other.jsonc"), " ").is_err());
    assert!(!place.top().join("other.jsonc").exists());
}

#[test]
fn repos_are_added_as_people_would_write_them() {
    let place = Place::new();
    place.init().unwrap();
    place.add("ws/in").unwrap();
    place.add("ws").unwrap();
    let repo = NewRepo {
        root: place.top().join("beside/two"),
        alias: Some("Two".to_owned()),
        enabled: Some(false),
        priority: Some(-3),
        tags: vec!["b".to_owned(), "a".to_owned()],
    };
    let workspace = add_repo(&place.file(), &repo).unwrap();
    assert_eq!(workspace, ResolvedWorkspace::load(&place.file()).unwrap());
    let text = place.text();
    for part in [r#""root": "./in""#, r#""root": ".""#, r#""root": "../beside/two""#, r#""enabled": false"#] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let two = workspace.repos.iter().find(|repo| repo.alias.as_deref() == Some("Two")).unwrap();
    assert_eq!((two.enabled, two.priority, two.tags.join(",").as_str()), (false, -3, "a,b"));
}

#[test]
fn an_edit_keeps_comments_and_formatting() {
    let place = Place::new();
    let text = "{\n  // ours\n  \"repos\": [\n    { \"root\": \"in\" }, // first\n  ],\n  \"name\": \"w\", /* last */ \"schemaVersion\": 1\n}\n";
    std::fs::write(place.file(), text).unwrap();
    place.add("beside").unwrap();
    let changed = place.text();
    let added = changed.replace("    {\n      \"root\": \"../beside\",\n    },\n", "");
    assert_eq!(added, text, "{changed}");
}

#[test]
fn what_would_be_wrong_is_not_written() {
    let place = Place::new();
    place.init().unwrap();
    place.add("beside").unwrap();
    let before = place.text();
    for wrong in ["beside", "beside/../beside"] {
        assert!(matches!(place.add(wrong), Err(ConfigError::Invalid(_))), "{wrong}");
    }
    assert!(matches!(place.add("none"), Err(ConfigError::Root(_))));
    assert_eq!(place.text(), before);
    std::fs::write(place.file(), "{\"repos\": 3}").unwrap();
    assert!(place.add("ws/in").is_err());
    assert_eq!(place.text(), "{\"repos\": 3}");
}

#[test]
fn an_edit_goes_through_a_link() {
    let place = Place::new();
    place.init().unwrap();
    let real = place.top().join("real.jsonc");
    std::fs::rename(place.file(), &real).unwrap();
    std::os::unix::fs::symlink(&real, place.file()).unwrap();
    place.add("beside").unwrap();
    assert!(place.file().is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("../beside"));
}

#[test]
fn writers_at_once_all_keep_their_edits() {
    let place = Place::new();
    place.init().unwrap();
    for number in 0..12 {
        std::fs::create_dir(place.top().join(format!("ws/in/{number}"))).unwrap();
    }
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let place = &place;
            scope.spawn(move || {
                for number in 0..3 {
                    place.add(&format!("ws/in/{}", writer * 3 + number)).unwrap();
                }
            });
        }
    });
    assert_eq!(ResolvedWorkspace::load(&place.file()).unwrap().repos.len(), 12);
}

#[test]
fn a_repository_is_taken_out_by_any_of_its_names() {
    let place = Place::new();
    place.init().unwrap();
    let remove = |name: &str| remove_repo(&place.file(), name, &place.top());
    for folder in ["ws/in", "beside"] {
        place.add(folder).unwrap();
    }
    let text = place.text().replace("\"repos\"", "// ours\n  \"repos\"");
    std::fs::write(place.file(), text).unwrap();
    let error = remove("nobody").unwrap_err();
    assert!(matches!(error, ConfigError::UnknownRepo { .. }), "{error}");
    assert_eq!(remove("beside").unwrap().repos.len(), 1, "by its folder");
    assert!(place.text().contains("// ours"), "{}", place.text());
    std::fs::remove_dir_all(place.top().join("ws/in")).unwrap();
    assert!(remove("./in").unwrap().repos.is_empty(), "one that is gone, as it is written");
}
