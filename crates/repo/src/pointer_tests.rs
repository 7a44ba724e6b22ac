use ai_assist_base::RealPath;

use super::*;
use ai_assist_identity::RepoId;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;

struct Place {
    _folder: tempfile::TempDir,
    top: PathBuf,
    cache: RepoCache,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().real_path().unwrap();
        let id: RepoId = "repo-0123456789ab".parse().unwrap();
        let cache = RepoCache::new(&top.join("cache"), &id);
        std::fs::create_dir_all(cache.builds().join("b1/index-code")).unwrap();
        std::fs::create_dir_all(cache.builds().join("b2")).unwrap();
        std::fs::create_dir_all(top.join("outside")).unwrap();
        Place { _folder: folder, top, cache }
    }

    fn pointer() -> Value {
        json!({
            "schemaVersion": 1, "buildId": "b1", "buildRoot": "builds/b1", "buildRoots": {}, "modes": [],
            "promotedAt": "2026-01-01T00:00:00Z",
        })
    }

    fn with(&self, key: &str, value: Value) -> PointerState {
        let mut pointer = Self::pointer();
        pointer[key] = value;
        self.read(&pointer.to_string())
    }

    fn read(&self, text: &str) -> PointerState {
        std::fs::write(self.cache.current_json(), text).unwrap();
        read_pointer(&self.cache)
    }

    fn build(&self, name: &str) -> PathBuf {
        self.cache.builds().join(name)
    }
}

/// Nothing of the pointer can be used.
#[track_caller]
fn unusable(state: &PointerState, why: &str) {
    let problem = state.problem.as_ref().expect("the pointer is taken as good").to_string();
    assert!(problem.contains(why), "{problem}");
    assert!(state.exists && state.is_invalid());
    assert_eq!(state.build_root, None);
    assert!(state.build_roots.is_empty());
    assert!(Mode::ALL.iter().all(|mode| state.index_root(*mode).is_none()));
}

/// Not even its text can be read.
#[track_caller]
fn unread(state: &PointerState, why: &str) {
    unusable(state, why);
    assert!(!state.parse_ok);
    assert_eq!(state.build_id, None);
    assert!(state.modes.is_empty());
}

#[test]
fn a_pointer_is_followed() {
    let place = Place::new();
    let state = place.with("modes", json!(["prose", "code", "code"]));
    assert!(state.exists && state.parse_ok && state.mtime_ms.is_some());
    assert_eq!((state.build_id.as_deref(), state.problem.as_ref()), (Some("b1"), None));
    assert_eq!(state.build_root, Some(place.build("b1")));
    assert_eq!(state.modes, [Mode::Code, Mode::Prose]);
}

#[test]
fn no_pointer_is_no_problem() {
    let place = Place::new();
    let state = read_pointer(&place.cache);
    assert!(!state.exists && !state.parse_ok && !state.is_invalid());
    assert_eq!((state.mtime_ms, state.build_id, state.build_root), (None, None, None));
    std::fs::remove_dir_all(&place.cache.root).unwrap();
    assert!(!read_pointer(&place.cache).exists);
}

#[test]
fn the_rule_of_the_index_root() {
    let place = Place::new();
    let all = place.with("modes", json!([]));
    assert!(Mode::ALL.iter().all(|mode| all.index_root(*mode) == Some(place.build("b1").as_path())));
    let named = place.with("modes", json!(["code"]));
    assert_eq!(named.index_root(Mode::Code), Some(place.build("b1").as_path()));
    assert_eq!(named.index_root(Mode::Prose), None);
    let mut pointer = Place::pointer();
    pointer["modes"] = json!(["code"]);
    pointer["buildRoots"] = json!({"prose": "builds/b2"});
    let different = place.read(&pointer.to_string());
    assert_eq!(different.index_root(Mode::Code), Some(place.build("b1").as_path()));
    assert_eq!(different.index_root(Mode::Prose), Some(place.build("b2").as_path()));
    assert_eq!(different.index_root(Mode::Records), None);
}

#[test]
fn a_build_that_is_gone_is_no_attack() {
    let place = Place::new();
    let state = place.with("buildRoot", json!("builds/gone"));
    assert_eq!((state.build_root.clone(), state.problem), (Some(place.build("gone")), None));
}

#[test]
fn an_absolute_root_is_refused() {
    let place = Place::new();
    unusable(&place.with("buildRoot", json!(place.build("b1"))), "is absolute");
    unusable(&place.with("buildRoot", json!("/etc")), "is absolute");
    let one_mode = place.with("buildRoots", json!({"code": "builds/b1", "prose": "/etc"}));
    unusable(&one_mode, "is absolute");
    assert!(one_mode.parse_ok);
    assert_eq!(one_mode.build_id.as_deref(), Some("b1"));
}

#[test]
fn climbing_is_refused() {
    let place = Place::new();
    for root in ["../outside", "builds/../../../outside", "builds/b1/..", "..", "builds/../builds/b1"] {
        unusable(&place.with("buildRoot", json!(root)), "climbs");
    }
}

#[test]
fn a_path_that_is_none_is_refused() {
    let place = Place::new();
    for root in ["", ".", "./builds/b1", "builds//b1", "builds/b1/", "builds\\b1", "c:x", "a\u{0}b", "a\nb"] {
        unusable(&place.with("buildRoot", json!(root)), "is no path");
    }
    unusable(&place.with("buildRoot", json!("a/".repeat(2000) + "a")), "is no path");
}

