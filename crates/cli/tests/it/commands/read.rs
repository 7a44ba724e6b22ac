//! `ref list-collections`, `get`, `outline` and `drop`.

use super::{DOCS, shows};
use crate::support::Sandbox;

#[test]
fn what_is_in_the_database() {
    let sandbox = Sandbox::with_docs(DOCS);
    shows!(sandbox, ["ref", "ls"], @"");
    sandbox.sync();
    shows!(sandbox, ["ref", "list-collections"], @"");
    sandbox.run(&["collections", "remove", "docs"]).assert_code(0);
    shows!(sandbox, ["ref", "ls"], @"");
}

#[test]
fn a_document_or_lines_of_it() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    assert_eq!(sandbox.run(&["ref", "get", "docs/leases.md"]).assert_code(0).stdout(), DOCS[0].1);
    assert_eq!(sandbox.run(&["ref", "get", "leases.md"]).assert_code(0).stdout(), DOCS[0].1);
    shows!(sandbox, ["ref", "get", "docs/leases.md:3"], @"");
    shows!(sandbox, ["ref", "get", "docs/leases.md:5-99"], @"");
    shows!(sandbox, ["ref", "get", "docs/leases.md:99"], @"");
    shows!(sandbox, ["ref", "get", "docs/leases.md:7-5"], @"");
    shows!(sandbox, ["ref", "get", "docs/leases.md:0"], @"");
    shows!(sandbox, ["ref", "get", "docs/nothing.md"], @"");
    shows!(sandbox, ["ref", "get", "leases.md", "--collection", "nothing"], @"");
    shows!(sandbox, ["ref", "get", "ops/backups.md:1", "--json"], @"");
}

#[test]
fn a_document_that_two_collections_have_must_be_named_in_full() {
    let sandbox = Sandbox::with_docs(DOCS);
    sandbox.write("more/leases.md", "# Other leases\n");
    sandbox.run(&["collections", "add", "more", "more"]).assert_code(0);
    sandbox.sync();
    shows!(sandbox, ["ref", "get", "leases.md"], @"");
    shows!(sandbox, ["ref", "get", "more/leases.md"], @"");
    shows!(sandbox, ["ref", "get", "leases.md", "-c", "more"], @"");
}

#[test]
fn what_is_read_is_what_was_indexed() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    sandbox.write("docs/ops/backups.md", "# Backups\n\nNone.\n");
    shows!(sandbox, ["ref", "get", "docs/ops/backups.md:3"], @"");
    std::fs::remove_file(sandbox.project().join("docs/ops/backups.md")).unwrap();
    shows!(sandbox, ["ref", "get", "docs/ops/backups.md:3"], @"");
}

#[test]
fn an_outline() {
    let sandbox = Sandbox::with_docs(DOCS);
    sandbox.write("docs/plain.md", "No headings here.\n");
    sandbox.write("src/lib.rs", "/// Adds.\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n\npub struct Sum;\n\nimpl Sum {\n    pub fn of(self) {}\n}\n");
    sandbox.run(&["collections", "add", "src", "src", "--glob", "**/*.rs"]).assert_code(0);
    sandbox.sync();
    shows!(sandbox, ["ref", "outline", "docs/leases.md"], @"");
    shows!(sandbox, ["ref", "outline", "src/lib.rs"], @"");
    shows!(sandbox, ["ref", "outline", "docs/plain.md"], @"");
    shows!(sandbox, ["ref", "outline", "docs/nothing.md"], @"");
}

#[test]
fn a_drop_leaves_the_configuration() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    shows!(sandbox, ["ref", "drop", "docs"], @"");
    assert_eq!(sandbox.json(&["collections", "list"])["collections"][0]["status"], "not-synced");
    assert_eq!(std::fs::read_dir(sandbox.data().join("indexes")).unwrap().count(), 0);
    shows!(sandbox, ["ref", "drop", "docs"], @"");
    shows!(sandbox, ["ref", "drop", "dcos"], @"");
    shows!(sandbox, ["ref", "search", "lease"], @"");
    sandbox.assert_healthy();
    shows!(sandbox, ["collections", "sync"], @"");
}

#[test]
fn a_drop_by_the_id_that_a_listing_shows() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    sandbox.run(&["collections", "remove", "docs"]).assert_code(0);
    let id = sandbox.json(&["ref", "ls"])["collections"][0]["id"].as_str().unwrap().to_owned();
    sandbox.run(&["ref", "drop", &id[..17]]).assert_code(0);
    sandbox.run(&["ref", "ls"]).assert_code(1);
}
