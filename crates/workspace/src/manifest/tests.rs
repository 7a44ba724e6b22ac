use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use ai_assist_identity::jcs;
use ai_assist_repo::repo_config::BuildCaches;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use super::*;
use crate::test_workspace::{TestWorkspace, write_build};
use ai_assist_repo::layout::{Mode, SQLITE_DIR, STATE_FILE};

fn entry<'m>(manifest: &'m WorkspaceManifest, alias: &str) -> &'m RepoEntry {
    manifest.repos.iter().find(|repo| repo.alias.as_deref() == Some(alias)).unwrap()
}

fn codes(list: &[Diagnostic]) -> Vec<DiagnosticCode> {
    list.iter().map(|found| found.code).collect()
}

fn all_modes(repo: &RepoEntry, reason: Availability) -> bool {
    repo.indexes.iter().all(|(_, index)| index.availability_reason == reason)
}

/// Makes a file look changed, whatever the clock's grain.
fn touch(path: &Path) {
    let file = std::fs::File::options().append(true).open(path).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(7)).unwrap();
}

#[test]
fn repos_are_sorted_by_id() {
    let place = TestWorkspace::built(&["zeta", "Alpha", "mid"]);
    let manifest = place.manifest();
    let ids: Vec<&str> = manifest.repos.iter().map(|repo| repo.repo_id.as_str()).collect();
    assert!(ids.is_sorted(), "{ids:?}");
    assert_eq!(ids.len(), 3);
    assert_eq!(manifest.repo_set_id, place.load().repo_set_id);
}

#[test]
fn the_same_state_is_the_same_bytes() {
    let place = TestWorkspace::built(&["a", "b", "c", "d", "e"]);
    let first = jcs::to_vec(&place.manifest()).unwrap();
    for _ in 0..5 {
        assert_eq!(jcs::to_vec(&place.manifest()).unwrap(), first);
    }
}

#[test]
fn a_sound_build_is_present_with_its_keys() {
    let place = TestWorkspace::built(&["a"]);
    let manifest = place.manifest();
    assert_eq!(manifest.diagnostics, Diagnostics::default());
    let repo = entry(&manifest, "a");
    assert!(all_modes(repo, Availability::Present));
    let build = place.cache("a").builds().join("b1");
    for (mode, index) in repo.indexes.iter() {
        assert_eq!(index.mode, mode);
        assert_eq!(index.index_root.as_ref().unwrap().to_path_buf(), build);
        assert_eq!(index.index_dir.as_ref().unwrap().to_path_buf(), build.join(format!("index-{mode}")));
        assert!(index.present && index.index_signature_hash.is_some() && index.details.is_empty());
        let keys = (index.cohort_key.as_deref(), index.compatibility_key.as_deref());
        assert_eq!(keys, (Some(format!("{mode}-k").as_str()), Some("c")));
        let db = repo.sqlite.dbs.get(mode);
        assert_eq!(db.path.as_ref().unwrap().to_path_buf(), build.join(SQLITE_DIR).join(mode.db_name()));
        assert!(db.present && db.file_signature.as_ref().unwrap().starts_with("2:"));
    }
    assert_eq!(repo.sqlite.dir.to_path_buf(), build.join(SQLITE_DIR));
    assert_eq!(repo.build.build_id.as_deref(), Some("b1"));
}

