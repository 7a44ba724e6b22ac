//! First builds, builds without changes, and builds after changes.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;

use ai_assist_base::Cancel;
use ai_assist_repo::build::{BuildError, BuildEvent, BuildReport, Origin, build_repo};
use ai_assist_repo::layout::{Mode, PointerFile, StateFile};
use ai_assist_repo::map::{MapRequest, map};
use ai_assist_repo::repo_index::{NameMatch, SymbolQuery};
use ai_assist_repo::status::{Freshness, status};

use crate::support::{Sandbox, build, hits, paths, references};

fn project() -> Sandbox {
    let sandbox = Sandbox::with_git();
    sandbox.write("src/lib.rs", "//! The shelf.\n\nuse std::fs;\n\n/// Opens the drawer.\npub fn open_drawer() {\n    fs::read(\"x\");\n}\n\npub struct Drawer;\n\nimpl Drawer {\n    pub fn close(&self) {}\n}\n");
    sandbox.write("README.md", "# Shelves\n\nWhere the drawers are kept.\n");
    sandbox.write("data/items.jsonl", "{\"item\": \"spoon\"}\n{\"item\": \"fork\"}\n");
    sandbox.write("run", "#!/bin/sh\n# counts spoons\necho 1\n");
    sandbox.write("data/shelf.csv", "name,width\nlow,3\n");
    sandbox.write("page.html", "<h1>Cupboard</h1><p>Has plates.</p>\n");
    sandbox.commit();
    sandbox
}

#[test]
fn a_first_build_has_every_file_in_its_mode() {
    let sandbox = project();
    let report = sandbox.build();
    assert_eq!((report.origin, report.unchanged, report.read, report.chunked), (Origin::Nothing, false, 6, 6));
    for (mode, expected) in [
        (Mode::Code, &["run", "src/lib.rs"][..]),
        (Mode::Prose, &["README.md", "page.html"]),
        (Mode::ExtractedProse, &["run", "src/lib.rs"]),
        (Mode::Records, &["data/items.jsonl", "data/shelf.csv"]),
    ] {
        let index = sandbox.open(mode);
        assert_eq!(paths(&index), expected, "{mode}");
        assert_eq!(index.state.documents, expected.len() as u64);
        assert_eq!(index.state.build_id, report.build_id);
        assert!(index.state.commit.is_some() && !index.state.dirty);
    }
    let remark = &hits(&sandbox.open(Mode::ExtractedProse), "opens the drawer")[0];
    assert_eq!((remark.1.as_str(), remark.2.as_str()), ("src/lib.rs", "1-5"));
    let pointer = std::fs::read(sandbox.request().cache.current_json()).unwrap();
    let pointer: PointerFile = serde_json::from_slice(&pointer).unwrap();
    assert_eq!(pointer.build_root, format!("builds/{}", report.build_id));
    assert_eq!(pointer.modes, Mode::ALL);
    assert_eq!(sandbox.builds(), [report.build_id]);
}

