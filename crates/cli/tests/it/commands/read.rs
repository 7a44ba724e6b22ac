//! `ref list-collections`, `get`, `outline` and `drop`.

use super::{DOCS, shows};
use crate::support::Sandbox;

#[test]
fn what_is_in_the_database() {
    let sandbox = Sandbox::with_docs(DOCS);
    shows!(sandbox, ["ref", "ls"], @"
    exit: 1
    --- stderr
    Nothing is indexed here yet. Start with: ai-assist sync
    ");
    sandbox.sync();
    shows!(sandbox, ["ref", "list-collections"], @"
    exit: 0
    --- stdout
    ├──
    │ Name │ Type │ Source │ Documents │ Chunks │ Last sync │ Id │
    ├──
    │ docs │ file │ [BOX]/project/docs (**/{documents}) │ 2 │ 2 │ [TIME] │ file:[ID] │
    ├──
    ");
    sandbox.run(&["collections", "remove", "docs"]).assert_code(0);
    shows!(sandbox, ["ref", "ls"], @"
    exit: 0
    --- stdout
    ├──
    │ Name │ Type │ Source │ Documents │ Chunks │ Last sync │ Id │
    ├──
    │  │ file │ [BOX]/project/docs (**/{documents}) │ 2 │ 2 │ [TIME] │ file:[ID] │
    ├──
    ");
}

#[test]
fn a_document_or_lines_of_it() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    assert_eq!(sandbox.run(&["ref", "get", "docs/leases.md"]).assert_code(0).stdout(), DOCS[0].1);
    assert_eq!(sandbox.run(&["ref", "get", "leases.md"]).assert_code(0).stdout(), DOCS[0].1);
    shows!(sandbox, ["ref", "get", "docs/leases.md:3"], @"
    exit: 0
    --- stdout
    A lease is renewed every ten seconds.
    ");
    shows!(sandbox, ["ref", "get", "docs/leases.md:5-99"], @"
    exit: 0
    --- stdout
    ## Expiry

    An expired lease goes to another worker.
    ");
    shows!(sandbox, ["ref", "get", "docs/leases.md:99"], @"
    exit: 2
    --- stderr
    error: `docs/leases.md` has 7 lines; 99 is beyond its end
    ");
    shows!(sandbox, ["ref", "get", "docs/leases.md:7-5"], @"
    exit: 2
    --- stderr
    error: there is no document `docs/leases.md:7-5`
    hint: `ai-assist ref search` prints documents in the form that `ref get` takes
    ");
    shows!(sandbox, ["ref", "get", "docs/leases.md:0"], @"
    exit: 2
    --- stderr
    error: there is no document `docs/leases.md:0`
    hint: `ai-assist ref search` prints documents in the form that `ref get` takes
    ");
    shows!(sandbox, ["ref", "get", "docs/nothing.md"], @"
    exit: 2
    --- stderr
    error: there is no document `docs/nothing.md`
    hint: `ai-assist ref search` prints documents in the form that `ref get` takes
    ");
    shows!(sandbox, ["ref", "get", "leases.md", "--collection", "nothing"], @"
    exit: 2
    --- stderr
    error: there is no collection `nothing`
    hint: `ai-assist collections list` shows the names
    ");
    shows!(sandbox, ["ref", "get", "ops/backups.md:1", "--json"], @r##"
    exit: 0
    --- stdout
    {
      "collection": "docs",
      "category": null,
      "collectionId": "file:[ID]",
      "document": "ops/backups.md",
      "file": "[BOX]/project/docs/ops/backups.md",
      "title": "Backups",
      "language": "markdown",
      "encoding": "UTF-8",
      "hash": "sha256:[HASH]",
      "freshness": "current",
      "lines": {
        "start": 1,
        "end": 1
      },
      "totalLines": 3,
      "text": "# Backups\n"
    }
    "##);
}

#[test]
fn a_document_that_two_collections_have_must_be_named_in_full() {
    let sandbox = Sandbox::with_docs(DOCS);
    sandbox.write("more/leases.md", "# Other leases\n");
    sandbox.run(&["collections", "add", "more", "more"]).assert_code(0);
    sandbox.sync();
    shows!(sandbox, ["ref", "get", "leases.md"], @"
    exit: 2
    --- stderr
    error: several collections have a document `leases.md`: docs/leases.md, more/leases.md
    hint: name one of them, as in `docs/leases.md`
    ");
    shows!(sandbox, ["ref", "get", "more/leases.md"], @"
    exit: 0
    --- stdout
    # Other leases
    ");
    shows!(sandbox, ["ref", "get", "leases.md", "-c", "more"], @"
    exit: 0
    --- stdout
    # Other leases
    ");
}

#[test]
fn what_is_read_is_what_stands_there_now() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    for (text, command) in [("None.", &["ref", "get"][..]), ("Some.", &["get"])] {
        sandbox.write("docs/ops/backups.md", format!("# Backups\n\n{text}\n"));
        let run = sandbox.run(&[command, &["docs/ops/backups.md:3"]].concat());
        run.assert_code(0);
        assert_eq!((run.stdout(), run.stderr()), (format!("{text}\n"), String::new()));
    }
    std::fs::remove_file(sandbox.project().join("docs/ops/backups.md")).unwrap();
    for command in [&["ref", "get"][..], &["get"]] {
        let run = sandbox.run(&[command, &["docs/ops/backups.md:3"]].concat());
        run.assert_code(2);
        assert!(run.stderr().contains("docs/ops/backups.md"), "{}", run.stderr());
    }
}

#[test]
fn what_a_sync_must_take_in_first_is_read_as_it_was_indexed() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    for number in 0..1001 {
        sandbox.write(format!("docs/new/{number}.md"), "# New\n");
    }
    sandbox.write("docs/ops/backups.md", "# Backups\n\nNone.\n");
    shows!(sandbox, ["ref", "get", "docs/ops/backups.md:3"], @"
    exit: 0
    --- stdout
    Backups run at midnight and are kept for a week.
    --- stderr
    warning: the file has changed since it was indexed
    ");
    std::fs::remove_file(sandbox.project().join("docs/ops/backups.md")).unwrap();
    shows!(sandbox, ["get", "docs/ops/backups.md:3"], @"
    exit: 0
    --- stdout
    Backups run at midnight and are kept for a week.
    --- stderr
    warning: the file is gone since it was indexed
    ");
}

#[test]
fn an_outline() {
    let sandbox = Sandbox::with_docs(DOCS);
    sandbox.write("docs/plain.md", "No headings here.\n");
    sandbox.write("src/lib.rs", "/// Adds.\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n\npub struct Sum;\n\nimpl Sum {\n    pub fn of(self) {}\n}\n");
    sandbox.run(&["collections", "add", "src", "src", "--glob", "**/*.rs"]).assert_code(0);
    sandbox.sync();
    shows!(sandbox, ["ref", "outline", "docs/leases.md"], @"
    exit: 0
    --- stdout
          1-7  Leases
          5-7    Expiry
    ");
    shows!(sandbox, ["ref", "outline", "src/lib.rs"], @"
    exit: 0
    --- stdout
          1-4  pub fn add(a: u32, b: u32) -> u32
            6  pub struct Sum;
         8-10  impl Sum
            9    pub fn of(self)
    ");
    shows!(sandbox, ["ref", "outline", "docs/plain.md"], @"
    exit: 1
    --- stderr
    The document has no headings or definitions.
    ");
    shows!(sandbox, ["ref", "outline", "docs/nothing.md"], @"
    exit: 2
    --- stderr
    error: there is no document `docs/nothing.md`
    hint: `ai-assist ref search` prints documents in the form that `ref get` takes
    ");
}

#[test]
fn a_drop_leaves_the_configuration() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    shows!(sandbox, ["ref", "drop", "docs"], @"
    exit: 0
    --- stdout
    Dropped docs from the index; the configuration is as it was
    ");
    assert_eq!(sandbox.json(&["collections", "list"])["collections"][0]["status"], "not-synced");
    assert_eq!(std::fs::read_dir(sandbox.data().join("indexes")).unwrap().count(), 0);
    shows!(sandbox, ["ref", "drop", "docs"], @"
    exit: 2
    --- stderr
    error: the collection `docs` has not been synced yet
    hint: run `ai-assist collections sync docs`
    ");
    shows!(sandbox, ["ref", "drop", "dcos"], @"
    exit: 2
    --- stderr
    error: there is no collection `dcos`
    hint: did you mean `docs`?
    ");
    let search = sandbox.run(&["ref", "search", "lease"]);
    search.assert_code(1);
    assert!(search.stderr().contains("`docs` has not been synced yet and was left out"), "{}", search.stderr());
    sandbox.assert_healthy();
    shows!(sandbox, ["collections", "sync"], @"
    exit: 0
    --- stdout
      ✓ 2 documents (2 added, 0 updated, 0 removed)
    --- stderr
    Syncing docs (file)...
      + adding: leases.md
      + adding: ops/backups.md
    ");
}

#[test]
fn a_drop_by_the_id_that_a_listing_shows() {
    let sandbox = Sandbox::with_synced_docs(DOCS);
    sandbox.run(&["collections", "remove", "docs"]).assert_code(0);
    let id = sandbox.json(&["ref", "ls"])["collections"][0]["id"].as_str().unwrap().to_owned();
    sandbox.run(&["ref", "drop", &id[..17]]).assert_code(0);
    sandbox.run(&["ref", "ls"]).assert_code(1);
}
