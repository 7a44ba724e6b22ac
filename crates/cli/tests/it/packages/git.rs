//! Packages out of git repositories.

use std::path::PathBuf;

use serde_json::json;

use super::desk::{Desk, hash, page};
use super::repository::Repository;

fn globbed(globs: &[&str]) -> String {
    json!({ "name": "from-git", "version": "3", "sources": { "glob": globs } }).to_string()
}

#[test]
fn branches_tags_and_commits_are_what_they_name() {
    let repository = Repository::new();
    repository.write("a.md", page("alder"));
    let first = repository.commit("one");
    repository.git(&["tag", "--annotate", "v1.0", "--message", "first"]);
    repository.write("a.md", page("birch"));
    let second = repository.commit("two");
    repository.git(&["switch", "--quiet", "--create", "topic/next"]);
    repository.write("a.md", page("cedar"));
    let third = repository.commit("three");
    repository.git(&["switch", "--quiet", "main"]);
    for (reference, commit, word) in [
        (String::new(), &second, "birch"),
        ("#main".to_owned(), &second, "birch"),
        ("#v1.0".to_owned(), &first, "alder"),
        ("#topic/next".to_owned(), &third, "cedar"),
        (format!("#{first}"), &first, "alder"),
    ] {
        let desk = Desk::new(&repository.url(&reference));
        let report = desk.sync();
        assert_eq!(report.counts(), [1, 1, 0, 0], "{reference}");
        assert_eq!(report.0["package"]["commit"], **commit, "{reference}");
        assert_eq!(desk.found(word), ["a.md"], "{reference}");
        let locked = desk.lock()["collections"]["docs"].clone();
        assert_eq!(locked["commit"], **commit);
        assert_eq!(locked["files"], json!({ "a.md": { "hash": hash(page(word)), "size": page(word).len() } }));
        assert_eq!(desk.leftovers(), Vec::<PathBuf>::new());
        assert!(desk.sync().is_up_to_date());
        assert_eq!(desk.status().0, "synced");
    }
    for (reference, part) in
        [("#no-such-branch", "no branch or tag `no-such-branch`"), ("#--upload-pack=x", ""), ("?colour=red", "colour")]
    {
        let desk = Desk::new(&repository.url(reference));
        let said = desk.refused(&[]);
        assert!(said.contains(part), "{said}");
        assert_eq!(desk.leftovers(), Vec::<PathBuf>::new());
    }
    let gone = Desk::new(&format!("git+file://{}/nowhere", repository.path().display()));
    gone.refused(&[]);
}

#[test]
fn a_manifest_or_globs_say_which_files() {
    let repository = Repository::new();
    repository.write("README.md", page("readme"));
    repository.write("docs/a.md", page("alder"));
    repository.write("docs/deep/b.md", page("birch"));
    repository.write("docs/c.txt", page("cedar"));
    repository.write("docs/package.json", globbed(&["**/*.md"]));
    repository.commit("without a manifest");
    let documents = |rest: &str| {
        let desk = Desk::new(&repository.url(rest));
        let report = desk.sync();
        (desk.documents().into_keys().collect::<Vec<_>>(), report.0["package"]["name"].as_str().unwrap().to_owned())
    };
    let folder = repository.path().file_name().unwrap().to_str().unwrap().to_owned();
    let all = ["README.md", "docs/a.md", "docs/c.txt", "docs/deep/b.md"].map(str::to_owned).to_vec();
    assert_eq!(documents(""), (all, folder.clone()));
    assert_eq!(documents("?glob=docs/*.md#main"), (vec!["docs/a.md".to_owned()], folder.clone()));
    assert_eq!(
        documents("?glob=docs/*.md&glob=**/*.txt"),
        (vec!["docs/a.md".to_owned(), "docs/c.txt".to_owned()], folder.clone())
    );
    // Paths are those below the manifest.
    assert_eq!(
        documents("?manifest=docs/package.json"),
        (vec!["a.md".to_owned(), "deep/b.md".to_owned()], "from-git".to_owned())
    );
    let said = Desk::new(&repository.url("?manifest=docs/none.json")).refused(&[]);
    assert!(said.contains("docs/none.json"), "{said}");
    Desk::new(&repository.url("?manifest=../x.json")).refused(&[]);
    // One at the root counts without being named; globs in the URL come before it.
    repository.write("manifest.json", globbed(&["docs/**/*.txt"]));
    repository.commit("with a manifest");
    assert_eq!(documents(""), (vec!["docs/c.txt".to_owned()], "from-git".to_owned()));
    let pages = ["README.md", "docs/a.md", "docs/deep/b.md"].map(str::to_owned).to_vec();
    assert_eq!(documents("?glob=**/*.md"), (pages, folder));
}

#[test]
fn a_branch_that_moves_is_followed_unless_held() {
    let repository = Repository::new();
    repository.write("a.md", page("alder"));
    repository.write("b.md", page("birch"));
    let first = repository.commit("one");
    let url = repository.url("#main");
    let desk = Desk::new(&url);
    desk.sync();
    let (lock, documents) = (desk.lock_text(), desk.documents());
    desk.sync_with(&["--locked"], 0);

    repository.write("b.md", page("blackthorn"));
    repository.write("c.md", page("cedar"));
    std::fs::remove_file(repository.path().join("a.md")).unwrap();
    let second = repository.commit("two");
    let said = desk.refused(&["--locked"]);
    assert!(said.contains(&first) && said.contains(&second), "{said}");
    assert_eq!((desk.lock_text(), desk.documents()), (lock.clone(), documents.clone()));
    assert!(desk.sync_with(&["--frozen"], 0).is_up_to_date());

    // Elsewhere, on a machine that has nothing yet, the lock gives the old commit.
    let fresh = Desk::new(&url);
    fresh.sandbox.write("context.lock", &lock);
    assert_eq!(fresh.sync_with(&["--frozen"], 0).0["package"]["commit"], first);
    assert_eq!((fresh.lock_text(), fresh.documents()), (lock.clone(), documents));
    let other = Desk::new(&url);
    other.sandbox.write("context.lock", &lock);
    other.refused(&["--locked"]);
    assert_eq!(other.store()["collections"], json!([]));

    let report = desk.sync();
    assert_eq!(report.changes(), ["remove a.md", "update b.md", "add c.md"]);
    assert_eq!(report.0["package"]["commit"], second);
    assert_ne!(desk.lock_text(), lock);
    assert_eq!(desk.lock()["collections"]["docs"]["commit"], second);
    // What is indexed is newer than the other lock: held to that, it goes back.
    desk.sandbox.write("context.lock", &lock);
    assert_eq!(desk.status().0, "stale");
    let back = desk.sync_with(&["--frozen"], 0);
    assert_eq!(back.changes(), ["add a.md", "update b.md", "remove c.md"]);
    assert_eq!(desk.lock_text(), lock);
}

#[test]
fn only_what_changed_between_commits_is_indexed() {
    let repository = Repository::new();
    repository.write("a.md", page("alder"));
    repository.write("other.bin", [0, 1, 2]);
    repository.commit("one");
    let desk = Desk::new(&repository.url(""));
    desk.sync();
    repository.write("other.bin", [3, 4, 5]);
    let second = repository.commit("nothing that matters");
    let report = desk.sync();
    assert_eq!((report.counts(), report.is_up_to_date()), ([1, 0, 0, 0], false));
    assert_eq!(desk.lock()["collections"]["docs"]["commit"], second);
    assert!(desk.sync().is_up_to_date());
    // A local repository needs no network.
    assert!(desk.sync_with(&["--offline"], 0).is_up_to_date());
}
