//! `collections sync`: plan, report, and what is written.

use super::{DOCS, shows};
use crate::support::{Sandbox, bytes_below};

/// Everything that the database says of documents, but for when it was looked at.
fn documents(sandbox: &Sandbox) -> Vec<String> {
    let listed = sandbox.json(&["ref", "ls"]);
    let found = sandbox.json(&["ref", "search", "--no-sync", "leases backups midnight fresh", "--limit", "40"]);
    let hits = &found["hits"];
    assert!(hits.as_array().unwrap().len() >= 2, "every document has a hit: {hits}");
    let collection = &listed["collections"][0];
    let said = [&collection["documents"], &collection["chunks"], hits].map(ToString::to_string);
    let heads = "select path, hex(hash), size, lines, chunks, title from reference_documents order by path";
    let rows = ["select * from collections", heads].map(|query| sandbox.sql(query).unwrap_or_default());
    said.into_iter().chain(rows).collect()
}

fn change(sandbox: &Sandbox) {
    sandbox.write("docs/leases.md", "# Leases\n\nA lease is never renewed.\n");
    sandbox.write("docs/new.md", "# New\n\nFresh.\n");
    std::fs::remove_file(sandbox.project().join("docs/ops/backups.md")).unwrap();
}

#[test]
fn first_again_and_after_changes() {
    let sandbox = Sandbox::with_docs(DOCS);
    shows!(sandbox, ["collections", "sync"], @"
    exit: 0
    --- stdout
      ✓ 2 documents (2 added, 0 updated, 0 removed)
    --- stderr
    Syncing docs (file)...
      + adding: leases.md
      + adding: ops/backups.md
    ");
    shows!(sandbox, ["collections", "sync"], @"
    exit: 0
    --- stdout
      ✓ 2 documents (0 added, 0 updated, 0 removed)
    --- stderr
    Syncing docs (file)...
    ");
    change(&sandbox);
    shows!(sandbox, ["collections", "sync"], @"
    exit: 0
    --- stdout
      ✓ 2 documents (1 added, 1 updated, 1 removed)
    --- stderr
    Syncing docs (file)...
      + adding: new.md
      - removing: ops/backups.md
      ~ updating: leases.md
    ");
    assert_eq!(sandbox.hits(&["lease midnight fresh", "--mode", "lexical", "-n", "9"]).len(), 2);
    shows!(sandbox, ["collections", "sync", "--force"], @"
    exit: 0
    --- stdout
      ✓ 2 documents (0 added, 2 updated, 0 removed)
    --- stderr
    Syncing docs (file)...
      ~ updating: leases.md
      ~ updating: new.md
    ");
    sandbox.assert_healthy();
}

#[test]
fn a_sync_with_nothing_to_do_writes_no_document_and_no_index() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    std::thread::sleep(std::time::Duration::from_millis(50));
    sandbox.sync();
    let indexes = bytes_below(&sandbox.data().join("indexes"));
    sandbox.sync();
    assert!(bytes_below(&sandbox.data().join("indexes")) == indexes);
}

#[test]
fn a_dry_run_tells_the_plan_and_writes_nothing() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    change(&sandbox);
    let before = (documents(&sandbox), bytes_below(&sandbox.data().join("indexes")));
    shows!(sandbox, ["collections", "sync", "--dry-run"], @"
    exit: 0
    --- stdout
      ✓ would have 2 documents (1 to be added, 1 to be updated, 1 to be removed)
    --- stderr
    Syncing docs (file)...
      + adding: new.md
      - removing: ops/backups.md
      ~ updating: leases.md
    ");
    let after = (documents(&sandbox), bytes_below(&sandbox.data().join("indexes")));
    assert!(before == after, "{before:?}\n{after:?}");
    let planned = sandbox.json(&["collections", "sync", "--dry-run"]);
    let done = sandbox.json(&["collections", "sync"]);
    let plans = [planned, done].map(|report| {
        let mut changes = report["collections"][0]["changes"].as_array().unwrap().clone();
        changes.sort_by_key(ToString::to_string);
        changes
    });
    assert_eq!(plans[0].len(), 3);
    assert_eq!(plans[0], plans[1]);
}

#[test]
fn a_dry_run_before_the_first_sync_leaves_nothing_indexed() {
    let sandbox = Sandbox::with_docs(DOCS);
    shows!(sandbox, ["collections", "sync", "--dry-run"], @"
    exit: 0
    --- stdout
      ✓ would have 2 documents (2 to be added, 0 to be updated, 0 to be removed)
    --- stderr
    Syncing docs (file)...
      + adding: leases.md
      + adding: ops/backups.md
    ");
    shows!(sandbox, ["ref", "ls"], @"
    exit: 1
    --- stderr
    Nothing is indexed here yet. Start with: ai-assist sync
    ");
    assert!(!sandbox.data().join("indexes").exists());
}

#[test]
fn names_choose_and_are_checked() {
    let sandbox = Sandbox::with_docs(DOCS);
    sandbox.run(&["collections", "add", "ops", "docs/ops"]).assert_code(0);
    shows!(sandbox, ["collections", "sync", "ops"], @"
    exit: 0
    --- stdout
      ✓ 1 document (1 added, 0 updated, 0 removed)
    --- stderr
    Syncing ops (file)...
      + adding: backups.md
    ");
    shows!(sandbox, ["collections", "sync", "dcos"], @"
    exit: 2
    --- stderr
    error: there is no collection `dcos`
    hint: did you mean `docs`?
    ");
    shows!(sandbox, ["collections", "sync", "something-else"], @"
    exit: 2
    --- stderr
    error: there is no collection `something-else`
    hint: `ai-assist collections list` shows the names
    ");
}

#[test]
fn a_collection_that_fails_does_not_stop_the_others() {
    let sandbox = Sandbox::with_docs(DOCS);
    sandbox.run(&["collections", "add", "gone", "./gone"]).assert_code(0);
    sandbox.run(&["collections", "add", "ops", "docs/ops"]).assert_code(0);
    shows!(sandbox, ["collections", "sync"], @"
    exit: 1
    --- stdout
      ✓ 2 documents (2 added, 0 updated, 0 removed)
      ✓ 1 document (1 added, 0 updated, 0 removed)
    --- stderr
    Syncing docs (file)...
      + adding: leases.md
      + adding: ops/backups.md

    Syncing gone (file)...
    error: the folder of `gone`, [BOX]/project/gone, can't be read: No such file or directory (os error 2)
    hint: what was indexed before is kept; mend the path in the configuration, or remove the collection

    Syncing ops (file)...
      + adding: backups.md
    ");
    let run = sandbox.run(&["collections", "sync", "--json"]);
    run.assert_code(1);
    assert!(run.json()["collections"][1]["error"].as_str().unwrap().contains("can't be read"), "{}", run.stdout());
}

#[test]
fn a_package_that_can_not_be_reached() {
    let sandbox = Sandbox::with_docs(DOCS);
    sandbox.run(&["collections", "add", "react", "https://react.dev/context/v18/manifest.json"]).assert_code(0);
    shows!(sandbox, ["collections", "sync", "react", "--offline"], @"
    exit: 2
    --- stderr
    Syncing react (pkg)...
      ↓ Fetching manifest...
    error: `https://react.dev/context/v18/manifest.json` was not fetched, because the network is not to be used
    hint: run again without `--offline` (and without `network.offline` or AI_ASSIST_OFFLINE)
    ");
}

#[test]
fn a_large_change_is_counted_not_listed() {
    let sandbox = Sandbox::with_docs(&[]);
    for number in 0..30 {
        sandbox.write(format!("docs/{number:02}.md"), format!("# Document {number}\n"));
    }
    let run = sandbox.sync();
    assert_eq!(run.stderr().matches("adding:").count(), 20, "{}", run.stderr());
    assert!(run.stderr().ends_with("  … and more (--verbose names them all)\n"), "{}", run.stderr());
    assert_eq!(run.stdout(), "  ✓ 30 documents (30 added, 0 updated, 0 removed)\n");
}

#[test]
fn two_projects_with_one_folder_and_glob_share_one_collection() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    let docs = sandbox.project().join("docs");
    let second = sandbox.root().join("second");
    std::fs::create_dir(&second).unwrap();
    // By another way, under another name.
    std::os::unix::fs::symlink(&docs, second.join("linked")).unwrap();
    let in_second =
        |args: &[&str]| crate::support::Run(sandbox.command().args(args).current_dir(&second).output().unwrap());
    in_second(&["collections", "init"]).assert_code(0);
    in_second(&["collections", "add", "theirs", "linked"]).assert_code(0);
    shows!(run sandbox, in_second(&["collections", "list"]), @"
    exit: 0
    --- stdout
    ┌────────┬──────┬──────────────────────────────────┬──────────┐
    │ Name   │ Type │ Source                           │ Status   │
    ├────────┼──────┼──────────────────────────────────┼──────────┤
    │ theirs │ file │ ../project/docs (**/{documents}) │ ✓ synced │
    └────────┴──────┴──────────────────────────────────┴──────────┘
    ");
    shows!(run sandbox, in_second(&["collections", "sync"]), @"
    exit: 0
    --- stdout
      ✓ 2 documents (0 added, 0 updated, 0 removed)
    --- stderr
    Syncing theirs (file)...
    ");
    shows!(sandbox, ["ref", "ls"], @"
    exit: 0
    --- stdout
    ├──
    │ Name │ Type │ Source │ Documents │ Chunks │ Last sync │ Id │
    ├──
    │ docs │ file │ [BOX]/project/docs (**/{documents}) │ 2 │ 2 │ [TIME] │ file:[ID] │
    ├──
    ");
    assert!(in_second(&["ref", "search", "midnight"]).stdout().contains("theirs/ops/backups.md"));
    sandbox.assert_healthy();
}

#[test]
fn ref_update_is_deprecated_and_still_works() {
    let sandbox = Sandbox::with_docs(DOCS);
    shows!(sandbox, ["ref", "update"], @"
    exit: 0
    --- stdout
      ✓ 2 documents (2 added, 0 updated, 0 removed)
    --- stderr
    warning: `ref update` is deprecated; use `ai-assist collections add` and `ai-assist collections sync`
    Syncing docs (file)...
      + adding: leases.md
      + adding: ops/backups.md
    ");
    assert_eq!(sandbox.json(&["ref", "update", "docs"])["collections"][0]["documents"], 2);
}