#[test]
fn symbols_are_found_by_name_kind_and_place() {
    let sandbox = project();
    sandbox.write("src/other.rs", "pub fn Close() {}\npub fn close_all() {}\nfn enclose() {}\n");
    sandbox.build();
    let db = sandbox.open(Mode::Code).db;
    let names = |name: NameMatch| -> Vec<String> {
        let found = db.symbols(&SymbolQuery { name, kind: None, paths: None, limit: 10 }).unwrap();
        found.iter().map(|symbol| format!("{}:{} {}", symbol.path, symbol.lines, symbol.name)).collect()
    };
    assert_eq!(names(NameMatch::Exact("close".into())), ["src/lib.rs:13 close", "src/other.rs:1 Close"]);
    assert_eq!(
        names(NameMatch::Prefix("close".into())),
        ["src/lib.rs:13 close", "src/other.rs:2 close_all", "src/other.rs:1 Close"]
    );
    assert_eq!(names(NameMatch::Contains("clos".into())).len(), 4);
    assert_eq!(names(NameMatch::Prefix("close%".into())), Vec::<String>::new());
    let symbols = db.symbols_of("src/lib.rs").unwrap();
    let close = symbols.iter().find(|symbol| symbol.name == "close").unwrap();
    assert_eq!(close.parent.as_deref(), Some("Drawer"));
    assert_eq!(close.signature.as_deref(), Some("pub fn close(&self)"));
    assert_eq!(
        db.symbols(&SymbolQuery { name: NameMatch::Contains(String::new()), kind: None, paths: None, limit: 2 })
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn a_build_without_changes_is_no_build() {
    let sandbox = project();
    let first = sandbox.build();
    let second = sandbox.build();
    assert!(second.unchanged);
    assert_eq!((second.build_id, second.chunked, second.origin), (first.build_id.clone(), 0, Origin::Own));
    assert_eq!(sandbox.builds().as_slice(), std::slice::from_ref(&first.build_id));
    let forced = ai_assist_repo::build::BuildRequest { force: true, ..sandbox.request() };
    let third = build(&forced);
    assert!(!third.unchanged && third.build_id > first.build_id);
    assert_eq!((third.origin, third.read), (Origin::Nothing, 6));
}

#[test]
fn what_was_not_touched_is_not_read() {
    let sandbox = project();
    sandbox.write("blob.bin", [0u8, 159, 146, 150, 0, 1, 2]);
    sandbox.build();
    // Stamps of files written within the last two seconds can't stand in for their content.
    std::thread::sleep(std::time::Duration::from_millis(2200));
    let second = sandbox.build();
    assert_eq!((second.unchanged, second.read), (true, 6));
    let third = sandbox.build();
    assert_eq!((third.unchanged, third.read), (true, 0));
    sandbox.write("README.md", "# Shelves\n\nAll new.\n");
    let fourth = sandbox.build();
    assert_eq!((fourth.unchanged, fourth.read, fourth.chunked), (false, 1, 1));
    let shared: Vec<Mode> = fourth.modes.iter().filter(|(_, mode)| mode.shared).map(|(mode, _)| *mode).collect();
    assert_eq!(shared, [Mode::Code, Mode::ExtractedProse, Mode::Records]);
}

#[test]
fn changes_are_followed() {
    let sandbox = project();
    sandbox.build();
    sandbox.write("src/lib.rs", "/// Locks the cabinet.\npub fn lock_cabinet() {}\n");
    sandbox.write("docs/new.md", "# Ladder\n");
    sandbox.remove("data/shelf.csv");
    std::fs::rename(sandbox.repo().join("README.md"), sandbox.repo().join("ABOUT.md")).unwrap();
    let report = sandbox.build();
    assert_eq!((report.origin, report.chunked), (Origin::Own, 3));
    let changes = |mode| {
        let mode = report.modes[&mode];
        (mode.added, mode.changed, mode.removed)
    };
    assert_eq!(changes(Mode::Code), (0, 1, 0));
    assert_eq!(changes(Mode::ExtractedProse), (0, 1, 0));
    assert_eq!(changes(Mode::Prose), (2, 0, 1));
    assert_eq!(changes(Mode::Records), (0, 0, 1));
    assert_eq!(paths(&sandbox.open(Mode::Prose)), ["ABOUT.md", "docs/new.md", "page.html"]);
    assert_eq!(paths(&sandbox.open(Mode::Records)), ["data/items.jsonl"]);
    let code = sandbox.open(Mode::Code);
    assert_eq!(hits(&code, "lock cabinet")[0].1, "src/lib.rs");
    assert!(code.state.dirty);
    assert!(code.db.symbols_of("src/lib.rs").unwrap().iter().all(|symbol| symbol.name == "lock_cabinet"));
}

#[test]
fn a_file_that_changes_its_mode_moves() {
    let sandbox = Sandbox::new();
    sandbox.write("tool", "#!/usr/bin/env python3\n\"\"\"Counts.\"\"\"\n");
    sandbox.build();
    assert_eq!(paths(&sandbox.open(Mode::Code)), ["tool"]);
    sandbox.write("tool", "now a text\n");
    sandbox.build();
    assert!(paths(&sandbox.open(Mode::Code)).is_empty());
    assert_eq!(paths(&sandbox.open(Mode::Prose)), ["tool"]);
    sandbox.write("tool", [0u8, 1, 2, 3, 0, 255]);
    sandbox.build();
    assert!(paths(&sandbox.open(Mode::Prose)).is_empty());
}

#[test]
fn modes_without_input_are_there_and_empty() {
    let sandbox = Sandbox::new();
    let report = sandbox.build();
    assert_eq!(report.modes.len(), 4);
    for mode in Mode::ALL {
        let index = sandbox.open(mode);
        assert_eq!((index.state.documents, index.state.chunks, index.reader.len()), (0, 0, 0), "{mode}");
        assert!(index.db.documents().unwrap().is_empty());
        assert!(hits(&index, "anything").is_empty());
    }
    assert!(sandbox.build().unchanged);
}

#[test]
fn one_mode_can_be_built_alone() {
    let sandbox = project();
    let mut request = sandbox.request();
    request.modes = vec![Mode::Prose];
    let first = build(&request);
    assert!(ai_assist_repo::repo_index::RepoIndex::open(&request.cache, Mode::Code).is_err());
    let all = sandbox.build();
    assert_eq!(all.modes[&Mode::Prose].added, 0);
    sandbox.write("README.md", "# Again\n");
    let third = build(&request);
    assert!(first.build_id < all.build_id && all.build_id < third.build_id);
    assert_eq!(sandbox.open(Mode::Prose).state.build_id, third.build_id);
    assert_eq!(sandbox.open(Mode::Code).state.build_id, all.build_id);
    assert!(sandbox.open(Mode::Code).build.ends_with(&all.build_id));
}

#[test]
fn ignored_and_foreign_files_stay_out() {
    let sandbox = project();
    sandbox.write(".gitignore", "private/\n");
    sandbox.write("private/plan.md", "hidden words\n");
    sandbox.write("node_modules/x/index.js", "// hidden words\n");
    sandbox.write("vendor/x.go", "package x // hidden words\n");
    sandbox.write("target/x.rs", "// hidden words\n");
    sandbox.write("gen.rs", "// Code generated by protoc. DO NOT EDIT.\n// hidden words\n");
    sandbox.build();
    for mode in Mode::ALL {
        let found = paths(&sandbox.open(mode));
        let hidden = |path: &&String| {
            ["private", "node_modules", "vendor", "target", "gen.rs"].iter().any(|name| path.starts_with(name))
        };
        assert_eq!(found.iter().find(hidden), None, "{mode}");
    }
}

#[test]
fn logs_that_git_tracks_are_records() {
    let sandbox = Sandbox::with_git();
    sandbox.write("tickets/day.log", "09:00 the harbor is open\n09:05 the harbor is shut\n");
    sandbox.commit();
    sandbox.write("debug.log", "noise\n");
    sandbox.build();
    assert_eq!(paths(&sandbox.open(Mode::Records)), ["tickets/day.log"]);
}

#[test]
fn what_code_uses_is_kept_and_mapped() {
    let sandbox = Sandbox::with_git();
    sandbox.write("src/lib.rs", "mod harbor;\npub use harbor::Harbor;\n");
    sandbox.write("src/harbor.rs", "pub struct Harbor;\n");
    sandbox
        .write("src/pier.rs", "use crate::harbor::Harbor;\n\npub fn build_pier(at: &Harbor) -> Harbor { todo!() }\n");
    sandbox.commit();
    let uses = |sandbox: &Sandbox| {
        let harbor = |(path, used): (String, Vec<(String, u32)>)| {
            let harbor = used.iter().find(|(name, _)| name == "Harbor");
            format!("{path} {}", harbor.map_or(0, |(_, count)| *count))
        };
        references(&sandbox.open(Mode::Code)).into_iter().map(harbor).collect::<Vec<String>>()
    };
    sandbox.build();
    assert_eq!(uses(&sandbox), ["src/lib.rs 1", "src/pier.rs 3"]);
    let request = MapRequest { max_tokens: 20, ..MapRequest::default() };
    assert_eq!(map(&sandbox.open(Mode::Code), &request).unwrap().render(), "src/harbor.rs\n  1 pub struct Harbor;\n");
    sandbox.write("src/pier.rs", "pub fn build_pier() {}\n");
    sandbox.write("src/quay.rs", "use crate::harbor::Harbor;\n");
    sandbox.remove("src/lib.rs");
    sandbox.build();
    assert_eq!(uses(&sandbox), ["src/quay.rs 1"]);
}

#[test]
fn moving_to_another_commit_is_a_change() {
    let sandbox = project();
    sandbox.build();
    sandbox.write("README.md", "# Other\n");
    let dirty = sandbox.build();
    sandbox.commit();
    let clean = sandbox.build();
    assert!(!clean.unchanged && clean.build_id > dirty.build_id);
    assert!(clean.modes.values().all(|mode| mode.shared), "nothing was written anew");
    assert!(!sandbox.open(Mode::Prose).state.dirty);
    let grams = |report: &BuildReport| -> BTreeSet<(OsString, u64)> {
        let folder = sandbox.request().cache.builds().join(&report.build_id).join("index-prose/grams");
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        entries.map(|entry| (entry.file_name(), entry.metadata().unwrap().ino())).collect()
    };
    assert_eq!(grams(&clean), grams(&dirty), "they are the same files");
    assert!(sandbox.build().unchanged);
}

#[test]
fn the_status_says_what_a_build_would_do() {
    let sandbox = project();
    let of = |sandbox: &Sandbox| status(&sandbox.request(), &Cancel::default()).unwrap();
    assert_eq!(of(&sandbox).freshness, Freshness::Missing);
    let report = sandbox.build();
    let now = of(&sandbox);
    assert_eq!((now.freshness, now.build_id), (Freshness::Current, Some(report.build_id)));
    assert_eq!(now.modes[&Mode::Records].documents, 2);
    sandbox.write("src/lib.rs", "fn other() {}\n");
    sandbox.write("docs/new.md", "# Ladder\n");
    sandbox.remove("data/shelf.csv");
    let stale = Freshness::Stale { added: 1, changed: 1, removed: 1, moved: true, rebuild: vec![] };
    assert_eq!(of(&sandbox).freshness, stale);
    sandbox.build();
    assert_eq!(of(&sandbox).freshness, Freshness::Current);
    let code = sandbox.open(Mode::Code).build.join("index-code");
    std::fs::remove_file(code.join("CURRENT")).unwrap();
    assert!(matches!(of(&sandbox).freshness, Freshness::Broken { reason } if reason.starts_with("code")));
    std::fs::write(sandbox.request().cache.current_json(), "{").unwrap();
    assert!(matches!(of(&sandbox).freshness, Freshness::Broken { .. }));
}

#[test]
fn a_broken_build_is_made_anew() {
    let grams = ["index-code/grams/segments", "index-code/grams/00000000.grams"];
    let others = ["index-code/CURRENT", "index-code/index_state.json", "index-sqlite/code.index.db", "hold.lock"];
    for damage in grams.into_iter().chain(others) {
        let sandbox = project();
        let first = sandbox.build();
        let build = sandbox.open(Mode::Code).build.to_owned();
        std::fs::remove_file(build.join(damage)).unwrap();
        let second = sandbox.build();
        assert!(second.build_id > first.build_id, "{damage}");
        assert_eq!(paths(&sandbox.open(Mode::Code)), ["run", "src/lib.rs"], "{damage}");
    }
}

#[test]
fn the_state_says_what_can_be_compared() {
    let (one, two) = (project(), project());
    one.build();
    two.write("x.rs", "fn more() {}\n");
    two.build();
    let states: Vec<StateFile> = [&one, &two].iter().map(|sandbox| sandbox.open(Mode::Code).state).collect();
    assert_eq!(states[0].cohort_key, states[1].cohort_key);
    assert_ne!(states[0].cohort_key, one.open(Mode::Prose).state.cohort_key);
}

#[test]
fn a_cancelled_build_leaves_nothing() {
    let sandbox = project();
    let first = sandbox.build();
    sandbox.write("src/lib.rs", "fn other() {}\n");
    sandbox.write("README.md", "# Other\n");
    let mut finished = false;
    // Every early moment, and then fewer and fewer, for git is waited for with many a question.
    for moment in std::iter::successors(Some(0usize), |moment| Some(moment + 1 + moment / 8)).take(120) {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let cancel = Cancel::when(move || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= moment);
        if build_repo(&sandbox.request(), &cancel, &mut |_| {}).is_ok() {
            finished = true;
            break;
        }
        assert_eq!(sandbox.builds().as_slice(), std::slice::from_ref(&first.build_id), "{moment}");
        assert_eq!(hits(&sandbox.open(Mode::Code), "opens drawer")[0].1, "src/lib.rs");
    }
    assert!(finished);
    assert_eq!(sandbox.builds().len(), 2);
}

/// 16.1: a build that is asked to stop while it is at a single file hears it there, at every step of the way.
#[test]
fn a_build_hears_a_cancel_within_one_file() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    let code: String = (0..6000).map(|n| format!("/// Opens {n}.\nfn f{n}(a: u64) -> u64 {{ g{n}(a) }}\n\n")).collect();
    let prose: String = (0..9000).map(|n| format!("# Part {n}\n\nOf the whole, {n} parts are here.\n\n")).collect();
    for (name, text) in [("a.rs", code), ("a.md", prose)] {
        let sandbox = Sandbox::new();
        sandbox.write(name, text);
        // Between files and phases it is asked a dozen times; git, which is waited for with many a question, is done by then.
        for moment in [40, 80, 160, 320] {
            let (reading, asked) = (Arc::new(AtomicBool::new(false)), AtomicUsize::new(0));
            let begun = reading.clone();
            let cancel =
                Cancel::when(move || begun.load(Ordering::Relaxed) && asked.fetch_add(1, Ordering::Relaxed) >= moment);
            let built = build_repo(&sandbox.request(), &cancel, &mut |event| {
                if matches!(event, BuildEvent::Reading(_)) {
                    reading.store(true, Ordering::Relaxed);
                }
            });
            assert!(
                matches!(built, Err(BuildError::Cancelled)),
                "{name} was not stopped at question {moment}: {built:?}"
            );
        }
        assert!(sandbox.builds().is_empty());
        // Nothing that was done by halves is kept for the next one.
        let report = sandbox.build();
        let fresh = Sandbox::new();
        fresh.write(name, std::fs::read_to_string(sandbox.repo().join(name)).unwrap());
        assert_eq!(report.modes, fresh.build().modes);
    }
}