#[test]
fn the_fields_are_those_of_the_specification() {
    let place = TestWorkspace::built(&["a"]);
    std::fs::remove_dir_all(place.index("a", Mode::Prose)).unwrap();
    let value = serde_json::to_value(place.manifest()).unwrap();
    let keys = |pointer: &str| -> Vec<String> {
        let mut keys: Vec<String> = value.pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    for (pointer, expected) in [
        ("", "diagnostics federationCacheRoot generatedAt manifestHash repoSetId repos schemaVersion workspace"),
        ("/workspace", "name workspaceConfigHash workspacePath"),
        ("/repos/0", "alias build enabled indexes priority repoCacheRoot repoId repoRootCanonical sqlite tags"),
        (
            "/repos/0/build",
            "buildId buildRoot buildRoots currentJsonExists currentJsonMtimeMs currentJsonPath modes parseOk",
        ),
        ("/repos/0/indexes", "code extracted-prose prose records"),
        (
            "/repos/0/indexes/code",
            "availabilityReason cohortKey compatibilityKey indexDir indexRoot indexSignatureHash mode present",
        ),
        ("/repos/0/sqlite", "dbs dir"),
        ("/repos/0/sqlite/dbs/code", "fileSignature path present"),
        ("/diagnostics", "errors warnings"),
        ("/diagnostics/warnings/0", "code message mode repoId"),
    ] {
        assert_eq!(keys(pointer).join(" "), expected, "{pointer}");
    }
    assert_eq!(value["generatedAt"], "2027-01-15T08:00:00.000Z");
    assert_eq!(value["diagnostics"]["warnings"][0]["code"], "index-dir-missing");
}

/// §6.2, written out by hand.
#[test]
fn the_hash_is_that_of_the_core() {
    let place = TestWorkspace::built(&["a", "b"]);
    let manifest = place.manifest();
    let whole = serde_json::to_value(&manifest).unwrap();
    let pick = |from: &Value, keys: &[&str]| -> Value {
        keys.iter().map(|key| ((*key).to_owned(), from[*key].clone())).collect::<serde_json::Map<_, _>>().into()
    };
    let per_mode = |from: &Value, keys: &[&str]| -> Value {
        let modes = from.as_object().unwrap().iter();
        modes.map(|(mode, entry)| (mode.clone(), pick(entry, keys))).collect::<serde_json::Map<_, _>>().into()
    };
    let repos: Vec<Value> = whole["repos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|repo| {
            let mut core = pick(repo, &["repoId", "repoRootCanonical", "repoCacheRoot"]);
            core["build"] = pick(&repo["build"], &["buildId", "currentJsonMtimeMs", "buildRoots"]);
            core["indexes"] = per_mode(
                &repo["indexes"],
                &["present", "indexSignatureHash", "cohortKey", "compatibilityKey", "availabilityReason"],
            );
            core["sqlite"] = per_mode(&repo["sqlite"]["dbs"], &["present", "fileSignature"]);
            core
        })
        .collect();
    let core = json!({"v": 1, "schemaVersion": 1, "repoSetId": whole["repoSetId"], "repos": repos});
    let expected = format!("wm1-{}", ai_assist_identity::Sha1::of(&jcs::to_vec(&core).unwrap()).hex());
    assert_eq!(manifest.manifest_hash.as_str(), expected);
}

#[test]
fn nothing_of_an_index_is_read_but_its_state() {
    let place = TestWorkspace::built(&["a"]);
    for name in ["g1/words/a.term", "g1/words/a.store", "g1/words/pos"] {
        let path = place.index("a", Mode::Code).join(name);
        let _ = std::fs::remove_file(&path);
        // Whoever opens a pipe waits for somebody who writes into it, and nobody does.
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
    }
    assert!(all_modes(entry(&place.manifest(), "a"), Availability::Present));
}

#[test]
fn a_repository_without_a_build_is_listed() {
    let place = TestWorkspace::new(&["a"]);
    let manifest = place.manifest();
    assert_eq!(codes(&manifest.diagnostics.warnings), [DiagnosticCode::PointerMissing]);
    let repo = entry(&manifest, "a");
    assert!(all_modes(repo, Availability::MissingIndexDir));
    assert!(!repo.build.current_json_exists && !repo.build.parse_ok);
    assert_eq!((repo.build.current_json_mtime_ms, &repo.build.build_root), (None, &None));
    assert_eq!(repo.sqlite.dir.to_path_buf(), place.cache("a").root.join(SQLITE_DIR));
}

#[test]
fn an_invalid_pointer_is_no_stale_one() {
    let place = TestWorkspace::built(&["a", "b"]);
    let before = place.manifest();
    std::fs::write(place.cache("a").current_json(), "{ not json").unwrap();
    let after = place.manifest();
    let repo = entry(&after, "a");
    assert!(repo.build.current_json_exists && !repo.build.parse_ok);
    assert_eq!((&repo.build.build_id, &repo.build.build_root), (&None, &None));
    assert!(all_modes(repo, Availability::InvalidPointer));
    assert!(repo.indexes.iter().all(|(_, index)| index.index_dir.is_none() && !index.present));
    assert!(repo.sqlite.dbs.iter().all(|(_, db)| !db.present && db.path.is_none()));
    assert_eq!(codes(&after.diagnostics.errors), [DiagnosticCode::PointerInvalid]);
    assert_eq!(entry(&after, "b"), entry(&before, "b"), "one broken repository does not touch another");
    assert_ne!(after.manifest_hash, before.manifest_hash);
}

