//! Pointers that nobody should follow, and builds that are not what they seem.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use ai_assist_base::Cancel;
use ai_assist_repo::build::BuildError;
use ai_assist_repo::gc::gc;
use ai_assist_repo::layout::{Mode, RepoCache};
use ai_assist_repo::repo_index::RepoIndex;
use ai_assist_repo::status::{Freshness, status};
use serde_json::{Value, json};

use crate::support::{Sandbox, build, paths};

/// A repository with one build, and a whole build outside of its cache that a careless reader would open.
struct Trap {
    sandbox: Sandbox,
    cache: RepoCache,
    outside: PathBuf,
    build_id: String,
}

impl Trap {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.write("a.rs", "fn inside() {}\n");
        sandbox.write("a.md", "# Inside\n");
        let first = sandbox.build().build_id;
        sandbox.write("a.rs", "fn inside_again() {}\n");
        let build_id = sandbox.build().build_id;
        let cache = sandbox.request().cache;
        let outside = sandbox.root().join("outside");
        std::fs::rename(cache.builds().join(first), &outside).unwrap();
        Trap { sandbox, cache, outside, build_id }
    }

    fn pointer(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.cache.current_json()).unwrap()).unwrap()
    }

    fn point(&self, pointer: &Value) {
        std::fs::write(self.cache.current_json(), pointer.to_string()).unwrap();
    }

    /// Lets the pointer and all of its modes lead to one folder.
    fn point_to(&self, root: &str) {
        let mut pointer = self.pointer();
        pointer["buildRoot"] = json!(root);
        let roots = pointer["buildRoots"].as_object_mut().unwrap();
        roots.values_mut().for_each(|found| *found = json!(root));
        self.point(&pointer);
    }
}

type Spring = fn(&Trap);

const TRAPS: [(&str, Spring, &str); 11] = [
    ("absolute", |trap| trap.point_to(trap.outside.to_str().unwrap()), "is absolute"),
    ("climbing", |trap| trap.point_to("builds/../../../../outside"), "climbs with `..`"),
    (
        "a link",
        |trap| {
            symlink(&trap.outside, trap.cache.builds().join("link")).unwrap();
            trap.point_to("builds/link");
        },
        "leaves the repository's cache through a link",
    ),
    (
        "a dangling link",
        |trap| {
            symlink("nowhere", trap.cache.builds().join("link")).unwrap();
            trap.point_to("builds/link");
        },
        "can't be resolved",
    ),
    ("no JSON", |trap| std::fs::write(trap.cache.current_json(), "{").unwrap(), "is malformed"),
    (
        "a name twice",
        |trap| {
            let text = trap.pointer().to_string().replacen('{', "{\"buildId\": \"other\", ", 1);
            std::fs::write(trap.cache.current_json(), text).unwrap();
        },
        "is malformed",
    ),
    (
        "another version",
        |trap| {
            let mut pointer = trap.pointer();
            pointer["schemaVersion"] = json!(7);
            trap.point(&pointer);
        },
        "has version 7",
    ),
    ("huge", |trap| std::fs::write(trap.cache.current_json(), vec![b' '; 1 << 20]).unwrap(), "more than 65536 bytes"),
    (
        "a folder in its place",
        |trap| {
            std::fs::remove_file(trap.cache.current_json()).unwrap();
            std::fs::create_dir(trap.cache.current_json()).unwrap();
            std::fs::write(trap.cache.current_json().join("file"), "").unwrap();
        },
        "not a regular file",
    ),
    (
        "a link in its place",
        |trap| {
            let moved = trap.sandbox.root().join("pointer");
            std::fs::rename(trap.cache.current_json(), &moved).unwrap();
            symlink(moved, trap.cache.current_json()).unwrap();
        },
        "not a regular file",
    ),
    (
        "one mode of several",
        |trap| {
            let mut pointer = trap.pointer();
            pointer["buildRoots"]["prose"] = json!(trap.outside);
            trap.point(&pointer);
        },
        "is absolute",
    ),
];

