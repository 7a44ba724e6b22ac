//! Projects as both surfaces open them: real folders, a real store, real git.

#![allow(clippy::unwrap_used, reason = "the functions that tests share are test code too, which the lints don't see")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use ai_assist_app::{CollectionSync, Environment, Error, Machine, PackFiles, Project, Reach, SyncWanted};
use ai_assist_base::Cancel;
use ai_assist_collections::{DocumentRef, Layer, Lock, Origin, silent};
use ai_assist_session::NewSession;
use tempfile::TempDir;

/// A folder with a project and everything of the machine in it.
struct Place {
    folder: TempDir,
    machine: Arc<Machine>,
}

impl Place {
    fn new(layers: Vec<Layer>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        let environment = Environment { layers, ..Environment::within(folder.path()) };
        Place { machine: Machine::new(environment), folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    fn write(&self, path: &str, text: &str) -> &Self {
        let file = self.folder.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        self
    }

    fn open(&self) -> Project {
        self.machine.open(&self.root()).unwrap()
    }

    fn git(&self, arguments: &[&str]) {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let done = Command::new("git").current_dir(self.root()).args(identity).args(arguments).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
}

fn layer(key: &'static str, value: &str) -> Layer {
    Layer::new([(key, value.to_owned(), Origin::Flag)])
}

fn sync(project: &Project) -> usize {
    let mut sync = CollectionSync::new(project, SyncWanted::default()).unwrap();
    let members = project.named_members(&[]).unwrap();
    let reports: Vec<_> =
        members.iter().map(|member| sync.sync(member, &mut silent, &Cancel::default()).unwrap()).collect();
    sync.finish().unwrap();
    reports.iter().map(|report| report.documents).sum()
}

const DOCS: &str = r#"{"collections": {"docs": {"type": "file", "path": "docs"}}}"#;

#[test]
fn the_strongest_layer_of_settings_counts() {
    for (layers, config, user, expected) in [
        (Vec::new(), "{}", "{}", 10),
        (Vec::new(), "{}", r#"{"search": {"limit": 5}}"#, 5),
        (Vec::new(), r#"{"settings": {"search": {"limit": 6}}}"#, r#"{"search": {"limit": 5}}"#, 6),
        (
            vec![layer("search.limit", "8")],
            r#"{"settings": {"search": {"limit": 6}}}"#,
            r#"{"search": {"limit": 5}}"#,
            8,
        ),
        (vec![layer("search.limit", "8"), layer("search.limit", "9")], "{}", "{}", 8),
    ] {
        let place = Place::new(layers);
        place.write("project/context.json", config).write("config/config.json", user);
        assert_eq!(place.open().settings.search_limit(), expected, "{config} {user}");
    }
}

#[test]
fn a_folder_without_a_configuration_is_a_project_too() {
    let place = Place::new(Vec::new());
    let project = place.open();
    assert!(project.local.is_none() && project.members().unwrap().is_empty());
    assert_eq!(project.file(), place.root().join("context.json"));
    assert!(matches!(project.need_local(), Err(Error::Collections(_))));
    assert!(matches!(project.workspace(), Err(Error::NoWorkspace(_))));
    assert!(matches!(place.machine.open(Path::new("/nowhere")), Err(Error::NotAFolder(_))));
}

#[test]
fn a_document_is_found_wherever_it_lies() {
    let place = Place::new(Vec::new());
    place.write("project/context.json", DOCS).write("project/docs/guide.md", "# Guide\n\n## Install\n\nDo it.\n");
    place.write("project/src/lib.rs", "fn apple() {}\n");
    let project = place.open();
    assert_eq!(sync(&project), 1);
    let file = project.document("src/lib.rs", None, Reach::Machine).unwrap();
    assert_eq!(file.repo.as_deref(), Some("project"));
    let guide = project.document("guide.md", None, Reach::Machine).unwrap();
    assert_eq!(guide.collection.as_deref(), Some("docs"));
    assert_eq!(guide.section("Guide > Install").unwrap().start, 3);
    assert!(matches!(guide.section("Remove"), Err(Error::NoSection { .. })));
    assert!(matches!(project.document("none.md", None, Reach::Machine), Err(Error::NoDocument(_))));
    assert!(matches!(project.document("/etc/passwd", None, Reach::Machine), Err(Error::Path(_))));
    let reference = DocumentRef::parse("docs/guide.md:1-1");
    assert_eq!(project.collection_document(&reference, &[], false).unwrap().text, "# Guide\n");
    assert_eq!(project.documents(&[], Some("*.txt")).unwrap().len(), 0);
}

#[test]
fn a_sync_by_any_surface_writes_the_lock_of_packages() {
    let place = Place::new(Vec::new());
    place
        .write("package/manifest.json", r#"{"name": "p", "version": "1.0.0", "sources": {"glob": ["*.md"]}}"#)
        .write("package/a.md", "# Apple\n");
    let url = format!("file://{}/package/manifest.json", place.folder.path().canonicalize().unwrap().display());
    place.write("project/context.json", &format!(r#"{{"collections": {{"p": {{"type": "pkg", "url": "{url}"}}}}}}"#));
    let project = place.open();
    assert_eq!(project.refused().unwrap().len(), 1, "it lies outside");
    project.allow(&project.file(), &[place.folder.path().canonicalize().unwrap().join("package")]).unwrap();
    assert_eq!(sync(&project), 1);
    let lock = Lock::load(&Lock::path_of(&project.file())).unwrap();
    assert!(lock.collections.contains_key("p"));
}

#[test]
fn an_agent_reaches_the_sessions_of_its_project_only() {
    let place = Place::new(Vec::new());
    let project = place.open();
    let new = |name: &str, folder: &str, raw| NewSession {
        name: Some(name.parse().unwrap()),
        folder: Some(folder.to_owned()),
        raw,
        filesystem_id: "here".to_owned(),
        ..NewSession::default()
    };
    assert!(matches!(project.session(None, Reach::Machine), Err(Error::NoSession(_))));
    let root = place.root();
    let own = root.to_str().unwrap();
    for (name, folder, raw) in [("own", own, false), ("raw", own, true), ("other", "/elsewhere", false)] {
        project.create_session(new(name, folder, raw), Reach::Machine).unwrap();
        assert!(project.session(Some(name), Reach::Machine).is_ok());
    }
    assert!(matches!(project.session(Some("raw"), Reach::Project), Err(Error::RawSession(_))));
    assert!(matches!(project.session(Some("other"), Reach::Project), Err(Error::OtherFolder(_))));
    assert_eq!(project.session(None, Reach::Project).unwrap().name(), "own");
    assert_eq!(project.session(None, Reach::Machine).unwrap().name(), "raw");
    let said = project.session(Some("owm"), Reach::Project).unwrap_err().to_string();
    assert!(said.contains("did you mean `own`?"), "{said}");
}

#[test]
fn a_pack_goes_on_where_git_can_not_be_asked() {
    let place = Place::new(Vec::new());
    place.write("project/build/kept.rs", "fn kept() {}\n").write("project/src/a.rs", "fn a() {}\n");
    place.git(&["init", "-q"]);
    place.git(&["add", "-A"]);
    place.git(&["commit", "-qm", "all"]);
    let files = |changed_since: Option<&str>| PackFiles {
        root: place.root(),
        changed_since: changed_since.map(str::to_owned),
        ..PackFiles::default()
    };
    let is_included = |path: &str| {
        let chosen = files(None).choose(&Cancel::default()).unwrap();
        let explained = chosen.explain(&path.parse().unwrap()).unwrap();
        (explained.verdict == ai_assist_admit::Verdict::Included, !chosen.warnings.is_empty())
    };
    // What is tracked is sent, whatever its folder is called.
    assert_eq!(is_included("build/kept.rs"), (true, false));
    std::fs::write(place.root().join(".git/index"), "damaged").unwrap();
    assert_eq!(is_included("build/kept.rs"), (false, true));
    assert_eq!(is_included("src/a.rs"), (true, true));
    assert!(matches!(files(Some("HEAD")).choose(&Cancel::default()), Err(Error::Git(_))));
}