#[test]
fn a_pointer_that_escapes_makes_every_mode_invalid() {
    let place = TestWorkspace::built(&["a"]);
    place.point(
        "a",
        &json!({
            "schemaVersion": 1, "buildId": "b1", "buildRoot": "builds/b1", "modes": [],
            "buildRoots": {"code": "builds/b1", "records": "../../../elsewhere"}, "promotedAt": "",
        }),
    );
    let manifest = place.manifest();
    assert!(all_modes(entry(&manifest, "a"), Availability::InvalidPointer));
    assert!(entry(&manifest, "a").build.build_roots.is_empty());
}

#[test]
fn modes_may_live_in_different_builds() {
    let place = TestWorkspace::built(&["a"]);
    let cache = place.cache("a");
    write_build(&cache, "b2");
    place.point(
        "a",
        &json!({
            "schemaVersion": 1, "buildId": "b2", "buildRoot": "builds/b2", "modes": ["code"],
            "buildRoots": {"prose": "builds/b1"}, "promotedAt": "",
        }),
    );
    let manifest = place.manifest();
    let repo = entry(&manifest, "a");
    let root = |mode| repo.indexes.get(mode).index_root.as_ref().map(|root| root.file_name().unwrap().to_owned());
    assert_eq!(root(Mode::Code).as_deref(), Some("b2"));
    assert_eq!(root(Mode::Prose).as_deref(), Some("b1"));
    assert_eq!(root(Mode::Records), None);
    assert_eq!(repo.indexes.records.availability_reason, Availability::MissingIndexDir);
    let db = |mode| repo.sqlite.dbs.get(mode).path.as_ref().map(ToString::to_string);
    assert!(db(Mode::Prose).unwrap().ends_with("/b1/index-sqlite/prose.index.db"));
    assert!(db(Mode::Code).unwrap().ends_with("/b2/index-sqlite/code.index.db"));
    assert_eq!(codes(&manifest.diagnostics.warnings), [DiagnosticCode::IndexDirMissing; 2]);
}

#[test]
fn a_link_inside_a_build_is_not_followed_out() {
    let place = TestWorkspace::built(&["a"]);
    let outside = place.top.join("outside");
    let index = place.index("a", Mode::Code);
    std::fs::rename(&index, &outside).unwrap();
    symlink(&outside, &index).unwrap();
    let sqlite = place.cache("a").builds().join("b1").join(SQLITE_DIR);
    std::fs::rename(&sqlite, place.top.join("dbs")).unwrap();
    symlink(place.top.join("dbs"), &sqlite).unwrap();
    let manifest = place.manifest();
    let repo = entry(&manifest, "a");
    assert_eq!(repo.indexes.code.availability_reason, Availability::InvalidPointer);
    assert!(!repo.indexes.code.present && repo.indexes.code.index_signature_hash.is_none());
    assert_eq!(repo.indexes.prose.availability_reason, Availability::Present);
    assert!(repo.sqlite.dbs.iter().all(|(_, db)| !db.present));
    assert_eq!(codes(&manifest.diagnostics.errors), [DiagnosticCode::BuildEscapes; 5]);
}

#[test]
fn keys_are_carried_over_and_missed() {
    let place = TestWorkspace::built(&["a"]);
    place.state("a", Mode::Code, &json!({"mode": "code", "cohortKey": "only"}));
    place.state("a", Mode::Prose, &json!({"compatibilityKey": "fallback", "cohortKey": null}));
    place.state("a", Mode::ExtractedProse, &json!({"mode": "extracted-prose"}));
    place.state("a", Mode::Records, &json!({"mode": "code", "cohortKey": "of another"}));
    let manifest = place.manifest();
    let repo = entry(&manifest, "a");
    let found = |mode| {
        let index = repo.indexes.get(mode);
        (index.cohort_key.as_deref(), index.compatibility_key.as_deref(), index.availability_reason)
    };
    assert_eq!(found(Mode::Code), (Some("only"), None, Availability::Present));
    assert_eq!(found(Mode::Prose), (None, Some("fallback"), Availability::Present));
    assert_eq!(found(Mode::ExtractedProse), (None, None, Availability::CompatKeyMissing));
    assert_eq!(found(Mode::Records), (None, None, Availability::CompatKeyMissing));
    assert_eq!(
        codes(&manifest.diagnostics.warnings),
        [DiagnosticCode::CompatKeyMissing, DiagnosticCode::IndexStateUnreadable, DiagnosticCode::CompatKeyMissing]
    );
}