#[test]
fn a_link_out_of_the_cache_is_refused() {
    let place = Place::new();
    symlink(place.top.join("outside"), place.build("out")).unwrap();
    unusable(&place.with("buildRoot", json!("builds/out")), "through a link");
    unusable(&place.with("buildRoot", json!("builds/out/deeper")), "through a link");
    unusable(&place.with("buildRoots", json!({"records": "builds/out"})), "through a link");
    symlink(place.top.join("cache"), place.build("up")).unwrap();
    unusable(&place.with("buildRoot", json!("builds/up")), "through a link");
    symlink(&place.cache.root, place.build("self")).unwrap();
    unusable(&place.with("buildRoot", json!("builds/self")), "through a link");
}

#[test]
fn a_link_to_nowhere_is_refused() {
    let place = Place::new();
    symlink(place.top.join("not-yet"), place.build("later")).unwrap();
    unusable(&place.with("buildRoot", json!("builds/later")), "can't be resolved");
    symlink("loop", place.build("loop")).unwrap();
    unusable(&place.with("buildRoot", json!("builds/loop")), "can't be resolved");
}

#[test]
fn a_builds_folder_that_is_a_link_out_is_refused() {
    let place = Place::new();
    std::fs::rename(place.cache.builds(), place.top.join("outside/builds")).unwrap();
    symlink(place.top.join("outside/builds"), place.cache.builds()).unwrap();
    unusable(&place.read(&Place::pointer().to_string()), "through a link");
}

#[test]
fn a_link_within_the_cache_and_a_cache_behind_a_link_are_fine() {
    let place = Place::new();
    symlink("b1", place.build("alias")).unwrap();
    assert_eq!(place.with("buildRoot", json!("builds/alias")).build_root, Some(place.build("b1")));
    symlink(place.top.join("cache"), place.top.join("linked")).unwrap();
    let id: RepoId = "repo-0123456789ab".parse().unwrap();
    let linked = read_pointer(&RepoCache::new(&place.top.join("linked"), &id));
    assert_eq!((linked.build_root, linked.problem), (Some(place.build("b1")), None));
}

#[test]
fn a_malformed_file_is_as_good_as_none() {
    let place = Place::new();
    let good = Place::pointer().to_string();
    let cut = &good[..good.len() - 1];
    for text in ["", "{", "null", "[]", "\u{0}", "// x\n{}", "{}", cut, &format!("{good}{good}"), &"[".repeat(60_000)] {
        unread(&place.read(text), "malformed");
    }
    std::fs::write(place.cache.current_json(), b"{\"buildId\": \"\xff\"}").unwrap();
    unread(&read_pointer(&place.cache), "malformed");
}

#[test]
fn wrong_types_are_refused() {
    let place = Place::new();
    for (key, value) in [
        ("schemaVersion", json!("1")),
        ("schemaVersion", json!(1.5)),
        ("schemaVersion", json!(-1)),
        ("buildId", json!(7)),
        ("buildId", json!(null)),
        ("buildRoot", json!(["builds/b1"])),
        ("buildRoot", json!(null)),
        ("buildRoots", json!([])),
        ("buildRoots", json!({"code": null})),
        ("buildRoots", json!({"code": {"root": "builds/b1"}})),
        ("modes", json!("code")),
        ("modes", json!([1])),
        ("promotedAt", json!(0)),
    ] {
        unread(&place.with(key, value), "malformed");
    }
}

#[test]
fn modes_that_are_none_are_refused() {
    let place = Place::new();
    unread(&place.with("modes", json!(["code", "binary"])), "malformed");
    unread(&place.with("modes", json!(["Code"])), "malformed");
    unread(&place.with("buildRoots", json!({"../x": "builds/b1"})), "malformed");
}

#[test]
fn keys_that_occur_twice_are_refused() {
    let place = Place::new();
    let good = Place::pointer().to_string();
    let twice = good.replacen('{', r#"{"buildRoot": "builds/b2", "#, 1);
    unread(&place.read(&twice), "occurs twice");
    let roots = r#""buildRoots":{"code":"builds/b1","code":"builds/b2"}"#;
    unread(&place.read(&good.replace(r#""buildRoots":{}"#, roots)), "occurs twice");
    let unknown = good.replacen('{', r#"{"x": 1, "x": 2, "#, 1);
    unread(&place.read(&unknown), "occurs twice");
}

#[test]
fn other_versions_and_odd_ids_are_refused() {
    let place = Place::new();
    unread(&place.with("schemaVersion", json!(2)), "has version 2");
    for id in ["", ".", "..", "../x", "a/b", ".hidden", "a b", "-x", "é", "a\u{1b}[0m", &"x".repeat(200)] {
        unread(&place.with("buildId", json!(id)), "build id");
    }
}

#[test]
fn a_huge_file_is_not_read() {
    let place = Place::new();
    let mut text = Place::pointer().to_string();
    text.push_str(&" ".repeat(70_000));
    unread(&place.read(&text), "more than 65536 bytes");
    let file = std::fs::File::create(place.cache.current_json()).unwrap();
    file.set_len(1 << 40).unwrap();
    unread(&read_pointer(&place.cache), "more than 65536 bytes");
}

#[test]
fn what_is_not_a_file_is_not_read() {
    let place = Place::new();
    let path = place.cache.current_json();
    std::fs::create_dir(&path).unwrap();
    unread(&read_pointer(&place.cache), "not a regular file");
    std::fs::remove_dir(&path).unwrap();
    symlink("/dev/zero", &path).unwrap();
    unread(&read_pointer(&place.cache), "not a regular file");
    std::fs::remove_file(&path).unwrap();
    let elsewhere = place.top.join("outside/current.json");
    std::fs::write(&elsewhere, Place::pointer().to_string()).unwrap();
    symlink(&elsewhere, &path).unwrap();
    unread(&read_pointer(&place.cache), "not a regular file");
    std::fs::remove_file(&path).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
    unread(&read_pointer(&place.cache), "not a regular file");
}
