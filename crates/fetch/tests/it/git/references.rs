//! What a reference stands for.

use ai_assist_fetch::{GitError, Limits};
use ai_assist_git::RemoteError;

use super::repository::{Place, source};

#[test]
fn branches_tags_and_commits_are_found() {
    let place = Place::new();
    let first = place.head();
    place.git(&["tag", "light"]);
    place.git(&["tag", "--annotate", "--message=x", "heavy"]);
    place.git(&["tag", "--annotate", "--message=x", "heavier", "heavy"]);
    place.git(&["branch", "feature/x"]);
    place.git(&["tag", "both"]);
    let second = place.commit("README.md", "two");
    place.git(&["branch", "both"]);
    place.git(&["update-ref", "refs/pull/7/head", first.as_str()]);
    // Names that end like the ones asked for.
    place.git(&["branch", "other/main", first.as_str()]);
    place.git(&["update-ref", "refs/x/refs/heads/main", first.as_str()]);
    place.git(&["update-ref", "refs/remotes/origin/HEAD", first.as_str()]);

    for (reference, commit) in [
        ("", &second),
        ("#HEAD", &second),
        ("#main", &second),
        ("#heads/main", &second),
        ("#refs/heads/main", &second),
        ("#light", &first),
        ("#heavy", &first),
        ("#heavier", &first),
        ("#refs/tags/heavy", &first),
        ("#feature/x", &first),
        ("#feature%2Fx", &first),
        ("#both", &first),
        ("#refs/heads/both", &second),
        ("#pull/7/head", &first),
        (&format!("#{first}"), &first),
        (&format!("?glob=*.md#{}", first.to_string().to_uppercase()), &first),
    ] {
        let source = place.source(reference);
        assert_eq!(place.resolve(&source).unwrap(), *commit, "{reference}");
        let taken = place.check_out(&source).unwrap();
        assert_eq!(taken.text("README.md"), if *commit == first { "one" } else { "two" }, "{reference}");
    }
}

#[test]
fn a_branch_that_moves_leaves_its_commit_behind() {
    let place = Place::new();
    let source = place.source("#main");
    let before = place.resolve(&source).unwrap();
    let after = place.commit("README.md", "two");
    assert_eq!(place.resolve(&source).unwrap(), after);
    let taken = place.check_out_commit(&source, &before, &Limits::default()).unwrap();
    assert_eq!(taken.text("README.md"), "one");
}

#[test]
fn what_is_not_there_is_said() {
    let place = Place::new();
    let short = &place.head().to_string()[..8];
    let error = place.resolve(&place.source("#missing")).unwrap_err();
    assert!(matches!(&error, GitError::NoReference { reference, .. } if reference == "missing"), "{error}");
    let error = place.resolve(&place.source(&format!("#{short}"))).unwrap_err();
    assert!(matches!(error, GitError::ShortCommit { .. }), "{error}");
    let empty = Place::bare_of_commits();
    let error = empty.resolve(&empty.source("")).unwrap_err();
    assert!(matches!(error, GitError::NoHead(_)), "{error}");
    let error = place.resolve(&source("git+file:///nowhere/at/all")).unwrap_err();
    assert!(matches!(error, GitError::Remote(RemoteError::Failed { .. })), "{error}");
    assert!(error.to_string().contains("/nowhere/at/all' does not appear to be a git repository"), "{error}");

    let unknown = "1".repeat(40);
    let error = place.check_out(&place.source(&format!("#{unknown}"))).err().unwrap();
    assert!(matches!(error, GitError::NotServed { .. }), "{error}");
    // Locked once, and gone since: the branch was rewritten and the repository cleaned.
    let source = place.source("#main");
    let error = place.check_out_commit(&source, &unknown.parse().unwrap(), &Limits::default()).err().unwrap();
    assert!(matches!(&error, GitError::Moved { now, .. } if *now == place.head()), "{error}");
}

#[test]
fn only_commits_are_checked_out() {
    let place = Place::new();
    place.git(&["tag", "--annotate", "--message=x", "heavy"]);
    for (name, what) in [("heavy", "tag"), ("HEAD^{tree}", "tree"), ("HEAD:README.md", "blob")] {
        let id = place.git(&["rev-parse", name]);
        let error = place.check_out(&place.source(&format!("#{id}"))).err().unwrap();
        assert!(matches!(&error, GitError::NotACommit { what: found, .. } if found == what), "{error}");
    }
}

#[test]
fn repositories_of_sha256_are_read() {
    let mut place = Place::bare_of_commits();
    place.set("GIT_DEFAULT_HASH", "sha1");
    std::fs::remove_dir_all(place.path("origin/.git")).unwrap();
    place.git(&["init", "--quiet", "--object-format=sha256", "--initial-branch=main"]);
    let commit = place.commit("README.md", "one");
    assert_eq!(commit.as_str().len(), 64);
    let source = place.source("#main");
    assert_eq!(place.resolve(&source).unwrap(), commit);
    assert_eq!(place.check_out(&source).unwrap().text("README.md"), "one");
}