#[test]
fn a_state_that_can_not_be_read_is_a_warning() {
    let place = TestWorkspace::built(&["a"]);
    for bad in
        ["", "[]", "{\"cohortKey\": 1}", "{\"cohortKey\": \"\"}", "{\"cohortKey\":\"a\",\"cohortKey\":\"b\"}", "{"]
    {
        std::fs::write(place.index("a", Mode::Code).join(STATE_FILE), bad).unwrap();
        let manifest = place.manifest();
        let index = &entry(&manifest, "a").indexes.code;
        assert_eq!(index.availability_reason, Availability::CompatKeyMissing, "{bad}");
        assert!(index.present && index.index_signature_hash.is_some() && index.cohort_key.is_none());
        let expected = [DiagnosticCode::IndexStateUnreadable, DiagnosticCode::CompatKeyMissing];
        assert_eq!(codes(&manifest.diagnostics.warnings), expected, "{bad}");
    }
    std::fs::remove_file(place.index("a", Mode::Code).join(STATE_FILE)).unwrap();
    assert_eq!(codes(&place.manifest().diagnostics.warnings), [DiagnosticCode::CompatKeyMissing]);
}

#[test]
fn an_index_without_its_files_says_which() {
    let place = TestWorkspace::built(&["a"]);
    std::fs::remove_file(place.index("a", Mode::Code).join("g1/vectors.i8")).unwrap();
    std::fs::remove_dir_all(place.index("a", Mode::Prose)).unwrap();
    std::fs::remove_dir_all(place.index("a", Mode::Records)).unwrap();
    std::fs::write(place.index("a", Mode::Records), "a file").unwrap();
    let manifest = place.manifest();
    let indexes = &entry(&manifest, "a").indexes;
    assert_eq!(indexes.code.availability_reason, Availability::MissingRequiredArtifacts);
    assert_eq!(indexes.code.details["missing"], "vectors.i8");
    assert!(indexes.code.present && indexes.code.cohort_key.is_some());
    assert_eq!(indexes.prose.availability_reason, Availability::MissingIndexDir);
    assert_eq!(indexes.records.availability_reason, Availability::MissingIndexDir);
    assert!(!indexes.records.present);
}

#[test]
fn a_broken_repository_is_a_diagnostic() {
    let place = TestWorkspace::built(&["config", "gone", "own"]);
    std::fs::write(place.top.join("config/.ai-assist.json"), "{ \"cache\": { \"root\": \"/etc\" } }").unwrap();
    std::fs::write(place.top.join("own/.ai-assist.json"), "{ \"cache\": { \"root\": \".cache\" } }").unwrap();
    let workspace = place.load();
    std::fs::remove_dir_all(place.top.join("gone")).unwrap();
    let options = GenerateOptions { caches: &BuildCaches::shared(&place.cache_root()), now: SystemTime::now() };
    let manifest = generate_manifest(&workspace, &options).unwrap();
    assert_eq!(manifest.repos.len(), 3);
    let errors = codes(&manifest.diagnostics.errors);
    assert_eq!(errors, [DiagnosticCode::RepoConfigInvalid, DiagnosticCode::RepoRootMissing]);
    assert!(all_modes(entry(&manifest, "config"), Availability::Present), "the shared cache is used instead");
    assert!(all_modes(entry(&manifest, "gone"), Availability::Present));
    assert!(entry(&manifest, "own").repo_cache_root.as_str().contains("/own/.cache/"));
    assert_eq!(codes(&manifest.diagnostics.warnings), [DiagnosticCode::PointerMissing]);
}

#[test]
fn two_repositories_of_one_id_are_an_error() {
    let place = TestWorkspace::new(&["a"]);
    let mut workspace = place.load();
    workspace.repos.push(workspace.repos[0].clone());
    let options = GenerateOptions { caches: &BuildCaches::shared(&place.cache_root()), now: SystemTime::now() };
    let error = generate_manifest(&workspace, &options).unwrap_err();
    assert!(matches!(error, ManifestError::DuplicateRepo { .. }), "{error}");
    let relative = GenerateOptions { caches: &BuildCaches::shared(Path::new("cache")), now: SystemTime::now() };
    assert!(matches!(generate_manifest(&place.load(), &relative), Err(ManifestError::Path(_))));
}

