//! `collections list`: where each collection stands.

use super::{DOCS, shows};
use crate::support::Sandbox;

#[test]
fn before_and_after_the_first_sync() {
    let sandbox = Sandbox::with_docs(DOCS);
    sandbox.run(&["collections", "add", "react", "https://react.dev/context/v18/manifest.json"]).assert_code(0);
    shows!(sandbox, ["collections", "list"], @"
    exit: 0
    --- stdout
    ┌───────┬──────┬─────────────────────────────────────────────┬──────────────┐
    │ Name  │ Type │ Source                                      │ Status       │
    ├───────┼──────┼─────────────────────────────────────────────┼──────────────┤
    │ docs  │ file │ ./docs (**/{documents})                     │ ⚠ not synced │
    │ react │ pkg  │ https://react.dev/context/v18/manifest.json │ ⚠ not synced │
    └───────┴──────┴─────────────────────────────────────────────┴──────────────┘
    ");
    sandbox.run(&["collections", "sync", "docs"]).assert_code(0);
    shows!(sandbox, ["collections", "list"], @"
    exit: 0
    --- stdout
    ┌───────┬──────┬─────────────────────────────────────────────┬──────────────┐
    │ Name  │ Type │ Source                                      │ Status       │
    ├───────┼──────┼─────────────────────────────────────────────┼──────────────┤
    │ docs  │ file │ ./docs (**/{documents})                     │ ✓ synced     │
    │ react │ pkg  │ https://react.dev/context/v18/manifest.json │ ⚠ not synced │
    └───────┴──────┴─────────────────────────────────────────────┴──────────────┘
    ");
}

#[test]
fn no_collections() {
    let sandbox = Sandbox::new();
    sandbox.run(&["collections", "init"]).assert_code(0);
    shows!(sandbox, ["collections", "list"], @"
    exit: 0
    --- stderr
    No collections yet. Add one: ai-assist add ./docs
    ");
    shows!(sandbox, ["collections", "sync"], @"
    exit: 0
    --- stderr
    No collections yet. Add one: ai-assist add ./docs
    ");
}

#[test]
fn a_changed_file_makes_it_stale() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    // As long as before, so that only the time or the text can tell.
    let text = DOCS[0].1.replace("ten", "six");
    sandbox.write("docs/leases.md", text);
    shows!(sandbox, ["collections", "list"], @"
    exit: 0
    --- stdout
    ┌──────┬──────┬─────────────────────────┬─────────┐
    │ Name │ Type │ Source                  │ Status  │
    ├──────┼──────┼─────────────────────────┼─────────┤
    │ docs │ file │ ./docs (**/{documents}) │ ⚠ stale │
    └──────┴──────┴─────────────────────────┴─────────┘
    --- stderr
    docs: leases.md has changed
    ");
    sandbox.sync();
    assert_eq!(sandbox.json(&["collections", "list"])["collections"][0]["status"], "synced");
}

#[test]
fn a_file_that_was_only_touched_does_not() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    sandbox.write("docs/leases.md", DOCS[0].1);
    assert_eq!(sandbox.json(&["collections", "list"])["collections"][0]["status"], "synced");
}

#[test]
fn a_new_file_makes_it_stale() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    sandbox.write("docs/new.md", "# New\n");
    shows!(sandbox, ["collections", "list"], @"
    exit: 0
    --- stdout
    ┌──────┬──────┬─────────────────────────┬─────────┐
    │ Name │ Type │ Source                  │ Status  │
    ├──────┼──────┼─────────────────────────┼─────────┤
    │ docs │ file │ ./docs (**/{documents}) │ ⚠ stale │
    └──────┴──────┴─────────────────────────┴─────────┘
    --- stderr
    docs: new.md is new
    ");
}

#[test]
fn a_removed_file_makes_it_stale() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    std::fs::remove_file(sandbox.project().join("docs/leases.md")).unwrap();
    shows!(sandbox, ["collections", "list"], @"
    exit: 0
    --- stdout
    ┌──────┬──────┬─────────────────────────┬─────────┐
    │ Name │ Type │ Source                  │ Status  │
    ├──────┼──────┼─────────────────────────┼─────────┤
    │ docs │ file │ ./docs (**/{documents}) │ ⚠ stale │
    └──────┴──────┴─────────────────────────┴─────────┘
    --- stderr
    docs: leases.md is gone
    ");
}

#[test]
fn a_changed_glob_is_another_collection() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    let file = sandbox.project().join("context.json");
    let text = std::fs::read_to_string(&file).unwrap().replace("**/{documents}", "*.md");
    std::fs::write(&file, text).unwrap();
    assert_ne!(sandbox.json(&["collections", "list"])["collections"][0]["status"], "synced");
    sandbox.sync();
    assert_eq!(sandbox.hits(&["midnight", "--mode", "lexical"]), [""; 0]);
}

#[test]
fn a_folder_that_is_gone_is_an_error_and_loses_nothing() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    std::fs::rename(sandbox.project().join("docs"), sandbox.project().join("away")).unwrap();
    shows!(sandbox, ["collections", "list"], @"
    exit: 0
    --- stdout
    ┌──────┬──────┬─────────────────────────┬─────────┐
    │ Name │ Type │ Source                  │ Status  │
    ├──────┼──────┼─────────────────────────┼─────────┤
    │ docs │ file │ ./docs (**/{documents}) │ ✗ error │
    └──────┴──────┴─────────────────────────┴─────────┘
    --- stderr
    docs: the folder of `docs`, [BOX]/project/docs, can't be read: No such file or directory (os error 2)
    ");
    shows!(sandbox, ["collections", "sync"], @"
    exit: 2
    --- stderr
    Syncing docs (file)...
    error: the folder of `docs`, [BOX]/project/docs, can't be read: No such file or directory (os error 2)
    hint: what was indexed before is kept; mend the path in the configuration, or remove the collection
    ");
    assert_eq!(sandbox.hits(&["midnight", "--mode", "lexical"]), ["docs/ops/backups.md:1-3"]);
    shows!(sandbox, ["ref", "search", "midnight", "--mode", "lexical"], @"
    exit: 0
    --- stdout
    docs/ops/backups.md:1-3  [SCORE]  (gone since)
      Backups
      Backups run at midnight and are kept for a week.

    --- stderr
    1 of 1 hit
    ");
}
