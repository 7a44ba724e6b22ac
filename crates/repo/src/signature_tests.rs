use super::*;
use std::time::{Duration, SystemTime};

fn index() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("g1/words")).unwrap();
    std::fs::create_dir_all(folder.path().join("grams")).unwrap();
    let words = ["g1/words/meta.json", "g1/words/a.term", "g1/vectors.i8", "g1/scales.f32"];
    for name in words.into_iter().chain(["CURRENT", "index_state.json", "grams/segments"]) {
        std::fs::write(folder.path().join(name), name).unwrap();
    }
    folder
}

fn signature(folder: &tempfile::TempDir) -> IndexSignature {
    Artefacts::of(folder.path()).unwrap().signature(Some(b"{}"))
}

#[test]
fn an_index_that_stays_keeps_its_signature() {
    let folder = index();
    let before = signature(&folder);
    assert!(before.as_str().parse::<IndexSignature>().is_ok());
    std::fs::read(folder.path().join("CURRENT")).unwrap();
    std::fs::write(folder.path().join("g1/words/.tantivy-meta.lock"), "").unwrap();
    std::fs::write(folder.path().join("write.lock"), "").unwrap();
    assert_eq!(signature(&folder), before, "readers make locks");
    std::fs::hard_link(folder.path().join("g1/words/a.term"), folder.path().join("x.lock")).unwrap();
    assert_eq!(signature(&folder), before, "another build shares the file");
}

#[test]
fn every_change_of_a_file_changes_the_signature() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 6] = [
        ("another file", |folder| std::fs::write(folder.join("g1/words/b.term"), "").unwrap()),
        ("a file less", |folder| std::fs::remove_file(folder.join("g1/words/a.term")).unwrap()),
        ("another name", |folder| {
            std::fs::rename(folder.join("g1/words/a.term"), folder.join("g1/words/c.term")).unwrap();
        }),
        ("another size", |folder| std::fs::write(folder.join("g1/vectors.i8"), "longer than before").unwrap()),
        ("another time", |folder| {
            let file = std::fs::File::options().append(true).open(folder.join("CURRENT")).unwrap();
            file.set_modified(SystemTime::now() + Duration::from_secs(5)).unwrap();
        }),
        ("another file of the same size and time", |folder| {
            let (old, new) = (folder.join("CURRENT"), folder.join("new"));
            let time = old.metadata().unwrap().modified().unwrap();
            std::fs::write(&new, "CURRENX").unwrap();
            std::fs::File::options().append(true).open(&new).unwrap().set_modified(time).unwrap();
            std::fs::rename(&new, &old).unwrap();
        }),
    ];
    for (what, change) in changes {
        let folder = index();
        let before = signature(&folder);
        change(folder.path());
        assert_ne!(signature(&folder), before, "{what}");
    }
    let folder = index();
    let listed = Artefacts::of(folder.path()).unwrap();
    assert_ne!(listed.signature(Some(b"{}")), listed.signature(Some(b"[]")), "another state");
}

#[test]
fn an_index_must_have_its_parts() {
    assert_eq!(Artefacts::of(index().path()).unwrap().missing(), None);
    for (name, lacking) in [
        ("CURRENT", "CURRENT"),
        ("grams/segments", "grams/segments"),
        ("g1/words/meta.json", "words/meta.json"),
        ("g1/vectors.i8", "vectors.i8"),
        ("g1/scales.f32", "scales.f32"),
    ] {
        let folder = index();
        std::fs::remove_file(folder.path().join(name)).unwrap();
        assert_eq!(Artefacts::of(folder.path()).unwrap().missing(), Some(lacking));
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join(name)).unwrap();
        assert_eq!(Artefacts::of(folder.path()).unwrap().missing(), Some(lacking), "a link is not followed");
    }
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(Artefacts::of(empty.path()).unwrap().missing(), Some("CURRENT"));
}

#[test]
fn an_endless_folder_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("a/b/c/d/e/f/g/h/i/j/k")).unwrap();
    assert!(Artefacts::of(folder.path()).is_err());
}

#[test]
fn a_database_counts_with_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("code.index.db");
    let open = BuildFolder::open(folder.path()).unwrap();
    let signature = || open.db_signature("code.index.db").unwrap();
    assert_eq!(signature(), None);
    std::fs::write(&db, "12345").unwrap();
    let alone = signature().unwrap();
    assert!(alone.starts_with("5:") && !alone.contains('+'), "{alone}");
    let log = folder.path().join("code.index.db-wal");
    std::fs::write(&log, "").unwrap();
    assert_eq!(signature().unwrap(), alone, "an empty log says nothing");
    std::fs::write(&log, "123").unwrap();
    let logged = signature().unwrap();
    assert!(logged.starts_with(&format!("{alone}+3:")), "{logged}");
    std::fs::remove_file(&db).unwrap();
    std::os::unix::fs::symlink(&log, &db).unwrap();
    assert_eq!(signature(), None, "a link is not followed");
}

#[test]
fn known_files_are_digested_as_listed_ones() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::rename(index().keep(), folder.path().join("index-code")).unwrap();
    let dir = folder.path().join("index-code");
    let listed = Artefacts::of(&dir).unwrap();
    let names = listed.all_names().unwrap();
    let build = BuildFolder::open(folder.path()).unwrap();
    let known = |name: &str| build.digest(name, names.iter().copied());
    assert_eq!(known("index-code"), Some(listed.digest()));
    std::fs::write(dir.join("grams/new"), "").unwrap();
    assert_ne!(known("index-code"), Some(listed.digest()), "a file more shows in its folder");
    std::os::unix::fs::symlink("index-code", folder.path().join("link")).unwrap();
    assert!(!build.has_folder("link") && build.has_folder("index-code"));
    assert_eq!(known("link"), None, "a link is not followed");
    std::fs::remove_file(dir.join("CURRENT")).unwrap();
    assert_eq!(known("index-code"), None, "a file less");
}