#[test]
fn each_change_of_an_index_changes_the_hash() {
    type Change = fn(&TestWorkspace);
    let changes: [(&str, Change); 9] = [
        ("another build", |place| place.build("a", "b2")),
        ("the pointer's time", |place| touch(&place.cache("a").current_json())),
        ("a mode of another build", |place| {
            write_build(&place.cache("a"), "b2");
            let path = place.cache("a").current_json();
            let time = path.metadata().unwrap().modified().unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            let roots = r#""buildRoots":{"code":"builds/b2"}"#;
            std::fs::write(&path, text.replace(r#""buildRoots":{}"#, roots)).unwrap();
            std::fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
        }),
        ("a file of an index", |place| touch(&place.index("a", Mode::Code).join("g1/words/a.term"))),
        ("one more file", |place| {
            std::fs::write(place.index("a", Mode::Records).join("g1/words/b.term"), "").unwrap();
        }),
        ("a key", |place| place.state("a", Mode::Prose, &json!({"cohortKey": "z", "compatibilityKey": "c"}))),
        ("a database", |place| touch(&place.cache("a").builds().join("b1/index-sqlite/code.index.db"))),
        ("a database's log", |place| {
            std::fs::write(place.cache("a").builds().join("b1/index-sqlite/code.index.db-wal"), "x").unwrap();
        }),
        ("an index less", |place| std::fs::remove_dir_all(place.index("a", Mode::ExtractedProse)).unwrap()),
    ];
    for (what, change) in changes {
        let place = TestWorkspace::built(&["a", "b"]);
        let before = place.manifest();
        change(&place);
        let after = place.manifest();
        assert_ne!(after.manifest_hash, before.manifest_hash, "{what}");
        assert_eq!(after.repo_set_id, before.repo_set_id, "{what}");
        assert_eq!(entry(&after, "b"), entry(&before, "b"), "{what}");
    }
}

/// How long a hundred repositories take that have not changed. Shown with `--no-capture`; not judged, because machines differ.
#[test]
fn a_hundred_repositories() {
    let names: Vec<String> = (0..100).map(|number| format!("repo{number:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let place = TestWorkspace::new(&names);
    for repo in place.load().repos {
        let cache = ai_assist_repo::layout::RepoCache::new(&place.cache_root(), &repo.repo_id);
        write_build(&cache, "b1");
        let pointer = json!({
            "schemaVersion": 1, "buildId": "b1", "buildRoot": "builds/b1", "promotedAt": "2026-01-01T00:00:00Z",
        });
        std::fs::write(cache.current_json(), pointer.to_string()).unwrap();
    }
    assert!(write_manifest(&place.manifest()).unwrap().changed);
    let start = Instant::now();
    let workspace = place.load();
    let loaded = start.elapsed();
    let options = GenerateOptions { caches: &BuildCaches::shared(&place.cache_root()), now: SystemTime::now() };
    let manifest = generate_manifest(&workspace, &options).unwrap();
    let generated = start.elapsed();
    let written = write_manifest(&manifest).unwrap();
    println!(
        "100 repos: load {loaded:?}, generate {:?}, compare {:?}",
        generated - loaded,
        start.elapsed() - generated
    );
    assert!(!written.changed);
    assert_eq!(manifest.diagnostics, Diagnostics::default());
}

/// Alias, tags, enabled and priority.
type Display = (Option<String>, Vec<String>, bool, i32);

fn display() -> impl Strategy<Value = Display> {
    let alias = proptest::option::of("[a-zA-Zé ]{1,8}");
    (alias, proptest::collection::vec("[a-z]{1,5}", 0..3), any::<bool>(), any::<i32>())
}

#[test]
fn what_is_only_shown_changes_no_hash_and_no_id() {
    let place = TestWorkspace::built(&["a", "b", "c"]);
    let before = place.manifest();
    let ids = |manifest: &WorkspaceManifest| manifest.repos.iter().map(|repo| repo.repo_id.clone()).collect::<Vec<_>>();
    let strategy = ("[a-z]{1,10}", proptest::collection::vec(display(), 3), Just(vec![0usize, 1, 2]).prop_shuffle());
    let mut runner = TestRunner::new(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) });
    let law = |(name, shown, order): (String, Vec<Display>, Vec<usize>)| {
        let repo = |&at: &usize| {
            let (alias, tags, enabled, priority) = &shown[at];
            let (root, alias) = (["a", "b", "c"][at], alias.as_ref().map(|alias| format!("{at}{alias}")));
            json!({"root": root, "alias": alias, "tags": tags, "enabled": enabled, "priority": priority})
        };
        let repos: Vec<Value> = order.iter().map(repo).collect();
        place.configure(&json!({"schemaVersion": 1, "name": name, "repos": repos}));
        let after = place.manifest();
        prop_assert_eq!(&after.manifest_hash, &before.manifest_hash);
        prop_assert_eq!(&after.repo_set_id, &before.repo_set_id);
        prop_assert_eq!(ids(&after), ids(&before));
        let path = write_manifest(&after).unwrap().path;
        prop_assert_eq!(read_manifest(&path).unwrap(), after);
        Ok(())
    };
    runner.run(&strategy, law).unwrap();
}

/// Puts back the times of everything below a folder, so that it counts as settled.
fn settle(folder: &Path) {
    let before = SystemTime::now() - Duration::from_secs(60);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            settle(&path);
        } else {
            std::fs::File::open(&path).unwrap().set_modified(before).unwrap();
        }
    }
    std::fs::File::open(folder).unwrap().set_modified(before).unwrap();
}