/// Every name below a folder, with the size of the files.
fn listing(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let (path, metadata) = entry.map(|entry| (entry.path(), entry.metadata().unwrap())).unwrap();
            if metadata.is_dir() {
                folders.push(path);
            } else {
                found.push((path, metadata.len()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn hostile_pointers_are_not_followed_and_a_build_replaces_them() {
    for (name, spring, problem) in TRAPS {
        let trap = Trap::new();
        spring(&trap);
        let before = listing(&trap.outside);
        for mode in Mode::ALL {
            let opened = RepoIndex::open(&trap.cache, mode);
            assert!(matches!(opened, Err(BuildError::NoBuild(_))), "{name}: {opened:?}");
        }
        assert!(RepoIndex::open_modes(&trap.cache, &Mode::ALL).is_err(), "{name}");
        let found = status(&trap.sandbox.request(), &Cancel::default()).unwrap();
        assert!(
            matches!(&found.freshness, Freshness::Broken { reason } if reason.contains(problem)),
            "{name}: {found:?}"
        );
        assert_eq!(found.build_id, None, "{name}");
        let collected = gc(&trap.cache, &BTreeSet::new(), false, &Cancel::default()).unwrap();
        assert_eq!((collected.removed.len(), collected.kept.len()), (0, 1), "{name}");
        let report = trap.sandbox.build();
        assert!(!report.unchanged && report.build_id > trap.build_id, "{name}");
        assert_eq!(paths(&trap.sandbox.open(Mode::Code)), ["a.rs"], "{name}");
        assert_eq!(
            status(&trap.sandbox.request(), &Cancel::default()).unwrap().freshness,
            Freshness::Current,
            "{name}"
        );
        assert_eq!(listing(&trap.outside), before, "{name}");
        let leftovers: Vec<String> = trap.sandbox.builds().into_iter().filter(|name| name.starts_with('.')).collect();
        assert_eq!(leftovers, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn roots_that_hold_no_build_are_no_build() {
    for root in ["builds", "builds/.building-x", "other/x", "builds/gone"] {
        let trap = Trap::new();
        trap.point_to(root);
        assert!(RepoIndex::open(&trap.cache, Mode::Code).is_err(), "{root}");
        assert!(!trap.sandbox.build().unchanged, "{root}");
        assert_eq!(paths(&trap.sandbox.open(Mode::Code)), ["a.rs"], "{root}");
    }
}

#[test]
fn links_in_a_build_are_not_followed() {
    let parts = ["index-code", "index-code/CURRENT", "index-code/g1", "index-code/g1/vectors.i8", "index-sqlite"];
    for part in parts.into_iter().chain(["index-code/index_state.json", "index-sqlite/code.index.db", "hold.lock"]) {
        let trap = Trap::new();
        let here = trap.cache.builds().join(&trap.build_id).join(part);
        let there = trap.sandbox.root().join("moved");
        std::fs::rename(&here, &there).unwrap();
        symlink(&there, &here).unwrap();
        assert!(RepoIndex::open(&trap.cache, Mode::Code).is_err(), "{part}");
        let found = status(&trap.sandbox.request(), &Cancel::default()).unwrap();
        assert!(matches!(found.freshness, Freshness::Broken { .. }), "{part}: {found:?}");
        assert!(!trap.sandbox.build().unchanged, "{part}");
        assert_eq!(paths(&trap.sandbox.open(Mode::Code)), ["a.rs"], "{part}");
    }
}

#[test]
fn modes_may_stand_in_different_builds() {
    let trap = Trap::new();
    trap.sandbox.write("a.md", "# Newer\n");
    let mut request = trap.sandbox.request();
    request.modes = vec![Mode::Prose];
    let prose = build(&request).build_id;
    let open = RepoIndex::open_modes(&trap.cache, &[Mode::Code, Mode::Prose]).unwrap();
    let builds: Vec<&str> = open.iter().map(|index| index.state.build_id.as_str()).collect();
    assert_eq!(builds, [&trap.build_id, &prose]);
    assert_eq!(gc(&trap.cache, &BTreeSet::new(), false, &Cancel::default()).unwrap().removed, Vec::<String>::new());
    assert_eq!(status(&trap.sandbox.request(), &Cancel::default()).unwrap().freshness, Freshness::Current);
    // The build that the pointer itself names has only the prose.
    let mut pointer = trap.pointer();
    pointer["buildRoots"] = json!({});
    pointer["modes"] = json!(["prose"]);
    trap.point(&pointer);
    assert!(matches!(RepoIndex::open(&trap.cache, Mode::Code), Err(BuildError::NoBuild(_))));
    assert_eq!(trap.sandbox.open(Mode::Prose).state.build_id, prose);
}

#[test]
fn a_cache_is_found_by_the_root_that_a_manifest_names() {
    let trap = Trap::new();
    assert_eq!(RepoCache { root: trap.cache.root.to_owned() }, trap.cache);
}
