//! Names that need care.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::support::Sandbox;

/// Names as bytes, none of which a file system on Linux minds.
const NAMES: &[&[u8]] = &[
    b"with space.md",
    b" leading and trailing .md",
    b"it's \"quoted\".md",
    b"`tick` $(dollar).md",
    b"two\nlines.md",
    b"tab\there.md",
    b"star*.md",
    b"what?.md",
    b"[a-z].md",
    b"{a,b}.md",
    b"back\\slash.md",
    b"colon:12.md",
    b"colon.md:12-14.md",
    b"percent%41.md",
    b"percent%.md",
    b"--help.md",
    b"-.md",
    b"latin-\xe9.md",
    b"broken-\xff\xfe.md",
    "Größe-日本語-😀.md".as_bytes(),
    "decomposed-e\u{301}.md".as_bytes(),
    "composed-\u{e9}.md".as_bytes(),
    "right-to-left-\u{202e}dm.md".as_bytes(),
    b"sub folder\n/[x]/inner.md",
];

/// A word that only one document has.
fn word(number: usize) -> String {
    format!("unicorn{}", ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"][number % 6].repeat(1 + number / 6))
}

fn project() -> Sandbox {
    let sandbox = Sandbox::with_docs(&[]);
    for (number, name) in NAMES.iter().enumerate() {
        let path = Path::new("docs").join(std::ffi::OsStr::from_bytes(name));
        sandbox.write(path, format!("# Title\n\nHere lives {}.\n", word(number)));
    }
    sandbox
}

#[test]
fn every_name_is_indexed_found_and_read_back() {
    let sandbox = project();
    let report = sandbox.json(&["collections", "sync"]);
    assert_eq!(report["collections"][0]["added"], NAMES.len(), "{report}");
    for (number, name) in NAMES.iter().enumerate() {
        let word = word(number);
        let answer = sandbox.json(&["ref", "search", &word, "--mode", "lexical"]);
        assert_eq!(answer["hits"].as_array().unwrap().len(), 1, "{name:?}: {answer}");
        let hit = &answer["hits"][0];
        assert_eq!(hit["freshness"], "current", "{hit}");
        let named = format!("docs/{}", hit["document"].as_str().unwrap());
        let read = sandbox.run(&["ref", "get", "--", &named]);
        assert_eq!(read.stdout(), format!("# Title\n\nHere lives {word}.\n"), "{named:?}: {}", read.stderr());
    }
    sandbox.assert_healthy();
}

/// What people see and copy, with the lines.
#[test]
fn every_name_is_read_back_as_it_is_printed() {
    let sandbox = project();
    sandbox.sync();
    let mut failures = Vec::new();
    for (number, _) in NAMES.iter().enumerate() {
        let word = word(number);
        let shown = sandbox.run(&["ref", "search", &word, "--mode", "lexical"]).stdout();
        let place = shown.lines().next().unwrap().rsplit_once("  ").unwrap().0.to_owned();
        let read = sandbox.run(&["ref", "get", "--", &place]);
        if read.stdout() != format!("# Title\n\nHere lives {word}.\n") {
            failures.push(format!("{place}: {}{}", read.stdout(), read.stderr()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_name_can_be_updated_and_removed() {
    let sandbox = project();
    sandbox.sync();
    for name in NAMES {
        let path = Path::new("docs").join(std::ffi::OsStr::from_bytes(name));
        sandbox.write(path, "# Changed\n");
    }
    assert_eq!(sandbox.json(&["collections", "sync"])["collections"][0]["updated"], NAMES.len());
    assert_eq!(sandbox.json(&["collections", "list"])["collections"][0]["status"], "synced");
    for name in NAMES {
        std::fs::remove_file(sandbox.project().join("docs").join(std::ffi::OsStr::from_bytes(name))).unwrap();
    }
    let report = sandbox.json(&["collections", "sync"]);
    assert_eq!(report["collections"][0]["removed"], NAMES.len(), "{report}");
}

#[test]
fn a_project_in_a_folder_with_an_odd_name() {
    let sandbox = Sandbox::new();
    for name in [&b"my [pro]ject"[..], b"proj\xe9ct", b"new\nline"] {
        let folder = sandbox.root().join(std::ffi::OsStr::from_bytes(name));
        std::fs::create_dir_all(folder.join("docs")).unwrap();
        std::fs::write(folder.join("docs/a.md"), "# A\n\nThe walrus.\n").unwrap();
        let run =
            |args: &[&str]| crate::support::Run(sandbox.command().args(args).current_dir(&folder).output().unwrap());
        run(&["collections", "init"]).assert_code(0);
        run(&["collections", "add", "docs", "docs"]).assert_code(0);
        run(&["collections", "sync"]).assert_code(0);
        let search = run(&["ref", "search", "walrus", "--json"]);
        assert_eq!(search.assert_code(0).json()["hits"][0]["freshness"], "current", "{name:?}");
        run(&["collections", "list"]).assert_code(0);
        run(&["ref", "ls"]).assert_code(0);
    }
    sandbox.assert_healthy();
}

/// JSON is Unicode and a folder need not be: what it's called is shown as well as it goes, and nothing breaks off.
#[test]
fn a_project_in_a_folder_whose_name_is_no_unicode_is_answered_for_in_json() {
    let sandbox = Sandbox::new();
    let folder = sandbox.root().join(std::ffi::OsStr::from_bytes(b"pro\xffject"));
    std::fs::create_dir_all(folder.join("docs")).unwrap();
    std::fs::write(folder.join("docs/a.md"), "# Quinces\n\nThey are boiled.\n").unwrap();
    for args in [
        &["init"][..],
        &["add", "docs"],
        &["sync"],
        &["list"],
        &["status"],
        &["search", "quinces"],
        &["config", "path"],
        &["config", "list"],
        &["config", "allow"],
        &["categories", "add", "food"],
        &["collections", "manifest", "--name", "docs"],
        &["mcp", "config"],
        &["index", "build"],
        &["explain", "docs/a.md"],
        &["pack", "-o", "pack.md"],
        &["workspace", "init"],
        &["workspace", "build"],
        &["remove", "docs"],
        &["doctor"],
    ] {
        let output = sandbox.command().args(args).arg("--json").current_dir(&folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0..=2)), "{args:?}: {said}");
        assert!(!said.contains("broke off") && !said.contains("panicked"), "{args:?}: {said}");
    }
}