#[test]
fn what_was_found_before_says_the_same_and_hides_no_change() {
    let place = TestWorkspace::built(&["a", "b"]);
    let memo = |manifest: &WorkspaceManifest| {
        let root = manifest.federation_cache_root.to_path_buf().join("federation");
        root.join(manifest.repo_set_id.as_str()).join(memo::MEMO_FILE)
    };
    let first = place.manifest();
    assert!(!memo(&first).exists(), "what was written just now is not noted");
    settle(&place.cache("a").root);
    settle(&place.cache("b").root);
    let settled = place.manifest();
    let lines = || std::fs::read(memo(&settled)).unwrap().iter().filter(|&&b| b == b'\n').count();
    assert!(lines() > 8, "a line for each mode of both");
    assert_eq!(place.manifest(), settled);
    let index = place.cache("a").builds().join("b1").join(Mode::Code.index_dir());
    type Change = fn(&Path);
    let changes: [(&str, Change); 7] = [
        ("a file more", |index| std::fs::write(index.join("new"), "").unwrap()),
        ("a file more, deep", |index| std::fs::write(index.join("grams/new"), "").unwrap()),
        ("one that is longer", |index| std::fs::write(index.join("CURRENT"), "longer than it was").unwrap()),
        ("one that was touched", |index| touch(&index.join("CURRENT"))),
        ("another state", |index| {
            let path = index.join(STATE_FILE);
            let text = std::fs::read_to_string(&path).unwrap().replace("cohortKey", "cohortKex");
            std::fs::write(path, text).unwrap();
        }),
        ("a file less", |index| std::fs::remove_file(index.join("CURRENT")).unwrap()),
        ("a link that leads out of the cache", |index| {
            let elsewhere = index.ancestors().nth(6).unwrap().join("elsewhere");
            std::fs::rename(index, &elsewhere).unwrap();
            symlink(elsewhere, index).unwrap();
        }),
    ];
    for (what, change) in changes {
        let before = place.manifest();
        change(&index);
        let seen = place.manifest();
        assert_ne!(seen.manifest_hash, before.manifest_hash, "{what}");
        std::fs::remove_file(memo(&settled)).ok();
        assert_eq!(place.manifest(), seen, "{what}: as without the memo");
        if index.is_dir() && !index.is_symlink() {
            settle(&place.cache("a").root);
        }
        place.manifest();
    }
    settle(&place.cache("b").root);
    let whole = place.manifest();
    let bytes = std::fs::read(memo(&settled)).unwrap();
    for at in [0, 13, 40, bytes.len() - 2] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        std::fs::write(memo(&settled), damaged).unwrap();
        assert_eq!(place.manifest(), whole, "damaged at {at}");
    }
}
